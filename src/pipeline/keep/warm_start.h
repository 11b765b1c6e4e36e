/* solver.warm_start: training goes on from a model's weights, on new rows or the same. */
#ifndef DPS_WARM_START_H
#define DPS_WARM_START_H

#include "dataset.h"
#include "model.h"
#include "settings.h"

typedef struct dps_warm_start {
    dps_model model;
    const dps_options *options; /* the user's */
} dps_warm_start;

/* Reads the model of solver.warm_start; *warm = NULL without one. Borrows the options. */
DPS_MUST_USE dps_status dps_warm_start_new(dps_warm_start **warm, const dps_options *options,
                                           dps_error *err);
void dps_warm_start_free(dps_warm_start *warm); /* accepts NULL */

/* settings: read from the options and the model. What the options leave open of C becomes the
 * model's; rows are read by its columns and scaling. Refuses options that say otherwise of these or
 * of the map, naming them, and solver.type = dcd. */
DPS_MUST_USE dps_status dps_warm_start_settings(const dps_warm_start *warm, dps_settings *settings,
                                                dps_error *err);
/* Of the weights and what else the model settles, for checkpoints: their options say only where the
 * model lies. */
uint64_t dps_warm_start_fingerprint(const dps_warm_start *warm);
/* Rows that were loaded so: their classes become the model's; a class it does not have is
 * refused. Radii grow to hold the rows of both trainings. */
DPS_MUST_USE dps_status dps_warm_start_data(dps_warm_start *warm, dps_dataset *data,
                                            dps_error *err);
/* The model's weights into a solution of zeros; stride: of the solver's tiles. */
DPS_MUST_USE dps_status dps_warm_start_weights(const dps_warm_start *warm, int32_t width,
                                               size_t stride, const dps_run *run,
                                               dps_solution *solution, dps_error *err);

#endif
