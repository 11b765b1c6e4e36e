/* Task: what dual coordinate descent does with a row (dcd.c has the formulas), and with the changes
 * that several shards have made side by side in a round.
 *
 * Shards (Ma et al., Adding vs. Averaging in Distributed Primal-Dual Optimization, 2015; Lee &
 * Roth, Distributed Box-constrained Quadratic Optimization for Dual Linear SVM, 2015): shard s
 * works as if sigma shards made the same changes, on
 *
 *     w + sigma d_s,   d_s = sum of its own changes (alpha_i - alpha'_i) z_i of this round
 *
 * with steps that have sigma Q_ii + E_ii for Q_ii + E_ii. Then, with d = sum_s d_s,
 *
 *     alpha = alpha' + eta (alpha - alpha'),   w += eta d,   eta in [0, 1] the best of
 *     eta (G - X - <w, d>) - eta^2 (S + |d|^2 / 2)
 *     G = sum C c_i (gain(a_i) - gain(a'_i)),        a = alpha / (C c_i)
 *     X = sum C c_i q 2 a'_i (a_i - a'_i),
 *     S = sum C c_i q (a_i - a'_i)^2
 *
 * which is the dual along the changes, or a lower bound of it (gain is concave): no round makes the
 * dual smaller, whatever sigma is. sigma = K is always safe and mostly far too large: it follows
 *
 *     |d|^2 / sum_s |d_s|^2,
 *
 * which is K where all shards make the same change and 1 where the changes are at right angles (our
 * choice; half of the way, in logarithms, after every round).
 *
 * Cost: 2 D' multiply-adds a row and pass, and 2 D' more where alpha changes. */
#include "dcd_private.h"

#include <math.h>

#include "tile_fetch.h"

/* One row of one model in the solver's terms: alpha within bottom and top. For classes turned to
 * the side of y, so that rows of both classes have the same bounds. */
typedef struct row_state {
    double alpha, bottom, top, tube;
    double q; /* Q_ii + E_ii */
} row_state;

/* alpha after a coordinate step from the gradient g of the smooth part. */
static double stepped(const row_state *row, double g)
{
    double alpha = 0.0;
    if (row->q > 0.0) {
        const double up = row->alpha - (g + row->tube) / row->q;
        const double down = row->alpha - (g - row->tube) / row->q;
        alpha = up > 0.0 ? up : (down < 0.0 ? down : 0.0);
    } else if (isfinite(row->top)) { /* z_i = 0 */
        alpha = g + row->tube < 0.0 ? row->top : (g - row->tube > 0.0 ? row->bottom : 0.0);
    }
    return alpha < row->bottom ? row->bottom : (alpha > row->top ? row->top : alpha);
}

/* Derivatives on both sides of alpha; where the box ends there is nothing to descend to. */
typedef struct sides {
    double up, down;
} sides;

static sides derivatives(const row_state *row, double g)
{
    return (sides){
        .up = row->alpha >= row->top ? INFINITY : g + (row->alpha >= 0.0 ? row->tube : -row->tube),
        .down = row->alpha <= row->bottom ? -INFINITY
                                          : g + (row->alpha > 0.0 ? row->tube : -row->tube)};
}

/* A loss that is not made of quadratic pieces (Yu, Huang & Lin 2011): the multiplier that is best
 * for the row is that of its proximal step of size C c_i from the score without the row's own part,
 * alpha = C c_i slope(u - q alpha' + q alpha). No bound is ever reached, so no row is left out. */
static double visit_smooth_row(const dps_dcd *d, dps_dcd_part *m, double sigma,
                               const dps_visit *visit, double u, double y, double most,
                               double *alpha)
{
    const dps_loss *loss = d->problem->loss;
    const double before = *alpha, q = sigma * visit->norm2;
    const double next = loss->step(u - q * before, y, d->problem->epsilon, q, most);
    if (fabs(next - before) <= 1e-14 * most) {
        return 0.0;
    }
    *alpha = next;
    m->now.changes++;
    return next - before;
}

/* Visits a row; returns the step of alpha. */
static double visit_row(const dps_dcd *d, dps_dcd_part *m, int32_t k, const dps_visit *visit,
                        double u, double *alpha, uint8_t *active)
{
    const dps_problem *problem = d->problem;
    const double weight = dps_row_weight(problem, visit->row), most = problem->C * weight;
    const double y = dps_target(problem, k, visit->row), before = *alpha;
    const double sigma = d->model[k].sigma;
    m->now.visits++;
    if (weight == 0.0) {
        return 0.0;
    }
    const double e = dps_dcd_diagonal(problem, weight), top = dps_dcd_upper(problem, weight);
    const bool regression = problem->loss->regression;
    const double side = regression ? 1.0 : y, g = side * (u - y + e * before);
    const row_state s = {.alpha = side * before,
                         .bottom = regression ? -top : 0.0,
                         .top = top,
                         .tube = regression ? problem->epsilon : 0.0,
                         .q = sigma * visit->norm2 + e};
    m->now.gap += most * (problem->loss->value(u, y, problem->epsilon) -
                          dps_loss_dual(problem->loss, before / most, y, problem->epsilon)) +
                  before * u;
    if (!problem->loss->piecewise) {
        return visit_smooth_row(d, m, sigma, visit, u, y, most, alpha);
    }
    const sides slope = derivatives(&s, g);
    if ((s.alpha >= s.top || slope.up > d->model[k].above) &&
        (s.alpha <= s.bottom || slope.down < d->model[k].below)) {
        *active = 0;
        m->now.shrunk++;
        return 0.0;
    }
    const double pg = slope.up < 0.0 ? slope.up : (slope.down > 0.0 ? slope.down : 0.0);
    m->now.most = fmax(m->now.most, pg);
    m->now.least = fmin(m->now.least, pg);
    if (fabs(pg) <= d->still) {
        return 0.0;
    }
    *alpha = side * stepped(&s, g);
    m->now.changes += *alpha != before;
    return *alpha - before;
}

/* Notes a change for the end of the round. */
static void note_step(const dps_dcd *d, dps_dcd_part *part, int64_t row, size_t at, double before)
{
    const dps_problem *problem = d->problem;
    const dps_loss *loss = problem->loss;
    const int32_t k = (int32_t)(at % (size_t)d->solution->models);
    const double most = problem->C * dps_row_weight(problem, row), y = dps_target(problem, k, row);
    const double old = before / most, now = d->alpha[at] / most;
    part->step[part->steps++] = (dps_dcd_step){at, before};
    part->gain +=
        most * (loss->gain(now, y, problem->epsilon) - loss->gain(old, y, problem->epsilon));
    part->cross += most * loss->dual_bend * 2.0 * old * (now - old);
    part->square += most * loss->dual_bend * (now - old) * (now - old);
}

static void update_rows(void *context, int32_t l, int32_t k, const dps_visit *visit, int32_t count,
                        double *w)
{
    const dps_dcd *d = context;
    const size_t models = (size_t)d->solution->models;
    dps_dcd_part *part = dps_dcd_part_of(d, l, k);
    const double sigma = d->model[k].sigma;
    const dps_visit *seen[DPS_CHUNK_ROWS];
    int32_t active = 0;
    for (int32_t j = 0; j < count; j++) {
        if (d->active[(size_t)visit[j].row * models + (size_t)k]) {
            seen[active++] = &visit[j];
        }
    }
    for (int32_t j = 0; j < active; j++) {
        const dps_visit *v = seen[j];
        const size_t at = (size_t)v->row * models + (size_t)k;
        if (j + 1 < active) {
            dps_visit_prefetch(seen[j + 1]);
        }
        const double u = dps_visit_score(d->run->simd, v, w), before = d->alpha[at];
        const double step = visit_row(d, part, k, v, u, &d->alpha[at], &d->active[at]);
        if (step != 0.0) {
            dps_visit_add(d->run->simd, v, sigma * step, w);
            if (part->step != NULL) {
                note_step(d, part, v->row, at, before);
            }
        }
    }
}

/* ---------------------------------------------------------------- rounds of shards */

enum { HEAD_GAIN, HEAD_CROSS, HEAD_SQUARE };

static void open_round(void *context, int32_t l, int32_t k)
{
    dps_dcd_part *part = dps_dcd_part_of(context, l, k);
    part->gain = part->cross = part->square = 0.0;
    part->steps = 0;
}

/* own = d_s */
static void close_round(void *context, int32_t l, int32_t k, const double *w, double *own,
                        double *head)
{
    const dps_dcd *d = context;
    const dps_dcd_part *part = dps_dcd_part_of(d, l, k);
    const double sigma = d->model[k].sigma;
    for (size_t j = 0; j < d->solution->length; j++) {
        own[j] = (own[j] - w[j]) / sigma;
    }
    head[HEAD_GAIN] = part->gain;
    head[HEAD_CROSS] = part->cross;
    head[HEAD_SQUARE] = part->square;
}

static double merge_round(void *context, int32_t k, const double *sum, const double *head,
                          double *w)
{
    const dps_dcd *d = context;
    dps_dcd_model *m = &d->model[k];
    const size_t length = d->solution->length;
    const double norm2 = dps_dot(length, sum, sum);
    const double linear = head[HEAD_GAIN] - head[HEAD_CROSS] - dps_dot(length, w, sum);
    const double square = 2.0 * head[HEAD_SQUARE] + norm2;
    m->eta = linear >= square ? 1.0 : (linear > 0.0 ? linear / square : 0.0);
    dps_axpy(length, m->eta, sum, w);
    if (head[DPS_HEAD_NORM] > 0.0) {
        const double overlap = fmax(1.0, fmin(norm2 / head[DPS_HEAD_NORM], d->shards.total));
        m->sigma = sqrt(m->sigma * overlap);
    }
    return square > 0.0 ? linear / square : 1.0;
}

static void settle_round(void *context, int32_t l, int32_t k)
{
    const dps_dcd *d = context;
    const dps_dcd_part *part = dps_dcd_part_of(d, l, k);
    const double eta = d->model[k].eta;
    for (int32_t i = 0; i < part->steps && eta < 1.0; i++) {
        double *alpha = &d->alpha[part->step[i].at];
        *alpha = part->step[i].before + eta * (*alpha - part->step[i].before);
    }
}

dps_rule dps_dcd_rule(dps_dcd *d)
{
    return (dps_rule){.context = d,
                      .update = update_rows,
                      .open = open_round,
                      .close = close_round,
                      .merge = merge_round,
                      .settle = settle_round,
                      .wanted = d->wanted,
                      .block = dps_dcd_block_rule(d)};
}
