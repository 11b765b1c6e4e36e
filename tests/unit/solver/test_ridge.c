/* Held-out decision values against systems that are solved here, by columns and by rows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "allocation.h"
#include "random.h"
#include "ridge.h"

enum { MOST_ROWS = 500, MOST_WIDTH = 200, CLASSES = 3, FOLDS = 4 };

typedef struct table {
    dps_tile_source source;
    dps_problem problem;
    float *z;
    int32_t label[MOST_ROWS], fold[MOST_ROWS];
    double weight[MOST_ROWS], class_weight[CLASSES];
} table;

static dps_status get_tile(const void *context, int64_t t, float *buffer, void *scratch,
                           dps_z_tile *tile, dps_error *err)
{
    const table *s = context;
    const int64_t left = s->source.rows - t * DPS_TILE_ROWS;
    (void)buffer;
    (void)scratch;
    (void)err;
    *tile = (dps_z_tile){.rows = (int32_t)(left < DPS_TILE_ROWS ? left : DPS_TILE_ROWS),
                         .width = s->source.width,
                         .stride = s->source.stride,
                         .z = s->z + (size_t)t * DPS_TILE_ROWS * s->source.stride};
    return DPS_OK;
}

/* Every fifth row always trains; some rows weigh nothing. */
static void make(table *s, int32_t rows, int32_t width, int32_t classes)
{
    memset(s, 0, sizeof *s);
    const size_t stride = dps_round_up((size_t)width, DPS_PAD);
    s->z = dps_alloc((size_t)(rows + DPS_TILE_ROWS) * stride, sizeof *s->z);
    assert_non_null(s->z);
    for (int32_t i = 0; i < rows; i++) {
        for (int32_t j = 0; j < width; j++) {
            s->z[(size_t)i * stride + (size_t)j] =
                (float)dps_random_normal(5, DPS_STREAM_SAMPLE, (uint32_t)i, 0, (uint32_t)j);
        }
        s->label[i] = (int32_t)(fabs(s->z[(size_t)i * stride]) * 2) % classes;
        s->fold[i] = i % 5 == 0 ? -1 : i % FOLDS;
        s->weight[i] = i % 11 == 3 ? 0 : 1 + i % 3;
    }
    for (int32_t k = 0; k < classes; k++) {
        s->class_weight[k] = 1 + 0.5 * k;
    }
    s->source = (dps_tile_source){.rows = rows,
                                  .width = width,
                                  .stride = stride,
                                  .resident = true,
                                  .context = s,
                                  .get = get_tile};
    s->problem = (dps_problem){.source = &s->source,
                               .label = s->label,
                               .classes = classes,
                               .class_weight = s->class_weight,
                               .row_weight = s->weight,
                               .loss = dps_loss_find("squared_hinge"),
                               .C = 1};
}

/* Gauss: a (n x n) x = b in place; a is positive definite. */
static void eliminate(int n, double *a, double *b)
{
    for (int p = 0; p < n; p++) {
        for (int i = p + 1; i < n; i++) {
            const double f = a[i * n + p] / a[p * n + p];
            for (int j = p; j < n; j++) {
                a[i * n + j] -= f * a[p * n + j];
            }
            b[i] -= f * b[p];
        }
    }
    for (int p = n - 1; p >= 0; p--) {
        for (int j = p + 1; j < n; j++) {
            b[p] -= a[p * n + j] * b[j];
        }
        b[p] /= a[p * n + p];
    }
}

/* Weights of model k without a fold. */
static void expected(const table *s, int32_t k, int32_t fold, double C, double *w)
{
    const int n = s->source.width;
    double *h = dps_alloc((size_t)(n * n), sizeof *h);
    memset(w, 0, (size_t)n * sizeof *w);
    for (int64_t i = 0; i < s->source.rows; i++) {
        const float *z = s->z + (size_t)i * s->source.stride;
        const double c = s->weight[i] * s->class_weight[s->label[i]];
        const double y = s->label[i] == (s->problem.classes == 2 ? 1 : k) ? 1 : -1;
        if (s->fold[i] == fold) {
            continue;
        }
        for (int j = 0; j < n; j++) {
            w[j] += c * y * (double)z[j];
            for (int l = 0; l < n; l++) {
                h[j * n + l] += c * (double)z[j] * (double)z[l];
            }
        }
    }
    for (int j = 0; j < n; j++) {
        h[j * n + j] += 1 / (2 * C);
    }
    eliminate(n, h, w);
    dps_free(h);
}

static void check(int32_t rows, int32_t width, int32_t classes, int32_t folds)
{
    static table s;
    static double w[MOST_WIDTH], held[2][CLASSES * MOST_ROWS];
    make(&s, rows, width, classes);
    for (int32_t i = 0; i < rows && folds == 1; i++) {
        s.fold[i] = s.fold[i] == 0 ? 0 : -1;
    }
    for (int t = 0; t < 2; t++) {
        const dps_run run = {.threads = t == 0 ? 1 : 3, .simd = DPS_SIMD_PORTABLE};
        dps_ridge *ridge;
        memset(held[t], 0, sizeof held[t]);
        assert_int_equal(dps_ridge_new(&ridge, &s.problem, s.fold, folds, &run, NULL), DPS_OK);
        assert_int_equal(dps_ridge_held(ridge, 0.01, 3, held[t], &run, NULL), DPS_OK);
        assert_int_equal(dps_ridge_held(ridge, 2.0, 0, held[t], &run, NULL), DPS_OK);
        dps_ridge_free(ridge);
    }
    assert_memory_equal(held[0], held[1], sizeof held[0]);
    for (int32_t k = 0; k < dps_problem_models(&s.problem); k++) {
        for (int32_t f = 0; f < folds; f++) {
            expected(&s, k, f, 2.0, w);
            for (int32_t i = 0; i < rows; i++) {
                double u = 0;
                for (int32_t j = 0; j < width; j++) {
                    u += w[j] * (double)s.z[(size_t)i * s.source.stride + (size_t)j];
                }
                if (s.fold[i] == f && width >= rows) { /* by columns: test_joint */
                    assert_true(fabs(held[0][k * rows + i] - u) < 2e-4 * (1 + fabs(u)));
                }
            }
        }
    }
    dps_free(s.z);
}

static void held_out_rows_are_scored_by_the_models_of_the_rest(void **state)
{
    (void)state;
    check(500, 24, 3, FOLDS); /* by columns */
    check(500, 24, 2, 1);
    check(150, 200, 3, FOLDS); /* by rows */
    check(150, 200, 2, 1);
}

/* With moved targets the scores go to those of the squared hinge, and of its like of regression. */
static void check_moved(int32_t rows, int32_t width, const char *loss)
{
    static table s;
    static double held[2][CLASSES * MOST_ROWS];
    const dps_run run = {.threads = 2, .simd = DPS_SIMD_PORTABLE, .memory = SIZE_MAX / 2};
    const dps_solver_settings settings = {.tolerance = 1e-7, .max_iterations = 2000, .seed = 1};
    static double target[MOST_ROWS];
    dps_ridge *ridge;
    dps_solution solution;
    make(&s, rows, width, 3);
    for (int32_t i = 0; i < rows; i++) { /* that are near no line */
        target[i] = fabs((double)s.z[(size_t)i * s.source.stride]);
    }
    dps_problem *p = &s.problem;
    p->loss = dps_loss_find(loss);
    p->target = p->loss->regression ? target : NULL;
    p->classes = p->loss->regression ? 1 : 3;
    p->epsilon = 0.2;
    p->C = 0.05;
    assert_int_equal(dps_ridge_new(&ridge, p, s.fold, FOLDS, &run, NULL), DPS_OK);
    assert_int_equal(dps_ridge_held(ridge, p->C, 0, held[0], &run, NULL), DPS_OK);
    assert_int_equal(dps_ridge_held(ridge, p->C, 300, held[1], &run, NULL), DPS_OK);
    for (int32_t i = 0; i < rows; i++) {
        s.weight[i] = s.fold[i] == 1 ? 0 : s.weight[i];
    }
    assert_int_equal(dps_solution_init(&solution, p, NULL), DPS_OK);
    assert_int_equal(dps_solve(&dps_solver_newton, p, &settings, &run, &solution, NULL), DPS_OK);
    double worst[2] = {0, 0};
    for (int32_t k = 0; k < solution.models; k++) {
        for (int32_t i = 0; i < rows; i++) {
            double u = 0;
            for (int32_t j = 0; j < width; j++) {
                u += solution.w[(size_t)k * solution.length + (size_t)j] *
                     (double)s.z[(size_t)i * s.source.stride + (size_t)j];
            }
            for (int m = 0; m < 2 && s.fold[i] == 1; m++) {
                worst[m] = fmax(worst[m], fabs(held[m][k * rows + i] - u));
            }
        }
    }
    assert_true(worst[1] < 5e-3);
    assert_true(worst[0] > 20 * worst[1]);
    dps_solution_release(&solution);
    dps_ridge_free(ridge);
    dps_free(s.z);
}

static void moved_targets_lead_to_the_losses_own_scores(void **state)
{
    (void)state;
    check_moved(500, 24, "squared_hinge");
    check_moved(150, 200, "squared_hinge");
    check_moved(500, 24, "squared_epsilon_insensitive");
    check_moved(150, 200, "squared_epsilon_insensitive");
}

/* Two columns are one, or rows come in pairs; C is out of all proportion. */
static void check_spoilt(int32_t rows, int32_t width)
{
    static table s;
    static double held[CLASSES * MOST_ROWS];
    const dps_run run = {.threads = 1, .simd = DPS_SIMD_PORTABLE};
    dps_ridge *ridge;
    make(&s, rows, width, 2);
    for (size_t i = 0; i < (size_t)rows; i++) {
        float *z = s.z + i * s.source.stride;
        z[7] = z[8];
        if (i % 2 == 1) {
            memcpy(z, z - s.source.stride, s.source.stride * sizeof *z);
        }
    }
    assert_int_equal(dps_ridge_new(&ridge, &s.problem, s.fold, FOLDS, &run, NULL), DPS_OK);
    assert_int_equal(dps_ridge_held(ridge, 1e18, 5, held, &run, NULL), DPS_OK);
    for (int32_t i = 0; i < rows; i++) {
        assert_true(isfinite(held[i]));
    }
    dps_ridge_free(ridge);
    dps_free(s.z);
}

static void a_matrix_that_rounding_spoils_is_raised(void **state)
{
    (void)state;
    check_spoilt(500, 24);
    check_spoilt(150, 200);
}

/* The same scores from inner products that are given. */
static void inner_products_may_be_given(void **state)
{
    (void)state;
    static table s;
    static double gram[150 * 150], held[2][CLASSES * MOST_ROWS];
    const dps_run run = {.threads = 2, .simd = DPS_SIMD_PORTABLE};
    make(&s, 150, 200, 3);
    for (int i = 0; i < 150 * 150; i++) {
        const float *a = s.z + (size_t)(i / 150) * s.source.stride;
        const float *b = s.z + (size_t)(i % 150) * s.source.stride;
        gram[i] = 0;
        for (int j = 0; j < 200; j++) {
            gram[i] += (double)a[j] * (double)b[j];
        }
    }
    for (int t = 0; t < 2; t++) {
        dps_ridge *ridge;
        assert_int_equal(t == 0 ? dps_ridge_new(&ridge, &s.problem, s.fold, FOLDS, &run, NULL)
                                : dps_ridge_of_gram(&ridge, &s.problem, gram, s.fold, FOLDS, NULL),
                         DPS_OK);
        assert_int_equal(dps_ridge_held(ridge, 0.5, 3, held[t], &run, NULL), DPS_OK);
        dps_ridge_free(ridge);
    }
    for (int i = 0; i < 3 * 150; i++) {
        assert_true(fabs(held[0][i] - held[1][i]) < 1e-9);
    }
    dps_free(s.z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inner_products_may_be_given),
        cmocka_unit_test(held_out_rows_are_scored_by_the_models_of_the_rest),
        cmocka_unit_test(moved_targets_lead_to_the_losses_own_scores),
        cmocka_unit_test(a_matrix_that_rounding_spoils_is_raised)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
