/* What is said of a model that was trained: its figures, its classes, and what to try next. */
#ifndef DPS_TRAINING_SUMMARY_H
#define DPS_TRAINING_SUMMARY_H

#include "train.h"

/* Accuracies, or errors of regression, beside those of guessing and of a linear model. */
void dps_say_accuracy(const dps_run *run, const dps_train_result *result);
/* A line a class: rows, precision, recall, F1; of many classes those that are found least. */
void dps_say_classes(const dps_run *run, const dps_class_table *classes, const dps_fits *fits);
/* Mean, deviation and ends over the seeds of the map, if there are several. */
void dps_say_seeds(const dps_run *run, const dps_seed_spread *seeds, bool regression);
void dps_say_advice(const dps_run *run, const dps_advice *advice);

#endif
