/* The interior point method's steps for the logistic loss: few, to multipliers that are feasible
 * and C times the slopes at their own scores. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "contract/solver/synthetic_problem.h"
#include "interior_private.h"

enum { ROWS = 60, WIDTH = 8 };

static void multipliers_are_the_slopes_at_their_scores(void **state)
{
    (void)state;
    for (double C = 1e-4; C < 2e6; C *= 100.0) {
        synthetic *s = synthetic_new(ROWS, WIDTH, 2, "logistic", C);
        double gram[ROWS * ROWS] = {0}, alpha[ROWS], worst = 0.0;
        dps_few_rows few;
        dps_error err;
        int64_t steps = 0;
        assert_int_equal(dps_few_rows_gather(&few, &s->problem, &s->run, &err), DPS_OK);
        assert_int_equal(dps_few_rows_gram(&few, &s->run, gram, &err), DPS_OK);
        assert_int_equal(
            dps_interior_solve(&s->problem, 0, gram, 1e-9, &s->run, alpha, 1, &steps, &err),
            DPS_OK);
        for (int64_t i = 0; i < ROWS; i++) {
            const double y = synthetic_y(s, 0, i);
            double u = 0.0;
            for (int64_t j = 0; j < ROWS; j++) {
                u += gram[i * ROWS + j] * alpha[j];
            }
            assert_true(y * alpha[i] >= 0.0 && y * alpha[i] <= C);
            worst = fmax(worst, fabs(alpha[i] / C - y / (1.0 + exp(y * u))));
        }
        print_message("C %g: %lld steps, slopes to %.2g\n", C, (long long)steps, worst);
        assert_true(worst < 1e-6);
        assert_true(steps <= 20);
        dps_few_rows_release(&few);
        synthetic_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multipliers_are_the_slopes_at_their_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
