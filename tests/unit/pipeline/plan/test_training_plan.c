/* The plan before training: what is needed, and what is refused with its figures. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "training_plan.h"

static dps_map_facts facts;
static float panel[1]; /* nothing reads it */
static int32_t columns = 10;
static int64_t rows = 100000;
static bool no_map;

static dps_status plan(const char *solver, size_t memory, int32_t width, dps_plan *out,
                       dps_error *err)
{
    static const double class_weight[] = {1, 1};
    const dps_map_recipe recipe = {0};
    const dps_settings settings = {.solver = dps_solver_find(solver), .bias = 1};
    const dps_dataset data = {.x = {.rows = rows, .columns = columns, .dense = panel},
                              .nonzeros = 1000000};
    const dps_problem problem = {
        .classes = 2, .class_weight = class_weight, .loss = dps_loss_find("squared_hinge"), .C = 1};
    const dps_run run = {.threads = 2, .simd = DPS_SIMD_PORTABLE, .memory = memory};
    facts.width = width;
    facts.random_columns = no_map ? 0 : width;
    facts.flops_per_row = 1000;
    facts.map_bytes = 12345;
    return dps_plan_make(&settings, &data, &recipe, &facts, &problem, &run, out, err);
}

static void tiles_are_kept_when_they_fit_beside_the_rest(void **state)
{
    dps_plan p, q;
    dps_error err;
    (void)state;
    assert_int_equal(plan("dcd", (size_t)4 << 30, 500, &p, &err), DPS_OK);
    assert_true(p.tiles_fit);
    /* 100,000 rows are 261 tiles of 384; 501 columns are padded to 512 */
    assert_int_equal(p.tile_bytes, (size_t)261 * 384 * 512 * 4);
    assert_true(p.map_flops == 1e8);
    assert_ptr_equal(p.solver, &dps_solver_dcd);
    assert_int_equal(plan("dcd", p.needed + p.tile_bytes, 500, &q, &err), DPS_OK);
    assert_true(q.tiles_fit);
    assert_int_equal(plan("dcd", p.needed + p.tile_bytes - 1, 500, &q, &err), DPS_OK);
    assert_false(q.tiles_fit);
    assert_true(q.needed > p.needed); /* the solver makes tiles again, in panels of its own */
}

static void what_cannot_fit_is_refused_with_the_options_to_change(void **state)
{
    dps_plan p, q;
    dps_error err;
    (void)state;
    assert_int_equal(plan("newton", (size_t)4 << 30, 2000, &p, &err), DPS_OK);
    assert_true(p.needed > (size_t)2000 * 2000 * 8);
    assert_int_equal(plan("newton", p.needed / 2, 2000, &q, &err), DPS_ERROR_MEMORY);
    assert_non_null(strstr(err.text, "map.features"));
    assert_non_null(strstr(err.text, "run.memory"));
}

static void rows_leave_for_a_scratch_file_where_the_rest_fits_without_them(void **state)
{
    dps_plan p, q;
    dps_error err;
    (void)state;
    columns = 1000; /* 400 MB of rows */
    assert_int_equal(plan("dcd", (size_t)4 << 30, 500, &p, &err), DPS_OK);
    assert_false(p.spill);
    assert_int_equal(plan("dcd", p.needed + p.tile_bytes - 1, 500, &p, &err), DPS_OK);
    assert_false(p.spill || p.tiles_fit);
    assert_int_equal(plan("dcd", p.needed, 500, &q, &err), DPS_OK);
    assert_false(q.spill);
    assert_int_equal(plan("dcd", p.needed - 1, 500, &q, &err), DPS_OK);
    assert_true(q.spill);
    assert_true(q.data_bytes < p.data_bytes);
    columns = 10;
}

/* 60 rows of 60,000 columns, as genes and spectra come: one tile, which is kept. */
static void few_wide_rows_need_a_tile_and_not_a_group_of_them(void **state)
{
    dps_plan p, q;
    dps_error err;
    const size_t tile = (size_t)384 * 60016 * 4;
    (void)state;
    columns = 60000;
    rows = 60;
    assert_int_equal(plan("dcd", (size_t)4 << 30, 60000, &p, &err), DPS_OK);
    assert_true(p.tiles_fit);
    assert_int_equal(p.tile_bytes, tile);
    assert_true(p.needed < p.data_bytes + tile + ((size_t)8 << 20));
    assert_int_equal(plan("dcd", p.needed + tile, 60000, &q, &err), DPS_OK);
    assert_true(q.tiles_fit);
    assert_int_equal(plan("dcd", p.needed / 4, 60000, &q, &err), DPS_ERROR_MEMORY);
    columns = 10;
    rows = 100000;
}

static void a_refusal_names_what_helps_and_nothing_else(void **state)
{
    dps_plan p, q;
    dps_error err;
    (void)state;
    assert_int_equal(plan("newton", (size_t)4 << 30, 4000, &p, &err), DPS_OK);
    assert_int_equal(plan("newton", p.needed / 2, 4000, &q, &err), DPS_ERROR_MEMORY);
    assert_non_null(strstr(err.text, "solver.type = dcd needs"));
    assert_non_null(strstr(err.text, "lower map.features"));
    no_map = true;
    assert_int_equal(plan("newton", p.needed / 2, 4000, &q, &err), DPS_ERROR_MEMORY);
    assert_null(strstr(err.text, "map.features"));
    assert_int_equal(plan("newton", 1 << 20, 4000, &q, &err), DPS_ERROR_MEMORY);
    assert_null(strstr(err.text, "solver.type"));
    assert_non_null(strstr(err.text, "raise run.memory"));
    no_map = false;
}

static void fewer_threads_work_where_all_do_not_fit(void **state)
{
    dps_plan p, q;
    dps_error err;
    (void)state;
    assert_int_equal(plan("newton", (size_t)4 << 30, 2000, &p, &err), DPS_OK);
    assert_int_equal(p.threads, 2);
    assert_int_equal(plan("newton", p.needed - p.data_bytes, 2000, &q, &err), DPS_OK);
    assert_int_equal(q.threads, 1);
    assert_true(q.needed <= p.needed - p.data_bytes);
    assert_ptr_equal(p.solver, q.solver);
}

/* A comparison fits or is refused: with one thread less it is the same comparison. */
static void a_trial_takes_the_threads_that_fit_or_is_refused(void **state)
{
    static const double class_weight[] = {1, 1};
    const dps_settings settings = {.solver = &dps_solver_newton, .bias = 1};
    dps_dataset data = {.x = {.rows = 100000, .columns = columns, .dense = panel}};
    const dps_problem problem = {
        .classes = 2, .class_weight = class_weight, .loss = dps_loss_find("squared_hinge"), .C = 1};
    const dps_run wide = {.threads = 8, .simd = DPS_SIMD_PORTABLE, .memory = (size_t)4 << 30};
    dps_run run = wide;
    dps_error err;
    size_t left;
    (void)state;
    facts.width = 2000;
    assert_int_equal(
        dps_plan_trial(&settings, &data, &facts, &problem, 4096, 1000, &run, &left, &err), DPS_OK);
    assert_int_equal(run.threads, 8);
    const size_t needed = run.memory - left;
    run = wide;
    run.memory = needed - (needed >> 2);
    assert_int_equal(
        dps_plan_trial(&settings, &data, &facts, &problem, 4096, 1000, &run, &left, &err), DPS_OK);
    assert_in_range(run.threads, 1, 7);
    run = wide;
    run.memory = (size_t)2000 * 2000 * 8;
    assert_int_equal(
        dps_plan_trial(&settings, &data, &facts, &problem, 4096, 1000, &run, &left, &err),
        DPS_ERROR_MEMORY);
    assert_non_null(strstr(err.text, "raise run.memory"));
}

static void automatic_solver_does_not_depend_on_memory(void **state)
{
    dps_plan p, q;
    dps_error err;
    (void)state;
    assert_int_equal(plan("auto", (size_t)64 << 30, 500, &p, &err), DPS_OK);
    assert_int_equal(plan("auto", p.needed + p.tile_bytes / 2, 500, &q, &err), DPS_OK);
    assert_false(q.tiles_fit);
    assert_ptr_equal(p.solver, q.solver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_are_kept_when_they_fit_beside_the_rest),
        cmocka_unit_test(what_cannot_fit_is_refused_with_the_options_to_change),
        cmocka_unit_test(rows_leave_for_a_scratch_file_where_the_rest_fits_without_them),
        cmocka_unit_test(few_wide_rows_need_a_tile_and_not_a_group_of_them),
        cmocka_unit_test(a_refusal_names_what_helps_and_nothing_else),
        cmocka_unit_test(fewer_threads_work_where_all_do_not_fit),
        cmocka_unit_test(a_trial_takes_the_threads_that_fit_or_is_refused),
        cmocka_unit_test(automatic_solver_does_not_depend_on_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
