/* Task: kernel.type = auto: from a file and nothing else to scaling, kernel, map, D and C.
 * Everything is measured on at most 4096 rows (auto_sample.c) by 3 folds, or as tune.folds or
 * tune.holdout say where they are set; one hold-out of a third where there are more than 3 models
 * (one-vs-rest). In steps, each fixed before the next:
 *   scaling   linear and RBF on the rows as loaded and standardised: the view of the best of them
 *   kernel    polynomials of degree 2..4 by exact monomials (the highest of at most 600 columns),
 *             polynomial of degree 10 by random features, Laplacian
 *   width     of RBF or Laplacian: 1/4 and 4 times the median heuristic, on to 1/64 or 64
 *   linear    is taken instead, unless the best kernel is better by more than one standard error
 *   features  D doubled while that lowers the loss by 2 % (and accuracy rises by 0.1 point); once
 *             more without a trial if the last doubling gained twice that and the sample is a part
 *             of the rows
 *   C         a factor of 2 and 4 around the best
 * Rows of more than 4096 columns: linear at once. C: 2^-5, 2^-1, 2^3, 2^7, 2^11 first, then around
 * the best. Bounds: 40 trials; folds x C x models x rows x D'^2 of a trial at most 2^36, and
 * models x rows x D^2 of the training at most 2^39. All rules are functions of data, options and
 * seeds: the same model for any number of threads.
 * Why in steps and not a grid: five choices of a few values each would be hundreds of trials, and
 * they are nearly independent (the median heuristic takes the scale out of gamma, map.scale = unit
 * out of C). */
#include "auto_search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "auto_trial.h"
#include "comm.h"
#include "folds.h"
#include "limits.h"
#include "memory.h"
#include "model_selection.h"
#include "number.h"
#include "search.h"

enum {
    FOLDS = 3,
    FEW_MODELS = 3,    /* more of them: one fold */
    WIDEST_ROW = 4096, /* columns; wider rows: linear */
    EXACT_COLUMNS = 600,
    HIGHEST_EXACT = 4,
    RANDOM_DEGREE = 10,
    FIRST_FEATURES = 256,
    FEWEST_FEATURES = 64,
    MOST_FEATURES = 4096
};
static const double trial_work = 0x1p36, training_work = 0x1p39, first_work = 0x1p18;
static const double least_share = 0.02, least_points = 0.001; /* of the loss; of accuracy */
static const double widest = 64;                              /* multiple of the median heuristic */

typedef struct seeker {
    dps_training *t;
    dps_auto_search *search;
    dps_auto_sample sample;
    dps_auto_bench bench;
    bool fixed_features;
    int32_t first_features;
} seeker;

/* ---- when ------------------------------------------------------------------------------------ */

bool dps_auto_search_wanted(const dps_options *options)
{
    const dps_option_info *table = dps_option_table();
    if (strcmp(options->kernel_type, "auto") != 0 || options->search.count > 0) {
        return false;
    }
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        const bool fixes =
            strcmp(table[id].section, "kernel") == 0 || strcmp(table[id].section, "map") == 0;
        const bool free =
            id == DPS_OPT_kernel_type || id == DPS_OPT_map_features || id == DPS_OPT_map_seed;
        if (fixes && !free && options->origin[id].set) {
            return false;
        }
    }
    return true;
}

static bool was_set(const seeker *s, dps_option_id id)
{
    return s->t->options->origin[id].set;
}

/* Files that can be read twice, with a scaling that is left to the search. */
static bool may_rescale(const dps_training *t)
{
    const dps_options *options = t->options;
    if (options->origin[DPS_OPT_data_scaling].set || options->origin[DPS_OPT_data_normalize].set) {
        return false;
    }
    for (size_t k = 0; k < options->data_train.count; k++) {
        struct stat info;
        const char *path = options->data_train.item[k];
        if (strcmp(path, "-") == 0 || (stat(path, &info) == 0 && !S_ISREG(info.st_mode))) {
            return false;
        }
    }
    return true;
}

/* ---- trials ---------------------------------------------------------------------------------- */

static double models_of(const seeker *s)
{
    const dps_settings *settings = &s->t->settings;
    const int32_t classes = s->t->data.classes.count;
    return settings->loss->regression || classes == 2 ? 1 : classes;
}

/* Values of C so many octaves apart around a middle one, ascending; C of the options where it is
 * given. */
static int32_t costs_around(const seeker *s, double C, int octaves, int aside, double *out)
{
    int32_t count = 0;
    if (was_set(s, DPS_OPT_solver_C) && !s->t->settings.choose_C) {
        out[count++] = s->t->settings.C;
        return count;
    }
    for (int k = -aside; k <= aside; k++) {
        out[count++] = ldexp(C, octaves * k);
    }
    return count;
}

/* Runs `trial`; *index: its place in the list, or -1 when it does not work. */
static dps_status try(seeker *s, dps_auto_trial trial, double C, int octaves, int aside,
                      int32_t *index, dps_error *err)
{
    double cost[DPS_AUTO_COSTS];
    dps_auto_search *search = s->search;
    const int32_t count = costs_around(s, C, octaves, aside, cost);
    *index = -1;
    if (search->count == DPS_AUTO_TRIALS) {
        return DPS_OK;
    }
    const dps_status status = dps_auto_trial_run(&s->bench, cost, count, &trial, err);
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

/* First look at a kernel: C from 2^-5 to 2^11. */
static dps_status look_at(seeker *s, dps_auto_kernel kernel, int32_t degree, int32_t view,
                          int32_t *best, dps_error *err)
{
    const bool drawn = kernel != DPS_AUTO_LINEAR && kernel != DPS_AUTO_EXACT;
    const dps_auto_trial trial = {.kernel = kernel,
                                  .degree = degree,
                                  .view = view,
                                  .features = drawn ? s->first_features : 0,
                                  .multiple = 1};
    int32_t at;
    const dps_status status = try(s, trial, 8, 4, 2, &at, err);
    const dps_auto_trial *all = s->search->trial;
    if (at >= 0 && (*best < 0 || dps_auto_advantage(s->search, &all[at], &all[*best]).mean > 0)) {
        *best = at;
    }
    return status;
}

static dps_auto_trial again(const dps_auto_trial *trial)
{
    return (dps_auto_trial){.kernel = trial->kernel,
                            .degree = trial->degree,
                            .view = trial->view,
                            .features = trial->features,
                            .multiple = trial->multiple};
}

static bool is_fourier(const dps_auto_trial *trial)
{
    return trial->kernel == DPS_AUTO_RBF || trial->kernel == DPS_AUTO_LAPLACIAN;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Highest degree whose monomials, d variables, are at most EXACT_COLUMNS; below 2: none. */
static int32_t exact_degree(int32_t d)
{
    double columns = d + 1.0;
    int32_t degree = 1;
    while (degree < HIGHEST_EXACT) {
        columns = columns * (d + degree + 1.0) / (degree + 1.0);
        if (columns > EXACT_COLUMNS) {
            break;
        }
        degree++;
    }
    return degree;
}

static dps_status choose_scaling(seeker *s, int32_t *linear, int32_t *kernel, dps_error *err)
{
    dps_status status = DPS_OK;
    for (int32_t view = 0; view < s->sample.views && status == DPS_OK; view++) {
        status = look_at(s, DPS_AUTO_LINEAR, 1, view, linear, err);
        if (status == DPS_OK && s->sample.columns <= WIDEST_ROW) {
            status = look_at(s, DPS_AUTO_RBF, 1, view, kernel, err);
        }
    }
    return status;
}

static dps_status choose_kernel(seeker *s, int32_t *kernel, dps_error *err)
{
    const int32_t view = s->search->trial[*kernel].view;
    const int32_t degree = exact_degree(s->sample.columns);
    dps_status status = DPS_OK;
    if (degree >= 2) {
        status = look_at(s, DPS_AUTO_EXACT, degree, view, kernel, err);
    }
    if (status == DPS_OK) {
        status = look_at(s, DPS_AUTO_MACLAURIN, RANDOM_DEGREE, view, kernel, err);
    }
    if (status == DPS_OK) {
        status = look_at(s, DPS_AUTO_LAPLACIAN, 1, view, kernel, err);
    }
    return status;
}

/* Whether trial a, if there is one, has the smaller loss. */
static bool better(const seeker *s, int32_t a, int32_t b)
{
    const dps_auto_trial *all = s->search->trial;
    return a >= 0 && dps_auto_advantage(s->search, &all[a], &all[b]).mean > 0;
}

static dps_status choose_width(seeker *s, int32_t *kernel, dps_error *err)
{
    static const double ways[] = {4, 0.25};
    dps_status status = DPS_OK;
    if (!is_fourier(&s->search->trial[*kernel])) {
        return DPS_OK;
    }
    bool moved = false;
    for (int w = 0; w < 2 && !moved; w++) {
        bool go = true;
        while (go && status == DPS_OK) {
            dps_auto_trial trial = again(&s->search->trial[*kernel]);
            int32_t at;
            trial.multiple *= ways[w];
            if (trial.multiple > widest || trial.multiple < 1 / widest) {
                break;
            }
            status = try(s, trial, s->search->trial[*kernel].C, 4, 1, &at, err);
            go = status == DPS_OK && better(s, at, *kernel);
            *kernel = go ? at : *kernel;
            moved = moved || go;
        }
    }
    return status;
}

static double loss_of(const dps_auto_search *search, const dps_auto_trial *trial)
{
    const double mean = trial->spread.mean;
    return search->metric == DPS_METRIC_RMSE       ? mean * mean
           : search->metric == DPS_METRIC_LOG_LOSS ? mean
                                                   : 1 - mean;
}

/* The least that more features must gain. */
static double least_gain(const dps_auto_search *search, const dps_auto_trial *trial)
{
    const double share = least_share * loss_of(search, trial);
    const bool points = search->metric != DPS_METRIC_RMSE && search->metric != DPS_METRIC_LOG_LOSS;
    return points ? fmax(share, least_points) : share;
}

static bool trainable(const seeker *s, int32_t features)
{
    const double rows = (double)s->search->all_rows, D = features;
    return features <= MOST_FEATURES && D <= rows && models_of(s) * rows * D * D <= training_work;
}

static dps_status choose_features(seeker *s, int32_t *kernel, dps_error *err)
{
    const dps_auto_search *search = s->search;
    double gain = 0, least = 0;
    dps_status status = DPS_OK;
    if (s->fixed_features || search->trial[*kernel].features == 0) {
        return DPS_OK;
    }
    for (;;) {
        const dps_auto_trial *now = &search->trial[*kernel];
        dps_auto_trial trial = again(now);
        int32_t at;
        trial.features *= 2;
        const double width = trial.features;
        const double work =
            3.0 * search->folds * models_of(s) * (double)search->rows * width * width;
        if (!trainable(s, trial.features)) {
            return DPS_OK;
        }
        if (work > trial_work) {
            break;
        }
        status = try(s, trial, now->C, 2, 1, &at, err);
        if (status != DPS_OK || at < 0) {
            return status;
        }
        gain = dps_auto_advantage(search, &search->trial[at], now).mean;
        least = least_gain(search, now);
        if (gain < least) {
            return DPS_OK;
        }
        *kernel = at;
    }
    if (gain >= 2 * least && search->rows < search->all_rows) {
        s->search->extra_doublings = 1;
    }
    return DPS_OK;
}

/* The chosen one once more, C finer: only the better of the two stays. */
static dps_status refine_c(seeker *s, int32_t *kernel, dps_error *err)
{
    const dps_auto_trial *now = &s->search->trial[*kernel];
    const double width = now->width;
    const double work =
        5.0 * s->search->folds * models_of(s) * (double)s->search->rows * width * width;
    int32_t at;
    if ((was_set(s, DPS_OPT_solver_C) && !s->t->settings.choose_C) || work > trial_work) {
        return DPS_OK;
    }
    const dps_status status = try(s, again(now), now->C, 1, 2, &at, err);
    if (status == DPS_OK && better(s, at, *kernel)) {
        *kernel = at;
    }
    return status;
}

static dps_status search_steps(seeker *s, dps_error *err)
{
    dps_auto_search *search = s->search;
    int32_t linear = -1, kernel = -1;
    dps_status status = choose_scaling(s, &linear, &kernel, err);
    if (status == DPS_OK && kernel >= 0) {
        status = choose_kernel(s, &kernel, err);
    }
    if (status == DPS_OK && kernel >= 0) {
        status = choose_width(s, &kernel, err);
    }
    if (status != DPS_OK) {
        return status;
    }
    if (linear < 0 && kernel < 0) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "kernel.type = auto finds no kernel that works: %s; name one, as in "
                             "kernel.type = linear",
                             search->trial[0].reason);
    }
    if (kernel >= 0 && linear >= 0) {
        const dps_spread gain =
            dps_auto_advantage(search, &search->trial[kernel], &search->trial[linear]);
        kernel = gain.mean > gain.error ? kernel : linear;
    }
    kernel = kernel < 0 ? linear : kernel;
    status = choose_features(s, &kernel, err);
    if (status == DPS_OK) {
        status = refine_c(s, &kernel, err);
    }
    search->chosen = kernel;
    return status;
}

/* ---- beginning ------------------------------------------------------------------------------- */

/* Largest power of two that keeps folds x models x D^2 at first_work, but not more than half the
 * rows. */
static int32_t first_features(const seeker *s)
{
    int32_t D = FIRST_FEATURES;
    while (D > FEWEST_FEATURES && (s->search->folds * models_of(s) * D * D > first_work ||
                                   2 * (int64_t)D > s->search->rows)) {
        D /= 2;
    }
    return D;
}

static dps_status begin(seeker *s, dps_error *err)
{
    dps_training *t = s->t;
    const dps_settings *settings = &t->settings;
    const dps_validation *v = &settings->validation;
    const int32_t classes = settings->loss->regression ? 1 : t->data.classes.count;
    const bool asked = was_set(s, DPS_OPT_tune_folds) || v->holdout > 0;
    const bool once = asked ? v->holdout > 0 : models_of(s) > FEW_MODELS;
    dps_status status = dps_auto_sample_take(&s->sample, t, may_rescale(t), err);
    if (status != DPS_OK) {
        return status;
    }
    s->search->folds = once ? 1 : asked ? v->folds : FOLDS;
    s->search->metric = v->metric;
    s->search->rows = s->sample.rows;
    s->search->all_rows = t->rows.rows;
    if (s->sample.rows < 2 * s->search->folds) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "%lld rows are too few for the search of kernel.type = auto: name a "
                             "kernel, as in kernel.type = linear",
                             (long long)s->sample.rows);
    }
    status = once ? dps_holdout_make(s->sample.label, s->sample.rows, classes,
                                     v->holdout > 0 ? v->holdout : 1.0 / FOLDS, v->seed,
                                     s->sample.fold, err)
                  : dps_folds_make(s->sample.label, s->sample.rows, classes, s->search->folds,
                                   v->seed, s->sample.fold, err);
    s->fixed_features = was_set(s, DPS_OPT_map_features) && !settings->choose_features;
    s->first_features = s->fixed_features ? settings->recipe.features : first_features(s);
    s->bench = (dps_auto_bench){.t = t,
                                .sample = &s->sample,
                                .silent = *t->run,
                                .folds = s->search->folds,
                                .metric = v->metric};
    s->bench.silent.log = NULL;
    return status;
}

/* ---- taking over ----------------------------------------------------------------------------- */

static dps_status set(dps_auto_search *search, dps_option_id id, const char *value, dps_error *err)
{
    const dps_option_info *info = &dps_option_table()[id];
    search->set[search->set_count++] = id;
    return dps_options_set(&search->options, info->section, info->key, value, "", NULL, 0, err);
}

static dps_status set_number(dps_auto_search *search, dps_option_id id, double value,
                             dps_error *err)
{
    char number[DPS_NUMBER_MAX];
    dps_format_double(number, value);
    return set(search, id, number, err);
}

typedef struct setting {
    dps_option_id id;
    const char *value;
} setting;

static dps_status set_all(dps_auto_search *search, const setting *list, size_t count,
                          dps_error *err)
{
    dps_status status = DPS_OK;
    for (size_t k = 0; k < count && status == DPS_OK; k++) {
        status = set(search, list[k].id, list[k].value, err);
    }
    return status;
}

static dps_status set_kernel(dps_auto_search *search, const dps_auto_trial *chosen, dps_error *err)
{
    char degree[16];
    snprintf(degree, sizeof degree, "%ld", (long)chosen->degree);
    const setting linear[] = {{DPS_OPT_kernel_type, "linear"}};
    const setting exact[] = {{DPS_OPT_kernel_type, "polynomial"},
                             {DPS_OPT_kernel_degree, degree},
                             {DPS_OPT_map_exact_degree, degree}};
    const setting rbf[] = {{DPS_OPT_kernel_type, "linear"},
                           {DPS_OPT_map_type, "fourier"},
                           {DPS_OPT_map_base, "rbf"},
                           {DPS_OPT_map_orthogonal, "on"}};
    const setting laplacian[] = {{DPS_OPT_kernel_type, "linear"},
                                 {DPS_OPT_map_type, "fourier"},
                                 {DPS_OPT_map_base, "laplacian"}};
    switch (chosen->kernel) {
    case DPS_AUTO_LINEAR:
        return set_all(search, linear, 1, err);
    case DPS_AUTO_EXACT:
        return set_all(search, exact, 3, err);
    case DPS_AUTO_MACLAURIN:
        return set_all(search, exact, 2, err);
    case DPS_AUTO_RBF:
        return set_all(search, rbf, 4, err);
    case DPS_AUTO_LAPLACIAN:
        return set_all(search, laplacian, 3, err);
    }
    return DPS_OK;
}

/* gamma of all training rows as they are now loaded. */
static dps_status set_gamma(dps_training *t, const dps_auto_trial *chosen, dps_error *err)
{
    const dps_scaler *scaler = &t->data.scaler;
    dps_run silent = *t->run;
    dps_map_recipe recipe;
    dps_map_facts facts;
    silent.log = NULL;
    const dps_status status =
        dps_auto_trial_recipe(chosen, t, &t->rows, scaler->radius1, scaler->radius2, scaler->dense,
                              &silent, &recipe, &facts, err);
    return status == DPS_OK
               ? set_number(&t->result->auto_search, DPS_OPT_map_gamma, recipe.base_gamma, err)
               : status;
}

/* Loads the rows again, by the settings as they are now. */
static dps_status load_again(dps_training *t, dps_error *err)
{
    dps_dataset_release(&t->data);
    memset(&t->data, 0, sizeof t->data);
    dps_free(t->class_weight);
    t->class_weight = NULL;
    return dps_training_load(t, err);
}

static dps_status take_over(dps_training *t, dps_error *err)
{
    dps_auto_search *search = &t->result->auto_search;
    const dps_auto_trial *chosen = &search->trial[search->chosen];
    const bool had_C = t->options->origin[DPS_OPT_solver_C].set;
    const bool drawn = chosen->features > 0;
    const bool had_D = t->options->origin[DPS_OPT_map_features].set && !t->settings.choose_features;
    dps_status status = DPS_OK;
    if (chosen->view == 1) {
        status = set(search, DPS_OPT_data_scaling, "standard", err);
    }
    if (status == DPS_OK) {
        status = set_kernel(search, chosen, err);
    }
    if (status == DPS_OK && drawn && !had_D) {
        status = set_number(search, DPS_OPT_map_features,
                            ldexp(chosen->features, search->extra_doublings), err);
    } else if (status == DPS_OK && !drawn && t->settings.choose_features) {
        status = set_number(search, DPS_OPT_map_features, 500, err); /* not in use */
    }
    if (status == DPS_OK && !had_C) {
        status = set_number(search, DPS_OPT_solver_C, chosen->C, err);
    }
    if (status == DPS_OK && chosen->view == 1) {
        t->settings.load.scaling = DPS_SCALE_STANDARD;
        status = load_again(t, err);
    }
    if (status == DPS_OK && is_fourier(chosen)) {
        status = set_gamma(t, chosen, err);
    }
    t->options = &search->options;
    return status == DPS_OK ? dps_settings_read(t->options, &t->settings, err) : status;
}

/* ---- the search ------------------------------------------------------------------------------ */

dps_status dps_auto_search_run(dps_training *t, dps_error *err)
{
    dps_auto_search *search = &t->result->auto_search;
    const double start = dps_now();
    seeker s = {.t = t, .search = search};
    if (!dps_auto_search_wanted(t->options)) {
        return DPS_OK;
    }
    if (dps_comm_size(t->run->comm) > 1) {
        return dps_options_error(t->options, DPS_OPT_kernel_type, err,
                                 "auto is searched by one process, this run has %d: name a kernel, "
                                 "or let dpsvm check, without a launcher, search and print the "
                                 "settings",
                                 dps_comm_size(t->run->comm));
    }
    dps_status status = dps_options_copy(t->options, &search->options, err);
    if (status != DPS_OK) {
        return status;
    }
    status = begin(&s, err);
    if (status == DPS_OK) {
        status = search_steps(&s, err);
    }
    dps_auto_sample_release(&s.sample);
    if (status == DPS_OK) {
        status = take_over(t, err);
    }
    search->seconds = dps_now() - start;
    if (status == DPS_OK) {
        dps_auto_search_log(search, t->run);
    }
    return status;
}

void dps_auto_search_release(dps_auto_search *search)
{
    for (int32_t k = 0; k < search->count; k++) {
        dps_free(search->trial[k].score);
        dps_free(search->trial[k].loss);
    }
    dps_options_release(&search->options);
    memset(search, 0, sizeof *search);
}
