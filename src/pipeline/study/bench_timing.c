/* Task: timing of `dpsvm bench`.
 *
 *     share = (units of work / its seconds) / (units of the reference / its seconds)
 *
 * Both are run in turn, so that what else the machine does meets both alike; the least of several
 * samples counts, because everything that disturbs a sample makes it longer. A sample repeats the
 * call until it takes SAMPLE_SECONDS. All threads work at once, each on its own memory: what is
 * measured with several of them is what they reach together. Seconds are CPU time of the slowest
 * thread, so that other programs on the machine cost nothing but a share of its caches and memory.
 */
#include "bench_private.h"

#include <math.h>
#include <time.h>
#include "allocation.h"
#include "random.h"

#define SAMPLE_SECONDS 4e-3
#define SAMPLES        9
#define MOST_SECONDS   0.5 /* in all; slow variants get fewer samples */

static double thread_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of one call: the slowest thread's. */
static double seconds_of(const dps_bench_work *work, int threads, long loops)
{
    double slowest = 0.0;
#pragma omp parallel for num_threads(threads) schedule(static, 1) reduction(max : slowest)
    for (int thread = 0; thread < threads; thread++) {
        const double begin = thread_seconds();
        for (long l = 0; l < loops; l++) {
            work->call(work->context, thread);
        }
        slowest = fmax(slowest, thread_seconds() - begin);
    }
    return slowest / (double)loops;
}

static long loops_for(const dps_bench_work *work, int threads)
{
    double once = seconds_of(work, threads, 1); /* pages and caches */
    if (once < MOST_SECONDS / SAMPLES) {
        once = seconds_of(work, threads, 1);
    }
    return once >= SAMPLE_SECONDS ? 1 : (long)(SAMPLE_SECONDS / fmax(once, 1e-7)) + 1;
}

static dps_status emit(const dps_bench_session *session, const dps_bench_measure *measure,
                       double rate, double reference, dps_error *err)
{
    const dps_bench_rate found = {measure, rate, reference};
    return session->take(session->context, &found, err);
}

dps_status dps_bench_compare(const dps_bench_session *session, const dps_bench_measure *measure,
                             const dps_bench_work *work, const dps_bench_work *reference,
                             dps_error *err)
{
    const int threads = measure->threads;
    const long work_loops = loops_for(work, threads);
    const long loops = reference != NULL ? loops_for(reference, threads) : 0;
    double least = INFINITY, least_reference = INFINITY;
    double spent = 0.0;
    for (int k = 0; k < SAMPLES && spent < MOST_SECONDS; k++) {
        if (dps_run_stopped(session->run)) {
            return dps_error_set(err, DPS_ERROR_STOPPED, "stopped");
        }
        if (reference != NULL) {
            least_reference = fmin(least_reference, seconds_of(reference, threads, loops));
        }
        const double seconds = seconds_of(work, threads, work_loops);
        least = fmin(least, seconds);
        spent += seconds * (double)work_loops;
    }
    const double scale = measure->scale * threads;
    return emit(session, measure, scale * work->units / least,
                reference != NULL ? scale * reference->units / least_reference : NAN, err);
}

dps_status dps_bench_compare_rate(const dps_bench_session *session,
                                  const dps_bench_measure *measure, double rate,
                                  const dps_bench_work *reference, dps_error *err)
{
    const int threads = measure->threads;
    const long loops = loops_for(reference, threads);
    double least = INFINITY;
    for (int k = 0; k < SAMPLES; k++) {
        least = fmin(least, seconds_of(reference, threads, loops));
    }
    return emit(session, measure, measure->scale * rate,
                measure->scale * threads * reference->units / least, err);
}

int dps_bench_next_threads(const dps_run *run, int threads)
{
    const int most = run->threads < DPS_BENCH_THREADS ? run->threads : DPS_BENCH_THREADS;
    return threads == 0 ? 1 : threads >= most ? 0 : 2 * threads < most ? 2 * threads : most;
}

float *dps_bench_floats(size_t count, uint64_t seed)
{
    float *value = dps_alloc(count, sizeof *value);
    for (size_t i = 0; value != NULL && i < count; i += 4) {
        uint32_t bits[4];
        dps_random_block(seed, DPS_STREAM_SAMPLE, (uint32_t)(i >> 32), 0, (uint32_t)i, bits);
        for (size_t k = 0; k < 4 && i + k < count; k++) {
            value[i + k] = (float)bits[k] * 0x1p-31f - 1.0f;
        }
    }
    return value;
}
