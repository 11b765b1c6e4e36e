/* Sizes of a source that the loader and the tests set; results never depend on them. */
#ifndef DPS_SOURCE_INTERNAL_H
#define DPS_SOURCE_INTERNAL_H

#include <signal.h>

#include "source.h"

/* Bytes a chunk aims at (default 256 KiB; at least 1). */
void dps_source_set_chunk(dps_source *source, size_t bytes);
size_t dps_source_chunk(const dps_source *source);
/* Reading gives up with DPS_ERROR_STOPPED soon after *stop is set, also while it waits for a pipe.
 * May be NULL. */
void dps_source_set_stop(dps_source *source, const volatile sig_atomic_t *stop);
/* Longest line in bytes (default 1 GiB): a longer one is an error, so that an endless line cannot
 * eat all memory. */
void dps_source_set_line_limit(dps_source *source, size_t bytes);

/* From here on only the part-th of `parts` parts of about as many bytes; to be called before the
 * first dps_source_next. Compressed files are all in part 0, whose size nobody knows before it is
 * unpacked. Refused: standard input and pipes, which nobody else can look at. */
DPS_MUST_USE dps_status dps_source_take_part(dps_source *source, int part, int parts,
                                             dps_error *err);
/* Name of an input file, as in dps_chunk. */
const char *dps_source_file(const dps_source *source, int32_t file_index);

#endif
