/* `solver.probability = on`: functions from decision values to probabilities. */
#ifndef DPS_CHOOSE_PROBABILITY_H
#define DPS_CHOOSE_PROBABILITY_H

#include "model.h"
#include "settings.h"

/* Sigmoids or isotonic functions on decision values of rows that did not train them, into the
 * model. problem->C counts. */
DPS_MUST_USE dps_status dps_select_probabilities(const dps_settings *settings,
                                                 const dps_options *options,
                                                 const dps_problem *problem, const dps_run *run,
                                                 dps_model *model, dps_error *err);

#endif
