/* Task: `dpsvm bench`: the rooms one after the other. */
#include "bench_private.h"

#include <string.h>

typedef struct room {
    const char *name;
    dps_status (*measure)(const dps_bench_session *session, dps_error *err);
} room;

static const room rooms[] = {{"data", dps_bench_data},
                             {"features", dps_bench_features},
                             {"linalg", dps_bench_linalg},
                             {"solver", dps_bench_solver}};
static const char *const room_names[] = {"data", "features", "linalg", "solver", NULL};

const char *const *dps_bench_rooms(void)
{
    return room_names;
}

dps_status dps_bench(const char *name, const dps_run *run, dps_bench_taker take, void *context,
                     dps_error *err)
{
    const dps_bench_session session = {run, take, context};
    for (size_t k = 0; k < sizeof rooms / sizeof rooms[0]; k++) {
        if (name == NULL || strcmp(name, rooms[k].name) == 0) {
            DPS_TRY(rooms[k].measure(&session, err));
        }
    }
    return DPS_OK;
}
