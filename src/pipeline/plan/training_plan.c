/* Task: memory and work of a training run from its sizes, and the refusal of what cannot fit.
 * Memory: data + map + solver + one z-tile a thread at work; the z-tiles of all rows on top if they
 * fit, and then the solver needs no tiles of its own.
 * Where all threads do not fit, fewer work: the result is the same.
 * Rows that are trained in their span: inner products and the span instead of z-tiles (row_span.c).
 * Scaled rows leave for a scratch file where the rest fits without them.
 * Work, in floating-point operations for n rows of W = D' + bias + values of a sparse row: dcd and
 * sgd about 20 passes of 4 n W a model; newton about 10 steps of n W^2 / 2 + W^3 / 3 a model. A
 * guess of the size of the work, not of its time. */
#include "training_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "allocation.h"
#include "comm.h"
#include "explain.h"
#include "feature_stream.h"
#include "number.h"
#include "rank_sums.h"
#include "row_span.h"
#include "shards.h"

/* The solution's, the model's, and those of the predictor that tests it (twice without a map). */
enum { WEIGHT_COPIES = 4 };
enum { USUAL_PASSES = 20, USUAL_STEPS = 10 };

/* The source as the solver will see it, without tiles. */
static dps_tile_source shape(const dps_dataset *data, const dps_map_facts *facts, double bias)
{
    dps_tile_source source = {.rows = data->x.rows,
                              .first_row = data->first_row,
                              .total_rows = data->total_rows,
                              .width = facts->width + (bias != 0 ? 1 : 0),
                              .sparse_columns = facts->sparse_columns,
                              .flops_per_row = facts->flops_per_row};
    source.stride = dps_round_up((size_t)source.width, DPS_PAD);
    return source;
}

/* As many columns as rows: plan->span. */
static dps_tile_source span_shape(const dps_dataset *data)
{
    const size_t rows = (size_t)data->x.rows;
    return (dps_tile_source){.rows = data->x.rows,
                             .width = (int32_t)rows,
                             .stride = dps_round_up(rows, DPS_PAD),
                             .resident = true};
}

static dps_status check_span(const dps_settings *settings, dps_error *err)
{
    if (settings->load.scaler_as != NULL) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "solver.warm_start: the model's map has more than %d columns, which "
                             "are trained in the span of the training rows: train without it",
                             DPS_SPAN_COLUMNS);
    }
    if (settings->request.refine != DPS_REFINE_NONE) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "map.refine: a map of more than %d columns is trained in the span of "
                             "the training rows and cannot move; lower map.features",
                             DPS_SPAN_COLUMNS);
    }
    if (settings->held_out <= 0 && settings->validation_file[0] == '\0') {
        return DPS_OK;
    }
    return dps_error_set(err, DPS_ERROR_CONFIG,
                         "data.validation: a map of more than %d columns is trained without "
                         "them, in the span of the training rows, where other rows cannot be "
                         "measured on the way; give them as data.test, or lower map.features",
                         DPS_SPAN_COLUMNS);
}

/* The rows in their span, and what prediction needs to measure the model. */
static size_t span_bytes(const dps_map_facts *facts, const dps_problem *problem, const dps_run *run)
{
    const size_t bytes = dps_row_span_bytes(facts, problem, run->threads);
    const size_t panel =
        (size_t)facts->width * (size_t)dps_batch_rows((size_t)facts->width) * sizeof(float);
    size_t sum;
    return dps_size_add(bytes, (size_t)run->threads * panel, &sum) ? sum : SIZE_MAX;
}

static double solve_flops(const dps_problem *problem, const dps_solver *solver, double sparse_row)
{
    const dps_tile_source *source = problem->source;
    double rows = (double)dps_tiles_rows(source), width = source->width + sparse_row;
    double models = dps_problem_models(problem);
    if (solver == &dps_solver_newton) {
        return USUAL_STEPS * models * (rows * width * width / 2 + width * width * width / 3);
    }
    return USUAL_PASSES * models * 4 * rows * width;
}

/* What a plan is made from. problem: with its source, as the solver sees it. */
typedef struct sizes {
    const dps_settings *settings;
    const dps_map_facts *facts;
    const dps_problem *problem;
    const dps_run *run;
    size_t weight_length;
    size_t rows_kept, rows_spilled; /* bytes of the data in memory, and with a scratch file */
} sizes;

/* Bytes of map and solver with so many threads. kept: z-tiles stay. */
static void count_bytes(const sizes *s, bool kept, dps_plan *plan)
{
    dps_tile_source source = *s->problem->source;
    dps_problem problem = *s->problem;
    dps_run lean = *s->run;
    source.resident = source.resident || kept;
    problem.source = &source;
    lean.threads = plan->threads;
    const size_t at_work = (size_t)dps_run_threads(&lean, dps_tile_count(source.rows));
    plan->map_bytes = s->facts->map_bytes;
    plan->buffer_bytes = plan->span ? span_bytes(s->facts, &problem, &lean)
                                    : at_work * source.stride * DPS_TILE_ROWS * sizeof(float);
    const size_t weights = (size_t)dps_problem_models(&problem) * s->weight_length * sizeof(double);
    plan->shards = dps_shards_of(&problem, s->settings->solver_settings.shards, s->run).total;
    const int32_t batch = s->settings->solver_settings.batch;
    plan->solver_bytes =
        WEIGHT_COPIES * weights +
        (plan->span ? plan->solver->memory(&problem, plan->shards, batch, lean.threads)
                    : dps_solver_bytes(plan->solver, &problem, plan->shards, batch, lean.threads));
    plan->needed = plan->data_bytes + plan->map_bytes + plan->buffer_bytes + plan->solver_bytes;
}

/* With all threads, else with as many as fit; with rows in memory, else in a scratch file; with
 * z-tiles kept, else made again on every pass: none of it changes a result. False: nothing fits;
 * the plan is the least then, with kept z-tiles in buffer_bytes. */
static bool fit_memory(const sizes *s, dps_plan *plan)
{
    const size_t memory = s->run->memory;
    dps_plan least = {.needed = SIZE_MAX};
    for (int threads = s->run->threads; threads >= 1; threads--) {
        for (int way = 0; way < (s->rows_spilled < s->rows_kept ? 4 : 2); way++) {
            const bool kept = way % 2 == 0;
            dps_plan p = *plan;
            p.threads = threads;
            p.spill = way / 2 == 1;
            p.data_bytes = p.spill ? s->rows_spilled : s->rows_kept;
            count_bytes(s, kept, &p);
            const size_t tiles = kept ? p.tile_bytes : 0;
            p.tiles_fit = p.needed <= memory && p.tile_bytes <= memory - p.needed;
            if (p.needed <= memory && tiles <= memory - p.needed) {
                *plan = p;
                return true;
            }
            p.needed += tiles;
            p.buffer_bytes += tiles;
            least = p.needed < least.needed ? p : least;
        }
    }
    *plan = least;
    return false;
}

/* Another solver that fits, as "solver.type = dcd needs 93 MB; ", or "". */
static void name_solver(const sizes *s, const dps_plan *plan, char *out, size_t size)
{
    static const dps_solver *const others[] = {&dps_solver_newton, &dps_solver_dcd,
                                               &dps_solver_sgd};
    out[0] = '\0';
    for (size_t i = 0; i < sizeof others / sizeof others[0] && !plan->span; i++) {
        dps_plan other = {.solver = others[i], .tile_bytes = plan->tile_bytes};
        dps_error ignored;
        if (others[i]->check(s->problem, &ignored) == DPS_OK && fit_memory(s, &other)) {
            char bytes[DPS_NUMBER_MAX];
            dps_format_bytes(bytes, (double)other.needed);
            snprintf(out, size, "solver.type = %s needs %s; ", others[i]->name, bytes);
            return;
        }
    }
}

/* Names remedies that would help: what makes columns, a solver that fits. */
static dps_status refuse(const sizes *s, const dps_plan *plan, dps_error *err)
{
    char needed[DPS_NUMBER_MAX], limit[DPS_NUMBER_MAX], data[DPS_NUMBER_MAX], map[DPS_NUMBER_MAX],
        solver[DPS_NUMBER_MAX], other[100], columns[100] = "";
    dps_format_bytes(needed, (double)plan->needed);
    dps_format_bytes(limit, (double)s->run->memory);
    dps_format_bytes(data, (double)plan->data_bytes);
    dps_format_bytes(map, (double)plan->map_bytes + (double)plan->buffer_bytes);
    dps_format_bytes(solver, (double)plan->solver_bytes);
    name_solver(s, plan, other, sizeof other);
    if (s->facts->random_columns > 0) {
        snprintf(columns, sizeof columns, "%slower map.features, or ",
                 s->facts->exact_columns > s->facts->random_columns
                     ? "leave out the exact columns (map.h01 = off), "
                     : "");
    }
    return dps_error_set(err, DPS_ERROR_MEMORY,
                         "training needs about %s (data %s, map %s, %s %s), but run.memory is %s: "
                         "%s%sraise run.memory",
                         needed, data, map, plan->solver->name, solver, limit, other, columns);
}

dps_status dps_plan_make(const dps_settings *settings, const dps_dataset *data,
                         const dps_map_recipe *recipe, const dps_map_facts *facts,
                         const dps_problem *problem, const dps_run *run, dps_plan *plan,
                         dps_error *err)
{
    const dps_tile_source mapped = shape(data, facts, settings->bias);
    memset(plan, 0, sizeof *plan);
    plan->span = dps_row_span_wanted(recipe, facts, data->x.rows, run);
    const dps_tile_source source = plan->span ? span_shape(data) : mapped;
    dps_problem planned = *problem;
    planned.source = &source;

    const dps_solver *solver = dps_solver_choose(settings->solver, &planned);
    DPS_TRY(plan->span ? check_span(settings, err) : DPS_OK);
    DPS_TRY(solver->check(&planned, err));
    plan->solver = solver;
    plan->tile_bytes =
        plan->span ? 0 : dps_feature_stream_bytes(source.rows, facts->width, settings->bias);
    plan->map_flops = (double)dps_tiles_rows(&source) * facts->flops_per_row;
    if (plan->span) { /* once for inner products, once for weights */
        plan->map_flops += (double)source.rows * facts->flops_per_row +
                           (double)source.rows * (double)source.rows * facts->width;
    }
    double sparse_row =
        source.sparse_columns > 0 ? (double)data->nonzeros / (double)dps_tiles_rows(&source) : 0;
    plan->solve_flops = solve_flops(&planned, plan->solver, sparse_row);
    plan->usual_passes = solver == &dps_solver_newton ? USUAL_STEPS : USUAL_PASSES;
    const sizes s = {settings,
                     facts,
                     &planned,
                     run,
                     dps_weight_length(&mapped),
                     dps_dataset_memory(data),
                     dps_dataset_memory_spilled(data, run)};
    return fit_memory(&s, plan) ? DPS_OK : refuse(&s, plan, err);
}

dps_status dps_plan_trial(const dps_settings *settings, dps_dataset *data,
                          const dps_map_facts *facts, const dps_problem *problem, int64_t rows,
                          size_t sample_bytes, dps_run *run, size_t *left, dps_error *err)
{
    dps_tile_source source = {.rows = rows,
                              .width = facts->width + (settings->bias != 0 ? 1 : 0),
                              .sparse_columns = facts->sparse_columns,
                              .flops_per_row = facts->flops_per_row};
    dps_problem planned = *problem;
    dps_plan plan = {0};
    source.stride = dps_round_up((size_t)source.width, DPS_PAD);
    planned.source = &source;
    const dps_solver *solver = dps_solver_choose(settings->solver, &planned);
    dps_status status = solver->check(&planned, err);
    if (status != DPS_OK) {
        return status;
    }
    plan.solver = solver;
    plan.tile_bytes = dps_feature_stream_bytes(rows, facts->width, settings->bias);
    const sizes s = {settings,
                     facts,
                     &planned,
                     run,
                     dps_weight_length(&source),
                     dps_dataset_memory(data) + sample_bytes,
                     dps_dataset_memory_spilled(data, run) + sample_bytes};
    if (!fit_memory(&s, &plan)) {
        char needed[DPS_NUMBER_MAX], limit[DPS_NUMBER_MAX];
        dps_format_bytes(needed, (double)plan.needed);
        dps_format_bytes(limit, (double)run->memory);
        return dps_error_set(
            err, DPS_ERROR_MEMORY,
            "measuring %ld columns on %lld rows needs about %s, but run.memory is "
            "%s: raise run.memory, or set map.features (with kernel.type = auto "
            "where kernels are compared); what is chosen must not depend on memory",
            (long)source.width, (long long)rows, needed, limit);
    }
    if (plan.spill) {
        status = dps_dataset_spill(data, run, err);
    }
    run->threads = plan.threads;
    *left = run->memory - plan.needed;
    return status;
}

/* "targets from -1 to 5, mean 2.5". All. */
static void add_targets(const dps_dataset *data, const dps_run *run, dps_text *out)
{
    char low[DPS_NUMBER_MAX], high[DPS_NUMBER_MAX];
    const dps_comm *comm = data->total_rows > 0 ? run->comm : NULL;
    const double rows = (double)dps_dataset_count(data);
    double least = INFINITY, most = -INFINITY, mean;
    dps_in_turn_begin(comm, &mean, sizeof mean);
    for (int64_t i = 0; i < data->x.rows; i++) {
        least = fmin(least, data->target[i]);
        most = fmax(most, data->target[i]);
        mean += data->target[i] / rows;
    }
    dps_in_turn_end(comm, &mean, sizeof mean);
    dps_format_double(low, -dps_comm_max(comm, -least));
    dps_format_double(high, dps_comm_max(comm, most));
    dps_text_format(out, "targets from %s to %s, mean %.6g", low, high, mean);
}

static void add_classes(const dps_class_table *classes, dps_text *out)
{
    dps_text_format(out, "%ld classes (", (long)classes->count);
    for (int32_t k = 0; k < classes->count && k < 10; k++) {
        dps_text_format(out, "%s%s: %lld", k > 0 ? ", " : "", classes->text[k],
                        (long long)classes->rows[k]);
    }
    dps_text_add(out, classes->count > 10 ? ", ...)" : ")");
}

dps_status dps_plan_log_data(const dps_dataset *data, const dps_run *run, dps_error *err)
{
    dps_text text = {0};
    if (data->target != NULL) {
        add_targets(data, run, &text);
    } else {
        add_classes(&data->classes, &text);
    }
    dps_log_text(run, DPS_NORMAL, "input: %s", data->note);
    dps_log_text(run, DPS_NORMAL, "data: %lld rows, %ld features, %s, %s",
                 (long long)dps_dataset_count(data), (long)data->scaler.columns,
                 data->scaler.dense ? "dense" : "sparse", text.failed ? "" : text.data);
    const bool told = !text.failed;
    dps_text_release(&text);
    return told ? DPS_OK : dps_out_of_memory(err, 1, sizeof text, "a line about the data");
}

dps_status dps_plan_log(const dps_plan *plan, const dps_map_recipe *recipe,
                        const dps_map_facts *facts, const dps_run *run, dps_error *err)
{
    char needed[DPS_NUMBER_MAX], tiles[DPS_NUMBER_MAX], limit[DPS_NUMBER_MAX];
    dps_text kernel = {0}, map = {0}, degrees = {0};

    dps_explain_kernel(recipe, &kernel);
    dps_explain_map(recipe, &map);
    dps_explain_degrees(facts, &degrees);
    const bool told = !kernel.failed && !map.failed && !degrees.failed;
    if (told) {
        dps_log_text(run, DPS_NORMAL, "kernel: %s", kernel.data);
        dps_log_text(run, DPS_NORMAL, "map: %s", map.data);
        dps_log_text(run, DPS_NORMAL,
                     "columns: %ld exact, %ld random, D' = %ld%s; degrees drawn: %s; coverage "
                     "%.1f %%",
                     (long)facts->exact_columns, (long)facts->random_columns, (long)facts->width,
                     facts->sparse_columns > 0 ? " and the sparse row" : "", degrees.data,
                     100 * facts->coverage);
    }
    dps_format_bytes(needed, (double)plan->needed);
    dps_format_bytes(tiles, (double)plan->tile_bytes);
    dps_format_bytes(limit, (double)run->memory);
    dps_log_text(run, DPS_NORMAL,
                 "needs: %s of %s, and %s for mapped rows, which are %s; work about %.3g Gflop to "
                 "map and %.3g Gflop to solve (%s)",
                 needed, limit, tiles,
                 plan->span        ? "trained in their span"
                 : plan->tiles_fit ? "kept"
                                   : "made again on every pass",
                 plan->map_flops / 1e9, plan->solve_flops / 1e9, plan->solver->name);
    if (plan->shards > 1 && plan->solver != &dps_solver_newton) {
        dps_log_text(run, DPS_NORMAL, "%s on %ld shards of the rows (run.shards)",
                     plan->solver->name, (long)plan->shards);
    }
    dps_text_release(&kernel);
    dps_text_release(&map);
    dps_text_release(&degrees);
    return told ? DPS_OK : dps_out_of_memory(err, 1, sizeof needed, "the plan's text");
}
