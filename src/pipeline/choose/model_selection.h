/* Folds as the options ask for them, and C of solver.C = auto. */
#ifndef DPS_MODEL_SELECTION_H
#define DPS_MODEL_SELECTION_H

#include "choose_c.h"
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
/* Folds of rows as the settings ask for, into `fold`, after both checks. */
DPS_MUST_USE dps_status dps_selection_deal(const dps_settings *settings, const dps_options *options,
                                           const int32_t *label, int64_t rows, int32_t classes,
                                           int32_t *fold, dps_error *err);
/* All: folds of the problem's rows as the settings ask for, after that check. *fold: one number a
 * row of this rank, free with dps_free. */
DPS_MUST_USE dps_status dps_selection_folds(const dps_settings *settings,
                                            const dps_options *options, const dps_problem *problem,
                                            const dps_run *run, int32_t **fold, dps_error *err);
dps_cross_validation dps_selection_validation(const dps_settings *settings,
                                              const dps_problem *problem, const int32_t *fold);
DPS_MUST_USE dps_status dps_select_c(const dps_settings *settings, const dps_options *options,
                                     const dps_problem *problem, const dps_run *run,
                                     dps_ladder *search, double *C, dps_error *err);

#endif
