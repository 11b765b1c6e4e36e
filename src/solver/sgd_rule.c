/* Task: the steps of sgd (formulas: sgd.c) at the rows of a chunk, of a block and of a shard. */
#include <math.h>
#include <string.h>

#include "sgd_private.h"
#include "tile_fetch.h"
#include "tile_kernels.h"

/* ---------------------------------------------------------------- the row rule */

/* epoch += share (scale w - epoch). Within the first epoch iterates count ever more; later epochs
 * are averaged evenly, so that the order of their rows leaves no trace. */
static void average_iterate(const dps_sgd *g, dps_sgd_model *m, const double *w, double *epoch)
{
    const double power = g->solution->iterations == 0 ? DPS_SGD_AVERAGE_POWER : 0.0;
    const double share = (power + 1.0) / ((double)m->chunks + power + 1.0);
    for (size_t l = 0; l < g->solution->length; l++) {
        epoch[l] += share * (m->scale * w[l] - epoch[l]);
    }
    m->chunks++;
}

void dps_sgd_fold_scale(const dps_sgd *g, dps_sgd_model *m, double *w)
{
    for (size_t l = 0; l < g->solution->length; l++) {
        w[l] *= m->scale;
    }
    m->scale = 1.0;
}

static double step_of(const dps_sgd *g, int32_t k, const dps_visit *visit, double u, double size)
{
    const dps_problem *problem = g->problem;
    const double y = dps_target(problem, k, visit->row);
    return problem->loss->step(u, y, problem->epsilon, visit->norm2, size);
}

static dps_sgd_part *part_of(const dps_sgd *g, int32_t l, int32_t k)
{
    return &g->part[(size_t)l * (size_t)g->solution->models + (size_t)k];
}

/* eta after `seen` rows. */
static double step_size(const dps_sgd *g, int64_t seen)
{
    return g->eta0 / (1.0 + g->lambda * g->eta0 * (double)seen);
}

/* Steps at rows `seen`, `seen` + 1, ... of the model; all of a chunk have one size. */
static void take_steps(const dps_sgd *g, int32_t k, int64_t seen, const dps_visit *visit,
                       int32_t count, double *scale, double *w)
{
    const double eta = step_size(g, seen);
    const double rho = 1.0 / (1.0 + eta * g->lambda);
    for (int32_t j = 0; j < count; j++) {
        const dps_visit *v = &visit[j];
        const double size = eta * g->factor * dps_row_weight(g->problem, v->row);
        if (j + 1 < count) {
            dps_visit_prefetch(v + 1);
        }
        const double u = dps_visit_score(g->run->simd, v, w);
        *scale *= rho;
        const double a = size > 0.0 ? step_of(g, k, v, *scale * u, size) : 0.0;
        if (a != 0.0) {
            dps_visit_add(g->run->simd, v, a / *scale, w);
        }
    }
}

static void update_rows(void *context, int32_t l, int32_t k, const dps_visit *visit, int32_t count,
                        double *w)
{
    const dps_sgd *g = context;
    dps_sgd_model *m = &g->model[k];
    if (g->shards.total > 1) {
        dps_sgd_part *part = part_of(g, l, k);
        take_steps(g, k, m->seen + part->rows, visit, count, &part->scale, w);
        part->rows += count;
        return;
    }
    take_steps(g, k, m->seen, visit, count, &m->scale, w);
    m->seen += count;
    average_iterate(g, m, w, g->epoch + (size_t)k * g->solution->length);
    if (m->scale < 1e-6) {
        dps_sgd_fold_scale(g, m, w);
    }
}

/* ---------------------------------------------------------------- blocks */

/* The steps of take_steps, from scores that know of the block's other steps only what they did
 * along V: the iterate is scale (w + sum_i c_i z_i), s = V sum_i c_i z_i. */
static void chain_rows(void *context, const dps_block *block)
{
    const dps_sgd *g = context;
    dps_sgd_model *m = &g->model[block->k];
    double scale = m->scale, eta = 0.0, rho = 1.0;
    float s[DPS_COUPLED];
    memcpy(s, block->moved, sizeof s);
    m->apart = 0.0;
    for (int32_t j = 0; j < block->count; j++) {
        dps_visit v = block->visit[j];
        const float *p = block->coupling + v.row * DPS_COUPLED;
        const double rest = fmax(0.0, v.norm2 - dps_coupling_dot(p, p));
        if (j % DPS_CHUNK_ROWS == 0) {
            eta = step_size(g, m->seen + j);
            rho = 1.0 / (1.0 + eta * g->lambda);
        }
        const double size = eta * g->factor * dps_row_weight(g->problem, v.row);
        scale *= rho;
        v.norm2 += (m->sigma - 1.0) * rest;
        const double u = scale * (block->u[j] + dps_coupling_dot(p, s));
        block->c[j] = size > 0.0 ? step_of(g, block->k, &v, u, size) / scale : 0.0;
        m->apart += block->c[j] * block->c[j] * rest;
        dps_coupling_add((float)block->c[j], p, s);
    }
    m->common = dps_coupling_since(s, block->moved);
    m->shrunk = scale;
}

static double take_block(void *context, const dps_block *block, const double *change, double *w)
{
    const dps_sgd *g = context;
    const size_t length = g->solution->length;
    dps_sgd_model *m = &g->model[block->k];
    dps_axpy(length, 1.0, change, w);
    m->scale = m->shrunk;
    m->seen += block->count;
    double overlap = 1.0;
    if (m->apart > 0.0) {
        overlap = (dps_dot(length, change, change) - m->common) / m->apart;
        m->sigma = sqrt(m->sigma * fmax(1.0, fmin(overlap, (double)block->count)));
    }
    average_iterate(g, m, w, g->epoch + (size_t)block->k * length);
    if (block->last && m->scale < 1e-6) { /* no scores are of w as it was */
        dps_sgd_fold_scale(g, m, w);
    }
    return overlap;
}

/* ---------------------------------------------------------------- rounds of shards */

static void open_round(void *context, int32_t l, int32_t k)
{
    *part_of(context, l, k) = (dps_sgd_part){.scale = 1.0};
}

/* own = rows (iterate - w) */
static void close_round(void *context, int32_t l, int32_t k, const double *w, double *own,
                        double *head)
{
    const dps_sgd *g = context;
    const dps_sgd_part *part = part_of(g, l, k);
    for (size_t j = 0; j < g->solution->length; j++) {
        own[j] = (double)part->rows * (part->scale * own[j] - w[j]);
    }
    head[0] = (double)part->rows;
}

/* w = mean of the iterates, weighted by rows; the model has seen as many rows as a shard has. */
static double merge_round(void *context, int32_t k, const double *sum, const double *head,
                          double *w)
{
    const dps_sgd *g = context;
    dps_sgd_model *m = &g->model[k];
    dps_axpy(g->solution->length, 1.0 / head[0], sum, w);
    m->seen += (int64_t)ceil(head[0] / g->shards.total);
    average_iterate(g, m, w, g->epoch + (size_t)k * g->solution->length);
    return 2.0;
}

dps_rule dps_sgd_rule(dps_sgd *g)
{
    return (dps_rule){.context = g,
                      .update = update_rows,
                      .open = open_round,
                      .close = close_round,
                      .merge = merge_round,
                      .block = {.chain = chain_rows, .take = take_block}};
}
