/* Task: the visits of one model by many threads, with the bits of any number of them: by blocks of
 * rows. Of block b, with d' the change that block b - 1 made of w:
 *
 *     u_j = <w, z_j> before d'                    all threads, a share of the rows each
 *     row after row: c_j from u_j + <p_j, s>,  s <- s + c_j p_j,  p_j = V z_j      one thread,
 *         beginning with s = V d'; the others compute u of block b + 1 meanwhile
 *     d = sum_j c_j z_j                           all threads, a share of the columns each
 *     w <- w + eta d                              the rule; eta in [0, 1]
 *
 * Chiang, Lee & Lin (Parallel Dual Coordinate Descent Method for Large-scale Linear Classification
 * in Multi-core Environments, 2016) compute a block's gradients side by side too, then visit those
 * rows one by one again that violate optimality: which are most where all multipliers move. Here
 * no row is scored twice. What rows must know of each other within a block, and of the block
 * before, is, nearly, how far they have moved w along the few directions V that all rows share
 * (coupling.c); along the others they are almost at right angles, and the rule's eta sees to the
 * rest. EigenPro (Ma & Belkin, Kernel Machines That Adapt to GPUs for Effective Large Batch
 * Training, 2019) makes batches of gradient descent longer by the same observation.
 *
 * Measured (dcd, squared hinge, 510 Fourier features, C = 1, passes to a gap of 1e-3 on 92,962 rows
 * of Covertype and 141,691 of IJCNN1; one by one 19 and 19): blocks of 512 rows whose scores are
 * computed after the block before, 17 and 18; of 512 rows as here 19 and 18; of 256 as here 17 and
 * 18. Shards of the rows (engine_rounds.c) took 3.1 and 5 times as many at 8.
 *
 * That holds for all rows; the few that dcd still looks at towards the end may share other
 * directions (20,000 rows of IJCNN1: 31 passes with blocks of 512, 19 one by one). So after a pass
 * in which changes overlapped, beyond what scores knew, by more than 2 in the mean the blocks of
 * the next are half as long, and twice where it was less than 1.1.
 *
 * The first block of a group has scores of w as it is: where tiles are made again, the next
 * group's are not there yet while the last block of this one is visited, and bits must not depend
 * on that. Groups whose tiles are kept follow each other without waking threads anew.
 *
 * Cost of a block of B rows beside 4 B D' multiply-adds in parallel: B x DPS_COUPLED and the rule
 * on one thread, of which little is waited for, three gates, and the taking of d. A row is read
 * from memory once and a second time from cache. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "engine_private.h"
#include "thread_gate.h"

/* Mean overlap of a pass beyond which blocks are halved, down to LEAST_ROWS, and below which they
 * grow again. */
#define LONG_OVERLAP  2.0
#define SHORT_OVERLAP 1.1
#define MOST_OVERLAP  4.0 /* that one block counts */
#define LEAST_ROWS    32
#define LEAST_DATA    4096 /* rows from which on blocks are made */
#define LEAST_WIDTH   192  /* columns: a visit of fewer is no longer than its part in the chain */
#define AUTO_ROWS     256
#define ROWS_AT_ONCE  16 /* whose panels stay in the first-level cache for all models */
#define ADDED_AT_ONCE 64

#define MOST_PATIENCE 8192
#define FORGETS_AFTER 256

/* Multiply-adds of a block that are worth waking other threads. */
#define WORK_WORTH_THREADS 65536.0

int32_t dps_block_rows(const dps_problem *problem, int32_t shards, int32_t wanted)
{
    const dps_tile_source *source = problem->source;
    const bool worth = source->width >= LEAST_WIDTH && dps_tiles_rows(source) >= LEAST_DATA;
    if (shards > 1 || source->sparse_columns > 0) {
        return 1;
    }
    return wanted > 0 ? wanted : worth ? AUTO_ROWS : 1;
}

/* Batches of rows to score: taken at all, from the front, from the back; atomic. */
typedef struct batch_queue {
    int32_t taken, front, back;
} batch_queue;

/* Blocks begin..end-1 by one thread, or block `begin` by all. */
typedef struct plan {
    int32_t begin, end, parts;
} plan;

typedef struct work {
    dps_engine *engine;
    const dps_rule *rule;
    const int32_t *models;
    int32_t count; /* of models */
    double *w;
    size_t length;
    int32_t group; /* in hand */
    int32_t blocks;
    dps_thread_gate gate;
    int threads;
    plan plan[2]; /* by turns: while the threads work on one the first of them makes the next */
    int late;     /* atomic: a thread has waited long for another */
    batch_queue batches[2]; /* by turns */
} work;

/* Rows of the group, by place in the list. */
typedef struct range {
    int32_t begin, end;
} range;

static range share_of(int32_t count, int32_t part, int32_t parts)
{
    return (range){(int32_t)((int64_t)count * part / parts),
                   (int32_t)((int64_t)count * (part + 1) / parts)};
}

/* A thread's pieces of a block. */
static range pieces_of(int32_t rows, int32_t part, int32_t parts)
{
    const int32_t pieces = (rows + DPS_PIECE_ROWS - 1) / DPS_PIECE_ROWS;
    range r = share_of(pieces, part, parts);
    r.begin *= DPS_PIECE_ROWS;
    r.end = r.end * DPS_PIECE_ROWS < rows ? r.end * DPS_PIECE_ROWS : rows;
    return r;
}

/* Rows of block b; none beyond the last. */
static range rows_of(const work *k, int32_t b)
{
    const int32_t rows = k->engine->listed[k->group];
    return b < k->blocks ? share_of(rows, b, k->blocks) : (range){rows, rows};
}

static dps_block block_of(const work *k, int32_t b, int32_t m)
{
    const dps_engine *e = k->engine;
    const range rows = rows_of(k, b);
    const size_t at = (size_t)m * (size_t)e->block_rows;
    const size_t turn = (size_t)(b & 1) * (size_t)e->models * (size_t)e->block_rows;
    return (dps_block){.k = k->models[m],
                       .turn = b & 1,
                       .last = b + 1 == k->blocks,
                       .visit = dps_engine_list(e, k->group) + rows.begin,
                       .count = rows.end - rows.begin,
                       .coupling = e->coupling,
                       .moved = e->moved + (size_t)m * DPS_COUPLED,
                       .u = e->score + turn + at,
                       .c = e->factor + at};
}

static const float *panel_of(const dps_visit *visit)
{
    return visit->tile->z + (size_t)visit->place * visit->tile->stride;
}

static void score_batch(const work *k, const dps_block *block, int32_t begin, int32_t end,
                        int32_t limit, const double *w)
{
    const uint8_t *active = k->rule->block.active;
    const size_t models = (size_t)k->engine->models;
    const float *z[2 * ROWS_AT_ONCE];
    int32_t place[ROWS_AT_ONCE], count = 0, ahead = 0;
    double u[ROWS_AT_ONCE];
    for (int32_t j = begin; j < end; j++) {
        const dps_visit *v = &block->visit[j];
        block->u[j] = 0.0;
        if (active == NULL || active[(size_t)v->row * models + (size_t)block->k] != 0) {
            place[count] = j;
            z[count++] = panel_of(v);
        }
    }
    for (int32_t j = end; j < limit && j < end + ROWS_AT_ONCE; j++) {
        z[count + ahead++] = panel_of(&block->visit[j]);
    }
    dps_rows_scores(k->engine->run->simd, k->engine->problem->source->stride, z, count, ahead, w,
                    u);
    for (int32_t i = 0; i < count; i++) {
        block->u[place[i]] = u[i];
    }
}

/* Asks for what prepare and chain will read of the rows. */
static void prefetch_coupling(const dps_block *block, int32_t begin, int32_t end)
{
    for (int32_t j = begin; j < end; j++) {
        __builtin_prefetch(block->coupling + block->visit[j].row * DPS_COUPLED);
    }
}

static void score_batches(const work *k, int32_t b, int32_t count, int32_t begin)
{
    const int32_t end = begin + ROWS_AT_ONCE < count ? begin + ROWS_AT_ONCE : count;
    for (int32_t m = 0; m < k->count; m++) {
        const dps_block block = block_of(k, b, m);
        if (m == 0) {
            prefetch_coupling(&block, begin, end);
        }
        score_batch(k, &block, begin, end, m == 0 ? count : end,
                    k->w + (size_t)k->models[m] * k->length);
        if (k->rule->block.prepare != NULL) {
            k->rule->block.prepare(k->rule->context, &block, begin, end);
        }
    }
}

static int32_t next_of(int32_t *counter)
{
    return __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* Scores batches of block b, if there is one, while there are any. The thread that comes from the
 * chain takes them from the back. */
static void score_share(work *k, int32_t b, int32_t part, int32_t parts)
{
    const range rows = rows_of(k, b);
    const int32_t count = rows.end - rows.begin;
    const int32_t batches = (count + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;
    batch_queue *left = &k->batches[b & 1];
    while (next_of(&left->taken) < batches) {
        const int32_t i =
            part == 0 && parts > 1 ? batches - 1 - next_of(&left->back) : next_of(&left->front);
        score_batches(k, b, count, i * ROWS_AT_ONCE);
    }
}

/* d of the columns begin..end-1 of model m. */
static void add_columns(const work *k, const dps_block *block, double *d, size_t begin, size_t end)
{
    const float *z[ADDED_AT_ONCE];
    double c[ADDED_AT_ONCE];
    int32_t count = 0;
    memset(d + begin, 0, (end - begin) * sizeof *d);
    for (int32_t j = 0; j < block->count; j++) {
        if (block->c[j] != 0.0) {
            c[count] = block->c[j];
            z[count++] = panel_of(&block->visit[j]);
        }
        if (count == ADDED_AT_ONCE || (j + 1 == block->count && count > 0)) {
            dps_rows_add(k->engine->run->simd, z, c, count, begin, end, d);
            count = 0;
        }
    }
}

static void change_share(const work *k, int32_t b, int32_t part, int32_t parts)
{
    const range rows = rows_of(k, b);
    const size_t lines = k->engine->problem->source->stride / DPS_PAD;
    const range mine = share_of((int32_t)lines * k->count, part, parts);
    const range pieces = pieces_of(rows.end - rows.begin, part, parts);
    for (int32_t m = 0; m < k->count; m++) {
        const dps_block block = block_of(k, b, m);
        const int32_t first = m * (int32_t)lines;
        const int32_t begin = mine.begin > first ? mine.begin - first : 0;
        const int32_t end = mine.end - first < (int32_t)lines ? mine.end - first : (int32_t)lines;
        if (begin < end) {
            add_columns(k, &block, k->engine->change + (size_t)m * k->length,
                        (size_t)begin * DPS_PAD, (size_t)end * DPS_PAD);
        }
        if (k->rule->block.account != NULL && pieces.begin < pieces.end) {
            k->rule->block.account(k->rule->context, &block, pieces.begin, pieces.end);
        }
    }
}

static void meet(work *k, int32_t parts)
{
    if (parts > 1 && dps_thread_gate_pass(&k->gate)) {
        __atomic_store_n(&k->late, 1, __ATOMIC_RELAXED);
    }
}

/* The part-th of `parts` threads through block b, whose scores are there, up to where the rest must
 * wait for it; scores the next one meanwhile. */
static void visit_block(work *k, int32_t b, int32_t part, int32_t parts)
{
    const dps_block_rule *rule = &k->rule->block;
    for (int32_t m = part; m < k->count; m += parts) {
        const dps_block block = block_of(k, b, m);
        rule->chain(k->rule->context, &block);
    }
    if (parts == 1) { /* while its rows are in cache */
        change_share(k, b, 0, 1);
    }
    score_share(k, b + 1, part, parts);
    meet(k, parts);
    if (parts > 1) {
        change_share(k, b, part, parts);
        meet(k, parts);
    }
    if (part == 0) {
        k->batches[b & 1] = (batch_queue){0};
    }
    for (int32_t m = part; m < k->count; m += parts) {
        const dps_block block = block_of(k, b, m);
        const double overlap =
            rule->take(k->rule->context, &block, k->engine->change + (size_t)m * k->length,
                       k->w + (size_t)k->models[m] * k->length);
        k->engine->overlap[k->models[m]] += fmin(overlap, MOST_OVERLAP);
    }
}

/* Beside busy programs a thread may come milliseconds late, for which all others would wait several
 * times a block: then one goes on alone for a while, twice as long every time. Which threads work
 * changes no bit. */
static plan plan_from(work *k, int32_t begin)
{
    dps_engine *e = k->engine;
    plan next = {.begin = begin, .end = begin + 1, .parts = k->threads};
    if (__atomic_exchange_n(&k->late, 0, __ATOMIC_RELAXED) != 0) {
        e->alone = e->patience;
        e->patience = e->patience < MOST_PATIENCE ? 2 * e->patience : MOST_PATIENCE;
    } else if (e->patience > DPS_LEAST_PATIENCE && ++e->prompt == FORGETS_AFTER) {
        e->patience /= 2;
        e->prompt = 0;
    }
    if (k->threads == 1 || e->alone > 0) {
        const int32_t left = k->blocks - begin;
        const int32_t run = k->threads == 1 || e->alone > left ? left : e->alone;
        e->alone -= k->threads == 1 ? 0 : run;
        next = (plan){.begin = begin, .end = begin + run, .parts = 1};
    }
    return next;
}

/* The rows of a group: from here on no thread may read what those of the last one were. */
static void open_group(work *k, int32_t group)
{
    dps_engine *e = k->engine;
    const int32_t rows = e->shards.count == 1 ? e->listed[group] : 0;
    memset(e->moved, 0, (size_t)k->count * DPS_COUPLED * sizeof *e->moved);
    k->group = group;
    k->blocks = (rows + e->block_now - 1) / e->block_now;
    k->batches[0] = k->batches[1] = (batch_queue){0};
    k->plan[0] = plan_from(k, 0);
    e->blocks += k->blocks;
}

static void visit_group(work *k, int32_t part)
{
    if (part < k->plan[0].parts) {
        score_share(k, 0, part, k->plan[0].parts);
        meet(k, k->plan[0].parts);
    }
    for (int turn = 0; k->plan[turn].begin < k->blocks; turn = 1 - turn) {
        const plan now = k->plan[turn];
        for (int32_t b = now.begin; b < now.end && part < now.parts; b++) {
            visit_block(k, b, part, now.parts);
        }
        if (part == 0) {
            k->plan[1 - turn] = plan_from(k, now.end);
        }
        if (now.parts > 1) {
            meet(k, now.parts);
        } else {
            dps_thread_gate_pass(&k->gate); /* wakes the others */
            /* and waits for them: that they slept is no sign of a busy machine */
            dps_thread_gate_pass(&k->gate);
        }
    }
}

void dps_block_adapt(dps_engine *e, const int32_t *models, int32_t count)
{
    double overlap = 0.0;
    for (int32_t m = 0; m < count && e->blocks > 0; m++) {
        overlap += e->overlap[models[m]] / ((double)e->blocks * (double)count);
        e->overlap[models[m]] = 0.0;
    }
    if (overlap > LONG_OVERLAP) {
        e->block_now = e->block_now / 2 >= LEAST_ROWS ? e->block_now / 2 : e->block_now;
    } else if (e->blocks > 0 && overlap < SHORT_OVERLAP) {
        e->block_now = 2 * e->block_now < e->block_rows ? 2 * e->block_now : e->block_rows;
    }
    e->blocks = 0;
    dps_shards_share(&e->shards, &e->block_now, sizeof e->block_now);
}

void dps_engine_blocks(dps_engine *e, const dps_rule *rule, int32_t groups, const int32_t *models,
                       int32_t count, double *w)
{
    work k = {.engine = e,
              .rule = rule,
              .models = models,
              .count = count,
              .w = w,
              .length = dps_weight_length(e->problem->source)};
    const double each = (double)e->block_rows * (double)count * (double)e->problem->source->stride;
    const int threads = each < WORK_WORTH_THREADS ? 1 : e->run->threads;
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
#pragma omp single
        {
            k.threads = omp_get_num_threads();
            dps_thread_gate_init(&k.gate, k.threads);
        }
        const int32_t part = omp_get_thread_num();
        for (int32_t group = 0; group < groups; group++) {
            if (part == 0) {
                open_group(&k, group);
            }
            dps_thread_gate_pass(&k.gate);
            visit_group(&k, part);
            dps_thread_gate_pass(&k.gate);
        }
    }
    dps_thread_gate_release(&k.gate);
}
