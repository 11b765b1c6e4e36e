/* Folds as row weights: what is held out must not be seen, and the rest must be what is solved. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "allocation.h"
#include "cross_validation.h"
#include "random.h"

enum { ROWS = 1000, WIDTH = 6, STRIDE = DPS_PAD };

/* A source in memory: rows `first`, `first + step`, ... of a fixed table. */
typedef struct table {
    dps_tile_source source;
    float *z;
    int32_t label[ROWS];
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
                         .width = WIDTH,
                         .stride = STRIDE,
                         .z = s->z + (size_t)t * DPS_TILE_ROWS * STRIDE};
    return DPS_OK;
}

/* The rows with fold[i] != without. */
static void table_init(table *s, int32_t classes, const int32_t *fold, int32_t without)
{
    int64_t rows = 0;
    memset(s, 0, sizeof *s);
    s->z = dps_alloc((ROWS + DPS_TILE_ROWS) * STRIDE, sizeof *s->z);
    assert_non_null(s->z);
    for (uint32_t i = 0; i < ROWS; i++) {
        if (fold != NULL && fold[i] == without) {
            continue;
        }
        float *z = s->z + rows * STRIDE;
        double best = -INFINITY;
        for (uint32_t j = 0; j < WIDTH; j++) {
            z[j] = j + 1 < WIDTH ? (float)dps_random_normal(3, DPS_STREAM_SAMPLE, i, 0, j) : 1.0f;
        }
        for (int32_t k = 0; k < classes; k++) {
            const double u =
                z[k] + 0.5 * dps_random_normal(3, DPS_STREAM_SAMPLE, i, 1, (uint32_t)k);
            if (u > best) {
                best = u;
                s->label[rows] = k;
            }
        }
        rows++;
    }
    s->source = (dps_tile_source){.rows = rows,
                                  .width = WIDTH,
                                  .stride = STRIDE,
                                  .resident = true,
                                  .context = s,
                                  .get = get_tile};
}

static const double class_weight[] = {1, 1, 1};
static const dps_run run = {.threads = 2, .simd = DPS_SIMD_PORTABLE, .memory = (size_t)1 << 30};

static dps_problem problem_of(const table *s, int32_t classes, const char *loss)
{
    return (dps_problem){.source = &s->source,
                         .label = s->label,
                         .classes = classes,
                         .class_weight = class_weight,
                         .loss = dps_loss_find(loss),
                         .C = 1};
}

static void make_folds(int32_t *fold)
{
    for (int32_t i = 0; i < ROWS; i++) {
        fold[i] = i % 3;
    }
}

/* The same solution as on a table without the rows: both are within `tolerance` of one optimum. */
static void check_reduced(const char *solver, const char *loss, int32_t classes)
{
    static table all, reduced;
    int32_t fold[ROWS];
    make_folds(fold);
    table_init(&all, classes, NULL, 0);
    table_init(&reduced, classes, fold, 1);
    const dps_problem whole = problem_of(&all, classes, loss),
                      part = problem_of(&reduced, classes, loss);
    const dps_solver_settings settings = {.tolerance = 1e-9, .max_iterations = 20000, .seed = 1};
    const dps_cross_validation cv = {&whole,     dps_solver_find(solver),      &settings, fold,
                                     .folds = 3, .metric = DPS_METRIC_ACCURACY};
    dps_solution masked, direct;
    double record[3], *held = dps_alloc((size_t)classes * ROWS, sizeof *held);
    int64_t rows;
    assert_non_null(held);
    assert_int_equal(dps_solution_init(&masked, &whole, NULL), 0);
    assert_int_equal(dps_solution_init(&direct, &part, NULL), 0);
    assert_int_equal(dps_cross_validate_fold(&cv, 1, 1, &run, &masked, held, record, &rows, NULL),
                     0);
    dps_free(held);
    assert_int_equal(dps_solve(dps_solver_find(solver), &part, &settings, &run, &direct, NULL), 0);
    assert_int_equal(rows, 333);
    /* P is 1-strongly convex: |w - w*|^2 / 2 <= gap P of each; twice that between the two */
    const double bound = 2 * sqrt(2 * (settings.tolerance + 1e-7) * direct.worst.primal);
    for (size_t l = 0; l < (size_t)direct.models * direct.length; l++) {
        if (!(fabs(masked.w[l] - direct.w[l]) <= bound)) {
            fail_msg("%s, %s: w[%zu] = %g, expected %g within %g", solver, loss, l, masked.w[l],
                     direct.w[l], bound);
        }
    }
    /* rounding of a sum of 667 terms, and what the tolerance leaves */
    assert_true(fabs(masked.worst.primal / direct.worst.primal - 1) <= 1e-6);
    dps_solution_release(&masked);
    dps_solution_release(&direct);
    dps_free(all.z);
    dps_free(reduced.z);
}

static void held_out_rows_count_for_nothing(void **state)
{
    (void)state;
    check_reduced("newton", "squared_hinge", 2);
    check_reduced("newton", "squared_hinge", 3);
    check_reduced("newton", "hinge", 2);
    check_reduced("dcd", "hinge", 2);
    check_reduced("dcd", "squared_hinge", 3);
}

/* Not one bit of w may depend on labels that are held out. */
static void labels_that_are_held_out_do_not_leak(void **state)
{
    (void)state;
    static const char *const solvers[] = {"newton", "dcd", "sgd"};
    static table s;
    int32_t fold[ROWS];
    make_folds(fold);
    for (size_t k = 0; k < 3; k++) {
        table_init(&s, 2, NULL, 0);
        const dps_problem problem = problem_of(&s, 2, "squared_hinge");
        const dps_solver_settings settings = {.tolerance = 1e-3, .max_iterations = 100, .seed = 1};
        const dps_cross_validation cv = {&problem,   dps_solver_find(solvers[k]),  &settings, fold,
                                         .folds = 3, .metric = DPS_METRIC_ACCURACY};
        dps_solution a, b;
        double right[3], wrong[3], held[ROWS];
        int64_t rows;
        assert_int_equal(dps_solution_init(&a, &problem, NULL), 0);
        assert_int_equal(dps_solution_init(&b, &problem, NULL), 0);
        assert_int_equal(dps_cross_validate_fold(&cv, 0, 1, &run, &a, held, right, &rows, NULL), 0);
        for (int32_t i = 0; i < ROWS; i += 3) {
            s.label[i] = 1 - s.label[i];
        }
        assert_int_equal(dps_cross_validate_fold(&cv, 0, 1, &run, &b, held, wrong, &rows, NULL), 0);
        assert_memory_equal(a.w, b.w, a.length * sizeof *a.w);
        assert_true(fabs(right[0] + wrong[0] - 1) < 1e-12);
        assert_true(right[0] > 0.8);
        dps_solution_release(&a);
        dps_solution_release(&b);
        dps_free(s.z);
    }
}

static void held_scores_go_to_their_rows(void **state)
{
    (void)state;
    static table s;
    int32_t fold[ROWS];
    make_folds(fold);
    table_init(&s, 3, NULL, 0);
    const dps_problem problem = problem_of(&s, 3, "squared_hinge");
    const dps_solver_settings settings = {.tolerance = 1e-3, .max_iterations = 100, .seed = 1};
    const dps_cross_validation cv = {&problem, &dps_solver_newton, &settings,
                                     fold,     .folds = 3,         .metric = DPS_METRIC_F1};
    dps_solution solution;
    double record[3];
    int64_t rows;
    double *held = dps_alloc(3 * ROWS, sizeof *held);
    assert_int_equal(dps_solution_init(&solution, &problem, NULL), 0);
    assert_int_equal(dps_cross_validate_fold(&cv, 2, 1, &run, &solution, held, record, &rows, NULL),
                     0);
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < ROWS; i++) {
            double u = 0;
            for (size_t j = 0; j < WIDTH && fold[i] == 2; j++) {
                u += s.z[i * STRIDE + j] * solution.w[k * solution.length + j];
            }
            assert_true(fabs(held[k * ROWS + i] - u) < 1e-12);
        }
    }
    dps_free(held);
    dps_solution_release(&solution);
    dps_free(s.z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_out_rows_count_for_nothing),
        cmocka_unit_test(labels_that_are_held_out_do_not_leak),
        cmocka_unit_test(held_scores_go_to_their_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
