/* Task: F and its gradient. With u_i = <w, z_i> at the w that minimises P, the envelope theorem
 * leaves out how w moves:
 *
 *     dP / dz_ij = C c_i loss'(u_i) w_j,    dP / dV = X~^T [ dP / dp_if ],   x~ = (x, 1),
 *
 * dp by the map (map_projections.h); several models add up. So w must be near its minimum: a gap of
 * 1e-3 serves, 1e-2 costs accuracy.
 *
 * Coordinates: M = mean of x~ x~^T + (its mean diagonal) I = L L^T, V = unit L^-T theta, which
 * about halves the steps that L-BFGS needs; unit: the root of the mean diagonal of M, so that
 * entries of theta and V are of the same size.
 *
 * Cost of an evaluation: the map once, Newton's steps from the last w, and for the rows with a
 * slope the map's factors again and 2 (d + 1) F flops a row. Sums over rows are ordered sums: the
 * same bits for any number of threads. */
#include "refine_objective.h"

#include <math.h>
#include <string.h>
#include "allocation.h"
#include "cholesky.h"
#include "ordered_sum.h"
#include "products.h"
#include "ridge.h"
#include "tile_fetch.h"
#include "tile_kernels.h"

/* ---- rows -------------------------------------------------------------------------------------*/

static size_t tile_floats(const dps_refine_objective *o)
{
    return DPS_TILE_ROWS * o->row_stride;
}

/* Row i of a tile, dense or compressed, to x. */
static void copy_row(const dps_row_tile *tile, int32_t i, float *x)
{
    if (tile->dense != NULL) {
        memcpy(x, tile->dense + (size_t)i * tile->stride, (size_t)tile->columns * sizeof *x);
        return;
    }
    for (int64_t k = tile->start[i]; k < tile->start[i + 1]; k++) {
        x[tile->column[k]] = tile->value[k];
    }
}

static dps_status copy_rows(dps_refine_objective *o, const dps_row_source *rows, dps_error *err)
{
    const int64_t tiles = dps_tile_count(rows->rows);
    dps_free(o->row);
    DPS_NEED(o->row, (size_t)tiles * tile_floats(o), "the rows of the refinement", err);
    for (int64_t t = 0; t < tiles; t++) {
        dps_row_tile tile;
        DPS_TRY(rows->get(rows->context, t, &tile, err));
        float *x = o->row + (size_t)t * tile_floats(o);
        for (int32_t i = 0; i < tile.rows; i++, x += o->row_stride) {
            copy_row(&tile, i, x);
            x[o->d] = 1.0f;
        }
    }
    return DPS_OK;
}

dps_status dps_refine_objective_rows(dps_refine_objective *o, const dps_labelled_rows *rows,
                                     dps_error *err)
{
    dps_feature_stream_free(o->stream);
    o->stream = NULL;
    DPS_TRY(copy_rows(o, &rows->x, err));
    DPS_TRY(dps_feature_stream_new(&o->stream, &rows->x, o->map, o->bias, o->budget, o->run, err));
    o->problem.source = dps_feature_stream_source(o->stream);
    o->problem.label = rows->label;
    o->problem.target = rows->target;
    o->problem.row_weight = rows->weight;
    return o->solution.w == NULL ? dps_solution_init(&o->solution, &o->problem, err) : DPS_OK;
}

/* ---- coordinates ------------------------------------------------------------------------------*/

/* L of the second moments of the rows in use, lower triangle of e x e. */
static dps_status whiten(dps_refine_objective *o, dps_error *err)
{
    const size_t e = (size_t)o->d + 1, packed = e * (e + 1) / 2;
    const int64_t rows = o->problem.source->rows;
    double *sum, *scratch, trace = 0.0;
    DPS_NEED(o->whitener, e * e, "second moments of the rows", err);
    sum = dps_alloc(packed, sizeof *sum);
    scratch = dps_alloc(1, dps_cross_bytes(e) + dps_cholesky_bytes(e));
    if (sum == NULL || scratch == NULL) {
        dps_free(sum);
        dps_free(scratch);
        return dps_out_of_memory(err, packed, sizeof *sum, "second moments of the rows");
    }
    for (int64_t t = 0; t < dps_tile_count(rows); t++) {
        dps_cross_add(o->run->simd, false, (size_t)dps_tile_height(&o->problem, t), e,
                      o->row + (size_t)t * tile_floats(o), o->row_stride, 1.0, sum, scratch);
    }
    for (size_t i = 0; i < e; i++) {
        for (size_t j = 0; j <= i; j++) {
            o->whitener[i * e + j] = sum[i * (i + 1) / 2 + j] / (double)rows;
        }
        trace += o->whitener[i * e + i];
    }
    for (size_t i = 0; i < e; i++) {
        o->whitener[i * e + i] += trace / (double)e;
    }
    o->unit = sqrt(2.0 * trace / (double)e);
    const bool positive = dps_cholesky(o->run->simd, o->run->threads, e, o->whitener, e, scratch);
    dps_free(sum);
    dps_free(scratch);
    return positive ? DPS_OK
                    : dps_error_set(err, DPS_ERROR_NUMERIC,
                                    "map.refine: the second moments of the rows are not finite; "
                                    "scale the columns (data.scaling)");
}

/* Whether the variables are whitened: the diagonal of a metric is left as it is. */
static bool whitened(const dps_refine_objective *o)
{
    return o->columns > 1 || !o->metric;
}

/* L and its rows below n, where T has no row for the 1. */
static double entry(const dps_refine_objective *o, size_t i, size_t k)
{
    return o->whitener[i * ((size_t)o->d + 1) + k];
}

/* moved = unit L^-T theta, row by row from the last. */
static void to_moved(dps_refine_objective *o, const double *theta)
{
    const size_t f = o->columns;
    double *v = o->work;
    memcpy(v, theta, o->n * sizeof *v);
    for (size_t i = o->rows; whitened(o) && i-- > 0;) {
        double *row = v + i * f;
        for (size_t j = 0; j < f; j++) {
            row[j] *= o->unit;
        }
        for (size_t k = i + 1; k < o->rows; k++) {
            dps_axpy(f, -entry(o, k, i), v + k * f, row);
        }
        for (size_t j = 0; j < f; j++) {
            row[j] /= entry(o, i, i);
        }
    }
    for (size_t k = 0; k < o->n; k++) {
        o->moved[k] = (float)v[k];
    }
}

/* theta = L^T moved / unit. */
static void to_theta(const dps_refine_objective *o, double *theta)
{
    const size_t f = o->columns;
    for (size_t i = 0; i < o->rows; i++) {
        for (size_t j = 0; j < f; j++) {
            double sum = 0.0;
            for (size_t k = i; k < o->rows; k++) {
                sum += entry(o, k, i) * (double)o->moved[k * f + j];
            }
            theta[i * f + j] = whitened(o) ? sum / o->unit : o->moved[i * f + j];
        }
    }
}

/* g = unit L^-1 g: from a gradient by V or T to one by theta. */
static void to_theta_gradient(const dps_refine_objective *o, double *g)
{
    const size_t f = o->columns;
    for (size_t i = 0; whitened(o) && i < o->rows; i++) {
        double *row = g + i * f;
        for (size_t k = 0; k < i; k++) {
            dps_axpy(f, -entry(o, i, k), g + k * f, row);
        }
        for (size_t j = 0; j < f; j++) {
            row[j] /= entry(o, i, i);
        }
    }
    for (size_t k = 0; whitened(o) && k < o->n; k++) {
        g[k] *= o->unit;
    }
}

/* The map goes where the variables say. */
static void move_map(dps_refine_objective *o)
{
    if (o->metric) {
        dps_metric_apply(o->d, o->factors, o->moved, o->start, o->v);
    }
    dps_map_move(o->map, o->metric ? o->v : o->moved);
}

/* From by_v to a gradient by V or T: V = T start. */
static void to_moved_gradient(const dps_refine_objective *o, double scale, double *g)
{
    const size_t f = (size_t)o->factors;
    for (size_t k = 0; !o->metric && k < o->n; k++) {
        g[k] = scale * o->by_v[k];
    }
    for (size_t i = 0; o->metric && i < o->rows; i++) {
        for (size_t j = 0; j < o->columns; j++) {
            const float *start = o->start + (o->columns > 1 ? j : i) * f;
            double sum = 0.0;
            for (size_t k = 0; k < f; k++) {
                sum += o->by_v[i * f + k] * (double)start[k];
            }
            g[i * o->columns + j] = scale * sum;
        }
    }
}

void dps_refine_objective_start(const dps_refine_objective *o, double *theta)
{
    if (o->metric) {
        memset(o->moved, 0, o->n * sizeof *o->moved);
        for (size_t i = 0; i < o->rows; i++) {
            o->moved[o->columns > 1 ? i * o->columns + i : i] = 1.0f;
        }
    } else {
        dps_map_projections(o->map, o->moved);
    }
    to_theta(o, theta);
}

/* ---- the gradient -----------------------------------------------------------------------------*/

/* What a thread has for a tile. */
typedef struct slope_space {
    float *w;      /* models x the source's stride: the weights */
    double *u;     /* models x DPS_TILE_ROWS: then -dP / du over C */
    float *slope;  /* rows with a slope x models: dP / du over C */
    float *row;    /* rows with a slope: x~ */
    float *column; /* dP / dz of them */
    float *factor; /* dP / dp */
    void *map, *fetch;
} slope_space;

static size_t column_stride(const dps_refine_objective *o)
{
    return dps_round_up((size_t)dps_map_width(o->map), DPS_PAD);
}

static size_t factor_stride(const dps_refine_objective *o)
{
    return dps_round_up((size_t)o->factors, DPS_PAD);
}

static size_t rounded(size_t bytes)
{
    return dps_round_up(bytes, DPS_ALIGN);
}

/* Divides `memory`, or measures it (NULL). */
static size_t divide_space(const dps_refine_objective *o, char *memory, slope_space *s)
{
    const size_t models = (size_t)dps_problem_models(&o->problem);
    const size_t bytes[] = {models * o->problem.source->stride * sizeof(float),
                            models * DPS_TILE_ROWS * sizeof(double),
                            models * DPS_TILE_ROWS * sizeof(float),
                            tile_floats(o) * sizeof(float),
                            DPS_TILE_ROWS * column_stride(o) * sizeof(float),
                            DPS_TILE_ROWS * factor_stride(o) * sizeof(float),
                            dps_map_slopes_bytes(o->map),
                            dps_fetch_bytes(o->problem.source)};
    enum { PARTS = sizeof bytes / sizeof bytes[0] };
    size_t at[PARTS + 1] = {0};
    for (size_t k = 0; k < PARTS; k++) {
        at[k + 1] = at[k] + rounded(bytes[k]);
    }
    if (memory != NULL) {
        s->w = (float *)(void *)memory;
        s->u = (double *)(void *)(memory + at[1]);
        s->slope = (float *)(void *)(memory + at[2]);
        s->row = (float *)(void *)(memory + at[3]);
        s->column = (float *)(void *)(memory + at[4]);
        s->factor = (float *)(void *)(memory + at[5]);
        s->map = memory + at[6];
        s->fetch = memory + at[7];
    }
    return at[PARTS];
}

/* Three classes and more: squared losses, whose one factor serves all models. */
static bool by_squares(const dps_refine_objective *o)
{
    return o->problem.classes > 2 && o->problem.source->rows > DPS_RIDGE_ROWS &&
           dps_ridge_takes(o->problem.source);
}

/* slope of the loss of every row and model in place of the scores; list: rows that have one, with
 * room for one more. */
static int32_t find_slopes(const dps_refine_objective *o, int64_t t, int32_t rows, double *u,
                           int32_t *list)
{
    const dps_problem *p = &o->problem;
    const int32_t models = dps_problem_models(p);
    const bool squares = by_squares(o);
    double y[DPS_TILE_ROWS], value[DPS_TILE_ROWS], slope[DPS_TILE_ROWS], bend[DPS_TILE_ROWS];
    bool any[DPS_TILE_ROWS] = {false};
    for (int32_t k = 0; k < models; k++) {
        double *at = u + k * DPS_TILE_ROWS;
        dps_targets(p, k, t * DPS_TILE_ROWS, rows, y);
        if (!squares) {
            p->loss->rows(rows, at, y, p->epsilon, 0.0, value, slope, bend);
        }
        for (int32_t i = 0; i < rows; i++) {
            const double weight = dps_row_weight(p, t * DPS_TILE_ROWS + i);
            at[i] = weight * (squares ? 2.0 * (y[i] - at[i]) : slope[i]);
            any[i] |= at[i] != 0.0;
        }
    }
    int32_t count = 0;
    for (int32_t i = 0; i < rows; i++) {
        list[count] = i;
        count += any[i];
    }
    return count;
}

/* column: dP / dz over C of the listed rows; row: their x~. */
static void gather_slopes(const dps_refine_objective *o, int64_t t, const int32_t *list,
                          int32_t count, const slope_space *s)
{
    enum { TOGETHER = 8 };
    const size_t stride = column_stride(o), width = (size_t)dps_map_width(o->map);
    const size_t models = (size_t)dps_problem_models(&o->problem);
    const float *x = o->row + (size_t)t * tile_floats(o);
    for (int32_t i = 0; i < count; i++) {
        memcpy(s->row + (size_t)i * o->row_stride, x + (size_t)list[i] * o->row_stride,
               o->row_stride * sizeof *x);
        for (size_t k = 0; k < models; k++) {
            s->slope[(size_t)i * models + k] = (float)-s->u[k * DPS_TILE_ROWS + (size_t)list[i]];
        }
    }
    memset(s->column, 0, (size_t)count * stride * sizeof *s->column);
    for (int32_t i = 0; i < count; i += TOGETHER) {
        const int32_t some = count - i < TOGETHER ? count - i : TOGETHER;
        dps_chains_many(o->run->simd, models, stride, s->w, o->problem.source->stride, (size_t)some,
                        s->slope + (size_t)i * models, models, s->column + (size_t)i * stride);
    }
    for (int32_t i = 0; i < count; i++) { /* the bias's column is not the map's */
        memset(s->column + (size_t)i * stride + width, 0, (stride - width) * sizeof *s->column);
    }
}

static void round_weights(const dps_refine_objective *o, float *w)
{
    const size_t stride = o->problem.source->stride;
    for (int32_t k = 0; k < dps_problem_models(&o->problem); k++) {
        for (size_t j = 0; j < stride; j++) {
            w[(size_t)k * stride + j] = (float)o->solution.w[(size_t)k * o->solution.length + j];
        }
    }
}

static dps_status add_tile(void *context, int64_t t, double *sum, void *scratch, dps_error *err)
{
    dps_refine_objective *o = context;
    const size_t e = (size_t)o->d + 1, f = (size_t)o->factors;
    slope_space s;
    dps_z_tile z;
    int32_t list[DPS_TILE_ROWS + 1];
    divide_space(o, scratch, &s);
    DPS_TRY(dps_fetch(o->problem.source, t, s.fetch, &z, err));
    round_weights(o, s.w);
    for (int32_t k = 0; k < dps_problem_models(&o->problem); k++) {
        dps_tile_scores(o->run->simd, &z, o->solution.w + (size_t)k * o->solution.length, NULL,
                        z.rows, s.u + k * DPS_TILE_ROWS);
    }
    const int32_t count = find_slopes(o, t, z.rows, s.u, list);
    gather_slopes(o, t, list, count, &s);
    const dps_row_tile rows = {
        .rows = count, .columns = o->d, .dense = s.row, .stride = o->row_stride};
    dps_map_slopes(o->map, o->run->simd, &rows, s.column, column_stride(o), s.factor,
                   factor_stride(o), s.map);
    dps_outer_add(o->run->simd, (size_t)count, e, s.row, o->row_stride, f, s.factor,
                  factor_stride(o), sum, f);
    return DPS_OK;
}

static dps_status find_gradient(dps_refine_objective *o, dps_error *err)
{
    const int64_t tiles = dps_tile_count(o->problem.source->rows);
    const size_t elements = ((size_t)o->d + 1) * (size_t)o->factors;
    const double flops = 4.0 * DPS_TILE_ROWS * (double)elements;
    const dps_ordered_sum sum = {.tiles = tiles,
                                 .slots = dps_slot_count(tiles, elements, flops),
                                 .elements = elements,
                                 .scratch_bytes = divide_space(o, NULL, NULL),
                                 .add = add_tile,
                                 .context = o};
    return dps_ordered_sum_run(&sum, o->run, o->by_v, err);
}

/* ---- the whole --------------------------------------------------------------------------------*/

static double weight_of_rows(const dps_problem *p)
{
    double weight = 0.0;
    for (int64_t i = 0; i < p->source->rows; i++) {
        weight += dps_row_weight(p, i);
    }
    return weight * dps_problem_models(p);
}

/* Where columns are of so different sizes that Newton's arithmetic ends, the map has gone too far:
 * DPS_ERROR_NUMERIC. */
static dps_status solve(dps_refine_objective *o, dps_error *err)
{
    const double lost = 0.01; /* gap */
    if (by_squares(o)) {
        return dps_ridge_solve(&o->problem, o->run, &o->solution, err);
    }
    DPS_TRY(dps_solver_newton.solve(&o->problem, &o->settings, o->run, &o->solution, err));
    for (int32_t k = 0; k < o->solution.models; k++) {
        if (!(o->solution.certificate[k].gap <= lost)) {
            return dps_error_set(err, DPS_ERROR_NUMERIC, "no weights for this map");
        }
    }
    return DPS_OK;
}

static dps_status evaluate(dps_refine_objective *o, const double *theta, double *f, double *g,
                           dps_error *err)
{
    const double scale = 1.0 / weight_of_rows(&o->problem);
    to_moved(o, theta);
    move_map(o);
    DPS_TRY(dps_feature_stream_remake(o->stream, o->run, err));
    DPS_TRY(solve(o, err));
    *f = 0.0;
    for (int32_t k = 0; k < o->solution.models; k++) {
        *f += o->solution.certificate[k].primal * scale / o->problem.C;
    }
    DPS_TRY(find_gradient(o, err));
    to_moved_gradient(o, scale, g);
    to_theta_gradient(o, g);
    return DPS_OK;
}

dps_status dps_refine_objective_value(void *objective, const double *theta, double *f, double *g,
                                      dps_error *err)
{
    const dps_status status = evaluate(objective, theta, f, g, err);
    if (status == DPS_ERROR_NUMERIC) {
        *f = INFINITY;
        return DPS_OK;
    }
    return status;
}

size_t dps_refine_variables(const dps_map *map, bool metric, int32_t d)
{
    return metric ? (size_t)dps_metric_numbers(d) : ((size_t)d + 1) * (size_t)dps_map_factors(map);
}

dps_status dps_refine_objective_init(dps_refine_objective *o, const dps_labelled_rows *rows,
                                     dps_error *err)
{
    o->d = rows->x.columns;
    o->factors = dps_map_factors(o->map);
    o->n = dps_refine_variables(o->map, o->metric, o->d);
    o->rows = (size_t)o->d + (o->metric ? 0 : 1);
    o->columns = o->n / o->rows;
    o->row_stride = dps_round_up((size_t)o->d + 1, DPS_PAD);
    const size_t projections = ((size_t)o->d + 1) * (size_t)o->factors;
    DPS_NEED(o->moved, o->n, "the map's projections", err);
    DPS_NEED(o->work, o->n, "the map's projections", err);
    DPS_NEED(o->by_v, projections, "the map's projections", err);
    if (o->metric) {
        DPS_NEED(o->start, projections, "the map's projections", err);
        DPS_NEED(o->v, projections, "the map's projections", err);
        dps_map_projections(o->map, o->start);
    }
    DPS_TRY(dps_refine_objective_rows(o, rows, err));
    return whiten(o, err);
}

void dps_refine_objective_release(dps_refine_objective *o)
{
    dps_feature_stream_free(o->stream);
    dps_solution_release(&o->solution);
    dps_free(o->whitener);
    dps_free(o->moved);
    dps_free(o->work);
    dps_free(o->start);
    dps_free(o->v);
    dps_free(o->by_v);
    dps_free(o->row);
    *o = (dps_refine_objective){0};
}
