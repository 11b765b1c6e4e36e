/* Looking on while the solver works: the learning curve, and early stopping on data.validation. */
#ifndef DPS_TRAINING_WATCH_H
#define DPS_TRAINING_WATCH_H

#include "observer.h"
#include "training.h"

typedef struct dps_watch dps_watch;

/* *watch = NULL where no option asks for one (output.curve, output.plot,
 * solver.early_stopping). After dps_training_features and dps_solution_init; t outlives it. A file
 * of data.validation is read here and kept in memory. */
DPS_MUST_USE dps_status dps_watch_new(dps_watch **watch, dps_training *t, dps_error *err);
/* For dps_solver_settings; of NULL it is NULL. */
const dps_pass_observer *dps_watch_observer(const dps_watch *watch);
/* After a solve: with early stopping the solution becomes the best iterate seen, certified anew;
 * the curve says which. */
DPS_MUST_USE dps_status dps_watch_finish(dps_watch *watch, dps_training *t, dps_error *err);
void dps_watch_free(dps_watch *watch);

#endif
