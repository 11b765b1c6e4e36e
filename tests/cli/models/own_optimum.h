/* One model's objective and its best value, in double, with no code of the program's own. */
#ifndef OWN_OPTIMUM_H
#define OWN_OPTIMUM_H

typedef enum own_loss {
    OWN_HINGE,
    OWN_SQUARED_HINGE,
    OWN_LOGISTIC,
    OWN_EPSILON,
    OWN_SQUARED_EPSILON,
    OWN_LOSSES
} own_loss;

/* By the name of solver.loss; OWN_LOSSES: none. */
own_loss own_loss_named(const char *name);

typedef struct own_problem {
    own_loss loss;
    int rows;
    const double *y;    /* +1 and -1, or numbers */
    const double *size; /* C c_i */
    const double *gram; /* rows x rows: <z_i, z_j>, the bias' column included */
    double epsilon;
} own_problem;

/* sum_i size_i loss(u_i, y_i) */
double own_losses(const own_problem *p, const double *u);

typedef struct own_bounds {
    double least; /* of the objectives seen: the optimum is at most this */
    double most;  /* of the dual values seen: the optimum is at least this */
} own_bounds;

/* Dual coordinate ascent on the Gram matrix until least - most <= target, at most `passes` passes.
 */
own_bounds own_optimum(const own_problem *p, double target, int passes);

/* The best dual value that scores u tell: at alpha_i = t size_i slope(u_i), the loss smoothed by h,
 * over the best t and h = unit, unit / 4, ... (docs/algorithms.md, Solvers). */
double own_dual_of_scores(const own_problem *p, const double *u);

#endif
