/* Task: the steps of a training up to the solver: rows and classes, the plan, mapped rows. */
#include "training.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "allocation.h"
#include "class_weights.h"
#include "comm.h"
#include "folds.h"
#include "job_limits.h"
#include "scale_warnings.h"
#include "seed_spread.h"
#include "training_ranks.h"

/* data.validation as a fraction: about as many rows of every class. */
static dps_status hold_out(const void *context, const int32_t *label, int64_t rows, int32_t classes,
                           int32_t *fold, dps_error *err)
{
    const dps_settings *settings = context;
    return dps_holdout_make(label, rows, classes, settings->held_out,
                            settings->solver_settings.seed, fold, err);
}

dps_status dps_training_load(dps_training *t, dps_error *err)
{
    dps_dataset *data = &t->data;
    dps_train_data *found = &t->result->data;
    dps_stage_cost *stage = t->result->cost.stage;
    if (t->settings.held_out > 0) {
        t->settings.load.hold_out = hold_out;
        t->settings.load.hold_out_context = &t->settings;
    }
    t->settings.load.read.arrays = t->arrays;
    dps_ranks_choose_units(t);
    DPS_TRY(dps_dataset_load(&t->settings.load, t->run, data, err));
    DPS_TRY(t->warm == NULL ? DPS_OK : dps_warm_start_data(t->warm, data, err));
    const dps_class_table *classes = &data->classes;
    double largest = 0, weight = 0;
    for (int32_t k = 0; k < classes->count; k++) {
        const double rows =
            data->class_rows == NULL ? (double)classes->rows[k] : data->class_rows[k];
        largest = fmax(largest, rows);
        weight += rows;
    }
    DPS_TRY(dps_warn_column_sizes(data, t->run, &found->unscaled, err));
    t->rows = dps_dataset_rows(data);
    found->nonzeros = data->nonzeros;
    snprintf(found->input, sizeof found->input, "%s", data->note);
    found->label_guessed = data->label_guessed;
    found->majority_accuracy = t->settings.loss->regression ? NAN : largest / weight;
    stage[DPS_STAGE_PARSE] = (dps_stage_cost){data->parse_seconds, (double)data->bytes};
    stage[DPS_STAGE_SCALE] =
        (dps_stage_cost){data->scale_seconds, (double)dps_dataset_memory(data)};

    DPS_NEED(t->class_weight, (size_t)classes->count, "class weights", err);
    return dps_class_weights_read(t->options, classes, data->class_rows, t->class_weight, err);
}

/* solver.warm_start: the model's map as it is, and a solver that can begin at weights. */
static dps_status plan_warm(dps_training *t, dps_error *err)
{
    const dps_scaler *scaler = &t->data.scaler;
    dps_map_facts *facts = &t->result->facts;
    t->recipe = t->warm->model.recipe;
    DPS_TRY(dps_map_facts_of(&t->recipe, scaler->radius1, scaler->radius2, scaler->columns, t->run,
                             facts, err));
    if (t->settings.solver == NULL) {
        const bool newton = facts->sparse_columns == 0 && facts->width <= DPS_NEWTON_WIDTH;
        t->settings.solver = newton ? &dps_solver_newton : &dps_solver_sgd;
    }
    return DPS_OK;
}

static dps_status plan_map(dps_training *t, dps_error *err)
{
    const dps_scaler *scaler = &t->data.scaler;
    if (t->warm != NULL) {
        return plan_warm(t, err);
    }
    DPS_TRY(dps_warn_gamma(&t->settings.request, scaler, &t->rows, t->run, err));
    return dps_map_plan(&t->settings.request, &t->rows, scaler->radius1, scaler->radius2,
                        scaler->dense, t->run, &t->recipe, &t->result->facts, err);
}

dps_status dps_training_plan(dps_training *t, dps_error *err)
{
    double begin = dps_now();
    DPS_TRY(plan_map(t, err));
    t->result->cost.stage[DPS_STAGE_MAP].seconds += dps_now() - begin;
    t->problem = (dps_problem){.target = t->data.target,
                               .label = t->data.label,
                               .classes = t->settings.loss->regression ? 1 : t->data.classes.count,
                               .class_weight = t->class_weight,
                               .row_weight = t->data.row_weight,
                               .loss = t->settings.loss,
                               .epsilon = t->settings.epsilon,
                               .C = t->settings.C};
    DPS_TRY(dps_plan_make(&t->settings, &t->data, &t->recipe, &t->result->facts, &t->problem,
                          t->run, &t->plan, err));
    DPS_TRY(dps_seed_spread_check(t, err));
    if (t->plan.threads < t->run->threads) {
        dps_log_text(t->run, DPS_NORMAL, "run.memory holds what %d of %d threads need",
                     t->plan.threads, t->run->threads);
        t->lean = *t->run;
        t->lean.threads = t->plan.threads;
        t->run = &t->lean;
    }
    t->result->cost.memory_needed = (double)t->plan.needed;
    t->result->cost.work_flops = t->plan.map_flops + t->plan.solve_flops;
    return dps_comm_agree(t->run->comm,
                          dps_plan_log(&t->plan, &t->recipe, &t->result->facts, t->run, err), err);
}

dps_status dps_training_features(dps_training *t, dps_error *err)
{
    dps_train_cost *cost = &t->result->cost;
    double begin = dps_now();
    DPS_TRY(t->plan.spill ? dps_dataset_spill(&t->data, t->run, err) : DPS_OK);
    const double bias = t->settings.bias;
    DPS_TRY(t->plan.span ? dps_mapped_rows_span(&t->mapped, &t->recipe, &t->rows, bias, t->run, err)
                         : dps_mapped_rows_init(&t->mapped, &t->recipe, &t->rows, bias,
                                                t->run->memory - t->plan.needed, t->run, err));
    t->problem.source = dps_mapped_rows_source(&t->mapped);
    cost->tiles_resident = t->problem.source->resident;
    cost->stage[DPS_STAGE_MAP].seconds += dps_now() - begin;
    cost->stage[DPS_STAGE_MAP].bytes = cost->tiles_resident ? (double)t->plan.tile_bytes : 0;
    return DPS_OK;
}

void dps_training_release(dps_training *t)
{
    dps_solution_release(&t->solution);
    dps_checkpoint_close(t->checkpoint);
    dps_warm_start_free(t->warm);
    dps_mapped_rows_release(&t->mapped);
    dps_free(t->alpha);
    dps_free(t->score);
    dps_free(t->class_weight);
    dps_dataset_release(&t->data);
}
