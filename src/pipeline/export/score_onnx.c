/* Task: a model as a graph of ONNX: rows of doubles in; scores, labels and probabilities out. What
 * `predict` computes, in double precision; scaled rows and mapped ones are rounded to float where
 * predict has floats, so that a model without a map differs by the order of sums alone, another one
 * by what float projections round. Cost: that of the map. */
#include "score_onnx.h"

#include <math.h>
#include <string.h>
#include "allocation.h"
#include "onnx_graph.h"
#include "onnx_map_private.h"
#include "model_fields.h"

typedef struct writer {
    dps_onnx_graph *graph;
    const dps_predictor *predictor;
    const dps_model *model;
    const dps_row_columns *rows;
    dps_error *err;
} writer;

static dps_onnx_tensor number(const writer *w, double value)
{
    return dps_onnx_number(w->graph, value);
}

static dps_onnx_tensor two(const writer *w, const char *op, dps_onnx_tensor a, dps_onnx_tensor b)
{
    return dps_onnx_two(w->graph, op, a, b);
}

static dps_onnx_tensor where_above(const writer *w, dps_onnx_tensor a, dps_onnx_tensor then,
                                   double otherwise)
{
    return dps_onnx_three(w->graph, "Where", two(w, "Greater", a, number(w, 0)), then,
                          number(w, otherwise));
}

/* ---- rows ---- */

/* What is missing is filled in; a text that is none has the code -1. */
static dps_status fill(const writer *w, dps_onnx_tensor *row)
{
    const dps_row_columns *rows = w->rows;
    double *value;
    DPS_NEED(value, (size_t)rows->count, "columns", w->err);
    for (int32_t c = 0; c < rows->count; c++) {
        value[c] = rows->codes[c] == 0               ? rows->column[c]->fill
                   : w->model->table.missing_allowed ? -1.0
                                                     : (double)NAN;
    }
    *row = dps_onnx_three(w->graph, "Where", dps_onnx_one(w->graph, "IsNaN", *row),
                          dps_onnx_doubles(w->graph, value, (size_t)rows->count, 0), *row);
    dps_free(value);
    return DPS_OK;
}

/* x = mask [code = own] + (1 - mask) (code + add): one-hot columns, others. */
static dps_status decode(const writer *w, dps_onnx_tensor *x)
{
    const size_t d = (size_t)w->model->scaler.columns;
    double *vector;
    DPS_NEED(vector, 4 * d, "columns", w->err);
    for (size_t j = 0; j < d; j++) {
        const int32_t code = w->rows->code_of[j];
        vector[j] = code >= 0 ? code : -2.0;
        vector[d + j] = code >= 0 ? 1.0 : 0.0;
        vector[2 * d + j] = code >= 0 ? 0.0 : 1.0;
        vector[3 * d + j] = code == DPS_CODE_ORDINAL ? 1.0 : 0.0;
    }
    const dps_onnx_tensor same = dps_onnx_cast(
        w->graph, two(w, "Equal", *x, dps_onnx_doubles(w->graph, vector, d, 0)), DPS_ONNX_DOUBLE);
    const dps_onnx_tensor value =
        two(w, "Add", *x, dps_onnx_doubles(w->graph, vector + 3 * d, d, 0));
    *x = two(w, "Add", two(w, "Mul", same, dps_onnx_doubles(w->graph, vector + d, d, 0)),
             two(w, "Mul", value, dps_onnx_doubles(w->graph, vector + 2 * d, d, 0)));
    dps_free(vector);
    return DPS_OK;
}

static dps_status read_row(const writer *w, dps_onnx_tensor row, dps_onnx_tensor *x)
{
    if (w->rows->column != NULL) {
        DPS_TRY(fill(w, &row));
    }
    *x = dps_onnx_gather(
        w->graph, row,
        dps_onnx_indices(w->graph, w->rows->column_of, (size_t)w->model->scaler.columns), 1);
    return w->rows->texts ? decode(w, x) : DPS_OK;
}

/* ---- piecewise linear functions ---- */

/* Of column c of x: from level begin[c] on, through the knots begin[c] to begin[c + 1] - 1,
 * constant beyond them: the sum over its pieces of rise clip((x - left) / width, 0, 1). */
static dps_status bend(const writer *w, size_t columns, const int32_t *begin, const double *knot,
                       const double *level, dps_onnx_tensor *x)
{
    size_t pieces = 1;
    for (size_t c = 0; c < columns; c++) {
        const size_t own = (size_t)(begin[c + 1] - begin[c] - 1);
        pieces = own > pieces ? own : pieces;
    }
    const size_t all = columns * pieces;
    double *left;
    DPS_NEED(left, 3 * all + columns, "knots", w->err);
    double *steep = left + all, *rise = steep + all, *base = rise + all;
    for (size_t c = 0; c < columns; c++) {
        base[c] = level[begin[c]];
        for (int32_t i = begin[c]; i + 1 < begin[c + 1]; i++) {
            const size_t at = c * pieces + (size_t)(i - begin[c]);
            const double half = 0.5 * knot[i + 1] - 0.5 * knot[i];
            left[at] = knot[i];
            steep[at] =
                half > 0 ? fmin(0.5 / half, 1e300) : 1e300; /* a jump where knots are equal */
            rise[at] = level[i + 1] - level[i];
        }
    }
    const dps_onnx_tensor from = two(w, "Sub", dps_onnx_unsqueeze(w->graph, *x),
                                     dps_onnx_doubles(w->graph, left, columns, pieces));
    const dps_onnx_tensor share = dps_onnx_three(
        w->graph, "Clip", two(w, "Mul", from, dps_onnx_doubles(w->graph, steep, columns, pieces)),
        dps_onnx_scalar(w->graph, 0), dps_onnx_scalar(w->graph, 1));
    const dps_onnx_tensor risen =
        two(w, "Mul", share, dps_onnx_doubles(w->graph, rise, columns, pieces));
    *x = two(w, "Add", dps_onnx_sum(w->graph, risen, 2, false),
             dps_onnx_doubles(w->graph, base, columns, 0));
    dps_free(left);
    return DPS_OK;
}

/* ---- scaling ---- */

static dps_status scale_columns(const writer *w, dps_onnx_tensor *x)
{
    const dps_scaler *scaler = &w->model->scaler;
    const size_t d = (size_t)scaler->columns;
    if (scaler->scaling == DPS_SCALE_RANK) {
        return bend(w, d, scaler->begin, scaler->knot, scaler->level, x);
    }
    if (scaler->scaling == DPS_SCALE_LOG) {
        const dps_onnx_tensor share = two(w, "Div", dps_onnx_one(w->graph, "Abs", *x),
                                          dps_onnx_doubles(w->graph, scaler->unit, d, 0));
        *x = two(w, "Mul", dps_onnx_one(w->graph, "Sign", *x),
                 dps_onnx_one(w->graph, "Log", two(w, "Add", share, number(w, 1))));
    } else {
        *x = two(w, "Sub", *x, dps_onnx_doubles(w->graph, scaler->shift, d, 0));
    }
    *x = two(w, "Mul", *x, dps_onnx_doubles(w->graph, scaler->factor, d, 0));
    return DPS_OK;
}

static dps_onnx_tensor rounded(const writer *w, dps_onnx_tensor a)
{
    return dps_onnx_cast(w->graph, dps_onnx_cast(w->graph, a, DPS_ONNX_FLOAT), DPS_ONNX_DOUBLE);
}

static dps_status scale(const writer *w, dps_onnx_tensor *x)
{
    DPS_TRY(scale_columns(w, x));
    if (w->model->scaler.normalize == DPS_NORMALIZE_UNIT) {
        const dps_onnx_tensor norm =
            dps_onnx_one(w->graph, "Sqrt", dps_onnx_sum(w->graph, two(w, "Mul", *x, *x), 1, true));
        *x = two(w, "Div", *x, where_above(w, norm, norm, 1));
    } else {
        *x = two(w, "Mul", *x, number(w, w->model->scaler.row_factor));
    }
    *x = rounded(w, *x);
    return DPS_OK;
}

/* ---- scores ---- */

/* weight: columns x models, z's columns in their order; intercept: models. */
static void set_weights(const writer *w, const dps_onnx_columns *z, double *weight,
                        double *intercept)
{
    const dps_model *model = w->model;
    const size_t models = (size_t)model->models;
    const size_t width = (size_t)model->width, last = model->weights_per_model - 1;
    for (size_t k = 0; k < models; k++) {
        const double *own = model->weight + k * model->weights_per_model;
        intercept[k] =
            w->predictor->builder.bias != 0 ? (double)w->predictor->builder.bias * own[last] : 0.0;
        for (size_t j = 0; j < width; j++) {
            intercept[k] += z->constant[j] * own[j];
        }
        for (size_t i = 0; i < z->count; i++) {
            weight[i * models + k] = own[(size_t)z->column[i]];
        }
    }
}

/* The row itself (sparse_linear): d x models. */
static void set_sparse_weights(const writer *w, double *weight)
{
    const dps_model *model = w->model;
    const size_t models = (size_t)model->models;
    for (size_t k = 0; k < models; k++) {
        const double *own = model->weight + k * model->weights_per_model + model->width;
        for (size_t j = 0; j < (size_t)model->sparse_columns; j++) {
            weight[j * models + k] = w->predictor->builder.sparse_scale * own[j];
        }
    }
}

static dps_status weigh(const writer *w, const dps_onnx_columns *z, dps_onnx_tensor x,
                        dps_onnx_tensor *scores)
{
    const size_t models = (size_t)w->model->models, sparse = (size_t)w->model->sparse_columns;
    double *intercept;
    DPS_NEED(intercept, models * (1 + z->count + sparse), "the weights", w->err);
    double *weight = intercept + models;
    set_weights(w, z, weight, intercept);
    *scores = dps_onnx_doubles(w->graph, intercept, 1, models);
    if (z->count > 0) {
        const dps_onnx_tensor all = rounded(w, dps_onnx_concat(w->graph, z->part, z->parts));
        *scores = two(w, "Add", *scores,
                      two(w, "MatMul", all, dps_onnx_doubles(w->graph, weight, z->count, models)));
    }
    if (sparse > 0) {
        set_sparse_weights(w, weight);
        *scores = two(w, "Add", *scores,
                      two(w, "MatMul", x, dps_onnx_doubles(w->graph, weight, sparse, models)));
    }
    if (z->count == 0 && sparse == 0) { /* a number a row all the same */
        *scores =
            two(w, "Add", *scores, two(w, "Mul", dps_onnx_sum(w->graph, x, 1, true), number(w, 0)));
    }
    dps_free(intercept);
    return DPS_OK;
}

static dps_status score(const writer *w, dps_onnx_tensor row, dps_onnx_tensor *scores)
{
    const size_t models = (size_t)w->model->models, d = (size_t)w->model->scaler.columns;
    const double *plain = w->predictor->plain;
    dps_onnx_tensor x;
    DPS_TRY(read_row(w, row, &x));
    if (plain != NULL) {
        *scores = two(w, "Add", two(w, "MatMul", x, dps_onnx_doubles(w->graph, plain, d, models)),
                      dps_onnx_doubles(w->graph, plain + d * models, models, 0));
        return DPS_OK;
    }
    dps_onnx_columns z;
    DPS_TRY(scale(w, &x));
    dps_status status = dps_onnx_columns_init(&z, (size_t)w->model->width, w->err);
    DPS_THEN(status, dps_onnx_map(w->graph, w->predictor->map, x, &z, w->err));
    DPS_THEN(status, weigh(w, &z, x, scores));
    dps_onnx_columns_release(&z);
    return status;
}

/* ---- labels and probabilities ---- */

static void add_labels(const writer *w, dps_onnx_tensor scores)
{
    const dps_class_table *classes = &w->model->classes;
    dps_onnx_tensor place = {0};
    if (classes->count == 2) {
        place = dps_onnx_cast(w->graph,
                              two(w, "Greater", dps_onnx_squeeze(w->graph, scores), number(w, 0)),
                              DPS_ONNX_INT64);
    } else {
        place = dps_onnx_largest(w->graph, scores);
    }
    const dps_onnx_tensor texts = dps_onnx_texts(w->graph, classes->text, (size_t)classes->count);
    dps_onnx_output(w->graph, "label", DPS_ONNX_STRING, 0,
                    dps_onnx_gather(w->graph, texts, place, 0));
}

/* 1 / (1 + exp(A s + B)) */
static dps_status add_sigmoids(const writer *w, dps_onnx_tensor *p)
{
    const size_t models = (size_t)w->model->models;
    double *value;
    DPS_NEED(value, 2 * models, "sigmoids", w->err);
    for (size_t k = 0; k < models; k++) {
        value[k] = -w->model->sigmoid[k].A;
        value[models + k] = -w->model->sigmoid[k].B;
    }
    *p = two(w, "Add", two(w, "Mul", *p, dps_onnx_doubles(w->graph, value, models, 0)),
             dps_onnx_doubles(w->graph, value + models, models, 0));
    *p = dps_onnx_one(w->graph, "Sigmoid", *p);
    dps_free(value);
    return DPS_OK;
}

static dps_status add_isotonics(const writer *w, dps_onnx_tensor *p)
{
    const dps_model *model = w->model;
    const size_t models = (size_t)model->models, knots = (size_t)model->knots;
    double *curve;
    int32_t *begin = dps_alloc(models + 1, sizeof *begin);
    curve = dps_alloc(2 * knots, sizeof *curve);
    dps_status status = DPS_OK;
    if (begin == NULL || curve == NULL) {
        status = dps_out_of_memory(w->err, 2 * knots, sizeof *curve, "knots");
    }
    for (size_t k = 0; status == DPS_OK && k < models; k++) {
        const dps_isotonic *own = &model->isotonic[k];
        const size_t at = (size_t)begin[k];
        memcpy(curve + at, own->score, (size_t)own->count * sizeof *curve);
        memcpy(curve + knots + at, own->p, (size_t)own->count * sizeof *curve);
        begin[k + 1] = begin[k] + own->count;
    }
    DPS_THEN(status, bend(w, models, begin, curve, curve + knots, p));
    dps_free(begin);
    dps_free(curve);
    return status;
}

static dps_status add_probabilities(const writer *w, dps_onnx_tensor scores)
{
    const int32_t classes = w->model->classes.count;
    dps_onnx_tensor p = scores;
    DPS_TRY(w->model->probability == DPS_PROBABILITY_SIGMOID ? add_sigmoids(w, &p)
                                                             : add_isotonics(w, &p));
    if (classes == 2) {
        const dps_onnx_tensor part[] = {two(w, "Sub", number(w, 1), p), p};
        p = dps_onnx_concat(w->graph, part, 2);
    } else {
        const dps_onnx_tensor sum = dps_onnx_sum(w->graph, p, 1, true);
        p = where_above(w, sum, two(w, "Div", p, where_above(w, sum, sum, 1)), 1.0 / classes);
    }
    dps_onnx_output(w->graph, "probabilities", DPS_ONNX_DOUBLE, classes, p);
    return DPS_OK;
}

/* ---- the file ---- */

static dps_status write_graph(const writer *w)
{
    dps_onnx_tensor scores;
    const dps_onnx_tensor row = dps_onnx_input(w->graph, "row", w->rows->count);
    DPS_TRY(score(w, row, &scores));
    if (w->model->task == DPS_TASK_CLASSIFICATION) {
        add_labels(w, scores);
    }
    dps_onnx_output(w->graph, "scores", DPS_ONNX_DOUBLE, w->model->models, scores);
    return w->model->probability != DPS_PROBABILITY_NONE ? add_probabilities(w, scores) : DPS_OK;
}

double dps_score_onnx_bytes(const dps_predictor *predictor)
{
    const dps_model *model = predictor->model;
    const double weights = 8.0 * model->models * (double)model->weights_per_model;
    if (predictor->plain != NULL) {
        return weights;
    }
    const dps_map_view view = dps_map_view_of(predictor->map);
    double map = 4.0 * (double)view.layout->frequencies;
    map += 32.0 * (double)view.layout->sign_words + (double)view.layout->exact.bytes * 6;
    for (int32_t k = 0; view.hadamard != NULL && k < view.hadamard->blocks; k++) {
        map += (double)view.hadamard->columns * view.hadamard->units[k] * view.hadamard->depth[k] *
               (view.pairs ? 2 : 1);
    }
    if (view.mixing != NULL) {
        map += (double)view.mixing->columns * view.mixing->units[0];
    }
    return map + weights;
}

dps_status dps_score_onnx(const dps_predictor *predictor, const dps_row_columns *rows,
                          const char *name, dps_text *out, dps_error *err)
{
    dps_onnx_graph graph = {0};
    dps_text doc = {0};
    const writer w = {.graph = &graph,
                      .predictor = predictor,
                      .model = predictor->model,
                      .rows = rows,
                      .err = err};
    dps_model_fields_write(predictor->model, "", &doc);
    const dps_status status = write_graph(&w);
    if (status == DPS_OK) {
        dps_onnx_write(&graph, name, doc.failed ? "" : doc.data, out);
        out->failed = out->failed || doc.failed;
    }
    dps_text_release(&doc);
    dps_onnx_release(&graph);
    return status;
}
