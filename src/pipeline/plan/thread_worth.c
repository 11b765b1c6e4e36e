/* Task: thread_worth.h. The step of tests/benchmarks/tile_queue.py without its queues, at the rates
 * that stand there (a core with AVX-512 at 4 GHz):
 *
 *     T(t) = rows D'^2 / 2 / products * (t > slots ? blocks : 1) / t + 3 passes / t
 *            + blocks of the factor one after the other + its products / t
 *            + systems + line search / min(t, slots) + what threads wait for each other
 *
 * Other processors have other rates, but what does not shrink with t shrinks with them alike. */
#include "thread_worth.h"

#include <math.h>
#include "ordered_sum.h"
#include "row_tile.h"

static double step_seconds(double rows, double width, double slots, double threads)
{
    const double products = 229e9, blocks = 1.3, pass = 60e9, gather = 27e9, systems = 25e9;
    const double wait = threads > 1 ? 6e-6 + 1e-6 * (threads - 2) : 0.0;
    const double side = ceil(width / 192.0);
    const double made = 0.5 * rows * (width * width / products + 4.0 * width / gather);
    const double passes = 2.0 * rows * width * 4.0 / pass;
    const double factor = side * 64e-6 + width * width * width / 3.0 / 120e9 / threads;
    const double line = 2.5 * rows * 3e-9 / fmin(threads, fmax(1.0, floor(rows * 20.0 / 262144.0)));
    return made * (threads > slots ? blocks : 1.0) / threads + passes / threads + factor +
           width * width * 8.0 / systems + line + (9.0 + 3.0 * side) * wait;
}

int dps_newton_threads_worth(int64_t rows, int32_t width)
{
    enum { MOST = 1024 };
    const int64_t tiles = (rows + DPS_TILE_ROWS - 1) / DPS_TILE_ROWS;
    const double n = width, elements = n * (n + 1.0) / 2.0 + n;
    const double slots = (double)dps_slot_count(tiles, (size_t)elements, DPS_TILE_ROWS * n * n);
    int threads = 1;
    double least = step_seconds((double)rows, n, slots, 1.0);
    for (int more = 2; more <= MOST; more *= 2) {
        const double seconds = step_seconds((double)rows, n, slots, more);
        if (seconds <= 0.75 * least) {
            threads = more;
            least = seconds;
        }
    }
    return threads;
}
