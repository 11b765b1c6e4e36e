/* Task: P(w), a dual value and (P - dual) / P for every model, from a fresh pass over the rows.
 *
 *     P(w)    = 1/2 |w|^2 + C sum_i c_i loss(u_i, y_i),               u_i = <w, z_i>
 *     D(alpha) = C sum_i c_i (gain(a_i) - q a_i^2) - 1/2 |v|^2,   v = sum_i alpha_i z_i,
 *                                                                 a_i = alpha_i / (c_i C)
 *
 * D(alpha) <= min P for every feasible alpha (Fenchel; Hsieh et al. 2008, eq. 3; Ho & Lin 2012, eq.
 * 13), alpha_i with the sign of y_i for classes. dcd brings its alpha and w = v. For a primal
 * solver alpha_i = c_i C slope(u_i, h) (minus the loss' derivative, of the loss smoothed by h), and
 *     D(t alpha) >= t L - t^2 (Q + |v|^2 / 2),   L = C sum c_i gain(a_i),   Q = q C sum c_i a_i^2
 * (equal where gain is linear, as it always is but for the logistic loss, and at t = 1) is taken at
 * the best t in [0, 1], or beyond where alpha has no upper bound; so the gap never exceeds 1,
 * however poor w is.
 *
 * Cost: one score pass, and one update pass for the dual from the primal. Sums over rows are
 * ordered sums whose slots depend on one model's size only: models may share a pass in any
 * grouping, the same one on all ranks. */
#include "certificate.h"

#include <math.h>

#include "allocation.h"
#include "comm.h"
#include "ordered_sum.h"
#include "rank_sums.h"
#include "tile_fetch.h"
#include "tile_kernels.h"

/* One model's sums: loss, L, Q, then v. */
enum { SUM_LOSS, SUM_GAIN, SUM_SQUARE, SUM_HEAD = DPS_PAD };

typedef struct pass {
    const dps_problem *problem;
    const double *w;
    const dps_dual_point *point;
    dps_simd simd;
    size_t length;       /* of a weight vector */
    size_t elements;     /* doubles of one model's sums */
    const int32_t *list; /* models of this pass; NULL: first, first + 1, ... */
    int32_t first, count;
} pass;

static int32_t model_of(const pass *p, int32_t j)
{
    return p->list != NULL ? p->list[p->first + j] : p->first + j;
}

static size_t scratch_bytes(const dps_problem *problem)
{
    return dps_fetch_bytes(problem->source) + 2 * DPS_TILE_ROWS * sizeof(double);
}

static void add_model(const pass *p, int64_t t, const dps_z_tile *tile, int32_t k, double *sum,
                      double *u, double *c)
{
    const dps_problem *problem = p->problem;
    const dps_loss *loss = problem->loss;
    const dps_dual_point *point = p->point;
    const double h = point->smoothing == NULL ? 1.0 : point->smoothing[k];
    const int64_t first = t * DPS_TILE_ROWS;
    double y[DPS_TILE_ROWS], value[DPS_TILE_ROWS], slope[DPS_TILE_ROWS], bend[DPS_TILE_ROWS];
    dps_tile_scores(p->simd, tile, p->w + (size_t)k * p->length, NULL, tile->rows, u);
    dps_targets(problem, k, first, tile->rows, y);
    loss->rows(tile->rows, u, y, problem->epsilon, h, value, slope, bend);
    for (int32_t r = 0; r < tile->rows; r++) {
        const int64_t i = first + r;
        const double top = problem->C * dps_row_weight(problem, i);
        if (top == 0.0) {
            c[r] = 0.0;
            continue;
        }
        sum[SUM_LOSS] +=
            top * (loss->smooth ? value[r] : loss->value(u[r], y[r], problem->epsilon));
        if (point->kind == DPS_DUAL_NONE) {
            continue;
        }
        const double alpha =
            point->kind == DPS_DUAL_GIVEN
                ? point->alpha[(size_t)i * (size_t)dps_problem_models(problem) + (size_t)k]
                : top * slope[r];
        sum[SUM_GAIN] += top * loss->gain(alpha / top, y[r], problem->epsilon);
        sum[SUM_SQUARE] += loss->dual_bend * (alpha / top) * alpha;
        c[r] = alpha;
    }
    if (point->kind == DPS_DUAL_FROM_PRIMAL) {
        dps_tile_add_panel(p->simd, tile, NULL, tile->rows, c, 0, tile->stride, sum + SUM_HEAD);
        dps_tile_add_sparse(tile, NULL, tile->rows, c, sum + SUM_HEAD);
    }
}

static dps_status add_tile(void *context, int64_t t, double *sum, void *scratch, dps_error *err)
{
    const pass *p = context;
    char *after = (char *)scratch + dps_fetch_bytes(p->problem->source);
    double *u = (void *)after;
    dps_z_tile tile;
    DPS_TRY(dps_fetch(p->problem->source, t, scratch, &tile, err));
    for (int32_t j = 0; j < p->count; j++) {
        add_model(p, t, &tile, model_of(p, j), sum + (size_t)j * p->elements, u, u + DPS_TILE_ROWS);
    }
    return DPS_OK;
}

double dps_best_multiple(const dps_loss *loss, double linear, double square)
{
    double t = linear > 0.0 && square > 0.0 ? linear / (2.0 * square) : 0.0;
    if (t > 1.0 && isfinite(loss->dual_top)) {
        t = 1.0;
    }
    const double value = t * linear - t * t * square;
    return isfinite(value) ? value : 0.0;
}

dps_certificate dps_certificate_of(double primal, double dual)
{
    const double difference = dual < INFINITY ? primal - dual : INFINITY; /* or no number */
    const double gap = primal > 0.0 ? difference / primal : INFINITY;
    return (dps_certificate){primal, dual, difference > 0.0 ? gap : 0.0};
}

static double best_dual(const pass *p, const double *sum)
{
    if (p->point->kind == DPS_DUAL_NONE) {
        return -INFINITY;
    }
    const double linear = sum[SUM_GAIN];
    const double norm2 = dps_dot(p->length, sum + SUM_HEAD, sum + SUM_HEAD);
    const double square = sum[SUM_SQUARE] + 0.5 * norm2;
    return dps_best_multiple(p->problem->loss, linear, square);
}

static dps_status finish_model(const pass *p, int32_t k, const double *sum, dps_certificate *out,
                               dps_error *err)
{
    const double *w = p->w + (size_t)k * p->length;
    const double half_norm2 = 0.5 * dps_dot(p->length, w, w);
    const double primal = half_norm2 + sum[SUM_LOSS];
    if (!isfinite(primal)) {
        return dps_not_finite(p->problem, "the objective", err);
    }
    const double dual = p->point->kind == DPS_DUAL_GIVEN
                            ? sum[SUM_GAIN] - sum[SUM_SQUARE] - half_norm2
                            : best_dual(p, sum);
    *out = dps_certificate_of(primal, dual);
    return DPS_OK;
}

/* Models that share a pass: what a sixteenth of the memory holds on every rank, at most 64. */
static int32_t batch_size(int32_t models, size_t elements, const dps_run *run, const dps_comm *comm)
{
    const size_t each = elements * sizeof(double) * (size_t)(run->threads + 8);
    const size_t fit = run->memory / 16 / each;
    int32_t batch = fit > 64 ? 64 : (int32_t)fit;
    batch = (int32_t)-dps_comm_max(comm, -(double)batch);
    batch = batch < 1 ? 1 : batch;
    return batch < models ? batch : models;
}

dps_status dps_certify(const dps_problem *problem, const double *w, const dps_dual_point *point,
                       const int32_t *list, int32_t count, const dps_run *run,
                       dps_certificate *certificate, dps_error *err)
{
    const dps_tile_source *source = problem->source;
    const size_t length = dps_weight_length(source);
    const bool vector = point->kind == DPS_DUAL_FROM_PRIMAL;
    pass p = {.problem = problem,
              .w = w,
              .point = point,
              .simd = run->simd,
              .length = length,
              .list = list};
    p.elements = SUM_HEAD + (vector ? length : 0);
    const int32_t models = list != NULL ? count : dps_problem_models(problem);
    const int32_t batch = batch_size(models, p.elements, run, dps_problem_comm(problem, run));
    const int64_t tiles = dps_tile_count(dps_tiles_rows(source));
    const double flops = (vector ? 4.0 : 2.0) * DPS_TILE_ROWS * (double)source->stride;
    double *total;
    DPS_NEED(total, (size_t)batch * p.elements, "the certificate", err);
    dps_status status = DPS_OK;
    for (p.first = 0; p.first < models && status == DPS_OK; p.first += batch) {
        p.count = models - p.first < batch ? models - p.first : batch;
        const dps_ordered_sum sum = {.tiles = dps_tile_count(source->rows),
                                     .first_tile = dps_tile_count(source->first_row),
                                     .total_tiles = dps_tile_count(source->total_rows),
                                     .slots = dps_slot_count(tiles, p.elements, flops),
                                     .elements = (size_t)p.count * p.elements,
                                     .scratch_bytes = scratch_bytes(problem),
                                     .add = add_tile,
                                     .context = &p};
        status = dps_ordered_sum_run(&sum, run, total, err);
        for (int32_t j = 0; j < p.count && status == DPS_OK; j++) {
            const int32_t k = model_of(&p, j);
            status = finish_model(&p, k, total + (size_t)j * p.elements, &certificate[k], err);
        }
    }
    dps_free(total);
    return status;
}

dps_status dps_certify_primal(const dps_problem *problem, const double *w, const dps_run *run,
                              dps_certificate *scratch, double *smoothing,
                              dps_certificate *certificate, dps_error *err)
{
    const int32_t models = dps_problem_models(problem);
    const double unit = dps_score_unit(problem, run);
    bool better = true; /* the gap has one minimum in h: stop when no model gains any more */
    for (double h = 1.0; better && h > 1e-15; h *= 0.25) {
        for (int32_t k = 0; k < models; k++) {
            smoothing[k] = h * unit;
        }
        const dps_dual_point point = {.kind = DPS_DUAL_FROM_PRIMAL, .smoothing = smoothing};
        DPS_TRY(dps_certify(problem, w, &point, NULL, 0, run, scratch, err));
        better = false;
        for (int32_t k = 0; k < models; k++) {
            if (h == 1.0 || scratch[k].gap < certificate[k].gap) {
                certificate[k] = scratch[k];
                better = !problem->loss->smooth;
            }
        }
    }
    return DPS_OK;
}

double dps_score_unit(const dps_problem *problem, const dps_run *run)
{
    const dps_comm *comm = dps_problem_comm(problem, run);
    const double rows = (double)dps_tiles_rows(problem->source);
    double sum;
    if (!problem->loss->regression) {
        return 1.0;
    }
    dps_in_turn_begin(comm, &sum, sizeof sum);
    for (int64_t i = 0; i < problem->source->rows; i++) {
        sum += fabs(problem->target[i]) / rows;
    }
    dps_in_turn_end(comm, &sum, sizeof sum);
    return sum > 0.0 ? sum : 1.0;
}

dps_status dps_not_finite(const dps_problem *problem, const char *what, dps_error *err)
{
    return dps_error_set(err, DPS_ERROR_NUMERIC,
                         "%s is not a finite number at solver.C = %g: lower solver.C%s, or set "
                         "map.scale = unit and a data.scaling other than none",
                         what, problem->C,
                         problem->row_weight != NULL ? " or the weights of data.weights" : "");
}

dps_status dps_stopped(dps_error *err)
{
    return dps_error_set(err, DPS_ERROR_STOPPED, "stopped while solving");
}
