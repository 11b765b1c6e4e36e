/* What training over ranks (run->comm) refuses, and says of its balance. */
#ifndef DPS_TRAINING_RANKS_H
#define DPS_TRAINING_RANKS_H

#include "training.h"

/* Which rows a rank owns: what the solver that will work on them wants, as far as it is known. */
void dps_ranks_choose_units(dps_training *t);
/* What cannot be done over ranks. Alone: nothing. */
DPS_MUST_USE dps_status dps_ranks_check_plan(dps_training *t, dps_error *err);
/* All: how evenly the ranks were at work, into the result. */
DPS_MUST_USE dps_status dps_ranks_balance(dps_training *t, dps_error *err);

#endif
