/* Fused kernels: project a block of rows, multiply factor by factor, store once. Panels of
 * DPS_PANEL features of one degree. Each variant exists as plain C, AVX2 and AVX-512 with equal
 * bits. */
#ifndef DPS_PROJECTION_H
#define DPS_PROJECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "row_tile.h"
#include "run.h"

#define DPS_PANEL 32

/* Sign words: word[(factor * blocks + b) * DPS_PANEL + lane], blocks = ceil(d / 32); bit k of it:
 * coordinate 32 b + k enters with a minus sign. Panels follow each other in memory.
 *
 *     z[i][lane] = weight[lane] * prod_factor (input_scale_inverse * sum_j sign x_j)
 *
 * The running product starts at weight and is multiplied by one projection after the other; x is
 * multiplied by input_scale_inverse (a power of two) first. */
typedef struct dps_sign_panels {
    int32_t columns; /* d */
    int32_t panels;
    const int32_t *degree; /* factors of each panel */
    const size_t *offset;  /* of each panel's first word */
    const uint32_t *word;
    const float *weight; /* panels x DPS_PANEL; 0 in unused lanes */
    float input_scale_inverse;
    bool pairs; /* lanes 2k, 2k + 1 are real and imaginary part: factors multiply as complex numbers
                   (docs/algorithms.md, equation 20); weight of the odd lane 0 */
} dps_sign_panels;

/* Dense: tile->dense != NULL. z: rows x stride; panel p writes columns first + 32 p ... (stride
 * must leave room for whole panels, or `last` lanes of the last panel are stored only). */
size_t dps_sign_scratch_bytes(int32_t columns);
void dps_sign_project(dps_simd simd, const dps_sign_panels *panels, const dps_row_tile *tile,
                      float *z, size_t stride, int32_t features, void *scratch);

/* Real panels: frequency[(factor * d + j) * DPS_PANEL + lane], phase[factor * DPS_PANEL + lane] in
 * turns.
 *
 *     LINEAR:  value = phase + sum_j w_j x_j
 *     COSINE:  value = amplitude * cos(2 pi (phase + sum_j w_j x_j)),  w in turns
 *     z[i][lane] = weight * product of values
 *
 * Sums are accumulated from the phase by fma in coordinate order; our own cosine
 * (docs/algorithms.md), |error| < 3e-7 + argument rounding. */
typedef enum dps_real_kind { DPS_REAL_LINEAR, DPS_REAL_COSINE } dps_real_kind;
typedef struct dps_real_panels {
    dps_real_kind kind;
    int32_t columns;
    int32_t panels;
    const int32_t *degree;
    const size_t *offset; /* of each panel's first frequency (floats) */
    const float *frequency;
    const size_t *phase_offset;
    const float *phase; /* NULL: none, LINEAR alone */
    float amplitude;    /* sqrt(2) for the RBF base; 1 else */
    const float *weight;
} dps_real_panels;
size_t dps_real_scratch_bytes(int32_t columns);
void dps_real_project(dps_simd simd, const dps_real_panels *panels, const dps_row_tile *tile,
                      float *z, size_t stride, int32_t features, void *scratch);

#endif
