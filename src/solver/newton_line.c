/* Task: sums over rows along a line. With u = Z w and v = Z p at hand the smoothed objective and
 * its derivative at w + t p cost O(n):
 *
 *     f(t)  = 1/2 |w + t p|^2 + C sum_i c_i loss_h(u_i + t v_i)
 *     f'(t) = <w, p> + t |p|^2 - C sum_i c_i slope(u_i + t v_i, h) v_i
 *
 * f is convex and piecewise quadratic or nearly so, so that Newton's iteration on f' with a bracket
 * ends after a few evaluations; a step is taken when f' has shrunk to a tenth. (Chapelle 2007
 * halves the step instead; a pass over Z costs D' times as much as an evaluation here, so the
 * better step is free.) What the derivatives of the next step ask of the rows, slope and bend at
 * the new u, is kept from the evaluation that is accepted: nothing is looked at twice.
 *
 * The measure of optimality is the Fenchel-Young form of P(w) - D(alpha), without cancellation:
 *
 *     gap = C sum_i c_i [loss(u_i) + a_i u_i - dual(a_i)] + 1/2 |g|^2
 *     a_i = slope(u_i, h),   g = w - v(alpha)
 *
 * whose first part is what the smoothing costs (0 for a smooth loss) and whose second part is
 * what the minimisation has left. */
#include <math.h>
#include <string.h>

#include "certificate.h"
#include "newton_private.h"
#include "ordered_sum.h"
#include "tile_fetch.h"
#include "tile_kernels.h"

enum { SUM_VALUE, SUM_SLOPE, SUM_CURVATURE, SUM_COUNT };

typedef struct line {
    const dps_newton_batch *batch;
    dps_newton_model *model;
    const double *v; /* NULL: at u itself */
    double t;
} line;

/* What the next derivatives ask of a tile's rows. */
static void keep_rows(dps_newton_model *model, const dps_problem *problem, int64_t first,
                      int32_t rows, const double *bend)
{
    if (problem->loss->piecewise) {
        for (int32_t r = 0; r < rows; r++) {
            model->bend[first + r] = (uint8_t)bend[r];
        }
        return;
    }
    for (int32_t r = 0; r < rows; r++) {
        model->root[first + r] = (float)sqrt(dps_row_weight(problem, first + r) * bend[r]);
    }
}

static dps_status add_line(void *context, int64_t index, double *sum, void *scratch, dps_error *err)
{
    (void)scratch;
    (void)err;
    const line *l = context;
    const dps_problem *problem = l->batch->problem;
    dps_newton_model *model = l->model;
    const dps_loss *loss = problem->loss;
    const int64_t t = dps_level_tile(&l->batch->level, index), first = t * DPS_TILE_ROWS;
    const int32_t rows = dps_tile_height(problem, t);
    const double stiffness = loss->stiffness(model->h), *v = l->v != NULL ? l->v + first : NULL;
    double *slope = model->slope + first;
    double u[DPS_TILE_ROWS], y[DPS_TILE_ROWS], smoothed[DPS_TILE_ROWS], bend[DPS_TILE_ROWS];
    dps_targets(problem, model->k, first, rows, y);
    memcpy(u, model->u + first, (size_t)rows * sizeof *u);
    for (int32_t r = 0; r < rows && v != NULL; r++) {
        u[r] += l->t * v[r];
    }
    loss->rows(rows, u, y, problem->epsilon, model->h, smoothed, slope, bend);
    keep_rows(model, problem, first, rows, bend);
    for (int32_t r = 0; r < rows; r++) {
        const double c = dps_row_weight(problem, first + r);
        sum[SUM_VALUE] += c * smoothed[r];
        if (v != NULL) {
            sum[SUM_SLOPE] += c * slope[r] * v[r];
            sum[SUM_CURVATURE] += c * bend[r] * stiffness * v[r] * v[r];
        }
    }
    return DPS_OK;
}

/* The slope at t = 0, from the slopes at u. */
static dps_status add_start(void *context, int64_t index, double *sum, void *scratch,
                            dps_error *err)
{
    (void)scratch;
    (void)err;
    const line *l = context;
    const dps_problem *problem = l->batch->problem;
    const int64_t t = dps_level_tile(&l->batch->level, index), first = t * DPS_TILE_ROWS;
    const int32_t rows = dps_tile_height(problem, t);
    const double *slope = l->model->slope + first, *v = l->v + first;
    for (int32_t r = 0; r < rows; r++) {
        sum[SUM_SLOPE] += dps_row_weight(problem, first + r) * slope[r] * v[r];
    }
    return DPS_OK;
}

/* Of a loss that was smoothed: its own value, and what the smoothing costs. */
static dps_status add_measure(void *context, int64_t index, double *sum, void *scratch,
                              dps_error *err)
{
    (void)scratch;
    (void)err;
    const line *l = context;
    const dps_problem *problem = l->batch->problem;
    const dps_newton_model *model = l->model;
    const dps_loss *loss = problem->loss;
    const double epsilon = problem->epsilon;
    const int64_t t = dps_level_tile(&l->batch->level, index);
    const int32_t rows = dps_tile_height(problem, t);
    for (int32_t r = 0; r < rows; r++) {
        const int64_t i = t * DPS_TILE_ROWS + r;
        const double y = dps_target(problem, model->k, i), c = dps_row_weight(problem, i);
        const double value = loss->value(model->u[i], y, epsilon), a = model->slope[i];
        sum[0] += c * value;
        sum[1] += c * (value + a * model->u[i] - dps_loss_dual(loss, a, y, epsilon));
    }
    return DPS_OK;
}

static dps_status run_sum(line *l, dps_tile_adder add, double total[SUM_COUNT], dps_error *err)
{
    const double flops = 20.0 * DPS_TILE_ROWS;
    const dps_newton_level *level = &l->batch->level;
    const dps_ordered_sum sum = {.tiles = level->tiles,
                                 .first_tile = level->first,
                                 .total_tiles = l->batch->comm != NULL ? level->all_tiles : 0,
                                 .slots = dps_slot_count(level->all_tiles, SUM_COUNT, flops),
                                 .elements = SUM_COUNT,
                                 .add = add,
                                 .context = l};
    /* a few operations a row, or an exponential: waking threads may cost more than it gives */
    dps_run run = *l->batch->run;
    const double work = l->batch->problem->loss->piecewise ? flops : 5.0 * flops;
    run.threads = dps_run_threads_for(&run, sum.slots, (double)level->tiles * work);
    return dps_ordered_sum_run(&sum, &run, total, err);
}

dps_status dps_newton_look(const dps_newton_batch *batch, dps_newton_model *model, dps_error *err)
{
    line l = {.batch = batch, .model = model};
    double total[SUM_COUNT];
    if (model->fresh) {
        return DPS_OK;
    }
    DPS_TRY(run_sum(&l, add_line, total, err));
    model->value = total[SUM_VALUE];
    model->fresh = true;
    return DPS_OK;
}

dps_status dps_newton_measure(const dps_newton_batch *batch, dps_newton_model *model,
                              dps_error *err)
{
    line l = {.batch = batch, .model = model};
    DPS_TRY(dps_newton_look(batch, model, err));
    double total[SUM_COUNT] = {model->value, 0.0};
    if (!batch->problem->loss->smooth) {
        DPS_TRY(run_sum(&l, add_measure, total, err));
    }
    const double C = batch->level.C;
    model->primal = 0.5 * dps_dot(batch->length, model->w, model->w) + C * total[0];
    /* The pieces are >= 0; rounding may say otherwise. */
    model->smoothing_part = fmax(0.0, C * total[1]);
    const double left = 0.5 * dps_dot(batch->length, model->g, model->g);
    if (!isfinite(model->primal) || !isfinite(left)) {
        return dps_not_finite(batch->problem, "the objective", err);
    }
    model->gap = model->primal > 0.0 ? (model->smoothing_part + left) / model->primal : 0.0;
    return DPS_OK;
}

typedef struct point {
    double value, slope, curvature;
} point;

static dps_status evaluate(line *l, double t, point *at, dps_error *err)
{
    const size_t n = l->batch->length;
    const double *w = l->model->w, *p = l->model->p;
    double total[SUM_COUNT];
    const bool start = t == 0.0 && l->model->fresh;
    l->t = t;
    l->v = l->model->v;
    DPS_TRY(run_sum(l, start ? add_start : add_line, total, err));
    l->model->value = start ? l->model->value : total[SUM_VALUE];
    const double ww = dps_dot(n, w, w), wp = dps_dot(n, w, p), pp = dps_dot(n, p, p);
    const double C = l->batch->level.C;
    at->value = 0.5 * (ww + 2.0 * t * wp + t * t * pp) + C * l->model->value;
    at->slope = wp + t * pp - C * total[SUM_SLOPE];
    at->curvature = pp + C * total[SUM_CURVATURE];
    return DPS_OK;
}

dps_status dps_newton_line(const dps_newton_batch *batch, dps_newton_model *model, double *t,
                           dps_error *err)
{
    enum { MOST_EVALUATIONS = 40 };
    line l = {.batch = batch, .model = model};
    point start, at;
    *t = 0.0;
    dps_status status = evaluate(&l, 0.0, &start, err);
    if (status != DPS_OK || !(start.slope < 0.0)) {
        return status;
    }
    model->fresh = false;
    double low = 0.0, high = INFINITY, x = 1.0;
    for (int i = 0; i < MOST_EVALUATIONS; i++) {
        DPS_TRY(evaluate(&l, x, &at, err));
        const bool lower = at.slope <= 0.0 || at.value <= start.value + 0.01 * x * start.slope;
        if (lower && fabs(at.slope) <= 0.1 * -start.slope) {
            model->fresh = true; /* at the u that the step will make */
            *t = x;
            return DPS_OK;
        }
        if (at.slope <= 0.0) {
            low = x;
        } else {
            high = x;
        }
        const double next = x - at.slope / at.curvature;
        if (next > low && next < high) {
            x = next;
        } else {
            x = isfinite(high) ? 0.5 * (low + high) : 2.0 * x;
        }
    }
    *t = low; /* f' <= 0 there: f is not above its start */
    return DPS_OK;
}
