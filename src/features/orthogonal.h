/* Orthogonal Gaussian frequencies (docs/algorithms.md, equation 26). */
#ifndef DPS_ORTHOGONAL_H
#define DPS_ORTHOGONAL_H

#include <stddef.h>
#include <stdint.h>

/* vector: columns x count doubles, vector k in column k (stride count), count <= columns; made
 * orthogonal one to the other, each with the length it had. work: 2 x count doubles. */
void dps_make_orthogonal(double *vector, int32_t columns, int32_t count, double *work);

#endif
