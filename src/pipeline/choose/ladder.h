/* Settings tried one after the other, from the one preferred to the one that must prove itself, and
 * the rule that chooses: the first that is as good as the best up to one standard error of the
 * paired difference (Breiman, Friedman, Olshen & Stone 1984, section 3.4.3). */
#ifndef DPS_LADDER_H
#define DPS_LADDER_H

#include "score_spread.h"
#include "status.h"

#define DPS_RUNGS 16

typedef struct dps_rung {
    double C;          /* of solver.C = auto */
    const char *name;  /* of map.measure = auto: the measure, static text */
    int32_t features;  /* of maps: D */
    int32_t width;     /* D' */
    double *score;     /* a record (dps_score_length) */
    dps_spread spread; /* of it */
    bool best, chosen;
} dps_rung;

typedef struct dps_ladder {
    dps_metric metric;
    int32_t folds;
    int32_t count; /* 0: nothing was searched */
    int64_t rows;  /* that were looked at */
    double seconds;
    dps_rung rung[DPS_RUNGS];
} dps_ladder;

/* Adds a rung with room for its scores at the end; NULL: out of memory. */
dps_rung *dps_ladder_add(dps_ladder *ladder, dps_error *err);
/* Takes the last rung, which had no score, away again; NULL: nothing. */
void dps_ladder_drop(dps_ladder *ladder, dps_rung *rung);
/* The first of the best of the first `count` rungs. */
int32_t dps_ladder_best(const dps_ladder *ladder, int32_t count);
bool dps_ladder_as_good(const dps_ladder *ladder, int32_t a, int32_t b);
/* Whether none of the last `patience` rungs is better than the best one before them by more than
 * one standard error. */
bool dps_ladder_level(const dps_ladder *ladder, int32_t patience);
/* Marks the best and the chosen rung; the number of the chosen one. */
int32_t dps_ladder_choose(dps_ladder *ladder);
/* "5-fold cross-validation", or "held-out rows". */
void dps_ladder_how(int32_t folds, char *out, size_t size);
void dps_ladder_release(dps_ladder *ladder); /* accepts a zeroed struct */

#endif
