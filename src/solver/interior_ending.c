/* Task: from a problem to the interior point method and back: inner products of the rows, all
 * models one after the other, and weights w = sum_i alpha_i z_i with their certificate.
 *
 * Over ranks one solves all models and sends weights and certificates to the others: the rows are
 * few, and nothing then depends on how many ranks there are. */
#include <string.h>

#include "allocation.h"
#include "certificate.h"
#include "comm.h"
#include "interior_private.h"
#include "observer.h"
#include "products.h"
#include "tile_fetch.h"
#include "tile_kernels.h"

size_t dps_interior_bytes(const dps_problem *problem, int threads)
{
    const dps_tile_source *source = problem->source;
    const size_t n = (size_t)dps_tiles_rows(source), models = (size_t)dps_problem_models(problem);
    if (n > DPS_FEW_ROWS) {
        return 0;
    }
    const size_t each = dps_weight_length(source) * sizeof(double) + sizeof(dps_certificate);
    return dps_few_rows_bytes(source) + (n * n + n * models) * sizeof(double) + models * each +
           (size_t)threads * dps_gram_bytes() + (size_t)source->sparse_columns * sizeof(double) +
           dps_interior_model_bytes(problem);
}

typedef struct ending {
    const dps_solver_settings *settings;
    const dps_run *run;
    dps_few_rows few;
    bool solves; /* this rank */
    double *gram, *alpha, *w;
    dps_certificate *found;
    int64_t steps; /* the most of a model */
} ending;

static dps_status allocate_all(ending *e, const dps_problem *problem, dps_error *err)
{
    const size_t n = (size_t)dps_tiles_rows(problem->source);
    const size_t models = (size_t)dps_problem_models(problem);
    e->gram = dps_alloc(n * n, sizeof *e->gram);
    e->alpha = dps_alloc(n * models, sizeof *e->alpha);
    e->w = dps_alloc(models, dps_weight_length(problem->source) * sizeof *e->w);
    e->found = dps_alloc(models, sizeof *e->found);
    return e->gram != NULL && e->alpha != NULL && e->w != NULL && e->found != NULL
               ? DPS_OK
               : dps_out_of_memory(err, n * n, sizeof *e->gram, "inner products of the rows");
}

/* w = sum_i alpha_i z_i of all models. */
static void add_up(ending *e)
{
    const dps_tile_source *source = &e->few.source;
    const int32_t models = dps_problem_models(&e->few.problem);
    const size_t length = dps_weight_length(source);
    double own[DPS_TILE_ROWS];
    for (int64_t t = 0; t < dps_tile_count(source->rows); t++) {
        const dps_z_tile *tile = &e->few.tile[t];
        for (int32_t k = 0; k < models; k++) {
            for (int32_t r = 0; r < tile->rows; r++) {
                own[r] = e->alpha[(size_t)(t * DPS_TILE_ROWS + r) * (size_t)models + (size_t)k];
            }
            double *to = e->w + (size_t)k * length;
            dps_tile_add_panel(e->run->simd, tile, NULL, tile->rows, own, 0, tile->stride, to);
            dps_tile_add_sparse(tile, NULL, tile->rows, own, to);
        }
    }
}

/* Model after model; a rank that only waits looks out for signals. All. */
static dps_status solve_all(ending *e, const dps_comm *comm, dps_error *err)
{
    const int32_t models = dps_problem_models(&e->few.problem);
    dps_status status = DPS_OK;
    for (int32_t k = 0; k < models && status == DPS_OK; k++) {
        int64_t own = 0;
        if (dps_run_stopped(e->run)) {
            status = dps_stopped(err);
        } else if (e->solves) {
            status = dps_interior_solve(&e->few.problem, k, e->gram, e->settings->tolerance, e->run,
                                        e->alpha + k, (size_t)models, &own, err);
        }
        e->steps = own > e->steps ? own : e->steps;
        status = dps_comm_agree(comm, status, err);
    }
    return status;
}

/* Weights and certificates of all models on every rank. All. */
static dps_status work(ending *e, const dps_problem *problem, dps_error *err)
{
    const dps_comm *comm = dps_problem_comm(problem, e->run);
    const size_t models = (size_t)dps_problem_models(problem);
    const int root = dps_few_rows_root(comm);
    e->solves = dps_comm_rank(comm) == root;
    dps_status status = dps_few_rows_gather(&e->few, problem, e->run, err);
    if (status == DPS_OK) {
        status = allocate_all(e, problem, err);
        if (status == DPS_OK && e->solves) {
            status = dps_few_rows_gram(&e->few, e->run, e->gram, err);
        }
        status = dps_comm_agree(comm, status, err);
    }
    DPS_THEN(status, solve_all(e, comm, err));
    if (status == DPS_OK && e->solves) {
        const dps_dual_point point = {.kind = DPS_DUAL_GIVEN, .alpha = e->alpha};
        add_up(e);
        status = dps_certify(&e->few.problem, e->w, &point, NULL, 0, e->run, e->found, err);
    }
    status = dps_comm_agree(comm, status, err);
    if (status == DPS_OK) {
        dps_comm_broadcast(comm, root, e->w,
                           models * dps_weight_length(problem->source) * sizeof *e->w);
        dps_comm_broadcast(comm, root, e->found, models * sizeof *e->found);
        dps_comm_broadcast(comm, root, &e->steps, sizeof e->steps);
    }
    return status;
}

/* Of both solutions the one with the smaller gap, model by model. */
static void take_better(dps_solution *solution, const double *w, const dps_certificate *found)
{
    bool taken = false;
    for (int32_t k = 0; k < solution->models; k++) {
        if (found[k].gap < solution->certificate[k].gap) {
            const size_t at = (size_t)k * solution->length;
            memcpy(solution->w + at, w + at, solution->length * sizeof *w);
            solution->certificate[k] = found[k];
            taken = true;
        }
    }
    if (taken) {
        dps_solution_ended_by(solution, &dps_solver_interior);
    }
}

/* What is returned, to an observer that looks on. */
static dps_status show(const dps_solver_settings *settings, dps_solution *solution, dps_error *err)
{
    bool stop;
    dps_solution_judge(solution, settings->tolerance);
    return dps_observe(settings->observer, solution,
                       (dps_pass_report){.solver = solution->solver->name,
                                         .iteration = solution->iterations,
                                         .objective = solution->worst.primal,
                                         .gap = dps_gap_estimate(solution->worst.gap),
                                         .row_visits = solution->row_visits},
                       &stop, err);
}

dps_status dps_interior_finish(const dps_problem *problem, const dps_solver_settings *settings,
                               const dps_run *run, dps_solution *solution, dps_error *err)
{
    ending e = {.settings = settings, .run = run};
    dps_status status = work(&e, problem, err);
    if (status == DPS_OK) {
        take_better(solution, e.w, e.found);
        solution->iterations += e.steps;
        solution->row_visits += (double)dps_tiles_rows(problem->source) * (double)solution->models;
        status = show(settings, solution, err);
    }
    dps_few_rows_release(&e.few);
    dps_free(e.gram);
    dps_free(e.alpha);
    dps_free(e.w);
    dps_free(e.found);
    return status;
}
