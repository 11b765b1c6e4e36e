/* The rows that the search looks at. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "allocation.h"
#include "auto_sample.h"

enum { ROWS = 1000, STRIDE = DPS_PAD, COLUMNS = 2 };

static dps_status get_tile(const void *context, int64_t t, dps_row_tile *tile, dps_error *err)
{
    (void)err;
    dps_scaled_rows_tile(context, t, tile);
    return DPS_OK;
}

/* Row i: (i, 7 - i / 2), a tenth of them of class 1. */
static void make_rows(dps_training *t)
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
    t->rows = (dps_row_source){.rows = ROWS, .columns = COLUMNS, .context = x, .get = get_tile};
}

static void free_rows(dps_training *t)
{
    dps_scaled_rows_release(&t->data.x);
    dps_free(t->data.label);
}

static void every_class_has_its_share_of_the_sample(void **state)
{
    (void)state;
    dps_training t;
    dps_auto_sample s;
    int64_t ones = 0;
    make_rows(&t);
    assert_int_equal(dps_auto_sample_take(&s, &t, 400, false, NULL), DPS_OK);
    assert_int_equal(s.rows, 400);
    assert_int_equal(s.views, 1);
    for (int64_t k = 0; k < s.rows; k++) {
        const int32_t i = (int32_t)s.view[0].x.dense[(size_t)k * STRIDE];
        assert_int_equal(s.label[k], t.data.label[i]);
        assert_true(s.view[0].x.dense[(size_t)k * STRIDE + 1] == 7 - (float)i / 2);
        ones += s.label[k];
    }
    assert_int_equal(ones, 40);
    dps_auto_sample_release(&s);
    free_rows(&t);
}

static void all_rows_are_taken_where_they_are_few(void **state)
{
    (void)state;
    dps_training t;
    dps_auto_sample s;
    make_rows(&t);
    assert_int_equal(dps_auto_sample_take(&s, &t, ROWS, false, NULL), DPS_OK);
    assert_int_equal(s.rows, ROWS);
    assert_memory_equal(s.view[0].x.dense, t.data.x.dense, ROWS * STRIDE * sizeof(float));
    dps_auto_sample_release(&s);
    free_rows(&t);
}

static void the_second_view_is_standardised_in_the_unit_ball(void **state)
{
    (void)state;
    dps_training t;
    dps_auto_sample s;
    make_rows(&t);
    assert_int_equal(dps_auto_sample_take(&s, &t, 400, true, NULL), DPS_OK);
    assert_int_equal(s.views, 2);
    double square[COLUMNS] = {0}, largest = 0;
    for (int32_t j = 0; j < COLUMNS; j++) {
        double sum = 0;
        for (int64_t k = 0; k < s.rows; k++) {
            const double x = s.view[1].x.dense[(size_t)k * STRIDE + (size_t)j];
            sum += x;
            square[j] += x * x;
        }
        /* float rounding of values up to 1: 400 times 6e-8 */
        assert_float_equal(sum, 0, 3e-5);
    }
    assert_float_equal(square[0], square[1], 1e-4); /* equal deviations */
    for (int64_t k = 0; k < s.rows; k++) {
        const float *x = s.view[1].x.dense + (size_t)k * STRIDE;
        largest = fmax(largest, sqrt((double)x[0] * x[0] + (double)x[1] * x[1]));
    }
    assert_float_equal(largest, 1, 1e-6);
    assert_float_equal(s.view[1].radius2, 1, 1e-6);
    dps_auto_sample_release(&s);
    free_rows(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_class_has_its_share_of_the_sample),
        cmocka_unit_test(all_rows_are_taken_where_they_are_few),
        cmocka_unit_test(the_second_view_is_standardised_in_the_unit_ball)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
