/* Task: what a solution over the rows' span is worth for the rows themselves.
 *
 * The solver has worked with rows of L, K + eps I = L L^T, rounded to float: 6e-8 of K, which C
 * multiplies. So its point is taken as alpha = L^-T v and measured by K: u = K alpha, |w|^2 =
 * alpha^T K alpha, both in double. These u, objective, gap and alpha are the model's. Where the gap
 * is above the tolerance for no limit that was set, few rows are solved once more by the interior
 * point method (solver/interior.c), which needs nothing but K. */
#include <math.h>
#include <string.h>

#include "allocation.h"
#include "certificate.h"
#include "interior.h"
#include "row_span.h"

typedef struct settling {
    const dps_row_span *span;
    const dps_problem *problem;
    const dps_solver_settings *settings;
    const dps_run *run;
    dps_solution *solution;
    double *alpha, *score, *work; /* models x rows, and four doubles a row */
} settling;

/* Model k by the interior point method, taken if its gap is smaller. */
static dps_status end_model(const settling *s, int32_t k, const double *gram, int64_t *steps,
                            bool *taken, dps_error *err)
{
    const size_t n = (size_t)s->problem->source->rows, at = (size_t)k * n;
    double *alpha = s->work + 2 * n, *u = alpha + n;
    dps_certificate found;
    DPS_TRY(dps_interior_solve(s->problem, k, gram, s->settings->tolerance, s->run, alpha, 1, steps,
                               err));
    DPS_TRY(dps_certify_rows(s->problem, k, dps_row_span_multiply, s->span, s->run, alpha, u,
                             s->work, &found, err));
    if (found.gap < s->solution->certificate[k].gap) {
        memcpy(s->alpha + at, alpha, n * sizeof *alpha);
        memcpy(s->score + at, u, n * sizeof *u);
        s->solution->certificate[k] = found;
        *taken = true;
    }
    return DPS_OK;
}

static dps_status end_all(const settling *s, dps_error *err)
{
    const size_t n = (size_t)s->problem->source->rows;
    dps_solution *solution = s->solution;
    double *gram = dps_alloc(n * n, sizeof *gram);
    int64_t most = 0;
    bool taken = false;
    dps_status status = DPS_OK;
    if (gram == NULL) {
        return dps_out_of_memory(err, n * n, sizeof *gram, "inner products of the rows");
    }
    dps_row_span_gram(s->span, gram);
    for (int32_t k = 0; k < solution->models && status == DPS_OK; k++) {
        int64_t steps = 0;
        status = end_model(s, k, gram, &steps, &taken, err);
        most = steps > most ? steps : most;
    }
    dps_free(gram);
    if (taken) {
        dps_solution_ended_by(solution, &dps_solver_interior);
    }
    solution->iterations += most;
    return status;
}

dps_status dps_row_span_settle(const dps_row_span *span, const dps_problem *problem,
                               const dps_solver_settings *settings, const dps_run *run,
                               dps_solution *solution, double *alpha, double *score, dps_error *err)
{
    const size_t n = (size_t)problem->source->rows;
    settling s = {.span = span,
                  .problem = problem,
                  .settings = settings,
                  .run = run,
                  .solution = solution,
                  .alpha = alpha,
                  .score = score,
                  .work = dps_alloc(DPS_SETTLING_DOUBLES * n, sizeof *s.work)};
    dps_status status = DPS_OK;
    if (s.work == NULL) {
        return dps_out_of_memory(err, 4 * n, sizeof *s.work, "multipliers");
    }
    dps_row_span_alpha(span, solution->w, solution->models, solution->length, alpha);
    for (int32_t k = 0; k < solution->models && status == DPS_OK; k++) {
        const size_t at = (size_t)k * n;
        status = dps_certify_rows(problem, k, dps_row_span_multiply, span, run, alpha + at,
                                  score + at, s.work, &solution->certificate[k], err);
    }
    dps_solution_judge(solution, settings->tolerance);
    const bool limited =
        solution->outcome == DPS_ITERATION_LIMIT || solution->outcome == DPS_STOPPED_EARLY;
    if (status == DPS_OK && solution->outcome != DPS_CONVERGED && !limited &&
        dps_interior_ends(problem, settings)) {
        dps_log_text(run, DPS_NORMAL,
                     "%s has left a gap of %.2g of the rows themselves: an interior point method "
                     "in coordinates of the rows takes over",
                     solution->solver->name, solution->worst.gap);
        status = end_all(&s, err);
        dps_solution_judge(solution, settings->tolerance);
    }
    dps_free(s.work);
    return status;
}
