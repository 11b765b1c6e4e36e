/* Task: from a problem to the interior point method and back: inner products of the rows from
 * tiles, one model's rows, and weights w = sum_i alpha_i z_i with their certificate.
 *
 * K_ij is the score of row i by row j as weights (tile_kernels.h): products of floats summed in
 * double, the same bits on every path. Cost: n^2 D' for all of K, and a tile made again for every
 * tile before it where they are not in memory. */
#include <math.h>
#include <string.h>

#include "certificate.h"
#include "cholesky.h"
#include "interior_private.h"
#include "allocation.h"
#include "observer.h"
#include "tile_fetch.h"
#include "tile_kernels.h"

/* More rows are other solvers' work: n^3 / 3 a step, and tens of steps. */
#define MOST_ROWS 1024

bool dps_interior_ends(const dps_problem *problem, const dps_solver_settings *settings,
                       const dps_run *run)
{
    return dps_problem_comm(problem, run) == NULL && problem->source->rows <= MOST_ROWS &&
           (settings->observer == NULL || !settings->observer->stops);
}

size_t dps_interior_memory(int64_t rows)
{
    return 3 * (size_t)rows * (size_t)rows * sizeof(double);
}

/* ---- inner products -------------------------------------------------------------------------- */

/* Row r of a tile as weights. */
static void as_weights(const dps_z_tile *tile, int32_t r, size_t length, double *w)
{
    const float *z = tile->z + (size_t)r * tile->stride;
    memset(w, 0, length * sizeof *w);
    for (size_t l = 0; l < tile->stride; l++) {
        w[l] = (double)z[l];
    }
    for (int64_t e = tile->start == NULL ? 0 : tile->start[r];
         tile->start != NULL && e < tile->start[r + 1]; e++) {
        w[tile->stride + (size_t)tile->column[e]] += tile->sparse_scale * (double)tile->value[e];
    }
}

/* Rows of tile t by those of tile s <= t, into both triangles. */
static dps_status add_pair(const dps_problem *problem, dps_simd simd, const dps_z_tile *of,
                           int64_t s, int64_t t, void *scratch, double *w, double *gram,
                           dps_error *err)
{
    const size_t n = (size_t)problem->source->rows, length = dps_weight_length(problem->source);
    const size_t row = (size_t)t * DPS_TILE_ROWS, column = (size_t)s * DPS_TILE_ROWS;
    double u[DPS_TILE_ROWS];
    dps_z_tile tile;
    const dps_status status = dps_fetch(problem->source, t, scratch, &tile, err);
    for (int32_t j = 0; j < of->rows && status == DPS_OK; j++) {
        as_weights(of, j, length, w);
        dps_tile_scores(simd, &tile, w, NULL, tile.rows, u);
        for (size_t i = 0; i < (size_t)tile.rows; i++) {
            gram[(row + i) * n + column + (size_t)j] = u[i];
            gram[(column + (size_t)j) * n + row + i] = u[i];
        }
    }
    return status;
}

dps_status dps_interior_gram(const dps_problem *problem, const dps_run *run, double *gram,
                             dps_error *err)
{
    const dps_tile_source *source = problem->source;
    const int64_t tiles = dps_tile_count(source->rows);
    const size_t bytes = dps_fetch_bytes(source), length = dps_weight_length(source);
    char *scratch = dps_alloc(2, bytes + DPS_ALIGN);
    double *w = dps_alloc(length, sizeof *w);
    dps_status status = DPS_OK;
    if (scratch == NULL || w == NULL) {
        status = dps_out_of_memory(err, 2 * bytes + length * sizeof *w, 1, "two tiles");
    }
    for (int64_t s = 0; s < tiles && status == DPS_OK; s++) {
        dps_z_tile of;
        status = dps_fetch(source, s, scratch, &of, err);
        for (int64_t t = s; t < tiles && status == DPS_OK; t++) {
            status = dps_run_stopped(run)
                         ? dps_stopped(err)
                         : add_pair(problem, run->simd, &of, s, t, scratch + bytes, w, gram, err);
        }
    }
    dps_free(scratch);
    dps_free(w);
    return status;
}

/* ---- one model's rows ------------------------------------------------------------------------ */

static dps_status allocate(dps_interior *p, dps_error *err)
{
    const size_t n = p->n, m = p->sides * n;
    double **const of_rows[] = {&p->y, &p->weight, &p->top, &p->curve, &p->alpha,
                                &p->u, &p->best,   &p->m,   &p->x,     &p->pull};
    double **const of_sides[] = {
        &p->sign, &p->linear, &p->beta,     &p->low,       &p->high,        &p->g,           &p->d,
        &p->r,    &p->step,   &p->step_low, &p->step_high, &p->correct_low, &p->correct_high};
    const size_t rows = sizeof of_rows / sizeof of_rows[0];
    const size_t sides = sizeof of_sides / sizeof of_sides[0];
    const size_t doubles = 2 * n * n + rows * n + sides * m;
    p->all = dps_alloc(doubles, sizeof *p->all);
    p->scratch = dps_alloc(dps_cholesky_bytes(n), 1);
    if (p->all == NULL || p->scratch == NULL) {
        return dps_out_of_memory(err, doubles, sizeof *p->all, "inner products of the rows");
    }
    p->k = p->all;
    p->factor = p->k + n * n;
    double *at = p->factor + n * n;
    for (size_t i = 0; i < rows; i++, at += n) {
        *of_rows[i] = at;
    }
    for (size_t i = 0; i < sides; i++, at += m) {
        *of_sides[i] = at;
    }
    return DPS_OK;
}

dps_status dps_interior_init(dps_interior *p, int32_t k, const double *gram, dps_error *err)
{
    const dps_problem *problem = p->problem;
    const dps_loss *loss = problem->loss;
    const size_t all = (size_t)problem->source->rows;
    p->sides = loss->regression ? 2 : 1;
    p->row = dps_alloc(all, sizeof *p->row);
    if (p->row == NULL) {
        return dps_out_of_memory(err, all, sizeof *p->row, "a list of rows");
    }
    for (size_t i = 0; i < all; i++) {
        if (dps_row_weight(problem, (int64_t)i) > 0.0) {
            p->row[p->n++] = (int64_t)i;
        }
    }
    const dps_status status = allocate(p, err);
    for (size_t i = 0; i < p->n && status == DPS_OK; i++) {
        const double *from = gram + (size_t)p->row[i] * all;
        for (size_t j = 0; j < p->n; j++) {
            p->k[i * p->n + j] = from[p->row[j]];
        }
        p->y[i] = dps_target(problem, k, p->row[i]);
        p->weight[i] = problem->C * dps_row_weight(problem, p->row[i]);
        p->top[i] = loss->dual_top * p->weight[i];
        p->curve[i] = 2.0 * loss->dual_bend / p->weight[i];
        for (size_t s = 0; s < p->sides; s++) {
            const double sign = loss->regression ? (s == 0 ? 1.0 : -1.0) : p->y[i];
            p->sign[s * p->n + i] = sign;
            p->linear[s * p->n + i] = -loss->gain(sign, p->y[i], problem->epsilon);
        }
    }
    return status;
}

void dps_interior_release(dps_interior *p)
{
    dps_free(p->row);
    dps_free(p->all);
    dps_free(p->scratch);
}

/* ---- weights --------------------------------------------------------------------------------- */

/* w = sum_i alpha_i z_i of all models. */
static dps_status add_up(const dps_problem *problem, const dps_run *run, const double *alpha,
                         double *w, dps_error *err)
{
    const dps_tile_source *source = problem->source;
    const int32_t models = dps_problem_models(problem);
    const size_t length = dps_weight_length(source);
    double own[DPS_TILE_ROWS];
    dps_status status = DPS_OK;
    void *scratch = dps_alloc(dps_fetch_bytes(source), 1);
    if (scratch == NULL) {
        return dps_out_of_memory(err, dps_fetch_bytes(source), 1, "a tile");
    }
    for (int64_t t = 0; t < dps_tile_count(source->rows) && status == DPS_OK; t++) {
        dps_z_tile tile;
        status = dps_fetch(source, t, scratch, &tile, err);
        for (int32_t k = 0; k < models && status == DPS_OK; k++) {
            for (int32_t r = 0; r < tile.rows; r++) {
                own[r] = alpha[(size_t)(t * DPS_TILE_ROWS + r) * (size_t)models + (size_t)k];
            }
            double *to = w + (size_t)k * length;
            dps_tile_add_panel(run->simd, &tile, NULL, tile.rows, own, 0, tile.stride, to);
            dps_tile_add_sparse(&tile, NULL, tile.rows, own, to);
        }
    }
    dps_free(scratch);
    return status;
}

/* Of both solutions the one with the smaller gap, model by model. */
static void take_better(dps_solution *solution, const double *w, const dps_certificate *found)
{
    for (int32_t k = 0; k < solution->models; k++) {
        if (found[k].gap < solution->certificate[k].gap) {
            const size_t at = (size_t)k * solution->length;
            memcpy(solution->w + at, w + at, solution->length * sizeof *w);
            solution->certificate[k] = found[k];
        }
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
    const size_t n = (size_t)problem->source->rows, models = (size_t)solution->models;
    double *gram = dps_alloc(n * n, sizeof *gram);
    double *alpha = dps_alloc(n * models, sizeof *alpha);
    double *w = dps_alloc(models * solution->length, sizeof *w);
    dps_certificate *found = dps_alloc(models, sizeof *found);
    dps_status status = DPS_OK;
    if (gram == NULL || alpha == NULL || w == NULL || found == NULL) {
        status = dps_out_of_memory(err, n * n, sizeof *gram, "inner products of the rows");
    } else {
        status = dps_interior_gram(problem, run, gram, err);
    }
    int64_t steps = 0;
    for (size_t k = 0; k < models && status == DPS_OK; k++) {
        int64_t own = 0;
        status = dps_interior_solve(problem, (int32_t)k, gram, settings->tolerance, run, alpha + k,
                                    models, &own, err);
        steps = own > steps ? own : steps;
        solution->row_visits += (double)n;
    }
    const dps_dual_point point = {.kind = DPS_DUAL_GIVEN, .alpha = alpha};
    if (status == DPS_OK) {
        status = add_up(problem, run, alpha, w, err);
    }
    if (status == DPS_OK) {
        status = dps_certify(problem, w, &point, NULL, 0, run, found, err);
    }
    if (status == DPS_OK) {
        take_better(solution, w, found);
        solution->first_solver = solution->solver;
        solution->solver = &dps_solver_interior;
        solution->iterations += steps;
        status = show(settings, solution, err);
    }
    dps_free(gram);
    dps_free(alpha);
    dps_free(w);
    dps_free(found);
    return status;
}
