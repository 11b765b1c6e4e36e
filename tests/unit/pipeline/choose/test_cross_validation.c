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
#include "metric_value.h"
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
    const dps_cross_validation cv = {&whole, dps_solver_find(solver), &settings, fold,
                                     3,      DPS_METRIC_ACCURACY};
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
        const dps_cross_validation cv = {&problem, dps_solver_find(solvers[k]), &settings, fold,
                                         3,        DPS_METRIC_ACCURACY};
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
    const dps_cross_validation cv = {&problem, &dps_solver_newton, &settings, fold,
                                     3,        DPS_METRIC_F1};
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

static void spread_is_that_of_the_textbook(void **state)
{
    (void)state;
    const double score[] = {0.5, 0.7, 0.9};
    const dps_spread s = dps_spread_of(score, 3);
    assert_true(fabs(s.mean - 0.7) < 1e-15);
    assert_true(fabs(s.deviation - 0.2) < 1e-15);
    assert_true(fabs(s.error - 0.2 / sqrt(3)) < 1e-15);
    const double one[1 + DPS_SCORE_PARTS] = {0.5, 0.03, 0, -0.04};
    assert_true(isnan(dps_spread_of(one, 1).deviation));
    assert_true(fabs(dps_spread_of(one, 1).error - 0.05) < 1e-15);
}

static void folds_that_say_nothing_are_left_out(void **state)
{
    (void)state;
    const double score[] = {0.5, NAN, 0.7, NAN, 0.9}, none[] = {NAN, NAN, NAN, NAN, NAN};
    const dps_spread s = dps_spread_of(score, 5);
    assert_true(fabs(s.mean - 0.7) < 1e-15 && fabs(s.error - 0.2 / sqrt(3)) < 1e-15);
    assert_true(isnan(dps_spread_of(none, 5).mean));
    assert_false(dps_within_one_error(DPS_METRIC_AUC, none, score, 5));
    assert_false(dps_metric_better(DPS_METRIC_AUC, NAN, 0.1));
    assert_true(dps_metric_better(DPS_METRIC_AUC, 0.1, NAN));
    assert_true(dps_metric_better(DPS_METRIC_LOG_LOSS, 0.1, 0.2));
    assert_false(dps_metric_better(DPS_METRIC_LOG_LOSS, 0.1, 0.1));
}

static void metrics_of_classes_need_two_of_them(void **state)
{
    (void)state;
    const int32_t label[] = {0, 0, 0, 1, -1}, fold[] = {0, 1, 0, 1, 0};
    for (dps_metric metric = DPS_METRIC_F1; metric <= DPS_METRIC_LOG_LOSS; metric++) {
        assert_false(dps_metric_applies(metric, label, fold, 0, 5));
        assert_true(dps_metric_applies(metric, label, fold, 1, 5));
        assert_true(dps_metric_applies(metric, label, NULL, 0, 5));
        const dps_problem problem = {.classes = 2, .loss = &dps_loss_squared_hinge};
        const double score[] = {-1, 1, -1};
        double value = 0;
        assert_int_equal(
            dps_metric_value(metric, &problem, label, NULL, score, NULL, 3, &value, NULL, NULL),
            DPS_OK);
        assert_true(isnan(value));
    }
    assert_true(dps_metric_applies(DPS_METRIC_ACCURACY, label, fold, 0, 5));
}

/* Every metric; log_loss of the logistic loss, as sigmoids fitted on halves see other halves. */
static void scores_of_weights_are_those_of_copies(void **state)
{
    (void)state;
    enum { FEW = 40 };
    double score[FEW], target[FEW], weight[FEW], scores[3 * FEW], targets[3 * FEW];
    int32_t label[FEW], labels[3 * FEW];
    int64_t copies = 0;
    const dps_problem problem = {.classes = 2, .loss = &dps_loss_logistic};
    for (int i = 0; i < FEW; i++) {
        label[i] = i % 3 == 0;
        score[i] = (i * 7 % 19 - 9 + 4 * label[i]) / 5.0;
        target[i] = i * 5 % 11 / 4.0;
        weight[i] = 1 + i % 3;
        for (int c = 0; c < (int)weight[i]; c++, copies++) {
            scores[copies] = score[i];
            targets[copies] = target[i];
            labels[copies] = label[i];
        }
    }
    for (dps_metric metric = DPS_METRIC_ACCURACY; metric <= DPS_METRIC_RMSE; metric++) {
        double a, b, part[DPS_SCORE_PARTS], sum = 0;
        assert_int_equal(
            dps_metric_value(metric, &problem, label, target, score, weight, FEW, &a, part, NULL),
            DPS_OK);
        assert_int_equal(dps_metric_value(metric, &problem, labels, targets, scores, NULL, copies,
                                          &b, NULL, NULL),
                         DPS_OK);
        assert_true(fabs(a - b) < 1e-14);
        for (int k = 0; k < DPS_SCORE_PARTS; k++) {
            sum += part[k];
        }
        assert_true(fabs(sum) < 1e-14); /* what rows add to the error sums to 0 */
    }
}

static void one_error_is_that_of_the_difference(void **state)
{
    (void)state;
    const double best[] = {0.5, 0.7, 0.9};
    const double near[] = {0.5, 0.7, 0.86};     /* mean difference = its error: allowed */
    const double always[] = {0.49, 0.69, 0.89}; /* less, but in every fold: a real difference */
    assert_true(dps_within_one_error(DPS_METRIC_ACCURACY, near, best, 3));
    assert_false(dps_within_one_error(DPS_METRIC_ACCURACY, always, best, 3));
    assert_true(dps_within_one_error(DPS_METRIC_LOG_LOSS, always, best, 3));
    /* one part: rows that both settings get right or wrong do not count */
    const double a[1 + DPS_SCORE_PARTS] = {0.56, 0.1, 0.1, 0.04},
                       b[1 + DPS_SCORE_PARTS] = {0.6, 0.1, 0.1, -0.02},
                       c[1 + DPS_SCORE_PARTS] = {0.56, 0.1, 0.1, 0};
    assert_true(dps_within_one_error(DPS_METRIC_AUC, a, b, 1));
    assert_false(dps_within_one_error(DPS_METRIC_AUC, c, b, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_out_rows_count_for_nothing),
        cmocka_unit_test(labels_that_are_held_out_do_not_leak),
        cmocka_unit_test(held_scores_go_to_their_rows),
        cmocka_unit_test(spread_is_that_of_the_textbook),
        cmocka_unit_test(folds_that_say_nothing_are_left_out),
        cmocka_unit_test(metrics_of_classes_need_two_of_them),
        cmocka_unit_test(scores_of_weights_are_those_of_copies),
        cmocka_unit_test(one_error_is_that_of_the_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
