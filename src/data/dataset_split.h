/* Steps of loading a data set (dataset.c): rows held out, and rows to their ranks. */
#ifndef DPS_DATASET_SPLIT_H
#define DPS_DATASET_SPLIT_H

#include "dataset.h"
#include "raw_rows.h"

/* Sets the rows aside that options->hold_out chooses. */
DPS_MUST_USE dps_status dps_dataset_hold_out(const dps_load_options *options, const dps_run *run,
                                             dps_raw_rows *raw, dps_raw_rows *held,
                                             dps_dataset *data, dps_error *err);
/* From the ranks that have read rows to those that own them. */
DPS_MUST_USE dps_status dps_dataset_deal_rows(const dps_load_options *options, const dps_run *run,
                                              dps_raw_rows *raw, dps_raw_rows *held,
                                              dps_dataset *data, dps_error *err);

#endif
