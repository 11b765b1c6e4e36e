/* Task: a model from a file, trusting nothing: first the format's name and version, then the size
 * of the file against the size it says it has, then the checksum, then every line of the header
 * against the table of fields in its order, then the sizes of the arrays against what is left, then
 * the numbers. Nothing is allocated from a number in the file before that number has been held
 * against the file's true size. The arrays: model_arrays.c.
 * Cost: the file is read once into memory. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "allocation.h"
#include "checksum.h"
#include "file_bytes.h"
#include "model_fields.h"
#include "model_read_private.h"
#include "number.h"

static dps_status cannot_read(const dps_model_bytes *in, const char *why, dps_error *err)
{
    return dps_error_at(err, DPS_ERROR_IO, in->path, 0, 0, "cannot read the model: %s", why);
}

static dps_status no_model(const dps_model_bytes *in, dps_error *err)
{
    return DPS_BAD_MODEL(
        in, "not a dpsvm model (a model starts with \"%s\", and is named before the data)",
        DPS_MODEL_MAGIC "1");
}

/* The whole file, having looked at its first bytes. */
static dps_status read_bytes(dps_model_bytes *in, int file, dps_error *err)
{
    const size_t magic = strlen(DPS_MODEL_MAGIC);
    char first[sizeof DPS_MODEL_MAGIC];
    struct stat info;
    size_t got;
    if (file < 0 || fstat(file, &info) != 0) {
        return cannot_read(in, strerror(errno), err);
    }
    if (!S_ISREG(info.st_mode)) {
        return cannot_read(in, "not a regular file", err);
    }
    in->size = (size_t)info.st_size;
    int error = dps_read_all(file, first, magic, &got);
    if (error == 0 && (got != magic || memcmp(first, DPS_MODEL_MAGIC, magic) != 0)) {
        return no_model(in, err);
    }
    if (error == 0 && in->size < magic) {
        return cannot_read(in, "it became longer while it was read", err);
    }
    if (error == 0) {
        DPS_NEED(in->data, in->size, "the model", err);
        memcpy(in->data, first, magic);
        error = dps_read_all(file, in->data + magic, in->size - magic, &got);
    }
    if (error != 0) {
        return cannot_read(in, strerror(error), err);
    }
    return got == in->size - magic ? DPS_OK
                                   : cannot_read(in, "it became shorter while it was read", err);
}

static dps_status read_file(dps_model_bytes *in, dps_error *err)
{
    const int file = open(in->path, O_RDONLY | O_CLOEXEC);
    const dps_status status = read_bytes(in, file, err);
    if (file >= 0) {
        close(file);
    }
    return status;
}

/* Next line: its start and length without the newline; false at the end of the file. */
static bool next_line(dps_model_bytes *in, const char **text, size_t *length)
{
    const char *newline = memchr(in->data + in->at, '\n', in->size - in->at);
    if (newline == NULL) {
        return false;
    }
    *text = in->data + in->at;
    *length = (size_t)(newline - *text);
    in->at += *length + 1;
    in->line++;
    return true;
}

/* The line "key = value" for this key. */
static bool take(dps_model_bytes *in, const char *key, const char **value, size_t *length)
{
    size_t key_length = strlen(key);
    size_t at = in->at;
    const char *text;
    if (!next_line(in, &text, length)) {
        return false;
    }
    if (*length < key_length + 3 || memcmp(text, key, key_length) != 0 ||
        memcmp(text + key_length, " = ", 3) != 0) {
        in->at = at;
        in->line--;
        return false;
    }
    *value = text + key_length + 3;
    *length -= key_length + 3;
    return true;
}

/* Name, version, size and checksum. Leaves `in` after the second line, its seal cut off. */
static dps_status check_frame(dps_model_bytes *in, dps_error *err)
{
    const size_t magic = strlen(DPS_MODEL_MAGIC);
    const char *text = NULL;
    size_t length = 0;
    int64_t version, bytes;

    if (!next_line(in, &text, &length)) {
        return DPS_BAD_MODEL(in, "incomplete: the file ends after %zu bytes, in its first line",
                             in->size);
    }
    if (length > magic && text[length - 1] == '\r') {
        return DPS_BAD_MODEL(in, "lines end in CR LF: the file was copied as text, which changes "
                                 "its numbers too; copy it again as it is (binary)");
    }
    if (!dps_text_to_int64(text + magic, length - magic, &version) || version < 1) {
        return DPS_BAD_MODEL(in, "the format's version is not a number: the file is damaged");
    }
    if (version > DPS_MODEL_VERSION) {
        return DPS_BAD_MODEL(
            in, "format version %lld, but this dpsvm reads version 1 to %d: use a newer dpsvm",
            (long long)version, DPS_MODEL_VERSION);
    }
    in->version = version;
    if (!take(in, "bytes", &text, &length)) {
        return DPS_BAD_MODEL(in, "incomplete or damaged: the second line is not \"bytes = N\"");
    }
    if (!dps_text_to_int64(text, length, &bytes) || bytes < 1) {
        return DPS_BAD_MODEL(in, "damaged: the number of bytes in the second line is not a number");
    }
    if ((uint64_t)bytes > in->size) {
        return DPS_BAD_MODEL(in, "incomplete: %zu bytes, expected %lld: copy or train it again",
                             in->size, (long long)bytes);
    }
    if ((uint64_t)bytes < in->size || in->size < in->at + DPS_MODEL_SEAL) {
        return DPS_BAD_MODEL(in, "damaged: %zu bytes, expected %lld", in->size, (long long)bytes);
    }
    in->size -= DPS_MODEL_SEAL;
    if (dps_model_bits(in->data + in->size) != dps_checksum_of(in->data, in->size)) {
        return DPS_BAD_MODEL(in, "checksum mismatch: the file is damaged: copy or train it again");
    }
    return DPS_OK;
}

/* Why the next line is not the one for `key`. */
static dps_status wrong_line(dps_model_bytes *in, const char *key, dps_error *err)
{
    const char *text = "";
    char found[200];
    size_t length = 0;
    if (!next_line(in, &text, &length) || length == 0) {
        return DPS_BAD_MODEL(in, "the header ends before %s", key);
    }
    const char *blank = memchr(text, ' ', length);
    const size_t name = blank != NULL ? (size_t)(blank - text) : length;
    dps_quote_token(found, sizeof found, text, name, 40);
    for (size_t f = 0; f < dps_model_field_count; f++) {
        if (strlen(dps_model_fields[f].key) == name &&
            memcmp(dps_model_fields[f].key, text, name) == 0) {
            return DPS_BAD_MODEL(in, "expected %s, found %s: missing, twice, or out of order", key,
                                 found);
        }
    }
    return DPS_BAD_MODEL(in, "expected %s, found unknown key %s", key, found);
}

/* The line "key = value", which must be the next. */
static dps_status need(dps_model_bytes *in, const char *key, const char **value, size_t *length,
                       dps_error *err)
{
    return take(in, key, value, length) ? DPS_OK : wrong_line(in, key, err);
}

/* A text of the header, escaped; `complaint` is of one that is not. */
static dps_status take_text(dps_model_bytes *in, const char *value, size_t length, char **text,
                            const char *complaint, const char *key, dps_error *err)
{
    const dps_status status = dps_model_unescape(value, length, text);
    return status == DPS_ERROR_MEMORY ? dps_out_of_memory(err, length + 1, 1, "the model")
           : status != DPS_OK         ? DPS_BAD_MODEL(in, "%s: the %s", key, complaint)
                                      : DPS_OK;
}

/* classes->count labels, in order, as the lines PREFIX0, PREFIX1, ... */
static dps_status read_labels(dps_model_bytes *in, const char *prefix, dps_class_table *classes,
                              dps_error *err)
{
    const size_t count = (size_t)classes->count;
    /* A line "class.0 = x" has at least 11 bytes. */
    if (count > in->size / 11) {
        return DPS_BAD_MODEL(in, "%zu lines %s0 ... do not fit in %zu bytes", count, prefix,
                             in->size);
    }
    DPS_NEED(classes->text, count, "the class table", err);
    DPS_NEED(classes->number, count, "the class table", err);
    DPS_NEED(classes->rows, count, "the class table", err);
    for (size_t k = 0; k < count; k++) {
        char key[64];
        const char *value;
        size_t length;
        snprintf(key, sizeof key, "%s%zu", prefix, k);
        DPS_TRY(need(in, key, &value, &length, err));
        if (length == 0) {
            return DPS_BAD_MODEL(in, "%s: the label is empty", key);
        }
        DPS_TRY(take_text(in, value, length, &classes->text[k], "label is not properly escaped",
                          key, err));
        classes->number[k] = dps_label_number(classes->text[k], strlen(classes->text[k]));
    }
    for (size_t k = 0; k < count; k++) {
        if (dps_class_find(classes, classes->text[k], strlen(classes->text[k])) != (int32_t)k) {
            return DPS_BAD_MODEL(in, "%s0 ... are not in order (%s%zu)", prefix, prefix, k);
        }
    }
    return DPS_OK;
}

/* "ROLE" or "ROLE NAME". */
static dps_status read_role(dps_model_bytes *in, const char *key, bool named, dps_column *column,
                            dps_error *err)
{
    const char *value;
    size_t length;
    DPS_TRY(need(in, key, &value, &length, err));
    const char *blank = named ? memchr(value, ' ', length) : NULL;
    const size_t word = blank != NULL ? (size_t)(blank - value) : length;
    unsigned role;
    if (!dps_name_find(dps_column_role_names, value, word, &role) || (named && blank == NULL)) {
        return DPS_BAD_MODEL(in, "%s: expected what the column is%s", key,
                             named ? " and its name" : "");
    }
    column->role = (dps_column_role)role;
    if (named) {
        DPS_TRY(take_text(in, blank + 1, length - word - 1, &column->name,
                          "name is not properly escaped", key, err));
    }
    return DPS_OK;
}

static dps_status read_column(dps_model_bytes *in, dps_table *table, int32_t c, dps_error *err)
{
    dps_column *column = &table->column[c];
    char key[64];
    const char *value;
    size_t length;
    int64_t count;
    snprintf(key, sizeof key, "column.%ld", (long)c);
    column->fill = NAN;
    DPS_TRY(read_role(in, key, table->header, column, err));
    if (column->role == DPS_COLUMN_NUMBER && table->missing_allowed) {
        snprintf(key, sizeof key, "column.%ld.fill", (long)c);
        DPS_TRY(need(in, key, &value, &length, err));
        if (!dps_text_to_double(value, length, &column->fill) || !isfinite(column->fill)) {
            return DPS_BAD_MODEL(in, "%s is not a finite number", key);
        }
    }
    snprintf(key, sizeof key, "column.%ld.form", (long)c);
    if (in->version >= 3 &&
        (column->role == DPS_COLUMN_NUMBER || column->role == DPS_COLUMN_LABEL) &&
        take(in, key, &value, &length) && !dps_model_form_read(value, length, &column->form)) {
        return DPS_BAD_MODEL(in, "%s: expected three words such as: comma point none", key);
    }
    if (column->role == DPS_COLUMN_ONEHOT || column->role == DPS_COLUMN_ORDINAL) {
        snprintf(key, sizeof key, "column.%ld.values", (long)c);
        DPS_TRY(need(in, key, &value, &length, err));
        if (!dps_text_to_int64(value, length, &count) || count < 0 || count >= INT32_MAX) {
            return DPS_BAD_MODEL(in, "%s is not a number of values", key);
        }
        column->value.count = (int32_t)count;
        snprintf(key, sizeof key, "column.%ld.rest", (long)c);
        if (in->version >= 3 && take(in, key, &value, &length)) {
            column->rest = true;
            if (length != 2 || memcmp(value, "on", 2) != 0) {
                return DPS_BAD_MODEL(in, "%s: expected on", key);
            }
        }
        snprintf(key, sizeof key, "column.%ld.value.", (long)c);
        const dps_status status = read_labels(in, key, &column->value, err);
        if (column->value.text == NULL) {
            column->value.count = 0; /* refused before its texts */
        }
        return status;
    }
    return DPS_OK;
}

/* Words that stand for a missing value besides the usual ones. */
static dps_status read_words(dps_model_bytes *in, dps_table *table, dps_error *err)
{
    const char *key = "table.missing_words", *value;
    size_t length;
    if (in->version < 3) {
        return DPS_OK;
    }
    DPS_TRY(need(in, key, &value, &length, err));
    return length > 0 ? take_text(in, value, length, &table->missing_words,
                                  "text is not properly escaped", key, err)
                      : DPS_OK;
}

static dps_status read_table(dps_model_bytes *in, dps_table *table, dps_error *err)
{
    const size_t count = (size_t)table->count;
    DPS_TRY(read_words(in, table, err));
    /* A line "column.0 = id" has at least 14 bytes. */
    if (count > in->size / 14) {
        return DPS_BAD_MODEL(in, "%zu columns do not fit in %zu bytes", count, in->size);
    }
    DPS_NEED(table->column, count, "the table of columns", err);
    for (int32_t c = 0; c < table->count; c++) {
        DPS_TRY(read_column(in, table, c, err));
    }
    return dps_table_number(table) >= 0 ? DPS_OK
                                        : DPS_BAD_MODEL(in, "the columns have too many values");
}

static dps_status read_header(dps_model_bytes *in, dps_model *model, dps_error *err)
{
    const char *text;
    size_t length;
    for (size_t f = 0; f < dps_model_field_count; f++) {
        const dps_model_field *field = &dps_model_fields[f];
        if (field->since > in->version) {
            continue;
        }
        DPS_TRY(need(in, field->key, &text, &length, err));
        if (!dps_model_field_read(field, text, length, model)) {
            char found[400], expected[200];
            dps_quote_token(found, sizeof found, text, length, 80);
            dps_model_field_expected(field, expected, sizeof expected);
            return DPS_BAD_MODEL(in, "%s: expected %s, found %s", field->key, expected, found);
        }
    }
    DPS_TRY(read_labels(in, "class.", &model->classes, err));
    DPS_TRY(read_table(in, &model->table, err));
    if (!next_line(in, &text, &length) || length != 0) {
        return DPS_BAD_MODEL(in, "expected an empty line at the end of the header");
    }
    in->line = 0;
    return DPS_OK;
}

/* Values that must go together. */
static dps_status check_header(const dps_model_bytes *in, const dps_model *model, dps_error *err)
{
    const dps_map_recipe *recipe = &model->recipe;
    const bool regression = model->task == DPS_TASK_REGRESSION;
    dps_error reason;
    if (regression ? model->classes.count > 0 : model->classes.count < 2) {
        return DPS_BAD_MODEL(in, "classes: a model of %s cannot have %ld",
                             dps_name_of(dps_task_names, model->task), (long)model->classes.count);
    }
    if (regression && model->probability != DPS_PROBABILITY_NONE) {
        return DPS_BAD_MODEL(in, "solver.probability: a model of regression has none");
    }
    if (dps_model_version_of(model) != in->version) {
        return DPS_BAD_MODEL(
            in,
            "data.scaling, map.refine, solver.probability, self_test or the table: a file of "
            "format version %lld cannot hold it so",
            (long long)in->version);
    }
    if (recipe->moved_count > 0 && recipe->refine == DPS_REFINE_NONE) {
        return DPS_BAD_MODEL(in, "map.moved: with map.refine = none nothing has moved");
    }
    const bool ranked = model->scaler.scaling == DPS_SCALE_RANK;
    if (ranked ? !model->scaler.dense || model->scaler.knots < model->scaler.columns
               : model->scaler.knots != 0) {
        return DPS_BAD_MODEL(
            in, "data.knots: data.scaling = rank needs one a column at least, and data.dense "
                "= on; other scalings have none");
    }
    if (dps_map_check_recipe(recipe, model->scaler.columns, &reason) != DPS_OK) {
        return DPS_BAD_MODEL(in, "%s", reason.text);
    }
    for (int k = 0; k < DPS_KERNEL_PARAMS; k++) {
        const dps_kernel_param *param = &dps_kernel_param_table[k];
        if (!param->common && dps_kernel_uses(recipe->kernel.kernel, param) &&
            isnan(dps_kernel_get(&recipe->kernel, param))) {
            return DPS_BAD_MODEL(in, "kernel.%s: the %s kernel needs a number", param->key,
                                 recipe->kernel.kernel->name);
        }
    }
    if (isnan(recipe->kernel.domain_scale) && recipe->type != DPS_MAP_NONE &&
        recipe->type != DPS_MAP_FOURIER) {
        return DPS_BAD_MODEL(in, "kernel.domain_scale: expected a number");
    }
    bool rbf = recipe->type == DPS_MAP_FOURIER ||
               (recipe->type == DPS_MAP_COMPOSITIONAL && recipe->base == DPS_BASE_RBF);
    if (rbf && isnan(recipe->base_gamma)) {
        return DPS_BAD_MODEL(in, "map.gamma: this map needs a number");
    }
    if (recipe->measure == DPS_MEASURE_COEFFICIENT && isnan(recipe->mean_norm2)) {
        return DPS_BAD_MODEL(in, "map.mean_norm2: the coefficient measure needs a number");
    }
    return DPS_OK;
}

/* From the bytes of a file that begins as a model does. */
static dps_status read_model(dps_model_bytes *in, dps_model *model, dps_error *err)
{
    dps_status status = check_frame(in, err);
    DPS_THEN(status, read_header(in, model, err));
    DPS_THEN(status, check_header(in, model, err));
    if (status == DPS_OK) {
        dps_model_shape(model);
        status = dps_model_read_arrays(in, model, err);
    }
    return status;
}

dps_status dps_model_load(dps_model *model, const char *path, dps_error *err)
{
    dps_model_bytes in = {.path = path};
    memset(model, 0, sizeof *model);

    dps_status status = read_file(&in, err);
    DPS_THEN(status, read_model(&in, model, err));
    if (status != DPS_OK) {
        dps_model_release(model);
    }
    dps_free(in.data);
    return status;
}

dps_status dps_model_load_bytes(dps_model *model, const void *bytes, size_t size, const char *name,
                                dps_error *err)
{
    const size_t magic = strlen(DPS_MODEL_MAGIC);
    dps_model_bytes in = {.path = name, .size = size};
    memset(model, 0, sizeof *model);
    if (size < magic || memcmp(bytes, DPS_MODEL_MAGIC, magic) != 0) {
        return no_model(&in, err);
    }
    DPS_NEED(in.data, size, "the model", err);
    memcpy(in.data, bytes, size);
    const dps_status status = read_model(&in, model, err);
    if (status != DPS_OK) {
        dps_model_release(model);
    }
    dps_free(in.data);
    return status;
}
