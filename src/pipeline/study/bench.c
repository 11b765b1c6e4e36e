/* Task: `dpsvm bench`: the rooms one after the other. */
#include "bench_private.h"

#include <string.h>

const char *const dps_bench_rooms[] = {"data", "features", "linalg", "solver", NULL};

dps_status dps_bench(const unsigned *room, const dps_run *run, dps_bench_taker take, void *context,
                     dps_error *err)
{
    dps_status (*const measure[])(const dps_bench_session *, dps_error *) = {
        dps_bench_data, dps_bench_features, dps_bench_linalg, dps_bench_solver};
    const dps_bench_session session = {run, take, context};
    for (unsigned k = 0; dps_bench_rooms[k] != NULL; k++) {
        if (room == NULL || *room == k) {
            DPS_TRY(measure[k](&session, err));
        }
    }
    return DPS_OK;
}
