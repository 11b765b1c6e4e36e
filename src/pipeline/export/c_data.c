/* Task: all of a model but its map as arrays of C: what scorer.c.in computes with. Cost: a look at
 * every number. */
#include <math.h>
#include <stdio.h>
#include "c_array.h"
#include "c_writer_private.h"
#include "score_c.h"

/* ---- rows ---- */

static void add_texts(const dps_c_writer *w, dps_text *out)
{
    const dps_row_columns *rows = w->rows;
    dps_text_format(out,
                    "\n/* Columns of texts: how many codes they have (0: numbers), and the "
                    "texts by code; a code\n * more than texts is that of all others. */\n"
                    "static const int missing_allowed = %d;\n",
                    w->model->table.missing_allowed ? 1 : 0);
    dps_c_ints(out, "codes", rows->codes, (size_t)rows->count);
    int32_t at = 0;
    dps_c_array begin = dps_c_array_begin(out, "int", "code_begin");
    for (int32_t c = 0; c < rows->count; c++) {
        dps_c_array_int(&begin, at);
        at += rows->codes[c] > 0 ? rows->column[c]->value.count : 0;
    }
    dps_c_array_int(&begin, at);
    dps_c_array_end(&begin);
    dps_c_array text = dps_c_array_begin(out, "char *const", "code_text");
    for (int32_t c = 0; c < rows->count; c++) {
        for (int32_t k = 0; rows->codes[c] > 0 && k < rows->column[c]->value.count; k++) {
            dps_c_array_string(&text, rows->column[c]->value.text[k]);
        }
    }
    dps_c_array_end(&text);
    dps_text_add(out, "\n/* Of each feature: the code that it is 1 for; -2: it is the code + 1; "
                      "-1: the number. */\n");
    dps_c_ints(out, "code_of", rows->code_of, (size_t)w->features);
}

void dps_c_add_missing_words(const dps_c_writer *w, dps_text *out)
{
    dps_text word = {0};
    const char *at = w->model->table.missing_words;
    dps_c_array array = dps_c_array_begin(out, "char *const", "missing_word");
    for (dps_list_item item; at != NULL && dps_list_next(&at, &item);) {
        word.length = 0;
        dps_text_append(&word, item.text, item.length);
        if (!word.failed) {
            dps_c_array_string(&array, word.data);
        }
    }
    dps_c_array_end(&array);
    out->failed = out->failed || word.failed;
    dps_text_release(&word);
}

static void add_rows(const dps_c_writer *w, dps_text *out)
{
    const dps_row_columns *rows = w->rows;
    dps_text_add(out, "\n/* ---- rows: the column of each feature ---- */\n\n");
    dps_c_ints(out, "column_of", rows->column_of, (size_t)w->features);
    if (rows->fills) {
        dps_text_add(out, "/* what stands for a missing value */\n");
        dps_c_array fill = dps_c_array_begin(out, "double", "fill");
        for (int32_t c = 0; c < rows->count; c++) {
            dps_c_array_double(&fill, rows->codes[c] == 0 ? rows->column[c]->fill : (double)NAN);
        }
        dps_c_array_end(&fill);
    }
    if (rows->texts) {
        add_texts(w, out);
    }
}

static void add_names(const dps_c_writer *w, dps_text *out)
{
    char name[DPS_EXPORT_NAME + 16];
    if (w->model->task == DPS_TASK_CLASSIFICATION) {
        snprintf(name, sizeof name, "%s_labels", w->name);
        dps_c_array array = dps_c_array_begin_shared(out, "char *const", name);
        for (int32_t k = 0; k < w->model->classes.count; k++) {
            dps_c_array_string(&array, w->model->classes.text[k]);
        }
        dps_c_array_end(&array);
    }
    if (w->rows->column != NULL && w->model->table.header) {
        snprintf(name, sizeof name, "%s_columns", w->name);
        dps_c_array array = dps_c_array_begin_shared(out, "char *const", name);
        for (int32_t c = 0; c < w->rows->count; c++) {
            dps_c_array_string(&array, w->rows->column[c]->name);
        }
        dps_c_array_end(&array);
    }
}

static void add_scaler(const dps_c_writer *w, dps_text *out)
{
    const dps_scaler *scaler = &w->model->scaler;
    const size_t d = (size_t)w->features;
    dps_text_add(out, "\n/* ---- scaling ---- */\n\n");
    if (dps_scaling_is_affine(scaler->scaling)) {
        dps_c_doubles(out, "shift", scaler->shift, d);
    }
    if (scaler->scaling == DPS_SCALE_LOG) {
        dps_c_doubles(out, "unit", scaler->unit, d);
    }
    if (scaler->scaling == DPS_SCALE_RANK) {
        dps_c_ints(out, "knot_begin", scaler->begin, d + 1);
        dps_c_doubles(out, "knot", scaler->knot, (size_t)scaler->knots);
        dps_c_doubles(out, "level", scaler->level, (size_t)scaler->knots);
    } else {
        dps_c_doubles(out, "factor", scaler->factor, d);
    }
    if (scaler->normalize != DPS_NORMALIZE_UNIT) {
        dps_text_format(out, "static const double row_factor = %a;\n", scaler->row_factor);
    }
}

/* ---- weights and probabilities ---- */

static void add_weights(const dps_c_writer *w, dps_text *out)
{
    const dps_model *model = w->model;
    const size_t width = (size_t)model->width, sparse = (size_t)model->sparse_columns;
    const size_t d = (size_t)w->features;
    dps_text_add(out, "\n/* ---- weights ---- */\n\n");
    if (w->plain != NULL) {
        dps_text_format(out, "enum { D = %zu };\n/* feature, score; last the intercepts */\n", d);
        dps_c_doubles(out, "plain", w->plain, (d + 1) * (size_t)model->models);
        return;
    }
    dps_text_format(out, "enum { D = %zu, WIDTH = %zu, PANEL = %zu };\n", d, width, dps_c_panel(w));
    if (w->predictor->builder.bias != 0) {
        dps_text_format(out, "static const float bias = %af;\n",
                        (double)w->predictor->builder.bias);
    }
    if (dps_c_panel(w) > 0) {
        dps_c_array array = dps_c_array_begin(out, "double", "weight");
        for (int32_t k = 0; k < model->models; k++) {
            const double *own = model->weight + (size_t)k * model->weights_per_model;
            for (size_t j = 0; j < dps_c_panel(w); j++) {
                dps_c_array_double(&array, own[j < width ? j : width + sparse]);
            }
        }
        dps_c_array_end(&array);
    }
    if (sparse > 0) {
        dps_text_format(out, "static const double sparse_scale = %a;\n",
                        w->predictor->builder.sparse_scale);
        dps_c_array array = dps_c_array_begin(out, "double", "sparse_weight");
        for (int32_t k = 0; k < model->models; k++) {
            const double *own = model->weight + (size_t)k * model->weights_per_model + width;
            for (size_t j = 0; j < sparse; j++) {
                dps_c_array_double(&array, own[j]);
            }
        }
        dps_c_array_end(&array);
    }
}

static void add_probabilities(const dps_c_writer *w, dps_text *out)
{
    const dps_model *model = w->model;
    if (model->probability == DPS_PROBABILITY_SIGMOID) {
        dps_text_add(out, "static const double sigmoid[][2] = {\n");
        for (int32_t k = 0; k < model->models; k++) {
            dps_text_format(out, "    {%a, %a},\n", model->sigmoid[k].A, model->sigmoid[k].B);
        }
        dps_text_add(out, "};\n");
    }
    if (model->probability != DPS_PROBABILITY_ISOTONIC) {
        return;
    }
    int64_t at = 0;
    dps_c_array begin = dps_c_array_begin(out, "int", "curve_begin");
    for (int32_t k = 0; k < model->models; k++) {
        dps_c_array_int(&begin, at);
        at += model->isotonic[k].count;
    }
    dps_c_array_int(&begin, at);
    dps_c_array_end(&begin);
    dps_c_array score = dps_c_array_begin(out, "double", "curve_score");
    for (int32_t k = 0; k < model->models; k++) {
        for (int32_t i = 0; i < model->isotonic[k].count; i++) {
            dps_c_array_double(&score, model->isotonic[k].score[i]);
        }
    }
    dps_c_array_end(&score);
    dps_c_array p = dps_c_array_begin(out, "double", "curve_p");
    for (int32_t k = 0; k < model->models; k++) {
        for (int32_t i = 0; i < model->isotonic[k].count; i++) {
            dps_c_array_double(&p, model->isotonic[k].p[i]);
        }
    }
    dps_c_array_end(&p);
}

void dps_c_add_data(const dps_c_writer *w, dps_text *out)
{
    add_names(w, out);
    add_rows(w, out);
    if (w->plain == NULL) {
        add_scaler(w, out);
    }
    add_weights(w, out);
    add_probabilities(w, out);
}
