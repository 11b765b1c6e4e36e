/* Projections by fast Walsh-Hadamard transform, for inclusion by one file an instruction set, which
 * defines HADAMARD_PROJECT, LANES, float_vector and the operations float_load, float_store,
 * float_spread, madd_float (a b + c), msub_float (a b - c), vec_sign (flip by the low LANES bits),
 * vec_gather, and vec_low_stages, the stages of stride LANES / 2 .. 1 inside one vector.
 *
 * Order of summation, the same for every LANES, in float:
 *
 *     v_j = +-(s x_j), zeros beyond d
 *     for h = size/2, size/4, .., 1 and all j with bit h clear:
 *         (v_j, v_j+h) <- (v_j + v_j+h, v_j - v_j+h)
 *     result_r = sum_j (-1)^popcount(r & j) v_j        unnormalised, natural order
 *
 * The product starts at the weight and is multiplied by one factor after the other, in pairs by
 *
 *     (a + ib)(c + id) = fma(a, c, -(b d)) + i fma(b, c, a d)
 *
 * Source: Fino & Algazi 1976 for the transform; Hamid et al. 2014 and Wacker et al. 2022 for the
 * products (ProductSRHT). Cost a row: size log2(size) additions a block, factor and part, and one
 * gathered element a unit, factor and part; two stages a pass through memory, the
 * last one together with those inside a vector.
 *
 * Why one row at a time: the transform of a row of 8192 numbers fits the first-level cache, and
 * features can be picked from it by gathers; several rows side by side would not fit. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "hadamard.h"

/* row = scaled x, zeros to `size`. Adding 0 makes -0 a +0: compressed rows have no -0. */
static void scale_row(const dps_hadamard_panels *panels, const float *x, float *row)
{
    const float_vector scale = float_spread(panels->input_scale_inverse), zero = float_spread(0.0f);
    int32_t j = 0;
    for (; j < panels->columns; j += LANES) {
        float_store(row + j, scale * float_load(x + j) + zero);
    }
    if (j < panels->size) {
        memset(row + j, 0, (size_t)(panels->size - j) * sizeof(float));
    }
}

static inline float_vector signed_at(const float *row, const uint32_t *word, int32_t j)
{
    return vec_sign(float_load(row + j), word[j / 32] >> (j % 32));
}

/* Stages h and h/2 of four vectors at distance h/2, stored from v on; low: those below as well. */
static inline void four_vectors(float_vector a, float_vector b, float_vector c, float_vector d,
                                int32_t half, bool low, float *v)
{
    const float_vector ac = a + c, bd = b + d;
    const float_vector a_c = a - c, b_d = b - d;
    float_vector out[4] = {ac + bd, ac - bd, a_c + b_d, a_c - b_d};
    for (int32_t k = 0; k < 4; k++) {
        float_store(v + k * half, low ? vec_low_stages(out[k]) : out[k]);
    }
}

/* Stages size/2 and size/4, from the row and its signs. */
static inline void first_stages(const float *row, const uint32_t *word, float *v, int32_t size)
{
    const int32_t half = size / 4;
    for (int32_t j = 0; j < half; j += LANES) {
        four_vectors(signed_at(row, word, j), signed_at(row, word, j + half),
                     signed_at(row, word, j + 2 * half), signed_at(row, word, j + 3 * half), half,
                     false, v + j);
    }
}

static inline void two_stages(float *v, int32_t size, int32_t h, bool low)
{
    const int32_t half = h / 2;
    for (int32_t begin = 0; begin < size; begin += 2 * h) {
        for (int32_t j = begin; j < begin + half; j += LANES) {
            four_vectors(float_load(v + j), float_load(v + j + half), float_load(v + j + h),
                         float_load(v + j + h + half), half, low, v + j);
        }
    }
}

/* Stage LANES and those below. */
static inline void last_stages(float *v, int32_t size)
{
    for (int32_t j = 0; j < size; j += 2 * LANES) {
        const float_vector a = float_load(v + j), b = float_load(v + j + LANES);
        float_store(v + j, vec_low_stages(a + b));
        float_store(v + j + LANES, vec_low_stages(a - b));
    }
}

/* v = transform of the row with signs. */
static void transform(const float *row, const uint32_t *word, float *v, int32_t size)
{
    int32_t h = size / 2;
    if (h / 2 >= LANES) {
        first_stages(row, word, v, size);
        h /= 4;
    } else {
        for (int32_t j = 0; j < size; j += LANES) {
            float_store(v + j, signed_at(row, word, j));
        }
    }
    for (; h / 2 > LANES; h /= 4) {
        two_stages(v, size, h, false);
    }
    if (h / 2 == LANES) {
        two_stages(v, size, h, true);
    } else if (h == LANES) {
        last_stages(v, size);
    } else {
        for (int32_t j = 0; j < size; j += LANES) {
            float_store(v + j, vec_low_stages(float_load(v + j)));
        }
    }
}

/* real[u] *= v[pick[u]] */
static void multiply_real(float *real, const float *v, const int32_t *pick, int32_t units)
{
    int32_t u = 0;
    for (; u + LANES <= units; u += LANES) {
        float_store(real + u, float_load(real + u) * vec_gather(v, pick + u));
    }
    for (; u < units; u++) {
        real[u] *= v[pick[u]];
    }
}

/* real[u] + i imaginary[u] times c[pick[u]] + i d[pick[u]] */
static void multiply_pairs(float *real, float *imaginary, const float *c, const float *d,
                           const int32_t *pick, int32_t units)
{
    int32_t u = 0;
    for (; u + LANES <= units; u += LANES) {
        const float_vector a = float_load(real + u), b = float_load(imaginary + u);
        const float_vector cu = vec_gather(c, pick + u), du = vec_gather(d, pick + u);
        float_store(real + u, msub_float(a, cu, b * du));
        float_store(imaginary + u, madd_float(b, cu, a * du));
    }
    for (; u < units; u++) {
        const float a = real[u], b = imaginary[u], cu = c[pick[u]], du = d[pick[u]];
        real[u] = fmaf(a, cu, -(b * du));
        imaginary[u] = fmaf(b, cu, a * du);
    }
}

/* Places in the arrays of the panels. */
typedef struct cursor {
    const int32_t *active, *pick, *column;
    const uint32_t *word;
    const float *weight;
} cursor;

/* One block of one row; moves the cursor on. scratch: the row, transforms and products. */
static void project_block(const dps_hadamard_panels *panels, int32_t units, int32_t depth,
                          cursor *at, float *z, float *scratch)
{
    const int32_t size = panels->size;
    const size_t words = ((size_t)size + 31) / 32;
    float *row = scratch, *v = row + size, *real = v + size, *v2 = real + size;
    float *imaginary = v2 + size; /* v2, imaginary: room for pairs only */
    memcpy(real, at->weight, (size_t)units * sizeof(float));
    if (panels->pairs) {
        memset(imaginary, 0, (size_t)units * sizeof(float));
    }
    for (int32_t factor = 0; factor < depth; factor++) {
        const int32_t active = *at->active++;
        transform(row, at->word, v, size);
        at->word += words;
        if (panels->pairs) {
            transform(row, at->word, v2, size);
            at->word += words;
            multiply_pairs(real, imaginary, v, v2, at->pick, active);
        } else {
            multiply_real(real, v, at->pick, active);
        }
        at->pick += active;
    }
    for (int32_t u = 0; u < units; u++) {
        z[at->column[u]] = real[u];
        if (panels->pairs) {
            z[at->column[u] + 1] = imaginary[u];
        }
    }
    at->weight += units;
    at->column += units;
}

void HADAMARD_PROJECT(const dps_hadamard_panels *panels, const dps_row_tile *tile, float *z,
                      size_t stride, float *scratch)
{
    for (int32_t i = 0; i < tile->rows; i++) {
        scale_row(panels, tile->dense + (size_t)i * tile->stride, scratch);
        cursor at = {.active = panels->active,
                     .pick = panels->pick,
                     .column = panels->column,
                     .word = panels->word,
                     .weight = panels->weight};
        for (int32_t k = 0; k < panels->blocks; k++) {
            project_block(panels, panels->units[k], panels->depth[k], &at, z + (size_t)i * stride,
                          scratch);
        }
    }
}
