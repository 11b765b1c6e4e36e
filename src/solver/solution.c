/* Task: a solution's memory, and what its certificates say of it. */
#include <math.h>

#include "allocation.h"
#include "certificate.h"
#include "solver.h"

dps_status dps_solution_init(dps_solution *solution, const dps_problem *problem, dps_error *err)
{
    *solution = (dps_solution){.models = dps_problem_models(problem),
                               .length = dps_weight_length(problem->source)};
    const size_t models = (size_t)solution->models;
    size_t doubles;
    if (dps_size_mul(models, solution->length, &doubles)) {
        solution->w = dps_alloc(doubles, sizeof(double));
    }
    solution->certificate = dps_alloc(models, sizeof *solution->certificate);
    if (solution->w == NULL || solution->certificate == NULL) {
        dps_solution_release(solution);
        return dps_out_of_memory(err, models * sizeof(double), solution->length, "the weights");
    }
    return DPS_OK;
}

void dps_solution_release(dps_solution *solution)
{
    if (solution == NULL) {
        return;
    }
    dps_free(solution->w);
    dps_free(solution->certificate);
    *solution = (dps_solution){0};
}

void dps_solution_ended_by(dps_solution *solution, const dps_solver *solver)
{
    if (solution->first_solver == NULL) {
        solution->first_solver = solution->solver;
    }
    solution->solver = solver;
}

void dps_solution_find_worst(dps_solution *solution)
{
    dps_certificate worst = {0.0, 0.0, 0.0};
    for (int32_t k = 0; k < solution->models; k++) {
        worst.primal += solution->certificate[k].primal;
        worst.dual += solution->certificate[k].dual;
        worst.gap = fmax(worst.gap, solution->certificate[k].gap);
    }
    solution->worst = worst;
}

void dps_solution_judge(dps_solution *solution, double tolerance)
{
    dps_solution_find_worst(solution);
    if (solution->worst.gap <= tolerance) {
        solution->outcome = DPS_CONVERGED;
    } else if (solution->outcome == DPS_CONVERGED) {
        solution->outcome = DPS_NUMERICAL_FLOOR; /* what was watched rounds differently */
    }
}

dps_status dps_solution_certify(const dps_problem *problem, double tolerance, const dps_run *run,
                                dps_solution *solution, dps_error *err)
{
    const size_t models = (size_t)solution->models;
    dps_certificate *scratch = dps_alloc(models, sizeof *scratch);
    double *smoothing = dps_alloc(models, sizeof *smoothing);
    dps_status status = DPS_OK;
    if (scratch == NULL || smoothing == NULL) {
        status = dps_out_of_memory(err, models, sizeof *scratch, "the certificates");
    } else {
        status = dps_certify_primal(problem, solution->w, run, scratch, smoothing,
                                    solution->certificate, err);
        dps_solution_judge(solution, tolerance);
    }
    dps_free(scratch);
    dps_free(smoothing);
    return status;
}
