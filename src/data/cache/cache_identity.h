/* What a cache of rows was made from: files, told by their content, and the options of parsing. */
#ifndef DPS_CACHE_IDENTITY_H
#define DPS_CACHE_IDENTITY_H

#include "row_parser.h"
#include "run.h"
#include "text.h"

typedef struct dps_cache_file {
    int64_t size, modified, changed; /* bytes; times in nanoseconds since 1970 */
    uint64_t number;                 /* of the inode */
    uint64_t hash;                   /* of the content, once `hashed` */
    bool hashed;
} dps_cache_file;

typedef struct dps_cache_identity {
    dps_text options; /* one "name = value" a line */
    dps_cache_file *file;
    int32_t files;
    int64_t taken; /* time at which it was asked for, in nanoseconds since 1970 */
} dps_cache_identity;

/* Sizes, times and options; contents are not hashed yet. Refused: what is not a regular file. */
DPS_MUST_USE dps_status dps_cache_identity_init(dps_cache_identity *identity,
                                                const dps_source *source,
                                                const dps_read_options *options, dps_error *err);
void dps_cache_identity_release(dps_cache_identity *identity);

/* Hashes the files that are not yet, with all threads. */
DPS_MUST_USE dps_status dps_cache_identity_hash(dps_cache_identity *identity,
                                                const dps_source *source, const dps_run *run,
                                                dps_error *err);

/* Whether rows that were made from `old` are those of `now`; if not, why[size] says so ("a.csv has
 * changed"). Hashes the files of `now` that cannot be told otherwise. */
DPS_MUST_USE dps_status dps_cache_identity_match(const dps_cache_identity *old,
                                                 dps_cache_identity *now, const dps_source *source,
                                                 const dps_run *run, bool *same, char *why,
                                                 size_t size, dps_error *err);

#endif
