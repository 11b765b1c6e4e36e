/* The logarithm of exact operations against that of long double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <float.h>
#include <math.h>
#include "exact_log.h"

/* In (0, 1), by a linear congruence. */
static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*state >> 12) + 0.5) * 0x1p-52;
}

static double units_off(double ours, long double exact)
{
    const double size = fabs((double)exact);
    const double unit = exact == 0.0L ? 0x1p-1074 : nextafter(size, INFINITY) - size;
    return (double)fabsl((long double)ours - exact) / unit;
}

static void log_is_within_two_units_of_the_last_place(void **state)
{
    (void)state;
    uint64_t draws = 3;
    double worst = 0.0;
    for (uint32_t i = 0; i < 2000000; i++) {
        double x = uniform(&draws);
        if (i % 4 == 0) {
            x = 1.0 + (x - 0.5) * ldexp(1.0, -(int)(i % 50)); /* near 1, where log is small */
        } else {
            x = ldexp(x, (int)(i % 2097) - 1073); /* the whole range, subnormals too */
        }
        if (x > 0.0) {
            worst = fmax(worst, units_off(dps_log_exact_ops(x), logl((long double)x)));
        }
    }
    print_message("worst error of log: %.3f units\n", worst);
    assert_true(worst <= 2.0);
    assert_true(dps_log_exact_ops(1.0) == 0.0);
}

/* A unit for log(y), one each for the quotient and the product, and what y - 1 loses is taken back:
 * five in all bound it. */
static void log_of_one_and_a_little_keeps_its_digits(void **state)
{
    (void)state;
    uint64_t draws = 4;
    double worst = 0.0;
    for (uint32_t i = 0; i < 1000000; i++) {
        const double x = ldexp(uniform(&draws), (int)(i % 2097) - 1073);
        worst = fmax(worst, units_off(dps_log1p_exact_ops(x), log1pl((long double)x)));
    }
    print_message("worst error of log(1 + x): %.3f units\n", worst);
    assert_true(worst <= 5.0);
    assert_true(dps_log1p_exact_ops(0.0) == 0.0);
    assert_true(dps_log1p_exact_ops(5e-324) == 5e-324);
    assert_true(dps_log1p_exact_ops(INFINITY) == dps_log1p_exact_ops(DBL_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_is_within_two_units_of_the_last_place),
        cmocka_unit_test(log_of_one_and_a_little_keeps_its_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
