/* Task: tile_loop.h on the calling thread: for programs without OpenMP (dps_score in
 * src/CMakeLists.txt). */
#include "tile_loop.h"

#include "allocation.h"

dps_status dps_tile_loop_run(const dps_tile_loop *loop, dps_error *err)
{
    dps_status status = DPS_OK;
    void *memory = dps_alloc(loop->bytes, 1);
    if (memory == NULL) {
        return dps_out_of_memory(err, loop->bytes, 1,
                                 loop->memory != NULL ? loop->memory : "a thread's tile");
    }
    for (int64_t t = 0; t < loop->tiles && status == DPS_OK; t++) {
        if (loop->stops != NULL && dps_run_stopped(loop->stops)) {
            status = dps_error_set(err, DPS_ERROR_STOPPED, "stopped while %s", loop->doing);
        } else {
            status = loop->visit(loop->context, t, memory, err);
        }
    }
    dps_free(memory);
    return status;
}
