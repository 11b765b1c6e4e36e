/* Task: a parallel loop over tiles whose error is the same for any number of threads: tiles are
 * dealt in ascending order, and one below the lowest known failure is always tried. */
#include "tile_loop.h"

#include "allocation.h"

typedef struct failure {
    int64_t tile; /* the lowest that failed; the number of tiles: none */
    dps_status status;
    dps_error error;
} failure;

static int64_t lowest(const failure *f)
{
    int64_t tile;
#pragma omp atomic read
    tile = f->tile;
    return tile;
}

static void note(failure *f, int64_t tile, dps_status status, const dps_error *error)
{
#pragma omp critical(dps_tile_loop)
    if (tile < f->tile) {
#pragma omp atomic write
        f->tile = tile;
        f->status = status;
        f->error = *error;
    }
}

dps_status dps_tile_loop_run(const dps_tile_loop *loop, dps_error *err)
{
    failure first = {.tile = loop->tiles, .status = DPS_OK};
#pragma omp parallel num_threads(loop->threads)
    {
        void *memory = dps_alloc(loop->bytes, 1);
#pragma omp for schedule(monotonic : dynamic, 1)
        for (int64_t t = 0; t < loop->tiles; t++) {
            dps_error own;
            dps_status status = DPS_OK;
            if (lowest(&first) < t) {
                continue;
            }
            if (memory == NULL) {
                status = dps_out_of_memory(&own, loop->bytes, 1,
                                           loop->memory != NULL ? loop->memory : "a thread's tile");
            } else if (loop->stops != NULL && dps_run_stopped(loop->stops)) {
                status = dps_error_set(&own, DPS_ERROR_STOPPED, "stopped while %s", loop->doing);
            } else {
                status = loop->visit(loop->context, t, memory, &own);
            }
            if (status != DPS_OK) {
                note(&first, t, status, &own);
            }
        }
        dps_free(memory);
    }
    if (first.status != DPS_OK && err != NULL) {
        *err = first.error;
    }
    return first.status;
}
