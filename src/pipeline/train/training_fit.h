/* How well a trained model does on rows in memory and on files. */
#ifndef DPS_TRAINING_FIT_H
#define DPS_TRAINING_FIT_H

#include "row_subset.h"
#include "training.h"

/* A trained model with its map and the solver's weights. */
typedef struct dps_candidate {
    const dps_model *model; /* its classes, number of models and bias */
    const dps_map *map;
    double *w; /* models x length, as a solver has them */
    size_t length;
} dps_candidate;
/* On rows that are mapped: `source` is of them. score: models x rows, in place of the candidate's
 * weights; NULL: those. One pass. fit->of_class is the caller's to free. */
DPS_MUST_USE dps_status dps_fit_tiles(const dps_candidate *candidate, const dps_labelled_rows *rows,
                                      const dps_tile_source *source, const double *score,
                                      const dps_run *run, dps_fit *fit, dps_error *err);
/* The same on rows that are mapped for this one pass. */
DPS_MUST_USE dps_status dps_fit_rows(const dps_candidate *candidate, const dps_labelled_rows *rows,
                                     const dps_run *run, dps_fit *fit, dps_error *err);
/* On data.validation and data.test, those that there are. All. */
DPS_MUST_USE dps_status dps_fit_held_out(const dps_training *t, const dps_candidate *candidate,
                                         dps_fits *fits, dps_error *err);
void dps_fits_release(dps_fits *fits);
/* Of the solved model into result->fit: on the training rows; on data.validation and data.test. */
DPS_MUST_USE dps_status dps_training_fit(dps_training *t, dps_error *err);
DPS_MUST_USE dps_status dps_training_held_out(dps_training *t, dps_error *err);

#endif
