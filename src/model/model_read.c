/* Task: a model from a file, trusting nothing: first the format's name and version, then the size
 * of the file against the size it says it has, then the checksum, then every line of the header
 * against the table of fields in its order, then the sizes of the arrays against what is left, then
 * the numbers. Nothing is allocated from a number in the file before that number has been held
 * against the file's true size.
 * Cost: the file is read once into memory. Longer than other files, because its parts follow the
 * file's order and share the place that it has been read to. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "allocation.h"
#include "checksum.h"
#include "model_fields.h"
#include "number.h"

/* The file's bytes and how far they have been read. */
typedef struct model_bytes {
    const char *path;
    char *data;
    size_t size;
    size_t at;
    int64_t line; /* of the header, from 1 */
    int64_t version;
} model_bytes;

#define BAD(in, ...) dps_error_at(err, DPS_ERROR_DATA, (in)->path, (in)->line, 0, __VA_ARGS__)

/* The whole file, having looked at its first bytes. */
static dps_status read_bytes(model_bytes *in, FILE *file, dps_error *err)
{
    const size_t magic = strlen(DPS_MODEL_MAGIC);
    char first[sizeof DPS_MODEL_MAGIC];
    struct stat info;
    if (file == NULL || fstat(fileno(file), &info) != 0) {
        return dps_error_at(err, DPS_ERROR_IO, in->path, 0, 0, "cannot read the model: %s",
                            strerror(errno));
    }
    if (!S_ISREG(info.st_mode)) {
        return dps_error_at(err, DPS_ERROR_IO, in->path, 0, 0,
                            "cannot read the model: not a regular file");
    }
    in->size = (size_t)info.st_size;
    if (fread(first, 1, magic, file) != magic || memcmp(first, DPS_MODEL_MAGIC, magic) != 0) {
        return BAD(in,
                   "not a dpsvm model (a model starts with \"%s\", and is named before the data)",
                   DPS_MODEL_MAGIC "1");
    }
    DPS_NEED(in->data, in->size, "the model", err);
    memcpy(in->data, first, magic);
    if (fread(in->data + magic, 1, in->size - magic, file) != in->size - magic) {
        return dps_error_at(err, DPS_ERROR_IO, in->path, 0, 0,
                            "cannot read the model: it became shorter, or %s", strerror(errno));
    }
    return DPS_OK;
}

static dps_status read_file(model_bytes *in, dps_error *err)
{
    FILE *file = fopen(in->path, "rb");
    const dps_status status = read_bytes(in, file, err);
    if (file != NULL) {
        fclose(file);
    }
    return status;
}

/* Next line: its start and length without the newline; false at the end of the file. */
static bool next_line(model_bytes *in, const char **text, size_t *length)
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
static bool take(model_bytes *in, const char *key, const char **value, size_t *length)
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

/* Eight bytes, the lowest first. */
static uint64_t bits_at(const char *bytes)
{
    uint64_t bits = 0;
    for (int k = 0; k < 8; k++) {
        bits |= (uint64_t)(unsigned char)bytes[k] << (8 * k);
    }
    return bits;
}

/* Name, version, size and checksum. Leaves `in` after the second line, its seal cut off. */
static dps_status check_frame(model_bytes *in, dps_error *err)
{
    const size_t magic = strlen(DPS_MODEL_MAGIC);
    const char *text = NULL;
    size_t length = 0;
    int64_t version, bytes;

    if (!next_line(in, &text, &length)) {
        return BAD(in, "incomplete: the file ends after %zu bytes, in its first line", in->size);
    }
    if (!dps_text_to_int64(text + magic, length - magic, &version) || version < 1) {
        return BAD(in, "the format's version is not a number: the file is damaged");
    }
    if (version > DPS_MODEL_VERSION) {
        return BAD(in,
                   "format version %lld, but this dpsvm reads version 1 to %d: use a newer dpsvm",
                   (long long)version, DPS_MODEL_VERSION);
    }
    in->version = version;
    if (!take(in, "bytes", &text, &length)) {
        return BAD(in, "incomplete or damaged: the second line is not \"bytes = N\"");
    }
    if (!dps_text_to_int64(text, length, &bytes) || bytes < 1) {
        return BAD(in, "damaged: the number of bytes in the second line is not a number");
    }
    if ((uint64_t)bytes > in->size) {
        return BAD(in, "incomplete: %zu bytes, expected %lld: copy or train it again", in->size,
                   (long long)bytes);
    }
    if ((uint64_t)bytes < in->size || in->size < in->at + DPS_MODEL_SEAL) {
        return BAD(in, "damaged: %zu bytes, expected %lld", in->size, (long long)bytes);
    }
    in->size -= DPS_MODEL_SEAL;
    if (bits_at(in->data + in->size) != dps_checksum_of(in->data, in->size)) {
        return BAD(in, "checksum mismatch: the file is damaged: copy or train it again");
    }
    return DPS_OK;
}

/* Why the next line is not the one for `key`. */
static dps_status wrong_line(model_bytes *in, const char *key, dps_error *err)
{
    const char *text = "";
    char found[200];
    size_t length = 0;
    if (!next_line(in, &text, &length)) {
        return BAD(in, "the header ends before %s", key);
    }
    const char *blank = memchr(text, ' ', length);
    const size_t name = blank != NULL ? (size_t)(blank - text) : length;
    dps_quote_token(found, sizeof found, text, name, 40);
    for (size_t f = 0; f < dps_model_field_count; f++) {
        if (strlen(dps_model_fields[f].key) == name &&
            memcmp(dps_model_fields[f].key, text, name) == 0) {
            return BAD(in, "expected %s, found %s: missing, twice, or out of order", key, found);
        }
    }
    return BAD(in, "expected %s, found unknown key %s", key, found);
}

/* The line "key = value", which must be the next. */
static dps_status need(model_bytes *in, const char *key, const char **value, size_t *length,
                       dps_error *err)
{
    return take(in, key, value, length) ? DPS_OK : wrong_line(in, key, err);
}

/* classes->count labels, in order, as the lines PREFIX0, PREFIX1, ... */
static dps_status read_labels(model_bytes *in, const char *prefix, dps_class_table *classes,
                              dps_error *err)
{
    const size_t count = (size_t)classes->count;
    /* A line "class.0 = x" has at least 11 bytes. */
    if (count > in->size / 11) {
        return BAD(in, "%zu lines %s0 ... do not fit in %zu bytes", count, prefix, in->size);
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
        classes->text[k] = length == 0 ? NULL : dps_model_unescape(value, length);
        if (classes->text[k] == NULL) {
            return BAD(in, "the label of %s is empty or not properly escaped", key);
        }
        classes->number[k] = dps_label_number(classes->text[k], strlen(classes->text[k]));
    }
    for (size_t k = 0; k < count; k++) {
        if (dps_class_find(classes, classes->text[k], strlen(classes->text[k])) != (int32_t)k) {
            return BAD(in, "%s0 ... are not in order (%s%zu)", prefix, prefix, k);
        }
    }
    return DPS_OK;
}

/* "ROLE" or "ROLE NAME". */
static dps_status read_role(model_bytes *in, const char *key, bool named, dps_column *column,
                            dps_error *err)
{
    const char *value;
    size_t length;
    DPS_TRY(need(in, key, &value, &length, err));
    const char *blank = named ? memchr(value, ' ', length) : NULL;
    const size_t word = blank != NULL ? (size_t)(blank - value) : length;
    unsigned role;
    if (!dps_name_find(dps_column_role_names, value, word, &role) || (named && blank == NULL)) {
        return BAD(in, "%s: expected what the column is%s", key, named ? " and its name" : "");
    }
    column->role = (dps_column_role)role;
    if (named) {
        column->name = dps_model_unescape(blank + 1, length - word - 1);
        if (column->name == NULL) {
            return BAD(in, "the name of %s is not properly escaped", key);
        }
    }
    return DPS_OK;
}

static dps_status read_column(model_bytes *in, dps_table *table, int32_t c, dps_error *err)
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
            return BAD(in, "%s is not a finite number", key);
        }
    }
    snprintf(key, sizeof key, "column.%ld.form", (long)c);
    if (in->version >= 3 &&
        (column->role == DPS_COLUMN_NUMBER || column->role == DPS_COLUMN_LABEL) &&
        take(in, key, &value, &length) && !dps_model_form_read(value, length, &column->form)) {
        return BAD(in, "%s: expected three words such as: comma point none", key);
    }
    if (column->role == DPS_COLUMN_ONEHOT || column->role == DPS_COLUMN_ORDINAL) {
        snprintf(key, sizeof key, "column.%ld.values", (long)c);
        DPS_TRY(need(in, key, &value, &length, err));
        if (!dps_text_to_int64(value, length, &count) || count < 0 || count >= INT32_MAX) {
            return BAD(in, "%s is not a number of values", key);
        }
        column->value.count = (int32_t)count;
        snprintf(key, sizeof key, "column.%ld.rest", (long)c);
        if (in->version >= 3 && take(in, key, &value, &length)) {
            column->rest = true;
            if (length != 2 || memcmp(value, "on", 2) != 0) {
                return BAD(in, "%s: expected on", key);
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
static dps_status read_words(model_bytes *in, dps_table *table, dps_error *err)
{
    const char *key = "table.missing_words", *value;
    size_t length;
    if (in->version < 3) {
        return DPS_OK;
    }
    DPS_TRY(need(in, key, &value, &length, err));
    table->missing_words = length > 0 ? dps_model_unescape(value, length) : NULL;
    return length > 0 && table->missing_words == NULL ? BAD(in, "%s is not properly escaped", key)
                                                      : DPS_OK;
}

static dps_status read_table(model_bytes *in, dps_table *table, dps_error *err)
{
    const size_t count = (size_t)table->count;
    DPS_TRY(read_words(in, table, err));
    /* A line "column.0 = id" has at least 14 bytes. */
    if (count > in->size / 14) {
        return BAD(in, "%zu columns do not fit in %zu bytes", count, in->size);
    }
    DPS_NEED(table->column, count, "the table of columns", err);
    for (int32_t c = 0; c < table->count; c++) {
        DPS_TRY(read_column(in, table, c, err));
    }
    return dps_table_number(table) >= 0 ? DPS_OK : BAD(in, "the columns have too many values");
}

static dps_status read_header(model_bytes *in, dps_model *model, dps_error *err)
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
            return BAD(in, "%s: expected %s, found %s", field->key, expected, found);
        }
    }
    DPS_TRY(read_labels(in, "class.", &model->classes, err));
    DPS_TRY(read_table(in, &model->table, err));
    if (!next_line(in, &text, &length) || length != 0) {
        return BAD(in, "expected an empty line at the end of the header");
    }
    in->line = 0;
    return DPS_OK;
}

/* Values that must go together. */
static dps_status check_header(const model_bytes *in, const dps_model *model, dps_error *err)
{
    const dps_map_recipe *recipe = &model->recipe;
    const bool regression = model->task == DPS_TASK_REGRESSION;
    dps_error reason;
    if (regression ? model->classes.count > 0 : model->classes.count < 2) {
        return BAD(in, "classes: a model of %s cannot have %ld",
                   dps_name_of(dps_task_names, model->task), (long)model->classes.count);
    }
    if (regression && model->probability != DPS_PROBABILITY_NONE) {
        return BAD(in, "solver.probability: a model of regression has none");
    }
    if (dps_model_version_of(model) != in->version) {
        return BAD(in,
                   "data.scaling, map.refine, solver.probability or the table: a file of format "
                   "version %lld cannot hold it so",
                   (long long)in->version);
    }
    if (recipe->moved_count > 0 && recipe->refine == DPS_REFINE_NONE) {
        return BAD(in, "map.moved: with map.refine = none nothing has moved");
    }
    const bool ranked = model->scaler.scaling == DPS_SCALE_RANK;
    if (ranked ? !model->scaler.dense || model->scaler.knots < model->scaler.columns
               : model->scaler.knots != 0) {
        return BAD(in,
                   "data.knots: data.scaling = rank needs one a column at least, and data.dense "
                   "= on; other scalings have none");
    }
    if (dps_kernel_check(&recipe->kernel, &reason) != DPS_OK) {
        return BAD(in, "%s", reason.text);
    }
    for (int k = 0; k < DPS_KERNEL_PARAMS; k++) {
        const dps_kernel_param *param = &dps_kernel_param_table[k];
        if (!param->common && dps_kernel_uses(recipe->kernel.kernel, param) &&
            isnan(dps_kernel_get(&recipe->kernel, param))) {
            return BAD(in, "kernel.%s: the %s kernel needs a number", param->key,
                       recipe->kernel.kernel->name);
        }
    }
    if (isnan(recipe->kernel.domain_scale) && recipe->type != DPS_MAP_NONE &&
        recipe->type != DPS_MAP_FOURIER) {
        return BAD(in, "kernel.domain_scale: expected a number");
    }
    bool rbf = recipe->type == DPS_MAP_FOURIER ||
               (recipe->type == DPS_MAP_COMPOSITIONAL && recipe->base == DPS_BASE_RBF);
    if (rbf && isnan(recipe->base_gamma)) {
        return BAD(in, "map.gamma: this map needs a number");
    }
    if (recipe->measure == DPS_MEASURE_COEFFICIENT && isnan(recipe->mean_norm2)) {
        return BAD(in, "map.mean_norm2: the coefficient measure needs a number");
    }
    return DPS_OK;
}

static double next_real(model_bytes *in)
{
    const uint64_t bits = bits_at(in->data + in->at);
    double value;
    memcpy(&value, &bits, sizeof value);
    in->at += sizeof bits;
    return value;
}

static dps_status take_reals(model_bytes *in, double *value, size_t count, const char *what,
                             dps_error *err)
{
    for (size_t i = 0; i < count; i++) {
        value[i] = next_real(in);
        if (!isfinite(value[i])) {
            return BAD(in, "number %zu of the %s is not finite", i + 1, what);
        }
    }
    return DPS_OK;
}

static dps_status take_indices(model_bytes *in, dps_scaler *scaler, dps_error *err)
{
    double before = -1;
    for (int32_t j = 0; j < scaler->columns; j++) {
        double value = next_real(in);
        if (!(value > before && value < INT32_MAX && value == rint(value))) {
            return BAD(in, "column indices are not ascending whole numbers (number %ld)",
                       (long)j + 1);
        }
        scaler->index[j] = (int32_t)value;
        before = value;
    }
    return DPS_OK;
}

/* How many of `left` knots are next: at least one. */
static bool take_count(model_bytes *in, int64_t left, int32_t *count)
{
    const double value = next_real(in);
    const bool good = value >= 1 && value <= (double)left && value == rint(value);
    *count = good ? (int32_t)value : 0;
    return good;
}

/* Units of the columns (log). */
static dps_status take_units(model_bytes *in, dps_scaler *scaler, dps_error *err)
{
    DPS_NEED(scaler->unit, (size_t)scaler->columns, "the model", err);
    DPS_TRY(take_reals(in, scaler->unit, (size_t)scaler->columns, "column units", err));
    for (int32_t j = 0; j < scaler->columns; j++) {
        if (!(scaler->unit[j] > 0)) {
            return BAD(in, "the unit of column %ld is not above 0", (long)j);
        }
    }
    return DPS_OK;
}

/* How many knots every column has, the knots, and what they become (rank). */
static dps_status take_levels(model_bytes *in, dps_scaler *scaler, dps_error *err)
{
    const size_t columns = (size_t)scaler->columns, knots = (size_t)scaler->knots;
    int32_t used = 0;
    DPS_NEED(scaler->begin, columns + 1, "the model", err);
    DPS_NEED(scaler->knot, knots, "the model", err);
    DPS_NEED(scaler->level, knots, "the model", err);
    for (size_t j = 0; j < columns; j++) {
        int32_t count;
        scaler->begin[j] = used;
        if (!take_count(in, scaler->knots - used, &count)) {
            return BAD(in, "data.knots: the columns' numbers of knots do not add up to it");
        }
        used += count;
    }
    scaler->begin[columns] = used;
    if (used != scaler->knots) {
        return BAD(in, "data.knots: the columns' numbers of knots do not add up to it");
    }
    DPS_TRY(take_reals(in, scaler->knot, knots, "knots of columns", err));
    DPS_TRY(take_reals(in, scaler->level, knots, "levels of columns", err));
    for (size_t j = 0; j < columns; j++) {
        const double *knot = scaler->knot, *level = scaler->level;
        const int32_t first = scaler->begin[j], end = scaler->begin[j + 1];
        bool good = level[first] >= -1 && level[end - 1] <= 1;
        for (int32_t i = first + 1; i < end; i++) {
            good = good && knot[i] > knot[i - 1] && level[i] >= level[i - 1];
        }
        if (!good) {
            return BAD(in, "the knots of column %zu do not ascend within -1 to 1", j);
        }
    }
    return DPS_OK;
}

/* How many knots every model has, and the knots. */
static dps_status take_knots(model_bytes *in, dps_model *model, dps_error *err)
{
    const size_t models = (size_t)model->models;
    int64_t used = 0;
    for (size_t k = 0; k < models; k++) {
        int32_t count;
        if (!take_count(in, model->knots - used, &count)) {
            return BAD(in, "solver.knots: the models' numbers of knots do not add up to it");
        }
        model->isotonic[k].count = count;
        model->isotonic[k].score = model->knot + 2 * used;
        model->isotonic[k].p = model->knot + 2 * used + count;
        used += count;
    }
    if (used != model->knots) {
        return BAD(in, "solver.knots: the models' numbers of knots do not add up to it");
    }
    DPS_TRY(take_reals(in, model->knot, 2 * (size_t)model->knots, "knots", err));
    for (size_t k = 0; k < models; k++) {
        const dps_isotonic *c = &model->isotonic[k];
        bool good = c->p[0] >= 0 && c->p[c->count - 1] <= 1;
        for (int32_t i = 1; i < c->count; i++) {
            good = good && c->score[i] > c->score[i - 1] && c->p[i] >= c->p[i - 1];
        }
        if (!good) {
            return BAD(in, "the knots of model %zu do not ascend within 0 to 1", k);
        }
    }
    return DPS_OK;
}

static dps_status take_moved(model_bytes *in, dps_model *model, dps_error *err)
{
    const size_t count = (size_t)model->recipe.moved_count;
    DPS_NEED(model->moved, count, "the model", err);
    for (size_t i = 0; i < count; i++, in->at += 4) {
        uint32_t bits = 0;
        for (int k = 0; k < 4; k++) {
            bits |= (uint32_t)(unsigned char)in->data[in->at + (size_t)k] << (8 * k);
        }
        memcpy(&model->moved[i], &bits, sizeof bits);
        if (!isfinite(model->moved[i])) {
            return BAD(in, "number %zu of the map's projections is not finite", i + 1);
        }
    }
    model->recipe.moved = model->moved;
    return DPS_OK;
}

static dps_status read_arrays(model_bytes *in, dps_model *model, dps_error *err)
{
    dps_scaler *scaler = &model->scaler;
    size_t columns = (size_t)scaler->columns;
    const size_t sigmoids =
        model->probability == DPS_PROBABILITY_SIGMOID ? (size_t)model->models : 0;
    const bool isotonic = model->probability == DPS_PROBABILITY_ISOTONIC;
    const size_t curves = isotonic ? (size_t)model->models : 0;
    const size_t knots = isotonic ? (size_t)model->knots : 0;
    const size_t moved = (size_t)model->recipe.moved_count;
    const bool bent = scaler->scaling == DPS_SCALE_LOG, ranked = scaler->scaling == DPS_SCALE_RANK;
    const size_t bends = (bent || ranked ? columns : 0) + 2 * (size_t)scaler->knots;
    size_t weights, numbers, bytes, moved_bytes;

    if (!dps_size_mul((size_t)model->models, model->weights_per_model, &weights) ||
        !dps_size_add(weights, 3 * columns + bends + 2 * sigmoids + curves + 2 * knots, &numbers) ||
        !dps_size_mul(numbers, 8, &bytes) || !dps_size_mul(moved, 4, &moved_bytes) ||
        !dps_size_add(bytes, moved_bytes, &bytes) || bytes != in->size - in->at) {
        return BAD(
            in,
            "sizes do not add up: %zu columns with %ld knots, %ld x %zu weights, %zu sigmoids and "
            "%zu knots, but %zu bytes for them",
            columns, (long)scaler->knots, (long)model->models, model->weights_per_model, sigmoids,
            knots, in->size - in->at);
    }
    DPS_NEED(scaler->index, columns, "the model", err);
    DPS_NEED(scaler->shift, columns, "the model", err);
    DPS_NEED(scaler->factor, columns, "the model", err);
    DPS_NEED(model->weight, weights, "the model", err);
    if (sigmoids > 0) {
        DPS_NEED(model->sigmoid, sigmoids, "the model", err);
    }
    if (isotonic) {
        DPS_NEED(model->isotonic, curves, "the model", err);
        DPS_NEED(model->knot, 2 * knots, "the model", err);
    }
    DPS_TRY(take_indices(in, scaler, err));
    DPS_TRY(take_reals(in, scaler->shift, columns, "column shifts", err));
    for (size_t j = 0; j < columns; j++) {
        if (scaler->shift[j] != 0 && !scaler->dense) {
            return BAD(in, "data.dense: columns with a shift need on");
        }
    }
    DPS_TRY(take_reals(in, scaler->factor, columns, "column factors", err));
    DPS_TRY(bent ? take_units(in, scaler, err) : DPS_OK);
    DPS_TRY(ranked ? take_levels(in, scaler, err) : DPS_OK);
    DPS_TRY(take_reals(in, model->weight, weights, "weights", err));
    for (size_t k = 0; k < sigmoids; k++) {
        double pair[2] = {0, 0};
        DPS_TRY(take_reals(in, pair, 2, "sigmoids", err));
        model->sigmoid[k] = (dps_sigmoid){pair[0], pair[1]};
    }
    DPS_TRY(isotonic ? take_knots(in, model, err) : DPS_OK);
    return moved > 0 ? take_moved(in, model, err) : DPS_OK;
}

dps_status dps_model_load(dps_model *model, const char *path, dps_error *err)
{
    model_bytes in = {.path = path};
    memset(model, 0, sizeof *model);

    dps_status status = read_file(&in, err);
    DPS_THEN(status, check_frame(&in, err));
    DPS_THEN(status, read_header(&in, model, err));
    DPS_THEN(status, check_header(&in, model, err));
    if (status == DPS_OK) {
        dps_model_shape(model);
        status = read_arrays(&in, model, err);
    }
    if (status != DPS_OK) {
        dps_model_release(model);
    }
    dps_free(in.data);
    return status;
}
