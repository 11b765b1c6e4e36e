/* Task: the D_1 features of degree 1, w <s_i, x> with sign vectors s_i, span at most d dimensions.
 * Where D_1 > d they are replaced by rank <= d columns w F x with the same Gram matrix,
 *
 *   F^T F = S^T S,   S = (s_1 .. s_D1)^T,
 *
 * so that a regularised linear model, which sees inner products only, predicts the same
 * (docs/algorithms.md, equation 12). F is the pivoted Cholesky factor of the integer matrix S^T S,
 * stopped at relative tolerance d eps: S is often rank-deficient for small d.
 *
 * Source: pivoted Cholesky as in Fine & Scheinberg 2001, section 3 (columns of the matrix are made
 * when their pivot is chosen). Cost: d rank^2 flops, d D_1 rank / 64 word operations.
 *
 * Why not LAPACK: the map is made again wherever a model predicts, and every diagonal entry of
 * S^T S is D_1, so that the pivots, and with them the meaning of the columns, would hang on the
 * rounding of whatever library is there. Here every entry has one order of arithmetic, for any
 * number of threads. */
#include "collapse.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include "allocation.h"
#include "number.h"
#include "signs.h"
#include "tile_loop.h"

typedef struct gram {
    int32_t columns, count;
    size_t words;   /* of 64 features */
    uint64_t *bits; /* d x words: coordinate j of all features; set = minus */
} gram;

static double gram_entry(const gram *g, int32_t i, int32_t j)
{
    const uint64_t *a = g->bits + (size_t)i * g->words, *b = g->bits + (size_t)j * g->words;
    int64_t differ = 0;
    for (size_t k = 0; k < g->words; k++) {
        differ += __builtin_popcountll(a[k] ^ b[k]);
    }
    return (double)(g->count - 2 * differ);
}

static dps_status fill_bits(gram *g, uint64_t seed, const int32_t *feature, uint32_t *word,
                            const dps_run *run, dps_error *err)
{
    for (int32_t i = 0; i < g->count; i++) {
        if (i % 1024 == 0 && dps_run_stopped(run)) {
            return dps_error_set(err, DPS_ERROR_STOPPED, "stopped while drawing the map");
        }
        dps_draw_signs(seed, (uint32_t)feature[i], 0, g->columns, word, 1);
        for (int32_t j = 0; j < g->columns; j++) {
            const uint64_t bit = (word[j / 32] >> (j % 32)) & 1u;
            g->bits[(size_t)j * g->words + (size_t)i / 64] |= bit << (i % 64);
        }
    }
    return DPS_OK;
}

static int32_t largest(const double *value, int32_t count)
{
    int32_t best = 0;
    for (int32_t j = 1; j < count; j++) {
        best = value[j] > value[best] ? j : best;
    }
    return best;
}

enum { STRIP = 64, PARALLEL_FROM = 512 }; /* columns */

/* Row k of F. */
typedef struct factor_row {
    const gram *g;
    double *factor;
    const double *rest; /* what is left of the diagonal */
    double root;
    int32_t k, pivot;
} factor_row;

/* Columns of strip s, from rows 0 .. k-1 and column `pivot` of S^T S. */
static dps_status fill_strip(void *context, int64_t s, void *memory, dps_error *err)
{
    (void)memory;
    (void)err;
    const factor_row *r = context;
    const gram *g = r->g;
    const size_t d = (size_t)g->columns;
    double *row = r->factor + (size_t)r->k * d;
    const int32_t begin = (int32_t)s * STRIP;
    const int32_t end = begin + STRIP < g->columns ? begin + STRIP : g->columns;
    for (int32_t j = begin; j < end; j++) {
        row[j] = gram_entry(g, j, r->pivot);
    }
    for (int32_t m = 0; m < r->k; m++) {
        const double *above = r->factor + (size_t)m * d;
        const double multiple = above[r->pivot];
        for (int32_t j = begin; j < end; j++) {
            row[j] -= multiple * above[j];
        }
    }
    for (int32_t j = begin; j < end; j++) {
        /* Coordinates that were pivots are done: their column of the rest is zero. */
        row[j] = r->rest[j] < 0.0 ? 0.0 : row[j] / r->root;
    }
    return DPS_OK;
}

/* rest: loses what row k takes. */
static dps_status add_row(const gram *g, double *factor, int32_t k, int32_t pivot, double *rest,
                          const dps_run *run, dps_error *err)
{
    factor_row r = {
        .g = g, .factor = factor, .rest = rest, .root = sqrt(rest[pivot]), .k = k, .pivot = pivot};
    const dps_tile_loop strips = {.tiles = (g->columns + STRIP - 1) / STRIP,
                                  .threads = g->columns >= PARALLEL_FROM ? run->threads : 1,
                                  .visit = fill_strip,
                                  .context = &r,
                                  .stops = run,
                                  .doing = "drawing the map"};
    DPS_TRY(dps_tile_loop_run(&strips, err));
    double *row = factor + (size_t)k * (size_t)g->columns;
    row[pivot] = r.root;
    for (int32_t j = 0; j < g->columns; j++) {
        if (rest[j] >= 0.0) {
            rest[j] = fmax(rest[j] - row[j] * row[j], 0.0);
        }
    }
    rest[pivot] = -1.0;
    return DPS_OK;
}

static dps_status factorise(const gram *g, double *factor, double *rest, const dps_run *run,
                            int32_t *rank, dps_error *err)
{
    for (int32_t j = 0; j < g->columns; j++) {
        rest[j] = g->count;
    }
    const double tolerance = g->columns * DBL_EPSILON * g->count;
    for (*rank = 0; *rank < g->columns; ++*rank) {
        const int32_t pivot = largest(rest, g->columns);
        if (rest[pivot] <= tolerance) {
            break;
        }
        DPS_TRY(add_row(g, factor, *rank, pivot, rest, run, err));
    }
    return DPS_OK;
}

static dps_status check_memory(size_t d, size_t words, const dps_run *run, dps_error *err)
{
    const double bytes = 8.0 * (double)d * ((double)d + (double)words);
    if (bytes <= (double)run->memory) {
        return DPS_OK;
    }
    char need[DPS_NUMBER_MAX], budget[DPS_NUMBER_MAX];
    dps_format_bytes(need, bytes);
    dps_format_bytes(budget, (double)run->memory);
    return dps_error_set(err, DPS_ERROR_MEMORY,
                         "merging the features of degree 1 needs %s, run.memory allows %s; lower "
                         "map.features, set map.h01 = on or map.collapse = off, or raise "
                         "run.memory",
                         need, budget);
}

dps_status dps_collapse_linear(uint64_t seed, const int32_t *feature, int32_t count,
                               int32_t columns, const dps_run *run, double **factor, int32_t *rank,
                               dps_error *err)
{
    assert(columns > 0 && count > 0);
    const size_t d = (size_t)columns;
    gram g = {.columns = columns, .count = count, .words = ((size_t)count + 63) / 64};
    double *f = NULL, *rest = NULL;
    uint32_t *word = NULL;
    dps_status status = check_memory(d, g.words, run, err);
    if (status != DPS_OK) {
        return status;
    }
    g.bits = dps_alloc(d * g.words, sizeof(uint64_t));
    f = dps_alloc(d * d, sizeof(double));
    rest = dps_alloc(d, sizeof(double));
    word = dps_alloc((d + 31) / 32, sizeof(uint32_t));
    if (g.bits == NULL || f == NULL || rest == NULL || word == NULL) {
        status = dps_out_of_memory(err, d * d, sizeof(double), "merging features of degree 1");
        goto cleanup;
    }
    status = fill_bits(&g, seed, feature, word, run, err);
    DPS_THEN(status, factorise(&g, f, rest, run, rank, err));
    if (status == DPS_OK) {
        *factor = f;
        f = NULL;
    }
cleanup:
    dps_free(word);
    dps_free(rest);
    dps_free(f);
    dps_free(g.bits);
    return status;
}
