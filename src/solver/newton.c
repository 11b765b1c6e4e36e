/* Task: min P(w) by Newton's method in the primal (Chapelle, Training a Support Vector Machine in
 * the Primal, 2007; Keerthi & DeCoste, A Modified Finite Newton Method, 2005).
 *
 *     g = w - C sum_i c_i slope(u_i) z_i,    H = I + stiffness C sum_i c_i bend(u_i) z_i z_i^T
 *     H p = -g (newton_direction.c),    w += t p
 *
 * Squared hinge, squared epsilon-insensitive: the objective is piecewise quadratic and the method
 * ends in a finite number of steps, about ten. Logistic: as many, each with a Hessian of all rows
 * (Lin, Weng & Keerthi 2008). Hinge, epsilon-insensitive: smoothed by h (loss.c), h = 1 (in units
 * of the mean |target|) first and a fourth of it each time that what the minimisation has left
 * (|g|^2 / 2) is less than what the smoothing costs; warm-started; the multipliers of the smoothed
 * loss certify the gap of the loss itself at every h.
 *
 * Warm start: where rows are many, 1/16 and then 1/4 of the tiles (every 16th, every 4th, so that
 * files sorted by class work) are solved first, to a loose gap; the Hessian's rows are kept from
 * level to level.
 *
 * Over ranks the rows are shared, and every rank has w, g and the Hessians; the models of a batch
 * are dealt to the ranks for the Cholesky, and p is sent to all: whatever processors there are, all
 * go on from the same bits. Decisions depend on sums and counts of all ranks only.
 *
 * Cost of a step: |changed rows| D'^2 (float SYRK) + D'^3 / 3 (Cholesky) + 4 n D' (two passes).
 * Memory: two D' x D' matrices a model, and one a thread. Why Cholesky and not CG: at D' of a few
 * thousand a factorisation costs less than the passes that CG would need at large C. */
#include <math.h>
#include <string.h>

#include "certificate.h"
#include "comm.h"
#include "interior.h"
#include "newton_direction.h"
#include "newton_joint.h"
#include "newton_workspace.h"
#include "tile_fetch.h"
#include "tile_kernels.h"

#define WARM_GAP       0.03 /* gap that ends a level before the last */
#define LEVEL_ROWS     8    /* rows per column that a level before the last must have */
#define LEVEL_STEPS    20
#define FEW_ROWS_STEPS 60

static dps_status newton_check(const dps_problem *problem, dps_error *err)
{
    if (problem->source->sparse_columns > 0) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "solver.type = newton needs a dense Hessian, which %d sparse columns "
                             "do not allow: use solver.type = auto or dcd",
                             problem->source->sparse_columns);
    }
    if (problem->source->width > 30000) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "solver.type = newton: a Hessian of order %d is beyond 30000: use "
                             "solver.type = auto or dcd, or lower map.features",
                             problem->source->width);
    }
    return DPS_OK;
}

/* ---------------------------------------------------------------- rounds */

/* Ends a model. At the floor of the arithmetic the last steps may have made the gap worse: back to
 * the best. */
static void finish(const dps_newton_batch *batch, dps_newton_model *m, dps_outcome outcome)
{
    m->live = m->moving = false;
    m->outcome = outcome;
    if (outcome == DPS_NUMERICAL_FLOOR) {
        memcpy(m->w, m->best_w, batch->length * sizeof *m->w);
        m->h = m->best_h;
    }
}

static void note_progress(const dps_newton_batch *batch, dps_newton_model *m)
{
    m->rounds_without_gain++;
    if (m->gap < 0.5 * m->best_gap || m->primal < (1.0 - 1e-6) * m->gained_primal) {
        m->rounds_without_gain = 0;
        m->gained_primal = fmin(m->gained_primal, m->primal);
    }
    if (m->gap < m->best_gap) {
        m->best_gap = m->gap;
        m->best_h = m->h;
        memcpy(m->best_w, m->w, batch->length * sizeof *m->w);
    }
}

/* What to do at w: end, smooth less, or step. */
static void decide(const dps_newton_batch *batch, dps_newton_model *m, double unit,
                   double tolerance, int64_t max_steps)
{
    /* Rounds without a gain: PATIENCE where the arithmetic is exhausted, GIVE_UP anyway
     * (at a C so large that float sums of the Hessian point nowhere, decrements stay large for
     * ever). */
    enum { PATIENCE = 3, GIVE_UP = 100 };
    const bool exhausted = m->decrement <= 1e-13 * m->primal;
    /* few rows: what is left is the interior point method's */
    const bool enough = m->steps >= FEW_ROWS_STEPS && batch->few;
    const double left = m->gap * m->primal - m->smoothing_part;
    m->moving = false;
    note_progress(batch, m);
    if (m->gap <= tolerance) {
        finish(batch, m, DPS_CONVERGED);
    } else if (m->steps >= max_steps) {
        finish(batch, m, DPS_ITERATION_LIMIT);
    } else if (m->rounds_without_gain >= (exhausted ? PATIENCE : GIVE_UP) || enough) {
        finish(batch, m, DPS_NUMERICAL_FLOOR);
    } else if (!batch->problem->loss->smooth && left < m->smoothing_part && m->h > 1e-12 * unit) {
        m->h *= 0.25;
        m->fresh = false;
        m->rounds_without_gain = 0;
    } else {
        m->moving = true;
    }
}

/* Of the moving models; those without one are finished. */
static void find_directions(dps_newton_workspace *ws)
{
    dps_newton_find_directions(ws);
    for (int32_t j = 0; j < ws->batch.count; j++) {
        dps_newton_model *m = &ws->batch.model[j];
        if (m->moving && !m->has_direction) {
            finish(&ws->batch, m, DPS_NUMERICAL_FLOOR);
        }
    }
}

static dps_status take_steps(dps_newton_workspace *ws, dps_error *err)
{
    dps_newton_batch *batch = &ws->batch;
    find_directions(ws);
    dps_status status = dps_newton_scores(batch, true, err);
    for (int32_t j = 0; j < batch->count && status == DPS_OK; j++) {
        dps_newton_model *m = &batch->model[j];
        if (!m->moving) {
            continue;
        }
        double t;
        status = dps_newton_line(batch, m, &t, err);
        m->iterations++;
        m->steps++;
        if (status == DPS_OK && t == 0.0) {
            finish(batch, m, DPS_NUMERICAL_FLOOR);
        } else if (status == DPS_OK) {
            dps_axpy(batch->length, t, m->p, m->w);
            dps_axpy((size_t)batch->problem->source->rows, t, m->v, m->u);
        }
    }
    return status;
}

/* Returns the steps that the model with most of them has taken. */
static int64_t report(const dps_newton_batch *batch, double tolerance, int64_t max_steps)
{
    const int32_t models = dps_problem_models(batch->problem);
    double primal = 0.0, gap = 0.0;
    int64_t iteration = 0;
    for (int32_t j = 0; j < batch->count; j++) {
        const dps_newton_model *m = &batch->model[j];
        primal += m->primal;
        gap = fmax(gap, m->gap);
        iteration = m->iterations > iteration ? m->iterations : iteration;
    }
    dps_log_progress(batch->run, &(dps_progress){.stage = "newton",
                                                 .fraction = -1.0,
                                                 .iteration = iteration,
                                                 .objective = primal,
                                                 .gap = dps_gap_estimate(gap),
                                                 .target = tolerance,
                                                 .most = batch->level.every == 1 ? max_steps : 0,
                                                 .part = batch->model[0].k + 1,
                                                 .parts = models > batch->count ? models : 0});
    return iteration;
}

static bool any_moving(const dps_newton_batch *batch)
{
    for (int32_t j = 0; j < batch->count; j++) {
        if (batch->model[j].moving) {
            return true;
        }
    }
    return false;
}

/* Shows the weights after a step on all rows, and ends all models if the observer says so. */
static dps_status observe(dps_newton_workspace *ws, dps_error *err)
{
    const dps_solution *solution = ws->solution;
    dps_newton_batch *batch = &ws->batch;
    double primal = 0.0, gap = 0.0;
    bool stop = false;
    for (int32_t j = 0; j < batch->count; j++) {
        primal += batch->model[j].primal;
        gap = fmax(gap, batch->model[j].gap);
    }
    const dps_pass_report shown = {.solver = dps_solver_newton.name,
                                   .iteration = solution->iterations + ws->state.iteration,
                                   .objective = primal,
                                   .gap = dps_gap_estimate(gap),
                                   .row_visits = solution->row_visits + batch->row_visits};
    const dps_status status = dps_observe(ws->observer, solution, shown, &stop, err);
    for (int32_t j = 0; j < batch->count && stop; j++) {
        if (batch->model[j].live) {
            finish(batch, &batch->model[j], DPS_STOPPED_EARLY);
        }
    }
    return status;
}

static bool any_live(const dps_newton_batch *batch)
{
    for (int32_t j = 0; j < batch->count; j++) {
        if (batch->model[j].live) {
            return true;
        }
    }
    return false;
}

/* Places all models of the batch at the start of a level. */
static dps_status begin_level(dps_newton_workspace *ws, double tolerance, dps_error *err)
{
    dps_newton_batch *batch = &ws->batch;
    for (int32_t j = 0; j < batch->count; j++) {
        /* within the tolerance already */
        batch->model[j].live =
            !(ws->joined && ws->solution->certificate[batch->model[j].k].gap <= tolerance);
        batch->model[j].moving = false;
        batch->model[j].outcome = DPS_CONVERGED;
        batch->model[j].best_gap = INFINITY;
        batch->model[j].gained_primal = INFINITY;
        batch->model[j].rounds_without_gain = 0;
        batch->model[j].decrement = INFINITY;
        batch->model[j].steps = 0;
    }
    return dps_newton_scores(batch, false, err);
}

/* All models of the batch on the tiles of one level. */
static dps_status solve_level(dps_newton_workspace *ws, double tolerance, int64_t max_steps,
                              dps_error *err)
{
    dps_newton_batch *batch = &ws->batch;
    dps_status status = ws->resumed ? DPS_OK : begin_level(ws, tolerance, err);
    ws->resumed = false;
    while (status == DPS_OK && any_live(batch)) {
        if (dps_comm_any(batch->comm, dps_run_stopped(batch->run))) {
            return dps_stopped(err);
        }
        const bool stepped = any_moving(batch);
        status = dps_newton_derivatives(batch, err);
        for (int32_t j = 0; j < batch->count && status == DPS_OK; j++) {
            dps_newton_model *m = &batch->model[j];
            if (m->live) {
                status = dps_newton_measure(batch, m, err);
                decide(batch, m, ws->unit, tolerance, max_steps);
            }
        }
        if (status == DPS_OK) {
            ws->state.iteration = report(batch, tolerance, max_steps);
            status = stepped && batch->level.every == 1 ? observe(ws, err) : DPS_OK;
        }
        DPS_THEN(status, take_steps(ws, err));
        DPS_THEN(status, dps_state_offer(batch->run, &ws->state, err));
    }
    return status;
}

/* The level of every `every`-th tile; returns its rows on all ranks. */
static int64_t choose_level(const dps_problem *problem, int64_t every, dps_newton_level *level)
{
    const dps_tile_source *source = problem->source;
    const int64_t all = dps_tiles_rows(source), tiles = dps_tile_count(all);
    const int64_t first = dps_tile_count(source->first_row);
    const int64_t end = first + dps_tile_count(source->rows);
    int64_t rows = 0;
    for (int64_t t = 0; t < tiles; t += every) {
        rows += all - t * DPS_TILE_ROWS < DPS_TILE_ROWS ? all - t * DPS_TILE_ROWS : DPS_TILE_ROWS;
    }
    *level = (dps_newton_level){.every = every,
                                .first = (first + every - 1) / every,
                                .all_tiles = (tiles + every - 1) / every,
                                .C = problem->C * ((double)all / (double)rows)};
    level->tiles = (end + every - 1) / every - level->first;
    level->offset = level->first * every - first;
    return rows;
}

/* Every 16th, every 4th and all tiles, as far as a level has eight times as many rows as columns:
 * with fewer its optimum says little about that of all rows. */
static dps_status solve_batch(dps_newton_workspace *ws, const dps_solver_settings *settings,
                              dps_error *err)
{
    dps_newton_batch *batch = &ws->batch;
    const dps_tile_source *source = batch->problem->source;
    for (int64_t every = ws->resumed ? batch->level.every : 16; every >= 1; every /= 4) {
        const int64_t rows = choose_level(batch->problem, every, &batch->level);
        if (every > 1 && (ws->warm || batch->level.all_tiles < 4 ||
                          rows < LEVEL_ROWS * (int64_t)source->width)) {
            continue;
        }
        DPS_TRY(every > 1 ? solve_level(ws, fmax(settings->tolerance, WARM_GAP), LEVEL_STEPS, err)
                          : solve_level(ws, settings->tolerance, settings->max_iterations, err));
    }
    return DPS_OK;
}

static void start_model(const dps_newton_workspace *ws, dps_newton_model *m, int32_t k, double *w)
{
    m->k = k;
    m->w = w;
    m->h = ws->unit;
    m->iterations = 0;
    m->refresh = true;
    m->exact = false;
    m->updates = 0;
    memset(m->p, 0, ws->batch.length * sizeof *m->p);
}

static bool all_zero(size_t n, const double *w)
{
    for (size_t l = 0; l < n; l++) {
        if (w[l] != 0.0) {
            return false;
        }
    }
    return true;
}

/* From a fresh pass at each model's last smoothing; at the best one where the steps ran out. */
static dps_status certify(dps_newton_workspace *ws, dps_solution *solution, dps_error *err)
{
    const dps_problem *problem = ws->batch.problem;
    const dps_run *run = ws->batch.run;
    const dps_dual_point point = {.kind = DPS_DUAL_FROM_PRIMAL, .smoothing = ws->smoothing};
    const bool cut =
        solution->outcome == DPS_ITERATION_LIMIT || solution->outcome == DPS_STOPPED_EARLY;
    if (cut && !problem->loss->smooth) {
        return dps_certify_primal(problem, solution->w, run, ws->scratch, ws->smoothing,
                                  solution->certificate, err);
    }
    return dps_certify(problem, solution->w, &point, NULL, 0, run, solution->certificate, err);
}

/* Batch after batch. */
static dps_status solve_batches(dps_newton_workspace *ws, const dps_solver_settings *settings,
                                dps_solution *solution, dps_error *err)
{
    dps_newton_batch *batch = &ws->batch;
    dps_status status = DPS_OK;
    for (; ws->first < solution->models && status == DPS_OK; ws->first += ws->models) {
        const int32_t left = solution->models - ws->first;
        batch->count = left < ws->models ? left : ws->models;
        for (int32_t j = 0; j < batch->count; j++) {
            const int32_t k = ws->first + j;
            double *w = solution->w + (size_t)k * solution->length;
            if (ws->resumed) {
                batch->model[j].k = k;
                batch->model[j].w = w;
            } else {
                start_model(ws, &batch->model[j], k, w);
            }
        }
        status = solve_batch(ws, settings, err);
        for (int32_t j = 0; j < batch->count && status == DPS_OK; j++) {
            const dps_newton_model *m = &batch->model[j];
            ws->smoothing[m->k] = m->h;
            ws->outcome = dps_worse_outcome(ws->outcome, m->outcome);
            ws->iterations = m->iterations > ws->iterations ? m->iterations : ws->iterations;
        }
    }
    batch->count = ws->models;
    return status;
}

static dps_status solve_alone(dps_newton_workspace *ws, const dps_problem *problem,
                              const dps_solver_settings *settings, const dps_run *run,
                              dps_solution *solution, dps_error *err)
{
    dps_status status = dps_newton_init(ws, problem, run, err);
    ws->batch.few = dps_interior_ends(problem, settings);
    if (status == DPS_OK) {
        ws->warm = !all_zero((size_t)solution->models * solution->length, solution->w);
        dps_newton_list_state(ws, solution);
        ws->resumed = dps_state_waits(run, dps_solver_newton.name);
        status = ws->resumed ? dps_state_load(run, &ws->state, err) : DPS_OK;
    }
    DPS_THEN(status, solve_batches(ws, settings, solution, err));
    solution->sum_seconds += ws->batch.sum_seconds;
    if (status == DPS_OK) {
        solution->outcome = ws->outcome;
        solution->iterations += ws->iterations;
        solution->row_visits += ws->batch.row_visits +
                                (double)dps_tiles_rows(problem->source) * (double)solution->models;
        status = certify(ws, solution, err);
    }
    return status;
}

/* Many classes begin together; newton goes on with those whose gap that leaves above the tolerance,
 * with the steps that are left. */
static dps_status newton_solve(const dps_problem *problem, const dps_solver_settings *settings,
                               const dps_run *run, dps_solution *solution, dps_error *err)
{
    dps_newton_workspace ws = {
        .outcome = DPS_CONVERGED, .observer = settings->observer, .solution = solution};
    dps_solver_settings left = *settings;
    solution->solver = &dps_solver_newton;
    if (dps_newton_joins(problem) && !dps_state_waits(run, dps_solver_newton.name) &&
        all_zero((size_t)solution->models * solution->length, solution->w)) {
        const int64_t before = solution->iterations;
        DPS_TRY(dps_comm_agree(dps_problem_comm(problem, run),
                               dps_newton_check_memory(problem, run, err), err));
        DPS_TRY(dps_newton_join(problem, settings, run, solution, &solution->outcome, err));
        ws.joined = true;
        left.max_iterations -= solution->iterations - before;
        if (solution->outcome != DPS_ITERATION_LIMIT || left.max_iterations <= 0) {
            return DPS_OK;
        }
    }
    const dps_status status = solve_alone(&ws, problem, &left, run, solution, err);
    dps_newton_release(&ws);
    return status;
}

const dps_solver dps_solver_newton = {.name = "newton",
                                      .pass = "step",
                                      .passes = "steps",
                                      .check = newton_check,
                                      .memory = dps_newton_memory,
                                      .solve = newton_solve};
