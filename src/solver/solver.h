/* Solvers as a table. All minimise, for every model k (one for two classes, else one a class),
 *     P(w) = 1/2 |w|^2 + C sum_i c_i loss(<w, z_i>, y_ik)      (LIBLINEAR's convention)
 * with y_ik = +1 if row i is of class k (two classes: of class 1), else -1; for regression, one
 * model, y_i is the row's target. They report a certificate. */
#ifndef DPS_SOLVER_H
#define DPS_SOLVER_H

#include <stdbool.h>
#include <stdint.h>
#include "loss.h"
#include "outcome.h"
#include "run.h"
#include "tile_source.h"

typedef struct dps_problem {
    const dps_tile_source *source;
    const double *target;       /* of each row, with a loss of regression; else NULL */
    const int32_t *label;       /* class of each row; this and the next two: not for regression */
    int32_t classes;            /* >= 2 */
    const double *class_weight; /* per class, > 0; c_i = class_weight[label[i]] row_weight[i] in
                                   every model */
    const double
        *row_weight;      /* per row, >= 0, multiplies c_i; NULL: all 1. 0: not a training row */
    const dps_loss *loss; /* its regression is the problem's */
    double epsilon;       /* half-width of the tube, in units of the target */
    double C;
} dps_problem;

static inline int32_t dps_problem_models(const dps_problem *p)
{
    return p->loss->regression || p->classes == 2 ? 1 : p->classes;
}

typedef struct dps_solver_settings {
    double tolerance; /* relative duality gap; sgd also ends where P changes by less per epoch */
    int64_t max_iterations; /* passes, epochs or Newton steps */
    uint64_t seed;          /* shuffles */
    int32_t shards; /* of dcd and sgd (shards.h), a power of two; 0: by the number of rows */
    int32_t batch;  /* of dcd and sgd: rows of a block (engine.h); 0: by rows and columns */
    const struct dps_pass_observer *observer; /* observer.h; NULL: nobody looks on */
    bool leaves_ending; /* the caller has better numbers for the ending of few rows (interior.h) */
} dps_solver_settings;

typedef struct dps_certificate {
    double primal;
    double dual;
    double gap; /* (primal - dual) / primal, >= 0 */
} dps_certificate;

typedef struct dps_solver dps_solver; /* a row of the table */

typedef struct dps_solution {
    int32_t models;
    size_t length;                /* doubles in one weight vector */
    double *w;                    /* models x length */
    dps_certificate *certificate; /* per model */
    dps_certificate
        worst; /* of the model with the largest gap; primal and dual are sums over models */
    dps_outcome outcome;
    const dps_solver *solver;       /* that finished */
    const dps_solver *first_solver; /* that started, when it handed over; else NULL */
    int64_t iterations;             /* of all solvers that took part */
    double row_visits;              /* rows x models looked at, for the work done */
    double sum_seconds; /* over ranks: of this rank in passes over its rows, waiting left out */
} dps_solution;

struct dps_solver {
    const char *name;
    const char *pass, *passes; /* what it calls its iterations, one and several */
    /* Whether it takes this loss and shape; the reason, if not, goes into err (DPS_ERROR_CONFIG).
     */
    dps_status (*check)(const dps_problem *problem, dps_error *err);
    /* Memory it will need besides the source's. batch: of the settings. */
    size_t (*memory)(const dps_problem *problem, int32_t shards, int32_t batch, int threads);
    /* Solves into a zeroed or warm solution->w (dcd begins afresh: there are no multipliers to a
     * warm w). */
    dps_status (*solve)(const dps_problem *problem, const dps_solver_settings *settings,
                        const dps_run *run, dps_solution *solution, dps_error *err);
};

/* "auto" takes newton up to this many columns, for smooth losses. */
#define DPS_NEWTON_WIDTH 2500
extern const dps_solver dps_solver_dcd, dps_solver_sgd, dps_solver_newton;
extern const dps_solver
    dps_solver_interior; /* ends what others began: nobody calls it by its row */
const dps_solver *dps_solver_find(const char *name); /* NULL: none; "auto" is not a row */
extern const char *const dps_solver_names[];         /* "auto" first, NULL-terminated */

/* Allocates the solution (w = 0). */
DPS_MUST_USE dps_status dps_solution_init(dps_solution *solution, const dps_problem *problem,
                                          dps_error *err);
void dps_solution_release(dps_solution *solution);

/* Chooses (asked NULL, which is auto: a smooth loss and moderate width -> newton, else dcd; hands
 * over from a dcd that stalls to newton, with a warning), solves, certifies; what ends above the
 * tolerance for no limit that was set, with few rows, the interior point method ends. The choice
 * depends on the problem and settings only. */
DPS_MUST_USE dps_status dps_solve(const dps_solver *asked, const dps_problem *problem,
                                  const dps_solver_settings *settings, const dps_run *run,
                                  dps_solution *solution, dps_error *err);
/* Another solver has gone on from this one's weights, or found better ones. */
void dps_solution_ended_by(dps_solution *solution, const dps_solver *solver);
/* `worst` from the certificates; judged, also what follows from it: DPS_CONVERGED where the gap is
 * within the tolerance, however the work ended, and never where it is not. */
void dps_solution_find_worst(dps_solution *solution);
void dps_solution_judge(dps_solution *solution, double tolerance);
/* Certificates of weights that were changed after the solve, from the primal alone, judged. */
DPS_MUST_USE dps_status dps_solution_certify(const dps_problem *problem, double tolerance,
                                             const dps_run *run, dps_solution *solution,
                                             dps_error *err);
/* The solver that was asked for; of NULL, auto, the one it starts with. */
const dps_solver *dps_solver_choose(const dps_solver *asked, const dps_problem *problem);
/* Memory of a solver, or of the ending of few rows after it if that is more, besides the source's.
 */
size_t dps_solver_bytes(const dps_solver *solver, const dps_problem *problem, int32_t shards,
                        int32_t batch, int threads);

#endif
