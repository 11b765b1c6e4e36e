/* The directions of a Newton step. */
#ifndef DPS_NEWTON_DIRECTION_H
#define DPS_NEWTON_DIRECTION_H

#include "newton_workspace.h"

/* p, decrement and has_direction of the moving models, from g and Hessian. All ranks. */
void dps_newton_find_directions(dps_newton_workspace *ws);

#endif
