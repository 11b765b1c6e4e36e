/* data.scaling = log and rank against their definitions, computed here from plain columns. */
#include "unit/data/load_fixture.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "scaler_bend.h"

enum { MOST = 40000 };

/* Rows of `columns` values, x[i * columns + j]; zeros are not written. */
static void load_values(const double *x, int rows, int columns, dps_scaling scaling, int threads,
                        size_t chunk, dps_dataset *data)
{
    dps_text text = {0};
    for (int i = 0; i < rows; i++) {
        dps_text_format(&text, "%d", i % 2);
        for (int j = 0; j < columns; j++) {
            if (x[i * columns + j] != 0.0) {
                dps_text_format(&text, " %d:%.17g", j + 1, x[i * columns + j]);
            }
        }
        dps_text_add(&text, "\n");
    }
    assert_false(text.failed);
    char *name = make_text_file(text.data);
    const char *path = name;
    dps_load_options options = load_options(&path, 1, scaling, DPS_NORMALIZE_NONE);
    options.regression = rows == 1; /* one row has no two classes */
    load_ok(&options, chunk, threads, data);
    drop_file(name);
    dps_text_release(&text);
}

/* 2 (rows below + half of the rows equal) / rows - 1. */
static double mid_rank(const double *x, int rows, double v)
{
    double below = 0.0, equal = 0.0;
    for (int i = 0; i < rows; i++) {
        below += x[i] < v;
        equal += x[i] == v;
    }
    return 2.0 * (below + 0.5 * equal) / rows - 1.0;
}

static void few_values_become_their_mid_ranks(void **state)
{
    (void)state;
    double x[500];
    uint64_t seed = 3;
    for (int i = 0; i < 500; i++) {
        x[i] = (double)(next_random(&seed) % DPS_RANK_KNOTS) - 20.0; /* ties; zeros among them */
    }
    dps_dataset data;
    load_values(x, 500, 1, DPS_SCALE_RANK, 1, 0, &data);
    assert_true(data.scaler.dense);
    for (int i = 0; i < 500; i++) {
        assert_true(fabs(dps_scaler_value(&data.scaler, 0, x[i]) - mid_rank(x, 500, x[i])) < 1e-14);
        assert_true(value_at(&data, i, 0) ==
                    (double)(float)dps_scaler_value(&data.scaler, 0, x[i]));
    }
    /* halfway between two values lies halfway between their levels; beyond the ends nothing moves */
    const double *knot = data.scaler.knot, *level = data.scaler.level;
    const double half = dps_scaler_value(&data.scaler, 0, 0.5 * (knot[3] + knot[4]));
    assert_true(fabs(half - 0.5 * (level[3] + level[4])) < 1e-15);
    assert_true(dps_scaler_value(&data.scaler, 0, -1e308) == level[0]);
    assert_true(dps_scaler_value(&data.scaler, 0, 1e308) == level[data.scaler.knots - 1]);
    dps_dataset_release(&data);
}

/* Half zeros, a tenth one other value, the rest all different and of every size. Frequent values
 * and their neighbours are knots; between two other knots lie at most a step (2 / DPS_RANK_KNOTS of
 * the rows) and half of two values that hold two steps each: a level is off by less than
 * 2 * 3 * 2 / DPS_RANK_KNOTS. */
static void many_values_keep_their_order_and_nearly_their_ranks(void **state)
{
    (void)state;
    static double x[6000];
    uint64_t seed = 5;
    for (int i = 0; i < 6000; i++) {
        const double u = (double)next_random(&seed) / 2147483648.0 - 0.3;
        x[i] = i % 2 == 0 ? 0.0 : i % 10 == 1 ? 3.0 : u * pow(10.0, (double)(i % 13));
    }
    dps_dataset data;
    load_values(x, 6000, 1, DPS_SCALE_RANK, 2, 0, &data);
    const dps_scaler *scaler = &data.scaler;
    assert_in_range(scaler->knots, DPS_RANK_KNOTS / 4, DPS_RANK_KNOTS);
    for (int32_t k = 1; k < scaler->knots; k++) {
        assert_true(scaler->knot[k] > scaler->knot[k - 1]);
        assert_true(scaler->level[k] > scaler->level[k - 1]);
    }
    double worst = 0.0;
    for (int i = 0; i < 6000; i++) {
        worst = fmax(worst, fabs(dps_scaler_value(scaler, 0, x[i]) - mid_rank(x, 6000, x[i])));
    }
    print_message("rank off by at most %.4f\n", worst);
    assert_true(worst < 12.0 / DPS_RANK_KNOTS);
    assert_true(fabs(dps_scaler_value(scaler, 0, 0.0) - mid_rank(x, 6000, 0.0)) < 1e-12);
    assert_true(fabs(dps_scaler_value(scaler, 0, 3.0) - mid_rank(x, 6000, 3.0)) < 1e-12);
    dps_dataset_release(&data);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The first value up to which half of the others lie. */
static double median_size(const double *x, int rows)
{
    static double size[MOST];
    int count = 0;
    for (int i = 0; i < rows; i++) {
        if (x[i] != 0.0) {
            size[count++] = fabs(x[i]);
        }
    }
    qsort(size, (size_t)count, sizeof *size, ascending);
    return size[(count - 1) / 2];
}

static void log_follows_its_formula_and_leaves_zeros(void **state)
{
    (void)state;
    static double x[3001];
    uint64_t seed = 9;
    double largest = 0.0;
    for (int i = 0; i < 3001; i++) {
        const double u = (double)next_random(&seed) / 2147483648.0 - 0.4;
        x[i] = i % 3 == 0 ? 0.0 : u * pow(10.0, (double)(i % 7) - 3.0);
        largest = fmax(largest, fabs(x[i]));
    }
    dps_dataset data;
    load_values(x, 3001, 1, DPS_SCALE_LOG, 1, 0, &data);
    const double unit = data.scaler.unit[0];
    assert_true(unit == median_size(x, 3001));
    double top = 0.0;
    for (int i = 0; i < 3001; i++) {
        const double exact = copysign(log1p(fabs(x[i]) / unit) / log1p(largest / unit), x[i]);
        const double got = value_at(&data, i, 0);
        assert_true(fabs(got - exact) <= 1e-7 * fabs(exact)); /* one rounding to float */
        assert_true(x[i] != 0.0 || got == 0.0);
        top = fmax(top, fabs(got));
    }
    assert_true(top == 1.0);
    dps_dataset_release(&data);
}

/* 100 columns with 2 values a row: compressed, and the bits of dense ones. */
static void compressed_rows_stay_so_under_log(void **state)
{
    (void)state;
    static double x[400 * 100];
    uint64_t seed = 11;
    memset(x, 0, sizeof x);
    for (int i = 0; i < 400; i++) {
        for (int k = 0; k < 2; k++) {
            x[i * 100 + (int)(next_random(&seed) % 100)] = (double)next_random(&seed) / 1e6 - 900.0;
        }
    }
    dps_dataset data;
    load_values(x, 400, 100, DPS_SCALE_LOG, 2, 0, &data);
    assert_false(data.scaler.dense);
    for (int i = 0; i < 400; i++) {
        for (int32_t j = 0; j < data.scaler.columns; j++) {
            const double raw = x[i * 100 + data.scaler.index[j]];
            assert_true(value_at(&data, i, j) ==
                        (double)(float)dps_scaler_value(&data.scaler, j, raw));
        }
    }
    dps_dataset_release(&data);
}

static void extremes_end_in_finite_numbers(void **state)
{
    (void)state;
    /* huge of both signs; neighbours among the smallest numbers; constant; one value in one row;
     * the largest and the smallest */
    static const double x[4][5] = {{1e308, 5e-324, 7.0, 0.0, 1e308},
                                   {-1e308, 1e-323, 7.0, -2.0, 5e-324},
                                   {1e300, 5e-324, 7.0, 0.0, 5e-324},
                                   {-DBL_MAX, 1.5e-323, 7.0, 0.0, 5e-324}};
    for (int scaling = DPS_SCALE_LOG; scaling <= DPS_SCALE_RANK; scaling++) {
        dps_dataset data;
        load_values(x[0], 4, 5, (dps_scaling)scaling, 1, 0, &data);
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 5; j++) {
                assert_true(fabs(value_at(&data, i, j)) <= 1.0);
                assert_true((value_at(&data, i, j) == 0.0) ==
                            (scaling == DPS_SCALE_LOG ? x[i][j] == 0.0 : j == 2));
            }
        }
        assert_true(value_at(&data, 0, 0) > value_at(&data, 2, 0));
        assert_true(value_at(&data, 0, 1) < value_at(&data, 1, 1));
        assert_true(value_at(&data, 1, 1) < value_at(&data, 3, 1));
        for (int32_t j = 0; j < 5; j++) {
            static const double beyond[] = {-DBL_MAX, -5e-324, 0.0, 5e-324, 1.0, DBL_MAX};
            for (int k = 0; k < 6; k++) {
                assert_true(isfinite((float)dps_scaler_value(&data.scaler, j, beyond[k])));
            }
        }
        dps_dataset_release(&data);
        load_values(x[1], 1, 5, (dps_scaling)scaling, 1, 0, &data); /* one row */
        for (int32_t j = 0; j < data.scaler.columns; j++) {
            assert_true(fabs(value_at(&data, 0, j)) == (scaling == DPS_SCALE_LOG ? 1.0 : 0.0));
        }
        dps_dataset_release(&data);
    }
}

static void lines_between_knots_neither_overflow_nor_vanish(void **state)
{
    (void)state;
    int32_t begin[] = {0, 2, 5};
    double shift[2] = {0}, factor[2] = {1, 1};
    double knot[] = {-DBL_MAX, DBL_MAX, 0.0, 1.5e-323, 2e-323};
    double level[] = {-0.5, 0.5, -0.5, 0.25, 0.5};
    const dps_scaler scaler = {.scaling = DPS_SCALE_RANK,
                               .dense = true,
                               .columns = 2,
                               .shift = shift,
                               .factor = factor,
                               .knots = 5,
                               .begin = begin,
                               .knot = knot,
                               .level = level};
    assert_true(dps_scaler_value(&scaler, 0, 0.0) == 0.0);
    assert_true(dps_scaler_value(&scaler, 0, 0.5 * DBL_MAX) == 0.25);
    assert_true(dps_scaler_value(&scaler, 1, 1.5e-323) == 0.25);
    assert_true(dps_scaler_value(&scaler, 1, 5e-324) == -0.25);
}

/* Of 40,000 rows a part is looked at; what is found is near what all rows say. A rank from m rows
 * drawn evenly has a standard error below 1 / (2 sqrt(m)); a level is twice it, so that
 * 5 / sqrt(32768) is five of them (false alarm below 1e-6 a knot, seed fixed). */
static void a_sample_of_many_rows_tells_ranks_and_units(void **state)
{
    (void)state;
    double *x = malloc(MOST * sizeof *x);
    assert_non_null(x);
    uint64_t seed = 13;
    for (int i = 0; i < MOST; i++) {
        const double u = ((double)next_random(&seed) + 1.0) / 2147483648.0;
        x[i] = (i % 4 == 0 ? 0.0 : -log(u) * (1 + i % 2)); /* a period of the rows */
    }
    dps_dataset one, two;
    load_values(x, MOST, 1, DPS_SCALE_RANK, 1, 0, &one);
    for (int32_t k = 0; k < one.scaler.knots; k++) {
        const double off = one.scaler.level[k] - mid_rank(x, MOST, one.scaler.knot[k]);
        assert_true(fabs(off) < 5.0 / sqrt(32768.0));
    }
    load_values(x, MOST, 1, DPS_SCALE_RANK, 3, 999, &two); /* other threads and pieces */
    assert_same_data(&one, &two);
    dps_dataset_release(&one);
    dps_dataset_release(&two);
    load_values(x, MOST, 1, DPS_SCALE_LOG, 2, 5000, &one);
    assert_true(fabs(one.scaler.unit[0] / median_size(x, MOST) - 1.0) < 0.05);
    dps_dataset_release(&one);
    free(x);
}

/* In 40,000 rows one has the second feature: not likely looked at, and known all the same. */
static void a_rare_column_has_its_largest_value_for_a_unit(void **state)
{
    (void)state;
    double *x = calloc(2 * MOST, sizeof *x);
    assert_non_null(x);
    for (int i = 0; i < MOST; i++) {
        x[2 * i] = 1.0 + i % 10;
    }
    int missed = 0;
    for (int i = 100; i < 110; i++) {
        dps_dataset data;
        x[2 * i + 1] = -6.0;
        load_values(x, MOST, 2, DPS_SCALE_LOG, 1, 0, &data);
        assert_true(data.scaler.unit[1] == 6.0);
        assert_true(value_at(&data, i, 1) == -1.0);
        dps_dataset_release(&data);
        load_values(x, MOST, 2, DPS_SCALE_RANK, 1, 0, &data);
        missed += data.scaler.begin[2] - data.scaler.begin[1] == 1;
        assert_true(isfinite(value_at(&data, i, 1)));
        dps_dataset_release(&data);
        x[2 * i + 1] = 0.0;
    }
    assert_in_range(missed, 1, 5); /* some are looked at, some are not */
    free(x);
}

static void copies_are_whole(void **state)
{
    (void)state;
    static const double x[3][2] = {{1, 2}, {3, 0}, {-1, 5}};
    for (int scaling = 0; scaling <= DPS_SCALE_RANK; scaling++) {
        dps_dataset data;
        dps_scaler copy;
        dps_error err;
        load_values(x[0], 3, 2, (dps_scaling)scaling, 1, 0, &data);
        assert_int_equal(dps_scaler_copy(&data.scaler, &copy, &err), DPS_OK);
        assert_same_columns(&data.scaler, &copy);
        assert_true(copy.factor != data.scaler.factor);
        assert_int_equal(dps_scaler_bytes(&copy), dps_scaler_bytes(&data.scaler));
        dps_scaler_release(&copy);
        dps_dataset_release(&data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_values_become_their_mid_ranks),
        cmocka_unit_test(many_values_keep_their_order_and_nearly_their_ranks),
        cmocka_unit_test(log_follows_its_formula_and_leaves_zeros),
        cmocka_unit_test(compressed_rows_stay_so_under_log),
        cmocka_unit_test(extremes_end_in_finite_numbers),
        cmocka_unit_test(lines_between_knots_neither_overflow_nor_vanish),
        cmocka_unit_test(a_sample_of_many_rows_tells_ranks_and_units),
        cmocka_unit_test(a_rare_column_has_its_largest_value_for_a_unit),
        cmocka_unit_test(copies_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
