/* The rows that choose a map. */
#ifndef DPS_CHOOSE_MAP_SAMPLE_H
#define DPS_CHOOSE_MAP_SAMPLE_H

#include "training.h"

typedef struct dps_map_sample {
    dps_scaled_rows x;
    size_t bytes;
    int32_t *label;
    double *target;     /* NULL: none */
    double *row_weight; /* NULL: all 1 */
    dps_row_source rows;
    int32_t *fold;
} dps_map_sample;

/* All: about 4,096 rows at most, of every class its share and more of a rare one. *sample is zero;
 * to be released, whether this fails or not, at the place it was filled. */
DPS_MUST_USE dps_status dps_map_sample_take(dps_map_sample *sample, const dps_training *t,
                                            int32_t classes, dps_error *err);
void dps_map_sample_release(dps_map_sample *sample);

#endif
