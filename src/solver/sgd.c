/* Task: min P(w) by averaged stochastic gradient with implicit steps, rows visited as engine.c
 * says.
 *
 *     F(w) = P(w) / (C S) = lambda / 2 |w|^2 + 1/n sum_i r_i loss(m_i)
 *     S = sum c_i,   lambda = 1 / (C S),   r_i = c_i n / S
 *
 * A step at row i with size eta solves the proximal problem of the row exactly (implicit SGD: Kulis
 * & Bartlett 2010; Toulis & Airoldi 2017), so that no size makes it explode:
 *
 *     w <- rho w + a z_i,  rho = 1 / (1 + eta lambda),
 *     a = argmin eta r_i loss(rho <w, z_i> + a q) + a^2 q / 2,  q = |z_i|^2
 *
 * In closed form for all losses but the logistic (loss.c), with s = 1 - y_i rho <w, z_i>:
 *
 *     hinge       a = y_i clip(s / q, 0, eta r_i)
 *     its square  a = y_i 2 eta r_i max(0, s) / (1 + 2 eta r_i q)
 *
 * Size, after t rows (Bottou's schedule):
 *
 *     eta_t = eta_0 / (1 + lambda eta_0 t),   eta_0 = 1 / (2 mean |z|^2)
 *
 * Four times as much or as little, and the power -3/4 of Xu (2011), did no better on four
 * real and two synthetic sets. Iterates are averaged over an epoch, and epochs with polynomially
 * growing weights (Shamir & Zhang 2013, eta = 3), which forgets the start without a choice of when
 * to begin.
 *
 * Neighbouring steps are at rows of 16 tiles (engine.c), so that files sorted by class are no harm.
 * Ends when P of the average has changed by less than the tolerance (relative) in each of three
 * epochs running; the best average is kept. Its gap comes from a dual point of the primal
 * (certificate.c), which is far looser than what has been reached.
 *
 * Cost: 2 D' multiply-adds a row and epoch, 2 D' more where a > 0, and 2 D' for P. */
#include <math.h>
#include <string.h>

#include "allocation.h"
#include "certificate.h"
#include "comm.h"
#include "observer.h"
#include "rank_sums.h"
#include "sgd_private.h"
#include "state.h"
#include "tile_fetch.h"
#include "tile_kernels.h"

#define QUIET_EPOCHS 3

/* ---------------------------------------------------------------- start and end */

/* sum |z|^2 of a tile. */
static double tile_norms(dps_simd simd, const dps_z_tile *tile)
{
    double norms[DPS_TILE_ROWS], sum = 0.0;
    dps_tile_norms(simd, tile, NULL, tile->rows, norms);
    for (int32_t r = 0; r < tile->rows; r++) {
        sum += norms[r];
    }
    return sum;
}

/* Mean |z|^2 of about 16 tiles spread over the data. All. */
static dps_status mean_norm2(const dps_sgd *g, double *mean, dps_error *err)
{
    const dps_problem *problem = g->problem;
    const int64_t first = g->shards.first_tile, tiles = g->shards.total_tiles;
    const int64_t end = first + dps_tile_count(problem->source->rows);
    const int64_t every = tiles > 16 ? tiles / 16 : 1;
    const size_t bytes = dps_fetch_bytes(problem->source);
    struct {
        double norms, rows;
    } sum;
    dps_status status = DPS_OK;
    void *scratch = dps_alloc(bytes, 1);
    if (scratch == NULL) {
        status = dps_out_of_memory(err, bytes, 1, "a tile");
    }
    dps_in_turn_begin(g->shards.comm, &sum, sizeof sum);
    for (int64_t t = (first + every - 1) / every * every; t < end && status == DPS_OK; t += every) {
        dps_z_tile tile;
        status = dps_fetch(problem->source, t - first, scratch, &tile, err);
        if (status == DPS_OK) {
            sum.norms += tile_norms(g->run->simd, &tile);
            sum.rows += tile.rows;
        }
    }
    dps_in_turn_end(g->shards.comm, &sum, sizeof sum);
    dps_free(scratch);
    *mean = sum.norms / sum.rows;
    return dps_comm_agree(g->shards.comm, status, err);
}

static bool allocate(dps_sgd *g)
{
    const size_t models = (size_t)g->solution->models;
    const size_t doubles = models * g->solution->length; /* dps_solution_init has checked it */
    const size_t shards = (size_t)g->shards.count;
    g->model = dps_alloc(models, sizeof *g->model);
    g->part = dps_alloc(models * shards, sizeof *g->part);
    g->w = dps_alloc(doubles, sizeof *g->w);
    g->epoch = dps_alloc(doubles, sizeof *g->epoch);
    g->average = dps_alloc(doubles, sizeof *g->average);
    g->smoothing = dps_alloc(models, sizeof *g->smoothing);
    g->now = dps_alloc(models, sizeof *g->now);
    g->live = dps_alloc(models, sizeof *g->live);
    return g->model != NULL && g->part != NULL && g->w != NULL && g->epoch != NULL &&
           g->average != NULL && g->smoothing != NULL && g->now != NULL && g->live != NULL;
}

static void release(dps_sgd *g)
{
    dps_engine_free(g->engine);
    dps_free(g->model);
    dps_free(g->part);
    dps_free(g->w);
    dps_free(g->epoch);
    dps_free(g->average);
    dps_free(g->smoothing);
    dps_free(g->now);
    dps_free(g->live);
}

static dps_status start(dps_sgd *g, dps_error *err)
{
    const dps_problem *problem = g->problem;
    const size_t doubles = (size_t)g->solution->models * g->solution->length;
    double mean = 0.0, S = 0.0;
    const dps_status status = mean_norm2(g, &mean, err);
    dps_in_turn_begin(g->shards.comm, &S, sizeof S);
    for (int64_t i = 0; i < problem->source->rows; i++) {
        S += dps_row_weight(problem, i);
    }
    dps_in_turn_end(g->shards.comm, &S, sizeof S);
    g->lambda = 1.0 / (problem->C * S);
    g->factor = (double)dps_tiles_rows(problem->source) / S;
    /* rho stays above 1/2, so that `scale` cannot underflow within a chunk */
    g->eta0 = fmin(mean > 0.0 ? 0.5 / mean : 1.0, 1.0 / g->lambda);
    memcpy(g->w, g->solution->w, doubles * sizeof *g->w);
    for (int32_t k = 0; k < g->solution->models; k++) {
        g->model[k] = (dps_sgd_model){.scale = 1.0, .last = INFINITY, .sigma = 1.0};
        g->solution->certificate[k].primal = INFINITY;
    }
    return status;
}

/* Takes the epoch's average of model k into the average over the epochs. */
static void average_epoch(dps_sgd *g, int32_t k, int64_t epoch)
{
    const size_t length = g->solution->length, at = (size_t)k * length;
    const double share = (DPS_SGD_AVERAGE_POWER + 1.0) / ((double)epoch + DPS_SGD_AVERAGE_POWER);
    dps_sgd_fold_scale(g, &g->model[k], g->w + at);
    g->model[k].chunks = 0;
    for (size_t l = at; l < at + length; l++) {
        g->average[l] += share * (g->epoch[l] - g->average[l]);
    }
}

/* Keeps the average of model k if it is the best so far; returns the relative change of P. */
static double judge(dps_sgd *g, int32_t k, double tolerance)
{
    const size_t length = g->solution->length, at = (size_t)k * length;
    dps_sgd_model *m = &g->model[k];
    const double P = g->now[k].primal;
    if (P < g->solution->certificate[k].primal) {
        g->solution->certificate[k].primal = P;
        memcpy(g->solution->w + at, g->average + at, length * sizeof(double));
    }
    const double change = P > 0.0 ? fabs(m->last - P) / P : 0.0;
    m->quiet = change > tolerance ? 0 : m->quiet + 1;
    m->done = m->quiet >= QUIET_EPOCHS;
    m->last = P;
    return change;
}

/* P of the averages of the live models: keeps the best, drops those that have settled. */
static dps_status end_epoch(dps_sgd *g, int32_t count, int64_t epoch, bool *stop, dps_error *err)
{
    const double tolerance = g->settings->tolerance;
    const dps_dual_point none = {.kind = DPS_DUAL_NONE};
    for (int32_t j = 0; j < count; j++) {
        average_epoch(g, g->live[j], epoch);
    }
    const dps_status status =
        dps_certify(g->problem, g->average, &none, g->live, count, g->run, g->now, err);
    double primal = 0.0, best = 0.0, change = 0.0;
    for (int32_t j = 0; j < count && status == DPS_OK; j++) {
        change = fmax(change, judge(g, g->live[j], tolerance));
    }
    for (int32_t k = 0; k < g->solution->models; k++) {
        primal += g->model[k].last;
        best += g->solution->certificate[k].primal;
    }
    g->solution->row_visits += 2.0 * (double)count * (double)dps_tiles_rows(g->problem->source);
    dps_log_progress(g->run, &(dps_progress){.stage = "sgd",
                                             .fraction = -1.0,
                                             .iteration = epoch,
                                             .objective = primal,
                                             .gap = change,
                                             .is_change = true,
                                             .target = tolerance,
                                             .most = g->settings->max_iterations});
    const dps_pass_report shown = {.solver = dps_solver_sgd.name,
                                   .iteration = epoch,
                                   .objective = best,
                                   .gap = NAN,
                                   .row_visits = g->solution->row_visits};
    return status == DPS_OK ? dps_observe(g->settings->observer, g->solution, shown, stop, err)
                            : status;
}

/* What an epoch leaves to the next. */
static void list_state(dps_sgd *g, dps_state *state)
{
    const size_t models = (size_t)g->solution->models;
    const size_t bytes = models * g->solution->length * sizeof(double);
    state->solver = dps_solver_sgd.name;
    dps_state_add_solution(state, g->solution);
    for (size_t k = 0; k < models; k++) {
        dps_sgd_model *m = &g->model[k];
        DPS_STATE_ADD(state, "scale", m->scale);
        DPS_STATE_ADD(state, "seen", m->seen);
        DPS_STATE_ADD(state, "chunks", m->chunks);
        DPS_STATE_ADD(state, "last", m->last);
        DPS_STATE_ADD(state, "quiet", m->quiet);
        DPS_STATE_ADD(state, "done", m->done);
        DPS_STATE_ADD(state, "sigma", m->sigma);
    }
    dps_state_add(state, "iterate", g->w, bytes);
    dps_state_add(state, "epoch", g->epoch, bytes);
    dps_state_add(state, "average", g->average, bytes);
    dps_engine_list_state(g->engine, state);
    dps_observer_list_state(g->settings->observer, state);
}

/* One shard on several ranks: what its owner has done, to all. */
static void share_epoch(dps_sgd *g)
{
    const size_t models = (size_t)g->solution->models;
    const size_t bytes = models * g->solution->length * sizeof(double);
    dps_shards_share(&g->shards, g->model, models * sizeof *g->model);
    dps_shards_share(&g->shards, g->w, bytes);
    dps_shards_share(&g->shards, g->epoch, bytes);
}

static dps_status run_epochs(dps_sgd *g, dps_state *state, dps_error *err)
{
    const dps_rule rule = dps_sgd_rule(g);
    for (int64_t epoch = g->solution->iterations + 1;; epoch++) {
        int32_t count = 0;
        for (int32_t k = 0; k < g->solution->models; k++) {
            if (!g->model[k].done) {
                g->live[count++] = k;
            }
        }
        g->solution->outcome = count == 0 ? DPS_SETTLED : DPS_ITERATION_LIMIT;
        if (count == 0 || epoch > g->settings->max_iterations) {
            return DPS_OK;
        }
        bool stop = false;
        DPS_TRY(dps_engine_pass(g->engine, &rule, epoch, g->live, count, g->w, err));
        share_epoch(g);
        DPS_TRY(end_epoch(g, count, epoch, &stop, err));
        state->iteration = ++g->solution->iterations;
        if (stop) {
            g->solution->outcome = DPS_STOPPED_EARLY;
            return DPS_OK;
        }
        DPS_TRY(dps_state_offer(g->run, state, err));
    }
}

static dps_status sgd_solve(const dps_problem *problem, const dps_solver_settings *settings,
                            const dps_run *run, dps_solution *solution, dps_error *err)
{
    dps_sgd g = {.problem = problem,
                 .settings = settings,
                 .run = run,
                 .shards = dps_shards_of(problem, settings->shards, run),
                 .solution = solution};
    solution->solver = &dps_solver_sgd;
    solution->iterations = 0;
    g.block_rows = dps_block_rows(problem, g.shards.total, settings->batch);
    dps_status status =
        dps_engine_new(&g.engine, problem, &g.shards, g.block_rows, settings->seed, run, err);
    if (status == DPS_OK && !allocate(&g)) {
        status = dps_out_of_memory(err, 3 * (size_t)solution->models * solution->length,
                                   sizeof(double), "the averaged weights");
    }
    status = dps_comm_agree(g.shards.comm, status, err);
    DPS_THEN(status, start(&g, err));
    dps_state state = {0};
    if (status == DPS_OK) {
        list_state(&g, &state);
        status =
            dps_state_waits(run, dps_solver_sgd.name) ? dps_state_load(run, &state, err) : DPS_OK;
    }
    status = dps_comm_agree(g.shards.comm, status, err);
    DPS_THEN(status, run_epochs(&g, &state, err));
    DPS_THEN(status, dps_certify_primal(problem, solution->w, run, g.now, g.smoothing,
                                        solution->certificate, err));
    dps_state_release(&state);
    release(&g);
    return status;
}

static dps_status sgd_check(DPS_UNUSED const dps_problem *problem, DPS_UNUSED dps_error *err)
{
    return DPS_OK;
}

static size_t sgd_memory(const dps_problem *problem, int32_t shards, int32_t batch, int threads)
{
    const size_t models = (size_t)dps_problem_models(problem);
    const int32_t block_rows = dps_block_rows(problem, shards, batch);
    return dps_engine_memory(problem, shards, block_rows, threads) +
           3 * models * dps_weight_length(problem->source) * sizeof(double);
}

const dps_solver dps_solver_sgd = {.name = "sgd",
                                   .pass = "epoch",
                                   .passes = "epochs",
                                   .check = sgd_check,
                                   .memory = sgd_memory,
                                   .solve = sgd_solve};
