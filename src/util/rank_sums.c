/* Task: small sums over ranks: in turn, where every row counts in its order, and of whole numbers,
 * where no order matters. Cost: a message a rank, or log2 of the ranks. */
#include "rank_sums.h"

#include <string.h>
#include "comm.h"

void dps_in_turn_begin(const dps_comm *comm, void *bytes, size_t size)
{
    memset(bytes, 0, size);
    if (dps_comm_rank(comm) > 0) {
        dps_comm_receive(comm, dps_comm_rank(comm) - 1, bytes, size);
    }
}

void dps_in_turn_end(const dps_comm *comm, void *bytes, size_t size)
{
    const int next = dps_comm_rank(comm) + 1, ranks = dps_comm_size(comm);
    if (next < ranks) {
        dps_comm_send(comm, next, bytes, size);
    }
    dps_comm_broadcast(comm, ranks - 1, bytes, size);
}

void dps_sum_counts(const dps_comm *comm, int64_t *mine, int64_t *theirs, size_t count)
{
    const int me = dps_comm_rank(comm), ranks = dps_comm_size(comm);
    for (int step = 1; step < ranks; step *= 2) {
        if (me % (2 * step) == step) {
            dps_comm_send(comm, me - step, mine, count * sizeof *mine);
            break;
        }
        if (me + step < ranks) {
            dps_comm_receive(comm, me + step, theirs, count * sizeof *theirs);
            for (size_t i = 0; i < count; i++) {
                mine[i] += theirs[i];
            }
        }
    }
    dps_comm_broadcast(comm, 0, mine, count * sizeof *mine);
}
