/* The ending for few rows: min P(w) in coordinates of the rows, in double throughout, where sums in
 * float or steps row by row do not reach the tolerance. */
#ifndef DPS_INTERIOR_H
#define DPS_INTERIOR_H

#include "solver.h"

/* Whether this method ends what another solver leaves above the tolerance: few enough rows, of all
 * ranks, and nobody who may end the work before. */
bool dps_interior_ends(const dps_problem *problem, const dps_solver_settings *settings);
/* Bytes of dps_interior_finish, and of dps_interior_solve alone; 0: too many rows. */
size_t dps_interior_bytes(const dps_problem *problem, int threads);
size_t dps_interior_model_bytes(const dps_problem *problem);

/* Model k from the inner products of all rows: alpha (one of each row, `stride` doubles apart, 0
 * for rows of weight 0), feasible, of the least duality gap that was reached. Steps are added to
 * *steps. */
DPS_MUST_USE dps_status dps_interior_solve(const dps_problem *problem, int32_t k,
                                           const double *gram, double tolerance, const dps_run *run,
                                           double *alpha, size_t stride, int64_t *steps,
                                           dps_error *err);

/* Solves all models afresh and takes over w and certificate of each that has a smaller gap than the
 * solution's; judges the solution and shows it to the observer. All ranks. */
DPS_MUST_USE dps_status dps_interior_finish(const dps_problem *problem,
                                            const dps_solver_settings *settings, const dps_run *run,
                                            dps_solution *solution, dps_error *err);

#endif
