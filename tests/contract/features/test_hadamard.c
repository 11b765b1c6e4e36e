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

typedef struct problem {
    dps_hadamard_panels panels;
    uint32_t *word;
    int32_t *pick;
    fixture_rows rows;
    int32_t width;
} problem;

static uint32_t bits_of(uint32_t k)
{
    uint32_t out[4];
    dps_random_block(77, DPS_STREAM_SHUFFLE, k, 0, 0, out);
    return out[0];
}

static problem draw(int32_t columns, int32_t degree, int32_t units, bool pairs)
{
    const int32_t size = dps_hadamard_size(columns), parts = pairs ? 2 : 1;
    const size_t words = (size_t)dps_hadamard_blocks(columns, units) * (size_t)(degree * parts) *
                         dps_hadamard_words(columns);
    const size_t picks = (size_t)units * (size_t)degree;
    problem p = {.rows = fixture_rows_new(ROWS, columns, 0.8, 2.0, 5), .width = units * parts};
    p.word = dps_alloc(words, sizeof(uint32_t));
    p.pick = dps_alloc(picks, sizeof(int32_t));
    for (size_t k = 0; k < words; k++) {
        p.word[k] = bits_of((uint32_t)k);
        if (columns < 32) {
            p.word[k] &= (1u << columns) - 1;
        } else if (columns % 32 != 0 &&
                   (int32_t)(k % dps_hadamard_words(columns)) == columns / 32) {
            p.word[k] &= (1u << (columns % 32)) - 1;
        }
    }
    for (size_t k = 0; k < picks; k++) {
        p.pick[k] = (int32_t)(bits_of((uint32_t)(k + 100000)) % (uint32_t)size);
    }
    p.panels = (dps_hadamard_panels){.columns = columns,
                                     .size = size,
                                     .degree = degree,
                                     .units = units,
                                     .pairs = pairs,
                                     .word = p.word,
                                     .pick = p.pick,
                                     .weight = 0.37f,
                                     .input_scale_inverse = 0.5f};
    return p;
}

static void drop(problem *p)
{
    dps_free(p->word);
    dps_free(p->pick);
    fixture_rows_free(&p->rows);
}

static float *project(const problem *p, dps_simd simd)
{
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

/* One projection in double; *error: its bound in float. */
static double projection(const problem *p, int64_t i, int32_t unit, int32_t factor, int32_t part,
                         double *error)
{
    const dps_hadamard_panels *h = &p->panels;
    const int32_t block = unit / h->size, parts = h->pairs ? 2 : 1;
    const int32_t left = h->units - block * h->size;
    const int32_t units = left < h->size ? left : h->size;
    const uint32_t *word = h->word + (size_t)((block * h->degree + factor) * parts + part) *
                                         dps_hadamard_words(h->columns);
    const int32_t r = h->pick[(size_t)block * (size_t)h->size * (size_t)h->degree +
                              (size_t)(factor * units + unit % h->size)];
    double sum = 0.0, size = 0.0;
    for (int32_t j = 0; j < h->columns; j++) {
        const double x = 0.5 * fixture_row(&p->rows, i)[j];
        const bool minus = (word[j / 32] >> (j % 32) & 1) != 0;
        sum += (minus != (__builtin_popcount((unsigned)(r & j)) % 2 == 1)) ? -x : x;
        size += fabs(x);
    }
    *error = log2(h->size) * UNIT * size * SLACK;
    return sum;
}

static void check_against_double(const problem *p, const float *z)
{
    const dps_hadamard_panels *h = &p->panels;
    for (int64_t i = 0; i < ROWS; i++) {
        for (int32_t u = 0; u < h->units; u++) {
            double complex exact = h->weight;
            double error = 0.0;
            for (int32_t factor = 0; factor < h->degree; factor++) {
                double e_re, e_im = 0.0, im = 0.0;
                const double re = projection(p, i, u, factor, 0, &e_re);
                if (h->pairs) {
                    im = projection(p, i, u, factor, 1, &e_im);
                }
                const double size = cabs(exact), own = hypot(re, im), e = hypot(e_re, e_im);
                error = (size * e + own * error + error * e) +
                        4.0 * UNIT * (size + error) * (own + e) * SLACK;
                exact *= re + I * im;
            }
            const float *got =
                z + (size_t)i * ((size_t)p->width + GUARD) + (size_t)(h->pairs ? 2 * u : u);
            assert_true(fabs((double)got[0] - creal(exact)) <= error * SLACK + 1e-38);
            assert_true(!h->pairs || fabs((double)got[1] - cimag(exact)) <= error * SLACK + 1e-38);
        }
    }
}

static void variants_have_equal_bits_and_are_the_hadamard_matrix(void **state)
{
    (void)state;
    static const int32_t columns[] = {1, 2, 15, 16, 17, 31, 32, 33, 64, 100, 128, 300, 513};
    static const int32_t units[] = {1, 5, 16, 17, 40, 200};
    for (size_t c = 0; c < sizeof(columns) / sizeof(columns[0]); c++) {
        for (size_t k = 0; k < 2 * sizeof(units) / sizeof(units[0]); k++) {
            problem p = draw(columns[c], 1 + (int32_t)(c + k) % 4, units[k / 2], k % 2 == 1);
            float *reference = project(&p, DPS_SIMD_PORTABLE);
            check_against_double(&p, reference);
            for (int simd = DPS_SIMD_AVX2; simd <= DPS_SIMD_AVX512; simd++) {
                if (!dps_cpu_has((dps_simd)simd)) {
                    print_message("%s: not on this CPU\n", dps_simd_name((dps_simd)simd));
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

static void blocks_hold_every_feature_once(void **state)
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
        cmocka_unit_test(blocks_hold_every_feature_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
