/* data.cache: the parsed rows of an input in a file, for the next run. Rows from it are those that
 * parsing would give, bit for bit; a cache that is not of these files and options, or is damaged,
 * is never used. */
#ifndef DPS_CACHE_H
#define DPS_CACHE_H

#include "raw_rows.h"

typedef struct dps_cache dps_cache;

/* Looks at what the file `path` holds. *found: raw has all rows. Otherwise says why not, and
 * dps_cache_write makes it once the rows have been read. Refused: inputs that are not regular
 * files, several ranks, and a `path` that is something else than a cache, which is not replaced. */
DPS_MUST_USE dps_status dps_cache_open(dps_cache **cache, const char *path,
                                       const char *const *paths, size_t count,
                                       const dps_read_options *options, const dps_run *run,
                                       dps_raw_rows *raw, bool *found, dps_error *err);
/* Writes the rows as they were read in training, before they are numbered or split. A place that
 * cannot be written is a warning. Only a signal is an error. */
DPS_MUST_USE dps_status dps_cache_write(const dps_cache *cache, const dps_raw_rows *raw,
                                        const dps_run *run, dps_error *err);
void dps_cache_close(dps_cache *cache); /* accepts NULL */

#endif
