/* Task: C of `solver.C = auto`. Every fold is solved along C = 2^-6, 2^-4, ..., 2^12, each solve
 * starting at the last one's weights (cost_path.c); the path ends early when three values in a row
 * are worse than the best by more than one standard error. Then the two values beside the best one,
 * a factor of two apart. Chosen: the smallest C that is as good as the best (ladder.h). Cost: at
 * most 12 x folds solves; the features are the training's own. */
#include "choose_c.h"

#include <math.h>
#include <stdio.h>
#include "comm.h"
#include "cost_path.h"
#include "job_limits.h"
#include "number.h"

enum { FIRST = -6, LAST = 12, STEP = 2, PATIENCE = 3, MOVES = 60 };

/* Adds C to the table, in its place. */
static dps_status try_value(dps_cost_path *path, double C, const dps_run *run, dps_ladder *search,
                            dps_error *err)
{
    dps_rung *rung = dps_ladder_add(search, err);
    if (rung == NULL) {
        return DPS_ERROR_MEMORY;
    }
    rung->C = C;
    DPS_TRY(dps_cost_path_step(path, C, run, rung->score, err));
    rung->spread = dps_spread_of(rung->score, search->folds);
    const dps_rung found = *rung;
    for (; rung > search->rung && rung[-1].C > C; rung--) {
        *rung = rung[-1];
    }
    *rung = found;
    return DPS_OK;
}

/* The last PATIENCE values are clearly worse than the best. */
static bool past_the_best(const dps_ladder *search)
{
    const int32_t best = dps_ladder_best(search, search->count);
    if (search->count < PATIENCE + 1) {
        return false;
    }
    for (int32_t j = search->count - PATIENCE; j < search->count; j++) {
        if (dps_ladder_as_good(search, j, best)) {
            return false;
        }
    }
    return true;
}

static dps_status walk(dps_cost_path *path, const dps_run *run, dps_ladder *search, dps_error *err)
{
    for (int e = FIRST; e <= LAST && !past_the_best(search); e += STEP) {
        DPS_TRY(try_value(path, ldexp(1, e), run, search, err));
    }
    const double C = search->rung[dps_ladder_best(search, search->count)].C;
    DPS_TRY(try_value(path, 2 * C, run, search, err));
    DPS_TRY(try_value(path, C / 2, run, search, err));
    return isnan(search->rung[dps_ladder_best(search, search->count)].spread.mean)
               ? dps_error_set(err, DPS_ERROR_NUMERIC,
                               "solver.C = auto: no value of C has a score: name one")
               : DPS_OK;
}

static void log_table(const dps_ladder *search, double C, const dps_run *run)
{
    char how[64];
    dps_ladder_how(search->folds, how, sizeof how);
    dps_log_text(run, DPS_NORMAL, "C by %s in %.2f s: %s%s:", how, search->seconds,
                 dps_name_of(dps_metric_names, search->metric),
                 search->folds > 1 ? ", mean and standard deviation over folds" : "");
    for (int32_t j = 0; j < search->count; j++) {
        const dps_rung *c = &search->rung[j];
        char number[DPS_NUMBER_MAX], deviation[32] = "";
        dps_format_double(number, c->C);
        if (!isnan(c->spread.deviation)) {
            snprintf(deviation, sizeof deviation, " +- %.4f", c->spread.deviation);
        }
        dps_log_text(run, DPS_NORMAL, "  C = %-10s  %.4f%s%s%s", number, c->spread.mean, deviation,
                     c->best ? "  best" : "",
                     c->chosen ? "  chosen (smallest C within one standard error)" : "");
    }
    const double edge = search->rung[search->count - 1].C;
    if (C >= ldexp(1, LAST) && C <= edge) {
        dps_log_text(run, DPS_WARNING,
                     "the best C is at the end of what solver.C = auto tries: more map.features or "
                     "another kernel may do better than a larger solver.C");
    }
}

/* Fewer rows than columns, and few of both: one factor of the rows' inner products serves all
 * models of a squared loss, where every solve would have its own. */
static int moves_of(const dps_problem *problem)
{
    const dps_tile_source *source = problem->source;
    const bool squared = problem->loss == &dps_loss_squared_hinge ||
                         problem->loss == &dps_loss_squared_epsilon_insensitive;
    const int64_t rows = dps_tiles_rows(source);
    return squared && rows < source->width && rows <= DPS_RIDGE_ROWS ? MOVES : 0;
}

dps_status dps_choose_c(const dps_cross_validation *cv, const dps_run *run, dps_ladder *search,
                        double *C, dps_error *err)
{
    const double begin = dps_now();
    dps_cost_path path;
    *search = (dps_ladder){
        .metric = cv->metric, .folds = cv->folds, .rows = dps_tiles_rows(cv->problem->source)};
    const dps_comm *comm = cv->problem->source->total_rows > 0 ? run->comm : NULL;
    dps_status status =
        dps_comm_agree(comm, dps_cost_path_init(&path, cv, moves_of(cv->problem), run, err), err);
    path.stage = "choose C";
    path.steps = (LAST - FIRST) / STEP + 3;
    DPS_THEN(status, walk(&path, run, search, err));
    dps_cost_path_release(&path);
    if (status != DPS_OK) {
        dps_ladder_release(search);
        return status;
    }
    *C = search->rung[dps_ladder_choose(search)].C;
    search->seconds = dps_now() - begin;
    log_table(search, *C, run);
    return DPS_OK;
}
