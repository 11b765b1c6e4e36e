/* Classes or targets of parsed rows. */
#ifndef DPS_DATASET_LABELS_H
#define DPS_DATASET_LABELS_H

#include "dataset.h"
#include "raw_rows.h"

/* All: data->label and data->classes, of the rows of all ranks. shown: what to call the input. */
DPS_MUST_USE dps_status dps_dataset_find_classes(dps_dataset *data, const dps_raw_rows *raw,
                                                 const char *shown, const dps_run *run,
                                                 dps_error *err);
/* data->target, and data->label with 0. */
DPS_MUST_USE dps_status dps_dataset_find_targets(dps_dataset *data, const dps_raw_rows *raw,
                                                 dps_error *err);
/* data->label from the classes of a training; -1: none of them. */
DPS_MUST_USE dps_status dps_dataset_label_as(dps_dataset *data, const dps_raw_rows *raw,
                                             const dps_class_table *classes, dps_error *err);

#endif
