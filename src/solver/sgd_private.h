/* What the parts of sgd share: sgd.c (epochs, start and end) and sgd_rule.c (steps). */
#ifndef DPS_SGD_PRIVATE_H
#define DPS_SGD_PRIVATE_H

#include "engine.h"

#define DPS_SGD_AVERAGE_POWER 3.0 /* eta of sgd.c */

/* A model's iterate is scale * w. */
typedef struct dps_sgd_model {
    double scale;
    int64_t seen;   /* rows */
    int64_t chunks; /* of rows, in this epoch */
    double last;    /* P of the last epoch's average */
    int32_t quiet;  /* epochs running that changed P by no more than the tolerance */
    bool done;
    /* Of blocks. */
    double sigma;  /* how far changes overlap beyond what rows of a block know of each other */
    double shrunk; /* scale after the block */
    double common; /* |V d|^2 of a block's change d */
    double apart;  /* sum of |c z|^2, without what rows have in common */
} dps_sgd_model;

/* A model in a shard, within a round: its iterate is scale * own. */
typedef struct dps_sgd_part {
    double scale;
    int64_t rows; /* of this round */
} dps_sgd_part;

typedef struct dps_sgd {
    const dps_problem *problem;
    const dps_solver_settings *settings;
    const dps_run *run;
    dps_solution *solution; /* its w holds the best average */
    dps_shards shards;
    dps_engine *engine;
    int32_t block_rows; /* 1: row by row */
    double lambda, eta0;
    double factor; /* n / S: r_i = factor c_i */
    dps_sgd_model *model;
    dps_sgd_part *part;   /* shards x models */
    double *w;            /* models x length */
    double *epoch;        /* models x length: average over this epoch */
    double *average;      /* models x length: over the epochs */
    double *smoothing;    /* models */
    dps_certificate *now; /* models */
    int32_t *live;
} dps_sgd;

/* The steps at rows, blocks of rows and rounds of shards; g must outlive it. */
dps_rule dps_sgd_rule(dps_sgd *g);
/* w = the model's iterate, its scale 1. */
void dps_sgd_fold_scale(const dps_sgd *g, dps_sgd_model *m, double *w);

#endif
