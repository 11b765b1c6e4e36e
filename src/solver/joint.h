/* Squared losses of all models, and of all folds, at once: nonlinear conjugate gradients, with one
 * factor for all of them.
 *
 *     min over w:  P(w) = |w|^2 / 2 + C sum_i c_i r_i^2,    r_i = u_i - t_i,  u_i = <w, z_i>,
 *
 * t_i the nearest point to u_i where the loss of row i is 0: the squared hinge's, the squared
 * epsilon-insensitive loss's, whatever problem->loss is. */
#ifndef DPS_JOINT_H
#define DPS_JOINT_H

#include "solver.h"

typedef struct dps_joint dps_joint;

typedef struct dps_joint_report {
    const dps_problem *problem;
    int64_t steps;
    double primal, gap; /* of all models; the largest */
} dps_joint_report;

/* Where it ends. */
typedef struct dps_joint_end {
    double tolerance; /* relative duality gap of every model; 0: after all steps */
    int64_t steps;
    /* Between two steps; *stop = true ends it. NULL: nobody looks on. */
    dps_status (*after_step)(void *context, const dps_joint *joint, const dps_joint_report *report,
                             bool *stop, dps_error *err);
    void *context;
} dps_joint_end;

enum { DPS_JOINT_COLUMNS = 4096 };
/* Dense tiles of at most so many columns. */
bool dps_joint_takes(const dps_tile_source *source);
/* Weights begin at 0. fold: of each row, which the models of that fold do not train on, < 0: all
 * do; NULL, folds 1: there are no folds. One fold: its rows train nothing. problem and fold must
 * outlive it. All. */
DPS_MUST_USE dps_status dps_joint_new(dps_joint **joint, const dps_problem *problem,
                                      const int32_t *fold, int32_t folds, const dps_run *run,
                                      dps_error *err);
/* Goes on from the weights it has. *steps: taken; *stopped: by after_step. The same bits for any
 * number of threads and ranks. All. */
DPS_MUST_USE dps_status dps_joint_solve(dps_joint *joint, double C, const dps_joint_end *end,
                                        const dps_run *run, int64_t *steps, bool *stopped,
                                        dps_error *err);
/* Squared losses (y - u)^2 of classes instead, by a joint that has solved nothing yet. One rank.
 */
DPS_MUST_USE dps_status dps_joint_squares(dps_joint *joint, double C, const dps_run *run,
                                          dps_error *err);
/* Of fold f and model k: P when it was last measured; weights, source->stride of them; and decision
 * values of this rank's rows, held-out ones included. */
double dps_joint_primal(const dps_joint *joint, int32_t f, int32_t k);
const double *dps_joint_weights(const dps_joint *joint, int32_t f, int32_t k);
const double *dps_joint_scores(const dps_joint *joint, int32_t f, int32_t k);
void dps_joint_free(dps_joint *joint); /* accepts NULL */
/* Bytes it takes besides the source. */
size_t dps_joint_bytes(const dps_problem *problem, int32_t folds, int threads);

#endif
