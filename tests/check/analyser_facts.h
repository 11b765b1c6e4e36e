/* What clang's analyser, which sees one source at a time, cannot know of src/util: what makes an error does not
 * return DPS_OK, nor does what all ranks agree on where this one failed. Read before each source (analyse.py). */
#include "allocation.h"
#include "comm.h"

#define dps_error_set(err, status, ...) ((void)dps_error_set(err, status, __VA_ARGS__), status)
#define dps_error_at(err, status, ...)  ((void)dps_error_at(err, status, __VA_ARGS__), status)
#define dps_out_of_memory(...)          ((void)dps_out_of_memory(__VA_ARGS__), DPS_ERROR_MEMORY)

static inline dps_status fact_agree(const dps_comm *comm, dps_status status, dps_error *err)
{
    const dps_status all = dps_comm_agree(comm, status, err);
    return status != DPS_OK ? status : all;
}

static inline bool fact_any(const dps_comm *comm, bool mine)
{
    return dps_comm_any(comm, mine) || mine;
}

static inline int fact_size(const dps_comm *comm)
{
    const int ranks = dps_comm_size(comm);
    return ranks < 1 ? 1 : ranks;
}

#define dps_comm_agree fact_agree
#define dps_comm_any   fact_any
#define dps_comm_size  fact_size
