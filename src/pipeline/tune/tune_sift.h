/* The settings of a search that are worth measuring. */
#ifndef DPS_TUNE_SIFT_H
#define DPS_TUNE_SIFT_H

#include "run.h"
#include "tune_space.h"

/* Marks settings whose options do not go together, and those that differ from an earlier one in
 * options without effect only; says how many, and of each reason one. *first: the first that is to
 * be measured. DPS_ERROR_CONFIG, with the reason of the first setting: there is none. */
DPS_MUST_USE dps_status dps_tune_sift(dps_tune_space *space, const dps_run *run,
                                      const dps_tune_point **first, dps_error *err);

#endif
