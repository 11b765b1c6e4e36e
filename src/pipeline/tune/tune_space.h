/* The settings that tune tries. The searched options are ordered from slow to fast to change: data,
 * kernel and map, solver, C last. Settings that differ in C only are a chain (one warm-started
 * path), chains with the same mapped rows are a group. */
#ifndef DPS_TUNE_SPACE_H
#define DPS_TUNE_SPACE_H

#include <stdint.h>
#include "score_spread.h"
#include "options.h"

/* tune.method: which settings are tried. */
typedef enum dps_tune_method { DPS_TUNE_GRID, DPS_TUNE_RANDOM, DPS_TUNE_HALVING } dps_tune_method;
extern const char *const dps_tune_method_names[];
/* tune.choice: which one is kept. */
typedef enum dps_tune_choice { DPS_TUNE_ONE_ERROR, DPS_TUNE_BEST } dps_tune_choice;
extern const char *const dps_tune_choice_names[];

typedef struct dps_tune_point {
    int64_t index; /* in the grid of all values, the last option fastest */
    double C;
    double *score; /* a record of score_spread.h */
    bool failed;   /* the setting does not work, or a part of it is not there */
    dps_spread spread;
    int64_t
        every; /* the last scores are from every `every`-th tile of rows: 1, or more in halving */
    bool dropped;  /* by halving, before all rows were looked at */
    bool left_out; /* its options do not go together: never measured */
    bool repeats;  /* another one but for options without effect here: never measured */
    bool best, chosen;
} dps_tune_point;

typedef struct dps_tune_space {
    const dps_options *base;
    const dps_search_item **item; /* slow to fast, borrowed */
    size_t items;
    int64_t data_span, group_span,
        chain_span;        /* grid points that share data, mapped rows, all but C */
    dps_tune_point *point; /* ascending index, so chains and groups are together */
    int64_t count, left_out, repeats;
} dps_tune_space;

DPS_MUST_USE dps_status dps_tune_space_init(dps_tune_space *space, const dps_options *options,
                                            int32_t folds, dps_error *err);
void dps_tune_space_release(dps_tune_space *space);

/* Value of item i at a point, as text. */
const char *dps_tune_value(const dps_tune_space *space, const dps_tune_point *point, size_t i);
/* "map.features = 500, solver.C = 8" */
void dps_tune_point_text(const dps_tune_space *space, const dps_tune_point *point, dps_text *out);
/* The base's options with the point's values. */
DPS_MUST_USE dps_status dps_tune_point_options(const dps_tune_space *space,
                                               const dps_tune_point *point, dps_options *options,
                                               dps_error *err);
/* Whether it is to be measured. */
static inline bool dps_tune_takes_part(const dps_tune_point *point)
{
    return !point->dropped && !point->left_out && !point->repeats;
}
/* First point after `first` of another chain. */
int64_t dps_tune_chain_end(const dps_tune_space *space, int64_t first);

/* Marks best and chosen among the points that work; NULL: none does. one_error: of the points as
 * good as the best up to one standard error (dps_within_one_error), the one with the fewest
 * features, then the smallest C, then the first. */
const dps_tune_point *dps_tune_choose(dps_tune_space *space, dps_metric metric, int32_t folds,
                                      bool one_error);
/* Spread of a point's scores; mean NAN where it failed. */
dps_spread dps_tune_spread(const dps_tune_point *point, int32_t folds);

#endif
