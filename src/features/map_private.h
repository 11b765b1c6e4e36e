/* What map_build.c makes and map.c applies. */
#ifndef DPS_MAP_PARTS_H
#define DPS_MAP_PARTS_H

#include "additive.h"
#include "exact.h"
#include "hadamard_map.h"
#include "map.h"
#include "map_layout.h"
#include "projection.h"

enum {
    DPS_DENSE_COLUMNS = 2048, /* widest compressed rows that are made dense */
    DPS_CRAFT_ROWS = 16,      /* so many at a time are mapped before they are mixed */
    DPS_DENSE_ROWS = 96       /* so many at a time */
};

struct dps_map {
    dps_map_layout layout;
    dps_exact exact;
    dps_map_type type;
    float input_inverse;
    float amplitude;
    bool pairs;           /* real and imaginary parts side by side */
    bool moves;           /* its projections may be changed (map_projections.h) */
    int32_t *first_panel; /* of each block */
    int32_t *degree;      /* per panel, as in projection.h */
    size_t *offset, *phase_offset;
    float *weight;
    uint32_t *word;
    float *frequency, *phase;
    int32_t *pick;             /* coordinates of additive blocks */
    dps_hadamard_map hadamard; /* all blocks of Hadamard projections */
    dps_hadamard_map mixing;   /* from the random columns to D of them, map.craft */
    /* Scratch of one thread: dense rows, then exact monomials, then the kernels' own, columns to be
     * mixed, and the mixing transform. */
    size_t exact_at, kernel_at, craft_at, mix_at, scratch_bytes;
};

/* Panels of DPS_PANEL columns; 0: the block has none. */
static inline int32_t dps_panel_count(const dps_block *block)
{
    const bool random = block->kind == DPS_BLOCK_SIGNS || block->kind == DPS_BLOCK_GAUSSIANS ||
                        dps_block_has_phases(block) || block->kind == DPS_BLOCK_LINEAR;
    return random ? (block->columns + DPS_PANEL - 1) / DPS_PANEL : 0;
}

#endif
