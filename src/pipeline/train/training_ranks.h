/* What training over ranks (run->comm) refuses, and says of its balance. */
#ifndef DPS_TRAINING_RANKS_H
#define DPS_TRAINING_RANKS_H

#include "stage_cost.h"
#include "status.h"

/* How evenly ranks were at work: seconds of the stages, waiting included, and of the solver's sums
 * over rows, without; rows. */
enum { DPS_BALANCE_SUMS = DPS_STAGE_COUNT, DPS_BALANCE_ROWS, DPS_BALANCE_FIGURES };
typedef struct dps_balance {
    int ranks; /* 0: not over ranks */
    double least[DPS_BALANCE_FIGURES], most[DPS_BALANCE_FIGURES];
} dps_balance;

struct dps_training; /* training.h */

/* Which rows a rank owns: what the solver that will work on them wants, as far as it is known. */
void dps_ranks_choose_units(struct dps_training *t);
/* What cannot be done over ranks. Alone: nothing. */
DPS_MUST_USE dps_status dps_ranks_check_plan(struct dps_training *t, dps_error *err);
/* All: how evenly the ranks were at work, into the result. */
DPS_MUST_USE dps_status dps_ranks_balance(struct dps_training *t, dps_error *err);

#endif
