/* A small model with a value of every kind, and files as bytes. */
#ifndef DPS_MODEL_SAMPLE_H
#define DPS_MODEL_SAMPLE_H

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "allocation.h"
#include "checksum.h"
#include "model_fields.h"

static inline char *sample_label(const char *text)
{
    char *label = dps_alloc(strlen(text) + 1, 1);
    assert_non_null(label);
    strcpy(label, text);
    return label;
}

/* The columns of a training file: a label, a number with gaps, a one-hot and an ignored column. */
static inline void sample_table(dps_table *table)
{
    static const char *const names[] = {"y", "x 1", "colour, \\", ""};
    static const dps_column_role roles[] = {DPS_COLUMN_LABEL, DPS_COLUMN_NUMBER, DPS_COLUMN_ONEHOT,
                                            DPS_COLUMN_IGNORED};
    *table = (dps_table){.count = 4,
                         .column = dps_alloc(4, sizeof *table->column),
                         .header = true,
                         .missing_allowed = true};
    for (int32_t c = 0; c < 4; c++) {
        table->column[c].name = sample_label(names[c]);
        table->column[c].role = roles[c];
        table->column[c].fill = 0.1;
    }
    dps_class_table *value = &table->column[2].value;
    *value = (dps_class_table){.count = 2,
                               .text = dps_alloc(2, sizeof *value->text),
                               .number = dps_alloc(2, sizeof *value->number),
                               .rows = dps_alloc(2, sizeof *value->rows)};
    value->text[0] = sample_label("7");
    value->number[0] = 7;
    value->text[1] = sample_label("r\xc3\xa9"
                                  "d");
    value->number[1] = NAN;
}

/* classes: 2 or 3. Three columns, width 4, a bias; with three classes also a sparse row. */
static inline void sample_model(dps_model *model, int32_t classes)
{
    static const char *const labels[] = {"-1.5", "two words", "\xc3\xa9\\x"};
    memset(model, 0, sizeof *model);
    model->random_scheme = 1;
    model->scaler = (dps_scaler){.scaling = DPS_SCALE_STANDARD,
                                 .normalize = DPS_NORMALIZE_MAX_NORM,
                                 .dense = true,
                                 .columns = 3,
                                 .row_factor = 1.0 / 3,
                                 .radius1 = 1.25,
                                 .radius2 = 1};
    model->scaler.index = dps_alloc(3, sizeof(int32_t));
    model->scaler.shift = dps_alloc(3, sizeof(double));
    model->scaler.factor = dps_alloc(3, sizeof(double));
    for (int32_t j = 0; j < 3; j++) {
        model->scaler.index[j] = j == 2 ? 2000000000 : 5 * j;
        model->scaler.shift[j] = 0.1 * j;
        model->scaler.factor[j] = 1.0 / (j + 3);
    }
    model->recipe = (dps_map_recipe){.type = DPS_MAP_MACLAURIN,
                                     .features = 3,
                                     .seed = 4503599627370497u,
                                     .measure = DPS_MEASURE_COEFFICIENT,
                                     .p = 2.5,
                                     .mean_norm2 = 0.7,
                                     .allocation = DPS_ALLOCATION_IID,
                                     .exact_degree = DPS_EXACT_NONE,
                                     .collapse = true,
                                     .scale = DPS_MAP_SCALE_NONE,
                                     .factor = 0.3,
                                     .input_scale = 0.5,
                                     .base = DPS_BASE_RBF,
                                     .base_gamma = NAN,
                                     .sparse_linear = classes == 3};
    model->recipe.kernel = (dps_kernel_params){.kernel = dps_kernel_find("maclaurin"),
                                               .degree = 10,
                                               .offset = 1,
                                               .gamma = 1.5,
                                               .sigma = NAN,
                                               .domain_scale = 1,
                                               .coefficient_count = 3,
                                               .coefficient = {0.1, 0, 1e-300}};
    model->classes.count = classes;
    model->classes.text = dps_alloc((size_t)classes, sizeof(char *));
    model->classes.number = dps_alloc((size_t)classes, sizeof(double));
    model->classes.rows = dps_alloc((size_t)classes, sizeof(int64_t));
    for (int32_t k = 0; k < classes; k++) {
        model->classes.text[k] = sample_label(labels[k]);
        model->classes.number[k] = k == 0 ? -1.5 : NAN;
    }
    if (classes == 3) {
        sample_table(&model->table);
    }
    model->width = 4;
    model->sparse_columns = classes == 3 ? 3 : 0;
    model->bias = 1;
    dps_model_shape(model);
    size_t weights = (size_t)model->models * model->weights_per_model;
    model->weight = dps_alloc(weights, sizeof(double));
    for (size_t i = 0; i < weights; i++) {
        model->weight[i] = i == 1   ? -0.0
                           : i == 2 ? 4.9406564584124654e-324
                                    : 1.0 / ((double)i - 7.5);
    }
    strcpy(model->solver, "newton");
    strcpy(model->loss, "squared_hinge");
    model->outcome = DPS_CONVERGED;
    model->C = 0.1;
    model->objective = 12.125;
    model->gap = 1e-4;
    model->tolerance = 1e-3;
    model->iterations = 7;
    model->rows = 9007199254740991;
}

/* Whole file, terminated; free with free. */
static inline char *sample_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

static inline void sample_put(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Changes bytes of a file in place: quicker than writing it again. */
static inline void sample_poke(const char *path, size_t at, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* The file again with `from` replaced by `to` in the header, size line and checksum made right. */
static inline char *sample_altered(const char *bytes, size_t size, const char *from, const char *to,
                                   size_t *new_size)
{
    const char *second = strchr(bytes, '\n') + 1;
    const char *third = strchr(second, '\n') + 1;
    const char *place = strstr(third, from);
    assert_non_null(place);
    size_t body = size - (size_t)(third - bytes) - DPS_MODEL_SEAL + strlen(to) - strlen(from);
    char start[64];
    size_t start_length = 0, before;
    do {
        before = start_length;
        start_length =
            (size_t)snprintf(start, sizeof start, "%.*sbytes = %zu\n", (int)(second - bytes), bytes,
                             before + body + DPS_MODEL_SEAL);
    } while (start_length != before);
    *new_size = start_length + body + DPS_MODEL_SEAL;
    char *out = malloc(*new_size + 1), *at = out;
    assert_non_null(out);
    memcpy(at, start, start_length);
    at += start_length;
    memcpy(at, third, (size_t)(place - third));
    at += place - third;
    memcpy(at, to, strlen(to));
    at += strlen(to);
    const char *rest = place + strlen(from);
    memcpy(at, rest, (size_t)(bytes + size - DPS_MODEL_SEAL - rest));
    at += bytes + size - DPS_MODEL_SEAL - rest;
    uint64_t sum = dps_checksum_of(out, (size_t)(at - out));
    for (int k = 0; k < 8; k++) {
        *at++ = (char)(unsigned char)(sum >> (8 * k));
    }
    assert_int_equal(at - out, *new_size);
    *at = '\0';
    return out;
}

/* The bytes as a file at `path`, loaded. */
static inline dps_status sample_load(const char *path, const char *bytes, size_t size,
                                     dps_model *model, dps_error *err)
{
    memset(err, 0, sizeof *err);
    sample_put(path, bytes, size);
    return dps_model_load(model, path, err);
}

/* Refused as bad data naming the file, with `says` in the text. */
static inline void sample_refused(const char *path, const char *bytes, size_t size,
                                  const char *says)
{
    dps_model model;
    dps_error err;
    assert_int_equal(sample_load(path, bytes, size, &model, &err), DPS_ERROR_DATA);
    assert_string_equal(err.file, path);
    if (strstr(err.text, says) == NULL) {
        fail_msg("expected \"%s\" in \"%s\"", says, err.text);
    }
    assert_null(model.weight);
}

#endif
