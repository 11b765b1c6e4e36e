/* Axes place values where they belong; curves pass over what cannot be drawn. */
#include "svg_plot.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void an_axis_places_its_values_in_proportion(void **state)
{
    (void)state;
    dps_axis linear = dps_axis_empty(false), decades = dps_axis_empty(true);
    for (int k = 0; k < 3; k++) {
        dps_axis_take(&linear, 10.0 + 5.0 * k);
        dps_axis_take(&decades, pow(10.0, k));
    }
    linear.begin = decades.begin = 100;
    linear.end = decades.end = 300;
    /* the middle of the values is the middle of the axis, with and without room at the ends */
    for (int round = 0; round < 2; round++) {
        assert_true(fabs(dps_axis_place(&linear, 15) - 200) < 1e-9);
        assert_true(fabs(dps_axis_place(&decades, 10) - 200) < 1e-9);
        dps_axis_close(&linear);
        dps_axis_close(&decades);
    }
    assert_true(dps_axis_place(&linear, 10) > 100 && dps_axis_place(&linear, 20) < 300);
    assert_true(dps_axis_place(&decades, 1) > 100 && dps_axis_place(&decades, 100) < 300);
}

static void an_axis_of_one_value_or_none_has_a_length(void **state)
{
    (void)state;
    for (int log = 0; log < 2; log++) {
        for (int values = 0; values < 2; values++) {
            dps_axis axis = dps_axis_empty(log != 0);
            if (values > 0) {
                dps_axis_take(&axis, 3);
            }
            dps_axis_close(&axis);
            assert_true(axis.high > axis.low);
            assert_true(isfinite(axis.low) && isfinite(axis.high));
        }
    }
}

static void an_axis_of_one_large_value_has_a_length(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        dps_axis axis = dps_axis_empty(false);
        dps_axis_take(&axis, sign * 1e300);
        dps_axis_close(&axis);
        axis.begin = 0;
        axis.end = 100;
        assert_true(axis.low < sign * 1e300 && sign * 1e300 < axis.high);
        assert_true(fabs(dps_axis_place(&axis, sign * 1e300) - 50) < 1e-6);
    }
}

static void a_curve_passes_over_what_cannot_be_drawn(void **state)
{
    (void)state;
    const double at_x[] = {0, 1, 2, 3, 4}, at_y[] = {1, NAN, -1, 0, 10};
    dps_axis x = dps_axis_empty(false), y = dps_axis_empty(true);
    dps_text out = {0};
    dps_axis_take(&x, 0);
    dps_axis_take(&x, 4);
    dps_axis_take(&y, 1);
    dps_axis_take(&y, 10);
    x.begin = y.end = 0;
    x.end = y.begin = 100;
    dps_svg_curve(&out, &x, &y, at_x, at_y, 5, "#000000", 1.5);
    assert_false(out.failed);
    assert_non_null(strstr(out.data, "d=\"M0.0,100.0 L100.0,0.0\""));
    assert_null(strstr(out.data, "nan"));
    assert_null(strstr(out.data, "inf"));
    dps_text_release(&out);
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)) != NULL; text++) {
        count++;
    }
    return count;
}

static void a_panel_has_a_few_round_grid_lines(void **state)
{
    (void)state;
    const double most[] = {0.9, 7, 16, 1234567};
    for (size_t k = 0; k < sizeof most / sizeof most[0]; k++) {
        dps_axis x = dps_axis_empty(false), y = dps_axis_empty(true);
        dps_text out = {0};
        dps_axis_take(&x, 0);
        dps_axis_take(&x, most[k]);
        dps_axis_take(&y, 1);
        dps_axis_take(&y, 1e5);
        x.begin = y.end = 0;
        x.end = y.begin = 100;
        dps_svg_panel(&out, &x, &y, "passes");
        assert_false(out.failed);
        const int lines = count_of(out.data, "<line"), powers = 6;
        assert_in_range(lines - powers, 3, 7);
        assert_int_equal(count_of(out.data, "<text"), lines + 1);
        assert_non_null(strstr(out.data, ">100<")); /* of y */
        dps_text_release(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_axis_places_its_values_in_proportion),
        cmocka_unit_test(an_axis_of_one_value_or_none_has_a_length),
        cmocka_unit_test(an_axis_of_one_large_value_has_a_length),
        cmocka_unit_test(a_curve_passes_over_what_cannot_be_drawn),
        cmocka_unit_test(a_panel_has_a_few_round_grid_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
