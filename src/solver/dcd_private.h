/* Parts of dual coordinate descent that dcd.c puts together: its state and the rule of a row. */
#ifndef DPS_DCD_PRIVATE_H
#define DPS_DCD_PRIVATE_H

#include "engine.h"

#define DPS_RATE_PASSES 10 /* passes over which the speed of convergence is measured */

/* What one pass saw of a model. */
typedef struct dps_dcd_sums {
    double most, least; /* projected gradient */
    double gap;         /* stale estimate of P - dual */
    double dual;        /* sum of what the rows add to the dual, at the end of the pass */
    int64_t visits, changes, shrunk;
} dps_dcd_sums;

typedef struct dps_dcd_model {
    bool live;
    double above, below; /* shrink where the gradient is beyond: last pass' most and least */
    bool everything;     /* no row was left out in this pass */
    double visits_since; /* last certificate */
    double gap;          /* last estimate, relative */
    double sigma;        /* how far the shards' changes overlap, 1..K */
    double eta;          /* share of the last round's changes that was kept */
    dps_dcd_sums now;
} dps_dcd_model;

/* A row of a block in one model, turned to the side of its class (dcd_blocks.c). */
typedef struct dps_dcd_row {
    double side, target;
    double alpha, bottom, top, tube;
    double next;       /* alpha after its visit */
    double e, q, pace; /* E_ii, Q_ii + E_ii as the step takes it, what the gradient is worth */
    double rest;       /* Q_ii without what rows have in common */
} dps_dcd_row;

/* What rows of a block add to the sums of their model, a piece or all of them. */
typedef struct dps_dcd_piece {
    dps_dcd_sums now;
    double gain, cross, square; /* of the dual along the changes */
    double apart;               /* sum of |c z|^2, without what rows have in common */
} dps_dcd_piece;

/* A multiplier before it was changed in this round. */
typedef struct dps_dcd_step {
    size_t at; /* in alpha */
    double before;
} dps_dcd_step;

/* A model in a shard. */
typedef struct dps_dcd_part {
    dps_dcd_sums now;
    /* Of this round, with several shards: the dual along the changes (docs/algorithms.md). */
    double gain, cross, square;
    int32_t steps;
    dps_dcd_step *step; /* DPS_ROUND_ROWS */
} dps_dcd_part;

typedef struct dps_dcd {
    const dps_problem *problem;
    const dps_solver_settings *settings;
    const dps_run *run;
    dps_solution *solution;
    bool may_stall;
    dps_shards shards;
    dps_engine *engine;
    dps_dcd_model *model;
    dps_dcd_part *part;              /* shards x models */
    dps_dcd_step *steps;             /* shards x models x DPS_ROUND_ROWS, with several shards */
    double still;                    /* a gradient that counts as 0 */
    double *alpha;                   /* rows x models */
    uint8_t *active;                 /* rows x models */
    uint8_t *wanted;                 /* per row: active for some live model */
    int32_t *live;                   /* numbers of the live models */
    int32_t *check;                  /* of those to certify */
    double *ends;                    /* models x 2: most and -least of a pass over all ranks */
    int32_t block_rows;              /* 1: row by row */
    dps_dcd_row *rows;               /* 2 x models x block_rows */
    dps_dcd_piece *pieces;           /* models x block_rows / DPS_PIECE_ROWS, rounded up */
    double *common;                  /* models: |V d|^2 of a block */
    double *values;                  /* shards x models x 5, then models x 5: sums of a pass */
    double history[DPS_RATE_PASSES]; /* largest relative gap estimates, a ring */
} dps_dcd;

static inline dps_dcd_part *dps_dcd_part_of(const dps_dcd *d, int32_t l, int32_t k)
{
    return &d->part[(size_t)l * (size_t)d->solution->models + (size_t)k];
}

/* U_i and E_ii of a row that weighs so much. */
static inline double dps_dcd_upper(const dps_problem *problem, double weight)
{
    return problem->loss->dual_top * problem->C * weight;
}

static inline double dps_dcd_diagonal(const dps_problem *problem, double weight)
{
    return 2.0 * problem->loss->dual_bend / (problem->C * weight);
}

/* The row rule, for the engine; context: dps_dcd. */
dps_rule dps_dcd_rule(dps_dcd *d);

/* ---- blocks (dcd_blocks.c) ---- */

bool dps_dcd_blocks_allocate(dps_dcd *d);
void dps_dcd_blocks_release(dps_dcd *d);
size_t dps_dcd_blocks_memory(const dps_problem *problem, int32_t block_rows);
dps_block_rule dps_dcd_block_rule(const dps_dcd *d);

#endif
