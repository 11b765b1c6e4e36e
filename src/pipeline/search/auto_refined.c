/* Task: refined maps (map.refine = projections over an RBF) among the trials. The smallest is tried
 * on the first sample, in the scaling that won; on the second it grows while that pays. Where it
 * leaves the linear kernel and the drawn RBF behind at once, no other drawn map is looked at: it
 * does with 32 features what they need hundreds for, and costs less than each of them.
 *
 * It moves on the rows of all folds but one, which alone scores it: a step chosen by those rows is
 * a little favoured, which is why a drawn map need not be clearly better (auto_steps.c). */
#include "auto_private.h"
#include "refine.h"

enum { REFINE_ROWS = 1500, REFINED_FEATURES = 32, MOST_REFINED = 512 };
static const double refined_work = 0x1p39;

/* What they are for: rows enough to move a map by, losses that compare row by row with a fold's,
 * and one seed (several compare maps as they are drawn). */
static bool refinable(const dps_auto_seeker *s)
{
    const dps_metric metric = s->search->metric;
    return s->base->options->map_seed.count == 1 && s->sample.own.x.columns <= DPS_REFINE_COLUMNS &&
           s->search->rows >= REFINE_ROWS &&
           (metric == DPS_METRIC_ACCURACY || metric == DPS_METRIC_RMSE);
}

/* A refined map of `features` on the bench, in the scaling of trial `like`. */
static dps_status look_refined(dps_auto_seeker *s, const dps_auto_bench *bench, int32_t like,
                               int32_t features, int32_t *index, dps_error *err)
{
    const dps_auto_trial trial = {.kernel = DPS_AUTO_RBF,
                                  .refined = true,
                                  .degree = 1,
                                  .view = s->search->trial[like].view,
                                  .features = s->fixed_features ? s->first_features : features,
                                  .multiple = 1};
    return dps_auto_try(s, bench, trial, (dps_auto_costs){DPS_REFINE_OPEN_C, 2, 1, 1}, index, err);
}

dps_status dps_auto_try_refined(dps_auto_seeker *s, int32_t linear, int32_t rbf, int32_t *refined,
                                bool *settled, dps_error *err)
{
    *refined = -1;
    *settled = false;
    if (!refinable(s) || linear < 0 || rbf < 0) {
        return DPS_OK;
    }
    DPS_TRY(look_refined(s, &s->bench, rbf, REFINED_FEATURES, refined, err));
    if (*refined >= 0) {
        const dps_spread by[] = {dps_auto_gain(s, *refined, linear),
                                 dps_auto_gain(s, *refined, rbf)};
        *settled = by[0].mean > 2 * by[0].error && by[1].mean > 2 * by[1].error;
    }
    return DPS_OK;
}

/* Flops of a refinement, roughly: its evaluations' gradients, and their Newton steps or, of three
 * classes and more, the one factor of all. */
static double refining_work(const dps_auto_seeker *s, int32_t features)
{
    enum { by_column = 280, by_feature = 80 };
    const double rows = (double)dps_auto_final_sample(s)->own.x.rows, D = features;
    return rows * D * (by_column * (double)s->sample.own.x.columns + by_feature * D);
}

dps_status dps_auto_grow_refined(dps_auto_seeker *s, int32_t linear, int32_t *refined,
                                 dps_error *err)
{
    const int32_t first = *refined;
    int32_t features = REFINED_FEATURES;
    if (s->search->final_rows > 0) {
        DPS_TRY(look_refined(s, &s->final_bench, first, features, refined, err));
    }
    if (*refined >= 0 && linear >= 0 && !dps_auto_better(s, *refined, linear)) {
        return DPS_OK; /* nothing bends there */
    }
    /* one doubling of all may gain too little: held-out curves are not smooth */
    for (int misses = 0; *refined >= 0 && !s->fixed_features && misses < 2;) {
        int32_t at;
        features *= 2;
        if (features > MOST_REFINED || !dps_auto_trainable(s, features) ||
            refining_work(s, features) > refined_work) {
            break;
        }
        DPS_TRY(look_refined(s, &s->final_bench, first, features, &at, err));
        const double least = dps_auto_least_gain(s->search, &s->search->trial[*refined]);
        const bool pays = at >= 0 && dps_auto_gain(s, at, *refined).mean >= least;
        *refined = pays ? at : *refined;
        misses += !pays;
    }
    return DPS_OK;
}
