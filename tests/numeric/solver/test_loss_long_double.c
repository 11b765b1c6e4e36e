/* Losses, conjugates, and the dual value and gap of small problems again, in long double and from
 * their definitions alone.
 *
 * Tolerance: a few roundings of double at the size of what is added, 16 eps. Where long double is
 * double (as on arm64's macOS) the same tolerance holds of two ways of adding. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "loss.h"
#include "random.h"

#define EPSILON 0.25

static long double value_of(const char *name, long double u, long double y)
{
    const long double margin = 1 - y * u, tube = fabsl(y - u) - (long double)EPSILON;
    const long double hinge = margin > 0 ? margin : 0, out = tube > 0 ? tube : 0;
    const long double m = y * u;
    return strcmp(name, "hinge") == 0                         ? hinge
           : strcmp(name, "squared_hinge") == 0               ? hinge * hinge
           : strcmp(name, "epsilon_insensitive") == 0         ? out
           : strcmp(name, "squared_epsilon_insensitive") == 0 ? out * out
           : m > 0                                            ? log1pl(expl(-m))
                                                              : log1pl(expl(m)) - m;
}

/* -conjugate(-a), for a of its domain. */
static long double dual_of(const char *name, long double a, long double y)
{
    const long double b = y * a, e = (long double)EPSILON;
    return strcmp(name, "hinge") == 0                         ? b
           : strcmp(name, "squared_hinge") == 0               ? b - b * b / 4
           : strcmp(name, "epsilon_insensitive") == 0         ? y * a - e * fabsl(a)
           : strcmp(name, "squared_epsilon_insensitive") == 0 ? y * a - e * fabsl(a) - a * a / 4
           : b <= 0 || b >= 1                                 ? 0
                              : -(b * logl(b) + (1 - b) * log1pl(-b));
}

static void near(const char *what, double found, long double expected, long double size)
{
    const long double error = fabsl((long double)found - expected);
    if (!(error <= 16 * (long double)DBL_EPSILON * size)) {
        fail_msg("%s: %.17g, expected %.20Lg", what, found, expected);
    }
}

static double uniform(uint32_t i, uint32_t k)
{
    return dps_random_uniform(17, DPS_STREAM_SAMPLE, i, k, 0);
}

/* Of either sign, 1e-12 to 1e6. */
static double anything(uint32_t i, uint32_t k)
{
    const double size = pow(10.0, -12 + 18 * uniform(i, k));
    return uniform(i, k + 100) < 0.5 ? -size : size;
}

/* In the domain of the dual. */
static double multiplier(const dps_loss *loss, double y, double share)
{
    const double top = isfinite(loss->dual_top) ? loss->dual_top : 1e3;
    return loss->regression ? top * (2 * share - 1) : y * top * share;
}

static double target(const dps_loss *loss, uint32_t i, uint32_t k)
{
    return loss->regression ? anything(i, k) : uniform(i, k) < 0.5 ? -1 : 1;
}

static void values_and_duals_are_those_of_long_double(void **state)
{
    (void)state;
    for (const char *const *name = dps_loss_names; *name != NULL; name++) {
        const dps_loss *loss = dps_loss_find(*name);
        for (uint32_t i = 0; i < 20000; i++) {
            const double y = target(loss, i, 1), u = anything(i, 2);
            const double a = multiplier(loss, y, uniform(i, 3));
            const long double largest = 1 + fabsl((long double)u) + fabsl((long double)y);
            const bool squared = strncmp(*name, "squared", 7) == 0;
            near(*name, loss->value(u, y, EPSILON), value_of(*name, u, y),
                 squared ? largest * largest : largest);
            near(*name, dps_loss_dual(loss, a, y, EPSILON), dual_of(*name, a, y),
                 1 + fabsl((long double)a) * largest + (long double)a * (long double)a);
        }
    }
}

/* Fenchel and Young: loss(u) + conjugate(-a) >= -a u, with equality for some u. */
static void no_dual_exceeds_its_loss(void **state)
{
    (void)state;
    for (const char *const *name = dps_loss_names; *name != NULL; name++) {
        const dps_loss *loss = dps_loss_find(*name);
        for (uint32_t i = 0; i < 20000; i++) {
            const double y = target(loss, i, 1), u = anything(i, 2);
            const double a = multiplier(loss, y, uniform(i, 3));
            const long double left = value_of(*name, u, y) + (long double)a * (long double)u;
            const long double size = 1 + fabsl((long double)a * (long double)u) +
                                     fabsl((long double)a * (long double)y) +
                                     value_of(*name, u, y) + (long double)a * (long double)a;
            if ((long double)dps_loss_dual(loss, a, y, EPSILON) - left >
                16 * (long double)DBL_EPSILON * size) {
                fail_msg("%s: u %g, y %g, a %g", *name, u, y, a);
            }
        }
    }
}

/* 12 rows of 3 numbers: P(w(a)) - D(a) >= 0 for feasible a, and 0 at the slopes of a w that is its
 * own w(a); the program's loss and dual summed in double against all of it in long double. */
static void the_gap_of_a_small_problem_is_that_of_long_double(void **state)
{
    (void)state;
    enum { ROWS = 12, COLUMNS = 3 };
    for (const char *const *name = dps_loss_names; *name != NULL; name++) {
        const dps_loss *loss = dps_loss_find(*name);
        for (uint32_t trial = 0; trial < 500; trial++) {
            const double C = pow(10.0, -3 + 6 * uniform(trial, 50));
            double z[ROWS][COLUMNS], y[ROWS], a[ROWS], w[COLUMNS] = {0};
            long double wl[COLUMNS] = {0};
            for (uint32_t i = 0; i < ROWS; i++) {
                y[i] = loss->regression ? 4 * uniform(trial, i) - 2 : i % 2 == 0 ? 1 : -1;
                a[i] = multiplier(loss, y[i], uniform(trial, 200 + i)) /
                       (isfinite(loss->dual_top) ? 1 : 1e3);
                for (uint32_t j = 0; j < COLUMNS; j++) {
                    z[i][j] = 2 * uniform(trial, 20 + 3 * i + j) - 1;
                    w[j] += C * a[i] * z[i][j];
                    wl[j] += (long double)C * (long double)a[i] * (long double)z[i][j];
                }
            }
            double primal = 0, dual = 0;
            long double primal_l = 0, dual_l = 0, size = 0;
            for (int j = 0; j < COLUMNS; j++) {
                primal += w[j] * w[j] / 2;
                dual -= w[j] * w[j] / 2;
                primal_l += wl[j] * wl[j] / 2;
                dual_l -= wl[j] * wl[j] / 2;
            }
            for (int i = 0; i < ROWS; i++) {
                double u = 0;
                long double ul = 0;
                for (int j = 0; j < COLUMNS; j++) {
                    u += w[j] * z[i][j];
                    ul += wl[j] * (long double)z[i][j];
                }
                primal += C * loss->value(u, y[i], EPSILON);
                dual += C * dps_loss_dual(loss, a[i], y[i], EPSILON);
                primal_l += (long double)C * value_of(*name, ul, y[i]);
                dual_l += (long double)C * dual_of(*name, a[i], y[i]);
            }
            size = 10 * (1 + primal_l + fabsl(dual_l));
            near(*name, primal, primal_l, size);
            near(*name, dual, dual_l, size);
            assert_true(primal_l - dual_l >= -(long double)DBL_EPSILON * size);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_duals_are_those_of_long_double),
        cmocka_unit_test(no_dual_exceeds_its_loss),
        cmocka_unit_test(the_gap_of_a_small_problem_is_that_of_long_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
