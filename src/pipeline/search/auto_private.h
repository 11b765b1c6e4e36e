/* What the parts of the search of kernel.type = auto share. */
#ifndef DPS_AUTO_SEEK_H
#define DPS_AUTO_SEEK_H

#include "auto_trial.h"
#include "pace.h"

#define DPS_AUTO_ROWS          4096  /* of the first sample, at most */
#define DPS_AUTO_FINAL_ROWS    12288 /* of the second */
#define DPS_AUTO_WIDEST        4096  /* columns beyond which rows are text: linear at once */
#define DPS_AUTO_MOST_FEATURES 4096
#define DPS_AUTO_FOLDS         5 /* 2 where a second sample follows */
#define DPS_AUTO_STEPS         6 /* of the solves (ridge.h) */
#define DPS_AUTO_FEW_STEPS     2 /* for text, whose rows hardly need them */
#define DPS_AUTO_MORE_STEPS    8 /* in the last rounds, where C is settled */

typedef struct dps_auto_seeker {
    const dps_trial_base *base;
    dps_auto_search *search;
    dps_trial_rows sample, final_sample; /* the second one empty where rows are few */
    size_t bytes;                        /* of both */
    dps_auto_bench bench, final_bench;
    bool fixed_features, fixed_C;
    int32_t first_features;
    double *distances[2]; /* of few rows, by view (kernel_gram.h) */
    dps_pace pace;        /* of the trials */
} dps_auto_seeker;

/* D of the first look at a kernel; few rows' RBF is tried by the kernel itself, and drawn wide
 * enough to be near it. */
static inline int32_t dps_auto_first_features(const dps_auto_seeker *s, dps_auto_kernel kernel)
{
    return kernel == DPS_AUTO_LINEAR || kernel == DPS_AUTO_EXACT  ? 0
           : kernel == DPS_AUTO_RBF && s->bench.distances != NULL ? DPS_AUTO_MOST_FEATURES
                                                                  : s->first_features;
}

static inline double dps_auto_models(const dps_trial_base *base)
{
    const int32_t classes = dps_trial_classes(base);
    return classes == 2 ? 1 : classes;
}

static inline bool dps_auto_is_fourier(const dps_auto_trial *trial)
{
    return trial->kernel == DPS_AUTO_RBF || trial->kernel == DPS_AUTO_LAPLACIAN;
}

static inline const dps_trial_rows *dps_auto_final_sample(const dps_auto_seeker *s)
{
    return s->final_bench.sample;
}

/* ---- auto_try.c */

/* C 2^(octaves k), k = -below .. above */
typedef struct dps_auto_costs {
    double C;
    int octaves, below, above;
} dps_auto_costs;
/* Runs `trial`; *index: its place in the list, or -1 when it does not work. */
DPS_MUST_USE dps_status dps_auto_try(dps_auto_seeker *s, const dps_auto_bench *bench,
                                     dps_auto_trial trial, dps_auto_costs range, int32_t *index,
                                     dps_error *err);
/* The same setting, to be measured anew. */
dps_auto_trial dps_auto_again(const dps_auto_trial *trial);
/* By how much trial a is better than trial b. */
dps_spread dps_auto_gain(const dps_auto_seeker *s, int32_t a, int32_t b);
/* Whether trial a, if there is one, has the smaller loss than b, or is the first. */
bool dps_auto_better(const dps_auto_seeker *s, int32_t a, int32_t b);
/* The least that another width or more features must gain. */
double dps_auto_least_gain(const dps_auto_search *search, const dps_auto_trial *trial);
/* Whether the training is not too long. The solver's systems are of the columns, or of the rows
 * where those are fewer. */
bool dps_auto_trainable(const dps_auto_seeker *s, int32_t features);

/* ---- auto_refined.c */

/* *refined: the smallest refined map on the first sample, in the scaling of trial rbf, or -1 where
 * it is not for these rows; *settled: it is better than trials `linear` and `rbf` by more than two
 * standard errors, so that other drawn maps need not be looked at. */
DPS_MUST_USE dps_status dps_auto_try_refined(dps_auto_seeker *s, int32_t linear, int32_t rbf,
                                             int32_t *refined, bool *settled, dps_error *err);
/* On the second sample, with twice the features while that pays, unless trial `linear` of that
 * sample (-1: none) is as good. */
DPS_MUST_USE dps_status dps_auto_grow_refined(dps_auto_seeker *s, int32_t linear, int32_t *refined,
                                              dps_error *err);

/* The trials (auto_steps.c); fills search->trial and chosen. */
DPS_MUST_USE dps_status dps_auto_steps(dps_auto_seeker *s, dps_error *err);

#endif
