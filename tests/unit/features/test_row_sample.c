#include "row_sample.h"
#include "unit/features/map_fixture.h"

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Against the definition, on all rows (fewer than the sample's size). */
static double absolute_distance(const fixture_rows *r, int64_t i, int64_t k)
{
    double sum = 0.0;
    for (int32_t j = 0; j < r->columns; j++) {
        sum += fabs((double)fixture_row(r, i)[j] - fixture_row(r, k)[j]);
    }
    return sum;
}

static void check_against_definition(int64_t rows, int32_t columns, double density, bool absolute)
{
    fixture_rows r = fixture_rows_new(rows, columns, density, 2.0, 21);
    const size_t pairs = (size_t)(rows * (rows - 1) / 2);
    double *distance = dps_alloc(pairs, sizeof(double));
    assert_non_null(distance);
    double sum = 0.0;
    size_t at = 0;
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t k = 0; k < i; k++) {
            distance[at] =
                absolute ? absolute_distance(&r, i, k) : sqrt(fixture_distance2(&r, i, k));
            sum += distance[at++];
        }
    }
    qsort(distance, pairs, sizeof(double), compare_doubles);
    const double middle = 0.5 * (distance[(pairs - 1) / 2] + distance[pairs / 2]);
    double found[2][2];
    for (int dense = 0; dense < 2; dense++) {
        const dps_row_source source = fixture_source(&r, dense);
        const dps_run run = fixture_run(1 + 2 * dense);
        dps_row_sample sample;
        dps_error err;
        assert_int_equal(dps_row_sample_init(&sample, &source, 1, DPS_SAMPLE_ROWS, &run, &err),
                         DPS_OK);
        assert_int_equal(sample.rows, rows);
        assert_int_equal(dps_row_sample_distances(&sample, absolute, &run, &found[dense][0],
                                                  &found[dense][1], &err),
                         DPS_OK);
        dps_row_sample_release(&sample);
    }
    assert_memory_equal(found[0], found[1], sizeof(found[0]));
    assert_true(fabs(found[0][0] - sum / (double)pairs) < 1e-12);
    assert_true(fabs(found[0][1] - middle) < 1e-12);
    dps_free(distance);
    fixture_rows_free(&r);
}

static void mean_and_median_are_those_of_all_pairs(void **state)
{
    (void)state;
    check_against_definition(61, 7, 1.0, false);
    check_against_definition(61, 7, 1.0, true);
    check_against_definition(60, 13, 0.3, false);
    check_against_definition(60, 13, 0.3, true);
    check_against_definition(2, 3, 1.0, false);
    check_against_definition(2, 3, 1.0, true);
    check_against_definition(3, 3, 1.0, false);
    check_against_definition(3, 3, 1.0, true);
    check_against_definition(401, 3, 0.5, false);
    check_against_definition(401, 3, 0.5, true);
    /* An even number of pairs, so few that the two in the middle are far apart. */
    check_against_definition(4, 1, 1.0, false);
    check_against_definition(5, 1, 1.0, false);
    check_against_definition(8, 1, 1.0, false);
    check_against_definition(9, 1, 1.0, true);
}

static void wide_rows_take_the_merging_path_with_the_same_meaning(void **state)
{
    (void)state;
    check_against_definition(25, 5000, 0.01, false);
    check_against_definition(25, 5000, 0.01, true);
}

static void typical_distance_is_that_of_pairs_half_a_sample_apart(void **state)
{
    (void)state;
    const dps_run run = fixture_run(1);
    fixture_rows r = fixture_rows_new(21, 5, 0.6, 2.0, 23);
    double square = 0.0, absolute = 0.0;
    for (int64_t i = 0; i < 10; i++) {
        square += fixture_distance2(&r, i, i + 10) / 10.0;
        absolute += absolute_distance(&r, i, i + 10) / 10.0;
    }
    for (int dense = 0; dense < 2; dense++) {
        const dps_row_source source = fixture_source(&r, dense);
        dps_row_sample sample;
        dps_error err;
        assert_int_equal(dps_row_sample_init(&sample, &source, 1, DPS_SAMPLE_ROWS, &run, &err),
                         DPS_OK);
        assert_true(fabs(dps_row_sample_typical(&sample, false) - square) < 1e-12);
        assert_true(fabs(dps_row_sample_typical(&sample, true) - absolute) < 1e-12);
        dps_row_sample_release(&sample);
    }
    fixture_rows_free(&r);
}

static void variance_counts_zeros(void **state)
{
    (void)state;
    const dps_run run = fixture_run(1);
    fixture_rows r = fixture_rows_new(50, 9, 0.4, 1.0, 22);
    double mean = 0.0, variance = 0.0;
    for (int64_t i = 0; i < r.rows; i++) {
        for (int32_t j = 0; j < r.columns; j++) {
            mean += fixture_row(&r, i)[j] / 450.0;
        }
    }
    for (int64_t i = 0; i < r.rows; i++) {
        for (int32_t j = 0; j < r.columns; j++) {
            variance += pow(fixture_row(&r, i)[j] - mean, 2) / 450.0;
        }
    }
    const dps_row_source source = fixture_source(&r, false);
    dps_row_sample sample;
    dps_error err;
    assert_int_equal(dps_row_sample_init(&sample, &source, 1, DPS_SAMPLE_ROWS, &run, &err), DPS_OK);
    assert_true(fabs(dps_row_sample_variance(&sample) - variance) < 1e-14);
    dps_row_sample_release(&sample);
    fixture_rows_free(&r);
}

/* Mean, median and variance of rows with weights are those of rows that stand there so often. */
static void a_row_of_weight_w_counts_as_w_rows(void **state)
{
    (void)state;
    enum { ROWS = 9, COPIES = 18, COLUMNS = 4 };
    const dps_run run = fixture_run(1);
    fixture_rows rows[2] = {fixture_rows_new(ROWS, COLUMNS, 1.0, 2.0, 24),
                            fixture_rows_new(COPIES, COLUMNS, 1.0, 2.0, 24)};
    double weight[ROWS];
    size_t at = 0;
    for (int i = 0; i < ROWS; i++) {
        weight[i] = 1.0 + i % 3;
        for (int copy = 0; copy <= i % 3; copy++, at++) {
            memcpy(rows[1].dense + at * rows[1].stride, fixture_row(&rows[0], i),
                   COLUMNS * sizeof(float));
        }
    }
    assert_int_equal(at, COPIES);
    double mean[2], median[2], variance[2];
    for (int k = 0; k < 2; k++) {
        dps_row_source source = fixture_source(&rows[k], true);
        source.weight = k == 0 ? weight : NULL;
        dps_row_sample sample;
        dps_error err;
        assert_int_equal(dps_row_sample_init(&sample, &source, 1, DPS_SAMPLE_ROWS, &run, &err),
                         DPS_OK);
        assert_int_equal(dps_row_sample_distances(&sample, false, &run, &mean[k], &median[k], &err),
                         DPS_OK);
        variance[k] = dps_row_sample_variance(&sample);
        dps_row_sample_release(&sample);
        fixture_rows_free(&rows[k]);
    }
    assert_true(mean[1] > 0.0 && fabs(mean[0] - mean[1]) < 1e-12);
    assert_true(median[0] == median[1]);
    assert_true(fabs(variance[0] - variance[1]) < 1e-12);
}

static void large_data_are_sampled_by_the_seed(void **state)
{
    (void)state;
    const dps_run run = fixture_run(1);
    fixture_rows r = fixture_rows_new(5000, 2, 1.0, 1.0, 23);
    const dps_row_source source = fixture_source(&r, true);
    dps_row_sample a, b, c;
    dps_error err;
    assert_int_equal(dps_row_sample_init(&a, &source, 1, DPS_SAMPLE_ROWS, &run, &err), DPS_OK);
    assert_int_equal(dps_row_sample_init(&b, &source, 1, DPS_SAMPLE_ROWS, &run, &err), DPS_OK);
    assert_int_equal(dps_row_sample_init(&c, &source, 2, DPS_SAMPLE_ROWS, &run, &err), DPS_OK);
    assert_int_equal(a.rows, DPS_SAMPLE_ROWS);
    assert_memory_equal(a.value, b.value, a.entries * sizeof(float));
    assert_memory_not_equal(a.value, c.value, a.entries * sizeof(float));
    dps_row_sample_release(&a);
    dps_row_sample_release(&b);
    dps_row_sample_release(&c);
    fixture_rows_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mean_and_median_are_those_of_all_pairs),
        cmocka_unit_test(wide_rows_take_the_merging_path_with_the_same_meaning),
        cmocka_unit_test(typical_distance_is_that_of_pairs_half_a_sample_apart),
        cmocka_unit_test(variance_counts_zeros),
        cmocka_unit_test(a_row_of_weight_w_counts_as_w_rows),
        cmocka_unit_test(large_data_are_sampled_by_the_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
