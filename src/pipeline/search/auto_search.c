/* Task: kernel.type = auto: from a file and nothing else to scaling, kernel, map, D and C. Two
 * samples of the training rows (trial_rows.c): at most 4096 rows by 5 folds (2 where a second
 * sample follows, one hold-out of a fourth for more than 3 one-vs-rest models on more than 1024
 * rows), or as tune.folds or tune.holdout say where they are set; and, where there
 * are more than 8192 rows, 12288 with a fourth held out. Text (more than 4096 columns): one sample
 * of 1024 rows. auto_steps.c measures on them; what it chooses is set as options, as if the user
 * had written them, and training goes on from there. All rules are functions of data, options and
 * seeds: the same model for any number of threads and ranks, all of which do the same work. */
#include "auto_search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "allocation.h"
#include "auto_private.h"
#include "auto_text.h"
#include "comm.h"
#include "folds.h"
#include "job_limits.h"
#include "model_selection.h"
#include "number.h"
#include "ridge.h"
#include "search_values.h"

enum { FEWEST_ROWS = 50, FEW_MODELS = 3 };
static const double final_share = 0.25;

/* ---- when ------------------------------------------------------------------------------------ */

bool dps_auto_search_wanted(const dps_options *options)
{
    const dps_option_info *table = dps_option_table();
    if (strcmp(options->kernel_type, "auto") != 0 || options->search.count > 0 ||
        options->solver_warm_start[0] != '\0') {
        return false;
    }
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        const bool fixes =
            strcmp(table[id].section, "kernel") == 0 || strcmp(table[id].section, "map") == 0;
        const bool free = id == DPS_OPT_kernel_type || id == DPS_OPT_map_seed ||
                          (id == DPS_OPT_map_features && options->origin[DPS_OPT_kernel_type].set);
        if (fixes && !free && options->origin[id].set) {
            return false;
        }
    }
    return true;
}

/* Files that can be read twice, with a scaling that is left to the search. */
static bool may_rescale(const dps_options *options)
{
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

/* ---- beginning ------------------------------------------------------------------------------- */

/* Of the first trials. Few rows: several times as many, so that the map hardly differs from its
 * kernel; the systems that are solved are of the rows. */
static int32_t first_features(const dps_auto_seeker *s)
{
    const int64_t rows = s->search->rows;
    return rows <= 256 ? 4096 : rows <= DPS_RIDGE_ROWS ? 2048 : 512;
}

static dps_status hold_out(dps_trial_rows *sample, const dps_trial_base *base, double share,
                           dps_error *err)
{
    return dps_holdout_make(sample->own.label, sample->own.x.rows, dps_trial_classes(base), share,
                            base->settings->validation.seed, sample->fold, err);
}

static dps_status measurable(const dps_auto_seeker *s, const dps_trial_rows *sample, int32_t folds,
                             dps_error *err)
{
    return dps_selection_measurable(s->search->metric, s->base->options, sample->own.label,
                                    sample->fold, folds, sample->own.x.rows, err);
}

static bool two_samples(const dps_trial_base *base)
{
    return dps_dataset_count(base->data) > 2 * DPS_AUTO_ROWS &&
           base->data->scaler.columns <= DPS_AUTO_WIDEST;
}

static dps_status begin_first(dps_auto_seeker *s, bool rescale, dps_error *err)
{
    const dps_trial_base *base = s->base;
    const dps_validation *v = &base->settings->validation;
    const bool asked = base->options->origin[DPS_OPT_tune_folds].set || v->holdout > 0;
    dps_trial_rows *sample = &s->sample;
    const bool wide = base->data->scaler.columns > DPS_AUTO_WIDEST;
    DPS_TRY(dps_trial_rows_take(sample, base, wide ? DPS_RIDGE_ROWS : DPS_AUTO_ROWS, rescale, err));
    const int64_t rows = sample->own.x.rows;
    const bool many = dps_auto_models(base) > FEW_MODELS;
    const bool once = asked ? v->holdout > 0 : many && rows > DPS_RIDGE_ROWS;
    s->search->rows = rows;
    s->search->folds = once ? 1 : asked ? v->folds : two_samples(base) ? 2 : DPS_AUTO_FOLDS;
    DPS_TRY(once ? hold_out(sample, base, v->holdout > 0 ? v->holdout : final_share, err)
                 : dps_folds_make(sample->own.label, sample->own.x.rows, dps_trial_classes(base),
                                  s->search->folds, v->seed, sample->fold, err));
    return measurable(s, sample, s->search->folds, err);
}

static dps_status begin_final(dps_auto_seeker *s, bool rescale, dps_error *err)
{
    const dps_trial_base *base = s->base;
    s->final_bench = s->bench;
    s->final_bench.moves =
        s->bench.moves == DPS_AUTO_STEPS ? DPS_AUTO_MORE_STEPS : DPS_AUTO_FEW_STEPS;
    s->search->final_folds = s->search->folds;
    if (!two_samples(base)) {
        return DPS_OK;
    }
    dps_trial_rows *sample = &s->final_sample;
    DPS_TRY(dps_trial_rows_take(sample, base, DPS_AUTO_FINAL_ROWS, rescale, err));
    DPS_TRY(hold_out(sample, base, final_share, err));
    s->search->final_rows = sample->own.x.rows;
    s->search->final_folds = 1;
    s->final_bench.sample = sample;
    s->final_bench.folds = 1;
    s->final_bench.final = true;
    return measurable(s, sample, 1, err);
}

static dps_status begin(dps_auto_seeker *s, dps_error *err)
{
    const dps_trial_base *base = s->base;
    const dps_settings *settings = base->settings;
    bool rescale = may_rescale(base->options);
    dps_comm_broadcast(base->run->comm, 0, &rescale, sizeof rescale);
    s->search->metric = settings->validation.metric;
    s->search->all_rows = dps_dataset_count(base->data);
    DPS_TRY(dps_selection_check(settings, base->options, dps_trial_classes(base),
                                s->search->all_rows, err));
    DPS_TRY(begin_first(s, rescale, err));
    s->bench =
        (dps_auto_bench){.base = base,
                         .sample = &s->sample,
                         .bytes = &s->bytes,
                         .silent = *base->run,
                         .folds = s->search->folds,
                         .metric = s->search->metric,
                         .moves = base->data->scaler.columns > DPS_AUTO_WIDEST ? DPS_AUTO_FEW_STEPS
                                                                               : DPS_AUTO_STEPS};
    s->bench.silent.log = NULL;
    s->fixed_C = base->options->origin[DPS_OPT_solver_C].set && !settings->choose_C;
    s->fixed_features =
        base->options->origin[DPS_OPT_map_features].set && !settings->choose_features;
    s->first_features = s->fixed_features ? settings->request.features : first_features(s);
    if (s->search->rows <= DPS_RIDGE_ROWS && !s->fixed_features) {
        s->bench.distances = s->distances;
    }
    DPS_TRY(begin_final(s, rescale, err));
    s->bytes = s->sample.bytes + s->final_sample.bytes;
    return DPS_OK;
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
    for (size_t k = 0; k < count; k++) {
        DPS_TRY(set(search, list[k].id, list[k].value, err));
    }
    return DPS_OK;
}

static dps_status set_kernel(dps_auto_search *search, const dps_auto_trial *chosen, dps_error *err)
{
    char degree[16];
    snprintf(degree, sizeof degree, "%ld", (long)chosen->degree);
    const setting linear[] = {{DPS_OPT_kernel_type, "linear"}};
    const setting exact[] = {{DPS_OPT_kernel_type, "polynomial"},
                             {DPS_OPT_kernel_degree, degree},
                             {DPS_OPT_map_exact_degree, degree}};
    const setting rbf[] = {{DPS_OPT_kernel_type, "rbf"}, {DPS_OPT_map_orthogonal, "on"}};
    const setting refined[] = {{DPS_OPT_kernel_type, "rbf"}, {DPS_OPT_map_refine, "projections"}};
    const setting laplacian[] = {{DPS_OPT_kernel_type, "laplacian"}};
    switch (chosen->kernel) {
    case DPS_AUTO_LINEAR:
        return set_all(search, linear, 1, err);
    case DPS_AUTO_EXACT:
        return set_all(search, exact, 3, err);
    case DPS_AUTO_MACLAURIN:
        return set_all(search, exact, 2, err);
    case DPS_AUTO_RBF:
        return set_all(search, chosen->refined ? refined : rbf, 2, err);
    case DPS_AUTO_LAPLACIAN:
        return set_all(search, laplacian, 1, err);
    }
    return DPS_OK;
}

static dps_status take_over(const dps_trial_base *base, dps_auto_search *search, dps_error *err)
{
    const dps_auto_trial *chosen = &search->trial[search->chosen];
    const bool choose_D = base->settings->choose_features;
    const bool had_C = base->options->origin[DPS_OPT_solver_C].set;
    const bool had_D = base->options->origin[DPS_OPT_map_features].set && !choose_D;
    if (chosen->scaling != DPS_VIEW_LOADED) {
        DPS_TRY(set(search, DPS_OPT_data_scaling, dps_auto_scaling_name(chosen->scaling), err));
    }
    if (chosen->scaling == DPS_VIEW_UNIT) {
        DPS_TRY(set(search, DPS_OPT_data_normalize, "unit", err));
    }
    DPS_TRY(set_kernel(search, chosen, err));
    if (chosen->features > 0 && !had_D) {
        DPS_TRY(set_number(search, DPS_OPT_map_features, chosen->features, err));
    } else if (chosen->features == 0 && choose_D) {
        DPS_TRY(set_number(search, DPS_OPT_map_features, 500, err)); /* not in use */
    }
    if (!had_C) {
        DPS_TRY(set_number(search, DPS_OPT_solver_C, chosen->C, err));
    }
    /* `auto` would take dcd for so many columns, whatever the rows */
    const bool free = !base->options->origin[DPS_OPT_solver_type].set;
    const bool many = search->all_rows > chosen->width && chosen->width > DPS_NEWTON_WIDTH;
    return free && many && chosen->features > 0 && base->settings->loss->smooth
               ? set(search, DPS_OPT_solver_type, "newton", err)
               : DPS_OK;
}

dps_status dps_auto_search_settle(const dps_trial_base *base, dps_auto_search *search,
                                  dps_error *err)
{
    const dps_auto_trial *chosen = &search->trial[search->chosen];
    const dps_scaler *scaler = &base->data->scaler;
    const dps_row_source rows = dps_dataset_rows(base->data);
    dps_run silent = *base->run;
    dps_map_recipe recipe;
    dps_map_facts facts;
    double typical = NAN;
    silent.log = NULL;
    if (!dps_auto_is_fourier(chosen)) {
        return DPS_OK;
    }
    DPS_TRY(dps_auto_trial_recipe(chosen, &typical, &base->settings->request, &rows,
                                  scaler->radius1, scaler->radius2, scaler->dense, &silent, &recipe,
                                  &facts, err));
    return set_number(search, DPS_OPT_map_gamma, recipe.base_gamma, err);
}

/* ---- the search ------------------------------------------------------------------------------ */

dps_status dps_auto_search_run(const dps_trial_base *base, dps_auto_search *search, bool *rescaled,
                               dps_error *err)
{
    dps_auto_seeker s = {.base = base, .search = search};
    if (dps_dataset_count(base->data) < FEWEST_ROWS) {
        dps_log_text(base->run, DPS_NORMAL,
                     "kernel.type = auto: %lld rows are too few to compare kernels by; polynomial "
                     "is taken",
                     (long long)dps_dataset_count(base->data));
        return DPS_OK;
    }
    DPS_TRY(dps_options_copy(base->options, &search->options, err));
    dps_status status = begin(&s, err);
    DPS_THEN(status, dps_auto_steps(&s, err));
    dps_trial_rows_release(&s.sample);
    dps_trial_rows_release(&s.final_sample);
    dps_free(s.distances[0]);
    dps_free(s.distances[1]);
    DPS_TRY(status);
    *rescaled = search->trial[search->chosen].scaling != DPS_VIEW_LOADED;
    return take_over(base, search, err);
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
