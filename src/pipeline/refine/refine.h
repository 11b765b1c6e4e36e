/* map.refine: the map is drawn from its seed and then moved, so that fewer columns do the work of
 * many (docs/algorithms.md, section 14; Yu, Kumar, Rowley & Chang 2015, arXiv 1503.03893). */
#ifndef DPS_REFINE_H
#define DPS_REFINE_H

#include "score_spread.h"
#include "recipe.h"
#include "row_subset.h"

#define DPS_REFINE_OPEN_C 10.0 /* where solver.C is chosen later, on the map that has moved */

struct dps_trial_base; /* trial_rows.h */

typedef struct dps_refinement {
    float *moved; /* map_projections.h; NULL: the map stays as drawn */
    int64_t count;
    double *w; /* of all models there, as a solver has it: a start for the last training */
    size_t weights;
    int64_t rows, held; /* that moved it, and that chose */
    int64_t steps, evaluations;
    int64_t chosen;        /* after so many steps; 0: as drawn */
    double drawn, reached; /* the objective a row before and after, on the last rows */
    dps_metric metric;     /* of the held-out rows */
    double record[2][1 + DPS_SCORE_PARTS]; /* with held-out rows: as drawn, and chosen */
    double seconds;
} dps_refinement;

/* Rows for it other than a sample of the training's, which the base's settings ask for. */
typedef struct dps_refine_rows {
    const dps_labelled_rows *rows;
    const int32_t *part; /* 0: held out, to choose the step by; else it moves the map */
    double C;
} dps_refine_rows;

/* All; every rank does the same. recipe: planned, of map.refine; must not have moved. given: NULL,
 * or other rows. memory: bytes it may take. run: with the keeper of checkpoints. */
DPS_MUST_USE dps_status dps_refine_run(const struct dps_trial_base *base,
                                       const dps_map_recipe *recipe, const dps_refine_rows *given,
                                       size_t memory, const dps_run *run, dps_refinement *result,
                                       dps_error *err);
/* Says what dps_refine_run will take of `memory`, or that it is too much, before it begins: the map
 * is drawn for it. All. */
DPS_MUST_USE dps_status dps_refine_plan(const struct dps_trial_base *base,
                                        const dps_map_recipe *recipe, size_t memory,
                                        dps_error *err);
/* Says it in a line. */
void dps_refinement_log(const dps_refinement *r, const dps_run *run);
void dps_refinement_release(dps_refinement *result); /* accepts a zeroed struct */

#endif
