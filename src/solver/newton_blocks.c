/* Task: the sums over rows of a Newton step, where an ordered sum has fewer slots than there are
 * threads: 20,000 rows have 4. Columns are dealt, too: a task is one slot's rows and one block of
 * the Hessian, columns I by columns J, or some columns of the gradient.
 *
 *     part(s, I, J) = sum over the rows i of slot s of +-(r_i z_iI) (r_i z_iJ)^T
 *
 * An entry is added up as in newton_passes.c, the rows of a slot in chains of 384, the slots in a
 * tree of pairs: blocks need no merging, and bits do not depend on how many there are. So their
 * number may follow the threads. Cost: the flops of one sum; each task gathers the columns it needs
 * from the resident tiles, edge / 2 multiply-adds for a number that is gathered. Memory: a Hessian
 * a slot, which is never more than ordered sums have for as many threads; the one is given back
 * before the other is taken. */
#include "newton_blocks.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "allocation.h"
#include "certificate.h"
#include "ordered_sum.h"
#include "products.h"
#include "tile_fetch.h"
#include "tile_kernels.h"
#include "tile_loop.h"

enum {
    EDGE = 48, /* whole panels of products on every SIMD path; edges are multiples of it */
    MOST_EDGES = 4,
    TASKS_A_THREAD = 3,
    CHAIN = DPS_TILE_ROWS
};

typedef struct blocks {
    dps_newton_batch *batch;
    dps_newton_model *model; /* in hand */
    int64_t slots;
    size_t n, stride;
    size_t edge, side; /* of a block, in columns; of the matrix, in blocks */
    size_t pairs;      /* blocks of the triangle */
    size_t ranges;     /* groups of edge columns of the gradient */
    size_t elements;   /* of a slot's part: gradient, then blocks, row after row of them */
} blocks;

static size_t columns_of(const blocks *b, size_t k)
{
    return b->n - k * b->edge < b->edge ? b->n - k * b->edge : b->edge;
}

/* Of block (i, j), in columns_of(i) rows of columns_of(j) numbers. */
static size_t place_of(const blocks *b, size_t i, size_t j)
{
    return b->stride + b->edge * b->edge * (i * (i + 1) / 2) + columns_of(b, i) * b->edge * j;
}

/* The largest edge that gives every thread some tasks. */
static blocks divide(dps_newton_batch *batch, int64_t slots)
{
    const dps_tile_source *source = batch->problem->source;
    blocks b = {
        .batch = batch, .slots = slots, .n = (size_t)source->width, .stride = source->stride};
    const size_t wanted = TASKS_A_THREAD * (size_t)batch->run->threads;
    for (size_t edges = MOST_EDGES; edges > 0; edges--) {
        b.edge = edges * EDGE;
        b.side = (b.n + b.edge - 1) / b.edge;
        b.pairs = b.side * (b.side + 1) / 2;
        if ((size_t)slots * b.pairs >= wanted) {
            break;
        }
    }
    b.ranges = (b.stride + b.edge - 1) / b.edge;
    b.elements = place_of(&b, b.side - 1, b.side - 1) +
                 columns_of(&b, b.side - 1) * columns_of(&b, b.side - 1);
    return b;
}

bool dps_newton_prefers_blocks(dps_newton_batch *batch, int64_t slots)
{
    enum { LEAST_WIDTH = 4 * EDGE };
    const int64_t threads = batch->run->threads;
    const int64_t rounds = (slots + threads - 1) / threads;
    const double work =
        (double)batch->level.tiles * DPS_TILE_ROWS * (double)dps_packed_size(batch->order);
    if (batch->comm != NULL || !batch->problem->source->resident || threads == 1 ||
        batch->problem->source->width < LEAST_WIDTH || 10 * slots >= 9 * rounds * threads ||
        dps_run_threads_for(batch->run, threads, work) < threads) {
        return false;
    }
    const blocks b = divide(batch, slots);
    return (size_t)slots * b.elements <=
           (size_t)(threads + 8) * dps_newton_derivative_elements(batch->problem);
}

/* ---------------------------------------------------------------- tasks */

/* Rows to add and to subtract, gathered: columns of i, columns of j. */
typedef struct gathered {
    size_t fill[2];
    float *left[2], *right[2]; /* CHAIN x edge */
    void *panels;              /* of dps_cross_block_add */
} gathered;

static size_t gathered_bytes(const blocks *b)
{
    return 4 * CHAIN * b->edge * sizeof(float) + dps_cross_block_bytes(b->edge);
}

static void flush(const blocks *b, gathered *g, int minus, size_t i, size_t j, double *part)
{
    const size_t columns = columns_of(b, j);
    dps_cross_block_add(b->batch->run->simd, b->model->exact, g->fill[minus], columns_of(b, i),
                        g->left[minus], b->edge, columns, i == j ? g->left[minus] : g->right[minus],
                        b->edge, minus ? -1.0 : 1.0, part, columns, g->panels);
    g->fill[minus] = 0;
}

/* edge columns from z, as far as it has them. */
static void gather(const blocks *b, float factor, const float *z, size_t first, float *to)
{
    const size_t all = b->batch->order - first;
    const size_t columns = all < b->edge ? all : b->edge;
    for (size_t l = 0; l < columns; l++) {
        to[l] = factor * z[first + l];
    }
}

/* Columns from `first` on of a row that is soon gathered: a few lines here and there, which no
 * processor foresees. */
static void foresee(const blocks *b, const float *z, size_t first)
{
    for (size_t l = first; l < first + b->edge && l < b->batch->order; l += DPS_PAD) {
        __builtin_prefetch(z + l);
    }
}

static void add_rows(const blocks *b, gathered *g, const dps_z_tile *tile, const float *root,
                     size_t i, size_t j, double *part)
{
    enum { AHEAD = 12 };
    for (int32_t r = 0; r < tile->rows; r++) {
        if (r + AHEAD < tile->rows && root[r + AHEAD] != 0.0f) {
            const float *later = tile->z + (size_t)(r + AHEAD) * tile->stride;
            foresee(b, later, i * b->edge);
            foresee(b, later, j * b->edge);
        }
        if (root[r] == 0.0f) {
            continue;
        }
        const int minus = root[r] < 0.0f;
        const float *z = tile->z + (size_t)r * tile->stride;
        const size_t at = g->fill[minus] * b->edge;
        gather(b, fabsf(root[r]), z, i * b->edge, g->left[minus] + at);
        if (i != j) {
            gather(b, fabsf(root[r]), z, j * b->edge, g->right[minus] + at);
        }
        if (++g->fill[minus] == CHAIN) {
            flush(b, g, minus, i, j, part);
        }
    }
}

static dps_status fill_block(const blocks *b, int64_t slot, size_t i, size_t j, char *scratch,
                             dps_error *err)
{
    const dps_newton_level *level = &b->batch->level;
    float *floats = (void *)scratch;
    const size_t size = CHAIN * b->edge;
    gathered g = {.left = {floats, floats + size},
                  .right = {floats + 2 * size, floats + 3 * size},
                  .panels = floats + 4 * size};
    double *part = b->batch->parts + (size_t)slot * b->elements + place_of(b, i, j);
    memset(part, 0, columns_of(b, i) * columns_of(b, j) * sizeof *part);
    for (int64_t index = dps_slot_begin(slot, b->slots, level->tiles);
         index < dps_slot_begin(slot + 1, b->slots, level->tiles); index++) {
        const int64_t t = dps_level_tile(level, index);
        dps_z_tile tile;
        DPS_TRY(dps_fetch(b->batch->problem->source, t, NULL, &tile, err));
        add_rows(b, &g, &tile, b->model->root + t * DPS_TILE_ROWS, i, j, part);
    }
    flush(b, &g, 0, i, j, part);
    flush(b, &g, 1, i, j, part);
    return DPS_OK;
}

static dps_status fill_gradient(const blocks *b, int64_t slot, size_t range, dps_error *err)
{
    const dps_newton_level *level = &b->batch->level;
    const size_t begin = range * b->edge,
                 end = begin + b->edge < b->stride ? begin + b->edge : b->stride;
    double *part = b->batch->parts + (size_t)slot * b->elements;
    memset(part + begin, 0, (end - begin) * sizeof *part);
    for (int64_t index = dps_slot_begin(slot, b->slots, level->tiles);
         index < dps_slot_begin(slot + 1, b->slots, level->tiles); index++) {
        const int64_t t = dps_level_tile(level, index);
        dps_z_tile tile;
        DPS_TRY(dps_fetch(b->batch->problem->source, t, NULL, &tile, err));
        dps_tile_add_panel(b->batch->run->simd, &tile, NULL, tile.rows,
                           b->model->v + t * DPS_TILE_ROWS, begin, end, part);
    }
    return DPS_OK;
}

/* Tasks, the long ones first: blocks below the diagonal, those on it, ranges of the gradient; of
 * each kind a slot's one after the other, which share its rows. */
static dps_status run_task(const blocks *b, int64_t task, char *scratch, dps_error *err)
{
    const size_t k = (size_t)task, slots = (size_t)b->slots;
    const size_t below = b->model->changed ? b->pairs - b->side : 0;
    const size_t on = b->model->changed ? b->side : 0;
    if (k < slots * below) {
        size_t i = 1, j = k % below;
        while (j >= i) {
            j -= i++;
        }
        return fill_block(b, (int64_t)(k / below), i, j, scratch, err);
    }
    const size_t rest = k - slots * below;
    if (rest < slots * on) {
        return fill_block(b, (int64_t)(rest / on), rest % on, rest % on, scratch, err);
    }
    const size_t last = rest - slots * on;
    return fill_gradient(b, (int64_t)(last / b->ranges), last % b->ranges, err);
}

static dps_status visit_task(void *context, int64_t task, void *memory, dps_error *err)
{
    const blocks *b = context;
    char *scratch = dps_sum_room_scratch(&b->batch->room, omp_get_thread_num());
    (void)memory;
    return scratch == NULL ? dps_out_of_memory(err, gathered_bytes(b), 1, "a thread's scratch")
                           : run_task(b, task, scratch, err);
}

static dps_status run_tasks(blocks *b, dps_error *err)
{
    const size_t each = (b->model->changed ? b->pairs : 0) + b->ranges;
    const int64_t tasks = b->slots * (int64_t)each;
    const dps_tile_loop loop = {.tiles = tasks,
                                .threads = dps_run_threads(b->batch->run, tasks),
                                .visit = visit_task,
                                .context = b,
                                .stops = b->batch->run,
                                .doing = "solving"};
    return dps_tile_loop_run(&loop, err);
}

/* ---------------------------------------------------------------- the whole */

/* The tree of dps_ordered_sum: slot 0 has the sum. */
static void merge(const blocks *b, size_t place, size_t count)
{
    for (int64_t step = 1; step < b->slots; step *= 2) {
        for (int64_t s = 0; s + step < b->slots; s += 2 * step) {
            double *left = b->batch->parts + (size_t)s * b->elements + place;
            const double *right = left + (size_t)step * b->elements;
            for (size_t l = 0; l < count; l++) {
                left[l] += right[l];
            }
        }
    }
}

static void take_block(const blocks *b, size_t i, size_t j)
{
    const size_t rows = columns_of(b, i), columns = columns_of(b, j), place = place_of(b, i, j);
    dps_newton_model *m = b->model;
    merge(b, place, rows * columns);
    for (size_t r = 0; r < rows; r++) {
        const size_t row = i * b->edge + r, end = i == j ? r + 1 : columns;
        const double *from = b->batch->parts + place + r * columns;
        double *to = m->hessian + dps_packed_size(row) + j * b->edge;
        for (size_t l = 0; l < end; l++) {
            to[l] = (m->refresh ? 0.0 : to[l]) + from[l];
        }
    }
}

static void take(const blocks *b)
{
    dps_newton_model *m = b->model;
    const size_t pairs = m->changed ? b->pairs : 0;
    const double work = (double)b->slots * (double)b->elements;
    const int threads = dps_run_threads_for(b->batch->run, (int64_t)pairs + 1, work);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (size_t k = 0; k < pairs; k++) {
        size_t i = 0, j = k;
        while (j > i) {
            j -= ++i;
        }
        take_block(b, i, j);
    }
    merge(b, 0, b->stride);
    for (size_t l = 0; l < b->batch->length; l++) {
        m->g[l] = m->w[l] - (l < b->stride ? b->batch->parts[l] : 0.0);
    }
    m->refresh = m->refresh && !m->changed;
}

void dps_newton_blocks_release(dps_newton_batch *batch)
{
    dps_free(batch->parts);
    batch->parts = NULL;
    batch->parts_size = 0;
}

dps_status dps_newton_blocks(dps_newton_batch *batch, int64_t slots, dps_error *err)
{
    blocks b = divide(batch, slots);
    const size_t needed = (size_t)slots * b.elements;
    if (needed > batch->parts_size) {
        dps_newton_blocks_release(batch);
        dps_sum_room_release(&batch->room); /* ordered sums of another level */
        DPS_NEED(batch->parts, needed, "the Newton solver's sums", err);
        batch->parts_size = needed;
    }
    if (!dps_sum_room_prepare(&batch->room, 0, 0, batch->run->threads, gathered_bytes(&b))) {
        return dps_out_of_memory(err, gathered_bytes(&b), 1, "a thread's scratch");
    }
    for (int32_t k = 0; k < batch->count; k++) {
        b.model = &batch->model[k];
        if (b.model->live) {
            DPS_TRY(run_tasks(&b, err));
            take(&b);
        }
    }
    return DPS_OK;
}
