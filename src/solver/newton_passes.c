/* Task: the passes over z that a Newton step needs, for several models at once.
 *
 *     scores       u = Z w,  v = Z p
 *     gradient     g = w - sum_i alpha_i z_i,   alpha_i = C c_i slope(u_i, h)
 *     Hessian      K = sum_i c_i bend_i z_i z_i^T,   H = I + stiffness(h) C K
 *
 * A piecewise quadratic loss bends by 0, 1 or 2 times its stiffness, and between two steps few rows
 * start or stop bending, so K is changed by the rows that entered and
 * left (DESIGN of Keerthi & DeCoste 2005 keeps a factor in the same spirit); it is rebuilt when
 * that is cheaper, when the rows that left make up a quarter, and every fifth change, because float
 * sums that are subtracted again leave their rounding behind. The logistic loss bends everywhere,
 * by another amount at each step: K is made anew. Only the direction depends on K: the gradient is
 * exact in double.
 *
 * Rows are gathered, scaled by the root of their weight, over the consecutive tiles of a slot and
 * added 384 at a time to the slot's packed double triangle (products.h). Cost: |changed rows| D'^2
 * flops, and 2 n D' for the gradient.
 *
 * Over ranks, u, v and inside are those of a rank's rows, and what goes from one to the other is
 * the ordered sum and counts of rows. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "allocation.h"
#include "certificate.h"
#include "comm.h"
#include "job_limits.h"
#include "newton_blocks.h"
#include "ordered_sum.h"
#include "rank_sums.h"
#include "products.h"
#include "tile_fetch.h"
#include "tile_kernels.h"

#define GATHER_ROWS DPS_TILE_ROWS

/* ---------------------------------------------------------------- scores */

static dps_status score_tile(dps_newton_batch *batch, bool direction, int64_t t, char *scratch,
                             dps_error *err)
{
    dps_z_tile tile;
    DPS_TRY(dps_fetch(batch->problem->source, t, scratch, &tile, err));
    for (int32_t j = 0; j < batch->count; j++) {
        const dps_newton_model *m = &batch->model[j];
        if (direction ? m->moving : m->live) {
            dps_tile_scores(batch->run->simd, &tile, direction ? m->p : m->w, NULL, tile.rows,
                            (direction ? m->v : m->u) + t * DPS_TILE_ROWS);
        }
    }
    return DPS_OK;
}

dps_status dps_newton_scores(dps_newton_batch *batch, bool direction, dps_error *err)
{
    const double begin = dps_now();
    for (int32_t j = 0; j < batch->count && !direction; j++) {
        batch->model[j].fresh = false;
    }
    dps_status status = DPS_OK;
    int64_t failed = batch->level.tiles;
    int32_t taking_part = 0;
    for (int32_t j = 0; j < batch->count; j++) {
        taking_part += direction ? batch->model[j].moving : batch->model[j].live;
    }
    if (taking_part == 0) {
        return DPS_OK;
    }
    const double work = dps_pass_work(batch->problem->source, batch->level.tiles, taking_part);
    const int threads = dps_run_threads_for(batch->run, batch->level.tiles, work);
#pragma omp parallel num_threads(threads)
    {
        char *scratch = batch->fetch + (size_t)omp_get_thread_num() * batch->fetch_bytes;
#pragma omp for schedule(dynamic)
        for (int64_t index = 0; index < batch->level.tiles; index++) {
            if (dps_run_stopped(batch->run)) {
                continue;
            }
            dps_error own;
            const int64_t t = dps_level_tile(&batch->level, index);
            const dps_status mine = score_tile(batch, direction, t, scratch, &own);
            if (mine != DPS_OK) {
#pragma omp critical(dps_newton_failed)
                if (index < failed) {
                    failed = index;
                    status = mine;
                    if (err != NULL) {
                        *err = own;
                    }
                }
            }
        }
    }
    batch->row_visits += (double)batch->level.all_tiles * DPS_TILE_ROWS * taking_part;
    if (status == DPS_OK && dps_run_stopped(batch->run)) {
        status = dps_stopped(err);
    }
    batch->sum_seconds += dps_now() - begin;
    return dps_comm_agree(batch->comm, status, err);
}

/* ---------------------------------------------------------------- which rows */

/* This rank's rows that bend, enter and leave. */
static void count_rows(const dps_newton_batch *batch, dps_newton_model *m)
{
    const dps_problem *problem = batch->problem;
    int64_t bending = 0, entering = 0, leaving = 0;
    for (int64_t index = 0; index < batch->level.tiles; index++) {
        const int64_t t = dps_level_tile(&batch->level, index), first = t * DPS_TILE_ROWS;
        const int32_t rows = dps_tile_height(problem, t);
        const uint8_t *bend = m->bend + first, *inside = m->inside + first;
        int32_t bends = 0, enters = 0, leaves = 0;
        for (int32_t r = 0; r < rows; r++) {
            bends += bend[r] > 0;
            enters += bend[r] > inside[r];
            leaves += bend[r] < inside[r];
        }
        bending += bends;
        entering += enters;
        leaving += leaves;
    }
    m->bending = bending;
    m->entering = entering;
    m->leaving = leaving;
}

/* Adds the counts of all ranks. */
static dps_status share_counts(const dps_newton_batch *batch, dps_error *err)
{
    const size_t count = 3 * (size_t)batch->count;
    if (batch->comm == NULL) {
        return DPS_OK;
    }
    int64_t *rows = dps_alloc(2 * count, sizeof *rows);
    if (dps_comm_any(batch->comm, rows == NULL)) {
        dps_free(rows);
        return dps_out_of_memory(err, 2 * count, sizeof *rows, "counts of rows");
    }
    for (int32_t j = 0; j < batch->count; j++) {
        const dps_newton_model *m = &batch->model[j];
        if (m->live) { /* those of the others are sums already */
            rows[3 * j] = m->bending;
            rows[3 * j + 1] = m->entering;
            rows[3 * j + 2] = m->leaving;
        }
    }
    dps_sum_counts(batch->comm, rows, rows + count, count);
    for (int32_t j = 0; j < batch->count; j++) {
        dps_newton_model *m = &batch->model[j];
        if (m->live) {
            m->bending = rows[3 * j];
            m->entering = rows[3 * j + 1];
            m->leaving = rows[3 * j + 2];
        }
    }
    dps_free(rows);
    return DPS_OK;
}

/* Sets refresh, changed. */
static void choose_update(const dps_newton_batch *batch, dps_newton_model *m)
{
    const int64_t moved = m->entering + m->leaving;
    m->updates += m->leaving > 0;
    m->refresh = m->refresh || moved > m->bending || 4 * m->leaving > m->bending || m->updates >= 5;
    m->changed = m->refresh || moved > 0;
    if (m->refresh) {
        memset(m->inside, 0, (size_t)batch->problem->source->rows);
        m->updates = 0;
    }
}

/* Which rows of the live models enter and leave their Hessians. */
static dps_status classify(dps_newton_batch *batch, dps_error *err)
{
    for (int32_t j = 0; j < batch->count; j++) {
        if (batch->model[j].live) {
            DPS_TRY(dps_newton_look(batch, &batch->model[j], err));
        }
    }
    if (!batch->problem->loss->piecewise) {
        for (int32_t j = 0; j < batch->count; j++) {
            batch->model[j].refresh = batch->model[j].changed = true; /* inside stays 0 */
        }
        return DPS_OK;
    }
    for (int32_t j = 0; j < batch->count; j++) {
        if (batch->model[j].live) {
            count_rows(batch, &batch->model[j]);
        }
    }
    const dps_status status = share_counts(batch, err);
    for (int32_t j = 0; j < batch->count && status == DPS_OK; j++) {
        if (batch->model[j].live) {
            choose_update(batch, &batch->model[j]);
        }
    }
    return status;
}

/* What a tile's rows bring: v, free until there is a direction, is the gradient's alpha, root the
 * Hessian's; after that they are inside. */
static void mark_tile(const dps_newton_batch *batch, dps_newton_model *m, int64_t t)
{
    const dps_problem *problem = batch->problem;
    const int64_t first = t * DPS_TILE_ROWS;
    const int32_t rows = dps_tile_height(problem, t);
    double *alpha = m->v + first, c[DPS_TILE_ROWS];
    const double *slope = m->slope + first;
    for (int32_t r = 0; r < rows; r++) {
        c[r] = dps_row_weight(problem, first + r);
        alpha[r] = c[r] == 0.0 ? 0.0 : batch->level.C * c[r] * slope[r];
    }
    if (!problem->loss->piecewise) {
        return;
    }
    float *root = m->root + first;
    uint8_t *inside = m->inside + first;
    const uint8_t *bend = m->bend + first;
    for (int32_t r = 0; r < rows; r++) {
        const int change = bend[r] - inside[r];
        root[r] = 0.0f;
        if (change != 0) {
            root[r] = copysignf((float)sqrt(c[r] * abs(change)), (float)change);
        }
    }
    memcpy(inside, bend, (size_t)rows);
}

static void mark_rows(const dps_newton_batch *batch)
{
    const int64_t tiles = batch->level.tiles;
    const double work = 16.0 * (double)tiles * DPS_TILE_ROWS * batch->count;
    const int threads = dps_run_threads_for(batch->run, tiles, work);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t index = 0; index < tiles; index++) {
        for (int32_t j = 0; j < batch->count; j++) {
            if (batch->model[j].live) {
                mark_tile(batch, &batch->model[j], dps_level_tile(&batch->level, index));
            }
        }
    }
}

/* ---------------------------------------------------------------- derivatives */

typedef struct pass {
    dps_newton_batch *batch;
    int64_t slots;
    size_t elements; /* of one model: gradient, then packed Hessian */
    int32_t live;    /* models that take part */
} pass;

/* A thread's scratch, carved. The first two stay from tile to tile of a slot. */
typedef struct workspace {
    int32_t *fill; /* per model: rows gathered to add, to subtract */
    float *gather; /* per model and sign: GATHER_ROWS rows */
    void *fetch;
    void *panels; /* of dps_cross_add */
} workspace;

static size_t carry_bytes(const dps_problem *problem, int32_t count)
{
    const size_t m = dps_round_up((size_t)problem->source->width, DPS_PAD);
    return dps_round_up(2 * (size_t)count * sizeof(int32_t), DPS_ALIGN) +
           2 * (size_t)count * dps_cross_gathered(m) * sizeof(float);
}

/* Fills ws with places in scratch; returns the bytes needed. scratch may be NULL to ask for those
 * only. */
static size_t carve(const dps_problem *problem, int32_t count, char *scratch, workspace *ws)
{
    const size_t m = dps_round_up((size_t)problem->source->width, DPS_PAD);
    const size_t gathered = dps_round_up(2 * (size_t)count * sizeof(int32_t), DPS_ALIGN);
    const size_t fetch = carry_bytes(problem, count);
    const size_t panels = fetch + dps_round_up(dps_fetch_bytes(problem->source), DPS_ALIGN);
    if (scratch != NULL) {
        ws->fill = (void *)scratch;
        ws->gather = (void *)(scratch + gathered);
        ws->fetch = scratch + fetch;
        ws->panels = scratch + panels;
    }
    return panels + dps_round_up(dps_cross_bytes(m), DPS_ALIGN);
}

size_t dps_newton_derivative_bytes(const dps_problem *problem, int32_t count)
{
    return carve(problem, count, NULL, NULL);
}

size_t dps_newton_derivative_elements(const dps_problem *problem)
{
    return problem->source->stride + dps_packed_size((size_t)problem->source->width);
}

static float *gathered(const pass *p, const workspace *ws, size_t place)
{
    return ws->gather + place * dps_cross_gathered(p->batch->order);
}

/* Columns that lie side by side in what is gathered: all, or those of a panel of products. Ranks
 * hand on what they have gathered, and may have other variants. */
static size_t panel_of(const pass *p, const dps_newton_model *model)
{
    const size_t m = p->batch->order;
    return model->exact || p->batch->comm != NULL ? m : dps_cross_panel(p->batch->run->simd, m);
}

/* Adds (minus = 0) or subtracts what was gathered for the live model. */
static void flush(const pass *p, const workspace *ws, const dps_newton_model *model, int minus,
                  double *hessian)
{
    const size_t m = p->batch->order, n = (size_t)p->batch->problem->source->width;
    const size_t place = 2 * (size_t)model->place + (size_t)minus, rows = (size_t)ws->fill[place];
    const dps_simd simd = p->batch->run->simd;
    const double sign = minus ? -1.0 : 1.0;
    if (panel_of(p, model) < m) {
        dps_cross_add_gathered(simd, rows, n, gathered(p, ws, place), sign, hessian);
    } else {
        dps_cross_add(simd, model->exact, rows, n, gathered(p, ws, place), m, sign, hessian,
                      ws->panels);
    }
    ws->fill[place] = 0;
}

static void gather(const pass *p, const workspace *ws, const dps_newton_model *model,
                   const float *z, float root, double *hessian)
{
    const int minus = root < 0.0f;
    const size_t m = p->batch->order, place = 2 * (size_t)model->place + (size_t)minus;
    const size_t panel = panel_of(p, model);
    float *row = gathered(p, ws, place) + (size_t)ws->fill[place] * panel;
    const float factor = fabsf(root);
    for (size_t first = 0; first < m; first += panel, row += GATHER_ROWS * panel) {
        const size_t columns = m - first < panel ? m - first : panel;
        for (size_t l = 0; l < columns; l++) {
            row[l] = factor * z[first + l];
        }
    }
    if (++ws->fill[place] == GATHER_ROWS) {
        flush(p, ws, model, minus, hessian);
    }
}

static void add_model(const pass *p, const workspace *ws, const dps_newton_model *m, int64_t t,
                      const dps_z_tile *tile, double *sum)
{
    const float *root = m->root + t * DPS_TILE_ROWS;
    double *hessian = sum + tile->stride;
    for (int32_t r = 0; r < tile->rows && m->changed; r++) {
        if (root[r] != 0.0f) {
            gather(p, ws, m, tile->z + (size_t)r * tile->stride, root[r], hessian);
        }
    }
    dps_tile_add_panel(p->batch->run->simd, tile, NULL, tile->rows, m->v + t * DPS_TILE_ROWS, 0,
                       tile->stride, sum);
}

/* index: among the tiles in use on all ranks. */
static int64_t slot_of(const pass *p, int64_t index)
{
    const int64_t tiles = p->batch->level.all_tiles;
    int64_t s = index * p->slots / tiles;
    while (dps_slot_begin(s, p->slots, tiles) > index) {
        s--;
    }
    while (dps_slot_begin(s + 1, p->slots, tiles) <= index) {
        s++;
    }
    return s;
}

static dps_status add_tile(void *context, int64_t index, double *sum, void *scratch, dps_error *err)
{
    const pass *p = context;
    const dps_newton_batch *batch = p->batch;
    const int64_t t = dps_level_tile(&batch->level, index), tiles = batch->level.all_tiles;
    const int64_t place = batch->level.first + index, slot = slot_of(p, place);
    workspace ws = {0};
    (void)carve(batch->problem, p->live, scratch, &ws);
    if (place == dps_slot_begin(slot, p->slots, tiles)) {
        memset(ws.fill, 0, 2 * (size_t)p->live * sizeof(int32_t));
    }
    dps_z_tile tile;
    DPS_TRY(dps_fetch(batch->problem->source, t, ws.fetch, &tile, err));
    const bool last = place + 1 == dps_slot_begin(slot + 1, p->slots, tiles);
    for (int32_t j = 0; j < batch->count; j++) {
        const dps_newton_model *m = &batch->model[j];
        if (!m->live) {
            continue;
        }
        double *own = sum + (size_t)m->place * p->elements;
        add_model(p, &ws, m, t, &tile, own);
        if (last) {
            flush(p, &ws, m, 0, own + tile.stride);
            flush(p, &ws, m, 1, own + tile.stride);
        }
    }
    return DPS_OK;
}

enum { TAKEN = 16384 }; /* numbers that a thread takes at a time */

/* Puts numbers first ... first + TAKEN - 1 of a model's sums, gradient then Hessian, in their
 * places. */
static void take(const dps_newton_batch *batch, dps_newton_model *m, const double *sum,
                 size_t first, size_t elements)
{
    const size_t stride = batch->problem->source->stride;
    const size_t end = first + TAKEN < elements ? first + TAKEN : elements;
    size_t l = first;
    for (; l < stride && l < end; l++) {
        m->g[l] = m->w[l] - sum[l];
    }
    for (; l < end && m->changed; l++) {
        m->hessian[l - stride] = (m->refresh ? 0.0 : m->hessian[l - stride]) + sum[l];
    }
}

static void take_all(const dps_newton_batch *batch, const pass *p)
{
    const int64_t chunks = (int64_t)((p->elements + TAKEN - 1) / TAKEN);
    const double work = (double)p->live * (double)p->elements;
    const int threads = dps_run_threads_for(batch->run, batch->count * chunks, work);
#pragma omp parallel for schedule(static) collapse(2) num_threads(threads)
    for (int32_t j = 0; j < batch->count; j++) {
        for (int64_t i = 0; i < chunks; i++) {
            dps_newton_model *m = &batch->model[j];
            if (m->live) {
                take(batch, m, batch->sums + (size_t)m->place * p->elements, (size_t)i * TAKEN,
                     p->elements);
            }
        }
    }
    for (int32_t j = 0; j < batch->count; j++) {
        dps_newton_model *m = &batch->model[j];
        for (size_t l = p->batch->problem->source->stride; m->live && l < batch->length; l++) {
            m->g[l] = m->w[l];
        }
        m->refresh = m->refresh && !(m->live && m->changed);
    }
}

dps_status dps_newton_derivatives(dps_newton_batch *batch, dps_error *err)
{
    const dps_problem *problem = batch->problem;
    const int32_t count = batch->count;
    const double width = (double)problem->source->width;
    pass p = {.batch = batch, .elements = dps_newton_derivative_elements(problem)};
    p.slots = dps_slot_count(batch->level.all_tiles, p.elements, DPS_TILE_ROWS * width * width);
    for (int32_t j = 0; j < count; j++) {
        if (batch->model[j].live) {
            batch->model[j].place = p.live++;
        }
    }
    batch->row_visits += (double)p.live * (double)batch->level.all_tiles * DPS_TILE_ROWS;
    const dps_ordered_sum sum = {.tiles = batch->level.tiles,
                                 .first_tile = batch->level.first,
                                 .total_tiles = batch->comm != NULL ? batch->level.all_tiles : 0,
                                 .slots = p.slots,
                                 .elements = (size_t)p.live * p.elements,
                                 .scratch_bytes = dps_newton_derivative_bytes(problem, p.live),
                                 .carry_bytes = carry_bytes(problem, p.live),
                                 .add = add_tile,
                                 .context = &p,
                                 .room = &batch->room,
                                 .seconds = &batch->sum_seconds};
    DPS_TRY(classify(batch, err));
    mark_rows(batch);
    if (dps_newton_prefers_blocks(batch, p.slots)) {
        return dps_newton_blocks(batch, p.slots, err);
    }
    dps_newton_blocks_release(batch); /* of another level */
    DPS_TRY(dps_ordered_sum_run(&sum, batch->run, batch->sums, err));
    take_all(batch, &p);
    return DPS_OK;
}
