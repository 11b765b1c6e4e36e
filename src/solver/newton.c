/* Task: min P(w) by Newton's method in the primal (Chapelle, Training a Support Vector Machine in
 * the Primal, 2007; Keerthi & DeCoste, A Modified Finite Newton Method, 2005).
 *
 *     g = w - C sum_i c_i slope(u_i) z_i,    H = I + stiffness C sum_i c_i bend(u_i) z_i z_i^T
 *     H p = -g (Cholesky, DPOTRF),    w += t p
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
 * Cost of a step: |changed rows| D'^2 (float SYRK) + D'^3 / 3 (Cholesky, one thread a model) + 4 n
 * D' (two passes). Memory: two D' x D' matrices a model, and one a thread. Why Cholesky and not CG:
 * at D' of a few thousand a factorisation costs less than the passes that CG would need at large C.
 */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "blas.h"
#include "certificate.h"
#include "memory.h"
#include "newton_parts.h"
#include "state.h"
#include "tile_fetch.h"
#include "tile_kernels.h"

#define WARM_GAP    0.03 /* gap that ends a level before the last */
#define LEVEL_ROWS  8    /* rows per column that a level before the last must have */
#define LEVEL_STEPS 20
#define MOST_BATCH                                                                                 \
    16 /* models that share a pass over resident tiles: enough to share out the Cholesky */

typedef struct workspace {
    dps_newton_batch batch;
    double **matrix; /* per thread: order x order, for the factor */
    int32_t matrices;
    double unit;              /* of the smoothing: what h starts with */
    double *smoothing;        /* per model of the problem: its last h, for the certificate */
    dps_certificate *scratch; /* per model of the problem */

    dps_state state;
    bool resumed;        /* the batch in hand goes on from a saved round */
    int32_t models;      /* of a batch, the last may have fewer */
    int32_t first;       /* model of the batch in hand */
    bool warm;           /* weights were given */
    dps_outcome outcome; /* of the batches before */
    int64_t iterations;  /* of the batches before */
} workspace;

/* ---------------------------------------------------------------- memory */

static size_t model_bytes(const dps_problem *problem, int threads)
{
    const size_t length = dps_weight_length(problem->source);
    const size_t elements = dps_newton_derivative_elements(problem);
    const size_t rows = (size_t)dps_tile_count(problem->source->rows) * DPS_TILE_ROWS;
    const size_t pass =
        dps_newton_derivative_bytes(problem, 1) - dps_newton_derivative_bytes(problem, 0);
    const size_t partial = (elements * sizeof(double)) * ((size_t)threads + 8);
    return 3 * length * sizeof(double) + rows * (2 * sizeof(double) + 1) +
           2 * elements * sizeof(double) + partial + pass * (size_t)threads;
}

static size_t fixed_bytes(const dps_problem *problem, int threads)
{
    const size_t m = dps_round_up((size_t)problem->source->width, 8);
    return (size_t)threads * (m * m * sizeof(double) + dps_newton_derivative_bytes(problem, 0) +
                              dps_fetch_bytes(problem->source));
}

static size_t newton_memory(const dps_problem *problem, int threads)
{
    return fixed_bytes(problem, threads) + model_bytes(problem, threads);
}

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

/* Models that share a pass. Their number changes no bit of the result. */
static int32_t batch_size(const dps_problem *problem, const dps_run *run)
{
    const size_t each = model_bytes(problem, run->threads),
                 fixed = fixed_bytes(problem, run->threads);
    const int32_t models = dps_problem_models(problem);
    const size_t budget = run->memory / 2;
    const size_t fit = budget > fixed ? (budget - fixed) / each : 0;
    const int32_t most = problem->source->resident ? MOST_BATCH : models;
    int32_t batch = fit > (size_t)most ? most : (int32_t)fit;
    batch = batch < 1 ? 1 : batch;
    return batch < models ? batch : models;
}

static void release_workspace(workspace *ws)
{
    for (int32_t j = 0; ws->batch.model != NULL && j < ws->batch.count; j++) {
        dps_newton_model *m = &ws->batch.model[j];
        dps_free(m->p);
        dps_free(m->g);
        dps_free(m->best_w);
        dps_free(m->u);
        dps_free(m->v);
        dps_free(m->inside);
        dps_free(m->hessian);
    }
    for (int32_t i = 0; ws->matrix != NULL && i < ws->matrices; i++) {
        dps_free(ws->matrix[i]);
    }
    dps_free(ws->matrix);
    dps_free(ws->batch.model);
    dps_free(ws->batch.fetch);
    dps_free(ws->batch.sums);
    dps_free(ws->smoothing);
    dps_free(ws->scratch);
    dps_state_release(&ws->state);
}

static bool allocate_model(const dps_newton_batch *batch, dps_newton_model *m)
{
    const size_t rows = (size_t)dps_tile_count(batch->problem->source->rows) * DPS_TILE_ROWS;
    m->p = dps_alloc(batch->length, sizeof(double));
    m->g = dps_alloc(batch->length, sizeof(double));
    m->best_w = dps_alloc(batch->length, sizeof(double));
    m->u = dps_alloc(rows, sizeof(double));
    m->v = dps_alloc(rows, sizeof(double));
    m->inside = dps_alloc(rows, 1);
    m->hessian = dps_alloc(dps_packed_size((size_t)batch->problem->source->width), sizeof(double));
    return m->p != NULL && m->g != NULL && m->best_w != NULL && m->u != NULL && m->v != NULL &&
           m->inside != NULL && m->hessian != NULL;
}

/* Models of a batch: those of the batch that was saved, whatever memory says now. */
static dps_status choose_batch(workspace *ws, const dps_problem *problem, const dps_run *run,
                               dps_error *err)
{
    dps_state head = {.solver = "newton"};
    ws->models = batch_size(problem, run);
    if (!dps_state_waits(run, "newton")) {
        return DPS_OK;
    }
    DPS_STATE_ADD(&head, "batch_models", ws->models);
    dps_status status = dps_state_load(run, &head, err);
    dps_state_release(&head);
    if (status == DPS_OK && (ws->models < 1 || ws->models > dps_problem_models(problem))) {
        status = dps_error_set(err, DPS_ERROR_DATA, "a checkpoint with %ld models of %ld",
                               (long)ws->models, (long)dps_problem_models(problem));
    }
    const size_t need = fixed_bytes(problem, run->threads) +
                        (size_t)ws->models * model_bytes(problem, run->threads);
    if (status == DPS_OK && need > run->memory && ws->models > 1) {
        status = dps_error_set(err, DPS_ERROR_MEMORY,
                               "the checkpoint holds %ld models at once, which need %.3g GB, and "
                               "run.memory allows %.3g GB: raise run.memory",
                               (long)ws->models, (double)need * 1e-9, (double)run->memory * 1e-9);
    }
    return status;
}

static dps_status init_workspace(workspace *ws, const dps_problem *problem, const dps_run *run,
                                 dps_error *err)
{
    dps_newton_batch *batch = &ws->batch;
    const size_t threads = (size_t)run->threads,
                 m = dps_round_up((size_t)problem->source->width, 8);
    const size_t need = newton_memory(problem, run->threads);
    if (need > run->memory) {
        return dps_error_set(err, DPS_ERROR_MEMORY,
                             "the Hessian of %d columns needs %.3g GB, run.memory allows %.3g GB: "
                             "raise run.memory, lower map.features or use solver.type = dcd",
                             problem->source->width, (double)need * 1e-9,
                             (double)run->memory * 1e-9);
    }
    const dps_status status = choose_batch(ws, problem, run, err);
    if (status != DPS_OK) {
        return status;
    }
    ws->unit = dps_score_unit(problem);
    batch->problem = problem;
    batch->run = run;
    batch->order = m;
    batch->length = dps_weight_length(problem->source);
    batch->count = ws->models;
    batch->fetch_bytes = dps_fetch_bytes(problem->source);
    batch->model = dps_alloc((size_t)batch->count, sizeof *batch->model);
    batch->fetch = dps_alloc(threads, batch->fetch_bytes);
    batch->sums =
        dps_alloc((size_t)batch->count * dps_newton_derivative_elements(problem), sizeof(double));
    ws->smoothing = dps_alloc((size_t)dps_problem_models(problem), sizeof(double));
    ws->scratch = dps_alloc((size_t)dps_problem_models(problem), sizeof *ws->scratch);
    ws->matrices = run->threads < batch->count ? run->threads : batch->count;
    ws->matrix = dps_alloc((size_t)ws->matrices, sizeof *ws->matrix);
    bool good = batch->model != NULL && batch->fetch != NULL && batch->sums != NULL &&
                ws->smoothing != NULL && ws->scratch != NULL && ws->matrix != NULL;
    for (int32_t i = 0; good && i < ws->matrices; i++) {
        ws->matrix[i] = dps_alloc(m * m, sizeof(double));
        good = ws->matrix[i] != NULL;
    }
    for (int32_t j = 0; good && j < batch->count; j++) {
        good = allocate_model(batch, &batch->model[j]);
    }
    return good ? DPS_OK : dps_out_of_memory(err, need, 1, "the Newton solver");
}

/* ---------------------------------------------------------------- direction */

/* a = (1 + ridge) I + scale K in the lower triangle. */
static void assemble(const dps_newton_batch *batch, const double *packed, double scale,
                     double ridge, double *a)
{
    const size_t n = (size_t)batch->problem->source->width, m = batch->order;
    for (size_t i = 0; i < n; i++) {
        const double *from = packed + dps_packed_size(i);
        double *to = a + i * m;
        for (size_t l = 0; l <= i; l++) {
            to[l] = scale * from[l];
        }
        to[i] += 1.0 + ridge;
    }
}

static double largest_diagonal(const dps_newton_batch *batch, const double *packed)
{
    double largest = 0.0;
    for (size_t i = 0; i < (size_t)batch->problem->source->width; i++) {
        largest = fmax(largest, packed[dps_packed_size(i) + i]);
    }
    return largest;
}

/* p = -H^-1 g. Float sums may leave H indefinite where C is large: then a ridge is added, and the
 * Hessian is rebuilt in the next round. False: not even with a ridge. */
static bool find_direction(const dps_newton_batch *batch, dps_newton_model *m, double *a)
{
    enum { MOST_TRIES = 12 };
    const size_t n = (size_t)batch->problem->source->width;
    const double scale = batch->level.C * batch->problem->loss->stiffness(m->h);
    double ridge = 0.0;
    for (int i = 0; i < MOST_TRIES; i++) {
        assemble(batch, m->hessian, scale, ridge, a);
        if (dps_cholesky(n, a, batch->order)) {
            for (size_t l = 0; l < n; l++) {
                m->p[l] = -m->g[l];
            }
            dps_cholesky_solve(n, a, batch->order, m->p);
            m->decrement = -dps_dot(n, m->g, m->p);
            return true;
        }
        m->refresh = m->updates > 0;
        ridge = i == 0 ? 1e-7 * scale * largest_diagonal(batch, m->hessian) : 10.0 * ridge;
    }
    return false;
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
    const double left = m->gap * m->primal - m->smoothing_part;
    m->moving = false;
    note_progress(batch, m);
    if (m->gap <= tolerance) {
        finish(batch, m, DPS_CONVERGED);
    } else if (m->steps >= max_steps) {
        finish(batch, m, DPS_ITERATION_LIMIT);
    } else if (m->rounds_without_gain >= (exhausted ? PATIENCE : GIVE_UP)) {
        finish(batch, m, DPS_NUMERICAL_FLOOR);
    } else if (!batch->problem->loss->smooth && left < m->smoothing_part && m->h > 1e-12 * unit) {
        m->h *= 0.25;
        m->rounds_without_gain = 0;
    } else {
        m->moving = true;
    }
}

static dps_status take_steps(workspace *ws, dps_error *err)
{
    dps_newton_batch *batch = &ws->batch;
#pragma omp parallel for schedule(dynamic) num_threads(ws->matrices)
    for (int32_t j = 0; j < batch->count; j++) {
        dps_newton_model *m = &batch->model[j];
        if (m->moving && !find_direction(batch, m, ws->matrix[omp_get_thread_num()])) {
            finish(batch, m, DPS_NUMERICAL_FLOOR);
        }
    }
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
static int64_t report(const dps_newton_batch *batch, double tolerance)
{
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
                                                 .gap = gap,
                                                 .target = tolerance});
    return iteration;
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
static dps_status begin_level(workspace *ws, dps_error *err)
{
    dps_newton_batch *batch = &ws->batch;
    for (int32_t j = 0; j < batch->count; j++) {
        batch->model[j].live = true;
        batch->model[j].best_gap = INFINITY;
        batch->model[j].gained_primal = INFINITY;
        batch->model[j].rounds_without_gain = 0;
        batch->model[j].decrement = INFINITY;
        batch->model[j].steps = 0;
    }
    return dps_newton_scores(batch, false, err);
}

/* All models of the batch on the tiles of one level. */
static dps_status solve_level(workspace *ws, double tolerance, int64_t max_steps, dps_error *err)
{
    dps_newton_batch *batch = &ws->batch;
    dps_status status = ws->resumed ? DPS_OK : begin_level(ws, err);
    ws->resumed = false;
    while (status == DPS_OK && any_live(batch)) {
        if (dps_run_stopped(batch->run)) {
            return dps_stopped(err);
        }
        status = dps_newton_derivatives(batch, err);
        for (int32_t j = 0; j < batch->count && status == DPS_OK; j++) {
            dps_newton_model *m = &batch->model[j];
            if (m->live) {
                status = dps_newton_measure(batch, m, err);
                decide(batch, m, ws->unit, tolerance, max_steps);
            }
        }
        if (status == DPS_OK) {
            ws->state.iteration = report(batch, tolerance);
            status = take_steps(ws, err);
        }
        if (status == DPS_OK) {
            status = dps_state_offer(batch->run, &ws->state, err);
        }
    }
    return status;
}

/* Every 16th, every 4th and all tiles, as far as a level has eight times as many rows as columns:
 * with fewer its optimum says little about that of all rows. */
static dps_status solve_batch(workspace *ws, const dps_solver_settings *settings, dps_error *err)
{
    dps_newton_batch *batch = &ws->batch;
    const dps_tile_source *source = batch->problem->source;
    const int64_t tiles = dps_tile_count(source->rows);
    for (int64_t every = ws->resumed ? batch->level.every : 16; every >= 1; every /= 4) {
        dps_newton_level *level = &batch->level;
        level->every = every;
        level->tiles = (tiles + every - 1) / every;
        int64_t rows = 0;
        for (int64_t t = 0; t < tiles; t += every) {
            rows += dps_tile_height(batch->problem, t);
        }
        level->C = batch->problem->C * ((double)source->rows / (double)rows);
        if (every > 1 &&
            (ws->warm || level->tiles < 4 || rows < LEVEL_ROWS * (int64_t)source->width)) {
            continue;
        }
        const dps_status status =
            every > 1 ? solve_level(ws, fmax(settings->tolerance, WARM_GAP), LEVEL_STEPS, err)
                      : solve_level(ws, settings->tolerance, settings->max_iterations, err);
        if (status != DPS_OK) {
            return status;
        }
    }
    return DPS_OK;
}

static void start_model(const workspace *ws, dps_newton_model *m, int32_t k, double *w)
{
    m->k = k;
    m->w = w;
    m->h = ws->unit;
    m->iterations = 0;
    m->refresh = true;
    m->updates = 0;
    memset(m->p, 0, ws->batch.length * sizeof *m->p);
}

/* What a round leaves to the next. Scores u are kept up to date by additions and have other bits
 * than Z w made again. */
static void list_state(workspace *ws, dps_solution *solution)
{
    dps_state *state = &ws->state;
    const dps_problem *problem = ws->batch.problem;
    const size_t rows = (size_t)dps_tile_count(problem->source->rows) * DPS_TILE_ROWS;
    const size_t weights = ws->batch.length * sizeof(double);
    const size_t hessian = dps_packed_size((size_t)problem->source->width) * sizeof(double);
    state->solver = "newton";
    DPS_STATE_ADD(state, "batch_models", ws->models);
    DPS_STATE_ADD(state, "first_model", ws->first);
    DPS_STATE_ADD(state, "warm", ws->warm);
    DPS_STATE_ADD(state, "outcome_before", ws->outcome);
    DPS_STATE_ADD(state, "iterations_before", ws->iterations);
    DPS_STATE_ADD(state, "every", ws->batch.level.every);
    DPS_STATE_ADD(state, "row_visits_now", ws->batch.row_visits);
    dps_state_add(state, "smoothing", ws->smoothing, (size_t)solution->models * sizeof(double));
    dps_state_add_solution(state, solution);
    for (int32_t j = 0; j < ws->models; j++) {
        dps_newton_model *m = &ws->batch.model[j];
        DPS_STATE_ADD(state, "h", m->h);
        DPS_STATE_ADD(state, "live", m->live);
        DPS_STATE_ADD(state, "refresh", m->refresh);
        DPS_STATE_ADD(state, "updates", m->updates);
        DPS_STATE_ADD(state, "primal", m->primal);
        DPS_STATE_ADD(state, "gap", m->gap);
        DPS_STATE_ADD(state, "best_h", m->best_h);
        DPS_STATE_ADD(state, "best_gap", m->best_gap);
        DPS_STATE_ADD(state, "gained_primal", m->gained_primal);
        DPS_STATE_ADD(state, "decrement", m->decrement);
        DPS_STATE_ADD(state, "rounds_without_gain", m->rounds_without_gain);
        DPS_STATE_ADD(state, "iterations", m->iterations);
        DPS_STATE_ADD(state, "steps", m->steps);
        DPS_STATE_ADD(state, "outcome", m->outcome);
        dps_state_add(state, "best_w", m->best_w, weights);
        dps_state_add(state, "u", m->u, rows * sizeof(double));
        dps_state_add(state, "inside", m->inside, rows);
        dps_state_add(state, "hessian", m->hessian, hessian);
    }
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
static dps_status certify(workspace *ws, const dps_solver_settings *settings,
                          dps_solution *solution, dps_error *err)
{
    const dps_problem *problem = ws->batch.problem;
    const dps_run *run = ws->batch.run;
    const dps_dual_point point = {.kind = DPS_DUAL_FROM_PRIMAL, .smoothing = ws->smoothing};
    if (solution->outcome == DPS_ITERATION_LIMIT && !problem->loss->smooth) {
        return dps_certify_primal(problem, solution->w, run, ws->scratch, ws->smoothing,
                                  solution->certificate, err);
    }
    const dps_status status =
        dps_certify(problem, solution->w, &point, NULL, 0, run, solution->certificate, err);
    for (int32_t k = 0; k < solution->models && status == DPS_OK; k++) {
        /* P - dual as a difference rounds differently from the sum that was watched */
        if (solution->outcome == DPS_CONVERGED &&
            solution->certificate[k].gap > settings->tolerance) {
            solution->outcome = DPS_NUMERICAL_FLOOR;
        }
    }
    return status;
}

/* Batch after batch. */
static dps_status solve_batches(workspace *ws, const dps_solver_settings *settings,
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

static dps_status newton_solve(const dps_problem *problem, const dps_solver_settings *settings,
                               const dps_run *run, dps_solution *solution, dps_error *err)
{
    workspace ws = {.outcome = DPS_CONVERGED};
    dps_status status = init_workspace(&ws, problem, run, err);
    if (status == DPS_OK) {
        ws.warm = !all_zero((size_t)solution->models * solution->length, solution->w);
        list_state(&ws, solution);
        ws.resumed = dps_state_waits(run, "newton");
        status = ws.resumed ? dps_state_load(run, &ws.state, err) : DPS_OK;
    }
    if (status == DPS_OK) {
        status = solve_batches(&ws, settings, solution, err);
    }
    if (status == DPS_OK) {
        solution->solver = "newton";
        solution->outcome = ws.outcome;
        solution->iterations += ws.iterations;
        solution->row_visits +=
            ws.batch.row_visits + (double)problem->source->rows * (double)solution->models;
        status = certify(&ws, settings, solution, err);
    }
    release_workspace(&ws);
    return status;
}

const dps_solver dps_solver_newton = {
    .name = "newton", .check = newton_check, .memory = newton_memory, .solve = newton_solve};
