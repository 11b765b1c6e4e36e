/* Task: what dual coordinate descent does with a block of rows (engine_blocks.c): the rule of dcd.c
 * for one row after the other, from scores that know of the block's other changes only what they
 * did along V, s = V d so far:
 *
 *     G_j = u_j + <p_j, s> - y_j + E_jj alpha_j,   p_j = V z_j
 *     alpha_j <- clip(soft(alpha_j - w_0 G_j / q_j, w_0 eps / q_j)),   s <- s + (its change) p_j
 *     q_j = |p_j|^2 + sigma (Q_jj - |p_j|^2) + E_jj
 *
 * Then alpha = alpha' + eta (alpha - alpha'), w += eta d with the eta of dcd_rule.c: no block makes
 * the dual smaller, however little the scores were worth. sigma, for the changes that the rows do
 * not know of, follows
 *
 *     (|d|^2 - |V d|^2) / sum_j (change of alpha_j)^2 (Q_jj - |p_j|^2)
 *
 * as that of shards does: it stays close to 1 while blocks are short for what rows have in common.
 *
 * w_0 = 1.25, successive over-relaxation (Mangasarian & Musicant, Successive Overrelaxation for
 * Support Vector Machines, 1999; the dual grows for any w_0 in (0, 2)): 512 Fourier features, C =
 * 1, squared hinge, visits a row to a gap of 1e-3 with 1, 1.2, 1.35: 17.7, 16.8, 16.8 on Covertype,
 * 12.5, 11.4, 11.5 on IJCNN1. Of losses that are not made of quadratic pieces w_0 is 1.
 *
 * What needs no order - limits and step sizes of rows before, estimates, shrinking and the dual
 * along the changes after - is done for all rows side by side. */
#include <math.h>
#include <string.h>

#include "allocation.h"
#include "dcd_private.h"
#include "tile_fetch.h"

#define RELAXATION 1.25

static dps_dcd_row *rows_of(const dps_dcd *d, const dps_block *block)
{
    const size_t models = (size_t)d->solution->models;
    return d->rows + ((size_t)block->turn * models + (size_t)block->k) * (size_t)d->block_rows;
}

static size_t most_pieces(int32_t block_rows)
{
    return ((size_t)block_rows + DPS_PIECE_ROWS - 1) / DPS_PIECE_ROWS;
}

static dps_dcd_piece *pieces_of(const dps_dcd *d, int32_t k)
{
    return d->pieces + (size_t)k * most_pieces(d->block_rows);
}

static double *alpha_of(const dps_dcd *d, const dps_block *block, int32_t j)
{
    return &d->alpha[(size_t)block->visit[j].row * (size_t)d->solution->models + (size_t)block->k];
}

static uint8_t *active_of(const dps_dcd *d, const dps_block *block, int32_t j)
{
    return &d->active[(size_t)block->visit[j].row * (size_t)d->solution->models + (size_t)block->k];
}

static const float *coupling_of(const dps_block *block, int32_t j)
{
    return block->coupling + block->visit[j].row * DPS_COUPLED;
}

/* ---------------------------------------------------------------- before */

/* A row that the model does not look at, or that weighs nothing, may not move. */
static dps_dcd_row row_at_rest(double alpha)
{
    return (dps_dcd_row){.side = 1.0, .alpha = alpha, .bottom = alpha, .top = alpha};
}

static void prepare_rows(void *context, const dps_block *block, int32_t begin, int32_t end)
{
    const dps_dcd *d = context;
    const dps_problem *problem = d->problem;
    const double sigma = d->model[block->k].sigma;
    const bool regression = problem->loss->regression;
    dps_dcd_row *rows = rows_of(d, block);
    for (int32_t j = begin; j < end; j++) {
        const dps_visit *v = &block->visit[j];
        const double weight = dps_row_weight(problem, v->row), alpha = *alpha_of(d, block, j);
        if (weight == 0.0 || !*active_of(d, block, j)) {
            rows[j] = row_at_rest(alpha);
            continue;
        }
        const float *p = coupling_of(block, j);
        const double y = dps_target(problem, block->k, v->row), side = regression ? 1.0 : y;
        const double e = dps_dcd_diagonal(problem, weight), top = dps_dcd_upper(problem, weight);
        const double rest = fmax(0.0, v->norm2 - dps_coupling_dot(p, p));
        const double q = v->norm2 + (sigma - 1.0) * rest + e;
        rows[j] = (dps_dcd_row){.side = side,
                                .target = side * y,
                                .alpha = side * alpha,
                                .bottom = regression ? -top : 0.0,
                                .top = top,
                                .tube = regression ? problem->epsilon : 0.0,
                                .e = e,
                                .q = q,
                                .pace = q > 0.0 ? RELAXATION / q : 1e300, /* z = 0: to an end */
                                .rest = rest};
    }
}

/* ---------------------------------------------------------------- one after the other */

/* soft(x, r) = max(x - r, 0) + min(x + r, 0) */
static double stepped(const dps_dcd_row *row, double g)
{
    const double up = row->alpha - (g + row->tube) * row->pace;
    const double down = row->alpha - (g - row->tube) * row->pace;
    const double alpha = (up > 0.0 ? up : 0.0) + (down < 0.0 ? down : 0.0);
    const double most = alpha > row->top ? row->top : alpha;
    return most < row->bottom ? row->bottom : most;
}

static void chain_pieces(const dps_dcd *d, const dps_block *block, float *s)
{
    dps_dcd_row *rows = rows_of(d, block);
    for (int32_t j = 0; j < block->count; j++) {
        dps_dcd_row *row = &rows[j];
        const float *p = coupling_of(block, j);
        const double u = block->u[j] + dps_coupling_dot(p, s);
        const double g = row->side * u - row->target + row->e * row->alpha;
        row->next = stepped(row, g);
        const double change = row->next - row->alpha;
        /* to an end however small the step: a row without values has q = 0 */
        const bool ends = change != 0.0 && (row->next == row->top || row->next == row->bottom);
        const double c = ends || fabs(change) * row->q > d->still ? row->side * change : 0.0;
        block->u[j] = u;
        block->c[j] = c;
        dps_coupling_add((float)c, p, s);
    }
}

/* As visit_smooth_row of dcd_rule.c. */
static void chain_smooth(const dps_dcd *d, const dps_block *block, float *s)
{
    const dps_loss *loss = d->problem->loss;
    dps_dcd_row *rows = rows_of(d, block);
    for (int32_t j = 0; j < block->count; j++) {
        dps_dcd_row *row = &rows[j];
        const float *p = coupling_of(block, j);
        const double u = block->u[j] + dps_coupling_dot(p, s);
        const double y = row->side, before = row->side * row->alpha;
        block->u[j] = u;
        block->c[j] = 0.0;
        if (row->top > row->bottom) {
            const double most = row->top / loss->dual_top;
            const double next =
                loss->step(u - row->q * before, y, d->problem->epsilon, row->q, most);
            block->c[j] = fabs(next - before) <= 1e-14 * most ? 0.0 : next - before;
            row->next = row->side * next;
        }
        dps_coupling_add((float)block->c[j], p, s);
    }
}

static void chain_rows(void *context, const dps_block *block)
{
    const dps_dcd *d = context;
    float s[DPS_COUPLED];
    memcpy(s, block->moved, sizeof s);
    if (d->problem->loss->piecewise) {
        chain_pieces(d, block, s);
    } else {
        chain_smooth(d, block, s);
    }
    d->common[block->k] = dps_coupling_since(s, block->moved);
}

/* ---------------------------------------------------------------- after */

/* Shrinks the row where it sits beyond what the last pass saw, else notes its projected gradient.
 */
static void judge_row(const dps_dcd *d, const dps_block *block, int32_t j, dps_dcd_sums *now)
{
    const dps_dcd_row *row = &rows_of(d, block)[j];
    const dps_dcd_model *m = &d->model[block->k];
    const double g = row->side * block->u[j] - row->target + row->e * row->alpha;
    const double up =
        row->alpha >= row->top ? INFINITY : g + (row->alpha >= 0.0 ? row->tube : -row->tube);
    const double down =
        row->alpha <= row->bottom ? -INFINITY : g + (row->alpha > 0.0 ? row->tube : -row->tube);
    if ((row->alpha >= row->top || up > m->above) &&
        (row->alpha <= row->bottom || down < m->below)) {
        *active_of(d, block, j) = 0;
        now->shrunk++;
        return;
    }
    const double pg = up < 0.0 ? up : (down > 0.0 ? down : 0.0);
    now->most = fmax(now->most, pg);
    now->least = fmin(now->least, pg);
}

/* a = alpha / (C c_i) before the block, most = C c_i. */
typedef struct old_multiplier {
    double most, a, y, gain;
} old_multiplier;

/* What the change of row j does to the dual, and the multiplier itself. */
static void note_change(const dps_dcd *d, const dps_block *block, int32_t j,
                        const old_multiplier *before, dps_dcd_piece *piece)
{
    const dps_loss *loss = d->problem->loss;
    const dps_dcd_row *row = &rows_of(d, block)[j];
    const double c = block->c[j], after = row->side * row->next;
    const double most = before->most, old = before->a, next = after / most;
    piece->gain += most * (loss->gain(next, before->y, d->problem->epsilon) - before->gain);
    piece->cross += most * loss->dual_bend * 2.0 * old * (next - old);
    piece->square += most * loss->dual_bend * (next - old) * (next - old);
    piece->apart += c * c * row->rest;
    piece->now.changes++;
    *alpha_of(d, block, j) = after;
}

static void account_piece(const dps_dcd *d, const dps_block *block, int32_t begin, int32_t end,
                          dps_dcd_piece *piece)
{
    const dps_problem *problem = d->problem;
    const dps_loss *loss = problem->loss;
    *piece = (dps_dcd_piece){.now = {.most = -INFINITY, .least = INFINITY}};
    for (int32_t j = begin; j < end; j++) {
        const int64_t i = block->visit[j].row;
        const double most = problem->C * dps_row_weight(problem, i);
        if (!*active_of(d, block, j)) {
            continue;
        }
        piece->now.visits++;
        if (most == 0.0) {
            continue;
        }
        const double alpha = *alpha_of(d, block, j), u = block->u[j];
        const double y = dps_target(problem, block->k, i), a = alpha / most;
        const old_multiplier old = {most, a, y, loss->gain(a, y, problem->epsilon)};
        piece->now.gap +=
            most * (loss->value(u, y, problem->epsilon) - (old.gain - loss->dual_bend * a * a)) +
            alpha * u;
        if (loss->piecewise) {
            judge_row(d, block, j, &piece->now);
        }
        if (block->c[j] != 0.0) {
            note_change(d, block, j, &old, piece);
        }
    }
}

static void account_rows(void *context, const dps_block *block, int32_t begin, int32_t end)
{
    const dps_dcd *d = context;
    dps_dcd_piece *pieces = pieces_of(d, block->k);
    for (int32_t j = begin; j < end; j += DPS_PIECE_ROWS) {
        account_piece(d, block, j, j + DPS_PIECE_ROWS < end ? j + DPS_PIECE_ROWS : end,
                      &pieces[j / DPS_PIECE_ROWS]);
    }
}

static dps_dcd_piece add_pieces(const dps_dcd *d, const dps_block *block)
{
    const dps_dcd_piece *pieces = pieces_of(d, block->k);
    dps_dcd_piece all = pieces[0];
    for (size_t i = 1; i < most_pieces(block->count); i++) {
        all.now.most = fmax(all.now.most, pieces[i].now.most);
        all.now.least = fmin(all.now.least, pieces[i].now.least);
        all.now.gap += pieces[i].now.gap;
        all.now.visits += pieces[i].now.visits;
        all.now.changes += pieces[i].now.changes;
        all.now.shrunk += pieces[i].now.shrunk;
        all.gain += pieces[i].gain;
        all.cross += pieces[i].cross;
        all.square += pieces[i].square;
        all.apart += pieces[i].apart;
    }
    return all;
}

static void add_sums(dps_dcd_sums *sums, const dps_dcd_sums *more)
{
    sums->most = fmax(sums->most, more->most);
    sums->least = fmin(sums->least, more->least);
    sums->gap += more->gap;
    sums->visits += more->visits;
    sums->changes += more->changes;
    sums->shrunk += more->shrunk;
}

/* Takes back what is too much of the changes. */
static void shorten(const dps_dcd *d, const dps_block *block, double eta)
{
    const dps_dcd_row *rows = rows_of(d, block);
    for (int32_t j = 0; j < block->count; j++) {
        if (block->c[j] != 0.0) {
            *alpha_of(d, block, j) =
                rows[j].side * (rows[j].alpha + eta * (rows[j].next - rows[j].alpha));
        }
    }
}

static double take_block(void *context, const dps_block *block, const double *change, double *w)
{
    const dps_dcd *d = context;
    dps_dcd_model *m = &d->model[block->k];
    dps_dcd_piece all = add_pieces(d, block);
    const size_t length = d->solution->length;
    const double norm2 = dps_dot(length, change, change);
    const double linear = all.gain - all.cross - dps_dot(length, w, change);
    const double square = 2.0 * all.square + norm2;
    const double eta = linear >= square ? 1.0 : (linear > 0.0 ? linear / square : 0.0);
    dps_axpy(length, eta, change, w);
    dps_coupling_scale((float)eta, block->moved);
    if (eta < 1.0) {
        shorten(d, block, eta);
    }
    double overlap = 1.0;
    if (all.apart > 0.0) {
        overlap = (norm2 - d->common[block->k]) / all.apart;
        m->sigma = sqrt(m->sigma * fmax(1.0, fmin(overlap, (double)block->count)));
    }
    all.now.changes = eta == 0.0 ? 0 : all.now.changes; /* all taken back */
    add_sums(&dps_dcd_part_of(d, 0, block->k)->now, &all.now);
    return overlap;
}

/* ---------------------------------------------------------------- all of it */

bool dps_dcd_blocks_allocate(dps_dcd *d)
{
    const size_t models = d->block_rows > 1 ? (size_t)d->solution->models : 0;
    d->rows = dps_alloc(2 * models * (size_t)d->block_rows, sizeof *d->rows);
    d->pieces = dps_alloc(models * most_pieces(d->block_rows), sizeof *d->pieces);
    d->common = dps_alloc(models, sizeof *d->common);
    return d->rows != NULL && d->pieces != NULL && d->common != NULL;
}

void dps_dcd_blocks_release(dps_dcd *d)
{
    dps_free(d->rows);
    dps_free(d->pieces);
    dps_free(d->common);
}

size_t dps_dcd_blocks_memory(const dps_problem *problem, int32_t block_rows)
{
    return block_rows == 1 ? 0
                           : (size_t)dps_problem_models(problem) *
                                 (2 * (size_t)block_rows * sizeof(dps_dcd_row) +
                                  most_pieces(block_rows) * sizeof(dps_dcd_piece));
}

dps_block_rule dps_dcd_block_rule(const dps_dcd *d)
{
    return (dps_block_rule){.prepare = prepare_rows,
                            .chain = chain_rows,
                            .account = account_rows,
                            .take = take_block,
                            .active = d->active};
}
