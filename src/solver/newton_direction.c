/* Task: Newton's direction of each model that moves,
 *
 *     (I + stiffness C K) p = -g,    K = sum_i c_i bend(u_i) z_i z_i^T,
 *
 * by a Cholesky factor in double. The models of a batch are dealt to the ranks, a rank's to its
 * threads; few models have all threads for each factor. Which it is changes no bit. */
#include "newton_direction.h"

#include <math.h>
#include <omp.h>

#include "cholesky.h"
#include "comm.h"
#include "tile_kernels.h"

/* a = (1 + ridge) I + scale K in the lower triangle. */
static void assemble(const dps_newton_batch *batch, const double *packed, double scale,
                     double ridge, int threads, double *a)
{
    const size_t n = (size_t)batch->problem->source->width, m = batch->order;
    dps_run run = *batch->run;
    run.threads = threads;
    const int team = dps_run_threads_for(&run, (int64_t)n, (double)dps_packed_size(n));
#pragma omp parallel for schedule(static, 8) num_threads(team) if (team > 1)
    for (size_t i = 0; i < n; i++) {
        const double *from = packed + dps_packed_size(i);
        double *to = a + i * m;
        for (size_t l = 0; l <= i; l++) {
            to[l] = scale * from[l];
        }
        to[i] += 1.0 + ridge;
    }
}

static double largest_diagonal(const dps_newton_batch *batch, const double *packed)
{
    double largest = 0.0;
    for (size_t i = 0; i < (size_t)batch->problem->source->width; i++) {
        largest = fmax(largest, packed[dps_packed_size(i) + i]);
    }
    return largest;
}

/* p = -H^-1 g. Float sums may leave H indefinite where C is large: then a ridge is added, and the
 * Hessian is rebuilt in the next round, of double sums from then on. False: not even with a ridge.
 */
static bool find_direction(const dps_newton_batch *batch, dps_newton_model *m, int threads,
                           double *a)
{
    enum { MOST_TRIES = 12 };
    const size_t n = (size_t)batch->problem->source->width;
    const double scale = batch->level.C * batch->problem->loss->stiffness(m->h);
    double ridge = 0.0;
    for (int i = 0; i < MOST_TRIES; i++) {
        assemble(batch, m->hessian, scale, ridge, threads, a);
        if (dps_cholesky(batch->run->simd, threads, n, a, batch->order,
                         a + batch->order * batch->order)) {
            for (size_t l = 0; l < n; l++) {
                m->p[l] = -m->g[l];
            }
            dps_cholesky_solve(n, a, batch->order, m->p);
            m->decrement = -dps_dot(n, m->g, m->p);
            return true;
        }
        m->refresh = m->updates > 0 || !m->exact;
        m->exact = true;
        ridge = i == 0 ? 1e-7 * scale * largest_diagonal(batch, m->hessian) : 10.0 * ridge;
    }
    return false;
}

/* Of this rank's moving models: side by side, or, where they are few, one after the other by all
 * threads. */
static void find_own_directions(dps_newton_workspace *ws)
{
    const dps_newton_batch *batch = &ws->batch;
    const int ranks = dps_comm_size(batch->comm), rank = dps_comm_rank(batch->comm);
    const double width = (double)batch->length, work = width * width * width / 3;
    int32_t moving = 0;
    for (int32_t j = rank; j < batch->count; j += ranks) {
        moving += batch->model[j].moving;
    }
    const bool in_turn = moving <= 1 || 4 * moving <= batch->run->threads;
    const int threads = in_turn ? 1 : dps_run_threads_for(batch->run, ws->matrices, moving * work);
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (!in_turn)
    for (int32_t j = rank; j < batch->count; j += ranks) {
        dps_newton_model *m = &batch->model[j];
        if (m->moving) {
            double *matrix = ws->matrix[in_turn ? 0 : omp_get_thread_num()];
            m->has_direction = find_direction(batch, m, in_turn ? batch->run->threads : 1, matrix);
        }
    }
}

void dps_newton_find_directions(dps_newton_workspace *ws)
{
    const dps_newton_batch *batch = &ws->batch;
    const int ranks = dps_comm_size(batch->comm);
    find_own_directions(ws);
    for (int32_t j = 0; j < batch->count; j++) {
        dps_newton_model *m = &batch->model[j];
        if (m->moving) {
            const int owner = j % ranks;
            dps_comm_broadcast(batch->comm, owner, m->p, batch->length * sizeof *m->p);
            dps_comm_broadcast(batch->comm, owner, &m->decrement, sizeof m->decrement);
            dps_comm_broadcast(batch->comm, owner, &m->refresh, sizeof m->refresh);
            dps_comm_broadcast(batch->comm, owner, &m->exact, sizeof m->exact);
            dps_comm_broadcast(batch->comm, owner, &m->has_direction, sizeof m->has_direction);
        }
    }
}
