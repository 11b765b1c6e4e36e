/* F = min over w of P(w; V), over C and the rows' weights, and its gradient: what a refinement
 * makes smaller (variable projection, Golub & Pereyra 1973). Its variables are the projections V of
 * a map (map_projections.h) or the metric T in front of it, in coordinates that make the rows'
 * second moments alike. */
#ifndef DPS_REFINE_OBJECTIVE_H
#define DPS_REFINE_OBJECTIVE_H

#include "feature_stream.h"
#include "map_projections.h"
#include "row_subset.h"
#include "solver.h"

typedef struct dps_refine_objective {
    const dps_run *run; /* one rank's */
    dps_map *map;       /* moved by every evaluation */
    double bias;
    size_t budget;           /* bytes for mapped rows */
    bool metric;             /* the variables are T, else V */
    int32_t d, factors;      /* V: (d + 1) x factors */
    size_t rows, columns, n; /* of V or T; one column: of its diagonal */
    double *whitener;        /* L of (d + 1) x (d + 1), and its unit: V = unit L^-T theta */
    double unit;
    float *moved;        /* n: V or T of the last evaluation */
    double *work;        /* n */
    float *start, *v;    /* a metric's: V as drawn, and in use */
    double *by_v;        /* gradient by V */
    dps_problem problem; /* smooth; source: of the rows in use */
    dps_solver_settings settings;
    dps_solution solution; /* w at the last V: where the next evaluation begins */
    float *row;            /* the rows in use and a 1 behind each, tiles of stride row_stride */
    size_t row_stride;
    dps_feature_stream *stream;
} dps_refine_objective;

/* metric, map, run, bias, budget, settings and the problem but its rows are set; whitened by the
 * second moments of `rows`. On errors to be released. */
DPS_MUST_USE dps_status dps_refine_objective_init(dps_refine_objective *o,
                                                  const dps_labelled_rows *rows, dps_error *err);
void dps_refine_objective_release(dps_refine_objective *o);
/* The rows it is of from now on; they must outlive it. */
DPS_MUST_USE dps_status dps_refine_objective_rows(dps_refine_objective *o,
                                                  const dps_labelled_rows *rows, dps_error *err);
/* The map as drawn, as theta. */
void dps_refine_objective_start(const dps_refine_objective *o, double *theta);
/* Variables of a refinement of this map on rows of d columns. */
size_t dps_refine_variables(const dps_map *map, bool metric, int32_t d);
/* F and its gradient by theta (dps_smooth_function). A map that leaves the range of float there is
 * F = infinity. */
DPS_MUST_USE dps_status dps_refine_objective_value(void *objective, const double *theta, double *f,
                                                   double *g, dps_error *err);
#endif
