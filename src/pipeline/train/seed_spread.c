/* Task: random maps of one setting differ by their draw alone; accuracies that differ by less say
 * nothing about settings. Everything but the seed is as in the training itself: rows, map as it
 * was asked for, C, solver. Cost: a map and a solve a seed; the tiles of the first one are freed
 * before. */
#include "seed_spread.h"

#include <math.h>
#include "allocation.h"
#include "mapped_rows.h"
#include "predictor.h"
#include "row_span.h"
#include "training_fit.h"

dps_status dps_seed_spread_check(const dps_training *t, dps_error *err)
{
    if (t->options->map_seed.count < 2) {
        return DPS_OK;
    }
    if (t->run->comm != NULL || t->plan.span) {
        return dps_options_error(t->options, DPS_OPT_map_seed, err,
                                 "several seeds are for one process and maps of up to %d "
                                 "columns: give one seed",
                                 DPS_SPAN_COLUMNS);
    }
    const bool searched = t->result->searches.kernel.count > 0;
    if (searched && t->result->facts.random_columns == 0) {
        dps_log_text(t->run, DPS_NORMAL,
                     "map.seed: the map that was chosen draws nothing, all seeds are alike");
    }
    return t->result->facts.random_columns > 0 || searched
               ? DPS_OK
               : dps_options_error(t->options, DPS_OPT_map_seed, err,
                                   "this map draws nothing, all seeds are alike: give one seed");
}

static void take_figures(const dps_fits *fits, dps_seed_trial *trial)
{
    const dps_fit *const fit[] = {&fits->train, &fits->validation, &fits->test};
    for (int k = 0; k < 3; k++) {
        trial->figure[k] = fit[k]->rows == 0         ? NAN
                           : isnan(fit[k]->accuracy) ? dps_residuals_rmse(&fit[k]->residuals)
                                                     : fit[k]->accuracy;
    }
}

/* Accuracies of the solution, through a model like the one that was written. */
static dps_status measure(dps_training *t, const dps_problem *problem, const dps_map *map,
                          const dps_map_recipe *recipe, const dps_solution *solution,
                          dps_seed_trial *trial, dps_error *err)
{
    dps_model model = t->result->model; /* borrows all but the weights */
    dps_fits fits = {0};
    model.recipe = *recipe;
    model.width = dps_map_width(map);
    model.sparse_columns = dps_map_sparse_columns(map);
    model.weights_per_model =
        (size_t)model.width + (size_t)model.sparse_columns + (model.bias != 0 ? 1 : 0);
    DPS_NEED(model.weight, (size_t)model.models * model.weights_per_model, "the weights", err);
    dps_weights_to_model(solution->w, solution->length, problem->source->stride, &model);
    const dps_labelled_rows rows = dps_labelled_rows_of(&t->data);
    const dps_candidate candidate = {
        .model = &model, .map = map, .w = solution->w, .length = solution->length};
    dps_status status =
        dps_fit_tiles(&candidate, &rows, problem->source, NULL, t->run, &fits.train, err);
    DPS_THEN(status, dps_fit_held_out(t, &candidate, &fits, err));
    take_figures(&fits, trial);
    dps_fits_release(&fits);
    dps_free(model.weight);
    return status;
}

static dps_status try_recipe(dps_training *t, const dps_run *silent, const dps_map_recipe *recipe,
                             dps_mapped_rows *mapped, dps_solution *solution, dps_seed_trial *trial,
                             dps_error *err)
{
    dps_problem problem = t->problem;
    DPS_TRY(dps_mapped_rows_init(mapped, recipe, &t->rows, t->settings.bias,
                                 silent->memory - t->plan.needed, silent, err));
    problem.source = dps_mapped_rows_source(mapped);
    DPS_TRY(dps_solution_init(solution, &problem, err));
    DPS_TRY(dps_solve(t->settings.solver, &problem, &t->settings.solver_settings, silent, solution,
                      err));
    return measure(t, &problem, mapped->map, recipe, solution, trial, err);
}

static dps_status try_seed(dps_training *t, const dps_run *silent, dps_seed_trial *trial,
                           dps_error *err)
{
    const dps_scaler *scaler = &t->result->model.scaler;
    dps_map_request asked = t->settings.request;
    dps_map_recipe recipe;
    dps_map_facts facts;
    dps_mapped_rows mapped = {0};
    dps_solution solution = {0};
    asked.seed = trial->seed;
    DPS_TRY(dps_map_plan(&asked, &t->rows, scaler->radius1, scaler->radius2, scaler->dense, silent,
                         &recipe, &facts, err));
    const dps_status status = try_recipe(t, silent, &recipe, &mapped, &solution, trial, err);
    dps_solution_release(&solution);
    dps_mapped_rows_release(&mapped);
    return status;
}

dps_status dps_spread_over_seeds(dps_training *t, dps_error *err)
{
    const dps_ints *seeds = &t->options->map_seed;
    dps_train_result *result = t->result;
    dps_status status = DPS_OK;
    if (seeds->count < 2 || result->facts.random_columns == 0) {
        return DPS_OK;
    }
    dps_run silent = *t->run;
    silent.log = NULL;
    dps_mapped_rows_release(&t->mapped);
    dps_seed_trial *trial = result->seeds.trial;
    trial[0].seed = (uint64_t)seeds->item[0];
    take_figures(&result->fit, trial);
    for (int32_t k = 1; k < seeds->count && status == DPS_OK; k++) {
        trial[k].seed = (uint64_t)seeds->item[k];
        status = try_seed(t, &silent, &trial[k], err);
        dps_log_share(t->run, "seeds", (k + 1.0) / seeds->count);
    }
    result->seeds.count = status == DPS_OK ? seeds->count : 0;
    return status;
}
