/* Every kernel's closed form and its terms against the series, summed in long double.
 *
 * t within 0.9 of the radius: 1,000 terms leave less than 1e-40. Tolerance: eps times the number of
 * factors of a term, and what the closed form loses (pow, exp: 1e-14). */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "kernel.h"

static void closed_forms_are_their_series(void **state)
{
    (void)state;
    for (const char *const *name = dps_kernel_names; *name != NULL; name++) {
        for (int k = 0; k < 200; k++) {
            dps_kernel_params p = {.kernel = dps_kernel_find(*name),
                                   .degree = 1 + k % 12,
                                   .offset = 0.25 * (k % 5),
                                   .gamma = 0.5 + 0.1 * (k % 7),
                                   .sigma = 0.7 + 0.05 * (k % 9),
                                   .domain_scale = 1 + 0.5 * (k % 3),
                                   .coefficient_count = 4,
                                   .coefficient = {0.5, 0, 1.5, 0.125}};
            const double radius = dps_kernel_radius(&p);
            const double t = (isfinite(radius) ? 0.9 * radius : 3.0) * (k + 1) / 200.0;
            long double sum = 0;
            for (int32_t n = 0; n <= DPS_MAX_DEGREE; n++) {
                sum += (long double)dps_kernel_term(&p, n, t);
            }
            const double value = dps_kernel_value(&p, t);
            if (!(fabsl((long double)value - sum) <= 1e-13L * (1 + fabsl(sum)))) {
                fail_msg("%s at %g: %.17g, the series %.20Lg", *name, t, value, sum);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(closed_forms_are_their_series)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
