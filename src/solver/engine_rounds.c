/* Task: the visits of several shards side by side (Ma, Smith, Jaggi, Jordan, Richtarik & Takac,
 * Adding vs. Averaging in Distributed Primal-Dual Optimization, 2015, Algorithm 1).
 *
 * In a round every shard visits up to DPS_ROUND_ROWS of its rows from the weights that all agree
 * on, on a copy of its own; what each has changed is summed over shards in a fixed tree, and the
 * rule takes the sum into the weights. Threads share the shards (and models); bits depend on
 * neither.
 *
 * Why rounds of a few rows, where the paper has a pass: shards are ranges of the file and often
 * unlike each other (sorted by class, or by time), and a shard left alone for more rows than there
 * are columns goes all the way to what its own rows want. Measured with dcd, squared hinge, C = 1,
 * 256 Fourier features, 2 shards, passes to a gap of 1e-3 with rounds of 16, 32, 64, 256 rows: 24,
 * 31, 51, 165 on IJCNN1's test rows (a series in time; 19 without shards), 22 at all sizes on
 * Covertype (19). Short rounds cost barriers, and messages where shards are on several ranks. So
 * their length follows what the shards do: with
 *
 *     rho = sum over rounds |sum_s d_s|^2 / sum over rounds sum_s |d_s|^2,   d_s what shard s adds
 *
 * (K where all add the same, 1 where what they add is unrelated, 0 where it cancels) and what the
 * rule says of the best step along the sum, a pass with rho < 1 or a mean step below 1 halves it
 * for the next; one with rho - 1 > (K - 1) / 10 and a step above 1.2 doubles it. With 2 shards rho
 * was 1.30 on Covertype for every length; on IJCNN1 it fell to 0.85 with 16 rows, to 0.57 with 128;
 * with 8 shards and 256 rows the step was 1.7 on Covertype, 0.9 on IJCNN1.
 *
 * Cost of a round beside the visits: about 9 K D' additions and two barriers; over ranks one
 * exchange of D' doubles a model. */
#include <math.h>
#include <string.h>

#include "comm.h"
#include "engine_private.h"

/* Multiply-adds of a round that are worth waking other threads. */
#define WORK_WORTH_THREADS 2e4
#define LEAST_ROWS         16 /* of a round */
#define FIRST_PART         4  /* of the longest round is the first */
#define MOST_REACH         2.0
#define GROW_REACH         1.2 /* mean of merge from which rounds may grow */
#define AGREEMENT          0.1 /* (rho - 1) / (K - 1) from which rounds grow */

/* All shards together visit at most half as many rows in a round as there are columns, but each
 * LEAST_ROWS. */
static int32_t most_rows(int32_t shards, int32_t width)
{
    const int32_t most = width / 2 / shards;
    return most < LEAST_ROWS ? LEAST_ROWS : (most < DPS_ROUND_ROWS ? most : DPS_ROUND_ROWS);
}

int32_t dps_round_rows(int32_t shards, int32_t width)
{
    int32_t rows = LEAST_ROWS;
    while (2 * rows <= most_rows(shards, width / FIRST_PART)) {
        rows *= 2;
    }
    return rows;
}

void dps_round_adapt(dps_engine *e)
{
    const double rho = e->apart > 0.0 ? e->agreed / e->apart : 1.0;
    const double reach = e->merges > 0.0 ? e->reach / e->merges : 1.0;
    if (rho < 1.0 || reach < 1.0) {
        e->round_rows = e->round_rows > LEAST_ROWS ? e->round_rows / 2 : LEAST_ROWS;
    } else if (reach >= GROW_REACH && rho - 1.0 > AGREEMENT * (e->shards.total - 1) &&
               2 * e->round_rows <= most_rows(e->shards.total, e->problem->source->width)) {
        e->round_rows *= 2;
    }
}

typedef struct rounds {
    dps_engine *engine;
    const dps_rule *rule;
    const int32_t *models;
    int32_t count; /* of models */
    double *w;
    int32_t number; /* of the round */
    size_t length;
} rounds;

static double *own_weights(const rounds *r, int32_t l, int32_t m)
{
    const dps_engine *e = r->engine;
    return e->own + ((size_t)l * (size_t)e->models + (size_t)m) * e->block;
}

static double *weights(const rounds *r, int32_t m)
{
    return r->w + (size_t)r->models[m] * r->length;
}

/* Models begin..end-1 of the list through the round's rows of shard l. */
static void visit_shard(const rounds *r, int32_t l, int32_t begin, int32_t end)
{
    const dps_engine *e = r->engine;
    const dps_rule *rule = r->rule;
    const int32_t from = r->number * e->round_rows, left = e->listed[l] - from;
    const int32_t rows = left < e->round_rows ? left : e->round_rows;
    const dps_visit *list = dps_engine_list(e, l) + from;
    for (int32_t m = begin; m < end; m++) {
        memcpy(own_weights(r, l, m), weights(r, m), r->length * sizeof(double));
        rule->open(rule->context, l, r->models[m]);
    }
    for (int32_t first = 0; first < rows; first += DPS_CHUNK_ROWS) {
        const int32_t chunk = rows - first < DPS_CHUNK_ROWS ? rows - first : DPS_CHUNK_ROWS;
        for (int32_t m = begin; m < end; m++) {
            rule->update(rule->context, l, r->models[m], list + first, chunk, own_weights(r, l, m));
        }
    }
    for (int32_t m = begin; m < end; m++) {
        double *own = own_weights(r, l, m);
        memset(own + r->length, 0, DPS_ROUND_HEAD * sizeof(double));
        rule->close(rule->context, l, r->models[m], weights(r, m), own, own + r->length);
        own[r->length + DPS_HEAD_NORM] = dps_dot(r->length, own, own);
    }
}

static void visit_shards(const rounds *r, int threads)
{
    const int32_t shards = r->engine->shards.count;
    const int32_t wish = shards > 0 ? (threads + shards - 1) / shards : 1;
    const int32_t parts = wish < r->count ? wish : r->count; /* of the models */
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
    for (int32_t i = 0; i < shards * parts; i++) {
        const int32_t part = i % parts;
        visit_shard(r, i / parts, (int32_t)((int64_t)r->count * part / parts),
                    (int32_t)((int64_t)r->count * (part + 1) / parts));
    }
}

static void settle_shards(const rounds *r, int threads)
{
    const double rows = (double)r->engine->round_rows * r->engine->shards.count * r->count;
    if (r->rule->settle == NULL) {
        return;
    }
    threads = rows < WORK_WORTH_THREADS ? 1 : threads;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int32_t l = 0; l < r->engine->shards.count; l++) {
        for (int32_t m = 0; m < r->count; m++) {
            r->rule->settle(r->rule->context, l, r->models[m]);
        }
    }
}

static dps_status merge(const rounds *r, int threads, dps_error *err)
{
    dps_engine *e = r->engine;
    const dps_status status =
        dps_shards_sum(&e->shards, e->run, e->own, (size_t)e->models * e->block,
                       (size_t)r->count * e->block, e->sum, err);
    if (status != DPS_OK) {
        return status;
    }
    for (int32_t m = 0; m < r->count; m++) {
        const double *sum = e->sum + (size_t)m * e->block;
        e->agreed += dps_dot(r->length, sum, sum);
        e->apart += sum[r->length + DPS_HEAD_NORM];
    }
#pragma omp parallel for num_threads(threads) if (threads > 1 && r->count > 1)
    for (int32_t m = 0; m < r->count; m++) {
        const double *sum = e->sum + (size_t)m * e->block;
        e->reached[m] =
            r->rule->merge(r->rule->context, r->models[m], sum, sum + r->length, weights(r, m));
    }
    for (int32_t m = 0; m < r->count; m++) {
        e->reach += fmin(e->reached[m], MOST_REACH);
        e->merges += 1.0;
    }
    return DPS_OK;
}

/* Rounds that the shard with most rows needs, on any rank. */
static int32_t round_count(const dps_engine *e)
{
    int32_t most = 0;
    for (int32_t l = 0; l < e->shards.count; l++) {
        most = e->listed[l] > most ? e->listed[l] : most;
    }
    most = (int32_t)dps_comm_max(e->shards.comm, most);
    return (most + e->round_rows - 1) / e->round_rows;
}

dps_status dps_engine_rounds(dps_engine *e, const dps_rule *rule, const int32_t *models,
                             int32_t count, double *w, dps_error *err)
{
    rounds r = {.engine = e,
                .rule = rule,
                .models = models,
                .count = count,
                .w = w,
                .length = e->block - DPS_ROUND_HEAD};
    const double work = (double)e->round_rows * (double)e->shards.count * (double)count *
                        (double)e->problem->source->stride;
    const int threads =
        work < WORK_WORTH_THREADS ? 1 : dps_run_threads(e->run, (int64_t)e->shards.count * count);
    const int32_t number = round_count(e);
    dps_status status = DPS_OK;
    for (r.number = 0; r.number < number && status == DPS_OK; r.number++) {
        visit_shards(&r, threads);
        status = merge(&r, threads, err);
        settle_shards(&r, threads);
    }
    return status;
}
