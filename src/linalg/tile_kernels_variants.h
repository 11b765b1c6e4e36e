/* The variants behind tile_kernels.h: same arguments, same bits. `scores` and `norms` give the
 * panel's sum only; only tile_kernels.c calls them. */
#ifndef DPS_TILE_KERNELS_VARIANTS_H
#define DPS_TILE_KERNELS_VARIANTS_H

#include "tile_kernels.h"

#define DPS_LANES 16

#define DPS_SCORES_VARIANT(name)                                                                   \
    void name(const dps_z_tile *tile, const double *w, const int32_t *list, int32_t count,         \
              double *u)
#define DPS_NORMS_VARIANT(name)                                                                    \
    void name(const dps_z_tile *tile, const int32_t *list, int32_t count, double *s)
#define DPS_ADD_VARIANT(name)                                                                      \
    void name(const dps_z_tile *tile, const int32_t *list, int32_t count, const double *c,         \
              size_t begin, size_t end, double *w)

#define DPS_ROWS_SCORES_VARIANT(name)                                                              \
    void name(size_t columns, const float *const *z, int32_t count, int32_t ahead,                 \
              const double *w, double *u)
#define DPS_ROWS_ADD_VARIANT(name)                                                                 \
    void name(const float *const *z, const double *c, int32_t count, size_t begin, size_t end,     \
              double *w)

DPS_SCORES_VARIANT(dps_panel_scores_portable);
DPS_SCORES_VARIANT(dps_panel_scores_avx2);
DPS_SCORES_VARIANT(dps_panel_scores_avx512);
DPS_NORMS_VARIANT(dps_panel_norms_portable);
DPS_NORMS_VARIANT(dps_panel_norms_avx2);
DPS_NORMS_VARIANT(dps_panel_norms_avx512);
DPS_ADD_VARIANT(dps_panel_add_portable);
DPS_ADD_VARIANT(dps_panel_add_avx2);
DPS_ADD_VARIANT(dps_panel_add_avx512);
DPS_ROWS_SCORES_VARIANT(dps_rows_scores_portable);
DPS_ROWS_SCORES_VARIANT(dps_rows_scores_avx2);
DPS_ROWS_SCORES_VARIANT(dps_rows_scores_avx512);
DPS_ROWS_ADD_VARIANT(dps_rows_add_portable);
DPS_ROWS_ADD_VARIANT(dps_rows_add_avx2);
DPS_ROWS_ADD_VARIANT(dps_rows_add_avx512);

static inline const float *dps_listed_row(const dps_z_tile *tile, const int32_t *list, int32_t k)
{
    return tile->z + (size_t)(list != NULL ? list[k] : k) * tile->stride;
}

/* Columns to sum over: the width up to the next whole group of lanes; the padding is 0. */
static inline size_t dps_panel_columns(const dps_z_tile *tile)
{
    return ((size_t)tile->width + DPS_LANES - 1) / DPS_LANES * DPS_LANES;
}

#endif
