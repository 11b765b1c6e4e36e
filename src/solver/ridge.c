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
#include "ridge_private.h"

#include <string.h>
#include "allocation.h"
#include "cholesky.h"
#include "comm.h"
#include "interior_private.h"
#include "ordered_sum.h"
#include "products.h"
#include "tile_kernels.h"

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

size_t dps_ridge_bytes(const dps_problem *problem, int32_t folds, int threads)
{
    const dps_tile_source *source = problem->source;
    const size_t models = (size_t)dps_problem_models(problem);
    const size_t rows = (size_t)dps_tiles_rows(source);
    const size_t each = (size_t)folds, at_work = (size_t)threads, width = (size_t)source->width;
    if (has_few_rows(source)) {
        return (rows * rows + at_work * (rows * rows + DPS_RIDGE_ARRAYS * rows)) * sizeof(double) +
               at_work * dps_cholesky_bytes(rows) + dps_few_rows_bytes(source);
    }
    const size_t sums = (each + 2) * dps_ridge_fold_doubles(width, source->stride, models);
    const size_t factors = at_work < each ? at_work : each; /* side by side */
    const size_t solve = each * models * (4 * source->stride + rows) + factors * width * width;
    const size_t moving = each * models * DPS_TILE_ROWS * sizeof(float) +
                          dps_sums_bytes(source->stride, each * models);
    return (sums + solve) * sizeof(double) + each * dps_packed_factor_bytes(width) +
           at_work * (dps_ridge_scratch(width) + moving);
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
        const int32_t fold = r->fold == NULL ? -1 : r->fold[at];
        if (c == 0 || (s->fold < 0 ? fold >= 0 : fold != s->fold)) {
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
                           sum + dps_ridge_packed(r->order) + (size_t)k * stride);
    }
    return DPS_OK;
}

static dps_status sum_fold(dps_ridge *r, int32_t fold, const dps_run *run, double *total,
                           dps_error *err)
{
    const dps_tile_source *source = r->problem->source;
    const int64_t tiles = dps_tile_count(source->rows);
    const size_t elements = dps_ridge_fold_doubles(r->order, r->stride, (size_t)r->models);
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
    const size_t elements = dps_ridge_fold_doubles(r->order, r->stride, (size_t)r->models);
    double *all = dps_ridge_sums(r, r->folds);
    DPS_TRY(sum_fold(r, -1, run, all, err));
    for (int32_t f = 0; f < r->folds && r->folds > 1; f++) {
        double *own = dps_ridge_sums(r, f);
        DPS_TRY(sum_fold(r, f, run, own, err));
        for (size_t i = 0; i < elements; i++) {
            all[i] += own[i];
        }
    }
    return DPS_OK;
}

static dps_status allocate(dps_ridge *r, int threads, dps_error *err)
{
    const size_t n = r->order, models = (size_t)r->models, folds = (size_t)r->folds;
    if (r->by_rows) {
        r->gram = dps_alloc(n * n, sizeof *r->gram);
        return r->gram == NULL ? dps_out_of_memory(err, n * n, sizeof *r->gram, "inner products")
                               : DPS_OK;
    }
    const size_t rows = (size_t)r->problem->source->rows;
    r->sums =
        dps_alloc((folds + 1) * dps_ridge_fold_doubles(n, r->stride, models), sizeof *r->sums);
    r->panels = dps_packed_factor_bytes(n) / sizeof *r->factor;
    r->factor = dps_alloc(folds * r->panels, sizeof *r->factor);
    r->w = dps_alloc(folds * models * r->stride, sizeof *r->w);
    r->rounded = dps_alloc(folds * models * r->stride, sizeof *r->rounded);
    r->u = dps_alloc(folds * models * rows, sizeof *r->u);
    r->scratch = dps_alloc((size_t)threads, dps_ridge_scratch(n));
    return r->sums == NULL || r->factor == NULL || r->w == NULL || r->rounded == NULL ||
                   r->u == NULL || r->scratch == NULL
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
        comm, dps_comm_rank(comm) == root ? dps_few_rows_gram(&r->few, run, r->gram, err) : DPS_OK,
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
    DPS_TRY(dps_comm_agree(dps_problem_comm(problem, run), allocate(r, run->threads, err), err));
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
        dps_free(r->rounded);
        dps_free(r->u);
        dps_free(r->scratch);
        dps_free(r);
    }
}

dps_status dps_ridge_held(dps_ridge *r, double C, int moves, double *held, const dps_run *run,
                          dps_error *err)
{
    return r->by_rows ? dps_ridge_by_rows(r, C, moves, held, run, err)
                      : dps_ridge_by_columns(r, C, moves, held, run, err);
}
