/* A study of maps as a table, as CSV and as JSON. */
#ifndef DPS_KERNEL_STUDY_REPORT_H
#define DPS_KERNEL_STUDY_REPORT_H

#include "kernel_study.h"
#include "text.h"

/* For people; a line a map and D; everything. */
void dps_study_table(const dps_study *study, dps_text *out);
void dps_study_csv(const dps_study *study, dps_text *out);
void dps_study_json(const dps_study *study, const dps_run *run, dps_text *out);

#endif
