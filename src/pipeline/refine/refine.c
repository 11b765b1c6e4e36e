/* Task: the story of a refinement. A sample of the rows, some of them held out; L-BFGS on few of
 * the others first, then on four times as many, at last on all; after every step on the last rows
 * the held-out ones are scored, and the best step is taken if it is better than the map as drawn by
 * more than chance.
 *
 * Why few rows first: half the cost at equal accuracy (the first steps only need a rough
 * direction). Why a sample: 20,000 rows settle the projections of a few hundred columns; the last
 * training sees all rows. */
#include "refine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "allocation.h"
#include "comm.h"
#include "cross_validation.h"
#include "folds.h"
#include "job_limits.h"
#include "lbfgs.h"
#include "number.h"
#include "refine_objective.h"
#include "refine_private.h"
#include "trial_rows.h"

enum { STAGES = 3, STAGE_GROWTH = 4, FEWEST_ROWS = 2000, PATIENCE = 15 };

#define INNER_GAP 1e-3

typedef struct refining {
    const dps_trial_base *base;
    const dps_run *run; /* of the keeper */
    dps_run again;      /* the same without it */
    dps_run own;        /* of the work: silent, one rank's */
    dps_refinement *result;
    dps_map *map;
    dps_trial_rows sample;
    dps_row_subset train, held, few; /* parts of it; few: of the stage in hand */
    dps_feature_stream *held_stream;
    dps_refine_objective objective;
    dps_lbfgs lbfgs;
    int32_t stages, stage;
    int64_t stage_rows[STAGES], stage_end[STAGES]; /* rows, and steps done when it ends */
    int32_t *held_fold;                            /* all in fold 0 */
    double *score;                                 /* models x held-out rows */
    float *best;                                   /* V or T of the step chosen so far */
    double *best_w;                                /* and w there */
    dps_state state;
} refining;

/* ---- rows -------------------------------------------------------------------------------------*/

/* The rows that move the map, and those held out: of part 0. */
static dps_status split(refining *r, const dps_labelled_rows *all, const int32_t *part,
                        dps_error *err)
{
    int32_t *other = dps_alloc((size_t)all->x.rows, sizeof *other);
    bool any = false;
    if (other == NULL) {
        return dps_out_of_memory(err, (size_t)all->x.rows, sizeof *other, "the choice of rows");
    }
    for (int64_t i = 0; i < all->x.rows; i++) {
        other[i] = part != NULL && part[i] == 0 ? -1 : 0;
        any |= other[i] < 0;
    }
    dps_status status = dps_row_subset_take(&r->train, all, other, NULL, err);
    dps_free(other);
    if (status == DPS_OK && any) {
        status = dps_row_subset_take(&r->held, all, part, NULL, err);
    }
    return status;
}

/* A sample of the training rows. */
static dps_status take_sample(refining *r, const dps_refine_settings *settings, dps_error *err)
{
    DPS_TRY(dps_trial_rows_take(&r->sample, r->base, settings->rows, false, err));
    const dps_labelled_rows all = r->sample.view[0].rows;
    if (settings->holdout > 0.0) {
        DPS_TRY(dps_holdout_make(all.label, all.x.rows, dps_trial_classes(r->base),
                                 settings->holdout, r->base->settings->validation.seed,
                                 r->sample.fold, err));
    }
    return split(r, &all, settings->holdout > 0.0 ? r->sample.fold : NULL, err);
}

/* From few rows to all. */
static void plan_stages(refining *r, int64_t steps)
{
    int64_t rows = r->train.x.rows;
    r->stages = 1;
    while (r->stages < STAGES && rows / STAGE_GROWTH >= FEWEST_ROWS) {
        rows /= STAGE_GROWTH;
        r->stages++;
    }
    for (int32_t s = 0; s < r->stages; s++) {
        r->stage_rows[s] = s + 1 == r->stages ? r->train.x.rows : rows;
        /* half of the steps on the first rows, the rest shared */
        const int64_t half = r->stages > 1 ? steps / 2 : steps;
        r->stage_end[s] = r->stages > 1 ? half + (steps - half) * s / (r->stages - 1) : steps;
        rows *= STAGE_GROWTH;
    }
}

static dps_status begin_stage(refining *r, dps_error *err)
{
    const dps_labelled_rows all = dps_row_subset_rows(&r->train);
    const int64_t rows = r->stage_rows[r->stage];
    if (rows == all.x.rows) {
        return dps_refine_objective_rows(&r->objective, &all, err);
    }
    int32_t *part = dps_alloc((size_t)all.x.rows, sizeof *part);
    if (part == NULL) {
        return dps_out_of_memory(err, (size_t)all.x.rows, sizeof *part, "the choice of rows");
    }
    dps_row_subset_release(&r->few);
    dps_status status = dps_sample_make(all.label, all.x.rows, dps_trial_classes(r->base), rows,
                                        r->base->settings->validation.seed, part, err);
    DPS_THEN(status, dps_row_subset_take(&r->few, &all, part, NULL, err));
    dps_free(part);
    if (status == DPS_OK) {
        const dps_labelled_rows few = dps_row_subset_rows(&r->few);
        status = dps_refine_objective_rows(&r->objective, &few, err);
    }
    return status;
}

/* ---- held-out rows ----------------------------------------------------------------------------*/

/* The score of the map and weights of the last evaluation on the held-out rows. */
static dps_status score_held(refining *r, double *record, dps_error *err)
{
    const dps_labelled_rows held = dps_row_subset_rows(&r->held);
    DPS_TRY(dps_feature_stream_remake(r->held_stream, &r->own, err));
    dps_problem problem = r->objective.problem;
    int64_t rows;
    problem.source = dps_feature_stream_source(r->held_stream);
    problem.label = held.label;
    problem.target = held.target;
    problem.row_weight = held.weight;
    const dps_cross_validation cv = {.problem = &problem,
                                     .fold = r->held_fold,
                                     .folds = 1,
                                     .metric = r->base->settings->validation.metric};
    return dps_cross_validation_score(&cv, 0, &r->objective.solution, &r->own, r->score, record,
                                      &rows, err);
}

/* Standard errors by which a step must be better than the map as drawn: the best of many steps is
 * favoured by chance, the more the fewer the rows. */
static double proof(int64_t held)
{
    enum { MANY = 1000 };
    return held < MANY ? 2.0 : 1.0;
}

/* By more than so many standard errors; 0: or as good. */
static bool better(const refining *r, const double *a, const double *b, double errors)
{
    const dps_spread gain = dps_score_advantage(r->base->settings->validation.metric, a, b, 1);
    return errors > 0.0 ? gain.mean > errors * gain.error : gain.mean >= 0.0;
}

/* Doubles in w. */
static size_t weights_of(const refining *r)
{
    return (size_t)r->objective.solution.models * r->objective.solution.length;
}

/* Remembers the step if it is the best so far. */
static dps_status note_step(refining *r, dps_error *err)
{
    dps_refinement *result = r->result;
    double record[1 + DPS_SCORE_PARTS];
    if (r->stage + 1 < r->stages) {
        return DPS_OK;
    }
    if (result->held > 0) {
        DPS_TRY(score_held(r, record, err));
        if (result->chosen > 0 ? !better(r, record, result->record[1], 0.0)
                               : !better(r, record, result->record[0], proof(result->held))) {
            return DPS_OK;
        }
        memcpy(result->record[1], record, sizeof record);
    }
    result->chosen = r->lbfgs.steps;
    result->reached = r->lbfgs.f;
    memcpy(r->best, r->objective.moved, r->objective.n * sizeof *r->best);
    memcpy(r->best_w, r->objective.solution.w, weights_of(r) * sizeof *r->best_w);
    return DPS_OK;
}

/* The map as drawn, on the rows of the last stage. */
static dps_status measure_drawn(refining *r, dps_error *err)
{
    const dps_labelled_rows all = dps_row_subset_rows(&r->train);
    dps_refine_objective *o = &r->objective;
    DPS_TRY(dps_refine_objective_init(o, &all, err));
    dps_refine_objective_start(o, r->lbfgs.x);
    if (r->stages > 1 || r->result->held > 0) {
        DPS_TRY(dps_refine_objective_value(o, r->lbfgs.x, &r->result->drawn, r->lbfgs.g, err));
        r->result->reached = r->result->drawn;
    }
    return r->result->held > 0 ? score_held(r, r->result->record[0], err) : DPS_OK;
}

/* ---- steps ------------------------------------------------------------------------------------*/

static void log_step(const refining *r)
{
    const double all = (double)r->stage_end[r->stages - 1];
    dps_log_progress(r->run, &(dps_progress){.stage = "refine",
                                             .fraction = (double)r->lbfgs.steps / all,
                                             .iteration = r->lbfgs.steps,
                                             .objective = r->lbfgs.f,
                                             .gap = NAN,
                                             .target = NAN});
}

/* Enough steps, or none of the last ones was better on the held-out rows. */
static bool ends(const refining *r)
{
    const bool last = r->stage + 1 == r->stages;
    const int64_t before = r->stages > 1 ? r->stage_end[r->stages - 2] : 0;
    const int64_t since = r->result->chosen > before ? r->result->chosen : before;
    return r->lbfgs.ended || r->lbfgs.steps >= r->stage_end[r->stage] ||
           (last && r->result->held > 0 && r->lbfgs.steps - since >= PATIENCE);
}

static dps_status take_steps(refining *r, dps_error *err)
{
    while (!ends(r)) {
        DPS_TRY(dps_lbfgs_step(&r->lbfgs, err));
        DPS_TRY(r->lbfgs.ended ? DPS_OK : note_step(r, err));
        log_step(r);
        r->state.iteration = r->lbfgs.steps;
        DPS_TRY(dps_state_offer(r->run, &r->state, err)); /* a keeper heeds signals, too */
        if (r->run->keeper == NULL && dps_run_stopped(&r->own)) {
            return dps_error_set(err, DPS_ERROR_STOPPED, "stopped by a signal while refining");
        }
    }
    return DPS_OK;
}

/* What the next step depends on. */
static void list_state(refining *r)
{
    dps_refine_objective *o = &r->objective;
    dps_state *state = &r->state;
    const size_t models = (size_t)o->solution.models;
    state->solver = "refine";
    dps_lbfgs_list_state(&r->lbfgs, state);
    dps_state_add(state, "w", o->solution.w, models * o->solution.length * sizeof(double));
    dps_state_add(state, "best_w", r->best_w, weights_of(r) * sizeof(double));
    dps_state_add(state, "best", r->best, o->n * sizeof *r->best);
    DPS_STATE_ADD(state, "stage", r->stage);
    DPS_STATE_ADD(state, "chosen", r->result->chosen);
    DPS_STATE_ADD(state, "drawn", r->result->drawn);
    DPS_STATE_ADD(state, "reached", r->result->reached);
    DPS_STATE_ADD(state, "record", r->result->record);
}

static dps_status run_stages(refining *r, dps_error *err)
{
    bool resumed = dps_state_waits(r->run, "refine");
    if (resumed) {
        DPS_TRY(dps_state_load(r->run, &r->state, err));
    } else if (dps_state_any_waits(r->run)) { /* the solver's, which must not be written over */
        r->again = *r->run;
        r->again.keeper = NULL;
        r->run = &r->again;
    }
    for (; r->stage < r->stages; r->stage++) {
        if (r->stages > 1) {
            DPS_TRY(begin_stage(r, err));
        }
        if (!resumed) {
            DPS_TRY(dps_lbfgs_begin(&r->lbfgs, err));
            if (r->stage == 0 && r->stages == 1 && r->result->held == 0) {
                r->result->drawn = r->result->reached = r->lbfgs.f;
            }
        }
        resumed = false;
        DPS_TRY(take_steps(r, err));
    }
    return DPS_OK;
}

/* ---- the whole --------------------------------------------------------------------------------*/

static dps_status prepare(refining *r, const dps_map_recipe *recipe, const dps_refine_rows *given,
                          dps_error *err)
{
    dps_refinement *result = r->result;
    dps_refine_objective *o = &r->objective;
    const dps_settings *s = r->base->settings;
    const bool metric = recipe->refine == DPS_REFINE_METRIC;
    const dps_refine_settings settings =
        dps_refine_resolve(&s->refine, dps_dataset_count(r->base->data));
    DPS_TRY(given != NULL ? split(r, given->rows, given->part, err)
                          : take_sample(r, &settings, err));
    plan_stages(r, settings.steps);
    result->rows = r->train.x.rows;
    result->held = r->held.x.rows;
    result->metric = s->validation.metric;
    DPS_TRY(dps_refine_draw(&r->map, recipe, r->train.x.columns, &r->own, err));
    char needs[DPS_NUMBER_MAX];
    DPS_TRY(dps_refine_check_memory(r->base, r->map, metric, result->rows + result->held,
                                    r->own.memory, needs, err));
    const dps_labelled_rows train = dps_row_subset_rows(&r->train);
    *o = (dps_refine_objective){.run = &r->own,
                                .metric = metric,
                                .map = r->map,
                                .bias = s->bias,
                                .budget = r->own.memory,
                                .problem = dps_trial_problem(r->base, &train),
                                .settings = s->solver_settings};
    o->problem.loss = dps_loss_smooth(s->loss);
    o->problem.C = given != NULL ? given->C : s->choose_C ? DPS_REFINE_OPEN_C : s->C;
    o->settings.tolerance = INNER_GAP;
    o->settings.max_iterations = 100;
    o->settings.observer = NULL;
    o->settings.leaves_ending = true;
    r->lbfgs.function = dps_refine_objective_value;
    r->lbfgs.context = o;
    r->lbfgs.n = dps_refine_variables(r->map, metric, r->train.x.columns);
    DPS_TRY(dps_lbfgs_init(&r->lbfgs, err));
    DPS_NEED(r->best, r->lbfgs.n, "the map's projections", err);
    if (result->held > 0) {
        const size_t rows = (size_t)result->held, models = (size_t)dps_problem_models(&o->problem);
        DPS_NEED(r->held_fold, rows, "the held-out rows", err);
        DPS_NEED(r->score, models * rows, "scores of the held-out rows", err);
        const dps_row_source held = dps_scaled_rows_source(&r->held.x);
        DPS_TRY(dps_feature_stream_new(&r->held_stream, &held, r->map, s->bias, r->own.memory,
                                       &r->own, err));
    }
    DPS_TRY(measure_drawn(r, err));
    DPS_NEED(r->best_w, weights_of(r), "the weights of the refinement", err);
    list_state(r);
    return DPS_OK;
}

static void release(refining *r)
{
    dps_state_release(&r->state);
    dps_lbfgs_release(&r->lbfgs);
    dps_refine_objective_release(&r->objective);
    dps_feature_stream_free(r->held_stream);
    dps_map_free(r->map);
    dps_row_subset_release(&r->train);
    dps_row_subset_release(&r->held);
    dps_row_subset_release(&r->few);
    dps_trial_rows_release(&r->sample);
    dps_free(r->held_fold);
    dps_free(r->score);
    dps_free(r->best);
    dps_free(r->best_w);
}

dps_status dps_refine_run(const dps_trial_base *base, const dps_map_recipe *recipe,
                          const dps_refine_rows *given, size_t memory, const dps_run *run,
                          dps_refinement *result, dps_error *err)
{
    const double begin = dps_now();
    refining r = {.base = base, .run = run, .own = *base->run, .result = result};
    memset(result, 0, sizeof *result);
    r.own.comm = NULL;
    r.own.log = NULL;
    r.own.keeper = NULL;
    r.own.memory = memory;
    if (base->settings->refine.steps == 0) {
        return DPS_OK;
    }
    dps_status status = dps_comm_agree(run->comm, prepare(&r, recipe, given, err), err);
    DPS_THEN(status, dps_comm_agree(run->comm, run_stages(&r, err), err));
    if (status == DPS_OK && result->chosen > 0) {
        result->moved = r.best;
        result->count = (int64_t)r.objective.n;
        r.best = NULL;
        result->w = r.best_w;
        result->weights = weights_of(&r);
        r.best_w = NULL;
    }
    result->steps = r.lbfgs.steps;
    result->evaluations = r.lbfgs.evaluations;
    result->seconds = dps_now() - begin;
    release(&r);
    return status;
}

void dps_refinement_log(const dps_refinement *r, const dps_run *run)
{
    char held[160] = "";
    if (r->rows == 0) {
        dps_log_text(run, DPS_NORMAL, "refine: no steps are asked for: the map is as drawn");
        return;
    }
    if (r->held > 0) {
        const double scale = r->metric == DPS_METRIC_ACCURACY ? 100.0 : 1.0;
        const double *reached = r->chosen > 0 ? r->record[1] : r->record[0];
        snprintf(held, sizeof held, "; %s of %lld held-out rows %.4g -> %.4g",
                 dps_name_of(dps_metric_names, r->metric), (long long)r->held,
                 scale * r->record[0][0], scale * reached[0]);
    }
    dps_log_text(run, DPS_NORMAL,
                 "refine: %s %lld of %lld steps on %lld rows (%.2g s): objective a row %.4g -> "
                 "%.4g%s",
                 r->chosen > 0 ? "the map after" : "the map stays as drawn after",
                 (long long)(r->chosen > 0 ? r->chosen : r->steps), (long long)r->steps,
                 (long long)r->rows, r->seconds, r->drawn, r->reached, held);
}

void dps_refinement_release(dps_refinement *result)
{
    dps_free(result->moved);
    dps_free(result->w);
    result->moved = NULL;
    result->w = NULL;
}
