/* Task: ridge.h. Columns: the joint solve (joint.h), on from the last C, one factor for all folds.
 * Rows: K in double (few_rows.h), a fold solved on K without its rows and columns, where u =
 * K alpha = t - B^-1 alpha / (2 C).
 *
 * Moving targets, by rows: with t_i the nearest point to u_i at which the loss of row i is 0, the
 * squared hinge is min over t of (t - u)^2, so that solving for w and moving t in turn lowers it (a
 * majoriser whose matrix is that of all rows, hence one factor for all steps and models). Steps are
 * extrapolated (Beck & Teboulle 2009), from y as the first targets.
 *
 * Cost by rows: n^2 D' / 2 once, for each C and fold n^3 / 3, and for each step and model n^2. */
#include "ridge_private.h"

#include <string.h>
#include "allocation.h"
#include "cholesky.h"
#include "comm.h"

static bool has_few_rows(const dps_tile_source *source)
{
    const int64_t rows = dps_tiles_rows(source);
    return rows <= DPS_RIDGE_ROWS && (source->sparse_columns > 0 || rows <= source->width);
}

bool dps_ridge_takes(const dps_tile_source *source)
{
    return has_few_rows(source) || (source->total_rows == 0 && dps_joint_takes(source));
}

size_t dps_ridge_bytes(const dps_problem *problem, int32_t folds, int threads)
{
    const dps_tile_source *source = problem->source;
    const size_t rows = (size_t)dps_tiles_rows(source);
    const size_t at_work = (size_t)threads;
    if (has_few_rows(source)) {
        return rows * rows * sizeof(double) + dps_few_rows_bytes(source) +
               at_work * dps_ridge_rows_bytes(rows, dps_problem_models(problem));
    }
    return dps_joint_bytes(problem, folds, threads);
}

/* K and all that belongs to its rows, on every rank. */
static dps_status multiply_rows(dps_ridge *r, const dps_run *run, dps_error *err)
{
    const dps_comm *comm = dps_problem_comm(r->problem, run);
    const int root = dps_few_rows_root(comm);
    DPS_TRY(dps_few_rows_gather(&r->few, r->problem, run, err));
    DPS_TRY(dps_few_rows_items(r->problem, run, r->fold, sizeof *r->fold, &r->folds_of_all, err));
    r->all_fold =
        r->folds_of_all == NULL ? r->fold : (const int32_t *)(const void *)r->folds_of_all;
    DPS_TRY(dps_comm_agree(
        comm,
        dps_comm_rank(comm) == root ? dps_few_rows_gram(&r->few, run, r->own_gram, err) : DPS_OK,
        err));
    dps_comm_broadcast(comm, root, r->own_gram, r->order * r->order * sizeof *r->gram);
    return DPS_OK;
}

static dps_status create(dps_ridge **out, const dps_problem *problem, const int32_t *fold,
                         int32_t folds, dps_error *err)
{
    dps_ridge *r = dps_alloc(1, sizeof *r);
    *out = r;
    if (r == NULL) {
        return dps_out_of_memory(err, 1, sizeof *r, "inner products");
    }
    r->problem = problem;
    r->fold = fold;
    r->folds = folds;
    r->models = dps_problem_models(problem);
    r->order = (size_t)dps_tiles_rows(problem->source);
    return DPS_OK;
}

dps_status dps_ridge_new(dps_ridge **out, const dps_problem *problem, const int32_t *fold,
                         int32_t folds, const dps_run *run, dps_error *err)
{
    DPS_TRY(create(out, problem, fold, folds, err));
    dps_ridge *r = *out;
    if (!has_few_rows(problem->source)) {
        return dps_joint_new(&r->joint, problem, fold, folds, run, err);
    }
    r->own_gram = dps_alloc(r->order * r->order, sizeof *r->own_gram);
    r->gram = r->own_gram;
    const dps_status status = r->gram == NULL ? dps_out_of_memory(err, r->order * r->order,
                                                                  sizeof *r->gram, "inner products")
                                              : DPS_OK;
    DPS_TRY(dps_comm_agree(dps_problem_comm(problem, run), status, err));
    return multiply_rows(r, run, err);
}

dps_status dps_ridge_of_gram(dps_ridge **out, const dps_problem *problem, const double *gram,
                             const int32_t *fold, int32_t folds, dps_error *err)
{
    DPS_TRY(create(out, problem, fold, folds, err));
    (*out)->few.problem = *problem;
    (*out)->all_fold = fold;
    (*out)->gram = gram;
    return DPS_OK;
}

void dps_ridge_free(dps_ridge *r)
{
    if (r != NULL) {
        dps_few_rows_release(&r->few);
        dps_free(r->folds_of_all);
        dps_free(r->own_gram);
        dps_joint_free(r->joint);
        dps_free(r);
    }
}

static dps_status by_columns(dps_ridge *r, double C, int steps, double *held, const dps_run *run,
                             dps_error *err)
{
    const int64_t rows = r->problem->source->rows;
    const dps_joint_end end = {.tolerance = 0, .steps = steps};
    int64_t taken;
    bool stopped;
    DPS_TRY(dps_joint_solve(r->joint, C, &end, run, &taken, &stopped, err));
    for (int32_t k = 0; k < r->models; k++) {
        for (int64_t i = 0; i < rows; i++) {
            if (r->fold[i] >= 0) {
                held[k * rows + i] = dps_joint_scores(r->joint, r->fold[i], k)[i];
            }
        }
    }
    return DPS_OK;
}

dps_status dps_ridge_held(dps_ridge *r, double C, int steps, double *held, const dps_run *run,
                          dps_error *err)
{
    return r->joint == NULL ? dps_ridge_by_rows(r, C, steps, held, run, err)
                            : by_columns(r, C, steps, held, run, err);
}

dps_status dps_ridge_solve(const dps_problem *problem, const dps_run *run, dps_solution *solution,
                           dps_error *err)
{
    const int32_t models = dps_problem_models(problem);
    dps_joint *joint = NULL;
    dps_status status = dps_joint_new(&joint, problem, NULL, 1, run, err);
    DPS_THEN(status, dps_joint_squares(joint, problem->C, run, err));
    for (int32_t k = 0; k < models && status == DPS_OK; k++) {
        memcpy(solution->w + (size_t)k * solution->length, dps_joint_weights(joint, 0, k),
               problem->source->stride * sizeof *solution->w);
        solution->certificate[k].primal = dps_joint_primal(joint, 0, k);
    }
    dps_joint_free(joint);
    return status;
}
