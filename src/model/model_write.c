/* Task: a model to a file (docs/model_format.md): a text header, an empty line, little-endian
 * binary64 arrays, and the XXH3-64 of everything before it. The second line gives the size of the
 * whole file, so that a reader can tell truncation from damage before it trusts anything else. */
#include <stdio.h>
#include <string.h>
#include "allocation.h"
#include "checksum.h"
#include "model_fields.h"
#include "number.h"
#include "output_file.h"

/* A file being written, or a text, and the sum of what went into it. */
typedef struct sealed_file {
    dps_output_file *file;
    dps_text *text;
    dps_checksum *sum;
} sealed_file;

static dps_status put_unsealed(sealed_file *out, const void *bytes, size_t length, dps_error *err)
{
    if (out->text == NULL) {
        return dps_output_write(out->file, bytes, length, err);
    }
    dps_text_append(out->text, bytes, length);
    return out->text->failed ? dps_out_of_memory(err, out->text->length + length, 1, "the model")
                             : DPS_OK;
}

static dps_status put(sealed_file *out, const void *bytes, size_t length, dps_error *err)
{
    dps_checksum_add(out->sum, bytes, length);
    return put_unsealed(out, bytes, length, err);
}

static void little_endian(uint64_t bits, unsigned char bytes[8])
{
    for (int k = 0; k < 8; k++) {
        bytes[k] = (unsigned char)(bits >> (8 * k));
    }
}

static dps_status put_reals(sealed_file *out, const double *value, size_t count, dps_error *err)
{
    enum { BLOCK = 512 };
    unsigned char bytes[8 * BLOCK];
    for (size_t begin = 0; begin < count; begin += BLOCK) {
        size_t n = count - begin < BLOCK ? count - begin : BLOCK;
        for (size_t i = 0; i < n; i++) {
            uint64_t bits;
            memcpy(&bits, &value[begin + i], sizeof bits);
            little_endian(bits, bytes + 8 * i);
        }
        DPS_TRY(put(out, bytes, 8 * n, err));
    }
    return DPS_OK;
}

static dps_status put_floats(sealed_file *out, const float *value, size_t count, dps_error *err)
{
    for (size_t i = 0; i < count; i++) {
        unsigned char bytes[8];
        uint32_t bits;
        memcpy(&bits, &value[i], sizeof bits);
        little_endian(bits, bytes);
        DPS_TRY(put(out, bytes, 4, err));
    }
    return DPS_OK;
}

static dps_status put_indices(sealed_file *out, const int32_t *index, int32_t count, dps_error *err)
{
    for (int32_t j = 0; j < count; j++) {
        double value = index[j];
        DPS_TRY(put_reals(out, &value, 1, err));
    }
    return DPS_OK;
}

static void write_column(const dps_table *table, int32_t c, dps_text *out)
{
    const dps_column *column = &table->column[c];
    dps_text_format(out, "column.%ld = %s", (long)c,
                    dps_name_of(dps_column_role_names, column->role));
    if (table->header) {
        dps_text_add(out, " ");
        dps_model_escape(column->name, out);
    }
    dps_text_add(out, "\n");
    if (column->role == DPS_COLUMN_NUMBER && table->missing_allowed) {
        dps_text_format(out, "column.%ld.fill = ", (long)c);
        dps_text_number(out, column->fill);
        dps_text_add(out, "\n");
    }
    if (column->role == DPS_COLUMN_ONEHOT || column->role == DPS_COLUMN_ORDINAL) {
        dps_text_format(out, "column.%ld.values = %ld\n", (long)c, (long)column->value.count);
        if (column->rest) {
            dps_text_format(out, "column.%ld.rest = on\n", (long)c);
        }
    }
    if (!dps_number_form_is_plain(&column->form)) {
        dps_text_format(out, "column.%ld.form = ", (long)c);
        dps_model_form_write(&column->form, out);
        dps_text_add(out, "\n");
    }
    for (int32_t k = 0; k < column->value.count; k++) {
        dps_text_format(out, "column.%ld.value.%ld = ", (long)c, (long)k);
        dps_model_escape(column->value.text[k], out);
        dps_text_add(out, "\n");
    }
}

/* The lines after the second one, the empty line included. */
static void write_header(const dps_model *model, dps_text *out)
{
    dps_model_fields_write(model, "", out);
    for (int32_t k = 0; k < model->classes.count; k++) {
        dps_text_format(out, "class.%ld = ", (long)k);
        dps_model_escape(model->classes.text[k], out);
        dps_text_add(out, "\n");
    }
    if (dps_model_version_of(model) >= 3) {
        dps_text_add(out, "table.missing_words = ");
        dps_model_escape(model->table.missing_words == NULL ? "" : model->table.missing_words, out);
        dps_text_add(out, "\n");
    }
    for (int32_t c = 0; c < model->table.count; c++) {
        write_column(&model->table, c, out);
    }
    dps_text_add(out, "\n");
}

/* The first two lines; the size counts its own digits. */
static int write_start(char *buffer, size_t size, int version, size_t rest)
{
    size_t total = rest;
    int length = 0, before = -1;
    while (length != before) {
        before = length;
        total = rest + (size_t)length;
        length = snprintf(buffer, size, "%s%d\nbytes = %zu\n", DPS_MODEL_MAGIC, version, total);
    }
    return length;
}

static dps_status put_model(sealed_file *out, const dps_model *model, const dps_text *header,
                            dps_error *err)
{
    const dps_scaler *scaler = &model->scaler;
    size_t columns = (size_t)scaler->columns;
    size_t weights = (size_t)model->models * model->weights_per_model;
    size_t sigmoids = model->probability == DPS_PROBABILITY_SIGMOID ? (size_t)model->models : 0;
    const bool isotonic = model->probability == DPS_PROBABILITY_ISOTONIC;
    const size_t curves = isotonic ? (size_t)model->models : 0;
    const size_t knots = isotonic ? (size_t)model->knots : 0;
    const size_t moved = (size_t)model->recipe.moved_count;
    const size_t units = scaler->unit != NULL ? columns : 0, levels = (size_t)scaler->knots;
    const size_t ranked = scaler->begin != NULL ? columns : 0;
    const size_t bends = units + ranked + 2 * levels;
    const size_t tested = (size_t)model->self_test_rows * (size_t)model->models;
    size_t arrays =
        8 * (3 * columns + bends + weights + 2 * sigmoids + curves + 2 * knots + tested) +
        4 * moved;
    char start[96];
    unsigned char seal[DPS_MODEL_SEAL];

    int length = write_start(start, sizeof start, dps_model_version_of(model),
                             header->length + arrays + DPS_MODEL_SEAL);
    DPS_TRY(put(out, start, (size_t)length, err));
    DPS_TRY(put(out, header->data, header->length, err));
    DPS_TRY(put_indices(out, scaler->index, scaler->columns, err));
    DPS_TRY(put_reals(out, scaler->shift, columns, err));
    DPS_TRY(put_reals(out, scaler->factor, columns, err));
    DPS_TRY(put_reals(out, scaler->unit, units, err));
    for (size_t j = 0; j < ranked; j++) {
        const double count = scaler->begin[j + 1] - scaler->begin[j];
        DPS_TRY(put_reals(out, &count, 1, err));
    }
    DPS_TRY(put_reals(out, scaler->knot, levels, err));
    DPS_TRY(put_reals(out, scaler->level, levels, err));
    DPS_TRY(put_reals(out, model->weight, weights, err));
    for (size_t k = 0; k < sigmoids; k++) {
        const double pair[] = {model->sigmoid[k].A, model->sigmoid[k].B};
        DPS_TRY(put_reals(out, pair, 2, err));
    }
    for (size_t k = 0; k < curves; k++) {
        const double count = model->isotonic[k].count;
        DPS_TRY(put_reals(out, &count, 1, err));
    }
    DPS_TRY(put_reals(out, model->knot, 2 * knots, err));
    DPS_TRY(put_reals(out, model->self_test, tested, err));
    DPS_TRY(put_floats(out, model->recipe.moved, moved, err));
    little_endian(dps_checksum_value(out->sum), seal);
    return put_unsealed(out, seal, sizeof seal, err);
}

static dps_status write_model(sealed_file *out, const dps_model *model, dps_error *err)
{
    dps_text header = {0};
    write_header(model, &header);
    out->sum = dps_checksum_new();
    const dps_status status =
        header.failed || out->sum == NULL
            ? dps_out_of_memory(err, header.length + 1, 1, "the model's header")
            : put_model(out, model, &header, err);
    dps_checksum_free(out->sum);
    dps_text_release(&header);
    return status;
}

dps_status dps_model_save(const dps_model *model, const char *path, dps_error *err)
{
    sealed_file out = {0};
    DPS_TRY(dps_output_open(&out.file, path, err));
    const dps_status status = write_model(&out, model, err);
    if (status == DPS_OK) {
        return dps_output_commit(out.file, err);
    }
    dps_output_abandon(out.file);
    return status;
}

dps_status dps_model_write_bytes(const dps_model *model, dps_text *text, dps_error *err)
{
    sealed_file out = {.text = text};
    return write_model(&out, model, err);
}
