/* What the parts of the search of kernel.type = auto share. */
#ifndef DPS_AUTO_SEEK_H
#define DPS_AUTO_SEEK_H

#include "auto_trial.h"

#define DPS_AUTO_ROWS       4096  /* of the first sample, at most */
#define DPS_AUTO_FINAL_ROWS 12288 /* of the second */
#define DPS_AUTO_WIDEST     4096  /* columns beyond which rows are text: linear at once */
#define DPS_AUTO_FOLDS      5     /* 2 where a second sample follows */
#define DPS_AUTO_MOVES      6     /* of the targets (ridge.h) */
#define DPS_AUTO_FEW_MOVES  2     /* for text, whose rows hardly need them */
#define DPS_AUTO_MORE_MOVES 12    /* in the last rounds, where C is settled */

typedef struct dps_auto_seeker {
    const dps_trial_base *base;
    dps_auto_search *search;
    dps_trial_rows sample, final_sample; /* the second one empty where rows are few */
    size_t bytes;                        /* of both */
    dps_auto_bench bench, final_bench;
    bool fixed_features, fixed_C;
    int32_t first_features;
} dps_auto_seeker;

static inline double dps_auto_models(const dps_trial_base *base)
{
    const int32_t classes = dps_trial_classes(base);
    return classes == 2 ? 1 : classes;
}

static inline bool dps_auto_is_fourier(const dps_auto_trial *trial)
{
    return trial->kernel == DPS_AUTO_RBF || trial->kernel == DPS_AUTO_LAPLACIAN;
}

/* The trials (auto_steps.c); fills search->trial and chosen. */
DPS_MUST_USE dps_status dps_auto_steps(dps_auto_seeker *s, dps_error *err);

#endif
