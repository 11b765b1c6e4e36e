/* Task: random features of signs, z = weight * prod_{factors} sum_j (+-1) s x_j, s a power of two
 * (Kar & Karnick 2012, Algorithm 1; signs as one bit an entry).
 *
 * Order of summation, the same in every variant: coordinates in groups of four,
 * T[i] = ((+-x0 +- x1) +- x2) +- x3 with a minus where bit k of i is set, in float; the groups'
 * sums are added in order to an accumulator that starts at +0; the running product starts at the
 * weight and is multiplied by one accumulator after the other: in pairs, (a + ib)(c + id) as
 * fma(a, c, -(b d)) + i fma(b, c, a d).
 *
 * Method: the 16 values of T are made once a row and group, so that a feature costs one look-up and
 * one addition for four coordinates.
 *
 * Why the sign of a zero never shows: under round-to-nearest a sum is -0 only if both terms are
 * -0. An accumulator that starts at +0 is therefore never -0, and adding +0 or -0 to it changes
 * nothing. So coordinates beyond d (zeros of the padding, with any sign bit), groups of zeros, and
 * the tables of the AVX2 variant, which stores half of T and uses T[15 - i] = -T[i], which is exact
 * but for the sign of zeros, leave equal bits.
 *
 * Cost: rows * d / 4 * 16 for the tables, rows * D * L * d / 4 look-ups. This is the reference:
 * plain, not fast. */
#include <assert.h>
#include <string.h>
#include "projection_private.h"

/* table: groups x 16. */
static void build_tables(const float *x, float scale, int32_t groups, float (*table)[16])
{
    for (int32_t g = 0; g < groups; g++) {
        const float x0 = scale * x[4 * g], x1 = scale * x[4 * g + 1];
        const float x2 = scale * x[4 * g + 2], x3 = scale * x[4 * g + 3];
        for (int i = 0; i < 16; i++) {
            float sum = (i & 1) ? -x0 : x0;
            sum += (i & 2) ? -x1 : x1;
            sum += (i & 4) ? -x2 : x2;
            sum += (i & 8) ? -x3 : x3;
            table[g][i] = sum;
        }
    }
}

/* product[lane] *= sum over the groups of table[g][signs of lane]. word: blocks x DPS_PANEL. */
static void multiply_factor(float (*table)[16], int32_t groups, const uint32_t *word, bool pairs,
                            float product[DPS_PANEL])
{
    float sum[DPS_PANEL] = {0};
    for (int32_t g = 0; g < groups; g++) {
        const uint32_t *signs = word + (size_t)(g / 8) * DPS_PANEL;
        const int shift = 4 * (g % 8);
        for (int lane = 0; lane < DPS_PANEL; lane++) {
            sum[lane] += table[g][(signs[lane] >> shift) & 15];
        }
    }
    dps_multiply_signs(product, sum, pairs);
}

DPS_SIGN_VARIANT(dps_sign_project_portable)
{
    const int32_t groups = (panels->columns + 3) / 4;
    const size_t blocks = ((size_t)panels->columns + 31) / 32;
    float(*table)[16] = scratch;
    for (int32_t i = 0; i < tile->rows; i++) {
        build_tables(tile->dense + (size_t)i * tile->stride, panels->input_scale_inverse, groups,
                     table);
        for (int32_t p = 0; p < panels->panels; p++) {
            const uint32_t *word = panels->word + panels->offset[p];
            float product[DPS_PANEL];
            memcpy(product, panels->weight + (size_t)p * DPS_PANEL, sizeof(product));
            for (int32_t factor = 0; factor < panels->degree[p]; factor++) {
                multiply_factor(table, groups, word + (size_t)factor * blocks * DPS_PANEL,
                                panels->pairs, product);
            }
            memcpy(z + (size_t)i * stride + (size_t)p * DPS_PANEL, product,
                   (size_t)dps_panel_width(p, features) * sizeof(float));
        }
    }
}
