/* Whoever looks on while a solver works, and may end the work: early stopping on held-out rows. */
#ifndef DPS_OBSERVER_H
#define DPS_OBSERVER_H

#include "solver.h"
#include "state.h"

/* Where a solver stands after a pass (dcd), an epoch (sgd) or a Newton step. */
typedef struct dps_pass_report {
    const char *solver;
    int64_t iteration; /* of all solvers that took part; never falls, a solver may report the
                          weights it starts from */
    int32_t models;
    size_t length;
    const double *w;   /* models x length: what the solver would return if it ended now */
    double objective;  /* sum of P over the models; dcd: an estimate */
    double gap;        /* the largest, an estimate, at most 1; NAN: not known (sgd) */
    double row_visits; /* so far, as dps_solution counts them */
} dps_pass_report;

/* What an estimate of P - D, over P, says of the gap: alpha = 0 has D = 0, so it is never above 1.
 */
static inline double dps_gap_estimate(double gap)
{
    return gap > 1.0 ? 1.0 : gap;
}

/* Called between two passes from the thread that called dps_solve; newton: on all rows only, not
 * while it warms up on some. The same calls with the same bits for any number of threads. */
typedef struct dps_pass_observer {
    void *context;
    bool stops; /* it may end the work; an observer that only looks on changes no bit of it */
    /* *stop = true, where it stops: the solver certifies what was reported and ends with
     * DPS_STOPPED_EARLY. An error ends the solve. */
    dps_status (*after_pass)(void *context, const dps_pass_report *report, bool *stop,
                             dps_error *err);
    /* Adds what after_pass must find again when the work goes on from a checkpoint; always the same
     * parts. NULL: nothing. */
    void (*list_state)(void *context, dps_state *state);
} dps_pass_observer;

/* For solvers: shows the weights of the solution (report brings the rest). Without an observer:
 * *stop = false. */
DPS_MUST_USE dps_status dps_observe(const dps_pass_observer *observer, const dps_solution *solution,
                                    dps_pass_report report, bool *stop, dps_error *err);
void dps_observer_list_state(const dps_pass_observer *observer, dps_state *state);

#endif
