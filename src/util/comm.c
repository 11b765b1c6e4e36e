/* The ranks of a run, over MPI (any MPI-3). MPI's own errors end the job, its default: there is
 * nothing that a run could do about a lost network.
 *
 * Sizes beyond what an int counts go in pieces. Nothing is reduced but whole numbers, minima and
 * maxima, which are exact in any order. */
#include "comm.h"

#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "allocation.h"
#include "job_limits.h"
#include "launch.h"

#define PIECE ((size_t)1 << 30)
#define TAG   1

#define PATIENCE_SECONDS 20.0

struct dps_comm {
    int rank, size;
    MPI_Comm end; /* of dps_comm_finish alone, so that it is not mistaken for anything else */
};

#define TEXT_OF(x)       TEXT_OF_VALUE(x)
#define TEXT_OF_VALUE(x) #x

const char *dps_comm_library(void)
{
#if defined(OMPI_MAJOR_VERSION)
    return "Open MPI " TEXT_OF(OMPI_MAJOR_VERSION) "." TEXT_OF(OMPI_MINOR_VERSION) "." TEXT_OF(
        OMPI_RELEASE_VERSION);
#elif defined(MPICH_VERSION)
    return "MPICH " MPICH_VERSION;
#else
    return "MPI " TEXT_OF(MPI_VERSION) "." TEXT_OF(MPI_SUBVERSION);
#endif
}

dps_status dps_comm_open(dps_comm **comm, dps_error *err)
{
    const dps_launch launch = dps_launch_told();
    int provided = 0;
    *comm = NULL;
    if (launch.ranks == 1 || !launch.connected) {
        return DPS_OK;
    }
    dps_comm *c;
    DPS_NEED(c, 1, "the ranks", err);
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &c->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &c->size);
    MPI_Comm_dup(MPI_COMM_WORLD, &c->end);
    if (provided < MPI_THREAD_FUNNELED) {
        dps_comm_close(c);
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "this MPI (%s) does not go together with threads; build dpsvm with "
                             "another, or start one task",
                             dps_comm_library());
    }
    if (c->size == 1) { /* started by the mpirun of another MPI */
        dps_comm_close(c);
        c = NULL;
    }
    *comm = c;
    return DPS_OK;
}

void dps_comm_close(dps_comm *comm)
{
    if (comm != NULL) {
        MPI_Comm_free(&comm->end);
        MPI_Finalize();
        dps_free(comm);
    }
}

void dps_comm_abort(dps_comm *comm, int code)
{
    if (comm != NULL) {
        MPI_Abort(MPI_COMM_WORLD, code);
    }
}

int dps_comm_rank(const dps_comm *comm)
{
    return comm == NULL ? 0 : comm->rank;
}

int dps_comm_size(const dps_comm *comm)
{
    return comm == NULL ? 1 : comm->size;
}

/* Orders outcomes: who was stopped, who failed, who is well, and of these the lowest rank. */
static int64_t outcome_key(const dps_comm *comm, dps_status status)
{
    const int group = status == DPS_ERROR_STOPPED || status == DPS_ERROR_PAUSED ? 0
                      : status != DPS_OK                                        ? 1
                                                                                : 2;
    return (int64_t)group * comm->size + comm->rank;
}

/* Files and memory may fail on one machine only: its error says which. */
static void add_place(const dps_comm *comm, dps_error *told)
{
    char host[64] = "";
    const size_t used = strnlen(told->text, sizeof told->text - 1);
    const bool local = told->status == DPS_ERROR_IO || told->status == DPS_ERROR_MEMORY;
    if (local && comm->rank > 0 && gethostname(host, sizeof host - 1) == 0) {
        snprintf(told->text + used, sizeof told->text - used, " (rank %d on %s)", comm->rank, host);
    }
}

/* What the rank of the smallest key says. */
static dps_status told_outcome(const dps_comm *comm, MPI_Comm over, int64_t key, dps_status status,
                               dps_error *err)
{
    const int root = (int)(key % comm->size);
    int code = (int)status;
    dps_error told;
    if (key >= (int64_t)2 * comm->size) {
        return DPS_OK;
    }
    memset(&told, 0, sizeof told);
    if (comm->rank == root && err != NULL) {
        told = *err;
        add_place(comm, &told);
    }
    MPI_Bcast(&code, 1, MPI_INT, root, over);
    MPI_Bcast(&told, (int)sizeof told, MPI_BYTE, root, over);
    if (err != NULL) {
        *err = told;
    }
    return (dps_status)code;
}

dps_status dps_comm_agree(const dps_comm *comm, dps_status status, dps_error *err)
{
    if (comm == NULL) {
        return status;
    }
    int64_t mine = outcome_key(comm, status), first = mine;
    MPI_Allreduce(&mine, &first, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    return told_outcome(comm, MPI_COMM_WORLD, first, status, err);
}

dps_status dps_comm_finish(const dps_comm *comm, dps_status status, bool *all, dps_error *err)
{
    *all = true;
    if (comm == NULL) {
        return status;
    }
    const double begin = dps_now();
    const struct timespec nap = {.tv_nsec = 500000};
    int64_t mine = outcome_key(comm, status), first = mine;
    MPI_Request request;
    MPI_Iallreduce(&mine, &first, 1, MPI_INT64_T, MPI_MIN, comm->end, &request);
    for (int done = 0;;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done) {
            return told_outcome(comm, comm->end, first, status, err);
        }
        if (status != DPS_OK && dps_now() - begin > PATIENCE_SECONDS) {
            *all = false;
            return status;
        }
        nanosleep(&nap, NULL);
    }
}

bool dps_comm_any(const dps_comm *comm, bool mine)
{
    int here = mine, anywhere = mine;
    if (comm != NULL) {
        MPI_Allreduce(&here, &anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    return anywhere != 0;
}

void dps_comm_broadcast(const dps_comm *comm, int root, void *bytes, size_t size)
{
    for (size_t at = 0; comm != NULL && at < size; at += PIECE) {
        const size_t count = size - at < PIECE ? size - at : PIECE;
        MPI_Bcast((char *)bytes + at, (int)count, MPI_BYTE, root, MPI_COMM_WORLD);
    }
}

void dps_comm_send(const dps_comm *comm, int to, const void *bytes, size_t size)
{
    assert(comm != NULL && to != comm->rank);
    (void)comm;
    for (size_t at = 0; at < size; at += PIECE) {
        const size_t count = size - at < PIECE ? size - at : PIECE;
        MPI_Send((const char *)bytes + at, (int)count, MPI_BYTE, to, TAG, MPI_COMM_WORLD);
    }
}

void dps_comm_receive(const dps_comm *comm, int from, void *bytes, size_t size)
{
    assert(comm != NULL && from != comm->rank);
    (void)comm;
    for (size_t at = 0; at < size; at += PIECE) {
        const size_t count = size - at < PIECE ? size - at : PIECE;
        MPI_Recv((char *)bytes + at, (int)count, MPI_BYTE, from, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
}

/* begin[r] = bytes of the ranks below r. */
static bool find_begins(const dps_comm *comm, size_t size, size_t *begin)
{
    uint64_t mine = size;
    const int ranks = dps_comm_size(comm);
    for (int r = 0; r < ranks; r++) {
        uint64_t its = mine;
        dps_comm_broadcast(comm, r, &its, sizeof its);
        begin[r + 1] = (size_t)its;
    }
    begin[0] = 0;
    for (int r = 0; r < ranks; r++) {
        if (!dps_size_add(begin[r], begin[r + 1], &begin[r + 1])) {
            return false;
        }
    }
    return true;
}

dps_status dps_comm_gather(const dps_comm *comm, const void *mine, size_t size, char **bytes,
                           size_t *begin, dps_error *err)
{
    const int ranks = dps_comm_size(comm), rank = dps_comm_rank(comm);
    const bool fits = find_begins(comm, size, begin);
    *bytes = fits ? dps_alloc(begin[ranks], 1) : NULL;
    dps_status status = DPS_OK;
    if (*bytes == NULL) {
        status = dps_out_of_memory(err, fits ? begin[ranks] : SIZE_MAX, 1,
                                   "what the ranks tell each other");
    }
    status = dps_comm_agree(comm, status, err);
    if (status != DPS_OK) {
        dps_free(*bytes);
        *bytes = NULL;
        return status;
    }
    if (size > 0) {
        memcpy(*bytes + begin[rank], mine, size);
    }
    for (int r = 0; r < ranks; r++) {
        dps_comm_broadcast(comm, r, *bytes + begin[r], begin[r + 1] - begin[r]);
    }
    return DPS_OK;
}

int64_t dps_comm_sum(const dps_comm *comm, int64_t mine)
{
    int64_t sum = mine;
    if (comm != NULL) {
        MPI_Allreduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    }
    return sum;
}

int64_t dps_comm_sum_before(const dps_comm *comm, int64_t mine)
{
    int64_t sum = 0;
    if (comm != NULL) {
        MPI_Exscan(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    }
    return dps_comm_rank(comm) == 0 ? 0 : sum; /* MPI leaves rank 0's undefined */
}

double dps_comm_max(const dps_comm *comm, double mine)
{
    dps_comm_max_all(comm, &mine, 1);
    return mine;
}

void dps_comm_max_all(const dps_comm *comm, double *value, size_t count)
{
    const size_t most = PIECE / sizeof *value;
    for (size_t at = 0; comm != NULL && at < count; at += most) {
        const size_t now = count - at < most ? count - at : most;
        MPI_Allreduce(MPI_IN_PLACE, value + at, (int)now, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
}
