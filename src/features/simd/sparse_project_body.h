/* The sign projection of compressed rows, for inclusion by one file an instruction set behind its
 * SIGN_PROJECT: plain loops over the DPS_PANEL lanes, which the compiler turns into vectors.
 * Compilers may not reorder or contract (-ffp-contract=off), so that all variants have the same
 * bits.
 *
 * Order of summation: as projection_sign_portable.c. Coordinates that are not stored are zeros:
 * within a group of four they change a sum by +-0 only, and a group without entries adds +-0 to an
 * accumulator that is never -0.
 *
 * Cost: rows x entries x D x factors lane operations; a sign is one bit, moved to the sign bit of
 * x. */
#include <stdint.h>
#include <string.h>
#include "projection_private.h"
#include "sparse_project.h"

/* part[lane] += +-x, the sign from bit `bit` of word[lane]. */
static inline void add_signed(float part[DPS_PANEL], const uint32_t *word, int bit, float x)
{
    uint32_t magnitude;
    memcpy(&magnitude, &x, sizeof(magnitude));
    for (int lane = 0; lane < DPS_PANEL; lane++) {
        const uint32_t bits = magnitude ^ ((word[lane] >> bit) << 31);
        float value;
        memcpy(&value, &bits, sizeof(value));
        part[lane] += value;
    }
}

/* product[lane] *= projection of one row. word: blocks x DPS_PANEL. */
static inline void multiply_factor(float product[DPS_PANEL], const uint32_t *word, bool pairs,
                                   const int32_t *column, const float *value, int64_t entries,
                                   float scale)
{
    float sum[DPS_PANEL] = {0};
    for (int64_t k = 0; k < entries;) {
        const int32_t group = column[k] / 4;
        const uint32_t *signs = word + (size_t)(group / 8) * DPS_PANEL;
        float part[DPS_PANEL] = {0};
        for (; k < entries && column[k] / 4 == group; k++) {
            add_signed(part, signs, column[k] % 32, scale * value[k]);
        }
        for (int lane = 0; lane < DPS_PANEL; lane++) {
            sum[lane] += part[lane];
        }
    }
    dps_multiply_signs(product, sum, pairs);
}

void SIGN_PROJECT(const dps_sign_panels *panels, const dps_row_tile *tile, float *z, size_t stride,
                  int32_t features)
{
    const size_t step = ((size_t)panels->columns + 31) / 32 * DPS_PANEL;
    for (int32_t i = 0; i < tile->rows; i++) {
        const int64_t begin = tile->start[i], entries = tile->start[i + 1] - begin;
        for (int32_t p = 0; p < panels->panels; p++) {
            float product[DPS_PANEL];
            memcpy(product, panels->weight + (size_t)p * DPS_PANEL, sizeof(product));
            for (int32_t factor = 0; factor < panels->degree[p]; factor++) {
                multiply_factor(product, panels->word + panels->offset[p] + (size_t)factor * step,
                                panels->pairs, tile->column + begin, tile->value + begin, entries,
                                panels->input_scale_inverse);
            }
            memcpy(z + (size_t)i * stride + (size_t)p * DPS_PANEL, product,
                   (size_t)dps_panel_width(p, features) * sizeof(float));
        }
    }
}
