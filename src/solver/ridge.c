/* Task: ridge.h.
 *
 * Columns: H_f = sum of c z z^T over the rows of fold f, in float chains of a tile (products.h),
 * and H of all; a fold is solved on H - H_f. Rounding may leave that indefinite where C is large:
 * the ridge is then raised tenfold until the factor exists, which held-out rows hardly notice.
 * Rows: K in double (few_rows.h); a fold is solved on K without its rows and columns, where u = K
 * alpha = t - B^-1 alpha / (2 C).
 *
 * Moving targets: with t_i the nearest point to u_i at which the loss of row i is 0, the squared
 * hinge is min over t of (t - u)^2, so that solving for w and moving t in turn lowers it (a
 * majoriser whose matrix is that of all rows, hence one factor for all steps and models). Steps are
 * extrapolated (Beck & Teboulle 2009), from y as the first targets.
 *
 * Cost: n D'^2 / 2 once, for each C and fold D'^3 / 3, and for each move and model D'^2 and 2 n D';
 * n instead of D' by rows, and no 2 n D'. */
#include "ridge.h"

#include <math.h>
#include <omp.h>
#include <string.h>
#include "allocation.h"
#include "cholesky.h"
#include "comm.h"
#include "few_rows.h"
#include "interior_private.h"
#include "ordered_sum.h"
#include "products.h"
#include "tile_fetch.h"
#include "tile_kernels.h"
#include "tile_loop.h"

struct dps_ridge {
    const dps_problem *problem;
    const int32_t *fold;
    int32_t folds, models;
    size_t order;  /* of the systems: columns, or rows */
    size_t stride; /* of right-hand sides and weights: order, padded */
    /* by rows, of all ranks: */
    dps_few_rows few;
    char *folds_of_all;      /* NULL: fold has them */
    const int32_t *all_fold; /* of each row */
    double *gram;            /* order x order, lower triangle */
    double *sums;            /* by columns: folds + 1 times the packed lower triangle of H_f, and
                         models x stride of sum c y z; the last of all rows */
    bool by_rows;
    /* by columns, the solve in hand: */
    double *factor; /* folds x order x order */
    double *w;      /* folds x models x stride: right-hand sides, then weights */
    double *b;      /* the next right-hand sides */
    double *u;      /* folds x models x rows: scores of the rows that train */
};

/* ---- sizes ----------------------------------------------------------------------------------- */

static bool has_few_rows(const dps_tile_source *source)
{
    const int64_t rows = dps_tiles_rows(source);
    return rows <= DPS_RIDGE_ROWS && (source->sparse_columns > 0 || rows <= source->width);
}

bool dps_ridge_takes(const dps_tile_source *source)
{
    return has_few_rows(source) || (source->total_rows == 0 && source->sparse_columns == 0 &&
                                    source->width <= DPS_RIDGE_COLUMNS);
}

static size_t packed(size_t n)
{
    return n * (n + 1) / 2;
}

enum { ARRAYS = 4 }; /* of a model by rows: alpha, u, t, the diagonal */

/* Doubles of the sums of one fold. */
static size_t fold_doubles(size_t order, size_t stride, size_t models)
{
    return packed(order) + models * stride;
}

size_t dps_ridge_bytes(const dps_problem *problem, int32_t folds, int threads)
{
    const dps_tile_source *source = problem->source;
    const size_t models = (size_t)dps_problem_models(problem);
    const size_t rows = (size_t)dps_tiles_rows(source);
    const size_t each = (size_t)folds, at_work = (size_t)threads, width = (size_t)source->width;
    if (has_few_rows(source)) {
        return (rows * rows + at_work * (rows * rows + ARRAYS * rows)) * sizeof(double) +
               at_work * dps_cholesky_bytes(rows) + dps_few_rows_bytes(source);
    }
    const size_t sums = (each + 2) * fold_doubles(width, source->stride, models);
    const size_t solve = each * (width * width + models * (4 * source->stride + rows));
    return (sums + solve) * sizeof(double) + at_work * dps_cholesky_bytes(width);
}

/* ---- inner products -------------------------------------------------------------------------- */

typedef struct summing {
    const dps_ridge *ridge;
    const dps_run *run;
    int32_t fold; /* the rows of it; < 0: those that always train */
} summing;

/* Scratch: the fetched tile, gathered rows, products, a list of rows with their c y. */
typedef struct adder {
    char *fetch;
    float *row;
    void *products;
    int32_t *list;
    double *c;
} adder;

static size_t carve(const dps_tile_source *source, char *scratch, adder *a)
{
    const size_t fetch = dps_fetch_bytes(source);
    const size_t rows = fetch + DPS_TILE_ROWS * source->stride * sizeof(float);
    const size_t products = rows + dps_round_up(dps_cross_bytes(source->stride), DPS_ALIGN);
    const size_t list = products + DPS_TILE_ROWS * sizeof(double);
    if (scratch != NULL) {
        *a = (adder){.fetch = scratch,
                     .row = (float *)(void *)(scratch + fetch),
                     .products = scratch + rows,
                     .c = (double *)(void *)(scratch + products),
                     .list = (int32_t *)(void *)(scratch + list)};
    }
    return list + DPS_TILE_ROWS * sizeof(int32_t);
}

static dps_status add_tile(void *context, int64_t t, double *sum, void *scratch, dps_error *err)
{
    const summing *s = context;
    const dps_ridge *r = s->ridge;
    const dps_problem *problem = r->problem;
    const size_t stride = problem->source->stride;
    adder a = {0};
    dps_z_tile tile;
    int32_t count = 0;
    (void)carve(problem->source, scratch, &a);
    DPS_TRY(dps_fetch(problem->source, t, a.fetch, &tile, err));
    for (int32_t i = 0; i < tile.rows; i++) {
        const int64_t at = t * DPS_TILE_ROWS + i;
        const double c = dps_row_weight(problem, at);
        if (c == 0 || (s->fold < 0 ? r->fold[at] >= 0 : r->fold[at] != s->fold)) {
            continue;
        }
        const float factor = (float)sqrt(c);
        float *row = a.row + (size_t)count * stride;
        const float *z = tile.z + (size_t)i * stride;
        for (size_t j = 0; j < stride; j++) {
            row[j] = factor * z[j];
        }
        a.list[count++] = i;
    }
    if (count == 0) {
        return DPS_OK;
    }
    dps_cross_add(s->run->simd, false, (size_t)count, r->order, a.row, stride, 1.0, sum,
                  a.products);
    for (int32_t k = 0; k < r->models; k++) {
        for (int32_t i = 0; i < count; i++) {
            const int64_t at = t * DPS_TILE_ROWS + a.list[i];
            a.c[i] = dps_row_weight(problem, at) * dps_target(problem, k, at);
        }
        dps_tile_add_panel(s->run->simd, &tile, a.list, count, a.c, 0, stride,
                           sum + packed(r->order) + (size_t)k * stride);
    }
    return DPS_OK;
}

static double *sums_of(const dps_ridge *r, int32_t fold)
{
    return r->sums + (size_t)fold * fold_doubles(r->order, r->stride, (size_t)r->models);
}

static dps_status sum_fold(dps_ridge *r, int32_t fold, const dps_run *run, double *total,
                           dps_error *err)
{
    const dps_tile_source *source = r->problem->source;
    const int64_t tiles = dps_tile_count(source->rows);
    const size_t elements = fold_doubles(r->order, r->stride, (size_t)r->models);
    const double flops = (double)r->order * (double)r->order * DPS_TILE_ROWS;
    summing s = {r, run, fold};
    const dps_ordered_sum sum = {.tiles = tiles,
                                 .slots = dps_slot_count(tiles, elements, flops),
                                 .elements = elements,
                                 .scratch_bytes = carve(source, NULL, NULL),
                                 .add = add_tile,
                                 .context = &s};
    return dps_ordered_sum_run(&sum, run, total, err);
}

/* The rows that always train first, in the last place; then every fold, added to it. One fold is
 * held out and never trains: its sums are not needed. */
static dps_status sum_columns(dps_ridge *r, const dps_run *run, dps_error *err)
{
    const size_t elements = fold_doubles(r->order, r->stride, (size_t)r->models);
    double *all = sums_of(r, r->folds);
    DPS_TRY(sum_fold(r, -1, run, all, err));
    for (int32_t f = 0; f < r->folds && r->folds > 1; f++) {
        double *own = sums_of(r, f);
        DPS_TRY(sum_fold(r, f, run, own, err));
        for (size_t i = 0; i < elements; i++) {
            all[i] += own[i];
        }
    }
    return DPS_OK;
}

static dps_status allocate(dps_ridge *r, dps_error *err)
{
    const size_t n = r->order, models = (size_t)r->models, folds = (size_t)r->folds;
    if (r->by_rows) {
        r->gram = dps_alloc(n * n, sizeof *r->gram);
        return r->gram == NULL ? dps_out_of_memory(err, n * n, sizeof *r->gram, "inner products")
                               : DPS_OK;
    }
    const size_t rows = (size_t)r->problem->source->rows;
    r->sums = dps_alloc((folds + 1) * fold_doubles(n, r->stride, models), sizeof *r->sums);
    r->factor = dps_alloc(folds * n * n, sizeof *r->factor);
    r->w = dps_alloc(folds * models * r->stride, sizeof *r->w);
    r->b = dps_alloc(folds * models * r->stride, sizeof *r->b);
    r->u = dps_alloc(folds * models * rows, sizeof *r->u);
    return r->sums == NULL || r->factor == NULL || r->w == NULL || r->b == NULL || r->u == NULL
               ? dps_out_of_memory(err, (folds + 1) * n * n, sizeof *r->sums, "inner products")
               : DPS_OK;
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
        comm, dps_comm_rank(comm) == root ? dps_interior_gram(&r->few, run, r->gram, err) : DPS_OK,
        err));
    dps_comm_broadcast(comm, root, r->gram, r->order * r->order * sizeof *r->gram);
    return DPS_OK;
}

dps_status dps_ridge_new(dps_ridge **out, const dps_problem *problem, const int32_t *fold,
                         int32_t folds, const dps_run *run, dps_error *err)
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
    r->by_rows = has_few_rows(problem->source);
    r->order = (size_t)(r->by_rows ? dps_tiles_rows(problem->source) : problem->source->width);
    r->stride = r->by_rows ? r->order : problem->source->stride;
    DPS_TRY(dps_comm_agree(dps_problem_comm(problem, run), allocate(r, err), err));
    return r->by_rows ? multiply_rows(r, run, err) : sum_columns(r, run, err);
}

void dps_ridge_free(dps_ridge *r)
{
    if (r != NULL) {
        dps_few_rows_release(&r->few);
        dps_free(r->folds_of_all);
        dps_free(r->gram);
        dps_free(r->sums);
        dps_free(r->factor);
        dps_free(r->w);
        dps_free(r->b);
        dps_free(r->u);
        dps_free(r);
    }
}

/* ---- targets --------------------------------------------------------------------------------- */

/* The nearest point to u where the loss of row i is 0. */
static double moved(const dps_problem *problem, int32_t k, int64_t i, double u)
{
    const double y = dps_target(problem, k, i);
    if (problem->loss->regression) {
        return fmin(fmax(u, y - problem->epsilon), y + problem->epsilon);
    }
    return y > 0 ? fmax(u, 1.0) : fmin(u, -1.0);
}

/* How far the m-th step (from 1) is extrapolated. */
static double momentum(int m)
{
    double t = 1, next = 1;
    for (int j = 0; j < m; j++) {
        t = next;
        next = (1 + sqrt(1 + 4 * t * t)) / 2;
    }
    return (t - 1) / next;
}

/* ---- by rows --------------------------------------------------------------------------------- */

/* A fold without its rows. */
typedef struct fold_system {
    size_t n;
    double *a;             /* n x n: K, then its factor */
    double *diagonal;      /* n: what the ridge adds */
    double *alpha, *u, *t; /* n, of one model */
    int64_t *place;        /* of each row that trains */
    void *scratch;         /* of the factor */
} fold_system;

static bool system_init(fold_system *s, const dps_ridge *r)
{
    const size_t n = r->order;
    s->a = dps_alloc(n * n, sizeof *s->a);
    s->diagonal = dps_alloc(ARRAYS * n, sizeof *s->diagonal);
    s->place = dps_alloc(n, sizeof *s->place);
    s->scratch = dps_alloc(dps_cholesky_bytes(n), 1);
    if (s->a == NULL || s->diagonal == NULL || s->place == NULL || s->scratch == NULL) {
        return false;
    }
    s->alpha = s->diagonal + n;
    s->u = s->alpha + n;
    s->t = s->u + n;
    return true;
}

static void system_release(fold_system *s)
{
    dps_free(s->a);
    dps_free(s->diagonal);
    dps_free(s->place);
    dps_free(s->scratch);
}

static void fill_system(const dps_ridge *r, int32_t fold, double C, fold_system *s)
{
    const dps_problem *problem = &r->few.problem;
    s->n = 0;
    for (int64_t i = 0; i < problem->source->rows; i++) {
        const double c = dps_row_weight(problem, i);
        if (r->all_fold[i] != fold && c > 0) {
            s->diagonal[s->n] = 1 / (2 * C * c);
            s->place[s->n++] = i;
        }
    }
    for (size_t i = 0; i < s->n; i++) {
        const double *from = r->gram + (size_t)s->place[i] * r->order;
        for (size_t j = 0; j <= i; j++) {
            s->a[i * s->n + j] = from[s->place[j]];
        }
        s->a[i * s->n + i] += s->diagonal[i];
    }
}

/* alpha of model k. */
static void solve_model(const dps_ridge *r, int32_t k, int moves, fold_system *s)
{
    for (size_t i = 0; i < s->n; i++) {
        s->t[i] = dps_target(&r->few.problem, k, s->place[i]);
        s->u[i] = 0;
    }
    for (int m = 0; m <= moves; m++) {
        const double far = momentum(m);
        memcpy(s->alpha, s->t, s->n * sizeof *s->t);
        dps_cholesky_solve(s->n, s->a, s->n, s->alpha);
        for (size_t i = 0; i < s->n && m < moves; i++) {
            const double u = s->t[i] - s->diagonal[i] * s->alpha[i];
            s->t[i] = moved(&r->few.problem, k, s->place[i], u + far * (u - s->u[i]));
            s->u[i] = u;
        }
    }
}

/* Of this rank's rows. */
static void score_model(const dps_ridge *r, int32_t k, int32_t fold, const fold_system *s,
                        double *held)
{
    const dps_tile_source *own = r->problem->source;
    const int64_t rows = (int64_t)r->order, end = own->first_row + own->rows;
    for (int64_t i = own->first_row; i < end; i++) {
        double sum = 0;
        for (size_t j = 0; j < s->n && r->all_fold[i] == fold; j++) {
            const int64_t p = s->place[j];
            sum += s->alpha[j] * (p < i ? r->gram[i * rows + p] : r->gram[p * rows + i]);
        }
        if (r->all_fold[i] == fold) {
            held[k * own->rows + i - own->first_row] = sum;
        }
    }
}

static bool hold_by_rows(const dps_ridge *r, int32_t fold, double C, int moves, fold_system *s,
                         const dps_run *run, double *held)
{
    fill_system(r, fold, C, s);
    if (!dps_cholesky(run->simd, s->n, s->a, s->n, s->scratch)) {
        return false;
    }
    for (int32_t k = 0; k < r->models; k++) {
        solve_model(r, k, moves, s);
        score_model(r, k, fold, s, held);
    }
    return true;
}

static dps_status by_rows(const dps_ridge *r, double C, int moves, double *held, const dps_run *run,
                          dps_error *err)
{
    const double n = (double)r->order, work = r->folds * n * n * n / 3;
    bool enough = true, solved = true;
#pragma omp parallel num_threads(dps_run_threads_for(run, r->folds, work)) \
    reduction(&& : enough, solved)
    {
        fold_system s = {0};
        enough = system_init(&s, r);
#pragma omp for schedule(dynamic, 1)
        for (int32_t f = 0; f < r->folds; f++) {
            solved = enough && hold_by_rows(r, f, C, moves, &s, run, held) && solved;
        }
        system_release(&s);
    }
    if (!enough) {
        return dps_out_of_memory(err, r->order * r->order, sizeof(double), "a factor");
    }
    return solved ? DPS_OK : dps_error_set(err, DPS_ERROR_NUMERIC, "inner products are not finite");
}

/* ---- by columns ------------------------------------------------------------------------------ */

static size_t model_at(const dps_ridge *r, int32_t fold, int32_t k)
{
    return (size_t)fold * (size_t)r->models + (size_t)k;
}

/* Of the rows that train without a fold; false: not finite. */
static bool factor_fold(const dps_ridge *r, int32_t fold, double C, const dps_run *run,
                        void *scratch)
{
    enum { MOST_RAISES = 12 };
    const size_t n = r->order;
    const double *all = sums_of(r, r->folds), *own = sums_of(r, fold);
    const double less = r->folds > 1 ? 1.0 : 0.0;
    double *a = r->factor + (size_t)fold * n * n, ridge = 1 / (2 * C);
    for (int raises = 0; raises < MOST_RAISES; raises++, ridge *= 10) {
        for (size_t i = 0, at = 0; i < n; i++) {
            for (size_t j = 0; j <= i; j++, at++) {
                a[i * n + j] = all[at] - less * own[at];
            }
            a[i * n + i] += ridge;
        }
        if (dps_cholesky(run->simd, n, a, n, scratch)) {
            return true;
        }
    }
    return false;
}

static dps_status factor_all(const dps_ridge *r, double C, const dps_run *run, dps_error *err)
{
    const double n = (double)r->order, work = r->folds * n * n * n / 3;
    bool enough = true, finite = true;
#pragma omp parallel num_threads(dps_run_threads_for(run, r->folds, work)) \
    reduction(&& : enough, finite)
    {
        void *scratch = dps_alloc(dps_cholesky_bytes(r->order), 1);
        enough = scratch != NULL;
#pragma omp for schedule(dynamic, 1)
        for (int32_t f = 0; f < r->folds; f++) {
            finite = enough && factor_fold(r, f, C, run, scratch) && finite;
        }
        dps_free(scratch);
    }
    if (!enough) {
        return dps_out_of_memory(err, dps_cholesky_bytes(r->order), 1, "a factor");
    }
    return finite ? DPS_OK : dps_error_set(err, DPS_ERROR_NUMERIC, "inner products are not finite");
}

/* From right-hand sides to weights. */
static void solve_all(const dps_ridge *r, const dps_run *run)
{
    const size_t n = r->order;
    const int32_t systems = r->folds * r->models;
    const double work = (double)systems * (double)n * (double)n;
#pragma omp parallel for schedule(static) num_threads(dps_run_threads_for(run, systems, work))
    for (int32_t s = 0; s < systems; s++) {
        dps_cholesky_solve(n, r->factor + (size_t)(s / r->models) * n * n, n,
                           r->w + (size_t)s * r->stride);
    }
}

typedef struct moving {
    const dps_ridge *ridge;
    dps_simd simd;
    double far;
} moving;

/* Scores of the tile's rows by every fold's models that they train, their targets moved, and those
 * into new right-hand sides. */
static dps_status move_tile(void *context, int64_t t, double *sum, void *scratch, dps_error *err)
{
    const moving *m = context;
    const dps_ridge *r = m->ridge;
    const dps_problem *problem = r->problem;
    const int64_t rows = problem->source->rows, first = t * DPS_TILE_ROWS;
    dps_z_tile tile;
    DPS_TRY(dps_fetch(problem->source, t, scratch, &tile, err));
    for (int32_t f = 0; f < r->folds; f++) {
        int32_t list[DPS_TILE_ROWS], count = 0;
        double u[DPS_TILE_ROWS];
        for (int32_t i = 0; i < tile.rows; i++) {
            if (r->fold[first + i] != f && dps_row_weight(problem, first + i) > 0) {
                list[count++] = i;
            }
        }
        for (int32_t k = 0; k < r->models; k++) {
            double *before = r->u + model_at(r, f, k) * (size_t)rows;
            dps_tile_scores(m->simd, &tile, r->w + model_at(r, f, k) * r->stride, list, count, u);
            for (int32_t i = 0; i < count; i++) {
                const int64_t at = first + list[i];
                const double v = u[i] + m->far * (u[i] - before[at]);
                before[at] = u[i];
                u[i] = dps_row_weight(problem, at) * moved(problem, k, at, v);
            }
            dps_tile_add_panel(m->simd, &tile, list, count, u, 0, r->stride,
                               sum + model_at(r, f, k) * r->stride);
        }
    }
    return DPS_OK;
}

static dps_status move_targets(dps_ridge *r, int step, const dps_run *run, dps_error *err)
{
    const dps_tile_source *source = r->problem->source;
    const int64_t tiles = dps_tile_count(source->rows);
    const size_t elements = (size_t)r->folds * (size_t)r->models * r->stride;
    moving m = {r, run->simd, momentum(step)};
    const dps_ordered_sum sum = {
        .tiles = tiles,
        .slots = dps_slot_count(tiles, elements, 2.0 * (double)elements * DPS_TILE_ROWS),
        .elements = elements,
        .scratch_bytes = dps_fetch_bytes(source),
        .add = move_tile,
        .context = &m};
    DPS_TRY(dps_ordered_sum_run(&sum, run, r->b, err));
    memcpy(r->w, r->b, elements * sizeof *r->w);
    return DPS_OK;
}

typedef struct scoring {
    const dps_ridge *ridge;
    double *held;
    dps_simd simd;
} scoring;

/* Of the tile's held-out rows, each by the weights of its fold. */
static dps_status score_tile(void *context, int64_t t, void *memory, dps_error *err)
{
    const scoring *s = context;
    const dps_ridge *r = s->ridge;
    const int64_t rows = r->problem->source->rows, first = t * DPS_TILE_ROWS;
    dps_z_tile tile;
    DPS_TRY(dps_fetch(r->problem->source, t, memory, &tile, err));
    for (int32_t f = 0; f < r->folds; f++) {
        int32_t list[DPS_TILE_ROWS], count = 0;
        double u[DPS_TILE_ROWS];
        for (int32_t i = 0; i < tile.rows; i++) {
            if (r->fold[first + i] == f) {
                list[count++] = i;
            }
        }
        for (int32_t k = 0; k < r->models; k++) {
            dps_tile_scores(s->simd, &tile, r->w + model_at(r, f, k) * r->stride, list, count, u);
            for (int32_t i = 0; i < count; i++) {
                s->held[k * rows + first + list[i]] = u[i];
            }
        }
    }
    return DPS_OK;
}

/* Right-hand sides of the targets y. */
static void begin(const dps_ridge *r)
{
    const double less = r->folds > 1 ? 1.0 : 0.0;
    const size_t at = packed(r->order);
    memset(r->u, 0,
           (size_t)r->folds * (size_t)r->models * (size_t)r->problem->source->rows * sizeof *r->u);
    for (int32_t f = 0; f < r->folds; f++) {
        const double *all = sums_of(r, r->folds) + at, *own = sums_of(r, f) + at;
        double *w = r->w + model_at(r, f, 0) * r->stride;
        for (size_t j = 0; j < (size_t)r->models * r->stride; j++) {
            w[j] = all[j] - less * own[j];
        }
    }
}

static dps_status by_columns(dps_ridge *r, double C, int moves, double *held, const dps_run *run,
                             dps_error *err)
{
    const dps_tile_source *source = r->problem->source;
    const int64_t tiles = dps_tile_count(source->rows);
    DPS_TRY(factor_all(r, C, run, err));
    begin(r);
    solve_all(r, run);
    for (int m = 0; m < moves; m++) {
        DPS_TRY(move_targets(r, m, run, err));
        solve_all(r, run);
    }
    scoring s = {r, held, run->simd};
    const dps_tile_loop loop = {
        .tiles = tiles,
        .threads = dps_run_threads_for(run, tiles, dps_pass_work(source, tiles, r->models)),
        .bytes = dps_fetch_bytes(source),
        .visit = score_tile,
        .context = &s};
    return dps_tile_loop_run(&loop, err);
}

dps_status dps_ridge_held(dps_ridge *r, double C, int moves, double *held, const dps_run *run,
                          dps_error *err)
{
    return r->by_rows ? by_rows(r, C, moves, held, run, err)
                      : by_columns(r, C, moves, held, run, err);
}
