/* Rows from the ranks that have parsed them to those that own them: contiguous ranges of whole
 * tiles. */
#ifndef DPS_ROW_EXCHANGE_H
#define DPS_ROW_EXCHANGE_H

#include "comm.h"
#include "raw_rows.h"

typedef struct dps_row_exchange {
    const dps_comm *comm;
    int64_t *before, *after; /* first row of each rank, and the number of all rows */
} dps_row_exchange;

/* All: every rank has `rows` rows, and shall have those of dps_rank_begin. */
DPS_MUST_USE dps_status dps_row_exchange_init(dps_row_exchange *exchange, const dps_comm *comm,
                                              int64_t rows, int64_t units, dps_error *err);
void dps_row_exchange_release(dps_row_exchange *exchange);

/* All: values of the rows, without labels, weights and words. source: of the input's names. */
DPS_MUST_USE dps_status dps_row_exchange_raw(const dps_row_exchange *exchange, dps_raw_rows *raw,
                                             const dps_source *source, const dps_run *run,
                                             dps_error *err);
/* All: an array with an item of `size` bytes a row, put in place of *pointer (from dps_alloc), a
 * pointer to items of any type. */
DPS_MUST_USE dps_status dps_row_exchange_items(const dps_row_exchange *exchange, void *pointer,
                                               size_t size, dps_error *err);

/* All: the items of all ranks in order, on every rank (from dps_alloc). */
DPS_MUST_USE dps_status dps_gather_items(const dps_comm *comm, const void *mine, int64_t rows,
                                         size_t size, void **all, dps_error *err);
/* The same in place of *pointer, as for dps_row_exchange_items; NULL stays. */
DPS_MUST_USE dps_status dps_join_items(const dps_comm *comm, void *pointer, int64_t rows,
                                       size_t size, dps_error *err);

#endif
