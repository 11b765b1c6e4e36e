/* The ranks of a build without MPI: there are none, and every communicator is NULL (one rank). */
#include <assert.h>
#include <string.h>
#include "allocation.h"
#include "comm.h"

dps_status dps_comm_open(dps_comm **comm, DPS_UNUSED dps_error *err)
{
    *comm = NULL;
    return DPS_OK;
}

void dps_comm_close(dps_comm *comm)
{
    assert(comm == NULL);
    (void)comm;
}

void dps_comm_abort(DPS_UNUSED dps_comm *comm, DPS_UNUSED int code)
{
}

const char *dps_comm_library(void)
{
    return "none";
}

int dps_comm_rank(DPS_UNUSED const dps_comm *comm)
{
    return 0;
}

int dps_comm_size(DPS_UNUSED const dps_comm *comm)
{
    return 1;
}

dps_status dps_comm_agree(DPS_UNUSED const dps_comm *comm, dps_status status,
                          DPS_UNUSED dps_error *err)
{
    return status;
}

dps_status dps_comm_finish(DPS_UNUSED const dps_comm *comm, dps_status status, bool *all,
                           DPS_UNUSED dps_error *err)
{
    *all = true;
    return status;
}

bool dps_comm_any(DPS_UNUSED const dps_comm *comm, bool mine)
{
    return mine;
}

void dps_comm_broadcast(DPS_UNUSED const dps_comm *comm, DPS_UNUSED int root,
                        DPS_UNUSED void *bytes, DPS_UNUSED size_t size)
{
}

void dps_comm_send(DPS_UNUSED const dps_comm *comm, int to, DPS_UNUSED const void *bytes,
                   DPS_UNUSED size_t size)
{
    (void)to;
    assert(!"one rank has nobody to send to");
}

void dps_comm_receive(DPS_UNUSED const dps_comm *comm, int from, DPS_UNUSED void *bytes,
                      DPS_UNUSED size_t size)
{
    (void)from;
    assert(!"one rank has nobody to receive from");
}

dps_status dps_comm_gather(DPS_UNUSED const dps_comm *comm, const void *mine, size_t size,
                           char **bytes, size_t *begin, dps_error *err)
{
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

int64_t dps_comm_sum(DPS_UNUSED const dps_comm *comm, int64_t mine)
{
    return mine;
}

int64_t dps_comm_sum_before(DPS_UNUSED const dps_comm *comm, DPS_UNUSED int64_t mine)
{
    return 0;
}

double dps_comm_max(DPS_UNUSED const dps_comm *comm, double mine)
{
    return mine;
}

void dps_comm_max_all(DPS_UNUSED const dps_comm *comm, DPS_UNUSED double *value,
                      DPS_UNUSED size_t count)
{
}
