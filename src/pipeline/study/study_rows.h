/* Rows sampled for `dpsvm kernel` and the kernel's exact values on them. */
#ifndef DPS_STUDY_ROWS_H
#define DPS_STUDY_ROWS_H

#include "recipe.h"
#include "row_subset.h"

typedef struct dps_study_rows {
    dps_row_subset subset;
    dps_row_tile tile;       /* all of them */
    double *kernel;          /* rows x rows, lower triangle: K(x_i, x_j) */
    double *dot;             /* the same of <x_i, x_j> */
    double radius1, radius2; /* largest norms of x */
} dps_study_rows;

/* At most `rows` (<= DPS_TILE_ROWS) rows, by stream SAMPLE of `seed`. */
DPS_MUST_USE dps_status dps_study_rows_init(dps_study_rows *rows, const dps_dataset *data,
                                            int32_t count, uint64_t seed, dps_error *err);
/* Fills what follows the tile; where the recipe has a metric T, of the rows x T. A refined map's
 * projections have no kernel: recipe->moved is a metric, or NULL. */
DPS_MUST_USE dps_status dps_study_rows_kernel(dps_study_rows *rows, const dps_map_recipe *recipe,
                                              dps_error *err);
void dps_study_rows_release(dps_study_rows *rows);

#endif
