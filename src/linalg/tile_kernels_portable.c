/* Task: scores, norms and updates over the panel of a z-tile in plain C: the reference for the AVX
 * variants. Order of summation: tile_kernels.h. Cost: 2 flops a value of z; bound by reading z. */
#include "tile_kernels_variants.h"

/* Adds the lanes as a tree; spoils them. */
static double add_lanes(double lane[DPS_LANES])
{
    for (int half = DPS_LANES / 2; half > 0; half /= 2) {
        for (int l = 0; l < half; l++) {
            lane[l] += lane[l + half];
        }
    }
    return lane[0];
}

DPS_SCORES_VARIANT(dps_panel_scores_portable)
{
    const size_t columns = dps_panel_columns(tile);
    for (int32_t k = 0; k < count; k++) {
        const float *z = dps_listed_row(tile, list, k);
        double lane[DPS_LANES] = {0};
        for (size_t j = 0; j < columns; j += DPS_LANES) {
            for (size_t l = 0; l < DPS_LANES; l++) {
                lane[l] += (double)z[j + l] * w[j + l];
            }
        }
        u[k] = add_lanes(lane);
    }
}

DPS_ROWS_SCORES_VARIANT(dps_rows_scores_portable)
{
    (void)ahead;
    for (int32_t k = 0; k < count; k++) {
        const dps_z_tile row = {.rows = 1, .width = (int32_t)columns, .z = z[k]};
        dps_panel_scores_portable(&row, w, NULL, 1, u + k);
    }
}

DPS_NORMS_VARIANT(dps_panel_norms_portable)
{
    const size_t columns = dps_panel_columns(tile);
    for (int32_t k = 0; k < count; k++) {
        const float *z = dps_listed_row(tile, list, k);
        double lane[DPS_LANES] = {0};
        for (size_t j = 0; j < columns; j += DPS_LANES) {
            for (size_t l = 0; l < DPS_LANES; l++) {
                lane[l] += (double)z[j + l] * (double)z[j + l];
            }
        }
        s[k] = add_lanes(lane);
    }
}

DPS_ADD_VARIANT(dps_panel_add_portable)
{
    for (int32_t k = 0; k < count; k++) {
        const double factor = c[k];
        if (factor != 0.0) {
            const float *z = dps_listed_row(tile, list, k);
            for (size_t j = begin; j < end; j++) {
                w[j] += factor * (double)z[j];
            }
        }
    }
}

DPS_ROWS_ADD_VARIANT(dps_rows_add_portable)
{
    for (int32_t k = 0; k < count; k++) {
        for (size_t j = begin; j < end; j++) {
            w[j] += c[k] * (double)z[k][j];
        }
    }
}
