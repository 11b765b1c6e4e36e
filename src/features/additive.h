/* Scalar random maps of additive homogeneous kernels (docs/algorithms.md, equations 28 and 29): a
 * factor looks at one coordinate, by a cosine of its logarithm. */
#ifndef DPS_ADDITIVE_H
#define DPS_ADDITIVE_H

#include <stddef.h>
#include <stdint.h>
#include "row_tile.h"
#include "run.h"

/* [factor][feature]: coordinate, frequency and phase in turns. */
typedef struct dps_additive_panels {
    int32_t columns; /* d */
    int32_t degree;  /* factors */
    int32_t features;
    const int32_t *coordinate;
    const float *frequency, *phase;
    float amplitude; /* of a factor: sqrt(2 d), or sqrt(d) for pairs */
    float weight;
} dps_additive_panels;

size_t dps_additive_scratch_bytes(int32_t columns);

/* z[i][f] for the rows of a dense tile; coordinates below 0 count as 0. */
void dps_additive_project(dps_simd simd, const dps_additive_panels *panels,
                          const dps_row_tile *tile, float *z, size_t stride, void *scratch);

/* Variants: one body, compiled for each instruction set. */
void dps_additive_row_portable(const dps_additive_panels *panels, const float *root,
                               const float *logarithm, float *z);
void dps_additive_row_avx2(const dps_additive_panels *panels, const float *root,
                           const float *logarithm, float *z);
void dps_additive_row_avx512(const dps_additive_panels *panels, const float *root,
                             const float *logarithm, float *z);

#endif
