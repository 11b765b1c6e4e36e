/* Draws: known answers, exactness, distribution. Statistical tests use fixed seeds, so they cannot
 * fail by chance twice; each bound was chosen before the first run at a false-alarm rate of 1e-6
 * (|z| < 4.9). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "random.h"

#define SIGMAS 4.9

static void philox_gives_the_published_answers(void **state)
{
    (void)state;
    /* kat_vectors of Random123, philox4x32 10: counter words 0..3, key words 0..1 */
    static const struct {
        uint32_t counter[4];
        uint64_t key;
        uint32_t answer[4];
    } cases[] = {
        {{0, 0, 0, 0}, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         0xffffffffffffffff,
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         0x299f31d0a4093822,
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t out[4];
        const uint32_t *c = cases[i].counter;
        dps_random_block(cases[i].key, (dps_stream)c[3], c[2], c[1], c[0], out);
        assert_memory_equal(out, cases[i].answer, sizeof out);
    }
}

static void uniform_is_the_documented_function_of_the_block(void **state)
{
    (void)state;
    for (uint32_t index = 0; index < 1000; index++) {
        uint32_t bits[4];
        dps_random_block(5, DPS_STREAM_PHASE, 3, 4, index / 2, bits);
        const uint64_t word =
            index % 2 == 0 ? (uint64_t)bits[1] << 32 | bits[0] : (uint64_t)bits[3] << 32 | bits[2];
        const double expected = ldexp((double)(word >> 12), -52) + ldexp(1.0, -53);
        const double u = dps_random_uniform(5, DPS_STREAM_PHASE, 3, 4, index);
        assert_true(u == expected && u > 0.0 && u < 1.0);
    }
}

/* Chi-squared of counts in equal cells, as a normal score (Wilson and Hilferty 1931). */
static double chi_squared_score(const int64_t *count, int cells, int64_t n)
{
    double chi2 = 0.0;
    const double expected = (double)n / cells;
    for (int i = 0; i < cells; i++) {
        const double off = (double)count[i] - expected;
        chi2 += off * off / expected;
    }
    const double k = cells - 1;
    return (cbrt(chi2 / k) - (1.0 - 2.0 / (9.0 * k))) / sqrt(2.0 / (9.0 * k));
}

static void uniforms_fill_cells_and_pairs_of_cells_evenly(void **state)
{
    (void)state;
    enum { N = 1000000, SIDE = 32 };
    int64_t single[SIDE * SIDE] = {0};
    int64_t pairs[SIDE * SIDE] = {0};
    int64_t across[SIDE * SIDE] = {0}; /* neighbours in another coordinate of the counter */
    for (uint32_t i = 0; i < N; i++) {
        const double u = dps_random_uniform(1, DPS_STREAM_SAMPLE, 0, 0, i);
        const double v = dps_random_uniform(1, DPS_STREAM_SAMPLE, 0, 0, i + 1);
        const double w = dps_random_uniform(1, DPS_STREAM_SAMPLE, 1, 0, i);
        single[(int)(u * SIDE * SIDE)]++;
        if (i % 2 == 0) { /* disjoint pairs */
            pairs[(int)(u * SIDE) * SIDE + (int)(v * SIDE)]++;
        }
        across[(int)(u * SIDE) * SIDE + (int)(w * SIDE)]++;
    }
    const double scores[] = {chi_squared_score(single, SIDE * SIDE, N),
                             chi_squared_score(pairs, SIDE * SIDE, N / 2),
                             chi_squared_score(across, SIDE * SIDE, N)};
    for (size_t i = 0; i < 3; i++) {
        print_message("chi-squared score %g\n", scores[i]);
        assert_true(fabs(scores[i]) < SIGMAS);
    }
}

/* Phi(quantile(p)) must give back p. Relative to the nearer tail the quantile has condition number
 * z phi(z)/Phi(-z) <= z^2 + 1; AS 241 states 1e-16 relative; 16 rounding errors for it and erfc. */
static double tail_error(double p, double z)
{
    const double tail = p < 0.5 ? p : 1.0 - p;
    const double back = 0.5 * erfc(fabs(z) / sqrt(2.0));
    return fabs(back - tail) / tail / ((z * z + 1.0) * 16 * 0x1p-53);
}

static void quantile_inverts_the_distribution_function(void **state)
{
    (void)state;
    double worst = 0.0;
    for (int i = 1; i < 10000; i++) {
        const double middle = i / 10000.0;
        const double far = pow(10.0, -i / 33.0); /* to 1e-303 */
        const double off_middle = tail_error(middle, dps_normal_quantile(middle));
        const double off_far = tail_error(far, dps_normal_quantile(far));
        worst = fmax(worst, fmax(off_middle, off_far));
    }
    print_message("worst error of the tail: %g of what is allowed\n", worst);
    assert_true(worst < 1.0);
    assert_true(dps_normal_quantile(0.5) == 0.0);
    assert_true(dps_normal_quantile(0.25) == -dps_normal_quantile(0.75));
}

static void normals_are_quantiles_of_their_uniforms(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 100000; i++) {
        const double u = dps_random_uniform(1, DPS_STREAM_GAUSS, 7, 8, i);
        assert_true(dps_random_normal(1, DPS_STREAM_GAUSS, 7, 8, i) == dps_normal_quantile(u));
    }
    double normal[DPS_RANDOM_NORMALS];
    for (uint32_t first = 0; first < 100000; first += 22) {
        const int count = 1 + (int)first % DPS_RANDOM_NORMALS;
        dps_random_normals(1, DPS_STREAM_GAUSS, 7, 8, first, count, normal);
        for (uint32_t i = 0; i < (uint32_t)count; i++) {
            assert_true(normal[i] == dps_random_normal(1, DPS_STREAM_GAUSS, 7, 8, first + i));
        }
    }
}

static void normals_have_the_moments_of_a_normal(void **state)
{
    (void)state;
    enum { N = 1000000 };
    double sum[5] = {0};
    for (uint32_t i = 0; i < N; i++) {
        const double z = dps_random_normal(2, DPS_STREAM_GAUSS, i % 97, i % 11, i);
        sum[1] += z;
        sum[2] += z * z;
        sum[3] += z * z * z;
        sum[4] += z * z * z * z;
    }
    /* mean and variance of z^k: (0,1), (1,2), (0,15), (3,96) */
    static const double mean[] = {0, 0, 1, 0, 3};
    static const double variance[] = {0, 1, 2, 15, 96};
    for (int k = 1; k <= 4; k++) {
        const double score = (sum[k] / N - mean[k]) / sqrt(variance[k] / N);
        print_message("moment %d: score %g\n", k, score);
        assert_true(fabs(score) < SIGMAS);
    }
}

static void below_is_even_and_in_range(void **state)
{
    (void)state;
    enum { N = 700000, CELLS = 7 };
    int64_t count[CELLS] = {0};
    for (uint32_t i = 0; i < N; i++) {
        const uint64_t draw = dps_random_below(1, DPS_STREAM_SHUFFLE, 0, 0, i, CELLS);
        assert_true(draw < CELLS);
        count[draw]++;
        assert_int_equal(dps_random_below(1, DPS_STREAM_SHUFFLE, 0, 0, i, 1), 0);
    }
    const double score = chi_squared_score(count, CELLS, N);
    print_message("score %g\n", score);
    assert_true(fabs(score) < SIGMAS);
}

/* n = 3 * 2^62: taking 64 bits modulo n without rejection would give the lower third twice as
 * often. */
static void below_rejects_the_uneven_rest(void **state)
{
    (void)state;
    enum { N = 300000 };
    int64_t count[3] = {0};
    for (uint32_t i = 0; i < N; i++) {
        const uint64_t draw = dps_random_below(1, DPS_STREAM_SHUFFLE, 1, 0, i, 3ULL << 62);
        assert_true(draw < 3ULL << 62);
        count[draw >> 62]++;
    }
    const double score = chi_squared_score(count, 3, N);
    print_message("score %g\n", score);
    assert_true(fabs(score) < SIGMAS);
}

static void permutation_is_one(void **state)
{
    (void)state;
    for (int64_t n = 0; n < 2000; n = 2 * n + 1) {
        int64_t *p = malloc((size_t)(n + 1) * sizeof *p);
        bool *seen = calloc((size_t)n + 1, sizeof *seen);
        assert_non_null(p);
        assert_non_null(seen);
        dps_random_permutation(9, DPS_STREAM_SHUFFLE, 1, 2, n, p);
        for (int64_t i = 0; i < n; i++) {
            assert_true(p[i] >= 0 && p[i] < n && !seen[p[i]]);
            seen[p[i]] = true;
        }
        free(seen);
        free(p);
    }
}

static void all_permutations_are_equally_likely(void **state)
{
    (void)state;
    enum { N = 240000 };
    int64_t count[24] = {0};
    for (uint32_t seed = 0; seed < N; seed++) {
        int64_t p[4];
        dps_random_permutation(seed, DPS_STREAM_SHUFFLE, 0, 0, 4, p);
        int64_t rank = 0; /* in the factorial number system */
        for (int i = 0; i < 4; i++) {
            int64_t smaller = 0;
            for (int j = i + 1; j < 4; j++) {
                smaller += p[j] < p[i];
            }
            rank = rank * (4 - i) + smaller;
        }
        count[rank]++;
    }
    const double score = chi_squared_score(count, 24, N);
    print_message("score %g\n", score);
    assert_true(fabs(score) < SIGMAS);
}

static void samples_ascend_and_are_distinct(void **state)
{
    (void)state;
    static const int64_t counts[] = {0, 1, 15, 16, 17, 100, 500, 999, 1000, 2000};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        int64_t sample[1000];
        const int64_t got = dps_random_sample(4, DPS_STREAM_SAMPLE, 1000, counts[i], sample);
        assert_int_equal(got, counts[i] < 1000 ? counts[i] : 1000);
        for (int64_t j = 0; j < got; j++) {
            assert_true(sample[j] >= (j == 0 ? 0 : sample[j - 1] + 1) && sample[j] < 1000);
        }
    }
}

/* Both methods: each number is in a sample with probability count/n. Cells are negatively
 * correlated, which makes the statistic count_in (1 - count/n) smaller; it is scaled back. */
static void every_number_is_as_likely_in_a_sample(void **state)
{
    (void)state;
    static const int64_t counts[] = {10, 40};
    enum { N = 60, ROUNDS = 30000 };
    for (size_t c = 0; c < 2; c++) {
        int64_t count[N] = {0};
        for (uint64_t seed = 0; seed < ROUNDS; seed++) {
            int64_t sample[N];
            const int64_t got = dps_random_sample(seed, DPS_STREAM_SAMPLE, N, counts[c], sample);
            for (int64_t i = 0; i < got; i++) {
                count[sample[i]]++;
            }
        }
        const double p = (double)counts[c] / N;
        const double k = N - 1;
        double chi2 = 0.0;
        for (int i = 0; i < N; i++) {
            const double off = (double)count[i] - ROUNDS * p;
            chi2 += off * off / (ROUNDS * p * (1.0 - p)) * k / N;
        }
        const double score = (cbrt(chi2 / k) - (1.0 - 2.0 / (9.0 * k))) / sqrt(2.0 / (9.0 * k));
        print_message("sample of %d: score %g\n", (int)counts[c], score);
        assert_true(fabs(score) < SIGMAS);
    }
}

static void draws_do_not_repeat_across_coordinates(void **state)
{
    (void)state;
    uint32_t base[4];
    uint32_t other[4];
    dps_random_block(1, DPS_STREAM_SIGN, 2, 3, 4, base);
    dps_random_block(2, DPS_STREAM_SIGN, 2, 3, 4, other);
    assert_memory_not_equal(base, other, sizeof base);
    dps_random_block(1ULL << 32 | 1, DPS_STREAM_SIGN, 2, 3, 4,
                     other); /* the seed's high word counts */
    assert_memory_not_equal(base, other, sizeof base);
    dps_random_block(1, DPS_STREAM_GAUSS, 2, 3, 4, other);
    assert_memory_not_equal(base, other, sizeof base);
    dps_random_block(1, DPS_STREAM_SIGN, 3, 2, 4, other);
    assert_memory_not_equal(base, other, sizeof base);
    dps_random_block(1, DPS_STREAM_SIGN, 2, 4, 3, other);
    assert_memory_not_equal(base, other, sizeof base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_published_answers),
        cmocka_unit_test(uniform_is_the_documented_function_of_the_block),
        cmocka_unit_test(uniforms_fill_cells_and_pairs_of_cells_evenly),
        cmocka_unit_test(quantile_inverts_the_distribution_function),
        cmocka_unit_test(normals_are_quantiles_of_their_uniforms),
        cmocka_unit_test(normals_have_the_moments_of_a_normal),
        cmocka_unit_test(below_is_even_and_in_range),
        cmocka_unit_test(below_rejects_the_uneven_rest),
        cmocka_unit_test(permutation_is_one),
        cmocka_unit_test(all_permutations_are_equally_likely),
        cmocka_unit_test(samples_ascend_and_are_distinct),
        cmocka_unit_test(every_number_is_as_likely_in_a_sample),
        cmocka_unit_test(draws_do_not_repeat_across_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
