/* The ranks of a run: the only header that knows of MPI, and says nothing about it. A binary built
 * without MPI, or run without a launcher, has no communicator: NULL stands for one rank everywhere.
 *
 * Calls marked "all" are collective: every rank makes them in the same order. They come from the
 * main thread, outside parallel regions. Nothing here adds floating-point numbers: sums over rows
 * go through dps_ordered_sum, which sends partial sums and adds them in its own fixed order. */
#ifndef DPS_COMM_H
#define DPS_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "allocation.h"
#include "status.h"

typedef struct dps_comm dps_comm;

/* Joins the job's ranks if a launcher (mpirun, srun) started several and they find each other
 * (launch.h); else *comm = NULL, without a launcher at no cost. Once a process, before threads are
 * made. */
DPS_MUST_USE dps_status dps_comm_open(dps_comm **comm, dps_error *err);
/* Leaves. All. Accepts NULL. */
void dps_comm_close(dps_comm *comm);
/* Ends all ranks at once with this exit code: for what cannot be agreed on. Nothing for NULL. */
void dps_comm_abort(dps_comm *comm, int code);
/* Of version: "Open MPI 4.1.4", "none". */
const char *dps_comm_library(void);

int dps_comm_rank(const dps_comm *comm); /* NULL: 0 */
int dps_comm_size(const dps_comm *comm); /* NULL: 1 */

/* All: the outcome of a step on every rank. If it failed somewhere, every rank returns the status
 * and has in *err the error of the lowest rank that failed (a stop by signal on any rank wins). */
DPS_MUST_USE dps_status dps_comm_agree(const dps_comm *comm, dps_status status, dps_error *err);
/* All: the same at the end of the run. A rank that failed where the others expect something else of
 * it does not wait for them for long: *all = false, and dps_comm_abort must follow. */
DPS_MUST_USE dps_status dps_comm_finish(const dps_comm *comm, dps_status status, bool *all,
                                        dps_error *err);
/* All: whether it is true on any rank. */
bool dps_comm_any(const dps_comm *comm, bool mine);

/* DPS_NEED for all ranks: where one has no memory, none gets any and all return the error. */
#define DPS_NEED_ON_ALL(comm, pointer, count, purpose, err)                                        \
    do {                                                                                           \
        const size_t needed_ = (count);                                                            \
        (pointer) = dps_alloc(needed_, sizeof *(pointer));                                         \
        if (dps_comm_any((comm), (pointer) == NULL)) {                                             \
            dps_free(pointer);                                                                     \
            (pointer) = NULL;                                                                      \
            return dps_out_of_memory((err), needed_, sizeof *(pointer), (purpose));                \
        }                                                                                          \
    } while (0)

/* All: rank `root`'s bytes to everybody. Any size. */
void dps_comm_broadcast(const dps_comm *comm, int root, void *bytes, size_t size);
/* One rank to another, in order; any size. */
void dps_comm_send(const dps_comm *comm, int to, const void *bytes, size_t size);
void dps_comm_receive(const dps_comm *comm, int from, void *bytes, size_t size);
/* All: everybody's bytes in rank order to everybody. begin: size + 1 offsets; *bytes from
 * dps_alloc. For short things. */
DPS_MUST_USE dps_status dps_comm_gather(const dps_comm *comm, const void *mine, size_t size,
                                        char **bytes, size_t *begin, dps_error *err);

/* All, exact whatever the order. */
int64_t dps_comm_sum(const dps_comm *comm, int64_t mine);
int64_t dps_comm_sum_before(const dps_comm *comm, int64_t mine); /* of the ranks below */
double dps_comm_max(const dps_comm *comm, double mine);
void dps_comm_max_all(const dps_comm *comm, double *value, size_t count);

#endif
