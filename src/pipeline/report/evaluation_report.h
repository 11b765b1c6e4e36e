/* What `dpsvm evaluate` found, for people and as JSON. */
#ifndef DPS_EVALUATION_REPORT_H
#define DPS_EVALUATION_REPORT_H

#include "evaluate.h"
#include "importance.h"
#include "text.h"

/* The result for people. */
void dps_evaluation_text(const dps_evaluation *evaluation, dps_text *out);
DPS_MUST_USE dps_status dps_report_evaluation(const dps_evaluation *evaluation,
                                              const dps_importance *importance, const dps_run *run,
                                              const char *path, dps_error *err);

/* A line a column, of the largest drop first. */
void dps_importance_text(const dps_importance *importance, dps_text *out);

#endif
