/* Task: sums over rows along a line. With u = Z w and v = Z p at hand the smoothed objective and
 * its derivative at w + t p cost O(n):
 *
 *     f(t)  = 1/2 |w + t p|^2 + C sum_i c_i loss_h(u_i + t v_i)
 *     f'(t) = <w, p> + t |p|^2 - C sum_i c_i slope(u_i + t v_i, h) v_i
 *
 * f is convex and piecewise quadratic or nearly so, so that Newton's iteration on f' with a bracket
 * ends after a few evaluations; a step is taken when f' has shrunk to a tenth. (Chapelle 2007
 * halves the step instead; a pass over Z costs D' times as much as an evaluation here, so the
 * better step is free.)
 *
 * The measure of optimality is the Fenchel-Young form of P(w) - D(alpha), without cancellation:
 *
 *     gap = C sum_i c_i [loss(u_i) + a_i u_i - dual(a_i)] + 1/2 |g|^2
 *     a_i = slope(u_i, h),   g = w - v(alpha)
 *
 * whose first part is what the smoothing costs (0 for a smooth loss) and whose second part is
 * what the minimisation has left. */
#include <math.h>

#include "certificate.h"
#include "newton_private.h"
#include "ordered_sum.h"
#include "tile_fetch.h"
#include "tile_kernels.h"

#define TILES_WORTH_THREADS 256

enum { SUM_VALUE, SUM_SLOPE, SUM_CURVATURE, SUM_COUNT };

typedef struct line {
    const dps_newton_batch *batch;
    const dps_newton_model *model;
    double t;
} line;

static dps_status add_line(void *context, int64_t index, double *sum, void *scratch, dps_error *err)
{
    (void)scratch;
    (void)err;
    const line *l = context;
    const dps_problem *problem = l->batch->problem;
    const dps_newton_model *model = l->model;
    const dps_loss *loss = problem->loss;
    const int64_t t = dps_level_tile(&l->batch->level, index);
    const int32_t rows = dps_tile_height(problem, t);
    const double stiffness = loss->stiffness(model->h), *v = model->v + t * DPS_TILE_ROWS;
    double u[DPS_TILE_ROWS], y[DPS_TILE_ROWS];
    double smoothed[DPS_TILE_ROWS], slope[DPS_TILE_ROWS], bend[DPS_TILE_ROWS];
    for (int32_t r = 0; r < rows; r++) {
        y[r] = dps_target(problem, model->k, t * DPS_TILE_ROWS + r);
        u[r] = model->u[t * DPS_TILE_ROWS + r] + l->t * v[r];
    }
    loss->rows(rows, u, y, problem->epsilon, model->h, smoothed, slope, bend);
    for (int32_t r = 0; r < rows; r++) {
        const double c = dps_row_weight(problem, t * DPS_TILE_ROWS + r);
        sum[SUM_VALUE] += c * smoothed[r];
        sum[SUM_SLOPE] += c * slope[r] * v[r];
        sum[SUM_CURVATURE] += c * bend[r] * stiffness * v[r] * v[r];
    }
    return DPS_OK;
}

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
        const double value = loss->value(model->u[i], y, epsilon);
        sum[0] += c * value;
        if (!loss->smooth) {
            const double a = loss->slope(model->u[i], y, epsilon, model->h);
            sum[1] += c * (value + a * model->u[i] - dps_loss_dual(loss, a, y, epsilon));
        }
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
    /* a few operations a row: waking threads costs more than it gives */
    dps_run run = *l->batch->run;
    if (level->tiles < TILES_WORTH_THREADS) {
        run.threads = 1;
    }
    return dps_ordered_sum_run(&sum, &run, total, err);
}

dps_status dps_newton_measure(const dps_newton_batch *batch, dps_newton_model *model,
                              dps_error *err)
{
    line l = {.batch = batch, .model = model};
    double total[SUM_COUNT];
    DPS_TRY(run_sum(&l, add_measure, total, err));
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
    l->t = t;
    const dps_status status = run_sum(l, add_line, total, err);
    const double ww = dps_dot(n, w, w), wp = dps_dot(n, w, p), pp = dps_dot(n, p, p);
    const double C = l->batch->level.C;
    at->value = 0.5 * (ww + 2.0 * t * wp + t * t * pp) + C * total[SUM_VALUE];
    at->slope = wp + t * pp - C * total[SUM_SLOPE];
    at->curvature = pp + C * total[SUM_CURVATURE];
    return status;
}

dps_status dps_newton_line(const dps_newton_batch *batch, const dps_newton_model *model, double *t,
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
    double low = 0.0, high = INFINITY, x = 1.0;
    for (int i = 0; i < MOST_EVALUATIONS; i++) {
        DPS_TRY(evaluate(&l, x, &at, err));
        const bool lower = at.slope <= 0.0 || at.value <= start.value + 0.01 * x * start.slope;
        if (lower && fabs(at.slope) <= 0.1 * -start.slope) {
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
