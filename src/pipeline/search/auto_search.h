/* `kernel.type = auto`, the default: scaling, kernel, map, D and C by validation on a sample of the
 * rows. What the user sets stays as it is. */
#ifndef DPS_AUTO_SEARCH_H
#define DPS_AUTO_SEARCH_H

#include "score_spread.h"
#include "options.h"
#include "row_view.h"
#include "run.h"

#define DPS_AUTO_TRIALS 40
#define DPS_AUTO_COSTS  8 /* values of C a trial */

typedef enum dps_auto_kernel {
    DPS_AUTO_LINEAR,
    DPS_AUTO_EXACT,     /* polynomial, every degree by its monomials */
    DPS_AUTO_MACLAURIN, /* polynomial of degree 10, random features */
    DPS_AUTO_RBF,
    DPS_AUTO_LAPLACIAN
} dps_auto_kernel;

typedef struct dps_auto_trial {
    dps_auto_kernel kernel;
    int32_t degree;   /* of the polynomials */
    int32_t view;     /* of dps_trial_rows */
    dps_view scaling; /* what it is */
    bool refined;     /* rbf: map.refine = projections, scored by the rows of fold 0 alone */
    int32_t features; /* D; 0: none drawn */
    double multiple;  /* rbf, laplacian: gamma over what map.gamma = auto would be */
    double typical;   /* that, on the first rows it was tried on; NAN: not known, or no such map */
    double C;         /* the best one tried, or a smaller one nearly as good */
    int32_t width;    /* D' */
    bool final;       /* on the larger sample */
    int64_t rows;     /* of the sample */
    bool works;       /* else `reason` */
    char reason[160];
    double *score; /* a record of score_spread.h */
    float *loss;   /* per row of the sample: 1 wrong, 0 right; regression: squared error; NAN where
                      no fold held it out */
    dps_spread spread;
} dps_auto_trial;

typedef struct dps_auto_search {
    int32_t count; /* 0: no search */
    dps_auto_trial trial[DPS_AUTO_TRIALS];
    int32_t chosen;
    dps_metric metric;
    int64_t all_rows;
    int64_t rows, final_rows;   /* of the samples; final_rows 0: they are one */
    int32_t folds, final_folds; /* 1: a share is held out */
    dps_option_id set[16];      /* options that the search set */
    int32_t set_count;
    dps_options options; /* the user's, with those; the training's from then on */
    double seconds;
    bool cut; /* by run.time_limit: not all was tried that would have been */
} dps_auto_search;

/* Whether options ask for it: kernel.type is auto, and nothing else of [kernel] or [map] is set but
 * map.seed and, where kernel.type = auto is written, map.features. */
bool dps_auto_search_wanted(const dps_options *options);

struct dps_trial_base; /* trial_rows.h */
/* All. Searches; search->options are the user's with what was chosen. Nothing (search->count 0)
 * where rows are too few to compare by. rescaled: whether the chosen settings want another scaling;
 * rows are to be loaded again then. */
DPS_MUST_USE dps_status dps_auto_search_run(const struct dps_trial_base *base,
                                            dps_auto_search *search, bool *rescaled,
                                            dps_error *err);
/* On the rows as they are to be trained on: what is left to choose on all of them. */
DPS_MUST_USE dps_status dps_auto_search_settle(const struct dps_trial_base *base,
                                               dps_auto_search *search, dps_error *err);
void dps_auto_search_release(dps_auto_search *search);

#endif
