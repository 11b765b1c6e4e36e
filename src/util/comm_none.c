/* The ranks of a build without MPI: there are none, and every communicator is NULL (one rank). */
#include <assert.h>
#include <string.h>
#include "allocation.h"
#include "comm.h"

dps_status dps_comm_open(dps_comm **comm, dps_error *err)
{
    (void)err;
    *comm = NULL;
    return DPS_OK;
}

void dps_comm_close(dps_comm *comm)
{
    assert(comm == NULL);
    (void)comm;
}

void dps_comm_abort(dps_comm *comm, int code)
{
    (void)comm;
    (void)code;
}

const char *dps_comm_library(void)
{
    return "none";
}

int dps_comm_rank(const dps_comm *comm)
{
    (void)comm;
    return 0;
}

int dps_comm_size(const dps_comm *comm)
{
    (void)comm;
    return 1;
}

dps_status dps_comm_agree(const dps_comm *comm, dps_status status, dps_error *err)
{
    (void)comm;
    (void)err;
    return status;
}

dps_status dps_comm_finish(const dps_comm *comm, dps_status status, bool *all, dps_error *err)
{
    (void)comm;
    (void)err;
    *all = true;
    return status;
}

bool dps_comm_any(const dps_comm *comm, bool mine)
{
    (void)comm;
    return mine;
}

void dps_comm_broadcast(const dps_comm *comm, int root, void *bytes, size_t size)
{
    (void)comm;
    (void)root;
    (void)bytes;
    (void)size;
}

void dps_comm_send(const dps_comm *comm, int to, const void *bytes, size_t size)
{
    (void)comm;
    (void)to;
    (void)bytes;
    (void)size;
    assert(!"one rank has nobody to send to");
}

void dps_comm_receive(const dps_comm *comm, int from, void *bytes, size_t size)
{
    (void)comm;
    (void)from;
    (void)bytes;
    (void)size;
    assert(!"one rank has nobody to receive from");
}

dps_status dps_comm_gather(const dps_comm *comm, const void *mine, size_t size, char **bytes,
                           size_t *begin, dps_error *err)
{
    (void)comm;
    *bytes = dps_alloc(size, 1);
    if (*bytes == NULL) {
        return dps_out_of_memory(err, size, 1, "what the ranks tell each other");
    }
    if (size > 0) {
        memcpy(*bytes, mine, size);
    }
    begin[0] = 0;
    begin[1] = size;
    return DPS_OK;
}

int64_t dps_comm_sum(const dps_comm *comm, int64_t mine)
{
    (void)comm;
    return mine;
}

int64_t dps_comm_sum_before(const dps_comm *comm, int64_t mine)
{
    (void)comm;
    (void)mine;
    return 0;
}

double dps_comm_max(const dps_comm *comm, double mine)
{
    (void)comm;
    return mine;
}

void dps_comm_max_all(const dps_comm *comm, double *value, size_t count)
{
    (void)comm;
    (void)value;
    (void)count;
}
