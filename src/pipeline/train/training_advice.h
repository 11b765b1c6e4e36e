/* After a training: what a person might try next. */
#ifndef DPS_TRAINING_ADVICE_H
#define DPS_TRAINING_ADVICE_H

#include "options.h"

enum { DPS_MOST_ADVICE = 3, DPS_ADVICE_LENGTH = 320 };

/* What to try next, the most important first. */
typedef struct dps_advice {
    int32_t count;
    char text[DPS_MOST_ADVICE][DPS_ADVICE_LENGTH];
} dps_advice;

struct dps_train_result; /* train.h */

/* Fills result->advice from the figures of the result. A function of data and options. */
void dps_training_advise(const dps_options *options, struct dps_train_result *result);

#endif
