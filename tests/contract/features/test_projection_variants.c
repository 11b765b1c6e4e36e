/* Contract of the fused projection kernels, over every SIMD path of this machine: the same bits as
 * the plain C path for any shape, columns and scratch beyond what was asked for untouched; and the
 * plain C path against sums and products in double.
 *
 * Tolerances are running error bounds (Higham, Accuracy and Stability, section 3.3), u = 2^-24: a
 * sum of m roundings whose terms have absolute sum S errs by at most e = m u S (1 + 1e-4), and a
 * product of factors f_k + e_k by at most |w| (prod (|f_k| + e_k)(1 + u) - prod |f_k|). */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "allocation.h"
#include "cpu.h"
#include "projection.h"

#define UNIT         0x1p-24
#define SLACK        1.0001
#define GUARD        0xA5
#define COSINE_ERROR 3e-7 /* promised by projection.h */

enum { GUARD_BYTES = 256, MAX_DEGREE = 10 };

static uint32_t next_bits(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

static float next_float(uint64_t *state)
{
    return (float)next_bits(state) * 0x1p-31f - 1.0f;
}

static int32_t next_below(uint64_t *state, int32_t bound)
{
    return (int32_t)(((uint64_t)next_bits(state) * (uint64_t)bound) >> 32);
}

static void *need(size_t count, size_t size)
{
    void *block = dps_alloc(count, size);
    assert_non_null(block);
    return block;
}

/* One drawn case: a tile, panels of both kinds over the same degrees, a place for z. */
typedef struct shape {
    int32_t rows, columns, features, panels, max_degree;
} shape;

typedef struct problem {
    shape shape;
    dps_row_tile tile;
    float *x;
    int32_t *degree;
    size_t *word_offset, *frequency_offset, *phase_offset;
    uint32_t *word;
    float *frequency, *phase, *weight;
    dps_sign_panels sign;
    dps_real_panels real;
    size_t stride, z_bytes;
    float *z[3]; /* portable, avx2, avx512; z + shift is what the kernels get */
    size_t shift;
} problem;

static float *random_floats(size_t count, uint64_t *state)
{
    float *v = need(count, sizeof(float));
    for (size_t i = 0; i < count; i++) {
        v[i] = next_float(state);
    }
    return v;
}

static void draw_tile(problem *p, uint64_t *state)
{
    const size_t stride =
        dps_round_up((size_t)p->shape.columns, DPS_PAD) + DPS_PAD * (size_t)next_below(state, 2);
    p->x = need((size_t)p->shape.rows * stride, sizeof(float));
    for (size_t i = 0; i < (size_t)p->shape.rows; i++) {
        for (size_t j = 0; j < (size_t)p->shape.columns; j++) {
            /* Equal and zero coordinates make sums that cancel to zero. */
            p->x[i * stride + j] = next_below(state, 4) == 0
                                       ? 0.25f * (float)(next_below(state, 3) - 1)
                                       : next_float(state);
        }
    }
    p->tile = (dps_row_tile){
        .rows = p->shape.rows, .columns = p->shape.columns, .dense = p->x, .stride = stride};
}

static void draw_panels(problem *p, uint64_t *state)
{
    const size_t panels = (size_t)p->shape.panels, columns = (size_t)p->shape.columns;
    const size_t blocks = (columns + 31) / 32;
    p->degree = need(panels, sizeof(int32_t));
    p->word_offset = need(panels, sizeof(size_t));
    p->frequency_offset = need(panels, sizeof(size_t));
    p->phase_offset = need(panels, sizeof(size_t));
    size_t factors = 0;
    for (size_t k = 0; k < panels; k++) {
        p->degree[k] = 1 + next_below(state, p->shape.max_degree);
        p->word_offset[k] = factors * blocks * DPS_PANEL;
        p->frequency_offset[k] = factors * columns * DPS_PANEL;
        p->phase_offset[k] = factors * DPS_PANEL;
        factors += (size_t)p->degree[k];
    }
    p->word = need(factors * blocks * DPS_PANEL, sizeof(uint32_t));
    for (size_t k = 0; k < factors * blocks * DPS_PANEL; k++) {
        p->word[k] = next_bits(state); /* bits beyond d are set too: they must not matter */
    }
    p->frequency = random_floats(factors * columns * DPS_PANEL, state);
    p->phase = random_floats(factors * DPS_PANEL, state);
    p->weight = random_floats(panels * DPS_PANEL, state);
    p->sign = (dps_sign_panels){p->shape.columns, p->shape.panels, p->degree, p->word_offset,
                                p->word,          p->weight,       0.5f,      false};
    p->real = (dps_real_panels){DPS_REAL_LINEAR,     p->shape.columns, p->shape.panels, p->degree,
                                p->frequency_offset, p->frequency,     p->phase_offset, p->phase,
                                1.41421356f,         p->weight};
}

static problem draw(shape s, uint64_t seed)
{
    uint64_t state = seed;
    problem p = {.shape = s};
    draw_tile(&p, &state);
    draw_panels(&p, &state);
    p.stride = (size_t)s.features + (size_t)next_below(&state, 40);
    p.shift = (size_t)next_below(&state, 16);
    p.z_bytes = (p.shift + (size_t)s.rows * p.stride) * sizeof(float) + GUARD_BYTES;
    for (int k = 0; k < 3; k++) {
        p.z[k] = need(p.z_bytes, 1);
    }
    return p;
}

static void drop(problem *p)
{
    void *blocks[] = {p->x,    p->degree,    p->word_offset, p->frequency_offset, p->phase_offset,
                      p->word, p->frequency, p->phase,       p->weight,           p->z[0],
                      p->z[1], p->z[2]};
    for (size_t k = 0; k < sizeof(blocks) / sizeof(blocks[0]); k++) {
        dps_free(blocks[k]);
    }
}

typedef enum kind { SIGNS, PAIRS, LINEAR, COSINE } kind;

/* Runs one variant into z[simd] and checks that nothing around the results was touched. */
static void run_guarded(problem *p, kind what, dps_simd simd)
{
    const bool signs = what == SIGNS || what == PAIRS;
    const size_t scratch_bytes =
        signs ? dps_sign_scratch_bytes(p->shape.columns) : dps_real_scratch_bytes(p->shape.columns);
    unsigned char *scratch = need(scratch_bytes + GUARD_BYTES, 1);
    memset(scratch, GUARD, scratch_bytes + GUARD_BYTES);
    float *z = p->z[simd];
    memset(z, GUARD, p->z_bytes);
    if (signs) {
        p->sign.pairs = what == PAIRS;
        dps_sign_project(simd, &p->sign, &p->tile, z + p->shift, p->stride, p->shape.features,
                         scratch);
    } else {
        p->real.kind = what == LINEAR ? DPS_REAL_LINEAR : DPS_REAL_COSINE;
        dps_real_project(simd, &p->real, &p->tile, z + p->shift, p->stride, p->shape.features,
                         scratch);
    }
    for (size_t b = 0; b < GUARD_BYTES; b++) {
        assert_int_equal(scratch[scratch_bytes + b], GUARD);
    }
    dps_free(scratch);
    const unsigned char *bytes = (const unsigned char *)z;
    const size_t row = p->stride * sizeof(float), used = (size_t)p->shape.features * sizeof(float);
    const size_t first = p->shift * sizeof(float);
    for (size_t b = 0; b < p->z_bytes; b++) {
        const bool inside = b >= first && b < first + row * (size_t)p->shape.rows;
        if (!inside || (b - first) % row >= used) {
            assert_int_equal(bytes[b], GUARD);
        }
    }
}

/* Value of one factor in double and its error bound. */
static double factor_value(const problem *p, kind what, int32_t i, int32_t k, int32_t lane,
                           int32_t factor, double *error)
{
    const float *x = p->x + (size_t)i * p->tile.stride;
    const size_t d = (size_t)p->shape.columns, blocks = (d + 31) / 32;
    double sum = 0.0, size = 0.0;
    if (what == COSINE || what == LINEAR) {
        sum = p->phase[p->phase_offset[k] + (size_t)factor * DPS_PANEL + (size_t)lane];
        size = fabs(sum);
    }
    for (size_t j = 0; j < d; j++) {
        double w;
        if (what == SIGNS || what == PAIRS) {
            const uint32_t word =
                p->word[p->word_offset[k] + ((size_t)factor * blocks + j / 32) * DPS_PANEL +
                        (size_t)lane];
            w = (word >> (j % 32) & 1) != 0 ? -0.5 : 0.5; /* 0.5 = input_scale_inverse */
        } else {
            w = p->frequency[p->frequency_offset[k] + ((size_t)factor * d + j) * DPS_PANEL +
                             (size_t)lane];
        }
        sum += w * (double)x[j];
        size += fabs(w * (double)x[j]);
    }
    const double roundings =
        what == SIGNS || what == PAIRS ? 3.0 + (double)((d + 3) / 4) : (double)d;
    *error = roundings * UNIT * size * SLACK;
    if (what == COSINE) {
        const double amplitude = p->real.amplitude;
        *error = amplitude * (2.0 * M_PI * *error + COSINE_ERROR + UNIT) * SLACK;
        return amplitude * cos(2.0 * M_PI * (sum - rint(sum)));
    }
    return sum;
}

/* Complex products: |error| grows to |p| e_f + |f| e_p + e_p e_f, and the rounding of two products
 * and two sums of parts, at most 4 u |p| |f|; a part errs by no more than the whole. */
static void check_pairs_against_double(const problem *p)
{
    for (int32_t i = 0; i < p->shape.rows; i++) {
        for (int32_t f = 0; f + 1 < p->shape.features; f += 2) {
            const int32_t k = f / DPS_PANEL, lane = f % DPS_PANEL;
            double complex exact = p->weight[f] + I * (double)p->weight[f + 1];
            double error = 0.0;
            for (int32_t factor = 0; factor < p->degree[k]; factor++) {
                double e_re, e_im;
                const double re = factor_value(p, PAIRS, i, k, lane, factor, &e_re);
                const double im = factor_value(p, PAIRS, i, k, lane + 1, factor, &e_im);
                const double size = cabs(exact), own = hypot(re, im), e = hypot(e_re, e_im);
                error = (size * e + own * error + error * e) +
                        4.0 * UNIT * (size + error) * (own + e) * SLACK;
                exact *= re + I * im;
            }
            const float *got = p->z[0] + p->shift + (size_t)i * p->stride + (size_t)f;
            const double tolerance = error * SLACK + 1e-38;
            assert_true(fabs((double)got[0] - creal(exact)) <= tolerance);
            assert_true(fabs((double)got[1] - cimag(exact)) <= tolerance);
        }
    }
}

static void check_against_double(const problem *p, kind what)
{
    if (what == PAIRS) {
        check_pairs_against_double(p);
        return;
    }
    for (int32_t i = 0; i < p->shape.rows; i++) {
        for (int32_t f = 0; f < p->shape.features; f++) {
            const int32_t k = f / DPS_PANEL;
            double exact = p->weight[f], bound = fabs(exact), size = bound;
            for (int32_t factor = 0; factor < p->degree[k]; factor++) {
                double error;
                const double value = factor_value(p, what, i, k, f % DPS_PANEL, factor, &error);
                exact *= value;
                size *= fabs(value);
                bound *= (fabs(value) + error) * (1.0 + UNIT);
            }
            const double tolerance = (bound - size) * SLACK + 1e-38;
            const double got = p->z[0][p->shift + (size_t)i * p->stride + (size_t)f];
            if (!(fabs(got - exact) <= tolerance)) {
                fail_msg("row %d feature %d of %d x %d: got %.9g, expected %.9g +- %.2g", (int)i,
                         (int)f, (int)p->shape.rows, (int)p->shape.columns, got, exact, tolerance);
            }
        }
    }
}

static void check_variants(problem *p, kind what)
{
    static const dps_simd others[] = {DPS_SIMD_AVX2, DPS_SIMD_AVX512};
    run_guarded(p, what, DPS_SIMD_PORTABLE);
    for (int k = 0; k < 2; k++) {
        if (!dps_cpu_has(others[k])) {
            print_message("%s: not on this CPU\n", dps_name_of(dps_simd_names, others[k]));
            continue;
        }
        run_guarded(p, what, others[k]);
        if (memcmp(p->z[0], p->z[others[k]], p->z_bytes) != 0) {
            fail_msg("%s differs from portable: rows %d, d %d, features %d",
                     dps_name_of(dps_simd_names, others[k]), (int)p->shape.rows,
                     (int)p->shape.columns, (int)p->shape.features);
        }
    }
}

/* Shapes at and beside every block size, then random ones. */
static const shape edge_shapes[] = {
    {1, 1, 1, 1, 1},      {6, 4, 32, 1, 2},     {7, 5, 31, 1, 10},   {8, 31, 33, 2, 3},
    {12, 32, 64, 2, 4},   {13, 33, 47, 2, 5},   {384, 8, 65, 3, 10}, {5, 64, 16, 1, 1},
    {2, 300, 17, 1, 2},   {9, 3, 500, 16, 10},  {383, 22, 15, 1, 3}, {4, 128, 100, 4, 6},
    {11, 129, 95, 3, 10}, {25, 255, 48, 2, 10}, {384, 2, 1, 1, 10},  {3, 296, 96, 3, 1}};

static shape draw_shape(uint64_t *state)
{
    shape s = {.rows = 1 + next_below(state, 40),
               .columns = 1 + next_below(state, 300),
               .features = 1 + next_below(state, 150),
               .max_degree = 1 + next_below(state, MAX_DEGREE)};
    s.panels = (s.features + DPS_PANEL - 1) / DPS_PANEL;
    return s;
}

static void check_all_shapes(kind what)
{
    uint64_t state = 20120101;
    for (size_t k = 0; k < sizeof(edge_shapes) / sizeof(edge_shapes[0]) + 40; k++) {
        const bool edge = k < sizeof(edge_shapes) / sizeof(edge_shapes[0]);
        problem p = draw(edge ? edge_shapes[k] : draw_shape(&state), 1000 + k);
        check_variants(&p, what);
        check_against_double(&p, what);
        drop(&p);
    }
}

static void sign_variants_equal_bits_and_double(void **unused)
{
    (void)unused;
    check_all_shapes(SIGNS);
}

static void complex_sign_variants_equal_bits_and_double(void **unused)
{
    (void)unused;
    check_all_shapes(PAIRS);
}

static void linear_variants_equal_bits_and_double(void **unused)
{
    (void)unused;
    check_all_shapes(LINEAR);
}

static void cosine_variants_equal_bits_and_double(void **unused)
{
    (void)unused;
    check_all_shapes(COSINE);
}

static void unused_panels_are_not_touched(void **unused)
{
    (void)unused;
    problem p = draw((shape){9, 10, 33, 4, 3}, 5);
    check_variants(&p, SIGNS);
    check_variants(&p, LINEAR);
    drop(&p);
}

/* The row's place in the tile must not matter: each row alone gives the bits it has in the tile. */
static void rows_alone_have_the_bits_of_the_tile(void **unused)
{
    (void)unused;
    problem p = draw((shape){26, 45, 40, 2, 4}, 6);
    for (int what = SIGNS; what <= COSINE; what++) {
        for (int simd = DPS_SIMD_PORTABLE; simd <= DPS_SIMD_AVX512; simd++) {
            if (!dps_cpu_has((dps_simd)simd)) {
                continue;
            }
            run_guarded(&p, (kind)what, (dps_simd)simd);
            problem one = p;
            one.shape.rows = one.tile.rows = 1;
            one.z_bytes = (p.shift + p.stride) * sizeof(float) + GUARD_BYTES;
            one.z[simd] = need(one.z_bytes, 1);
            for (size_t i = 0; i < (size_t)p.shape.rows; i++) {
                one.tile.dense = p.tile.dense + i * p.tile.stride;
                run_guarded(&one, (kind)what, (dps_simd)simd);
                assert_memory_equal(one.z[simd] + p.shift, p.z[simd] + p.shift + i * p.stride,
                                    (size_t)p.shape.features * sizeof(float));
            }
            dps_free(one.z[simd]);
        }
    }
    drop(&p);
}

/* cos(2 pi t) of `count` values by way of phases: d = 1, x = 0, one factor, weight and amplitude 1.
 */
static void cosines(dps_simd simd, const float *t, int32_t count, float *result)
{
    const int32_t panels = count / DPS_PANEL;
    int32_t *degree = need((size_t)panels, sizeof(int32_t));
    size_t *offset = need((size_t)panels, sizeof(size_t));
    size_t *phase_offset = need((size_t)panels, sizeof(size_t));
    float *weight = need((size_t)count, sizeof(float));
    float *frequency = need(DPS_PANEL, sizeof(float)), *x = need(DPS_PAD, sizeof(float));
    for (size_t k = 0; k < (size_t)panels; k++) {
        degree[k] = 1;
        phase_offset[k] = k * DPS_PANEL;
    }
    for (size_t k = 0; k < (size_t)count; k++) {
        weight[k] = 1.0f;
    }
    const dps_real_panels p = {DPS_REAL_COSINE, 1, panels, degree, offset, frequency,
                               phase_offset,    t, 1.0f,   weight};
    const dps_row_tile tile = {.rows = 1, .columns = 1, .dense = x, .stride = DPS_PAD};
    void *scratch = need(dps_real_scratch_bytes(1), 1);
    dps_real_project(simd, &p, &tile, result, (size_t)count, count, scratch);
    void *blocks[] = {degree, offset, phase_offset, weight, frequency, x, scratch};
    for (size_t k = 0; k < sizeof(blocks) / sizeof(blocks[0]); k++) {
        dps_free(blocks[k]);
    }
}

static void cosine_is_within_its_promise(void **unused)
{
    (void)unused;
    enum { COUNT = 1 << 18 };
    float *t = need(COUNT, sizeof(float)), *result = need(COUNT, sizeof(float));
    uint64_t state = 7;
    for (int32_t k = 0; k < COUNT; k++) {
        const float grid = 4.0f * ((float)k / COUNT - 0.5f); /* -2 .. 2 */
        const int32_t exponent = next_below(&state, 280) - 149;
        t[k] = k % 4 != 3 ? grid : ldexpf(next_float(&state), exponent < 128 ? exponent : 127);
    }
    for (int simd = DPS_SIMD_PORTABLE; simd <= DPS_SIMD_AVX512; simd++) {
        if (!dps_cpu_has((dps_simd)simd)) {
            continue;
        }
        cosines((dps_simd)simd, t, COUNT, result);
        double worst = 0.0, largest = 0.0;
        for (int32_t k = 0; k < COUNT; k++) {
            const double turns = (double)t[k] - rint((double)t[k]);
            worst = fmax(worst, fabs((double)result[k] - cos(2.0 * M_PI * turns)));
            largest = fmax(largest, fabs((double)result[k]));
        }
        print_message("%s: largest error %.3g, largest value 1 + %.3g\n",
                      dps_name_of(dps_simd_names, (dps_simd)simd), worst, largest - 1.0);
        assert_true(worst < COSINE_ERROR);
        assert_true(largest <= 1.0 + COSINE_ERROR);
    }
    dps_free(t);
    dps_free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sign_variants_equal_bits_and_double),
        cmocka_unit_test(complex_sign_variants_equal_bits_and_double),
        cmocka_unit_test(linear_variants_equal_bits_and_double),
        cmocka_unit_test(cosine_variants_equal_bits_and_double),
        cmocka_unit_test(unused_panels_are_not_touched),
        cmocka_unit_test(rows_alone_have_the_bits_of_the_tile),
        cmocka_unit_test(cosine_is_within_its_promise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
