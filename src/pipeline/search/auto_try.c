/* Task: what the steps of the search share: a trial run and put into the list, and how two compare.
 */
#include <math.h>
#include "allocation.h"
#include "auto_private.h"
#include "auto_text.h"
#include "comm.h"
#include "job_limits.h"

enum { MORE_FOR_CLASSES = 4, USUAL_TRIALS = 13, USUAL_TRIALS_WIDE = 4 };
static const double training_work = 0x1p38;
static const double least_share = 0.02, least_points = 0.0025; /* of the loss; of accuracy */

static int32_t costs(const dps_auto_seeker *s, const dps_auto_costs *range, double *out)
{
    int32_t count = 0;
    if (s->fixed_C) {
        out[count++] = s->base->settings->C;
        return count;
    }
    for (int k = -range->below; k <= range->above; k++) {
        out[count++] = ldexp(range->C, range->octaves * k);
    }
    return count;
}

/* What map.gamma = auto is, of an earlier trial of the same map on rows scaled alike: a median over
 * 2 million pairs, which a larger sample would hardly change. */
static double typical_gamma(const dps_auto_search *search, const dps_auto_trial *trial)
{
    for (int32_t k = 0; k < search->count; k++) {
        const dps_auto_trial *before = &search->trial[k];
        if (before->kernel == trial->kernel && before->view == trial->view) {
            return before->typical;
        }
    }
    return NAN;
}

/* Of trials done, and of this one in words: "trial 5 of about 12: rbf, D = 256; best 94.1 %". */
static void log_trial(const dps_auto_seeker *s, const dps_auto_trial *trial)
{
    const dps_auto_search *search = s->search;
    const bool wide = s->sample.own.x.columns > DPS_AUTO_WIDEST;
    const int32_t usual = wide ? USUAL_TRIALS_WIDE : USUAL_TRIALS, begun = search->count + 1;
    const int32_t about = begun > usual ? begun : usual;
    int32_t best = -1;
    dps_text text = {0};
    for (int32_t k = 0; k < search->count; k++) {
        const bool worse =
            best >= 0 && (search->metric == DPS_METRIC_RMSE || search->metric == DPS_METRIC_LOG_LOSS
                              ? search->trial[k].spread.mean >= search->trial[best].spread.mean
                              : search->trial[k].spread.mean <= search->trial[best].spread.mean);
        best = search->trial[k].works && !worse ? k : best;
    }
    dps_text_format(&text, "trial %ld of about %ld: ", (long)begun, (long)about);
    dps_auto_trial_text(trial, &text);
    if (best >= 0 && search->metric == DPS_METRIC_ACCURACY) {
        dps_text_format(&text, "; best %.1f %%", 100 * search->trial[best].spread.mean);
    } else if (best >= 0) {
        dps_text_format(&text, "; best %.4g", search->trial[best].spread.mean);
    }
    dps_log_progress(s->base->run,
                     &(dps_progress){.stage = "search",
                                     .fraction = (double)search->count / (double)about,
                                     .iteration = -1,
                                     .objective = NAN,
                                     .gap = NAN,
                                     .target = NAN,
                                     .detail = text.failed ? NULL : text.data});
    dps_text_release(&text);
}

/* Once three trials have shown how long one takes. */
static void say_plan(dps_auto_seeker *s)
{
    const bool wide = s->sample.own.x.columns > DPS_AUTO_WIDEST;
    const int32_t usual = wide ? USUAL_TRIALS_WIDE : USUAL_TRIALS, done = s->search->count;
    char time[40];
    if (done == 0) {
        s->pace.began = dps_now();
    } else if (done >= 3 && dps_pace_due(&s->pace, (double)done / usual, time, sizeof time)) {
        dps_log_text(s->base->run, DPS_NORMAL, "plan: %s for a search of about %ld trials", time,
                     (long)usual);
    }
}

/* run.time_limit: decided by rank 0 for all. The first trial is made in any case. */
static bool time_is_up(const dps_auto_seeker *s)
{
    bool up = s->search->cut;
    if (s->base->deadline > 0 && !up && s->search->count > 0) {
        up = dps_now() >= s->base->deadline;
        dps_comm_broadcast(s->base->run->comm, 0, &up, sizeof up);
        s->search->cut = up;
    }
    return up;
}

dps_status dps_auto_try(dps_auto_seeker *s, const dps_auto_bench *bench, dps_auto_trial trial,
                        dps_auto_costs range, int32_t *index, dps_error *err)
{
    double cost[DPS_AUTO_COSTS];
    dps_auto_search *search = s->search;
    const int32_t count = costs(s, &range, cost);
    trial.typical = typical_gamma(search, &trial);
    *index = -1;
    if (search->count == DPS_AUTO_TRIALS || time_is_up(s)) {
        return DPS_OK;
    }
    trial.scaling = bench->sample->view[trial.view].kind;
    say_plan(s);
    log_trial(s, &trial);
    const dps_status status = dps_auto_trial_run(bench, cost, count, &trial, err);
    if (status != DPS_OK) {
        dps_free(trial.score);
        dps_free(trial.loss);
        return status;
    }
    search->trial[search->count] = trial;
    *index = trial.works ? search->count : -1;
    search->count++;
    return DPS_OK;
}

dps_auto_trial dps_auto_again(const dps_auto_trial *trial)
{
    return (dps_auto_trial){.kernel = trial->kernel,
                            .degree = trial->degree,
                            .view = trial->view,
                            .refined = trial->refined,
                            .features = trial->features,
                            .multiple = trial->multiple};
}

dps_spread dps_auto_gain(const dps_auto_seeker *s, int32_t a, int32_t b)
{
    const dps_auto_trial *all = s->search->trial;
    return dps_auto_advantage(s->search, &all[a], &all[b]);
}

bool dps_auto_better(const dps_auto_seeker *s, int32_t a, int32_t b)
{
    return a >= 0 && (b < 0 || dps_auto_gain(s, a, b).mean > 0);
}

double dps_auto_least_gain(const dps_auto_search *search, const dps_auto_trial *trial)
{
    const double mean = trial->spread.mean;
    if (search->metric == DPS_METRIC_RMSE || search->metric == DPS_METRIC_LOG_LOSS) {
        return least_share * (search->metric == DPS_METRIC_RMSE ? mean * mean : mean);
    }
    return fmax(least_share * (1 - mean), least_points);
}

bool dps_auto_trainable(const dps_auto_seeker *s, int32_t features)
{
    const double rows = (double)s->search->all_rows, order = fmin(rows, features);
    const double models = dps_auto_models(s->base);
    return features <= DPS_AUTO_MOST_FEATURES &&
           models * rows * order * order <= training_work * fmin(models, MORE_FOR_CLASSES);
}
