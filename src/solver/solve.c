/* Task: the table of solvers, the choice "auto", and the hand-over from a solver that stalls or
 * cannot go on.
 *
 * auto: a smooth loss, no sparse block and at most DPS_NEWTON_WIDTH columns -> newton (one
 * factorisation is cheaper than the passes dcd needs); otherwise dcd. A dcd that stalls hands its
 * weights to newton where newton can take the problem (LIBLINEAR's dual solver falls through to its
 * primal Newton in the same way). With few rows whatever ends above the tolerance for reasons of
 * its own, not for a limit that was set, is ended by the interior point method. All rules look at
 * the problem and the settings only, never at memory, threads or time. */
#include <string.h>

#include "dcd.h"
#include "interior.h"
#include "solver.h"
#include "state.h"

static const dps_solver *const solvers[] = {&dps_solver_dcd, &dps_solver_sgd, &dps_solver_newton};
const char *const dps_solver_names[] = {"auto", "dcd", "sgd", "newton", NULL};

const dps_solver *dps_solver_find(const char *name)
{
    unsigned k;
    const bool found = dps_name_find(dps_solver_names, name, strlen(name), &k);
    return found && k > 0 ? solvers[k - 1] : NULL; /* the first name is auto */
}

const dps_solver *dps_solver_choose(const dps_solver *asked, const dps_problem *problem)
{
    if (asked != NULL) {
        return asked;
    }
    const bool newton = problem->loss->smooth && problem->source->sparse_columns == 0 &&
                        problem->source->width <= DPS_NEWTON_WIDTH;
    return newton ? &dps_solver_newton : &dps_solver_dcd;
}

size_t dps_solver_bytes(const dps_solver *solver, const dps_problem *problem, int32_t shards,
                        int32_t batch, int threads)
{
    const size_t own = solver->memory(problem, shards, batch, threads);
    const size_t ending = dps_interior_bytes(problem, threads);
    return own > ending ? own : ending;
}

/* dcd, then newton from its weights if dcd stalls and newton can take over. */
static dps_status solve_with_hand_over(const dps_problem *problem,
                                       const dps_solver_settings *settings, const dps_run *run,
                                       dps_solution *solution, dps_error *err)
{
    const bool can_hand_over = dps_solver_newton.check(problem, NULL) == DPS_OK &&
                               problem->source->width <= DPS_NEWTON_WIDTH;
    const bool may_stall = can_hand_over || dps_interior_ends(problem, settings);
    dps_status status = DPS_OK;
    if (!dps_state_waits(run, dps_solver_newton.name)) { /* else dcd handed over already */
        status = dps_dcd_solve(problem, settings, may_stall, run, solution, err);
        if (status != DPS_OK || solution->outcome != DPS_STALLED || !can_hand_over) {
            return status;
        }
        dps_solution_find_worst(solution);
        dps_log_text(run, DPS_WARNING,
                     "dcd stalled at a gap of %.2g after %lld passes: newton takes over "
                     "(solver.type = newton starts with it)",
                     solution->worst.gap, (long long)solution->iterations);
    }
    status = dps_solver_newton.solve(problem, settings, run, solution, err);
    solution->solver = &dps_solver_dcd;
    dps_solution_ended_by(solution, &dps_solver_newton);
    return status;
}

/* An ending that the interior point method can better: neither a limit nor an observer set it. */
static bool ends_short(const dps_problem *problem, const dps_solver_settings *settings,
                       const dps_solution *solution)
{
    const dps_outcome end = solution->outcome;
    return (end == DPS_NUMERICAL_FLOOR || end == DPS_STALLED || end == DPS_SETTLED) &&
           !settings->leaves_ending && dps_interior_ends(problem, settings);
}

dps_status dps_solve(const dps_solver *asked, const dps_problem *problem,
                     const dps_solver_settings *settings, const dps_run *run,
                     dps_solution *solution, dps_error *err)
{
    const dps_solver *solver = dps_solver_choose(asked, problem);
    DPS_TRY(solver->check(problem, err));
    solution->first_solver = NULL;
    solution->iterations = 0;
    solution->row_visits = 0.0;
    if (asked == NULL && solver == &dps_solver_dcd) {
        DPS_TRY(solve_with_hand_over(problem, settings, run, solution, err));
    } else {
        DPS_TRY(solver->solve(problem, settings, run, solution, err));
    }
    dps_solution_judge(solution, settings->tolerance);
    if (ends_short(problem, settings, solution)) {
        dps_log_text(run, DPS_NORMAL,
                     "%s ended at a gap of %.2g: an interior point method in coordinates of the "
                     "rows takes over",
                     solution->solver->name, solution->worst.gap);
        DPS_TRY(dps_interior_finish(problem, settings, run, solution, err));
    }
    return DPS_OK;
}
