/* Task: min P(w) by dual coordinate descent (Hsieh, Chang, Lin, Keerthi & Sundararajan, A Dual
 * Coordinate Descent Method for Large-scale Linear SVM, 2008, Algorithms 1 and 3), rows visited as
 * engine.c says:
 *
 *     min 1/2 alpha^T (Q + E) alpha - sum y_i alpha_i + eps sum |alpha_i|,   Q_ij = <z_i, z_j>
 *     hinge:       0 <= y_i alpha_i <= U_i = C c_i,   E_ii = 0
 *     its square:  U_i = inf,   E_ii = 1 / (2 C c_i)
 *     G_i = <w, z_i> - y_i + E_ii alpha_i,    q = Q_ii + E_ii
 *     alpha_i <- clip(soft(alpha_i - G_i / q, eps / q))
 *     soft(x, r) = x - r above r, x + r below -r, else 0
 *
 * for classes with eps = 0, alpha_i on the side of y_i only; for regression (Ho & Lin, Large-scale
 * Linear Support Vector Regression, 2012, Algorithm 3) |alpha_i| <= U_i; so that the hinge is the
 * epsilon-insensitive loss of targets -1 and +1 with half of the box. w = sum_i alpha_i z_i is kept
 * up to date in double: every change of alpha_i enters w as the
 * same double times the same floats, so that w is the sum up to double rounding and needs no
 * recomputing.
 *
 * Logistic (Yu, Huang & Lin, Dual Coordinate Descent Methods for Logistic Regression and Maximum
 * Entropy Models, 2011): the row's problem is solved by Newton's iteration (loss.c, step).
 *
 * Shrinking: rows at a bound whose gradient is beyond the last pass' largest violation are left
 * out, as in the papers, until the rest is solved; so are rows within the tube, at the kink of
 * |alpha|.
 *
 * Ending: a row's part of the duality gap, C c_i loss(u_i) + alpha_i u_i - C c_i dual(a_i) >= 0
 * with a_i = alpha_i / (C c_i), is summed over the rows as they are visited, from the scores of
 * that moment; rows rightly shrunk have no part in it. When this stale estimate, or the work since
 * the last one, says so, a fresh pass certifies the true gap.
 *
 * Shards: dcd_rule.c. What a pass saw is summed over shards in their tree.
 *
 * Cost: 2 D' multiply-adds a row and pass, and 2 D' more where alpha changes. */
#include "dcd.h"

#include <math.h>
#include <string.h>

#include "allocation.h"
#include "certificate.h"
#include "comm.h"
#include "dcd_private.h"
#include "observer.h"
#include "state.h"
#include "tile_fetch.h"
#include "tile_kernels.h"

/* Passes' worth of visits after which a certificate is computed anyway. */
#define CERTIFY_EVERY 10.0
#define RATE_PASSES   DPS_RATE_PASSES

/* ---------------------------------------------------------------- a pass */

/* Which rows some live model still looks at. */
static void mark_wanted(dps_dcd *d, int32_t count)
{
    const size_t models = (size_t)d->solution->models;
    const int64_t rows = d->problem->source->rows;
    const int threads = dps_run_threads_for(d->run, rows, (double)rows * 4.0);
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int64_t i = 0; i < rows; i++) {
        const uint8_t *active = d->active + (size_t)i * models;
        uint8_t any = 0;
        for (int32_t j = 0; j < count && !any; j++) {
            any = active[d->live[j]];
        }
        d->wanted[i] = any;
    }
}

static void begin_pass(dps_dcd *d, int32_t k)
{
    for (int32_t l = 0; l < d->shards.count; l++) {
        dps_dcd_part_of(d, l, k)->now = (dps_dcd_sums){.most = -INFINITY, .least = INFINITY};
    }
}

/* What rows begin..end-1 add to D(alpha). */
static double dual_sum(const dps_dcd *d, int64_t begin, int64_t end, int32_t k)
{
    const dps_problem *problem = d->problem;
    const size_t models = (size_t)d->solution->models;
    double sum = 0.0;
    for (int64_t i = begin; i < end; i++) {
        const double most = problem->C * dps_row_weight(problem, i);
        if (most > 0.0) {
            sum +=
                most * dps_loss_dual(problem->loss, d->alpha[(size_t)i * models + (size_t)k] / most,
                                     dps_target(problem, k, i), problem->epsilon);
        }
    }
    return sum;
}

/* The same of shard l, by pieces that threads share. */
static double shard_dual(const dps_dcd *d, int32_t l, int32_t k)
{
    enum { PIECE = 4096, MANY = 64 };
    const int64_t first = dps_shard_begin(&d->shards, l) * DPS_TILE_ROWS;
    const int64_t tiles_end = dps_shard_begin(&d->shards, l + 1) * DPS_TILE_ROWS;
    const int64_t end = tiles_end < d->problem->source->rows ? tiles_end : d->problem->source->rows;
    double sum = 0.0;
    for (int64_t begin = first; begin < end; begin += MANY * PIECE) {
        const int64_t left = (end - begin + PIECE - 1) / PIECE, pieces = left < MANY ? left : MANY;
        const int threads = dps_run_threads_for(d->run, pieces, (double)pieces * PIECE * 16.0);
        double part[MANY];
#pragma omp parallel for num_threads(threads) if (threads > 1)
        for (int64_t i = 0; i < pieces; i++) {
            const int64_t from = begin + i * PIECE;
            part[i] = dual_sum(d, from, from + PIECE < end ? from + PIECE : end, k);
        }
        for (int64_t i = 0; i < pieces; i++) {
            sum += part[i];
        }
    }
    return sum;
}

/* Sums that a pass leaves, by place. */
enum { SUM_GAP, SUM_DUAL, SUM_VISITS, SUM_CHANGES, SUM_SHRUNK, SUMS };

/* Adds up what the shards saw of the live models; all of it is exact or in a fixed order. */
static dps_status gather_pass(dps_dcd *d, int32_t count, dps_error *err)
{
    const size_t stride = (size_t)d->solution->models * SUMS;
    const int threads =
        d->shards.count == 1 ? 1 : dps_run_threads(d->run, (int64_t)d->shards.count * count);
    double *total = d->values + (size_t)d->shards.count * stride;
#pragma omp parallel for collapse(2) schedule(dynamic) num_threads(threads) if (threads > 1)
    for (int32_t l = 0; l < d->shards.count; l++) {
        for (int32_t j = 0; j < count; j++) {
            const dps_dcd_sums *now = &dps_dcd_part_of(d, l, d->live[j])->now;
            double *value = d->values + (size_t)l * stride + (size_t)j * SUMS;
            value[SUM_GAP] = now->gap;
            value[SUM_DUAL] = shard_dual(d, l, d->live[j]);
            value[SUM_VISITS] = (double)now->visits;
            value[SUM_CHANGES] = (double)now->changes;
            value[SUM_SHRUNK] = (double)now->shrunk;
        }
    }
    for (int32_t j = 0; j < count; j++) {
        d->ends[2 * j] = d->ends[2 * j + 1] = -INFINITY;
        for (int32_t l = 0; l < d->shards.count; l++) {
            const dps_dcd_sums *now = &dps_dcd_part_of(d, l, d->live[j])->now;
            d->ends[2 * j] = fmax(d->ends[2 * j], now->most);
            d->ends[2 * j + 1] = fmax(d->ends[2 * j + 1], -now->least);
        }
    }
    dps_comm_max_all(d->shards.comm, d->ends, 2 * (size_t)count);
    const dps_status status =
        dps_shards_sum(&d->shards, d->run, d->values, stride, (size_t)count * SUMS, total, err);
    for (int32_t j = 0; j < count && status == DPS_OK; j++) {
        const double *value = total + (size_t)j * SUMS;
        d->model[d->live[j]].now = (dps_dcd_sums){.most = d->ends[2 * j],
                                                  .least = -d->ends[2 * j + 1],
                                                  .gap = value[SUM_GAP],
                                                  .dual = value[SUM_DUAL],
                                                  .visits = (int64_t)value[SUM_VISITS],
                                                  .changes = (int64_t)value[SUM_CHANGES],
                                                  .shrunk = (int64_t)value[SUM_SHRUNK]};
    }
    return status;
}

static void reactivate(dps_dcd *d, int32_t k)
{
    const size_t rows = (size_t)d->problem->source->rows, models = (size_t)d->solution->models;
    for (size_t i = 0; i < rows; i++) {
        d->active[i * models + (size_t)k] = 1;
    }
    d->model[k].above = INFINITY;
    d->model[k].below = -INFINITY;
    d->model[k].everything = true;
}

/* Thresholds of the next pass, and this pass' estimates. */
static dps_status end_pass(dps_dcd *d, int32_t k, dps_error *err)
{
    dps_dcd_model *m = &d->model[k];
    const double *w = d->solution->w + (size_t)k * d->solution->length;
    /* D(alpha) with |w|^2 for |sum alpha_i z_i|^2 */
    const double dual = m->now.dual - 0.5 * dps_dot(d->solution->length, w, w);
    const double primal = dual + m->now.gap;
    if (!isfinite(primal)) {
        return dps_not_finite(d->problem, "the objective", err);
    }
    m->gap = primal > 0.0 ? m->now.gap / primal : 0.0;
    m->above = m->now.most > 0.0 ? m->now.most : INFINITY;
    m->below = m->now.least < 0.0 ? m->now.least : -INFINITY;
    m->everything = m->everything && m->now.shrunk == 0;
    m->visits_since += (double)m->now.visits;
    d->solution->row_visits += (double)m->now.visits;
    d->solution->certificate[k] = (dps_certificate){primal, dual, dps_gap_estimate(m->gap)};
    return DPS_OK;
}

/* Certifies the models whose turn it is; those that are done leave, the others look at all rows
 * again if they had left some out and thought they were done. */
static dps_status certify(dps_dcd *d, int32_t count, bool all, dps_error *err)
{
    const double tolerance = d->settings->tolerance,
                 rows = (double)dps_tiles_rows(d->problem->source);
    int32_t chosen = 0;
    for (int32_t j = 0; j < count; j++) {
        const dps_dcd_model *m = &d->model[d->live[j]];
        if (all || m->gap <= tolerance || m->now.changes == 0 ||
            m->visits_since >= CERTIFY_EVERY * rows) {
            d->check[chosen++] = d->live[j];
        }
    }
    if (chosen == 0) {
        return DPS_OK;
    }
    const dps_dual_point point = {.kind = DPS_DUAL_GIVEN, .alpha = d->alpha};
    DPS_TRY(dps_certify(d->problem, d->solution->w, &point, d->check, chosen, d->run,
                        d->solution->certificate, err));
    for (int32_t j = 0; j < chosen; j++) {
        const int32_t k = d->check[j];
        dps_dcd_model *m = &d->model[k];
        d->solution->row_visits += rows;
        m->visits_since = 0.0;
        const bool seemed_done = m->gap <= tolerance || m->now.changes == 0;
        if (d->solution->certificate[k].gap <= tolerance) {
            m->live = false;
        } else if (seemed_done && m->everything && m->now.changes == 0) {
            m->live = false; /* no coordinate moves any more */
            d->solution->outcome = DPS_NUMERICAL_FLOOR;
        } else if (seemed_done) {
            reactivate(d, k);
            m->gap = d->solution->certificate[k].gap;
        }
    }
    return DPS_OK;
}

/* ---------------------------------------------------------------- stalling */

/* Passes that a few Newton solves would cost: SYRK of half the rows at about 16 times a pass' flop
 * rate, and for a loss that is smoothed 40 steps of two passes and a Cholesky. Squared hinge
 * needs 10. */
static double work_budget(const dps_problem *problem)
{
    const double D = (double)problem->source->width, n = (double)dps_tiles_rows(problem->source);
    const double steps = problem->loss->smooth ? 10.0 : 40.0;
    return 3.0 * (D / 64.0 + steps * (1.0 + D * D / (48.0 * n)));
}

/* Whether the gap, falling as it did in the last passes, comes too late. */
static bool stalls(const dps_dcd *d, int64_t pass)
{
    if (!d->may_stall || pass < 2 * RATE_PASSES) {
        return false;
    }
    const double now = d->history[pass % RATE_PASSES];
    const double before = d->history[(pass + 1) % RATE_PASSES];
    const double speed = log(before / now) / (RATE_PASSES - 1);
    const double left = now > d->settings->tolerance ? log(now / d->settings->tolerance) : 0.0;
    const double done = d->solution->row_visits / (double)dps_tiles_rows(d->problem->source) /
                        (double)d->solution->models;
    const double each = done / (double)pass; /* shrunk passes cost less */
    if (left == 0.0) {
        return false;
    }
    const double passes = speed > 0.0 ? left / speed : INFINITY;
    return (double)pass + passes > (double)d->settings->max_iterations ||
           done + passes * each > work_budget(d->problem);
}

/* ---------------------------------------------------------------- all of it */

/* With several shards each has its steps of a round. */
static bool allocate_parts(dps_dcd *d)
{
    const size_t models = (size_t)d->solution->models, shards = (size_t)d->shards.count;
    const bool several = d->shards.total > 1;
    size_t parts, steps, values;
    if (!dps_size_mul(models, shards, &parts) ||
        !dps_size_mul(parts, several ? DPS_ROUND_ROWS : 0, &steps) ||
        !dps_size_mul(parts + models, SUMS, &values)) {
        return false;
    }
    d->part = dps_alloc(parts, sizeof *d->part);
    d->steps = dps_alloc(steps, sizeof *d->steps);
    d->values = dps_alloc(values, sizeof *d->values);
    d->ends = dps_alloc(2 * models, sizeof *d->ends);
    for (size_t i = 0; i < parts && several && d->part != NULL && d->steps != NULL; i++) {
        d->part[i].step = d->steps + i * DPS_ROUND_ROWS;
    }
    return d->part != NULL && d->steps != NULL && d->values != NULL && d->ends != NULL;
}

static bool allocate(dps_dcd *d)
{
    const size_t models = (size_t)d->solution->models, rows = (size_t)d->problem->source->rows;
    d->model = dps_alloc(models, sizeof *d->model);
    d->live = dps_alloc(models, sizeof *d->live);
    d->check = dps_alloc(models, sizeof *d->check);
    d->wanted = dps_alloc(rows, 1);
    size_t all;
    if (!dps_size_mul(models, rows, &all)) {
        return false;
    }
    d->alpha = dps_alloc(all, sizeof *d->alpha);
    d->active = dps_alloc(all, 1);
    return d->model != NULL && d->live != NULL && d->check != NULL && d->wanted != NULL &&
           d->alpha != NULL && d->active != NULL && allocate_parts(d) && dps_dcd_blocks_allocate(d);
}

static void release(dps_dcd *d)
{
    dps_engine_free(d->engine);
    dps_free(d->model);
    dps_free(d->part);
    dps_free(d->steps);
    dps_free(d->values);
    dps_free(d->ends);
    dps_free(d->live);
    dps_free(d->check);
    dps_free(d->wanted);
    dps_free(d->alpha);
    dps_free(d->active);
    dps_dcd_blocks_release(d);
}

static int32_t list_live(dps_dcd *d)
{
    int32_t count = 0;
    for (int32_t k = 0; k < d->solution->models; k++) {
        if (d->model[k].live) {
            d->live[count++] = k;
        }
    }
    return count;
}

/* Logs a pass and shows it to the observer. */
static dps_status report(dps_dcd *d, int64_t pass, int32_t count, bool *stop, dps_error *err)
{
    double gap = 0.0, primal = 0.0, largest = 0.0;
    for (int32_t j = 0; j < count; j++) {
        gap = fmax(gap, d->model[d->live[j]].gap);
    }
    for (int32_t k = 0; k < d->solution->models; k++) {
        primal += d->solution->certificate[k].primal;
        largest = fmax(largest, d->solution->certificate[k].gap);
    }
    d->history[pass % RATE_PASSES] = gap;
    dps_log_progress(d->run, &(dps_progress){.stage = "dcd",
                                             .fraction = -1.0,
                                             .iteration = pass,
                                             .objective = primal,
                                             .gap = dps_gap_estimate(gap),
                                             .target = d->settings->tolerance,
                                             .most = d->settings->max_iterations});
    const dps_pass_report shown = {.solver = dps_solver_dcd.name,
                                   .iteration = d->solution->iterations,
                                   .objective = primal,
                                   .gap = dps_gap_estimate(largest),
                                   .row_visits = d->solution->row_visits};
    return dps_observe(d->settings->observer, d->solution, shown, stop, err);
}

/* What a pass leaves to the next. Norms of rows are measured again, to the same bits. */
static void list_state(dps_dcd *d, int64_t *pass, dps_state *state)
{
    const size_t models = (size_t)d->solution->models, rows = (size_t)d->problem->source->rows;
    state->solver = dps_solver_dcd.name;
    dps_state_add(state, "pass", pass, sizeof *pass);
    dps_state_add_solution(state, d->solution);
    for (size_t k = 0; k < models; k++) {
        dps_dcd_model *m = &d->model[k];
        DPS_STATE_ADD(state, "live", m->live);
        DPS_STATE_ADD(state, "above", m->above);
        DPS_STATE_ADD(state, "below", m->below);
        DPS_STATE_ADD(state, "everything", m->everything);
        DPS_STATE_ADD(state, "visits_since", m->visits_since);
        DPS_STATE_ADD(state, "sigma", m->sigma);
    }
    DPS_STATE_ADD(state, "history", d->history);
    dps_state_add_rows(state, "alpha", d->alpha, models * rows * sizeof *d->alpha);
    dps_state_add_rows(state, "active", d->active, models * rows);
    dps_engine_list_state(d->engine, state);
    dps_observer_list_state(d->settings->observer, state);
}

static dps_status run_passes(dps_dcd *d, int64_t *done, dps_state *state, dps_error *err)
{
    const dps_rule rule = dps_dcd_rule(d);
    const size_t weights =
        (size_t)d->solution->models * d->solution->length * sizeof *d->solution->w;
    int32_t count = list_live(d);
    for (int64_t pass = *done + 1; count > 0; pass++) {
        mark_wanted(d, count);
        for (int32_t j = 0; j < count; j++) {
            begin_pass(d, d->live[j]);
        }
        DPS_TRY(dps_engine_pass(d->engine, &rule, pass, d->live, count, d->solution->w, err));
        dps_shards_share(&d->shards, d->solution->w, weights);
        dps_shards_share(&d->shards, d->model, (size_t)d->solution->models * sizeof *d->model);
        DPS_TRY(gather_pass(d, count, err));
        for (int32_t j = 0; j < count; j++) {
            DPS_TRY(end_pass(d, d->live[j], err));
        }
        bool stop = false;
        d->solution->iterations++;
        DPS_TRY(report(d, pass, count, &stop, err));
        const bool last = pass >= d->settings->max_iterations, stalled = stalls(d, pass);
        DPS_TRY(certify(d, count, stop || last || stalled, err));
        count = list_live(d);
        if (count > 0 && (stop || last || stalled)) {
            d->solution->outcome = stop   ? DPS_STOPPED_EARLY
                                   : last ? DPS_ITERATION_LIMIT
                                          : DPS_STALLED;
            return DPS_OK;
        }
        *done = state->iteration = pass;
        DPS_TRY(dps_state_offer(d->run, state, err));
    }
    return DPS_OK;
}

dps_status dps_dcd_solve(const dps_problem *problem, const dps_solver_settings *settings,
                         bool may_stall, const dps_run *run, dps_solution *solution, dps_error *err)
{
    dps_dcd d = {.problem = problem,
                 .settings = settings,
                 .run = run,
                 .solution = solution,
                 .may_stall = may_stall,
                 .shards = dps_shards_of(problem, settings->shards, run),
                 .still = 1e-14 * dps_score_unit(problem, run)};
    solution->solver = &dps_solver_dcd;
    solution->outcome = DPS_CONVERGED;
    /* alpha = 0: a warm w without its alpha is of no use. */
    memset(solution->w, 0, (size_t)solution->models * solution->length * sizeof *solution->w);
    d.block_rows = dps_block_rows(problem, d.shards.total, settings->batch);
    dps_status status =
        dps_engine_new(&d.engine, problem, &d.shards, d.block_rows, settings->seed, run, err);
    if (status == DPS_OK && !allocate(&d)) {
        status = dps_out_of_memory(err, (size_t)solution->models * 9, (size_t)problem->source->rows,
                                   "the dual variables");
    }
    for (int32_t k = 0; k < solution->models && status == DPS_OK; k++) {
        d.model[k].live = true;
        d.model[k].sigma = d.shards.total; /* of rows in a block 1, of shards K */
        reactivate(&d, k);
    }
    int64_t done = 0; /* passes */
    dps_state state = {0};
    if (status == DPS_OK) {
        list_state(&d, &done, &state);
        status =
            dps_state_waits(run, dps_solver_dcd.name) ? dps_state_load(run, &state, err) : DPS_OK;
    }
    status = dps_comm_agree(d.shards.comm, status, err);
    DPS_THEN(status, run_passes(&d, &done, &state, err));
    dps_state_release(&state);
    release(&d);
    return status;
}

static dps_status dcd_solve(const dps_problem *problem, const dps_solver_settings *settings,
                            const dps_run *run, dps_solution *solution, dps_error *err)
{
    return dps_dcd_solve(problem, settings, false, run, solution, err);
}

static dps_status dcd_check(DPS_UNUSED const dps_problem *problem, DPS_UNUSED dps_error *err)
{
    return DPS_OK;
}

static size_t dcd_memory(const dps_problem *problem, int32_t shards, int32_t batch, int threads)
{
    const size_t models = (size_t)dps_problem_models(problem);
    const size_t step = shards > 1 ? DPS_ROUND_ROWS * sizeof(dps_dcd_step) : 0;
    const int32_t block_rows = dps_block_rows(problem, shards, batch);
    return dps_engine_memory(problem, shards, block_rows, threads) +
           dps_dcd_blocks_memory(problem, block_rows) +
           models * (size_t)problem->source->rows * (sizeof(double) + 1) +
           models * (size_t)shards * (step + sizeof(dps_dcd_part));
}

const dps_solver dps_solver_dcd = {.name = "dcd",
                                   .pass = "pass",
                                   .passes = "passes",
                                   .check = dcd_check,
                                   .memory = dcd_memory,
                                   .solve = dcd_solve};
