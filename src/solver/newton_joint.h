/* How newton begins with many classes: all of them at once, by the joint solve (joint.h). */
#ifndef DPS_NEWTON_JOINT_H
#define DPS_NEWTON_JOINT_H

#include "solver.h"

/* Squared losses of at least four models on at least 256 columns, three times as many as models
 * (what the joint solve holds of the rows is then less than the rows). */
bool dps_newton_joins(const dps_problem *problem);
/* Into solution->w from 0, with its certificates; iterations and row_visits are added. *outcome:
 * converged where every gap is within the tolerance, stopped early where the observer said so; else
 * newton goes on. All. */
DPS_MUST_USE dps_status dps_newton_join(const dps_problem *problem,
                                        const dps_solver_settings *settings, const dps_run *run,
                                        dps_solution *solution, dps_outcome *outcome,
                                        dps_error *err);
size_t dps_newton_joint_bytes(const dps_problem *problem, int threads);

#endif
