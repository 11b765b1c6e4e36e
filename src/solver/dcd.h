/* dcd with the choice that `auto` makes. */
#ifndef DPS_DCD_H
#define DPS_DCD_H

#include "solver.h"

/* As dps_solver_dcd.solve; with may_stall it ends with DPS_STALLED as soon as the gap falls too
 * slowly to reach the tolerance within the iterations allowed or the work of a few Newton solves.
 */
DPS_MUST_USE dps_status dps_dcd_solve(const dps_problem *problem,
                                      const dps_solver_settings *settings, bool may_stall,
                                      const dps_run *run, dps_solution *solution, dps_error *err);

#endif
