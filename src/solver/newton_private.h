/* Parts of the Newton solver that newton.c puts together: state, passes over the rows, line search.
 */
#ifndef DPS_NEWTON_PRIVATE_H
#define DPS_NEWTON_PRIVATE_H

#include "solver.h"
#include "sum_room.h"

/* One model on its way. Arrays belong to the solver's workspace. */
typedef struct dps_newton_model {
    int32_t k;       /* model number */
    double *w;       /* length */
    double *p;       /* length: Newton direction */
    double *g;       /* length: gradient of the smoothed objective at w */
    double *u, *v;   /* rows: Z w and Z p */
    uint8_t *inside; /* rows: bend as counted in hessian (piecewise losses) */
    double *slope;   /* rows: of the smoothed loss at the last u + t v that was looked at */
    uint8_t *bend;   /* rows: bend there (piecewise losses) */
    float *root;     /* rows: root of the weight that a row brings to the Hessian, its sign that of
                        the change; of losses that are not piecewise made with the slopes */
    double *hessian; /* packed lower triangle of sum_i c_i bend_i z_i z_i^T */
    double h;        /* smoothing of a loss that is not smooth */

    bool fresh;         /* slope, bend and value are those at u */
    double value;       /* sum_i c_i of the smoothed loss */
    int32_t place;      /* among the live models of a pass */
    bool live;          /* not finished */
    bool moving;        /* takes a step in this round */
    bool has_direction; /* p is one */
    bool refresh;       /* rebuild the Hessian from nothing */
    bool exact;         /* of double sums: those of floats have left it indefinite */
    bool changed;       /* rows enter or leave the Hessian in this round */
    int64_t bending, entering, leaving; /* rows, of all ranks */
    int32_t updates;                    /* rounds with rows leaving since the last refresh */

    double primal, gap;          /* at w, on this level */
    double smoothing_part;       /* of primal * gap; the other part is |g|^2 / 2 */
    double *best_w, best_h;      /* where the gap was best_gap */
    double best_gap;             /* on this level */
    double decrement;            /* -<g, p> of the last direction: twice the decrease it promised */
    double gained_primal;        /* objective at the last gain */
    int32_t rounds_without_gain; /* since the gap last fell by half or the objective by 1e-6 */
    int64_t iterations;          /* steps on all levels */
    int64_t steps;               /* on this level */
    dps_outcome outcome;
} dps_newton_model;

/* The rows in use: tiles 0, every, 2 every, ... of the whole, their losses weighted so that they
 * stand for all. */
typedef struct dps_newton_level {
    int64_t every;
    int64_t tiles;     /* in use on this rank */
    int64_t first;     /* of them, among those in use on all ranks */
    int64_t all_tiles; /* in use on all ranks */
    int64_t offset;    /* this rank's tile that is its first in use */
    double C;
} dps_newton_level;

/* This rank's tile that is its index-th in use. */
static inline int64_t dps_level_tile(const dps_newton_level *level, int64_t index)
{
    return level->offset + index * level->every;
}

typedef struct dps_newton_batch {
    const dps_problem *problem;
    const dps_run *run;
    const struct dps_comm *comm; /* the ranks that share the rows, or NULL */
    dps_newton_model *model;
    int32_t count;
    bool few; /* rows: another method ends what this one does not (interior.h) */
    dps_newton_level level;
    size_t order;       /* m: width padded to DPS_PAD: row stride of gathered rows and factors */
    size_t length;      /* of a weight vector */
    char *fetch;        /* threads x fetch_bytes */
    size_t fetch_bytes; /* per thread */
    double *sums;       /* count x dps_newton_derivative_elements */
    dps_sum_room room;  /* of these sums */
    double *parts;      /* of newton_blocks.c: parts_size doubles */
    size_t parts_size;
    double row_visits;  /* of all ranks */
    double sum_seconds; /* of this rank at work in passes over rows */
} dps_newton_batch;

static inline size_t dps_packed_size(size_t n)
{
    return n * (n + 1) / 2;
}

/* out = Z w (direction = false, into u) or Z p (into v) of the models that are live or, for a
 * direction, moving. */
DPS_MUST_USE dps_status dps_newton_scores(dps_newton_batch *batch, bool direction, dps_error *err);

/* For the live models: which rows bend, whether to refresh, then in one pass g and the Hessian's
 * change. */
DPS_MUST_USE dps_status dps_newton_derivatives(dps_newton_batch *batch, dps_error *err);
/* Per-thread bytes of that pass for `count` models. */
size_t dps_newton_derivative_bytes(const dps_problem *problem, int32_t count);
size_t dps_newton_derivative_elements(const dps_problem *problem);

/* Slopes, bends and value of a model at its u, unless they are there. */
DPS_MUST_USE dps_status dps_newton_look(const dps_newton_batch *batch, dps_newton_model *model,
                                        dps_error *err);
/* primal, gap and smoothing_part of a model at its u and g. */
DPS_MUST_USE dps_status dps_newton_measure(const dps_newton_batch *batch, dps_newton_model *model,
                                           dps_error *err);
/* Step length t along p by a safeguarded Newton search on the exact derivative of the smoothed
 * objective; 0: no decrease is possible. Slopes, bends and value are then those of u + t v or not
 * fresh. */
DPS_MUST_USE dps_status dps_newton_line(const dps_newton_batch *batch, dps_newton_model *model,
                                        double *t, dps_error *err);

#endif
