/* Projections by fast Walsh-Hadamard transform (docs/algorithms.md, equations 21 and 22): blocks of
 * at most `size` features; a factor of a block is the transform of x with random signs, of which
 * the features that have that factor take the outputs in random order. */
#ifndef DPS_HADAMARD_H
#define DPS_HADAMARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "row_tile.h"
#include "run.h"

/* Units: features, or pairs of them (real and imaginary part). Blocks one after the other in every
 * array. */
typedef struct dps_hadamard_panels {
    int32_t columns; /* d */
    int32_t size;    /* dps_hadamard_size(d) */
    int32_t blocks;
    bool pairs;
    const int32_t *depth;  /* [block]: factors */
    const int32_t *units;  /* [block] */
    const int32_t *active; /* [block][factor]: the first so many units have it */
    const uint32_t *word;  /* [block][factor][part] dps_hadamard_words() each */
    const int32_t *pick;   /* [block][factor][active unit]: which output */
    const float *weight;   /* [block][unit] */
    const int32_t *column; /* [block][unit]: of z (pairs: of the real part, the other follows) */
    float input_scale_inverse;
} dps_hadamard_panels;

int32_t dps_hadamard_size(int32_t columns); /* power of two >= d, at least 16 */
size_t dps_hadamard_words(int32_t columns); /* sign words of one transform */
int32_t dps_hadamard_blocks(int32_t columns, int32_t units);
size_t dps_hadamard_scratch_bytes(int32_t columns, bool pairs);

/* The units' columns of z for the rows of a dense tile. */
void dps_hadamard_project(dps_simd simd, const dps_hadamard_panels *panels,
                          const dps_row_tile *tile, float *z, size_t stride, void *scratch);

/* Variants: one body (hadamard_body.h) over vectors of 1, 8 and 16 floats. */
void dps_hadamard_project_portable(const dps_hadamard_panels *panels, const dps_row_tile *tile,
                                   float *z, size_t stride, float *scratch);
void dps_hadamard_project_avx2(const dps_hadamard_panels *panels, const dps_row_tile *tile,
                               float *z, size_t stride, float *scratch);
void dps_hadamard_project_avx512(const dps_hadamard_panels *panels, const dps_row_tile *tile,
                                 float *z, size_t stride, float *scratch);

#endif
