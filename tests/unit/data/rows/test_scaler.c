/* The fitted scaler against its formulas, computed here from a plain table. */
#include "unit/data/load_fixture.h"

#include <math.h>

enum { ROWS = 700, COLUMNS = 7 };

/* Column 0: all positive; 1: both signs; 2: constant, no zero; 3: sparse; 4: one value; 5: large;
 * 6: the same value wherever it is written, but not everywhere. */
static void make_table(double x[ROWS][COLUMNS])
{
    uint64_t seed = 7;
    for (int i = 0; i < ROWS; i++) {
        x[i][0] = 1 + next_random(&seed) % 100;
        x[i][1] = (double)(next_random(&seed) % 100) / 8.0 - 6.0;
        x[i][2] = 0.1; /* 700 x 0.1 / 700 is not 0.1 in double */
        x[i][3] = i % 9 == 0 ? (double)(next_random(&seed) % 50) - 60.0 : 0.0;
        x[i][4] = i == 333 ? -4.0 : 0.0;
        x[i][5] = 1e6 + next_random(&seed) % 1000;
        x[i][6] = i % 2 == 0 ? 3.0 : 0.0;
    }
}

static char *table_text(double x[ROWS][COLUMNS])
{
    dps_text text = {0};
    for (int i = 0; i < ROWS; i++) {
        dps_text_format(&text, "%d", i % 2);
        for (int j = 0; j < COLUMNS; j++) {
            if (x[i][j] != 0.0) {
                dps_text_format(&text, " %d:%.17g", j + 1, x[i][j]);
            }
        }
        dps_text_add(&text, "\n");
    }
    return text.data;
}

static void load_table(double x[ROWS][COLUMNS], dps_scaling scaling, dps_normalize normalize,
                       dps_dataset *data)
{
    char *text = table_text(x);
    char *name = make_text_file(text);
    const char *path = name;
    const dps_load_options options = load_options(&path, 1, scaling, normalize);
    load_ok(&options, 1000, 2, data);
    drop_file(name);
    dps_free(text);
}

typedef struct moments {
    double low, high, mean, deviation;
} moments;

static moments moments_of(double x[ROWS][COLUMNS], int j)
{
    moments m = {x[0][j], x[0][j], 0, 0};
    for (int i = 0; i < ROWS; i++) {
        m.low = fmin(m.low, x[i][j]);
        m.high = fmax(m.high, x[i][j]);
        m.mean += x[i][j] / ROWS;
    }
    for (int i = 0; i < ROWS; i++) {
        m.deviation += (x[i][j] - m.mean) * (x[i][j] - m.mean) / ROWS;
    }
    m.deviation = sqrt(m.deviation);
    return m;
}

/* Both sides sum 700 terms of one sign in some order: relative error below 700 eps, 2e-13. */
static const double SUM_TOLERANCE = 2e-13;

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) <= SUM_TOLERANCE * fmax(1.0, fabs(b)))) {
        fail_msg("%.17g instead of %.17g: relative residual %g", a, b, fabs(a - b) / fabs(b));
    }
}

static void columns_follow_their_formulas(void **state)
{
    (void)state;
    static double x[ROWS][COLUMNS];
    make_table(x);
    for (int scaling = 0; scaling < 4; scaling++) {
        dps_dataset data;
        load_table(x, (dps_scaling)scaling, DPS_NORMALIZE_NONE, &data);
        assert_int_equal(data.scaler.columns, COLUMNS);
        assert_true(data.scaler.row_factor == 1.0);
        for (int j = 0; j < COLUMNS; j++) {
            const moments m = moments_of(x, j);
            double shift = 0.0, factor = 1.0;
            if (scaling == DPS_SCALE_MAX_ABS) {
                factor = 1.0 / fmax(fabs(m.low), fabs(m.high));
            } else if (scaling == DPS_SCALE_MIN_MAX) {
                shift = m.low;
                factor = m.high > m.low ? 1.0 / (m.high - m.low) : 1.0;
            } else if (scaling == DPS_SCALE_STANDARD) {
                shift = m.high > m.low ? m.mean : m.low;
                factor = m.high > m.low ? 1.0 / m.deviation : 1.0;
            }
            assert_near(data.scaler.shift[j], shift);
            assert_near(data.scaler.factor[j], factor);
            for (int i = 0; i < ROWS; i++) {
                const double expected =
                    (double)(float)((x[i][j] - data.scaler.shift[j]) * data.scaler.factor[j]);
                assert_true(value_at(&data, i, j) == expected);
            }
        }
        dps_dataset_release(&data);
    }
}

static void constant_columns_become_zero_where_zeros_move(void **state)
{
    (void)state;
    static double x[ROWS][COLUMNS];
    make_table(x);
    dps_dataset data;
    load_table(x, DPS_SCALE_STANDARD, DPS_NORMALIZE_NONE, &data);
    for (int i = 0; i < ROWS; i++) {
        assert_true(value_at(&data, i, 2) == 0.0);
    }
    dps_dataset_release(&data);
}

static void rows_are_normalised_and_radii_measured(void **state)
{
    (void)state;
    static double x[ROWS][COLUMNS];
    make_table(x);
    for (int normalize = 0; normalize < 3; normalize++) {
        dps_dataset data;
        load_table(x, DPS_SCALE_MIN_MAX, (dps_normalize)normalize, &data);
        double largest = 0.0, norm[ROWS], radius1 = 0.0, radius2 = 0.0;
        for (int i = 0; i < ROWS; i++) {
            double sum = 0.0;
            for (int j = 0; j < COLUMNS; j++) {
                const double v = (x[i][j] - data.scaler.shift[j]) * data.scaler.factor[j];
                sum += v * v;
            }
            norm[i] = sqrt(sum);
            largest = fmax(largest, norm[i]);
        }
        for (int i = 0; i < ROWS; i++) {
            double l1 = 0.0, l2 = 0.0;
            for (int j = 0; j < COLUMNS; j++) {
                const double v = (x[i][j] - data.scaler.shift[j]) * data.scaler.factor[j];
                const double factor = normalize == DPS_NORMALIZE_MAX_NORM ? 1.0 / largest
                                      : normalize == DPS_NORMALIZE_UNIT   ? 1.0 / norm[i]
                                                                          : 1.0;
                const double got = value_at(&data, i, j);
                assert_true(fabs(got - v * factor) <= 1e-7 * fabs(v * factor)); /* one float */
                l1 += fabs(got);
                l2 += got * got;
            }
            radius1 = fmax(radius1, l1);
            radius2 = fmax(radius2, sqrt(l2));
        }
        assert_true(data.scaler.radius1 == radius1);
        assert_true(data.scaler.radius2 == radius2);
        if (normalize != DPS_NORMALIZE_NONE) {
            assert_true(fabs(radius2 - 1.0) < 1e-6);
        }
        assert_int_equal(data.x.outside, 0);
        dps_dataset_release(&data);
    }
}

static void zero_rows_stay_zero(void **state)
{
    (void)state;
    char *name = make_text_file("1 1:1\n2\n1 2:3\n");
    const char *path = name;
    const dps_load_options options = load_options(&path, 1, DPS_SCALE_NONE, DPS_NORMALIZE_UNIT);
    dps_dataset data;
    load_ok(&options, 0, 1, &data);
    assert_true(value_at(&data, 1, 0) == 0.0 && value_at(&data, 1, 1) == 0.0);
    assert_true(value_at(&data, 2, 1) == 1.0);
    dps_dataset_release(&data);
    const dps_load_options shifted = load_options(&path, 1, DPS_SCALE_MIN_MAX, DPS_NORMALIZE_UNIT);
    drop_file(name);
    name = make_text_file("1 1:1 2:7\n2 1:2 2:8\n1 1:1 2:9\n"); /* the first has every minimum */
    path = name;
    load_ok(&shifted, 0, 1, &data);
    assert_true(value_at(&data, 0, 0) == 0.0 && value_at(&data, 0, 1) == 0.0);
    assert_true(value_at(&data, 2, 1) == 1.0);
    dps_dataset_release(&data);
    drop_file(name);
}

static void density_decides_the_shape(void **state)
{
    (void)state;
    /* 17 columns, so that width does not decide; 40 rows with k values each: density k / 17 */
    for (int k = 1; k <= 4; k++) {
        dps_text text = {0};
        for (int i = 0; i < 40; i++) {
            dps_text_format(&text, "%d", i % 2);
            for (int j = 0; j < k; j++) {
                dps_text_format(&text, " %d:1", (i + j) % 17 + 1);
            }
            dps_text_add(&text, "\n");
        }
        char *name = make_text_file(text.data);
        const char *path = name;
        const dps_load_options options =
            load_options(&path, 1, DPS_SCALE_MAX_ABS, DPS_NORMALIZE_MAX_NORM);
        dps_dataset data;
        load_ok(&options, 0, 2, &data);
        assert_true(data.scaler.dense == (k >= 3)); /* 3 / 17 > 1/8 > 2 / 17 */
        assert_int_equal(data.x.unknown, 0);
        dps_dataset_release(&data);
        drop_file(name);
        dps_text_release(&text);
    }
}

static void extreme_values_are_scaled_or_refused(void **state)
{
    (void)state;
    const dps_run run = run_with(1);
    char *name = make_text_file("1 1:1e308 2:1e-320\n2 1:-1e308 2:3e-320\n");
    const char *path = name;
    for (int scaling = 0; scaling < 4; scaling++) {
        const dps_load_options options =
            load_options(&path, 1, (dps_scaling)scaling, DPS_NORMALIZE_MAX_NORM);
        dps_dataset data;
        dps_error err;
        const dps_status status = dps_dataset_load(&options, &run, &data, &err);
        if (scaling == DPS_SCALE_MAX_ABS) {
            assert_int_equal(status, DPS_OK);
            assert_true(isfinite(data.scaler.factor[1]));
            assert_true(fabs(value_at(&data, 1, 0)) > 0.5);
            dps_dataset_release(&data);
        } else {
            assert_int_equal(status, DPS_ERROR_DATA);
            assert_non_null(strstr(err.text, "data.scaling = max_abs"));
        }
    }
    drop_file(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_follow_their_formulas),
        cmocka_unit_test(constant_columns_become_zero_where_zeros_move),
        cmocka_unit_test(rows_are_normalised_and_radii_measured),
        cmocka_unit_test(zero_rows_stay_zero),
        cmocka_unit_test(density_decides_the_shape),
        cmocka_unit_test(extreme_values_are_scaled_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
