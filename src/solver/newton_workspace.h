/* What the Newton solver holds: its memory, and the list of what a checkpoint must keep. */
#ifndef DPS_NEWTON_WORKSPACE_H
#define DPS_NEWTON_WORKSPACE_H

#include "certificate.h"
#include "newton_private.h"
#include "observer.h"

typedef struct dps_newton_workspace {
    const dps_pass_observer *observer; /* NULL: none; it sees all models: they are one batch */
    const dps_solution *solution;
    dps_newton_batch batch;
    double **matrix; /* per thread: order x order, and dps_cholesky_bytes */
    int32_t matrices;
    double unit;              /* of the smoothing: what h starts with */
    double *smoothing;        /* per model of the problem: its last h, for the certificate */
    dps_certificate *scratch; /* per model of the problem */

    dps_state state;
    bool resumed;        /* the batch in hand goes on from a saved round */
    int32_t models;      /* of a batch, the last may have fewer */
    int32_t first;       /* model of the batch in hand */
    bool warm;           /* weights were given */
    bool joined;         /* by the joint solve, with certificates */
    dps_outcome outcome; /* of the batches before */
    int64_t iterations;  /* of the batches before */
} dps_newton_workspace;

/* Bytes for one model at a time, or to begin with all at once (newton_joint.h) if that is more. */
size_t dps_newton_memory(const dps_problem *problem, int32_t shards, int32_t batch, int threads);
/* Refuses what run->memory does not hold. */
DPS_MUST_USE dps_status dps_newton_check_memory(const dps_problem *problem, const dps_run *run,
                                                dps_error *err);
/* `ws` is zero but for its outcome, observer and solution. Release it, whether this fails or not.
 */
DPS_MUST_USE dps_status dps_newton_init(dps_newton_workspace *ws, const dps_problem *problem,
                                        const dps_run *run, dps_error *err);
void dps_newton_release(dps_newton_workspace *ws);
/* What a round leaves to the next. Scores u are kept up to date by additions and have other bits
 * than Z w made again. */
void dps_newton_list_state(dps_newton_workspace *ws, dps_solution *solution);

#endif
