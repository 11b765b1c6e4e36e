/* Task: min P(w) by dual coordinate descent (Hsieh, Chang, Lin, Keerthi & Sundararajan, A Dual
 * Coordinate Descent Method for Large-scale Linear SVM, 2008, Algorithms 1 and 3), driven block by
 * block (engine.c):
 *
 *     min 1/2 alpha^T (Q + E) alpha - sum alpha,   0 <= alpha_i <= U_i,   Q_ij = y_i y_j <z_i, z_j>
 *     hinge: U_i = C c_i, E_ii = 0;    squared hinge: U_i = inf, E_ii = 1 / (2 C c_i)
 *     G_i = y_i <w, z_i> - 1 + E_ii alpha_i,    alpha_i <- clip(alpha_i - G_i / (Q_ii + E_ii), 0,
 * U_i)
 *
 * with w = sum_i alpha_i y_i z_i kept up to date in double. Gram matrices are float: inside a block
 * margins are good to about 1e-7, but every visit starts from margins of w itself, so nothing
 * builds up and w stays the exact sum up to double rounding.
 *
 * Shrinking: rows at a bound whose gradient is beyond the last pass' largest violation are left
 * out, as in the paper, until the rest is solved.
 *
 * Ending: a row's part of the duality gap, C c_i loss(m_i) + alpha_i m_i - C c_i dual(a_i) >= 0
 * with a_i = alpha_i / (C c_i), is summed over the rows as they are visited, from the margins of
 * that moment; rows rightly shrunk have no part in it. When this stale estimate, or the work since
 * the last one, says so, a fresh pass certifies the true gap.
 *
 * Cost: 4 D' multiply-adds a row and pass, b a row and inner sweep. */
#include "dcd.h"

#include <math.h>
#include <string.h>

#include "certificate.h"
#include "engine.h"
#include "memory.h"
#include "tile_fetch.h"
#include "tile_kernels.h"

#define INNER_SWEEPS 4
/* Passes' worth of visits after which a certificate is computed anyway. */
#define CERTIFY_EVERY 10.0
#define RATE_PASSES   10 /* passes over which the speed of convergence is measured */

/* What one pass saw of a model. */
typedef struct pass_sums {
    double most, least; /* projected gradient */
    double gap;         /* stale estimate of P - dual */
    int64_t visits, changes, shrunk;
} pass_sums;

typedef struct dcd_model {
    bool live;
    double above, below; /* shrink where the gradient is beyond: last pass' most and least */
    bool everything;     /* no row was left out in this pass */
    double visits_since; /* last certificate */
    double gap;          /* last estimate, relative */
    pass_sums now;
} dcd_model;

typedef struct dcd {
    const dps_problem *problem;
    const dps_solver_settings *settings;
    const dps_run *run;
    dps_solution *solution;
    bool may_stall;
    dps_engine *engine;
    dcd_model *model;
    double *alpha;               /* models x rows */
    uint8_t *active;             /* models x rows */
    uint8_t *needed;             /* per tile */
    int32_t *live;               /* numbers of the live models */
    int32_t *check;              /* of those to certify */
    double history[RATE_PASSES]; /* largest relative gap estimates, a ring */
} dcd;

static double upper(const dps_problem *problem, double weight)
{
    return problem->loss->dual_top * problem->C * weight;
}

static double diagonal(const dps_problem *problem, double weight)
{
    return 2.0 * problem->loss->dual_bend / (problem->C * weight);
}

/* ---------------------------------------------------------------- the row rule */

static int32_t select_rows(void *context, int32_t k, const dps_block *block, int32_t *list)
{
    const dcd *d = context;
    const uint8_t *active = d->active + (size_t)k * (size_t)d->problem->source->rows;
    int32_t count = 0;
    for (int32_t i = 0; i < block->rows; i++) {
        if (active[block->row[i]]) {
            list[count++] = i;
        }
    }
    return count;
}

/* One row of a block in the solver's terms. */
typedef struct row_state {
    double alpha, y, top, e, q; /* q = Q_ii + E_ii */
    int32_t at;                 /* in the block */
} row_state;

/* u += step * gram row, over the whole block or the listed rows, whichever is less work. */
static void move_scores(const dps_block *block, const row_state *state, int32_t count, int32_t i,
                        double step, double *u)
{
    const float *g = block->gram + (size_t)i * block->stride;
    if (4 * count > block->rows) {
        for (int32_t l = 0; l < block->rows; l++) {
            u[l] += step * (double)g[l];
        }
    } else {
        for (int32_t l = 0; l < count; l++) {
            u[state[l].at] += step * (double)g[state[l].at];
        }
    }
}

/* alpha after a coordinate step from gradient g. */
static double stepped(const row_state *row, double g)
{
    if (row->q > 0.0) {
        const double alpha = row->alpha - g / row->q;
        return alpha < 0.0 ? 0.0 : (alpha > row->top ? row->top : alpha);
    }
    return g < 0.0 && isfinite(row->top) ? row->top : 0.0; /* z_i = 0 */
}

/* The gradient's part that the box leaves free. */
static double projected(const row_state *row, double g)
{
    if (row->alpha <= 0.0) {
        return g < 0.0 ? g : 0.0;
    }
    if (row->alpha >= row->top) {
        return g > 0.0 ? g : 0.0;
    }
    return g;
}

/* The selected rows in this pass' order, with their states; adds their parts of the gap. */
static int32_t gather_states(const dcd *d, int32_t k, const dps_block *block, const int32_t *list,
                             int32_t count, const double *u, row_state *state, pass_sums *sums)
{
    const dps_problem *problem = d->problem;
    const double *alpha = d->alpha + (size_t)k * (size_t)problem->source->rows;
    bool listed[DPS_BLOCK_MAX] = {false};
    for (int32_t j = 0; j < count; j++) {
        listed[list[j]] = true;
    }
    int32_t found = 0;
    for (uint32_t o = 0; o < block->places; o++) {
        const int32_t i = dps_block_visit(block, o);
        if (!listed[i]) {
            continue;
        }
        const int64_t row = block->row[i];
        const double weight = dps_row_weight(problem, row), most = problem->C * weight;
        row_state *s = &state[found++];
        s->at = i;
        s->alpha = alpha[row];
        s->y = dps_sign(problem, k, row);
        s->top = upper(problem, weight);
        s->e = diagonal(problem, weight);
        s->q = (double)block->gram[(size_t)i * block->stride + (size_t)i] + s->e;
        const double margin = s->y * u[i];
        sums->gap += most * (problem->loss->value(margin) - problem->loss->dual(s->alpha / most)) +
                     s->alpha * margin;
    }
    sums->visits += found;
    return found;
}

/* First sweep: shrinks, notes the violations, steps. Returns the number of rows that stay, moved to
 * the front. */
static int32_t first_sweep(const dcd *d, int32_t k, const dps_block *block, row_state *state,
                           int32_t count, double *u)
{
    dcd_model *m = &d->model[k];
    uint8_t *active = d->active + (size_t)k * (size_t)d->problem->source->rows;
    for (int32_t j = 0; j < count; j++) {
        row_state *s = &state[j];
        const double g = s->y * u[s->at] - 1.0 + s->e * s->alpha;
        if ((s->alpha <= 0.0 && g > m->above) || (s->alpha >= s->top && g < m->below)) {
            active[block->row[s->at]] = 0;
            m->now.shrunk++;
            continue;
        }
        const double pg = projected(s, g);
        m->now.most = fmax(m->now.most, pg);
        m->now.least = fmin(m->now.least, pg);
        if (fabs(pg) > 1e-14) {
            const double next = stepped(s, g);
            m->now.changes += next != s->alpha;
            move_scores(block, state, count, s->at, (next - s->alpha) * s->y, u);
            s->alpha = next;
        }
    }
    int32_t stay = 0;
    for (int32_t j = 0; j < count; j++) {
        if (active[block->row[state[j].at]]) {
            state[stay++] = state[j];
        }
    }
    return stay;
}

static double update_rows(void *context, int32_t k, const dps_block *block, const int32_t *list,
                          int32_t count, double *u, double *c)
{
    const dcd *d = context;
    double *alpha = d->alpha + (size_t)k * (size_t)d->problem->source->rows;
    row_state state[DPS_BLOCK_MAX];
    count = gather_states(d, k, block, list, count, u, state, &d->model[k].now);
    count = first_sweep(d, k, block, state, count, u);
    for (int32_t sweep = 1; sweep < INNER_SWEEPS; sweep++) {
        bool moved = false;
        for (int32_t j = 0; j < count; j++) {
            row_state *s = &state[j];
            const double g = s->y * u[s->at] - 1.0 + s->e * s->alpha;
            if (fabs(projected(s, g)) > 1e-14) {
                const double next = stepped(s, g);
                move_scores(block, state, count, s->at, (next - s->alpha) * s->y, u);
                s->alpha = next;
                moved = true;
            }
        }
        if (!moved) {
            break;
        }
    }
    for (int32_t j = 0; j < count; j++) {
        const row_state *s = &state[j];
        const int64_t row = block->row[s->at];
        c[s->at] = (s->alpha - alpha[row]) * s->y;
        alpha[row] = s->alpha;
    }
    return 1.0;
}

/* ---------------------------------------------------------------- a pass */

/* Which tiles some live model still looks at. */
static void mark_needed(dcd *d, int32_t count)
{
    const int64_t rows = d->problem->source->rows, tiles = dps_tile_count(rows);
#pragma omp parallel for schedule(static) num_threads(d->run->threads)
    for (int64_t t = 0; t < tiles; t++) {
        const size_t height = (size_t)dps_tile_height(d->problem, t);
        d->needed[t] = 0;
        for (int32_t j = 0; j < count && !d->needed[t]; j++) {
            const uint8_t *active = d->active + (size_t)d->live[j] * (size_t)rows;
            d->needed[t] = memchr(active + t * DPS_TILE_ROWS, 1, height) != NULL;
        }
    }
}

static void begin_pass(dcd_model *m)
{
    m->now = (pass_sums){.most = -INFINITY, .least = INFINITY};
}

/* D(alpha) with |w|^2 for |sum alpha_i y_i z_i|^2. */
static double dual_value(const dcd *d, int32_t k)
{
    const dps_problem *problem = d->problem;
    const int64_t rows = problem->source->rows;
    const double *alpha = d->alpha + (size_t)k * (size_t)rows;
    const double *w = d->solution->w + (size_t)k * d->solution->length;
    double sum = 0.0;
    for (int64_t i = 0; i < rows; i++) {
        const double most = problem->C * dps_row_weight(problem, i);
        sum += most * problem->loss->dual(alpha[i] / most);
    }
    return sum - 0.5 * dps_dot(d->solution->length, w, w);
}

static void reactivate(dcd *d, int32_t k)
{
    const size_t rows = (size_t)d->problem->source->rows;
    memset(d->active + (size_t)k * rows, 1, rows);
    d->model[k].above = INFINITY;
    d->model[k].below = -INFINITY;
    d->model[k].everything = true;
}

/* Thresholds of the next pass, and this pass' estimates. */
static dps_status end_pass(dcd *d, int32_t k, dps_error *err)
{
    dcd_model *m = &d->model[k];
    const double dual = dual_value(d, k);
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
    d->solution->certificate[k] = (dps_certificate){primal, dual, m->gap};
    return DPS_OK;
}

/* Certifies the models whose turn it is; those that are done leave, the others look at all rows
 * again if they had left some out and thought they were done. */
static dps_status certify(dcd *d, int32_t count, bool all, dps_error *err)
{
    const double tolerance = d->settings->tolerance, rows = (double)d->problem->source->rows;
    int32_t chosen = 0;
    for (int32_t j = 0; j < count; j++) {
        const dcd_model *m = &d->model[d->live[j]];
        if (all || m->gap <= tolerance || m->now.changes == 0 ||
            m->visits_since >= CERTIFY_EVERY * rows) {
            d->check[chosen++] = d->live[j];
        }
    }
    if (chosen == 0) {
        return DPS_OK;
    }
    const dps_dual_point point = {.kind = DPS_DUAL_GIVEN, .alpha = d->alpha};
    const dps_status status = dps_certify(d->problem, d->solution->w, &point, d->check, chosen,
                                          d->run, d->solution->certificate, err);
    for (int32_t j = 0; j < chosen && status == DPS_OK; j++) {
        const int32_t k = d->check[j];
        dcd_model *m = &d->model[k];
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
    return status;
}

/* ---------------------------------------------------------------- stalling */

/* Passes that a few Newton solves would cost: SYRK of half the rows at about 16 times a pass' flop
 * rate, and for a loss that is smoothed 40 steps of two passes and a Cholesky. Squared hinge
 * needs 10. */
static double work_budget(const dps_problem *problem)
{
    const double D = (double)problem->source->width, n = (double)problem->source->rows;
    const double steps = problem->loss->smooth ? 10.0 : 40.0;
    return 3.0 * (D / 64.0 + steps * (1.0 + D * D / (48.0 * n)));
}

/* Whether the gap, falling as it did in the last passes, comes too late. */
static bool stalls(const dcd *d, int64_t pass)
{
    if (!d->may_stall || pass < 2 * RATE_PASSES) {
        return false;
    }
    const double now = d->history[pass % RATE_PASSES];
    const double before = d->history[(pass + 1) % RATE_PASSES];
    const double speed = log(before / now) / (RATE_PASSES - 1);
    const double left = now > d->settings->tolerance ? log(now / d->settings->tolerance) : 0.0;
    const double done =
        d->solution->row_visits / (double)d->problem->source->rows / (double)d->solution->models;
    const double each = done / (double)pass; /* shrunk passes cost less */
    if (left == 0.0) {
        return false;
    }
    const double passes = speed > 0.0 ? left / speed : INFINITY;
    return (double)pass + passes > (double)d->settings->max_iterations ||
           done + passes * each > work_budget(d->problem);
}

/* ---------------------------------------------------------------- all of it */

static bool allocate(dcd *d)
{
    const size_t models = (size_t)d->solution->models, rows = (size_t)d->problem->source->rows;
    d->model = dps_alloc(models, sizeof *d->model);
    d->live = dps_alloc(models, sizeof *d->live);
    d->check = dps_alloc(models, sizeof *d->check);
    d->needed = dps_alloc((size_t)dps_tile_count(d->problem->source->rows), 1);
    size_t all;
    if (!dps_size_mul(models, rows, &all)) {
        return false;
    }
    d->alpha = dps_alloc(all, sizeof *d->alpha);
    d->active = dps_alloc(all, 1);
    return d->model != NULL && d->live != NULL && d->check != NULL && d->needed != NULL &&
           d->alpha != NULL && d->active != NULL;
}

static void release(dcd *d)
{
    dps_engine_free(d->engine);
    dps_free(d->model);
    dps_free(d->live);
    dps_free(d->check);
    dps_free(d->needed);
    dps_free(d->alpha);
    dps_free(d->active);
}

static int32_t list_live(dcd *d)
{
    int32_t count = 0;
    for (int32_t k = 0; k < d->solution->models; k++) {
        if (d->model[k].live) {
            d->live[count++] = k;
        }
    }
    return count;
}

static void report(dcd *d, int64_t pass, int32_t count)
{
    double gap = 0.0, primal = 0.0;
    for (int32_t j = 0; j < count; j++) {
        gap = fmax(gap, d->model[d->live[j]].gap);
    }
    for (int32_t k = 0; k < d->solution->models; k++) {
        primal += d->solution->certificate[k].primal;
    }
    d->history[pass % RATE_PASSES] = gap;
    dps_log_progress(d->run, &(dps_progress){.stage = "dcd",
                                             .fraction = -1.0,
                                             .iteration = pass,
                                             .objective = primal,
                                             .gap = gap,
                                             .target = d->settings->tolerance});
}

static dps_status run_passes(dcd *d, dps_error *err)
{
    const dps_rule rule = {
        .context = d, .select = select_rows, .update = update_rows, .needed = d->needed};
    int32_t count = list_live(d);
    for (int64_t pass = 1; count > 0; pass++) {
        mark_needed(d, count);
        for (int32_t j = 0; j < count; j++) {
            begin_pass(&d->model[d->live[j]]);
        }
        dps_status status =
            dps_engine_pass(d->engine, &rule, pass, d->live, count, d->solution->w, err);
        for (int32_t j = 0; j < count && status == DPS_OK; j++) {
            status = end_pass(d, d->live[j], err);
        }
        if (status != DPS_OK) {
            return status;
        }
        d->solution->iterations++;
        report(d, pass, count);
        const bool last = pass >= d->settings->max_iterations, stalled = stalls(d, pass);
        status = certify(d, count, last || stalled, err);
        if (status != DPS_OK) {
            return status;
        }
        count = list_live(d);
        if (count > 0 && (last || stalled)) {
            d->solution->outcome = last ? DPS_ITERATION_LIMIT : DPS_STALLED;
            return DPS_OK;
        }
    }
    return DPS_OK;
}

dps_status dps_dcd_solve(const dps_problem *problem, const dps_solver_settings *settings,
                         bool may_stall, const dps_run *run, dps_solution *solution, dps_error *err)
{
    dcd d = {.problem = problem,
             .settings = settings,
             .run = run,
             .solution = solution,
             .may_stall = may_stall};
    solution->solver = "dcd";
    solution->outcome = DPS_CONVERGED;
    /* alpha = 0: a warm w without its alpha is of no use. */
    memset(solution->w, 0, (size_t)solution->models * solution->length * sizeof *solution->w);
    dps_status status = dps_engine_new(&d.engine, problem, settings->seed, run, err);
    if (status == DPS_OK && !allocate(&d)) {
        status = dps_out_of_memory(err, (size_t)solution->models * 9, (size_t)problem->source->rows,
                                   "the dual variables");
    }
    for (int32_t k = 0; k < solution->models && status == DPS_OK; k++) {
        d.model[k].live = true;
        reactivate(&d, k);
    }
    if (status == DPS_OK) {
        status = run_passes(&d, err);
    }
    release(&d);
    return status;
}

static dps_status dcd_solve(const dps_problem *problem, const dps_solver_settings *settings,
                            const dps_run *run, dps_solution *solution, dps_error *err)
{
    return dps_dcd_solve(problem, settings, false, run, solution, err);
}

static dps_status dcd_check(const dps_problem *problem, dps_error *err)
{
    (void)problem;
    (void)err;
    return DPS_OK;
}

static size_t dcd_memory(const dps_problem *problem, int threads)
{
    const size_t models = (size_t)dps_problem_models(problem);
    return dps_engine_memory(problem, threads) +
           models * (size_t)problem->source->rows * (sizeof(double) + 1);
}

const dps_solver dps_solver_dcd = {
    .name = "dcd", .check = dcd_check, .memory = dcd_memory, .solve = dcd_solve};
