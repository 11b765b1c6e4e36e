/* What the parts of the joint solve share. */
#ifndef DPS_JOINT_PRIVATE_H
#define DPS_JOINT_PRIVATE_H

#include "joint.h"
#include "tile_fetch.h"

/* One model of one fold on its way. */
typedef struct dps_joint_model {
    int32_t fold, k;
    bool searching;
    bool exact;    /* p is Newton's */
    double active; /* rows with a loss, of all ranks */
    double primal, gap;
    double rho; /* <g, z> of the last direction; 0: it was not one of conjugate gradients */
    /* along p: <w, p>, |p|^2, slope at the start; the step in hand and its bracket */
    double wp, pp, start, t, low, high;
} dps_joint_model;

struct dps_joint {
    const dps_problem *problem;
    const int32_t *fold;
    int32_t folds, count; /* models of all folds */
    dps_joint_model *model;
    int32_t *live; /* those that go on; places below are of this list */
    int32_t lives;
    size_t order, stride, rows;
    double C;
    int64_t steps;  /* at this C */
    double *h;      /* packed lower triangle of sum c z z^T */
    double *panels; /* the factor */
    double *a;      /* order x order: made in it */
    /* count x stride; z by place */
    double *w, *g, *before, *p, *z;
    float *rounded; /* p by place */
    double *u;      /* count x rows */
    float *v;       /* <p, z_i>, by place */
    double *sums;   /* count x (stride + 2) */
    char *scratch;  /* threads x dps_joint_scratch */
};

enum { DPS_JOINT_TOGETHER = 16 }; /* right-hand sides */

/* The row's weight in the losses of a fold's models. */
static inline double dps_joint_weight(const dps_joint *j, int32_t fold, int64_t i)
{
    return j->fold != NULL && j->fold[i] == fold ? 0 : dps_row_weight(j->problem, i);
}

/* r_i */
static inline double dps_joint_residual(const dps_problem *problem, double y, double u)
{
    if (problem->loss->regression) {
        const double r = u - y;
        return r > problem->epsilon    ? r - problem->epsilon
               : r < -problem->epsilon ? r + problem->epsilon
                                       : 0;
    }
    return y * u < 1 ? u - y : 0;
}

/* h */
DPS_MUST_USE dps_status dps_joint_multiply(dps_joint *j, const dps_run *run, dps_error *err);
/* sums: sum c r z of every live model; after all of them each one's sum c r^2 and active. */
DPS_MUST_USE dps_status dps_joint_gradients(dps_joint *j, const dps_run *run, dps_error *err);
/* p and exact of the live models of which few rows have a loss; exact is false of the others. */
DPS_MUST_USE dps_status dps_joint_direct(dps_joint *j, const dps_run *run, dps_error *err);
size_t dps_joint_rows_bytes(const dps_problem *problem, int threads);
/* v of the live models. */
DPS_MUST_USE dps_status dps_joint_directions(dps_joint *j, const dps_run *run, dps_error *err);
/* Steps t of the live models along p. */
DPS_MUST_USE dps_status dps_joint_search(dps_joint *j, const dps_run *run, dps_error *err);
/* Bytes of a thread in a pass. */
size_t dps_joint_pass_bytes(const dps_problem *problem, int32_t count);

#endif
