/* Columns that carry the degrees 0 .. exact_degree of the kernel without any error
 * (docs/algorithms.md, equation 10). */
#ifndef DPS_EXACT_H
#define DPS_EXACT_H

#include "recipe.h"

#define DPS_MAX_EXACT_DEGREE 64

typedef struct dps_exact {
    int32_t columns;       /* d */
    int32_t width;         /* columns written */
    bool constant, linear; /* degree 0, degree 1 are among them */
    float constant_value;  /* sqrt(a_0) factor */
    float linear_weight;   /* sqrt(a_1) factor */
    float input_inverse;   /* monomials are those of x times this */
    int32_t degree;        /* highest degree with a column, -1: none */
    /* By degree n = 2 .. degree: number of monomials, last coordinate of each (needed below the
     * highest degree), weight of each (NULL: a_n = 0, the degree is only a step to the next). */
    size_t count[DPS_MAX_EXACT_DEGREE + 1];
    int32_t *last[DPS_MAX_EXACT_DEGREE + 1];
    float *weight[DPS_MAX_EXACT_DEGREE + 1];
} dps_exact;

/* What the exact part would take, without allocating. DPS_ERROR_CONFIG when it is too wide. */
typedef struct dps_exact_size {
    int32_t degree; /* highest degree with a column, -1: none */
    size_t width;
    size_t bytes;
    double flops_per_row;
} dps_exact_size;
DPS_MUST_USE dps_status dps_exact_measure(dps_exact_size *size, const dps_map_recipe *recipe,
                                          int32_t columns, dps_error *err);

DPS_MUST_USE dps_status dps_exact_init(dps_exact *exact, const dps_map_recipe *recipe,
                                       int32_t columns, dps_error *err);
void dps_exact_release(dps_exact *exact); /* accepts a zeroed struct */

/* Floats of scratch for one row. */
size_t dps_exact_scratch(const dps_exact *exact);
/* z[0 .. width-1] of one dense row x (d floats). */
void dps_exact_row(const dps_exact *exact, const float *x, float *z, float *scratch);
/* Degree of column j < width. */
int32_t dps_exact_column_degree(const dps_exact *exact, int32_t j);

#endif
