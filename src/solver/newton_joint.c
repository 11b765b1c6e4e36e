/* Task: newton_joint.h. Newton pays a Hessian and a factor a model and step; the joint solve shares
 * one factor until few rows of a model have a loss, and then works with those. Its sums are of
 * floats: what they leave above the tolerance is newton's, from these weights. Few columns have
 * cheap Hessians. */
#include "newton_joint.h"

#include <math.h>
#include <string.h>
#include "certificate.h"
#include "comm.h"
#include "joint.h"
#include "observer.h"
#include "tile_fetch.h"

enum { FEWEST_MODELS = 4, FEWEST_COLUMNS = 256, COLUMNS_A_MODEL = 3, MOST_STEPS = 100 };
static const double finest = 1e-5; /* gap that sums of floats reach */

bool dps_newton_joins(const dps_problem *problem)
{
    const int32_t models = dps_problem_models(problem);
    return problem->loss->smooth && problem->loss->piecewise && models >= FEWEST_MODELS &&
           problem->source->width >= FEWEST_COLUMNS &&
           COLUMNS_A_MODEL * models <= problem->source->width && dps_joint_takes(problem->source);
}

size_t dps_newton_joint_bytes(const dps_problem *problem, int threads)
{
    return dps_newton_joins(problem) ? dps_joint_bytes(problem, 1, threads) : 0;
}

typedef struct watch {
    const dps_solver_settings *settings;
    const dps_run *run;
    dps_solution *solution;
    double row_visits; /* of a step */
} watch;

static void take_weights(const dps_joint *joint, const dps_problem *problem, dps_solution *solution)
{
    for (int32_t k = 0; k < solution->models; k++) {
        memcpy(solution->w + (size_t)k * solution->length, dps_joint_weights(joint, 0, k),
               problem->source->stride * sizeof *solution->w);
    }
}

static dps_status after_step(void *context, const dps_joint *joint, const dps_joint_report *report,
                             bool *stop, dps_error *err)
{
    const watch *w = context;
    dps_log_progress(w->run, &(dps_progress){.stage = dps_solver_newton.name,
                                             .fraction = -1.0,
                                             .iteration = report->steps,
                                             .objective = report->primal,
                                             .gap = dps_gap_estimate(report->gap),
                                             .target = w->settings->tolerance,
                                             .most = w->settings->max_iterations});
    if (w->settings->observer == NULL) {
        return DPS_OK;
    }
    take_weights(joint, report->problem, w->solution);
    const dps_pass_report shown = {.solver = dps_solver_newton.name,
                                   .iteration = w->solution->iterations + report->steps,
                                   .objective = report->primal,
                                   .gap = dps_gap_estimate(report->gap),
                                   .row_visits = w->solution->row_visits +
                                                 (double)report->steps * w->row_visits};
    return dps_observe(w->settings->observer, w->solution, shown, stop, err);
}

static dps_status join(const dps_problem *problem, const dps_solver_settings *settings,
                       const dps_run *run, dps_solution *solution, dps_joint *joint, bool *stopped,
                       dps_error *err)
{
    const double rows = (double)dps_tiles_rows(problem->source) * solution->models;
    watch w = {settings, run, solution, 2 * rows};
    const int64_t most =
        settings->max_iterations < MOST_STEPS ? settings->max_iterations : MOST_STEPS;
    const dps_joint_end end = {.tolerance = fmax(0.9 * settings->tolerance, finest),
                               .steps = most,
                               .after_step = after_step,
                               .context = &w};
    const dps_dual_point point = {.kind = DPS_DUAL_FROM_PRIMAL};
    int64_t steps;
    DPS_TRY(dps_joint_solve(joint, problem->C, &end, run, &steps, stopped, err));
    take_weights(joint, problem, solution);
    solution->iterations += steps;
    solution->row_visits += (double)steps * w.row_visits + rows;
    return dps_certify(problem, solution->w, &point, NULL, 0, run, solution->certificate, err);
}

dps_status dps_newton_join(const dps_problem *problem, const dps_solver_settings *settings,
                           const dps_run *run, dps_solution *solution, dps_outcome *outcome,
                           dps_error *err)
{
    dps_joint *joint = NULL;
    bool stopped = false;
    dps_status status = dps_joint_new(&joint, problem, NULL, 1, run, err);
    DPS_THEN(status, join(problem, settings, run, solution, joint, &stopped, err));
    dps_joint_free(joint);
    *outcome = stopped ? DPS_STOPPED_EARLY : DPS_CONVERGED;
    for (int32_t k = 0; k < solution->models && status == DPS_OK && !stopped; k++) {
        if (!(solution->certificate[k].gap <= settings->tolerance)) {
            *outcome = DPS_ITERATION_LIMIT;
        }
    }
    return status;
}
