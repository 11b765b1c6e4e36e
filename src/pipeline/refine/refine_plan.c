/* What a refinement will take before it begins. */
#include "refine.h"

#include <math.h>
#include "lbfgs.h"
#include "number.h"
#include "refine_objective.h"
#include "refine_private.h"
#include "trial_rows.h"

enum { AUTO_STEPS = 50, AUTO_ROWS = 20000, AUTO_HELD = 2000 };
#define AUTO_HOLDOUT 0.2 /* of the sample, and no more than AUTO_HELD rows */

dps_refine_settings dps_refine_resolve(const dps_refine_settings *asked, int64_t all)
{
    dps_refine_settings s = {.steps = asked->steps >= 0 ? asked->steps : AUTO_STEPS,
                             .rows = asked->rows > 0 ? asked->rows : AUTO_ROWS,
                             .holdout = asked->holdout};
    if (isnan(s.holdout)) {
        const double rows = (double)(s.rows < all ? s.rows : all);
        s.holdout = fmin(AUTO_HOLDOUT, AUTO_HELD / rows);
    }
    return s;
}

/* Newton's Hessian at every evaluation. */
static size_t newton_bytes(const dps_trial_base *base, const dps_map *map, int64_t rows)
{
    dps_problem problem = dps_trial_problem(base, &(dps_labelled_rows){0});
    dps_tile_source source = {.rows = rows,
                              .width = dps_map_width(map) + (base->settings->bias != 0 ? 1 : 0),
                              .resident = true};
    source.stride = dps_round_up((size_t)source.width, DPS_PAD);
    problem.source = &source;
    problem.loss = dps_loss_smooth(base->settings->loss);
    return dps_solver_newton.memory(&problem, 1, 1, base->run->threads);
}

/* Rows four times (sample, parts, stage, with a 1), mapped ones, pairs of L-BFGS, newton. */
dps_status dps_refine_check_memory(const dps_trial_base *base, const dps_map *map, bool metric,
                                   int64_t rows, size_t memory, char *needs, dps_error *err)
{
    const int32_t columns = base->data->scaler.columns;
    const double row =
        4.0 * (double)dps_round_up((size_t)columns, DPS_PAD) + dps_map_width(map) + 2 * DPS_PAD;
    const double n = (double)dps_refine_variables(map, metric, columns);
    const double need = (double)rows * row * sizeof(float) +
                        (2 * DPS_LBFGS_PAIRS + 8) * n * sizeof(double) +
                        (double)newton_bytes(base, map, rows);
    char left[DPS_NUMBER_MAX];
    dps_format_bytes(needs, need);
    if (need <= (double)memory) {
        return DPS_OK;
    }
    dps_format_bytes(left, (double)memory);
    return dps_error_set(
        err, DPS_ERROR_MEMORY,
        "map.refine needs %s beside the training's rows and map, run.memory leaves "
        "%s; lower map.refine_rows or map.features, or raise run.memory",
        needs, left);
}

dps_status dps_refine_draw(dps_map **map, const dps_map_recipe *recipe, int32_t columns,
                           const dps_run *run, dps_error *err)
{
    DPS_TRY(dps_map_new(map, recipe, columns, run, err));
    if (dps_map_factors(*map) == 0) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "map.refine: this map has drawn no column that can move; raise "
                             "map.features, or leave map.refine out");
    }
    return DPS_OK;
}

dps_status dps_refine_plan(const dps_trial_base *base, const dps_map_recipe *recipe, size_t memory,
                           dps_error *err)
{
    const int64_t all = dps_dataset_count(base->data);
    const int32_t columns = base->data->scaler.columns;
    const dps_refine_settings s = dps_refine_resolve(&base->settings->refine, all);
    const int64_t rows = s.rows < all ? s.rows : all;
    char needs[DPS_NUMBER_MAX];
    dps_map *map = NULL;
    if (s.steps == 0) {
        return DPS_OK;
    }
    dps_status status = dps_refine_draw(&map, recipe, columns, base->run, err);
    DPS_THEN(status, dps_refine_check_memory(base, map, recipe->refine == DPS_REFINE_METRIC, rows,
                                             memory, needs, err));
    if (status == DPS_OK) {
        dps_log_text(
            base->run, DPS_NORMAL,
            "refine: up to %lld steps of %lld numbers on %lld rows, %.3g %% of them held "
            "out; needs %s before the solver begins",
            (long long)s.steps,
            (long long)dps_refine_variables(map, recipe->refine == DPS_REFINE_METRIC, columns),
            (long long)rows, 100 * s.holdout, needs);
    }
    dps_map_free(map);
    return status;
}
