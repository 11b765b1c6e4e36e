/* After a training: what a person might try next. */
#ifndef DPS_TRAINING_ADVICE_H
#define DPS_TRAINING_ADVICE_H

#include "options.h"
#include "train.h"

/* Fills result->advice from the figures of the result: at most DPS_MOST_ADVICE sentences, the most
 * important first. A function of data and options. */
void dps_training_advise(const dps_options *options, dps_train_result *result);

#endif
