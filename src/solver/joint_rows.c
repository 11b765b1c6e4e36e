/* Task: Newton's direction of models of which few rows have a loss, in the coordinates of those
 * rows A (ridge.h):
 *
 *     p = Z_A^T alpha - w,    (Z_A Z_A^T + B_A^-1 / (2 C)) alpha = y_A,    B = diag(c),
 *
 * the exact minimiser where the rows that have a loss stay those. Few: at most as many as columns,
 * where |A|^2 D' + |A|^3 / 3 is less than a Hessian's |A| D'^2 + D'^3 / 3. Over ranks every one
 * gets the rows and does the same. */
#include "joint_private.h"

#include <omp.h>
#include <string.h>
#include "cholesky.h"
#include "comm.h"
#include "products.h"
#include "tile_kernels.h"

/* Rows of a model, each followed by y and 1 / (2 C c). */
typedef struct member {
    int32_t at;   /* its place among the live */
    char *rows;   /* of all ranks */
    char *owned;  /* NULL: they lie among those of the group */
    size_t first; /* of this rank's rows among the group's */
    size_t mine, count;
} member;

typedef struct group {
    member *list;
    int32_t members;
    size_t rows, capacity; /* of this rank */
    float *row;
} group;

static size_t row_floats(const dps_joint *j)
{
    return j->stride + DPS_PAD;
}

static bool has_loss(const dps_joint *j, const dps_joint_model *m, int64_t i)
{
    const double u = j->u[(size_t)(m - j->model) * j->rows + (size_t)i];
    return dps_joint_residual(j->problem, dps_target(j->problem, m->k, i), u) != 0 &&
           dps_joint_weight(j, m->fold, i) > 0;
}

/* After steps that leave few rows with a loss: these are cheap, and shrink A fast. */
static bool is_few(const dps_joint *j, const dps_joint_model *m)
{
    enum { FIRST = 12, PATIENCE = 24 };
    const double most = (double)j->order * (j->steps >= PATIENCE ? 1 : 0.5);
    return j->steps >= FIRST && m->active > 0 && m->active <= most;
}

/* Members from the live place `first` on, as many as a group's memory is for; returns the place
 * after them. The same on all ranks. */
static int32_t form(const dps_joint *j, int32_t first, group *g)
{
    double rows = 0;
    int32_t l = first;
    g->members = 0;
    for (; l < j->lives; l++) {
        const dps_joint_model *m = &j->model[j->live[l]];
        if (!is_few(j, m)) {
            continue;
        }
        if (rows > 0 && rows + m->active > 2 * (double)j->order) {
            break;
        }
        rows += m->active;
        g->list[g->members++] = (member){.at = l, .count = (size_t)m->active};
    }
    g->rows = 0;
    for (int32_t i = 0; i < g->members; i++) {
        member *of = &g->list[i];
        of->first = g->rows;
        for (int64_t r = 0; r < j->problem->source->rows; r++) {
            of->mine += has_loss(j, &j->model[j->live[of->at]], r);
        }
        g->rows += of->mine;
    }
    return l;
}

static void take_row(const dps_joint *j, const dps_joint_model *m, int64_t i, const float *z,
                     float *to)
{
    const double more[2] = {dps_target(j->problem, m->k, i),
                            1 / (2 * j->C * dps_joint_weight(j, m->fold, i))};
    memcpy(to, z, j->stride * sizeof *to);
    memcpy(to + j->stride, more, sizeof more);
}

/* This rank's rows of every member, in one pass over the tiles. */
static dps_status take_rows(const dps_joint *j, group *g, void *fetch, dps_error *err)
{
    const dps_tile_source *source = j->problem->source;
    for (int32_t i = 0; i < g->members; i++) {
        g->list[i].mine = 0;
    }
    for (int64_t t = 0; t < dps_tile_count(source->rows); t++) {
        dps_z_tile tile;
        DPS_TRY(dps_fetch(source, t, fetch, &tile, err));
        for (int32_t i = 0; i < g->members; i++) {
            member *of = &g->list[i];
            const dps_joint_model *m = &j->model[j->live[of->at]];
            for (int32_t r = 0; r < tile.rows; r++) {
                if (has_loss(j, m, t * DPS_TILE_ROWS + r)) {
                    take_row(j, m, t * DPS_TILE_ROWS + r, tile.z + (size_t)r * tile.stride,
                             g->row + (of->first + of->mine++) * row_floats(j));
                }
            }
        }
    }
    return DPS_OK;
}

/* The rows of every member from all ranks. */
static dps_status exchange(const dps_joint *j, group *g, const dps_comm *comm, dps_error *err)
{
    const size_t ranks = (size_t)dps_comm_size(comm), size = row_floats(j) * sizeof *g->row;
    size_t *begin = dps_alloc(ranks + 1, sizeof *begin);
    dps_status status =
        begin != NULL ? DPS_OK : dps_out_of_memory(err, ranks + 1, sizeof *begin, "ranks");
    status = dps_comm_agree(comm, status, err);
    for (int32_t i = 0; i < g->members && status == DPS_OK; i++) {
        member *of = &g->list[i];
        status = dps_comm_gather(comm, of->rows, of->mine * size, &of->owned, begin, err);
        of->rows = of->owned;
    }
    dps_free(begin);
    return status;
}

static dps_status gather(const dps_joint *j, group *g, const dps_run *run, dps_error *err)
{
    const dps_comm *comm = dps_problem_comm(j->problem, run);
    const size_t size = row_floats(j) * sizeof *g->row;
    if (g->rows > g->capacity) {
        dps_free(g->row);
        g->row = dps_alloc(g->rows, size);
        g->capacity = g->rows;
    }
    void *fetch = dps_alloc(1, dps_fetch_bytes(j->problem->source));
    dps_status status = (g->rows > 0 && g->row == NULL) || fetch == NULL
                            ? dps_out_of_memory(err, g->rows, size, "rows with a loss")
                            : take_rows(j, g, fetch, err);
    dps_free(fetch);
    for (int32_t i = 0; i < g->members && status == DPS_OK; i++) {
        g->list[i].rows = (char *)(g->row + g->list[i].first * row_floats(j));
    }
    status = dps_comm_agree(comm, status, err);
    return status == DPS_OK && comm != NULL ? exchange(j, g, comm, err) : status;
}

/* k: count x count, and what follows it; false: no factor. */
static bool solve(const dps_joint *j, const member *of, dps_simd simd, double *k)
{
    const size_t n = of->count, ld = row_floats(j);
    const float *row = (const float *)(const void *)of->rows;
    double *alpha = k + n * n;
    void *scratch = alpha + dps_round_up(n, DPS_PAD);
    for (size_t a = 0; a < n; a += DPS_TILE_ROWS) {
        for (size_t b = 0; b <= a; b += DPS_TILE_ROWS) {
            const size_t rows_a = n - a < DPS_TILE_ROWS ? n - a : DPS_TILE_ROWS;
            const size_t rows_b = n - b < DPS_TILE_ROWS ? n - b : DPS_TILE_ROWS;
            dps_gram_add(simd, j->order, rows_a, row + a * ld, rows_b, row + b * ld, ld, a - b,
                         k + a * n + b, n, scratch);
        }
    }
    for (size_t i = 0; i < n; i++) {
        double more[2];
        memcpy(more, row + i * ld + j->stride, sizeof more);
        alpha[i] = more[0];
        k[i * n + i] += more[1];
    }
    if (!dps_cholesky(simd, 1, n, k, n, scratch)) {
        return false;
    }
    dps_cholesky_solve(n, k, n, alpha);
    return true;
}

static size_t solve_doubles(size_t n)
{
    const size_t gram = dps_gram_bytes(), factor = dps_cholesky_bytes(n);
    return n * n + dps_round_up(n, DPS_PAD) + (gram > factor ? gram : factor) / sizeof(double);
}

/* p of the member's model; false: memory. */
static bool direct(dps_joint *j, const member *of, dps_simd simd)
{
    const size_t n = of->count, at = (size_t)j->live[of->at] * j->stride, ld = row_floats(j);
    const float *row = (const float *)(const void *)of->rows;
    dps_joint_model *m = &j->model[j->live[of->at]];
    double *k = dps_alloc(solve_doubles(n), sizeof *k), *p = j->p + at;
    if (k == NULL) {
        return false;
    }
    m->exact = solve(j, of, simd, k);
    for (size_t e = 0; e < j->stride; e++) {
        p[e] = -j->w[at + e];
    }
    for (size_t first = 0; first < n && m->exact; first += DPS_TILE_ROWS) {
        const size_t rows = n - first < DPS_TILE_ROWS ? n - first : DPS_TILE_ROWS;
        const dps_z_tile tile = {
            .rows = (int32_t)rows, .width = (int32_t)j->order, .stride = ld, .z = row + first * ld};
        int32_t list[DPS_TILE_ROWS];
        for (size_t i = 0; i < rows; i++) {
            list[i] = (int32_t)i;
        }
        dps_tile_add_panel(simd, &tile, list, (int32_t)rows, k + n * n + first, 0, j->stride, p);
    }
    dps_free(k);
    return true;
}

static dps_status direct_all(dps_joint *j, group *g, const dps_run *run, dps_error *err)
{
    int32_t first = 0;
    while (first < j->lives) {
        first = form(j, first, g);
        dps_status status = gather(j, g, run, err);
        bool enough = true;
        if (status == DPS_OK) {
            const int threads = dps_run_threads(run, g->members);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) reduction(&& : enough)
            for (int32_t i = 0; i < g->members; i++) {
                enough = direct(j, &g->list[i], run->simd) && enough;
            }
        }
        for (int32_t i = 0; i < g->members; i++) {
            dps_free(g->list[i].owned);
        }
        DPS_TRY(status);
        if (!enough) {
            return dps_out_of_memory(err, j->order * j->order, 2, "rows with a loss");
        }
    }
    return DPS_OK;
}

size_t dps_joint_rows_bytes(const dps_problem *problem, int threads)
{
    const size_t order = (size_t)problem->source->width;
    return 2 * order * (problem->source->stride + DPS_PAD) * sizeof(float) +
           (size_t)threads * solve_doubles(order) * sizeof(double);
}

dps_status dps_joint_direct(dps_joint *j, const dps_run *run, dps_error *err)
{
    group g = {.list = dps_alloc((size_t)j->lives, sizeof *g.list)};
    dps_status status = g.list != NULL ? DPS_OK
                                       : dps_out_of_memory(err, (size_t)j->lives, sizeof *g.list,
                                                           "rows with a loss");
    for (int32_t l = 0; l < j->lives; l++) {
        j->model[j->live[l]].exact = false;
    }
    status = dps_comm_agree(dps_problem_comm(j->problem, run), status, err);
    DPS_THEN(status, direct_all(j, &g, run, err));
    dps_free(g.row);
    dps_free(g.list);
    return status;
}
