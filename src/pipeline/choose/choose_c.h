/* `solver.C = auto`: C by cross-validation along a path of values. */
#ifndef DPS_CHOOSE_C_H
#define DPS_CHOOSE_C_H

#include "cross_validation.h"

#define DPS_C_MOST 16 /* values tried */

typedef struct dps_c_candidate {
    double C;
    dps_spread spread;
    double *score; /* a record of score_spread.h */
    bool best, chosen;
} dps_c_candidate;

typedef struct dps_c_search {
    dps_metric metric;
    int32_t folds;
    int32_t count;                         /* 0: C was not searched */
    dps_c_candidate candidate[DPS_C_MOST]; /* ascending C */
    double C;                              /* chosen */
    double seconds;
} dps_c_search;

/* cv->problem: the training problem. Logs the table. */
DPS_MUST_USE dps_status dps_choose_c(const dps_cross_validation *cv, const dps_run *run,
                                     dps_c_search *search, dps_error *err);
void dps_c_search_release(dps_c_search *search);

#endif
