/* Degree-1 features in fewer columns with the same inner products (docs/algorithms.md, equation
 * 12). */
#ifndef DPS_COLLAPSE_H
#define DPS_COLLAPSE_H

#include <stddef.h>
#include <stdint.h>
#include "run.h"

/* S (count x d): the sign vectors (feature[i], factor 0). factor: rank x d, row-major, with
 * factor^T factor = S^T S; owned by the caller (dps_free). DPS_ERROR_MEMORY against run->memory. */
DPS_MUST_USE dps_status dps_collapse_linear(uint64_t seed, const int32_t *feature, int32_t count,
                                            int32_t columns, const dps_run *run, double **factor,
                                            int32_t *rank, dps_error *err);

#endif
