/* The files of an input, for source.c alone: names, patterns, kinds, sizes. */
#ifndef DPS_SOURCE_FILES_H
#define DPS_SOURCE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source_part.h"
#include "status.h"

/* Start with sized and all_files set, all else 0. */
typedef struct dps_source_files {
    char **path;    /* as given */
    int64_t *bytes; /* of each */
    size_t count, path_capacity, bytes_capacity;
    int64_t size;   /* of the regular files that are not compressed */
    bool sized;     /* these are all */
    bool all_files; /* no pipes */
} dps_source_files;

/* A path, or the files of a pattern in the order of their names' bytes (the program never sets
 * another locale). A file whose name is the pattern itself comes first. */
DPS_MUST_USE dps_status dps_source_files_add(dps_source_files *files, const char *path,
                                             dps_error *err);
/* What [begin, end) of all bytes means for one file; end = DPS_NO_END: all of it. */
dps_file_part dps_source_files_part(const dps_source_files *files, int64_t begin, int64_t end,
                                    size_t file);
void dps_source_files_release(dps_source_files *files);

/* The name of a file in messages. */
const char *dps_shown_name(const char *path);
DPS_MUST_USE dps_status dps_open_path(const char *path, int *fd, dps_error *err);

#endif
