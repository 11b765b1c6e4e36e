/* The settings of a search: order, groups, and the choice among them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "tune_space.h"

static dps_options options;

static int begin(void **state)
{
    (void)state;
    return dps_options_init(&options, NULL) == DPS_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    dps_options_release(&options);
    return 0;
}

static void set(const char *assignment)
{
    assert_int_equal(dps_options_set_text(&options, assignment, NULL), DPS_OK);
}

static void c_is_fastest_and_data_slowest(void **state)
{
    (void)state;
    dps_tune_space space;
    set("tune.solver.C=4,1");
    set("tune.solver.loss=hinge,squared_hinge");
    set("tune.map.features=10,20,30");
    set("tune.data.scaling=none,max_abs");
    assert_int_equal(dps_tune_space_init(&space, &options, 5, NULL), DPS_OK);
    assert_int_equal(space.count, 24);
    assert_int_equal(space.chain_span, 2);
    assert_int_equal(space.group_span, 4);
    assert_int_equal(space.data_span, 12);
    dps_text text = {0};
    dps_tune_point_text(&space, &space.point[23], &text);
    assert_string_equal(text.data, "data.scaling = max_abs, map.features = 30, solver.loss = "
                                   "squared_hinge, solver.C = 1");
    dps_text_release(&text);
    assert_int_equal(dps_tune_chain_end(&space, 4), 6);
    assert_true(space.point[4].C == 4 && space.point[5].C == 1);
    dps_options chosen;
    assert_int_equal(dps_tune_point_options(&space, &space.point[5], &chosen, NULL), DPS_OK);
    assert_int_equal(chosen.map_features.number, 20);
    assert_true(chosen.solver_C.number == 1);
    assert_string_equal(chosen.data_scaling, "none");
    dps_options_release(&chosen);
    dps_tune_space_release(&space);
}

static void random_takes_different_points_of_the_grid(void **state)
{
    (void)state;
    dps_tune_space space;
    set("tune.solver.C=1..1000");
    set("tune.map.features=1..1000");
    set("tune.method=random");
    set("tune.budget=30");
    assert_int_equal(dps_tune_space_init(&space, &options, 2, NULL), DPS_OK);
    assert_int_equal(space.count, 30);
    for (int64_t p = 1; p < space.count; p++) {
        assert_true(space.point[p].index > space.point[p - 1].index);
    }
    assert_true(space.point[29].index - space.point[0].index > 500000);
    dps_tune_space_release(&space);
}

static void too_many_settings_are_refused(void **state)
{
    (void)state;
    dps_tune_space space;
    set("tune.solver.C=1..1000");
    set("tune.map.features=1..1000");
    set("tune.kernel.degree=1..9");
    assert_int_equal(dps_tune_space_init(&space, &options, 2, NULL), DPS_ERROR_CONFIG);
    set("tune.map.seed=1..1000");
    set("tune.method=random");
    assert_int_equal(dps_tune_space_init(&space, &options, 2, NULL), DPS_ERROR_CONFIG);
}

static void score(dps_tune_point *point, double a, double b, double c)
{
    point->score[0] = a;
    point->score[1] = b;
    point->score[2] = c;
}

static void the_cheapest_within_one_error_is_chosen(void **state)
{
    (void)state;
    dps_tune_space space;
    set("tune.solver.C=1,2,4");
    set("tune.map.features=10,20");
    assert_int_equal(dps_tune_space_init(&space, &options, 3, NULL), DPS_OK);
    score(&space.point[0], 0.5, 0.5, 0.5);
    score(&space.point[1], NAN, 0.9, 0.9);    /* does not work on one fold */
    score(&space.point[2], 0.86, 0.90, 0.97); /* as good as the best, with fewer features */
    score(&space.point[3], 0.89, 0.90, 0.97);
    score(&space.point[4], 0.90, 0.91, 0.96); /* the best */
    score(&space.point[5], 0.80, 0.81, 0.86);
    dps_tune_space other = space;
    assert_ptr_equal(dps_tune_choose(&space, DPS_METRIC_ACCURACY, 3, true), &space.point[2]);
    assert_true(space.point[4].best && space.point[2].chosen);
    space.point[2].chosen = false;
    assert_ptr_equal(dps_tune_choose(&other, DPS_METRIC_ACCURACY, 3, false), &space.point[4]);
    assert_ptr_equal(dps_tune_choose(&other, DPS_METRIC_LOG_LOSS, 3, false), &space.point[0]);
    space.point[2].dropped = true;
    assert_ptr_equal(dps_tune_choose(&space, DPS_METRIC_ACCURACY, 3, true), &space.point[3]);
    dps_tune_space_release(&space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(c_is_fastest_and_data_slowest, begin, end),
        cmocka_unit_test_setup_teardown(random_takes_different_points_of_the_grid, begin, end),
        cmocka_unit_test_setup_teardown(too_many_settings_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(the_cheapest_within_one_error_is_chosen, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
