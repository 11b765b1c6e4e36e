/* The rows that the search looks at. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "allocation.h"
#include "trial_rows.h"

enum { ROWS = 2000, STRIDE = DPS_PAD, COLUMNS = 2 };

typedef struct table {
    dps_dataset data;
    dps_settings settings;
    dps_run run;
    dps_trial_base base;
} table;

/* Row i: (i, 7 - i / 2), a tenth of them of class 1. */
static void make_rows(table *t)
{
    memset(t, 0, sizeof *t);
    dps_scaled_rows *x = &t->data.x;
    x->rows = ROWS;
    x->columns = COLUMNS;
    x->stride = STRIDE;
    x->dense = dps_alloc((ROWS + DPS_TILE_ROWS) * STRIDE, sizeof *x->dense);
    t->data.label = dps_alloc(ROWS, sizeof *t->data.label);
    assert_non_null(x->dense);
    assert_non_null(t->data.label);
    for (int32_t i = 0; i < ROWS; i++) {
        x->dense[(size_t)i * STRIDE] = (float)i;
        x->dense[(size_t)i * STRIDE + 1] = 7 - (float)i / 2;
        t->data.label[i] = i % 10 == 0 ? 1 : 0;
    }
    t->data.classes.count = 2;
    t->data.scaler.dense = true;
    t->settings.loss = dps_loss_find("squared_hinge");
    t->settings.validation.seed = 1;
    t->base = (dps_trial_base){.settings = &t->settings, .data = &t->data, .run = &t->run};
}

static void free_rows(table *t)
{
    dps_scaled_rows_release(&t->data.x);
    dps_free(t->data.label);
}

static void every_class_has_its_share_of_the_sample(void **state)
{
    (void)state;
    table t;
    dps_trial_rows s;
    int64_t ones = 0;
    make_rows(&t);
    assert_int_equal(dps_trial_rows_take(&s, &t.base, 400, false, NULL), DPS_OK);
    assert_int_equal(s.own.x.rows, 400);
    assert_int_equal(s.views, 1);
    for (int64_t k = 0; k < s.own.x.rows; k++) {
        const int32_t i = (int32_t)s.own.x.dense[(size_t)k * STRIDE];
        assert_int_equal(s.own.label[k], t.data.label[i]);
        assert_true(s.own.x.dense[(size_t)k * STRIDE + 1] == 7 - (float)i / 2);
        ones += s.own.label[k];
    }
    assert_int_equal(ones, 40);
    dps_trial_rows_release(&s);
    free_rows(&t);
}

static void all_rows_are_taken_where_they_are_few(void **state)
{
    (void)state;
    table t;
    dps_trial_rows s;
    make_rows(&t);
    assert_int_equal(dps_trial_rows_take(&s, &t.base, ROWS, false, NULL), DPS_OK);
    assert_int_equal(s.own.x.rows, ROWS);
    assert_memory_equal(s.own.x.dense, t.data.x.dense, ROWS * STRIDE * sizeof(float));
    dps_trial_rows_release(&s);
    free_rows(&t);
}

static void the_second_view_is_standardised_in_the_unit_ball(void **state)
{
    (void)state;
    table t;
    dps_trial_rows s;
    make_rows(&t);
    assert_int_equal(dps_trial_rows_take(&s, &t.base, 400, true, NULL), DPS_OK);
    assert_int_equal(s.views, 2); /* too few rows for the others */
    double square[COLUMNS] = {0}, largest = 0;
    for (int32_t j = 0; j < COLUMNS; j++) {
        double sum = 0;
        for (int64_t k = 0; k < s.own.x.rows; k++) {
            const double x = s.other[0].dense[(size_t)k * STRIDE + (size_t)j];
            sum += x;
            square[j] += x * x;
        }
        /* float rounding of values up to 1: 400 times 6e-8 */
        assert_float_equal(sum, 0, 3e-5);
    }
    assert_float_equal(square[0], square[1], 1e-4); /* equal deviations */
    for (int64_t k = 0; k < s.own.x.rows; k++) {
        const float *x = s.other[0].dense + (size_t)k * STRIDE;
        largest = fmax(largest, sqrt((double)x[0] * x[0] + (double)x[1] * x[1]));
    }
    assert_float_equal(largest, 1, 1e-6);
    assert_float_equal(s.view[1].radius2, 1, 1e-6);
    dps_trial_rows_release(&s);
    free_rows(&t);
}

/* Column 0 counts the rows, column 1 falls with it: ranks are lines, and the last row's are 1. */
static void bent_views_keep_the_order_of_a_column(void **state)
{
    (void)state;
    table t;
    dps_trial_rows s;
    make_rows(&t);
    assert_int_equal(dps_trial_rows_take(&s, &t.base, ROWS, true, NULL), DPS_OK);
    assert_int_equal(s.views, 4);
    const dps_view kinds[] = {DPS_VIEW_LOG, DPS_VIEW_RANK};
    for (int32_t v = 2; v < s.views; v++) {
        const float *bent = s.other[v - 1].dense, *own = s.own.x.dense;
        double largest = 0;
        assert_int_equal(s.view[v].kind, kinds[v - 2]);
        for (int64_t k = 0; k < s.own.x.rows; k++, bent += STRIDE, own += STRIDE) {
            assert_true(k == 0 || own[0] == own[-STRIDE] || bent[0] > bent[-STRIDE]);
            largest = fmax(largest, sqrt((double)bent[0] * bent[0] + (double)bent[1] * bent[1]));
        }
        assert_float_equal(largest, 1, 1e-6);
        assert_float_equal(s.view[v].radius2, 1, 1e-6);
    }
    dps_trial_rows_release(&s);
    free_rows(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_class_has_its_share_of_the_sample),
        cmocka_unit_test(all_rows_are_taken_where_they_are_few),
        cmocka_unit_test(the_second_view_is_standardised_in_the_unit_ball),
        cmocka_unit_test(bent_views_keep_the_order_of_a_column)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
