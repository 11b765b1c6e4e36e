/* Rows taken out of dense and compressed rows, and all that is known of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "allocation.h"
#include "row_subset.h"

enum { ROWS = 1000, COLUMNS = 3 };

/* Row i has the values i, 0 and -i, and in column 1 a 5 where i is odd. */
typedef struct table {
    dps_scaled_rows x;
    int32_t label[ROWS], part[ROWS];
    double target[ROWS], weight[ROWS];
    dps_labelled_rows all;
} table;

static double value(int32_t i, int32_t j)
{
    return j == 0 ? i : j == 2 ? -i : i % 2 == 1 ? 5 : 0;
}

static void make(table *t, bool dense)
{
    memset(t, 0, sizeof *t);
    t->x = (dps_scaled_rows){.rows = ROWS, .columns = COLUMNS, .stride = DPS_PAD};
    t->x.dense = dense ? dps_alloc((ROWS + DPS_TILE_ROWS) * DPS_PAD, sizeof(float)) : NULL;
    t->x.start = dense ? NULL : dps_alloc(ROWS + 1, sizeof *t->x.start);
    t->x.column = dense ? NULL : dps_alloc(ROWS * COLUMNS, sizeof *t->x.column);
    t->x.value = dense ? NULL : dps_alloc(ROWS * COLUMNS, sizeof *t->x.value);
    int64_t at = 0;
    for (int32_t i = 0; i < ROWS; i++) {
        for (int32_t j = 0; j < COLUMNS; j++) {
            if (dense) {
                t->x.dense[(size_t)i * DPS_PAD + (size_t)j] = (float)value(i, j);
            } else if (value(i, j) != 0) {
                t->x.column[at] = j;
                t->x.value[at++] = (float)value(i, j);
            }
        }
        if (!dense) {
            t->x.start[i + 1] = at;
        }
        t->label[i] = i % 3;
        t->target[i] = i / 2.0;
        t->weight[i] = 1 + i % 5;
        t->part[i] = i % 7 == 2 ? 0 : -1;
    }
    t->all = (dps_labelled_rows){.x = dps_scaled_rows_source(&t->x),
                                 .dense = dense,
                                 .label = t->label,
                                 .target = t->target,
                                 .weight = t->weight};
}

static double found(const dps_row_tile *tile, int32_t i, int32_t j)
{
    if (tile->dense != NULL) {
        return (double)tile->dense[(size_t)i * tile->stride + (size_t)j];
    }
    for (int64_t k = tile->start[i]; k < tile->start[i + 1]; k++) {
        if (tile->column[k] == j) {
            return (double)tile->value[k];
        }
    }
    return 0;
}

/* Rows `first`, `first` + step, ... */
static void check(const dps_row_subset *s, int32_t first, int32_t step)
{
    const dps_labelled_rows rows = dps_row_subset_rows(s);
    assert_int_equal(rows.x.rows, (ROWS - first + step - 1) / step);
    assert_ptr_equal(rows.x.weight, rows.weight);
    for (int64_t k = 0; k < rows.x.rows; k++) {
        const int32_t i = first + step * (int32_t)k;
        dps_row_tile tile;
        assert_int_equal(rows.x.get(rows.x.context, k / DPS_TILE_ROWS, &tile, NULL), DPS_OK);
        for (int32_t j = 0; j < COLUMNS; j++) {
            assert_true(found(&tile, (int32_t)(k % DPS_TILE_ROWS), j) == value(i, j));
        }
        assert_int_equal(rows.label[k], i % 3);
        assert_true(rows.target[k] == i / 2.0 && rows.weight[k] == 1 + i % 5);
    }
}

static void rows_of_part_0_are_taken_in_order(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        table t;
        dps_row_subset s;
        make(&t, dense == 1);
        assert_int_equal(dps_row_subset_take(&s, &t.all, t.part, NULL, NULL), DPS_OK);
        check(&s, 2, 7);
        dps_row_subset_release(&s);
        assert_int_equal(dps_row_subset_take(&s, &t.all, NULL, NULL, NULL), DPS_OK);
        check(&s, 0, 1);
        dps_row_subset_release(&s);
        dps_scaled_rows_release(&t.x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_of_part_0_are_taken_in_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
