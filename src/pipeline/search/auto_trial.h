/* One setting of the search of kernel.type = auto, measured on the sample. */
#ifndef DPS_AUTO_TRIAL_H
#define DPS_AUTO_TRIAL_H

#include "auto_search.h"
#include "kernel_gram.h"
#include "trial_rows.h"

typedef struct dps_auto_bench {
    const dps_trial_base *base;
    const dps_trial_rows *sample;
    const size_t *bytes; /* of all samples */
    dps_run silent;
    int32_t folds;
    dps_metric metric;
    int moves; /* steps of the solves (ridge.h) */
    bool final;
    double **distances; /* by view, for an RBF by its kernel; NULL: rows are not few */
} dps_auto_bench;

/* The recipe of a trial on these rows; what it leaves open is as `base` asks. *typical: what
 * map.gamma = auto is, found on these rows where it is NAN and the map has one. */
DPS_MUST_USE dps_status dps_auto_trial_recipe(const dps_auto_trial *trial, double *typical,
                                              const dps_map_request *base,
                                              const dps_row_source *rows, double radius1,
                                              double radius2, bool dense, const dps_run *run,
                                              dps_map_recipe *recipe, dps_map_facts *facts,
                                              dps_error *err);
/* Fills what is measured, for one of `count` ascending values of C. A map that does not work
 * on these rows is no error: trial->works is false. What memory cannot hold is one. */
DPS_MUST_USE dps_status dps_auto_trial_run(const dps_auto_bench *bench, const double *C,
                                           int32_t count, dps_auto_trial *trial, dps_error *err);

/* Of two trials on one sample: mean and standard error of (loss of b - loss of a), row by row:
 * positive where a is better. For metrics that are no mean over rows the same of the folds' scores.
 */
dps_spread dps_auto_advantage(const dps_auto_search *search, const dps_auto_trial *a,
                              const dps_auto_trial *b);

#endif
