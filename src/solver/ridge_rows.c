/* Task: held-out rows by the factors of the rows' inner products, a fold at a time (ridge.h): K
 * without the fold's rows and columns, and u = K alpha = t - B^-1 alpha / (2 C). Folds go side by
 * side. */
#include "ridge_private.h"

#include <string.h>
#include "allocation.h"
#include "cholesky.h"

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
    s->diagonal = dps_alloc(DPS_RIDGE_ARRAYS * n, sizeof *s->diagonal);
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
        const double far = dps_ridge_momentum(m);
        memcpy(s->alpha, s->t, s->n * sizeof *s->t);
        dps_cholesky_solve(s->n, s->a, s->n, s->alpha);
        for (size_t i = 0; i < s->n && m < moves; i++) {
            const double u = s->t[i] - s->diagonal[i] * s->alpha[i];
            s->t[i] = dps_ridge_moved(&r->few.problem, k, s->place[i], u + far * (u - s->u[i]));
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
        if (r->all_fold[i] != fold) {
            continue;
        }
        for (size_t j = 0; j < s->n; j++) {
            const int64_t p = s->place[j];
            sum += s->alpha[j] * (p < i ? r->gram[i * rows + p] : r->gram[p * rows + i]);
        }
        held[k * own->rows + i - own->first_row] = sum;
    }
}

static bool factor_fold(const dps_ridge *r, int32_t fold, double C, fold_system *s,
                        const dps_run *run)
{
    for (int raises = 0; raises < DPS_RIDGE_RAISES; raises++, C /= 10) {
        fill_system(r, fold, C, s);
        if (dps_cholesky(run->simd, s->n, s->a, s->n, s->scratch)) {
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
    for (int32_t k = 0; k < r->models; k++) {
        solve_model(r, k, moves, s);
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
