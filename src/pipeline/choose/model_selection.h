/* What cross-validation decides while a model is trained: C of solver.C = auto, and the sigmoids of
 * solver.probability = on. */
#ifndef DPS_MODEL_SELECTION_H
#define DPS_MODEL_SELECTION_H

#include "choose_c.h"
#include "model.h"
#include "settings.h"

/* Refuses more folds than the rows allow and a metric that does not fit the classes. */
DPS_MUST_USE dps_status dps_selection_check(const dps_settings *settings,
                                            const dps_options *options, int32_t classes,
                                            int64_t rows, dps_error *err);
/* Refuses a metric that none of the held-out parts says anything of. fold NULL: all rows are one.
 */
DPS_MUST_USE dps_status dps_selection_measurable(dps_metric metric, const dps_options *options,
                                                 const int32_t *label, const int32_t *fold,
                                                 int32_t folds, int64_t rows, dps_error *err);
/* Says which classes have fewer rows than there are folds. */
void dps_selection_warn(const dps_settings *settings, const dps_class_table *classes,
                        const dps_run *run);
/* All: folds of the problem's rows as the settings ask for, after that check. *fold: one number a
 * row of this rank, free with dps_free. */
DPS_MUST_USE dps_status dps_selection_folds(const dps_settings *settings,
                                            const dps_options *options, const dps_problem *problem,
                                            const dps_run *run, int32_t **fold, dps_error *err);
DPS_MUST_USE dps_status dps_select_c(const dps_settings *settings, const dps_options *options,
                                     const dps_problem *problem, const dps_run *run,
                                     dps_c_search *search, dps_error *err);
/* Sigmoids or isotonic functions on decision values of rows that did not train them, into the
 * model. problem->C counts. */
DPS_MUST_USE dps_status dps_select_probabilities(const dps_settings *settings,
                                                 const dps_options *options,
                                                 const dps_problem *problem, const dps_run *run,
                                                 dps_model *model, dps_error *err);

#endif
