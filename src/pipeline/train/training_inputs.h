/* The files that are measured when a training is done, looked at before it. */
#ifndef DPS_TRAINING_INPUTS_H
#define DPS_TRAINING_INPUTS_H

#include "training.h"

/* Parses the first piece of data.test and of a data.validation file by the columns of the training
 * rows: what is wrong there is told before the work, not after it. Standard input and pipes, which
 * can be read once, are left alone. */
DPS_MUST_USE dps_status dps_training_try_inputs(dps_training *t, dps_error *err);

#endif
