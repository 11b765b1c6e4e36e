/* What `dpsvm tune` found, for people and as JSON. */
#ifndef DPS_TUNE_REPORT_H
#define DPS_TUNE_REPORT_H

#include "tune.h"

/* The best settings, for people. */
void dps_tune_text(const dps_tune_result *result, dps_text *out);
DPS_MUST_USE dps_status dps_report_tune(const dps_tune_result *result, const dps_run *run,
                                        const char *path, dps_error *err);

/* "next: ..." a line for every option whose best value lies at the end of what was tried. */
void dps_tune_edges(const dps_tune_result *result, dps_text *out);

#endif
