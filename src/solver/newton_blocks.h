/* The sums of a Newton step by blocks of columns, for more threads than the sums have slots. */
#ifndef DPS_NEWTON_BLOCKS_H
#define DPS_NEWTON_BLOCKS_H

#include "newton_private.h"

/* Whether sums of so many slots leave threads without work that blocks would give them. */
bool dps_newton_prefers_blocks(dps_newton_batch *batch, int64_t slots);
/* g and Hessian of the live models, whose rows are marked: the bits of the ordered sum. */
DPS_MUST_USE dps_status dps_newton_blocks(dps_newton_batch *batch, int64_t slots, dps_error *err);

/* Gives back what it keeps for the next step. */
void dps_newton_blocks_release(dps_newton_batch *batch);

#endif
