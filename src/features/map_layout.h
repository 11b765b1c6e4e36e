/* Which columns a map has and what each block of them is, before anything is drawn but degrees: the
 * common ground of planning and building. */
#ifndef DPS_MAP_LAYOUT_H
#define DPS_MAP_LAYOUT_H

#include "degrees.h"
#include "exact.h"

/* Wider compressed rows pass through as they are instead of filling columns of the panel. */
#define DPS_SPARSE_COLUMNS 4096

typedef enum dps_block_kind {
    DPS_BLOCK_ZERO,      /* features of a degree that the kernel has not */
    DPS_BLOCK_CONSTANT,  /* degree 0 */
    DPS_BLOCK_SIGNS,     /* products of Rademacher projections */
    DPS_BLOCK_GAUSSIANS, /* products of Gaussian projections */
    DPS_BLOCK_AFFINE,    /* products of projections that move (map.refine) */
    DPS_BLOCK_HADAMARD,  /* products of projections from Walsh-Hadamard blocks */
    DPS_BLOCK_ADDITIVE,  /* products of scalar maps of additive kernels */
    DPS_BLOCK_COSINES,   /* products of random Fourier features */
    DPS_BLOCK_LINEAR     /* degree 1 collapsed: x times the factor of its Gram matrix */
} dps_block_kind;

/* Columns first .. first + columns - 1 of the random part, all of one degree. */
typedef struct dps_block {
    dps_block_kind kind;
    int32_t degree; /* number of factors */
    int32_t first, columns;
    int32_t feature_begin; /* its features: layout->feature[feature_begin ...]; -1: the rows */
    double weight;  /* all that multiplies the product: sqrt(a_n / q(n)) input_scale^n factor /
                       sqrt(D), or the value of a constant column */
    size_t pick_at; /* of DPS_BLOCK_ADDITIVE in the map's picks, frequencies and phases */
} dps_block;

/* Its projections have offsets. */
static inline bool dps_block_has_phases(const dps_block *block)
{
    return block->kind == DPS_BLOCK_COSINES || block->kind == DPS_BLOCK_AFFINE;
}

typedef struct dps_map_layout {
    int32_t columns; /* d */
    int32_t width;   /* D' */
    int32_t random;  /* columns of all blocks */
    int32_t rows_at; /* the rows themselves, through a metric, are those from here on */
    bool crafted;    /* they are mixed down to D columns (docs/algorithms.md, equation 30) */
    dps_exact_size exact;
    int32_t sparse_columns;
    double sparse_scale;
    int32_t block_count;
    dps_block *block;
    int32_t *feature; /* D drawn features by degree, descending, ties by number */
    int64_t degree_count[DPS_MAX_DEGREE + 1];
    double *linear_factor; /* of DPS_BLOCK_LINEAR: its columns x d; or NULL */
    size_t panels;         /* in all */
    size_t sign_words, frequencies, phases, picks;
    size_t hadamard_words; /* at most; 0: no Hadamard blocks */
    size_t map_bytes;      /* of the built map */
    double flops_per_row;
    bool empty; /* every column is zero, or there is none */
} dps_map_layout;

/* What does not fit run->memory is refused with the figures, and before degrees are merged what
 * does not have the columns of `expected` (a model's; NULL: nobody knows yet), as DPS_ERROR_DATA.
 */
DPS_MUST_USE dps_status dps_map_layout_init(dps_map_layout *layout, const dps_map_recipe *recipe,
                                            int32_t columns, const dps_map_widths *expected,
                                            const dps_run *run, dps_error *err);
void dps_map_layout_release(dps_map_layout *layout); /* accepts a zeroed struct */

#endif
