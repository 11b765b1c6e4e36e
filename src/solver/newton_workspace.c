/* Task: memory of the Newton solver: how many models share a pass over the rows, what they need,
 * and which of it a checkpoint keeps.
 *
 * A model needs its Hessian (packed, m^2 / 2 for width m), sums of it, and u, v, inside of every
 * row; a thread the full m^2 of a factor. As many models as half of run.memory holds share a pass,
 * so that mapped rows are made once for all of them. A checkpoint brings its own number of models,
 * whatever memory says by then: what it holds has their sizes. */
#include "newton_workspace.h"

#include "newton_blocks.h"

#include "allocation.h"
#include "cholesky.h"
#include "comm.h"
#include "newton_joint.h"
#include "tile_fetch.h"

#define MOST_BATCH                                                                                 \
    16 /* models that share a pass over resident tiles: enough to share out the Cholesky */

static size_t model_bytes(const dps_problem *problem, int threads)
{
    const size_t length = dps_weight_length(problem->source);
    const size_t elements = dps_newton_derivative_elements(problem);
    const size_t rows = (size_t)dps_tile_count(problem->source->rows) * DPS_TILE_ROWS;
    const size_t pass =
        dps_newton_derivative_bytes(problem, 1) - dps_newton_derivative_bytes(problem, 0);
    const size_t partial = (elements * sizeof(double)) * ((size_t)threads + 8);
    return 3 * length * sizeof(double) + rows * (3 * sizeof(double) + sizeof(float) + 2) +
           2 * elements * sizeof(double) + partial + pass * (size_t)threads;
}

static size_t fixed_bytes(const dps_problem *problem, int threads)
{
    const size_t m = dps_round_up((size_t)problem->source->width, DPS_PAD);
    const int models = dps_problem_models(problem);
    const size_t matrices = (size_t)(threads < models ? threads : models);
    return matrices * (m * m * sizeof(double) + dps_cholesky_bytes(m)) +
           (size_t)threads *
               (dps_newton_derivative_bytes(problem, 0) + dps_fetch_bytes(problem->source));
}

size_t dps_newton_memory(const dps_problem *problem, int32_t shards, int32_t batch, int threads)
{
    (void)shards;
    (void)batch;
    const size_t own = fixed_bytes(problem, threads) + model_bytes(problem, threads);
    const size_t joint = dps_newton_joint_bytes(problem, threads);
    return own > joint ? own : joint;
}

/* Models that share a pass. Their number changes no bit of the result, and is the same on all
 * ranks. */
static int32_t batch_size(const dps_problem *problem, const dps_run *run)
{
    const size_t each = model_bytes(problem, run->threads),
                 fixed = fixed_bytes(problem, run->threads);
    const int32_t models = dps_problem_models(problem);
    const size_t budget = run->memory / 2;
    const size_t fit = budget > fixed ? (budget - fixed) / each : 0;
    const int32_t most = problem->source->resident ? MOST_BATCH : models;
    int32_t batch = fit > (size_t)most ? most : (int32_t)fit;
    batch = (int32_t)-dps_comm_max(dps_problem_comm(problem, run), -(double)batch);
    batch = batch < 1 ? 1 : batch;
    return batch < models ? batch : models;
}

void dps_newton_release(dps_newton_workspace *ws)
{
    for (int32_t j = 0; ws->batch.model != NULL && j < ws->batch.count; j++) {
        dps_newton_model *m = &ws->batch.model[j];
        dps_free(m->p);
        dps_free(m->g);
        dps_free(m->best_w);
        dps_free(m->u);
        dps_free(m->v);
        dps_free(m->inside);
        dps_free(m->slope);
        dps_free(m->bend);
        dps_free(m->root);
        dps_free(m->hessian);
    }
    for (int32_t i = 0; ws->matrix != NULL && i < ws->matrices; i++) {
        dps_free(ws->matrix[i]);
    }
    dps_free(ws->matrix);
    dps_free(ws->batch.model);
    dps_free(ws->batch.fetch);
    dps_free(ws->batch.sums);
    dps_newton_blocks_release(&ws->batch);
    dps_sum_room_release(&ws->batch.room);
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
    m->slope = dps_alloc(rows, sizeof(double));
    m->bend = dps_alloc(rows, 1);
    m->root = dps_alloc(rows, sizeof(float));
    m->hessian = dps_alloc(dps_packed_size((size_t)batch->problem->source->width), sizeof(double));
    return m->p != NULL && m->g != NULL && m->best_w != NULL && m->u != NULL && m->v != NULL &&
           m->inside != NULL && m->slope != NULL && m->bend != NULL && m->root != NULL &&
           m->hessian != NULL;
}

/* Models of a batch: those of the batch that was saved, whatever memory says now. */
static dps_status choose_batch(dps_newton_workspace *ws, const dps_problem *problem,
                               const dps_run *run, dps_error *err)
{
    dps_state head = {.solver = dps_solver_newton.name};
    ws->models = ws->observer != NULL ? dps_problem_models(problem) : batch_size(problem, run);
    if (!dps_state_waits(run, dps_solver_newton.name)) {
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

/* An observer sees all models at once. */
static dps_status check_observed(const dps_newton_workspace *ws, const dps_problem *problem,
                                 const dps_run *run, dps_error *err)
{
    const size_t need = fixed_bytes(problem, run->threads) +
                        (size_t)ws->models * model_bytes(problem, run->threads);
    if (ws->observer == NULL || need <= run->memory) {
        return DPS_OK;
    }
    return dps_error_set(err, DPS_ERROR_MEMORY,
                         "the Hessians of all %ld classes, which early stopping looks at together, "
                         "need %.3g GB, run.memory allows %.3g GB: raise run.memory, lower "
                         "map.features or use solver.type = dcd",
                         (long)ws->models, (double)need * 1e-9, (double)run->memory * 1e-9);
}

dps_status dps_newton_check_memory(const dps_problem *problem, const dps_run *run, dps_error *err)
{
    const size_t need = dps_newton_memory(problem, 1, 1, run->threads);
    if (need > run->memory) {
        return dps_error_set(err, DPS_ERROR_MEMORY,
                             "the Hessian of %d columns needs %.3g GB, run.memory allows %.3g GB: "
                             "raise run.memory, lower map.features or use solver.type = dcd",
                             problem->source->width, (double)need * 1e-9,
                             (double)run->memory * 1e-9);
    }
    return DPS_OK;
}

static dps_status allocate(dps_newton_workspace *ws, dps_error *err)
{
    dps_newton_batch *batch = &ws->batch;
    const dps_problem *problem = batch->problem;
    const dps_run *run = batch->run;
    const size_t threads = (size_t)run->threads,
                 m = dps_round_up((size_t)problem->source->width, DPS_PAD);
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
        ws->matrix[i] = dps_alloc(m * m * sizeof(double) + dps_cholesky_bytes(m), 1);
        good = ws->matrix[i] != NULL;
    }
    for (int32_t j = 0; good && j < batch->count; j++) {
        good = allocate_model(batch, &batch->model[j]);
    }
    return good ? DPS_OK
                : dps_out_of_memory(err, dps_newton_memory(problem, 1, 1, run->threads), 1,
                                    "the Newton solver");
}

dps_status dps_newton_init(dps_newton_workspace *ws, const dps_problem *problem, const dps_run *run,
                           dps_error *err)
{
    const dps_comm *comm = dps_problem_comm(problem, run);
    ws->batch.problem = problem;
    ws->batch.run = run;
    ws->batch.comm = comm;
    DPS_TRY(dps_comm_agree(comm, dps_newton_check_memory(problem, run, err), err));
    DPS_TRY(dps_comm_agree(comm, choose_batch(ws, problem, run, err), err));
    DPS_TRY(dps_comm_agree(comm, check_observed(ws, problem, run, err), err));
    ws->unit = dps_score_unit(problem, run);
    return dps_comm_agree(comm, allocate(ws, err), err);
}

void dps_newton_list_state(dps_newton_workspace *ws, dps_solution *solution)
{
    dps_state *state = &ws->state;
    const dps_problem *problem = ws->batch.problem;
    const size_t rows = (size_t)dps_tile_count(problem->source->rows) * DPS_TILE_ROWS;
    const size_t weights = ws->batch.length * sizeof(double);
    const size_t hessian = dps_packed_size((size_t)problem->source->width) * sizeof(double);
    state->solver = dps_solver_newton.name;
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
        DPS_STATE_ADD(state, "moving", m->moving);
        DPS_STATE_ADD(state, "refresh", m->refresh);
        DPS_STATE_ADD(state, "exact", m->exact);
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
        dps_state_add_rows(state, "u", m->u, rows * sizeof(double));
        dps_state_add_rows(state, "inside", m->inside, rows);
        dps_state_add(state, "hessian", m->hessian, hessian);
    }
    dps_observer_list_state(ws->observer, state);
}
