/* Random features of compressed rows that are too wide to be made dense: the bits of
 * dps_sign_project and dps_real_project on the same rows (orders of summation in projection.h and
 * docs/algorithms.md, equations 14 and 15). Arguments as there. */
#ifndef DPS_SPARSE_PROJECT_H
#define DPS_SPARSE_PROJECT_H

#include "projection.h"

void dps_sparse_sign_project(dps_simd simd, const dps_sign_panels *panels, const dps_row_tile *tile,
                             float *z, size_t stride, int32_t features);

size_t dps_sparse_real_scratch_bytes(int32_t columns);
void dps_sparse_real_project(dps_simd simd, const dps_real_panels *panels, const dps_row_tile *tile,
                             float *z, size_t stride, int32_t features, void *scratch);

/* Variants: one body, compiled for each instruction set. */
void dps_sparse_sign_project_portable(const dps_sign_panels *panels, const dps_row_tile *tile,
                                      float *z, size_t stride, int32_t features);
#if defined(__x86_64__)
void dps_sparse_sign_project_avx2(const dps_sign_panels *panels, const dps_row_tile *tile, float *z,
                                  size_t stride, int32_t features);
void dps_sparse_sign_project_avx512(const dps_sign_panels *panels, const dps_row_tile *tile,
                                    float *z, size_t stride, int32_t features);
#endif

#endif
