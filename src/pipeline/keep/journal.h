/* Results of long searches on disk as they come in: a line each, complete or ignored. */
#ifndef DPS_JOURNAL_H
#define DPS_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>
#include "status.h"

typedef struct dps_journal_entry {
    uint64_t key;
    int32_t count;
    double *value; /* count */
} dps_journal_entry;

typedef struct dps_journal {
    dps_journal_entry *entry;
    size_t count, capacity;
    int file; /* open for appending; 0, which is standard input: none */
    const char *path;
} dps_journal;

/* Reads `path` and every file path.*; a file that is not there has no lines, a line that is cut or
 * damaged is passed over. */
DPS_MUST_USE dps_status dps_journal_read(dps_journal *journal, const char *path, dps_error *err);
/* Later results go to `path`, whose unfinished last line is ended first. */
DPS_MUST_USE dps_status dps_journal_append_to(dps_journal *journal, const char *path,
                                              dps_error *err);
/* The entry with this key and number of values, or NULL. */
const dps_journal_entry *dps_journal_find(const dps_journal *journal, uint64_t key, int32_t count);
/* Writes one line and waits until it is on the disk. */
DPS_MUST_USE dps_status dps_journal_add(dps_journal *journal, uint64_t key, const double *value,
                                        int32_t count, dps_error *err);
/* The same in memory alone. */
DPS_MUST_USE dps_status dps_journal_keep(dps_journal *journal, uint64_t key, const double *value,
                                         int32_t count, dps_error *err);
void dps_journal_close(dps_journal *journal);

#endif
