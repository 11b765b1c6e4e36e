/* Certificates from given multipliers and from the primal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "certificate.h"
#include "contract/solver/synthetic_problem.h"
#include "interior.h"
#include "tile_kernels.h"

#define SUM_TOLERANCE 1e-11 /* 1e4 rows * 2^-53 */

static double *random_weights(const synthetic *s, int32_t models)
{
    const size_t length = dps_weight_length(&s->source);
    double *w = dps_alloc((size_t)models * length, sizeof *w);
    for (int32_t k = 0; k < models; k++) {
        for (int32_t l = 0; l < s->source.width; l++) {
            w[(size_t)k * length + (size_t)l] =
                synthetic_normal(100u + (uint32_t)k, 7, (uint32_t)l);
        }
    }
    return w;
}

static void the_primal_is_that_of_the_definition(void **state)
{
    (void)state;
    const dps_dual_point none = {.kind = DPS_DUAL_NONE};
    synthetic *s = synthetic_new(5000, 10, 3, "hinge", 2.0);
    s->class_weight[1] = 0.3;
    double *w = random_weights(s, 3);
    dps_certificate found[3];
    assert_int_equal(dps_certify(&s->problem, w, &none, NULL, 0, &s->run, found, NULL), DPS_OK);
    for (int32_t k = 0; k < 3; k++) {
        const double P = synthetic_primal(s, k, w + (size_t)k * dps_weight_length(&s->source));
        assert_true(fabs(found[k].primal - P) <= SUM_TOLERANCE * P);
        assert_true(isinf(found[k].gap));
    }
    dps_free(w);
    synthetic_free(s);
}

/* w = sum alpha_i z_i for an alpha of our own. */
static void a_given_alpha_gives_its_dual_value(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(1000, 6, 2, "squared_hinge", 0.5);
    double *w = dps_alloc(dps_weight_length(&s->source), sizeof *w), linear = 0.0, norm2 = 0.0;
    double *alpha = dps_alloc(1000, sizeof *alpha);
    for (int64_t i = 0; i < 1000; i++) {
        const double size = 0.01 * (double)(i % 7);
        alpha[i] = size * synthetic_y(s, 0, i);
        linear += size - size * size / (4.0 * 0.5);
        for (int32_t l = 0; l < 6; l++) {
            w[l] += alpha[i] * (double)s->z[i * 16 + l];
        }
    }
    for (int32_t l = 0; l < 6; l++) {
        norm2 += w[l] * w[l];
    }
    const dps_dual_point point = {.kind = DPS_DUAL_GIVEN, .alpha = alpha};
    dps_certificate found;
    assert_int_equal(dps_certify(&s->problem, w, &point, NULL, 0, &s->run, &found, NULL), DPS_OK);
    assert_true(fabs(found.dual - (linear - 0.5 * norm2)) <= SUM_TOLERANCE * linear);
    dps_free(alpha);
    dps_free(w);
    synthetic_free(s);
}

static void a_dual_from_the_primal_never_exceeds_the_optimum(void **state)
{
    (void)state;
    const char *const losses[] = {"squared_hinge", "hinge", "logistic",
                                  "squared_epsilon_insensitive", "epsilon_insensitive"};
    for (size_t l = 0; l < 5; l++) {
        synthetic *s = synthetic_new(800, 8, 2, losses[l], 1.0);
        double *best = dps_alloc(dps_weight_length(&s->source), sizeof *best);
        double *w = random_weights(s, 1), smoothing;
        (void)synthetic_textbook(s, 200, best);
        const double least = synthetic_primal(s, 0, best);
        dps_certificate found, scratch;
        for (double factor = 0.01; factor < 200.0; factor *= 10.0) {
            for (int32_t j = 0; j < 8; j++) {
                w[j] *= factor;
            }
            assert_int_equal(
                dps_certify_primal(&s->problem, w, &s->run, &scratch, &smoothing, &found, NULL),
                DPS_OK);
            assert_true(found.dual <= least && found.dual >= 0.0 && found.gap <= 1.0);
        }
        assert_int_equal(
            dps_certify_primal(&s->problem, best, &s->run, &scratch, &smoothing, &found, NULL),
            DPS_OK);
        assert_true(found.gap < (s->problem.loss->smooth ? 1e-6 : 0.05));
        dps_free(best);
        dps_free(w);
        synthetic_free(s);
    }
}

/* A list, and memory that forces models into passes of their own, change nothing but who is looked
 * at. */
static void models_may_share_passes_in_any_grouping(void **state)
{
    (void)state;
    const dps_dual_point point = {.kind = DPS_DUAL_FROM_PRIMAL};
    synthetic *s = synthetic_new(9000, 20, 5, "squared_hinge", 1.0);
    double *w = random_weights(s, 5);
    dps_certificate all[5], some[5];
    memset(some, 0, sizeof some);
    assert_int_equal(dps_certify(&s->problem, w, &point, NULL, 0, &s->run, all, NULL), DPS_OK);
    s->run.memory = 1;
    s->run.threads = 2;
    const int32_t list[] = {1, 4};
    assert_int_equal(dps_certify(&s->problem, w, &point, list, 2, &s->run, some, NULL), DPS_OK);
    assert_memory_equal(&all[1], &some[1], sizeof all[1]);
    assert_memory_equal(&all[4], &some[4], sizeof all[4]);
    assert_true(some[0].primal == 0.0 && some[2].primal == 0.0 && some[3].primal == 0.0);
    dps_free(w);
    synthetic_free(s);
}

/* ---- from inner products --------------------------------------------------------------------- */

enum { ROWS = 60, WIDTH = 8 };

static void multiply(const void *context, const double *x, double *out)
{
    const double *k = context;
    for (size_t i = 0; i < ROWS; i++) {
        out[i] = dps_dot(ROWS, k + i * ROWS, x);
    }
}

static void add_up(const synthetic *s, const double *alpha, double *w)
{
    memset(w, 0, dps_weight_length(&s->source) * sizeof *w);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < WIDTH; j++) {
            w[j] += alpha[i] * (double)s->z[i * s->source.stride + j];
        }
    }
}

/* alpha, of any loss, within its bounds. */
static double clipped(const synthetic *s, int64_t i, double alpha)
{
    const double y = synthetic_y(s, 0, i), top = s->problem.C * synthetic_weight(s, i);
    const double most = strncmp(s->problem.loss->name, "squared", 7) == 0 ? INFINITY : top;
    if (s->problem.loss->regression) {
        return fmax(-most, fmin(most, alpha));
    }
    return y * fmax(0.0, fmin(most, y * alpha));
}

/* The less of two gaps: of the best smoothed slopes, and of alpha moved into its bounds. Returns
 * whether it was the latter. */
static bool expect_certificate(synthetic *s, const double *k, const double *alpha)
{
    double inside[ROWS], mine[ROWS], u[ROWS], work[2 * ROWS], smoothing, dual = 0.0;
    double *w = dps_alloc(dps_weight_length(&s->source), sizeof *w);
    dps_certificate slopes, scratch, found;
    add_up(s, alpha, w);
    assert_int_equal(
        dps_certify_primal(&s->problem, w, &s->run, &scratch, &smoothing, &slopes, NULL), DPS_OK);
    for (int64_t i = 0; i < ROWS; i++) {
        inside[i] = clipped(s, i, alpha[i]);
        dual += synthetic_dual_term(s, inside[i], synthetic_y(s, 0, i),
                                    s->problem.C * synthetic_weight(s, i));
    }
    add_up(s, inside, w);
    const double P = synthetic_primal(s, 0, w);
    const double gap = (P - (dual - 0.5 * dps_dot(WIDTH, w, w))) / P;
    const bool moved = gap < slopes.gap;
    memcpy(mine, alpha, sizeof mine);
    assert_int_equal(
        dps_certify_rows(&s->problem, 0, multiply, k, &s->run, mine, u, work, &found, NULL),
        DPS_OK);
    print_message("%s: gap of slopes %.3g, within bounds %.3g, found %.3g\n", s->problem.loss->name,
                  slopes.gap, gap, found.gap);
    assert_true(fabs(found.gap - (moved ? gap : slopes.gap)) <= 1e-9);
    assert_true(fabs(found.primal - (moved ? P : slopes.primal)) <= SUM_TOLERANCE * found.primal);
    add_up(s, mine, w);
    for (int64_t i = 0; i < ROWS; i++) {
        assert_true(mine[i] == (moved ? inside[i] : alpha[i]));
        assert_true(fabs(u[i] - synthetic_score(s, w, i)) < 1e-10);
    }
    dps_free(w);
    return moved;
}

/* At 0, where slopes prove more, and near the optimum, where the multipliers themselves do, once
 * they are back within their bounds. */
static void inner_products_give_the_better_certificate_of_two(void **state)
{
    (void)state;
    const char *const losses[] = {"squared_hinge", "hinge", "logistic",
                                  "squared_epsilon_insensitive", "epsilon_insensitive"};
    for (size_t l = 0; l < 5; l++) {
        synthetic *s = synthetic_new(ROWS, WIDTH, 2, losses[l], 1.0);
        double k[ROWS * ROWS], alpha[ROWS] = {0};
        int64_t steps = 0;
        s->class_weight[1] = 2.0;
        for (size_t i = 0; i < ROWS * ROWS; i++) {
            const float *a = s->z + i / ROWS * s->source.stride;
            const float *b = s->z + i % ROWS * s->source.stride;
            k[i] = 0.0;
            for (size_t j = 0; j < WIDTH; j++) {
                k[i] += (double)a[j] * (double)b[j];
            }
        }
        assert_false(expect_certificate(s, k, alpha));
        assert_int_equal(
            dps_interior_solve(&s->problem, 0, k, 1e-6, &s->run, alpha, 1, &steps, NULL), DPS_OK);
        for (int64_t i = 0; i < ROWS; i++) {
            alpha[i] = 1.001 * alpha[i] - (i % 4 == 0 ? 1e-4 * synthetic_y(s, 0, i) : 0.0);
        }
        assert_true(expect_certificate(s, k, alpha) || s->problem.loss->smooth);
        synthetic_free(s);
    }
}

/* C or row weights whose squares overflow prove nothing: no gap of 0, and so no convergence. */
static void sums_that_overflow_prove_nothing(void **state)
{
    (void)state;
    const char *const losses[] = {"squared_hinge", "hinge", "logistic",
                                  "squared_epsilon_insensitive", "epsilon_insensitive"};
    for (size_t l = 0; l < 5; l++) {
        synthetic *s = synthetic_new(ROWS, WIDTH, 2, losses[l], 1.0);
        double k[ROWS * ROWS] = {0}, alpha[ROWS] = {0}, u[ROWS], work[2 * ROWS], smoothing;
        double *w = dps_alloc(dps_weight_length(&s->source), sizeof *w);
        dps_certificate found, scratch;
        s->problem.C = 1e160;
        for (size_t i = 0; i < ROWS; i++) {
            k[i * ROWS + i] = 1.0;
        }
        assert_int_equal(
            dps_certify_primal(&s->problem, w, &s->run, &scratch, &smoothing, &found, NULL),
            DPS_OK);
        assert_true(found.dual == 0.0 && found.gap == 1.0);
        assert_int_equal(
            dps_certify_rows(&s->problem, 0, multiply, k, &s->run, alpha, u, work, &found, NULL),
            DPS_OK);
        assert_true(found.gap == 1.0);
        dps_free(w);
        synthetic_free(s);
    }
    assert_true(isinf(dps_certificate_of(1.0, NAN).gap));
    assert_true(isinf(dps_certificate_of(1.0, INFINITY).gap));
    assert_true(dps_certificate_of(1.0, 1.5).gap == 0.0);
}

static void a_limit_is_worse_than_a_floor_and_both_than_convergence(void **state)
{
    (void)state;
    assert_int_equal(dps_worse_outcome(DPS_CONVERGED, DPS_NUMERICAL_FLOOR), DPS_NUMERICAL_FLOOR);
    assert_int_equal(dps_worse_outcome(DPS_NUMERICAL_FLOOR, DPS_ITERATION_LIMIT),
                     DPS_ITERATION_LIMIT);
    assert_int_equal(dps_worse_outcome(DPS_ITERATION_LIMIT, DPS_NUMERICAL_FLOOR),
                     DPS_ITERATION_LIMIT);
    assert_int_equal(dps_worse_outcome(DPS_CONVERGED, DPS_CONVERGED), DPS_CONVERGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_primal_is_that_of_the_definition),
        cmocka_unit_test(a_given_alpha_gives_its_dual_value),
        cmocka_unit_test(a_dual_from_the_primal_never_exceeds_the_optimum),
        cmocka_unit_test(models_may_share_passes_in_any_grouping),
        cmocka_unit_test(inner_products_give_the_better_certificate_of_two),
        cmocka_unit_test(sums_that_overflow_prove_nothing),
        cmocka_unit_test(a_limit_is_worse_than_a_floor_and_both_than_convergence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
