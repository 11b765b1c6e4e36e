/* Task: permutation importance of the columns of a file for a model with a map.
 *
 *   drop_j = mean over rows i and draws r of (loss of row i with column j of row pi_r(i)) - loss_i
 *
 * loss: 1 where the class is wrong; regression: the squared residual, told as a rise of the RMSE.
 * Rows are the pairs, so that its standard error is that of the rows' mean differences. Cost:
 * columns x repeats passes over the rows; memory: the rows, dense. */
#include "importance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "allocation.h"
#include "dataset.h"
#include "prediction_steps.h"
#include "random.h"

typedef struct shuffling {
    const dps_prediction *p;
    dps_importance *result;
    dps_dataset data;
    int64_t rows;
    int32_t columns, groups;
    size_t stride;
    float *x;       /* rows x stride */
    int32_t *label; /* of the rows */
    double *target;
    int32_t *group;   /* of each scaled column */
    int64_t *from;    /* row whose values each row takes */
    float *loss;      /* rows: as they are */
    double *shuffled; /* rows: sum over repeats */
    /* a thread's own */
    char *room;
    size_t each, panel_at, scratch_at, scores_at;
} shuffling;

/* ---- rows ------------------------------------------------------------------------------------ */

static void copy_row(const dps_row_tile *tile, int32_t i, float *to)
{
    if (tile->dense != NULL) {
        memcpy(to, tile->dense + (size_t)i * tile->stride, (size_t)tile->columns * sizeof *to);
        return;
    }
    for (int64_t e = tile->start[i]; e < tile->start[i + 1]; e++) {
        to[tile->column[e]] = tile->value[e];
    }
}

static dps_status take_rows(shuffling *s, dps_error *err)
{
    const dps_row_source source = dps_dataset_rows(&s->data);
    int64_t *sample;
    DPS_NEED(sample, (size_t)s->rows, "the sample", err);
    (void)dps_random_sample(1, DPS_STREAM_SAMPLE, source.rows, s->rows, sample);
    dps_status status = DPS_OK;
    for (int64_t k = 0; k < s->rows && status == DPS_OK; k++) {
        dps_row_tile tile;
        const int64_t i = sample[k];
        status = source.get(source.context, i / DPS_TILE_ROWS, &tile, err);
        if (status == DPS_OK) {
            copy_row(&tile, (int32_t)(i % DPS_TILE_ROWS), s->x + (size_t)k * s->stride);
            s->label[k] = s->data.label == NULL ? 0 : s->data.label[i];
            s->target[k] = s->data.target == NULL ? 0 : s->data.target[i];
        }
    }
    dps_free(sample);
    return status;
}

/* Number of the table's column that a raw feature is of, or -1. */
static int32_t column_of(const dps_table *table, int32_t feature)
{
    int32_t found = -1;
    for (int32_t c = 0; c < table->count; c++) {
        const dps_column_role role = table->column[c].role;
        const bool reads =
            role == DPS_COLUMN_NUMBER || role == DPS_COLUMN_ONEHOT || role == DPS_COLUMN_ORDINAL;
        if (reads && table->column[c].first <= feature &&
            (found < 0 || table->column[c].first > table->column[found].first)) {
            found = c;
        }
    }
    return found;
}

static void name_column(const dps_table *table, int32_t column, int32_t feature, char *name)
{
    if (column >= 0 && table->column[column].name != NULL) {
        dps_quote_token(name, DPS_FEATURE_NAME, table->column[column].name,
                        strlen(table->column[column].name), 60);
    } else if (column >= 0) {
        snprintf(name, DPS_FEATURE_NAME, "column %ld", (long)column + 1);
    } else {
        dps_feature_name(table, feature, name);
    }
}

/* Scaled columns that come from one column of the table go together. */
static void find_groups(shuffling *s)
{
    const dps_model *model = &s->p->model;
    int32_t last = -1;
    for (int32_t j = 0; j < s->columns; j++) {
        const int32_t feature = model->scaler.index[j];
        const int32_t column = column_of(&model->table, feature);
        if (column < 0 || column != last) {
            name_column(&model->table, column, feature, s->result->item[s->groups].name);
            s->groups++;
        }
        s->group[j] = s->groups - 1;
        last = column;
    }
    s->result->count = s->groups;
}

/* ---- scoring --------------------------------------------------------------------------------- */

static double loss_of(const shuffling *s, const double *scores, int32_t i, int64_t row)
{
    const dps_model *model = &s->p->model;
    if (model->task == DPS_TASK_REGRESSION) {
        const double residual = scores[i] - s->target[row];
        return residual * residual;
    }
    return dps_predicted_class(model->classes.count, 0, scores, i) != s->label[row];
}

/* Rows first, first + 1, ... with group g as s->from says (-1: as they are), losses to out. */
static dps_status score_tile(const shuffling *s, int64_t first, int32_t g, char *room, double *loss,
                             dps_error *err)
{
    float *x = (float *)(void *)room;
    double *scores = (double *)(void *)(room + s->scores_at);
    const int64_t left = s->rows - first;
    const int32_t rows = left < DPS_TILE_ROWS ? (int32_t)left : DPS_TILE_ROWS;
    memcpy(x, s->x + (size_t)first * s->stride, (size_t)rows * s->stride * sizeof *x);
    for (int32_t i = 0; i < rows && g >= 0; i++) {
        const float *other = s->x + (size_t)s->from[first + i] * s->stride;
        for (int32_t j = 0; j < s->columns; j++) {
            if (s->group[j] == g) {
                x[(size_t)i * s->stride + (size_t)j] = other[j];
            }
        }
    }
    const dps_row_tile tile = {
        .rows = rows, .columns = s->columns, .dense = x, .stride = s->stride};
    const dps_z_builder *builder = &s->p->predictor.builder;
    for (int32_t begin = 0; begin < rows;) {
        const dps_row_tile batch = dps_z_batch(builder, &tile, begin);
        dps_z_tile z;
        DPS_TRY(dps_z_build(builder, &batch, (float *)(void *)(room + s->panel_at),
                            room + s->scratch_at, &z, err));
        dps_predictor_scores(&s->p->predictor, &z, scores);
        for (int32_t i = 0; i < batch.rows; i++) {
            loss[begin + i] += loss_of(s, scores, i, first + begin + i);
        }
        begin += batch.rows;
    }
    return DPS_OK;
}

/* All rows; adds to loss. */
static dps_status score_rows(const shuffling *s, int32_t g, double *loss, dps_error *err)
{
    const int threads = s->p->run->threads;
    const int64_t tiles = dps_tile_count(s->rows);
    dps_status status = DPS_OK;
#pragma omp parallel for schedule(static, 1) num_threads(dps_run_threads(s->p->run, tiles))
    for (int worker = 0; worker < threads; worker++) {
        for (int64_t t = worker; t < tiles; t += threads) {
            dps_error its;
            const dps_status mine =
                score_tile(s, t * DPS_TILE_ROWS, g, s->room + (size_t)worker * s->each,
                           loss + t * DPS_TILE_ROWS, &its);
#pragma omp critical(dps_importance)
            if (mine != DPS_OK) {
                status = mine;
                if (err != NULL) {
                    *err = its;
                }
            }
        }
    }
    return status;
}

/* ---- figures --------------------------------------------------------------------------------- */

static void take_figures(const shuffling *s, dps_importance_item *item)
{
    const double n = (double)s->rows, repeats = s->result->repeats;
    double mean = 0, squares = 0, base = 0;
    for (int64_t i = 0; i < s->rows; i++) {
        const double d = s->shuffled[i] / repeats - (double)s->loss[i], before = d - mean;
        mean += before / (double)(i + 1); /* Welford 1962 */
        squares += before * (d - mean);
        base += (double)s->loss[i] / n;
    }
    const double error = sqrt(squares / (n - 1) / n);
    const double after = sqrt(fmax(base + mean, 0));
    item->drop = s->result->regression ? after - sqrt(base) : mean;
    item->error = s->result->regression && after > 0 ? error / (2 * after) : error;
}

static dps_status shuffle_all(shuffling *s, uint64_t seed, dps_error *err)
{
    double base = 0;
    DPS_TRY(score_rows(s, -1, s->shuffled, err));
    for (int64_t i = 0; i < s->rows; i++) {
        s->loss[i] = (float)s->shuffled[i];
        base += s->shuffled[i] / (double)s->rows;
    }
    s->result->figure = s->result->regression ? sqrt(base) : 1 - base;
    for (int32_t g = 0; g < s->groups; g++) {
        memset(s->shuffled, 0, (size_t)s->rows * sizeof *s->shuffled);
        for (int32_t r = 0; r < s->result->repeats; r++) {
            dps_random_permutation(seed, DPS_STREAM_IMPORTANCE, (uint32_t)g, (uint32_t)r, s->rows,
                                   s->from);
            DPS_TRY(score_rows(s, g, s->shuffled, err));
        }
        if (dps_run_stopped(s->p->run)) {
            return dps_error_set(err, DPS_ERROR_STOPPED, "stopped while shuffling columns");
        }
        take_figures(s, &s->result->item[g]);
        dps_log_share(s->p->run, "importance", (g + 1.0) / s->groups);
    }
    return DPS_OK;
}

static int by_drop(const void *a, const void *b)
{
    const dps_importance_item *x = a, *y = b;
    return (x->drop < y->drop) - (x->drop > y->drop);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static dps_status load_rows(shuffling *s, dps_error *err)
{
    const dps_predict_request *request = s->p->request;
    const dps_model *model = &s->p->model;
    const dps_dataset like = {
        .classes = model->classes, .table = model->table, .scaler = model->scaler};
    dps_load_options load = {.paths = request->paths,
                             .path_count = request->path_count,
                             .read = {.format = request->format,
                                      .zero_based = request->zero_based,
                                      .labels = DPS_LABELS_REQUIRED,
                                      .table = request->table},
                             .regression = model->task == DPS_TASK_REGRESSION};
    load.read.table.regression = load.regression;
    return dps_dataset_load_as(&load, &like, s->p->run, &s->data, err);
}

static dps_status make_room(shuffling *s, dps_error *err)
{
    const dps_z_builder *builder = &s->p->predictor.builder;
    const size_t rows = (size_t)s->rows, threads = (size_t)s->p->run->threads;
    s->stride = dps_round_up((size_t)s->columns, DPS_PAD);
    s->panel_at = dps_round_up(DPS_TILE_ROWS * s->stride * sizeof *s->x, DPS_ALIGN);
    s->scratch_at = s->panel_at + dps_round_up(dps_z_panel_bytes(builder), DPS_ALIGN);
    s->scores_at = s->scratch_at + dps_round_up(builder->scratch_bytes, DPS_ALIGN);
    s->each = s->scores_at +
              dps_round_up((size_t)s->p->model.models * DPS_TILE_ROWS * sizeof(double), DPS_ALIGN);
    DPS_NEED(s->x, rows * s->stride, "the rows", err);
    DPS_NEED(s->label, rows, "the rows", err);
    DPS_NEED(s->target, rows, "the rows", err);
    DPS_NEED(s->group, (size_t)s->columns, "the columns", err);
    DPS_NEED(s->from, rows, "the rows", err);
    DPS_NEED(s->loss, rows, "the rows", err);
    DPS_NEED(s->shuffled, rows, "the rows", err);
    DPS_NEED(s->room, threads * s->each, "tiles", err);
    DPS_NEED(s->result->item, (size_t)s->columns, "the columns", err);
    return DPS_OK;
}

typedef struct wish {
    dps_importance *result;
    uint64_t seed;
} wish;

static dps_status check_model(const dps_prediction *p, dps_error *err)
{
    const dps_model *model = &p->model;
    if (model->recipe.type == DPS_MAP_NONE) {
        return dps_error_at(err, DPS_ERROR_CONFIG, p->request->model_path, 0, 0,
                            "--importance is for models with a map; this one is linear, and dpsvm "
                            "info --weights says what each column does");
    }
    if (model->scaler.columns > DPS_IMPORTANCE_COLUMNS) {
        return dps_error_at(err, DPS_ERROR_CONFIG, p->request->model_path, 0, 0,
                            "--importance is for rows of at most %d columns, these have %ld: leave "
                            "it out",
                            DPS_IMPORTANCE_COLUMNS, (long)model->scaler.columns);
    }
    return DPS_OK;
}

static dps_status find(shuffling *s, uint64_t seed, dps_error *err)
{
    DPS_TRY(check_model(s->p, err));
    DPS_TRY(load_rows(s, err));
    s->columns = s->p->model.scaler.columns;
    s->rows = s->data.x.rows < DPS_IMPORTANCE_ROWS ? s->data.x.rows : DPS_IMPORTANCE_ROWS;
    s->result->rows = s->rows;
    s->result->regression = s->p->model.task == DPS_TASK_REGRESSION;
    if (s->rows < 2) {
        return dps_error_at(err, DPS_ERROR_DATA, s->p->request->paths[0], 0, 0,
                            "--importance deals values among rows: expected two rows or more");
    }
    DPS_TRY(make_room(s, err));
    find_groups(s);
    DPS_TRY(take_rows(s, err));
    DPS_TRY(shuffle_all(s, seed, err));
    qsort(s->result->item, (size_t)s->groups, sizeof *s->result->item, by_drop);
    return DPS_OK;
}

static dps_status use(dps_prediction *p, void *context, dps_error *err)
{
    const wish *w = context;
    shuffling s = {.p = p, .result = w->result};
    const dps_status status = find(&s, w->seed, err);
    dps_dataset_release(&s.data);
    dps_free(s.x);
    dps_free(s.label);
    dps_free(s.target);
    dps_free(s.group);
    dps_free(s.from);
    dps_free(s.loss);
    dps_free(s.shuffled);
    dps_free(s.room);
    return status;
}

dps_status dps_importance_find(const dps_predict_request *request, int32_t repeats, uint64_t seed,
                               const dps_run *run, dps_importance *importance, dps_error *err)
{
    dps_predict_result result;
    wish w = {importance, seed};
    *importance = (dps_importance){.repeats = repeats};
    const dps_status status = dps_prediction_run(request, run, use, &w, &result, err);
    if (status != DPS_OK) {
        dps_importance_release(importance);
    }
    return status;
}

void dps_importance_release(dps_importance *importance)
{
    dps_free(importance->item);
    memset(importance, 0, sizeof *importance);
}
