/* Problems in memory for the solver tests: correlated Gaussian features of mean |z|^2 = 1 and a
 * constant column, labels from a noisy teacher. Tiles are resident or copied on every call, alike
 * in every bit. */
#ifndef SYNTHETIC_PROBLEM_H
#define SYNTHETIC_PROBLEM_H

#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <stdatomic.h>
#include "memory.h"
#include "random.h"
#include "solver.h"

#define SYNTHETIC_SEED 20120421

typedef struct synthetic {
    dps_tile_source source;
    dps_problem problem;
    float *z; /* whole tiles x stride */
    int32_t *label;
    double *class_weight;
    int64_t *start; /* sparse block, or NULL */
    int32_t *column;
    float *value;
    double sparse_scale;
    int64_t failing_tile; /* get() of it fails; -1: none */
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
    }
}

/* Rows in the order of their classes. */
static inline void synthetic_sort(synthetic *s)
{
    const size_t stride = s->source.stride;
    const int64_t rows = s->source.rows;
    float *z = dps_alloc((size_t)dps_tile_count(rows) * DPS_TILE_ROWS * stride, sizeof *z);
    int32_t *label = dps_alloc((size_t)rows, sizeof *label);
    int64_t at = 0;
    for (int32_t k = 0; k < s->problem.classes; k++) {
        for (int64_t i = 0; i < rows; i++) {
            if (s->label[i] == k) {
                memcpy(z + (size_t)at * stride, s->z + (size_t)i * stride, stride * sizeof *z);
                label[at++] = k;
            }
        }
    }
    memcpy(s->z, z, (size_t)rows * stride * sizeof *z);
    memcpy(s->label, label, (size_t)rows * sizeof *label);
    dps_free(z);
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
    s->class_weight = dps_alloc((size_t)classes, sizeof *s->class_weight);
    for (int32_t k = 0; k < classes; k++) {
        s->class_weight[k] = 1.0;
    }
    s->failing_tile = -1;
    s->problem = (dps_problem){.source = &s->source,
                               .label = s->label,
                               .classes = classes,
                               .class_weight = s->class_weight,
                               .loss = dps_loss_find(loss),
                               .C = C};
    s->run = (dps_run){.threads = 1, .simd = DPS_SIMD_PORTABLE, .memory = (size_t)1 << 30};
    synthetic_fill(s, rows, width, classes, 0.5);
    return s;
}

static inline void synthetic_free(synthetic *s)
{
    dps_free(s->z);
    dps_free(s->label);
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
    return s->label[i] == (s->problem.classes == 2 ? 1 : k) ? 1.0 : -1.0;
}

/* P(w) of model k by its definition, with the loss written out once more. */
static inline double synthetic_primal(const synthetic *s, int32_t k, const double *w)
{
    const bool squared = strcmp(s->problem.loss->name, "squared_hinge") == 0;
    double P = 0.0;
    for (size_t l = 0; l < dps_weight_length(&s->source); l++) {
        P += 0.5 * w[l] * w[l];
    }
    for (int64_t i = 0; i < s->source.rows; i++) {
        const double slack = 1.0 - synthetic_y(s, k, i) * synthetic_score(s, w, i);
        if (slack > 0.0) {
            P += s->problem.C * s->class_weight[s->label[i]] * (squared ? slack * slack : slack);
        }
    }
    return P;
}

static inline dps_status synthetic_solve(synthetic *s, const char *solver, double tolerance,
                                         int64_t most, dps_solution *solution, dps_error *err)
{
    const dps_solver_settings settings = {
        .tolerance = tolerance, .max_iterations = most, .seed = 1};
    const dps_status status = dps_solution_init(solution, &s->problem, err);
    return status != DPS_OK ? status
                            : dps_solve(solver, &s->problem, &settings, &s->run, solution, err);
}

/* Textbook dual coordinate descent in double over rows in random order, until alpha stands nearly
 * still: a second opinion on the optimum of a two-class problem. Returns D(alpha); fills w. */
static inline double synthetic_textbook(const synthetic *s, int passes, double *w)
{
    const int64_t rows = s->source.rows;
    const bool squared = strcmp(s->problem.loss->name, "squared_hinge") == 0;
    double *alpha = calloc((size_t)rows, sizeof *alpha), dual = 0.0;
    int64_t *order = calloc((size_t)rows, sizeof *order);
    memset(w, 0, dps_weight_length(&s->source) * sizeof *w);
    for (int pass = 0; pass < passes; pass++) {
        dps_random_permutation(7, DPS_STREAM_SHUFFLE, (uint32_t)pass, 9, rows, order);
        for (int64_t o = 0; o < rows; o++) {
            const int64_t i = order[o];
            const float *z = s->z + (size_t)i * s->source.stride;
            const double Ci = s->problem.C * s->class_weight[s->label[i]];
            const double y = synthetic_y(s, 0, i), e = squared ? 0.5 / Ci : 0.0;
            double q = e;
            for (int32_t j = 0; j < s->source.width; j++) {
                q += (double)z[j] * (double)z[j];
            }
            double next = alpha[i] - (y * synthetic_score(s, w, i) - 1.0 + e * alpha[i]) / q;
            next = next < 0.0 ? 0.0 : (!squared && next > Ci ? Ci : next);
            for (int32_t j = 0; j < s->source.width; j++) {
                w[j] += (next - alpha[i]) * y * (double)z[j];
            }
            alpha[i] = next;
        }
    }
    for (int64_t i = 0; i < rows; i++) {
        const double Ci = s->problem.C * s->class_weight[s->label[i]];
        dual += alpha[i] - (squared ? 0.25 * alpha[i] * alpha[i] / Ci : 0.0);
    }
    for (int32_t j = 0; j < s->source.width; j++) {
        dual -= 0.5 * w[j] * w[j];
    }
    free(alpha);
    free(order);
    return dual;
}

#endif
