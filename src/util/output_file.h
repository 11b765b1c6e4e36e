/* Output files that are complete or absent. Writing goes to a temporary name in the same folder;
 * commit flushes, syncs and renames. Whatever is not a regular file (/dev/stdout, /dev/full, a
 * pipe) is written directly. "-" is standard output. */
#ifndef DPS_OUTPUT_FILE_H
#define DPS_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include "status.h"
#include "text.h"

typedef struct dps_output_file dps_output_file;

/* Tries that `path` could be written (folder exists and is writable, not a folder itself) without
 * leaving anything behind: for a check before the work. `option` is named in the error. */
DPS_MUST_USE dps_status dps_output_probe(const char *path, const char *option, dps_error *err);

/* Refuses an output that would replace, or be mixed with, what `other_option` names. Devices other
 * than standard output may be shared. */
DPS_MUST_USE dps_status dps_output_apart(const char *path, const char *option, const char *other,
                                         const char *other_option, dps_error *err);

/* Whether what is written there is seen as it comes: standard output, a pipe, a device; anything
 * else appears when it is whole. */
bool dps_output_is_direct(const char *path);

/* Removes the temporary files beside `path` that processes of this machine left there when they
 * were killed while they wrote it. Opening `path` does so too. */
void dps_output_clean(const char *path);

DPS_MUST_USE dps_status dps_output_open(dps_output_file **file, const char *path, dps_error *err);
DPS_MUST_USE dps_status dps_output_write(dps_output_file *file, const void *bytes, size_t length,
                                         dps_error *err);
/* Pushes out what is buffered (to the temporary file). */
DPS_MUST_USE dps_status dps_output_flush(dps_output_file *file, dps_error *err);
/* Flush, fsync, rename, free; on an error the temporary file is removed and the old file is as it
 * was. */
DPS_MUST_USE dps_status dps_output_commit(dps_output_file *file, dps_error *err);
/* Removes the temporary file and frees; accepts NULL. */
void dps_output_abandon(dps_output_file *file);

/* A whole text at once, from opening to committing; releases the text. `what` names it where memory
 * ran out while it was made ("the learning curve"). */
DPS_MUST_USE dps_status dps_output_text(dps_text *text, const char *path, const char *what,
                                        dps_error *err);

#endif
