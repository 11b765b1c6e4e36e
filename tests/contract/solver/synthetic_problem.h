/* Problems in memory for the solver tests: correlated Gaussian features of mean |z|^2 = 1 and a
 * constant column, labels or targets from a noisy teacher. Tiles are resident or copied on every
 * call, alike in every bit. */
#ifndef SYNTHETIC_PROBLEM_H
#define SYNTHETIC_PROBLEM_H

#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <stdatomic.h>
#include "allocation.h"
#include "random.h"
#include "solver.h"

#define SYNTHETIC_SEED    20120421
#define SYNTHETIC_EPSILON 0.1

typedef struct synthetic {
    dps_tile_source source;
    dps_problem problem;
    float *z; /* whole tiles x stride */
    int32_t *label;
    double *target; /* of a loss of regression */
    double *class_weight;
    int64_t *start; /* sparse block, or NULL */
    int32_t *column;
    float *value;
    double sparse_scale;
    int64_t failing_tile; /* get() of it fails; -1: none */
    int32_t shards;       /* 0: auto */
    int32_t batch;        /* 0: auto */
    dps_run run;
} synthetic;

static inline dps_status synthetic_get(const void *context, int64_t t, float *buffer, void *scratch,
                                       dps_z_tile *tile, dps_error *err)
{
    const synthetic *s = context;
    const size_t stride = s->source.stride, size = DPS_TILE_ROWS * stride;
    const int64_t left = s->source.rows - t * DPS_TILE_ROWS;
    if (t == s->failing_tile) {
        return dps_error_set(err, DPS_ERROR_DATA, "tile %lld is broken", (long long)t);
    }
    *tile = (dps_z_tile){.rows = (int32_t)(left < DPS_TILE_ROWS ? left : DPS_TILE_ROWS),
                         .width = s->source.width,
                         .stride = stride,
                         .z = s->z + (size_t)t * size,
                         .sparse_scale = s->sparse_scale};
    if (s->start != NULL) {
        tile->start = s->start + t * DPS_TILE_ROWS;
        tile->column = s->column;
        tile->value = s->value;
    }
    if (!s->source.resident) {
        memcpy(buffer, s->z + (size_t)t * size, size * sizeof(float));
        memset(scratch, 1, s->source.scratch_bytes);
        tile->z = buffer;
    }
    return DPS_OK;
}

static inline double synthetic_normal(uint32_t a, uint32_t b, uint32_t c)
{
    return dps_random_normal(SYNTHETIC_SEED, DPS_STREAM_SAMPLE, a, b, c);
}

/* Fills z and label; column scales fall from 1 to 0.1, so that the Hessian is far from the
 * identity. */
static inline void synthetic_fill(synthetic *s, int64_t rows, int32_t width, int32_t classes,
                                  double noise)
{
    double norm2 = 0.0;
    for (int32_t j = 0; j + 1 < width; j++) {
        norm2 += pow(0.1, 2.0 * j / width);
    }
    for (int64_t i = 0; i < rows; i++) {
        float *z = s->z + (size_t)i * s->source.stride;
        double best = -INFINITY;
        for (int32_t j = 0; j + 1 < width; j++) {
            z[j] = (float)(synthetic_normal((uint32_t)i, 0, (uint32_t)j) *
                           pow(0.1, (double)j / width) / sqrt(norm2));
        }
        z[width - 1] = 1.0f;
        for (int32_t k = 0; k < classes; k++) {
            double score = noise * synthetic_normal((uint32_t)i, 1, (uint32_t)k);
            for (int32_t j = 0; j + 1 < width; j++) {
                score += 3.0 * (double)z[j] * synthetic_normal((uint32_t)k, 2, (uint32_t)j);
            }
            if (score > best) {
                best = score;
                s->label[i] = k;
            }
        }
        s->target[i] = 0.5 + best; /* spread about 1 */
    }
}

/* Rows in the order of their classes. */
static inline void synthetic_sort(synthetic *s)
{
    const size_t stride = s->source.stride;
    const int64_t rows = s->source.rows;
    float *z = dps_alloc((size_t)dps_tile_count(rows) * DPS_TILE_ROWS * stride, sizeof *z);
    int32_t *label = dps_alloc((size_t)rows, sizeof *label);
    double *target = dps_alloc((size_t)rows, sizeof *target);
    int64_t at = 0;
    for (int32_t k = 0; k < s->problem.classes; k++) {
        for (int64_t i = 0; i < rows; i++) {
            if (s->label[i] == k) {
                memcpy(z + (size_t)at * stride, s->z + (size_t)i * stride, stride * sizeof *z);
                target[at] = s->target[i];
                label[at++] = k;
            }
        }
    }
    memcpy(s->z, z, (size_t)rows * stride * sizeof *z);
    memcpy(s->label, label, (size_t)rows * sizeof *label);
    memcpy(s->target, target, (size_t)rows * sizeof *target);
    dps_free(z);
    dps_free(target);
    dps_free(label);
}

/* Three entries a row in `columns` further columns. */
static inline void synthetic_add_sparse(synthetic *s, int32_t columns)
{
    const int64_t rows = s->source.rows;
    s->source.sparse_columns = columns;
    s->sparse_scale = 0.5;
    s->start = dps_alloc((size_t)dps_tile_count(rows) * DPS_TILE_ROWS + 1, sizeof *s->start);
    s->column = dps_alloc(3 * (size_t)rows, sizeof *s->column);
    s->value = dps_alloc(3 * (size_t)rows, sizeof *s->value);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t e = 0; e < 3; e++) {
            const int32_t third = columns / 3;
            s->column[3 * i + e] = (int32_t)e * third + (int32_t)dps_random_below(
                                                            SYNTHETIC_SEED, DPS_STREAM_FOLD, 0, 0,
                                                            (uint32_t)(3 * i + e), (uint64_t)third);
            s->value[3 * i + e] = (float)synthetic_normal((uint32_t)i, 3, (uint32_t)e);
        }
        s->start[i + 1] = 3 * (i + 1);
    }
}

static inline synthetic *synthetic_new(int64_t rows, int32_t width, int32_t classes,
                                       const char *loss, double C)
{
    synthetic *s = calloc(1, sizeof *s);
    s->source = (dps_tile_source){.rows = rows,
                                  .width = width,
                                  .stride = dps_round_up((size_t)width, DPS_PAD),
                                  .resident = true,
                                  .scratch_bytes = 100,
                                  .context = s,
                                  .get = synthetic_get};
    s->z = dps_alloc((size_t)dps_tile_count(rows) * DPS_TILE_ROWS * s->source.stride, sizeof *s->z);
    s->label = dps_alloc((size_t)rows, sizeof *s->label);
    s->target = dps_alloc((size_t)rows, sizeof *s->target);
    s->class_weight = dps_alloc((size_t)classes, sizeof *s->class_weight);
    for (int32_t k = 0; k < classes; k++) {
        s->class_weight[k] = 1.0;
    }
    s->failing_tile = -1;
    s->problem = (dps_problem){.source = &s->source,
                               .target = s->target,
                               .label = s->label,
                               .classes = classes,
                               .class_weight = s->class_weight,
                               .loss = dps_loss_find(loss),
                               .epsilon = SYNTHETIC_EPSILON,
                               .C = C};
    s->run = (dps_run){.threads = 1, .simd = DPS_SIMD_PORTABLE, .memory = (size_t)1 << 30};
    synthetic_fill(s, rows, width, classes, 0.5);
    return s;
}

static inline void synthetic_free(synthetic *s)
{
    dps_free(s->z);
    dps_free(s->label);
    dps_free(s->target);
    dps_free(s->class_weight);
    dps_free(s->start);
    dps_free(s->column);
    dps_free(s->value);
    free(s);
}

/* <w, z_i> the obvious way. */
static inline double synthetic_score(const synthetic *s, const double *w, int64_t i)
{
    const float *z = s->z + (size_t)i * s->source.stride;
    double u = 0.0;
    for (int32_t j = 0; j < s->source.width; j++) {
        u += w[j] * (double)z[j];
    }
    for (int64_t e = s->start == NULL ? 0 : s->start[i]; s->start != NULL && e < s->start[i + 1];
         e++) {
        u += s->sparse_scale * (double)s->value[e] * w[s->source.stride + (size_t)s->column[e]];
    }
    return u;
}

static inline double synthetic_y(const synthetic *s, int32_t k, int64_t i)
{
    if (s->problem.loss->regression) {
        return s->target[i];
    }
    return s->label[i] == (s->problem.classes == 2 ? 1 : k) ? 1.0 : -1.0;
}

static inline double synthetic_weight(const synthetic *s, int64_t i)
{
    return s->problem.loss->regression ? 1.0 : s->class_weight[s->label[i]];
}

/* Every loss written out once more. */
static inline double synthetic_loss(const synthetic *s, double u, double y)
{
    const char *name = s->problem.loss->name;
    if (strcmp(name, "logistic") == 0) {
        return log(1.0 + exp(-y * u)); /* margins of tests are moderate */
    }
    const bool squared = strncmp(name, "squared", 7) == 0;
    const double s_ = s->problem.loss->regression ? fabs(y - u) - SYNTHETIC_EPSILON : 1.0 - y * u;
    return s_ <= 0.0 ? 0.0 : (squared ? s_ * s_ : s_);
}

/* P(w) of model k by its definition. */
static inline double synthetic_primal(const synthetic *s, int32_t k, const double *w)
{
    double P = 0.0;
    for (size_t l = 0; l < dps_weight_length(&s->source); l++) {
        P += 0.5 * w[l] * w[l];
    }
    for (int64_t i = 0; i < s->source.rows; i++) {
        P += s->problem.C * synthetic_weight(s, i) *
             synthetic_loss(s, synthetic_score(s, w, i), synthetic_y(s, k, i));
    }
    return P;
}

static inline dps_status synthetic_solve(synthetic *s, const char *solver, double tolerance,
                                         int64_t most, dps_solution *solution, dps_error *err)
{
    const dps_solver_settings settings = {.tolerance = tolerance,
                                          .max_iterations = most,
                                          .seed = 1,
                                          .shards = s->shards,
                                          .batch = s->batch};
    const dps_status status = dps_solution_init(solution, &s->problem, err);
    return status != DPS_OK
               ? status
               : dps_solve(dps_solver_find(solver), &s->problem, &settings, &s->run, solution, err);
}

/* What a row adds to the dual at multiplier a (w = sum a z), weight Ci. */
static inline double synthetic_dual_term(const synthetic *s, double a, double y, double Ci)
{
    const char *name = s->problem.loss->name;
    const double tube = s->problem.loss->regression ? SYNTHETIC_EPSILON * fabs(a) : 0.0;
    if (strcmp(name, "logistic") == 0) {
        const double t = y * a / Ci;
        return t <= 0.0 || t >= 1.0 ? 0.0 : -Ci * (t * log(t) + (1.0 - t) * log(1.0 - t));
    }
    return y * a - tube - (strncmp(name, "squared", 7) == 0 ? 0.25 * a * a / Ci : 0.0);
}

/* The best multiplier of one row from a, where the score is u and q = |z|^2, by bisection on the
 * derivative of the dual, which falls in a. */
static inline double synthetic_best_multiplier(const synthetic *s, double a, double u, double y,
                                               double q, double Ci)
{
    const char *name = s->problem.loss->name;
    const bool logistic = strcmp(name, "logistic") == 0, class_loss = !s->problem.loss->regression;
    const bool squared = strncmp(name, "squared", 7) == 0;
    double low = squared ? -1e4 : -Ci, high = -low;
    if (class_loss) {
        low = y > 0.0 ? 0.0 : low;
        high = y > 0.0 ? high : 0.0;
    }
    for (int i = 0; i < 50; i++) {
        const double b = 0.5 * (low + high);
        double slope = -(u + q * (b - a));
        if (logistic) {
            const double t = y * b / Ci;
            slope += y * log((1.0 - t) / t);
        } else {
            slope += y - (squared ? 0.5 * b / Ci : 0.0);
            slope -= class_loss ? 0.0 : copysign(SYNTHETIC_EPSILON, b);
        }
        *(slope > 0.0 ? &low : &high) = b;
    }
    const double b = 0.5 * (low + high);
    return fabs(b) < 1e-13 ? 0.0 : b;
}

/* Textbook dual coordinate descent in double over rows in random order, until alpha stands nearly
 * still: a second opinion on the optimum of a problem of one model. Returns D(alpha); fills w. */
static inline double synthetic_textbook(const synthetic *s, int passes, double *w)
{
    const int64_t rows = s->source.rows;
    double *alpha = calloc((size_t)rows, sizeof *alpha), dual = 0.0;
    int64_t *order = calloc((size_t)rows, sizeof *order);
    memset(w, 0, dps_weight_length(&s->source) * sizeof *w);
    for (int pass = 0; pass < passes; pass++) {
        dps_random_permutation(7, DPS_STREAM_SHUFFLE, (uint32_t)pass, 9, rows, order);
        for (int64_t o = 0; o < rows; o++) {
            const int64_t i = order[o];
            const float *z = s->z + (size_t)i * s->source.stride;
            const double Ci = s->problem.C * synthetic_weight(s, i), y = synthetic_y(s, 0, i);
            double q = 0.0;
            for (int32_t j = 0; j < s->source.width; j++) {
                q += (double)z[j] * (double)z[j];
            }
            const double next =
                synthetic_best_multiplier(s, alpha[i], synthetic_score(s, w, i), y, q, Ci);
            for (int32_t j = 0; j < s->source.width; j++) {
                w[j] += (next - alpha[i]) * (double)z[j];
            }
            alpha[i] = next;
        }
    }
    for (int64_t i = 0; i < rows; i++) {
        const double Ci = s->problem.C * synthetic_weight(s, i);
        dual += synthetic_dual_term(s, alpha[i], synthetic_y(s, 0, i), Ci);
    }
    for (int32_t j = 0; j < s->source.width; j++) {
        dual -= 0.5 * w[j] * w[j];
    }
    free(alpha);
    free(order);
    return dual;
}

#endif
