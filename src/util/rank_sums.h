/* Small sums over ranks, beside those of ordered_sum.h. */
#ifndef DPS_RANK_SUMS_H
#define DPS_RANK_SUMS_H

#include <stddef.h>
#include <stdint.h>

struct dps_comm;

/* For small sums that go row by row, in order, over all ranks: between the two calls, `bytes` are
 * those that the rank before has left (all zero on the first); afterwards everybody has the last
 * rank's. All. */
void dps_in_turn_begin(const struct dps_comm *comm, void *bytes, size_t size);
void dps_in_turn_end(const struct dps_comm *comm, void *bytes, size_t size);
/* Sums of whole numbers of all ranks, in place. `theirs` has room for as many. All. */
void dps_sum_counts(const struct dps_comm *comm, int64_t *mine, int64_t *theirs, size_t count);

#endif
