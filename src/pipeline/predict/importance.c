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
#include "decision.h"
#include "prediction_steps.h"
#include "random.h"
#include "tile_loop.h"

typedef struct shuffling {
    const dps_prediction *p;
    dps_importance *result;
    dps_dataset data;
    int64_t rows;
    int32_t columns, groups;
    size_t stride;
    float *x;       /* rows x stride */
    int32_t *label; /* of the rows */
    double *target, *weight;
    int32_t *group;   /* of each scaled column */
    int64_t *from;    /* row whose values each row takes */
    float *loss;      /* rows: as they are */
    double *shuffled; /* rows: sum over repeats */
    dps_decision decision;
    size_t panel_at, scratch_at, scores_at, chances_at; /* within a thread's memory */
} shuffling;

/* All rows with the columns of `group` as s->from says; -1: as they are. */
typedef struct round_of {
    const shuffling *s;
    int32_t group;
    double *loss; /* adds the rows' */
} round_of;

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
            s->weight[k] = dps_weight_of(s->data.row_weight, i);
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

static double loss_of(const shuffling *s, const double *scores, int32_t i, int64_t row,
                      double *chances)
{
    const dps_model *model = &s->p->model;
    if (model->task == DPS_TASK_REGRESSION) {
        const double residual = scores[i] - s->target[row];
        return residual * residual;
    }
    return dps_decided_class(model, &s->decision, scores, i, chances) != s->label[row];
}

static dps_status score_tile(void *context, int64_t t, void *memory, dps_error *err)
{
    const round_of *round = context;
    const shuffling *s = round->s;
    char *room = memory;
    float *x = (float *)(void *)room;
    double *scores = (double *)(void *)(room + s->scores_at);
    double *chances = (double *)(void *)(room + s->chances_at);
    const int64_t first = t * DPS_TILE_ROWS, left = s->rows - first;
    const int32_t rows = left < DPS_TILE_ROWS ? (int32_t)left : DPS_TILE_ROWS;
    memcpy(x, s->x + (size_t)first * s->stride, (size_t)rows * s->stride * sizeof *x);
    for (int32_t i = 0; i < rows && round->group >= 0; i++) {
        const float *other = s->x + (size_t)s->from[first + i] * s->stride;
        for (int32_t j = 0; j < s->columns; j++) {
            if (s->group[j] == round->group) {
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
            const int64_t row = first + begin + i;
            round->loss[row] += loss_of(s, scores, i, row, chances);
        }
        begin += batch.rows;
    }
    return DPS_OK;
}

static dps_status score_rows(const shuffling *s, int32_t group, double *loss, dps_error *err)
{
    round_of round = {s, group, loss};
    const int32_t classes = s->p->model.classes.count;
    const dps_tile_loop loop = {.tiles = dps_tile_count(s->rows),
                                .threads = s->p->run->threads,
                                .bytes = s->chances_at +
                                         (size_t)(classes > 1 ? classes : 1) * sizeof(double),
                                .visit = score_tile,
                                .context = &round,
                                .stops = s->p->run,
                                .doing = "dealing the values of columns"};
    return dps_tile_loop_run(&loop, err);
}

/* ---- figures --------------------------------------------------------------------------------- */

static void take_figures(const shuffling *s, dps_importance_item *item)
{
    const double repeats = s->result->repeats;
    double n = 0, mean = 0, squares = 0, losses = 0; /* weights count as copies */
    for (int64_t i = 0; i < s->rows; i++) {
        const double d = s->shuffled[i] / repeats - (double)s->loss[i], before = d - mean;
        const double w = s->weight[i];
        n += w;
        mean += w / n * before; /* West 1979 */
        squares += w * before * (d - mean);
        losses += w * (double)s->loss[i];
    }
    const double base = losses / n;
    const double error = sqrt(squares / fmax(n - 1, 1) / n);
    const double after = sqrt(fmax(base + mean, 0));
    item->drop = s->result->regression ? after - sqrt(base) : mean;
    item->error = s->result->regression && after > 0 ? error / (2 * after) : error;
}

static dps_status shuffle_all(shuffling *s, uint64_t seed, dps_error *err)
{
    double losses = 0, n = 0;
    DPS_TRY(score_rows(s, -1, s->shuffled, err));
    for (int64_t i = 0; i < s->rows; i++) {
        s->loss[i] = (float)s->shuffled[i];
        losses += s->weight[i] * s->shuffled[i];
        n += s->weight[i];
    }
    const double base = losses / n;
    s->result->figure = s->result->regression ? sqrt(base) : 1 - base;
    for (int32_t g = 0; g < s->groups; g++) {
        memset(s->shuffled, 0, (size_t)s->rows * sizeof *s->shuffled);
        for (int32_t r = 0; r < s->result->repeats; r++) {
            dps_random_permutation(seed, DPS_STREAM_IMPORTANCE, (uint32_t)g, (uint32_t)r, s->rows,
                                   s->from);
            DPS_TRY(score_rows(s, g, s->shuffled, err));
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
    const size_t rows = (size_t)s->rows;
    s->stride = dps_round_up((size_t)s->columns, DPS_PAD);
    s->panel_at = dps_round_up(DPS_TILE_ROWS * s->stride * sizeof *s->x, DPS_ALIGN);
    s->scratch_at = s->panel_at + dps_round_up(dps_z_panel_bytes(builder), DPS_ALIGN);
    s->scores_at = s->scratch_at + dps_round_up(builder->scratch_bytes, DPS_ALIGN);
    s->chances_at = s->scores_at + (size_t)s->p->model.models * DPS_TILE_ROWS * sizeof(double);
    DPS_NEED(s->x, rows * s->stride, "the rows", err);
    DPS_NEED(s->label, rows, "the rows", err);
    DPS_NEED(s->target, rows, "the rows", err);
    DPS_NEED(s->weight, rows, "the rows", err);
    DPS_NEED(s->group, (size_t)s->columns, "the columns", err);
    DPS_NEED(s->from, rows, "the rows", err);
    DPS_NEED(s->loss, rows, "the rows", err);
    DPS_NEED(s->shuffled, rows, "the rows", err);
    DPS_NEED(s->result->item, (size_t)s->columns, "the columns", err);
    return DPS_OK;
}

typedef struct wish {
    dps_importance *result;
    uint64_t seed;
} wish;

static dps_status find(shuffling *s, uint64_t seed, dps_error *err)
{
    DPS_TRY(dps_decision_of(s->p->request, &s->p->model, &s->decision, err));
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
    dps_free(s.weight);
    dps_free(s.group);
    dps_free(s.from);
    dps_free(s.loss);
    dps_free(s.shuffled);
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
