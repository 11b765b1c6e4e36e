/* `solver.C = auto`: C by cross-validation along a path of values. */
#ifndef DPS_CHOOSE_C_H
#define DPS_CHOOSE_C_H

#include "cross_validation.h"
#include "ladder.h"

/* cv->problem: the training problem. Logs the table. search: of ascending C, to be released. */
DPS_MUST_USE dps_status dps_choose_c(const dps_cross_validation *cv, const dps_run *run,
                                     dps_ladder *search, double *C, dps_error *err);

#endif
