/* The error of a map, of one seed or several, on sampled rows. */
#ifndef DPS_STUDY_MAP_H
#define DPS_STUDY_MAP_H

#include "kernel_study.h"
#include "study_rows.h"

/* Maps of this recipe at its seed and the runs - 1 that follow, against rows->kernel: fills width,
 * seconds, errors and what is said of zeros. columns: of the rows. */
DPS_MUST_USE dps_status dps_study_measure(const dps_study_rows *rows, const dps_map_recipe *recipe,
                                          int32_t columns, int32_t runs, const dps_run *run,
                                          dps_study_point *point, dps_error *err);
/* What a point takes of a map's facts. */
void dps_study_point_facts(dps_study_point *point, const dps_map_facts *facts);

#endif
