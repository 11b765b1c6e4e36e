/* Task: the settings of `dpsvm tune`, in the order in which the least is computed twice, and the
 * choice among them. */
#include "tune_space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "allocation.h"
#include "number.h"
#include "random.h"
#include "search_values.h"
#include "settings.h"

const char *const dps_tune_method_names[] = {"grid", "random", "halving", NULL};
const char *const dps_tune_choice_names[] = {"one_error", "best", NULL};

enum { RANK_DATA, RANK_MAP, RANK_SOLVER, RANK_C };
#define MOST_POINTS 1000000
#define MOST_GRID   4e9

static int rank_of(const dps_search_item *item)
{
    const char *section = dps_option_table()[item->id].section;
    if (item->id == DPS_OPT_solver_C) {
        return RANK_C;
    }
    if (strcmp(section, "data") == 0) {
        return RANK_DATA;
    }
    return strcmp(section, "solver") == 0 && item->id != DPS_OPT_solver_bias ? RANK_SOLVER
                                                                             : RANK_MAP;
}

static void sort_items(dps_tune_space *space, const dps_search *search)
{
    for (size_t i = 0; i < search->count; i++) {
        size_t at = space->items++;
        for (; at > 0 && rank_of(space->item[at - 1]) > rank_of(&search->item[i]); at--) {
            space->item[at] = space->item[at - 1];
        }
        space->item[at] = &search->item[i];
    }
}

static double product_from(const dps_tune_space *space, int rank)
{
    double product = 1;
    for (size_t i = 0; i < space->items; i++) {
        product *= rank_of(space->item[i]) >= rank ? (double)space->item[i]->value.count : 1;
    }
    return product;
}

/* Number of item i's value at a point of the grid. */
static size_t digit(const dps_tune_space *space, int64_t index, size_t i)
{
    for (size_t k = space->items - 1; k > i; k--) {
        index /= (int64_t)space->item[k]->value.count;
    }
    return (size_t)(index % (int64_t)space->item[i]->value.count);
}

const char *dps_tune_value(const dps_tune_space *space, const dps_tune_point *point, size_t i)
{
    return space->item[i]->value.item[digit(space, point->index, i)];
}

void dps_tune_point_text(const dps_tune_space *space, const dps_tune_point *point, dps_text *out)
{
    for (size_t i = 0; i < space->items; i++) {
        const dps_option_info *info = &dps_option_table()[space->item[i]->id];
        dps_text_format(out, "%s%s.%s = %s", i > 0 ? ", " : "", info->section, info->key,
                        dps_tune_value(space, point, i));
    }
}

static dps_status fill_points(dps_tune_space *space, double grid, int32_t folds, dps_error *err)
{
    const dps_options *options = space->base;
    const bool all = dps_name_value(dps_tune_method_names, options->tune_method) == DPS_TUNE_GRID;
    space->count =
        all || (double)options->tune_budget > grid ? (int64_t)grid : options->tune_budget;
    if (space->count > MOST_POINTS) {
        return dps_error_set(
            err, DPS_ERROR_CONFIG,
            "the grid of [tune] has %.0f settings, more than %d: use fewer values, "
            "or tune.method = random",
            grid, MOST_POINTS);
    }
    int64_t *index = dps_alloc((size_t)space->count, sizeof *index);
    double *score = dps_alloc((size_t)space->count * dps_score_length(folds), sizeof *score);
    space->point = dps_alloc((size_t)space->count, sizeof *space->point);
    if (index == NULL || score == NULL || space->point == NULL) {
        dps_free(index);
        dps_free(score);
        return dps_out_of_memory(err, (size_t)space->count, sizeof *space->point, "the settings");
    }
    for (size_t k = 0; k < (size_t)space->count * dps_score_length(folds); k++) {
        score[k] = NAN; /* not measured */
    }
    dps_random_sample((uint64_t)options->solver_seed, DPS_STREAM_SAMPLE, (int64_t)grid,
                      space->count, index);
    for (int64_t p = 0; p < space->count; p++) {
        dps_tune_point *point = &space->point[p];
        *point = (dps_tune_point){.index = index[p], .C = options->solver_C.number};
        point->score =
            score + (size_t)p * dps_score_length(folds); /* one block, freed by its first */
        for (size_t i = 0; i < space->items; i++) {
            if (space->item[i]->id == DPS_OPT_solver_C) {
                const char *text = dps_tune_value(space, point, i);
                if (!dps_text_to_double(text, strlen(text), &point->C)) {
                    point->C = NAN; /* refused when the space is checked */
                }
            }
        }
    }
    dps_free(index);
    return DPS_OK;
}

static dps_status check(const dps_options *options, dps_error *err)
{
    bool has_c = false;
    for (size_t i = 0; i < options->search.count; i++) {
        const dps_search_item *item = &options->search.item[i];
        has_c = has_c || item->id == DPS_OPT_solver_C;
        for (size_t k = 0; item->id == DPS_OPT_solver_C && k < item->value.count; k++) {
            if (strcmp(item->value.item[k], "auto") == 0) {
                return dps_error_at(err, DPS_ERROR_CONFIG, item->file, item->line, 0,
                                    "tune.solver.C: tune compares values of C itself: give numbers "
                                    "or a range, as 2^-5..2^15");
            }
        }
    }
    if (!has_c && options->solver_C.choice != NULL) {
        return dps_options_error(options, DPS_OPT_solver_C, err,
                                 "auto would search C inside every setting of [tune]: search it "
                                 "there, as tune.solver.C = 2^-5..2^15, or give a number");
    }
    return DPS_OK;
}

dps_status dps_tune_space_init(dps_tune_space *space, const dps_options *options, int32_t folds,
                               dps_error *err)
{
    memset(space, 0, sizeof *space);
    space->base = options;
    dps_status status = check(options, err);
    if (status != DPS_OK) {
        return status;
    }
    DPS_NEED(space->item, options->search.count + 1, "the settings", err);
    sort_items(space, &options->search);
    const double grid = product_from(space, RANK_DATA);
    if (grid > MOST_GRID) {
        status = dps_error_set(err, DPS_ERROR_CONFIG,
                               "[tune] spans %.3g settings, more than %.0f: use fewer values", grid,
                               MOST_GRID);
    } else {
        space->data_span = (int64_t)product_from(space, RANK_MAP);
        space->group_span = (int64_t)product_from(space, RANK_SOLVER);
        space->chain_span = (int64_t)product_from(space, RANK_C);
        status = fill_points(space, grid, folds, err);
    }
    if (status != DPS_OK) {
        dps_tune_space_release(space);
    }
    return status;
}

void dps_tune_space_release(dps_tune_space *space)
{
    if (space->point != NULL && space->count > 0) {
        dps_free(space->point[0].score);
    }
    dps_free(space->point);
    dps_free(space->item);
    memset(space, 0, sizeof *space);
}

int64_t dps_tune_chain_end(const dps_tune_space *space, int64_t first)
{
    int64_t end = first + 1;
    while (end < space->count && space->point[end].index / space->chain_span ==
                                     space->point[first].index / space->chain_span) {
        end++;
    }
    return end;
}

dps_status dps_tune_point_options(const dps_tune_space *space, const dps_tune_point *point,
                                  dps_options *options, dps_error *err)
{
    const dps_option_info *kernel = &dps_option_table()[DPS_OPT_kernel_type];
    dps_status status = dps_options_copy(space->base, options, err);
    for (size_t i = 0; i < space->items && status == DPS_OK; i++) {
        const dps_search_item *item = space->item[i];
        const dps_option_info *info = &dps_option_table()[item->id];
        /* as from the command line: it replaces the config's own */
        status = dps_options_set(options, info->section, info->key, dps_tune_value(space, point, i),
                                 "", NULL, 0, err);
        if (status != DPS_OK) {
            dps_options_release(options);
        }
    }
    if (status == DPS_OK && strcmp(options->kernel_type, "auto") == 0) {
        /* what is trained later is what was measured, and searches nothing of its own */
        status = dps_options_set(options, kernel->section, kernel->key,
                                 dps_settings_kernel_type(options), "", NULL, 0, err);
    }
    return status;
}

/* ---- choice ---------------------------------------------------------------------------------- */

static double features_of(const dps_tune_space *space, const dps_tune_point *point)
{
    double features = 0;
    for (size_t i = 0; i < space->items; i++) {
        if (space->item[i]->id == DPS_OPT_map_features) {
            const char *text = dps_tune_value(space, point, i);
            (void)dps_text_to_double(text, strlen(text), &features);
        }
    }
    return features;
}

static bool cheaper(const dps_tune_space *space, const dps_tune_point *a, const dps_tune_point *b)
{
    const double fa = features_of(space, a), fb = features_of(space, b);
    return fa != fb ? fa < fb : a->C < b->C;
}

dps_spread dps_tune_spread(const dps_tune_point *point, int32_t folds)
{
    return point->failed ? (dps_spread){NAN, NAN, NAN} : dps_spread_of(point->score, folds);
}

const dps_tune_point *dps_tune_choose(dps_tune_space *space, dps_metric metric, int32_t folds,
                                      bool one_error)
{
    dps_tune_point *best = NULL, *chosen;
    for (int64_t p = 0; p < space->count; p++) {
        dps_tune_point *point = &space->point[p];
        point->spread = dps_tune_spread(point, folds);
        if (!point->dropped &&
            dps_metric_better(metric, point->spread.mean, best == NULL ? NAN : best->spread.mean)) {
            best = point;
        }
    }
    if (best == NULL) {
        return NULL;
    }
    chosen = best;
    for (int64_t p = 0; p < space->count && one_error; p++) {
        dps_tune_point *point = &space->point[p];
        if (!point->dropped && !isnan(point->spread.mean) && cheaper(space, point, chosen) &&
            dps_within_one_error(metric, point->score, best->score, folds)) {
            chosen = point;
        }
    }
    best->best = true;
    chosen->chosen = true;
    return chosen;
}
