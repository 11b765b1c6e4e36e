/* The exact kernel on sampled rows: in a learnt metric, of dense and of compressed rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>
#include "allocation.h"
#include "map_projections.h"
#include "study_rows.h"

enum { ROWS = 3, WIDE = DPS_FULL_METRIC + 1, STRIDE = 272 };

/* Columns 0 and 2 of d have values, the others are 0. */
static const float value[ROWS][2] = {{1, 2}, {-3, 0.5F}, {0, -1}};

typedef struct sample {
    float dense[ROWS * STRIDE];
    int64_t start[ROWS + 1];
    int32_t column[2 * ROWS];
    float compressed[2 * ROWS];
    double kernel[ROWS * ROWS], dot[ROWS * ROWS];
    dps_study_rows rows;
} sample;

static void make(sample *s, int32_t d, bool dense)
{
    memset(s, 0, sizeof *s);
    for (int32_t i = 0; i < ROWS; i++) {
        for (int32_t k = 0; k < 2; k++) {
            s->dense[i * STRIDE + 2 * k] = value[i][k];
            s->column[2 * i + k] = 2 * k;
            s->compressed[2 * i + k] = value[i][k];
        }
        s->start[i + 1] = 2 * (i + 1);
    }
    s->rows.tile = (dps_row_tile){.rows = ROWS, .columns = d};
    if (dense) {
        s->rows.tile.dense = s->dense;
        s->rows.tile.stride = STRIDE;
    } else {
        s->rows.tile.start = s->start;
        s->rows.tile.column = s->column;
        s->rows.tile.value = s->compressed;
    }
    s->rows.kernel = s->kernel;
    s->rows.dot = s->dot;
}

static dps_map_recipe recipe_of(dps_map_type type, dps_base base)
{
    return (dps_map_recipe){
        .type = type,
        .base = base,
        .base_gamma = 0.5,
        .exact_degree = DPS_EXACT_NONE,
        .refine = DPS_REFINE_METRIC,
        .kernel = {
            .kernel = &dps_kernel_linear, .gamma = 1, .domain_scale = 1, .degree = 1, .sigma = 1}};
}

static void assert_near(double found, double expected, double most)
{
    assert_true(fabs(found - expected) <= most);
}

static double at(const sample *s, int32_t i, int32_t j)
{
    return s->kernel[i * ROWS + j];
}

/* T = (0 2 0; 5 5 5; 0 0 -1): x T = (0, 2 x_0, -x_2); its transpose would mix in other columns. */
static const float t[9] = {0, 2, 0, 5, 5, 5, 0, 0, -1};

static void full_metric(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        sample s;
        dps_error err;
        make(&s, 3, dense == 1);
        dps_map_recipe recipe = recipe_of(DPS_MAP_MACLAURIN, DPS_BASE_DOT);
        recipe.moved = t;
        recipe.moved_count = 9;
        assert_int_equal(dps_study_rows_kernel(&s.rows, &recipe, &err), DPS_OK);
        assert_near(at(&s, 0, 0), 4 + 4, 0);
        assert_near(at(&s, 1, 0), 2 * -6 + -2 * -0.5, 0);
        assert_near(at(&s, 2, 1), -0.5, 0);
        assert_near(s.rows.radius1, 6.5, 0);
        assert_near(s.rows.radius2, sqrt(36.25), 1e-15);
        recipe = recipe_of(DPS_MAP_FOURIER, DPS_BASE_RBF);
        recipe.moved = t;
        recipe.moved_count = 9;
        assert_int_equal(dps_study_rows_kernel(&s.rows, &recipe, &err), DPS_OK);
        assert_near(at(&s, 1, 0), exp(-0.5 * (64 + 2.25)), 1e-18);
        assert_near(at(&s, 2, 2), 1, 0);
        recipe.base = DPS_BASE_LAPLACIAN;
        recipe.exact_degree = 1; /* the rows beside the cosines */
        recipe.kernel.gamma = 0.25;
        assert_int_equal(dps_study_rows_kernel(&s.rows, &recipe, &err), DPS_OK);
        assert_near(at(&s, 1, 0), exp(-0.5 * (8 + 1.5)) + 0.25 * -11, 1e-15);
    }
}

static void diagonal_metric(void **state)
{
    (void)state;
    float diagonal[WIDE] = {0};
    diagonal[0] = 3;
    diagonal[2] = 0.5F;
    for (int dense = 0; dense < 2; dense++) {
        sample s;
        dps_error err;
        make(&s, WIDE, dense == 1);
        dps_map_recipe recipe = recipe_of(DPS_MAP_MACLAURIN, DPS_BASE_DOT);
        recipe.moved = diagonal;
        recipe.moved_count = WIDE;
        assert_int_equal(dps_study_rows_kernel(&s.rows, &recipe, &err), DPS_OK);
        assert_near(at(&s, 1, 0), 3 * -9 + 1 * 0.25, 0);
        assert_near(s.rows.radius1, 9.25, 0);
    }
}

static void no_metric(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        sample s;
        dps_error err;
        make(&s, 3, dense == 1);
        const dps_map_recipe recipe = recipe_of(DPS_MAP_FOURIER, DPS_BASE_RBF);
        assert_int_equal(dps_study_rows_kernel(&s.rows, &recipe, &err), DPS_OK);
        assert_near(at(&s, 1, 0), exp(-0.5 * (16 + 2.25)), 1e-18);
        assert_near(s.rows.radius1, 3.5, 0);
        assert_near(s.rows.radius2, sqrt(9.25), 1e-15);
    }
}

/* exp of what the metric stretches beyond double's range. */
static void too_far(void **state)
{
    (void)state;
    sample s;
    dps_error err;
    const float far[9] = {100, 0, 0, 0, 100, 0, 0, 0, 100};
    make(&s, 3, true);
    dps_map_recipe recipe = recipe_of(DPS_MAP_MACLAURIN, DPS_BASE_DOT);
    recipe.kernel.kernel = dps_kernel_find("exponential");
    assert_int_equal(dps_study_rows_kernel(&s.rows, &recipe, &err), DPS_OK);
    recipe.moved = far;
    recipe.moved_count = 9;
    assert_int_equal(dps_study_rows_kernel(&s.rows, &recipe, &err), DPS_ERROR_NUMERIC);
    assert_non_null(strstr(err.text, "learnt metric"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_metric),
        cmocka_unit_test(diagonal_metric),
        cmocka_unit_test(no_metric),
        cmocka_unit_test(too_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
