/* Task: folds from the options, and what is refused of them. */
#include "model_selection.h"

#include <string.h>
#include "allocation.h"
#include "folds.h"
#include "hold_out.h"
#include "metric_value.h"

dps_status dps_selection_check(const dps_settings *settings, const dps_options *options,
                               int32_t classes, int64_t rows, dps_error *err)
{
    const dps_validation *v = &settings->validation;
    if (v->metric == DPS_METRIC_AUC && classes > 2) {
        return dps_options_error(options, DPS_OPT_tune_metric, err,
                                 "auc is for two classes, the data have %ld; use accuracy, f1 or "
                                 "log_loss",
                                 (long)classes);
    }
    if (rows < 2 * v->folds) {
        return dps_options_error(options, DPS_OPT_tune_folds, err,
                                 "%ld folds of %lld rows: a fold needs two rows or more",
                                 (long)v->folds, (long long)rows);
    }
    return DPS_OK;
}

dps_status dps_selection_measurable(dps_metric metric, const dps_options *options,
                                    const int32_t *label, const int32_t *fold, int32_t folds,
                                    int64_t rows, dps_error *err)
{
    for (int32_t f = 0; f < folds; f++) {
        if (dps_metric_applies(metric, label, fold, f, rows)) {
            return DPS_OK;
        }
    }
    return dps_options_error(options, DPS_OPT_tune_metric, err,
                             "%s needs held-out rows of two classes, and no held-out part has "
                             "them: use tune.folds in place of a held-out share, accuracy, or more "
                             "rows of the rare class",
                             dps_name_of(dps_metric_names, metric));
}

void dps_selection_warn(const dps_settings *settings, const dps_class_table *classes,
                        const dps_run *run)
{
    const dps_validation *v = &settings->validation;
    for (int32_t k = 0; k < classes->count && v->holdout == 0; k++) {
        if (classes->rows[k] < v->folds) {
            dps_log_text(run, DPS_WARNING,
                         "class %s has %lld rows, fewer than the %ld folds (tune.folds): folds "
                         "without it say nothing of it; means of f1, auc and log_loss are over "
                         "folds that hold two classes",
                         classes->text[k], (long long)classes->rows[k], (long)v->folds);
        }
    }
}

dps_status dps_selection_deal(const dps_settings *settings, const dps_options *options,
                              const int32_t *label, int64_t rows, int32_t classes, int32_t *fold,
                              dps_error *err)
{
    const dps_validation *v = &settings->validation;
    DPS_TRY(dps_selection_check(settings, options, classes, rows, err));
    DPS_TRY(v->holdout > 0 ? dps_holdout_make(label, rows, classes, v->holdout, v->seed, fold, err)
                           : dps_folds_make(label, rows, classes, v->folds, v->seed, fold, err));
    return dps_selection_measurable(v->metric, options, label, fold, v->folds, rows, err);
}

typedef struct asked {
    const dps_settings *settings;
    const dps_options *options;
} asked;

static dps_status deal(const void *context, const int32_t *label, int64_t rows, int32_t classes,
                       int32_t *fold, dps_error *err)
{
    const asked *a = context;
    return dps_selection_deal(a->settings, a->options, label, rows, classes, fold, err);
}

dps_status dps_selection_folds(const dps_settings *settings, const dps_options *options,
                               const dps_problem *problem, const dps_run *run, int32_t **fold,
                               dps_error *err)
{
    const dps_comm *comm = problem->source->total_rows > 0 ? run->comm : NULL;
    const asked a = {settings, options};
    return dps_choose_rows(comm, problem->label, problem->source->rows, problem->classes, deal, &a,
                           fold, err);
}

dps_cross_validation dps_selection_validation(const dps_settings *settings,
                                              const dps_problem *problem, const int32_t *fold)
{
    return (dps_cross_validation){.problem = problem,
                                  .solver = settings->solver,
                                  .settings = &settings->solver_settings,
                                  .fold = fold,
                                  .folds = settings->validation.folds,
                                  .metric = settings->validation.metric};
}

dps_status dps_select_c(const dps_settings *settings, const dps_options *options,
                        const dps_problem *problem, const dps_run *run, dps_ladder *search,
                        double *C, dps_error *err)
{
    int32_t *fold;
    DPS_TRY(dps_selection_folds(settings, options, problem, run, &fold, err));
    const dps_cross_validation cv = dps_selection_validation(settings, problem, fold);
    const dps_status status = dps_choose_c(&cv, run, search, C, err);
    dps_free(fold);
    return status;
}
