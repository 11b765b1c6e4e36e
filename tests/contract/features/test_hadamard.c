/* Contract of the Hadamard projections, over every SIMD path of this machine: the bits of the plain
 * C path, columns and scratch beyond what was asked for untouched; and the plain C path against the
 * matrix (-1)^popcount(r & j), in double.
 *
 * Tolerance: every output of a transform goes through log2(size) roundings of sums of at most
 * S = sum |x_j|, so that it errs by at most e = log2(size) u S (1 + 1e-3); products as in
 * test_projection_variants.c. */
#include <complex.h>
#include "hadamard.h"
#include "unit/features/map_fixture.h"

#define UNIT  0x1p-24
#define SLACK 1.001

enum { ROWS = 3, GUARD = 7 };
static const float guard = 123.5f;

/* Two blocks of units with descending degrees, columns in reverse order. */
typedef struct problem {
    dps_hadamard_panels panels;
    int32_t units[2], depth[2];
    int32_t *degree, *active, *pick, *column; /* degree: of each unit */
    uint32_t *word;
    float *weight;
    fixture_rows rows;
    int32_t width;
} problem;

static uint32_t bits_of(uint32_t k)
{
    uint32_t out[4];
    dps_random_block(77, DPS_STREAM_SHUFFLE, k, 0, 0, out);
    return out[0];
}

static void *need(size_t count, size_t size)
{
    void *block = dps_alloc(count, size);
    assert_non_null(block);
    return block;
}

/* Unit u of `count` has max(1, depth - u / 3) factors. */
static void draw_units(problem *p, int32_t size)
{
    const int32_t parts = p->panels.pairs ? 2 : 1;
    int32_t unit = 0, factor_at = 0, pick_at = 0;
    for (int32_t k = 0; k < 2; k++) {
        const int32_t first = unit;
        for (int32_t u = 0; u < p->units[k]; u++, unit++) {
            p->degree[unit] = p->depth[k] - u / 3 > 1 ? p->depth[k] - u / 3 : 1;
            p->weight[unit] = 0.37f + 0.01f * (float)(unit % 7);
            p->column[unit] = p->width - parts * (unit + 1);
        }
        for (int32_t factor = 0; factor < p->depth[k]; factor++) {
            for (int32_t u = first; u < unit && p->degree[u] > factor; u++) {
                p->active[factor_at]++;
                p->pick[pick_at] = (int32_t)(bits_of((uint32_t)pick_at + 100000) % (uint32_t)size);
                pick_at++;
            }
            factor_at++;
        }
    }
}

static problem draw(int32_t columns, int32_t depth, int32_t units, bool pairs)
{
    enum { SECOND = 9 };
    const int32_t size = dps_hadamard_size(columns), parts = pairs ? 2 : 1;
    const size_t all = (size_t)(units + SECOND), factors = (size_t)(depth + depth + 1);
    const size_t words = factors * (size_t)parts * dps_hadamard_words(columns);
    problem p = {.rows = fixture_rows_new(ROWS, columns, 0.8, 2.0, 5),
                 .units = {units, SECOND},
                 .depth = {depth, depth + 1},
                 .width = (units + SECOND) * parts};
    p.degree = need(all, sizeof(int32_t));
    p.active = need(factors, sizeof(int32_t));
    p.pick = need(all * (size_t)(depth + 1), sizeof(int32_t));
    p.column = need(all, sizeof(int32_t));
    p.weight = need(all, sizeof(float));
    p.word = need(words, sizeof(uint32_t));
    p.panels.pairs = pairs;
    for (size_t k = 0; k < words; k++) {
        const int32_t first = 32 * (int32_t)(k % dps_hadamard_words(columns));
        const int32_t left = columns - first;
        const uint32_t mask = left >= 32 ? UINT32_MAX : left > 0 ? (1u << left) - 1 : 0;
        p.word[k] = bits_of((uint32_t)k) & mask;
    }
    draw_units(&p, size);
    p.panels = (dps_hadamard_panels){.columns = columns,
                                     .size = size,
                                     .blocks = 2,
                                     .pairs = pairs,
                                     .active = p.active,
                                     .word = p.word,
                                     .pick = p.pick,
                                     .weight = p.weight,
                                     .column = p.column,
                                     .input_scale_inverse = 0.5f};
    return p;
}

static void drop(problem *p)
{
    void *blocks[] = {p->degree, p->active, p->pick, p->column, p->word, p->weight};
    for (size_t k = 0; k < sizeof(blocks) / sizeof(blocks[0]); k++) {
        dps_free(blocks[k]);
    }
    fixture_rows_free(&p->rows);
}

static float *project(problem *p, dps_simd simd)
{
    p->panels.units = p->units;
    p->panels.depth = p->depth;
    const size_t stride = (size_t)p->width + GUARD;
    const size_t scratch_bytes = dps_hadamard_scratch_bytes(p->panels.columns, p->panels.pairs);
    float *z = dps_alloc(ROWS * stride, sizeof(float));
    float *scratch = dps_alloc(scratch_bytes + sizeof(float), 1);
    assert_true(z != NULL && scratch != NULL);
    for (size_t k = 0; k < ROWS * stride; k++) {
        z[k] = guard;
    }
    scratch[scratch_bytes / sizeof(float)] = guard;
    const dps_row_tile tile = fixture_tile(&p->rows, 0, true);
    dps_hadamard_project(simd, &p->panels, &tile, z, stride, scratch);
    assert_true(scratch[scratch_bytes / sizeof(float)] == guard);
    for (size_t k = 0; k < ROWS * stride; k++) {
        assert_true(k % stride < (size_t)p->width || z[k] == guard);
    }
    dps_free(scratch);
    return z;
}

/* Output r of one transform in double; *error: its bound in float. */
static double projection(const problem *p, int64_t i, int32_t r, const uint32_t *word,
                         double *error)
{
    double sum = 0.0, size = 0.0;
    for (int32_t j = 0; j < p->panels.columns; j++) {
        const double x = 0.5 * fixture_row(&p->rows, i)[j];
        const bool minus = (word[j / 32] >> (j % 32) & 1) != 0;
        sum += (minus != (__builtin_popcount((unsigned)(r & j)) % 2 == 1)) ? -x : x;
        size += fabs(x);
    }
    *error = log2(p->panels.size) * UNIT * size * SLACK;
    return sum;
}

/* Unit u of block k, whose factors, words and picks begin as given. */
static void check_unit(const problem *p, const float *row, int64_t i, int32_t unit,
                       int32_t in_block, const int32_t *active, const uint32_t *word,
                       const int32_t *pick)
{
    const bool pairs = p->panels.pairs;
    const size_t words = dps_hadamard_words(p->panels.columns);
    double complex exact = p->weight[unit];
    double error = 0.0;
    for (int32_t factor = 0; factor < p->degree[unit]; factor++) {
        double e_re, e_im = 0.0, im = 0.0;
        const double re = projection(p, i, pick[in_block], word, &e_re);
        word += words;
        if (pairs) {
            im = projection(p, i, pick[in_block], word, &e_im);
            word += words;
        }
        pick += active[factor];
        const double size = cabs(exact), own = hypot(re, im), e = hypot(e_re, e_im);
        error =
            (size * e + own * error + error * e) + 4.0 * UNIT * (size + error) * (own + e) * SLACK;
        exact *= re + I * im;
    }
    const float *got = row + p->column[unit];
    assert_true(fabs((double)got[0] - creal(exact)) <= error * SLACK + 1e-38);
    assert_true(!pairs || fabs((double)got[1] - cimag(exact)) <= error * SLACK + 1e-38);
}

static void check_against_double(const problem *p, const float *z)
{
    const size_t parts = p->panels.pairs ? 2 : 1;
    const int32_t *active = p->active, *pick = p->pick;
    const uint32_t *word = p->word;
    int32_t unit = 0;
    for (int32_t k = 0; k < 2; k++) {
        for (int32_t u = 0; u < p->units[k]; u++, unit++) {
            for (int64_t i = 0; i < ROWS; i++) {
                check_unit(p, z + (size_t)i * ((size_t)p->width + GUARD), i, unit, u, active, word,
                           pick);
            }
        }
        for (int32_t factor = 0; factor < p->depth[k]; factor++) {
            pick += *active++;
        }
        word += (size_t)p->depth[k] * parts * dps_hadamard_words(p->panels.columns);
    }
}

static void variants_have_equal_bits_and_are_the_hadamard_matrix(void **state)
{
    (void)state;
    static const int32_t columns[] = {1, 2, 15, 16, 17, 31, 32, 33, 64, 100, 128, 300, 513};
    static const int32_t units[] = {1, 5, 16, 17, 40, 200};
    for (size_t c = 0; c < sizeof(columns) / sizeof(columns[0]); c++) {
        for (size_t k = 0; k < 2 * sizeof(units) / sizeof(units[0]); k++) {
            const int32_t size = dps_hadamard_size(columns[c]);
            problem p = draw(columns[c], 1 + (int32_t)(c + k) % 4,
                             units[k / 2] < size ? units[k / 2] : size, k % 2 == 1);
            float *reference = project(&p, DPS_SIMD_PORTABLE);
            check_against_double(&p, reference);
            for (int simd = DPS_SIMD_AVX2; simd <= DPS_SIMD_AVX512; simd++) {
                if (!dps_cpu_has((dps_simd)simd)) {
                    print_message("%s: not on this CPU\n",
                                  dps_name_of(dps_simd_names, (dps_simd)simd));
                    continue;
                }
                float *z = project(&p, (dps_simd)simd);
                assert_memory_equal(reference, z, ROWS * ((size_t)p.width + GUARD) * sizeof(float));
                dps_free(z);
            }
            dps_free(reference);
            drop(&p);
        }
    }
}

static void sizes_are_powers_of_two_and_blocks_hold_every_feature(void **state)
{
    (void)state;
    assert_int_equal(dps_hadamard_size(1), 16);
    assert_int_equal(dps_hadamard_size(784), 1024);
    assert_int_equal(dps_hadamard_size(1024), 1024);
    assert_int_equal(dps_hadamard_blocks(784, 1024), 1);
    assert_int_equal(dps_hadamard_blocks(784, 1025), 2);
    assert_int_equal(dps_hadamard_blocks(784, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variants_have_equal_bits_and_are_the_hadamard_matrix),
        cmocka_unit_test(sizes_are_powers_of_two_and_blocks_hold_every_feature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
