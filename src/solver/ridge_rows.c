/* Task: held-out rows by the factors of the rows' inner products, a fold at a time (ridge.h): K
 * without the fold's rows and columns, and u = K alpha = t - B^-1 alpha / (2 C). Folds go side by
 * side. */
#include "ridge_private.h"

#include <omp.h>
#include <string.h>
#include "allocation.h"
#include "cholesky.h"
#include "packed_factor.h"
#include "tile_kernels.h"

/* A fold without its rows. */
typedef struct fold_system {
    size_t n;
    double *a;             /* n x n: K, then its factor */
    double *panels;        /* that, packed, where several models share it */
    double *diagonal;      /* n: what the ridge adds */
    double *alpha, *u, *t; /* models x n */
    double *all;           /* order: alpha of one model, 0 of the fold's rows */
    int64_t *place;        /* of each row that trains */
    void *scratch;         /* of the factor, packing and solving */
} fold_system;

static size_t scratch_bytes(size_t n, int32_t models)
{
    const size_t factor = dps_cholesky_bytes(n);
    const size_t solve = dps_packed_factor_scratch((size_t)models);
    return factor > solve ? factor : solve;
}

size_t dps_ridge_rows_bytes(size_t n, int32_t models)
{
    return (n * n + (3 * (size_t)models + 3) * n) * sizeof(double) + scratch_bytes(n, models) +
           (models > 1 ? dps_packed_factor_bytes(n) : 0);
}

static bool system_init(fold_system *s, const dps_ridge *r)
{
    const size_t n = r->order, all = (size_t)r->models * n;
    s->a = dps_alloc(n * n, sizeof *s->a);
    s->panels = dps_alloc(1, r->models > 1 ? dps_packed_factor_bytes(n) : 1);
    s->diagonal = dps_alloc(2 * n + 3 * all, sizeof *s->diagonal);
    s->place = dps_alloc(n, sizeof *s->place);
    s->scratch = dps_alloc(scratch_bytes(n, r->models), 1);
    if (s->a == NULL || s->panels == NULL || s->diagonal == NULL || s->place == NULL ||
        s->scratch == NULL) {
        return false;
    }
    s->all = s->diagonal + n;
    s->alpha = s->all + n;
    s->u = s->alpha + all;
    s->t = s->u + all;
    return true;
}

static void system_release(fold_system *s)
{
    dps_free(s->a);
    dps_free(s->panels);
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

/* alpha of t, of all models. */
static void solve_models(const dps_ridge *r, fold_system *s, dps_simd simd)
{
    memcpy(s->alpha, s->t, (size_t)r->models * s->n * sizeof *s->t);
    if (r->models > 1) {
        dps_packed_solve(simd, s->n, s->panels, s->alpha, s->n, (size_t)r->models, s->scratch);
    } else {
        dps_cholesky_solve(s->n, s->a, s->n, s->alpha);
    }
}

static void move_targets(const dps_ridge *r, int32_t k, double far, fold_system *s)
{
    const double *alpha = s->alpha + (size_t)k * s->n;
    double *u = s->u + (size_t)k * s->n, *t = s->t + (size_t)k * s->n;
    for (size_t i = 0; i < s->n; i++) {
        const double now = t[i] - s->diagonal[i] * alpha[i];
        t[i] = dps_ridge_moved(&r->few.problem, k, s->place[i], now + far * (now - u[i]));
        u[i] = now;
    }
}

static void solve_fold(const dps_ridge *r, int moves, fold_system *s, dps_simd simd)
{
    memset(s->u, 0, (size_t)r->models * s->n * sizeof *s->u);
    for (int32_t k = 0; k < r->models; k++) {
        for (size_t i = 0; i < s->n; i++) {
            s->t[(size_t)k * s->n + i] = dps_target(&r->few.problem, k, s->place[i]);
        }
    }
    solve_models(r, s, simd);
    for (int m = 0; m < moves; m++) {
        for (int32_t k = 0; k < r->models; k++) {
            move_targets(r, k, dps_ridge_momentum(m), s);
        }
        solve_models(r, s, simd);
    }
}

/* Of this rank's rows. */
static void score_model(const dps_ridge *r, int32_t k, int32_t fold, const fold_system *s,
                        double *held)
{
    const dps_tile_source *own = r->problem->source;
    const double *alpha = s->alpha + (size_t)k * s->n;
    const int64_t rows = (int64_t)r->order, end = own->first_row + own->rows;
    memset(s->all, 0, r->order * sizeof *s->all);
    for (size_t j = 0; j < s->n; j++) {
        s->all[s->place[j]] = alpha[j];
    }
    for (int64_t i = own->first_row; i < end; i++) {
        if (r->all_fold[i] == fold) {
            held[k * own->rows + i - own->first_row] =
                dps_dot(r->order, s->all, r->gram + i * rows);
        }
    }
}

static bool factor_fold(const dps_ridge *r, int32_t fold, double C, fold_system *s,
                        const dps_run *run)
{
    for (int raises = 0; raises < DPS_RIDGE_RAISES; raises++, C /= 10) {
        fill_system(r, fold, C, s);
        const int threads = omp_get_num_threads() > 1 ? 1 : run->threads; /* folds have them */
        if (dps_cholesky(run->simd, threads, s->n, s->a, s->n, s->scratch)) {
            if (r->models > 1) {
                dps_pack_factor(run->simd, s->n, s->a, s->n, s->panels, s->scratch);
            }
            return true;
        }
    }
    return false;
}

static bool hold_by_rows(const dps_ridge *r, int32_t fold, double C, int moves, fold_system *s,
                         const dps_run *run, double *held)
{
    if (!factor_fold(r, fold, C, s, run)) {
        return false;
    }
    solve_fold(r, moves, s, run->simd);
    for (int32_t k = 0; k < r->models; k++) {
        score_model(r, k, fold, s, held);
    }
    return true;
}

dps_status dps_ridge_by_rows(const dps_ridge *r, double C, int moves, double *held,
                             const dps_run *run, dps_error *err)
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
