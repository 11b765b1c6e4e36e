/* Task: rows of text and named values, read as the lines of a file are (csv_parser.c,
 * libsvm_parser.c) by a layout that the columns of the model give. */
#include <string.h>
#include "allocation.h"
#include "csv_line.h"
#include "layout_names.h"
#include "serve.h"
#include "table_head.h"

#define ROWS_AT_ONCE DPS_TILE_ROWS

void dps_serve_text_release(dps_text_rows *rows)
{
    dps_layout_release(&rows->layout);
    memset(rows, 0, sizeof *rows);
}

static void begin(dps_text_rows *rows, const dps_format *format, char delimiter)
{
    dps_serve_text_release(rows);
    rows->format = format;
    rows->delimiter = delimiter != 0 ? delimiter : format->delimiter;
    rows->read = (dps_read_options){.format = format->name, .labels = DPS_LABELS_OPTIONAL};
}

/* ---- fields of a line ---- */

typedef struct name_list {
    char **name;
    int32_t count;
    size_t capacity;
} name_list;

static void names_release(name_list *list)
{
    for (int32_t k = 0; k < list->count; k++) {
        dps_free(list->name[k]);
    }
    dps_free(list->name);
}

/* Goes through the fields of a line, which ends in '\n'; list: takes their texts, or NULL. Returns
 * their number; -1: a field that cannot be read, or no memory. */
static int32_t read_fields(const char *p, char delimiter, name_list *list)
{
    int32_t count = 0;
    p = dps_csv_past_blanks(p, delimiter);
    do {
        dps_csv_field field;
        const char *why;
        p = dps_csv_read_field(p, delimiter, &field, &why);
        if (p == NULL) {
            return -1;
        }
        count++;
        if (list != NULL) {
            char *text = dps_alloc(field.length + 1, 1);
            if (text == NULL || !DPS_GROW(list->name, list->capacity, (size_t)count)) {
                dps_free(text);
                return -1;
            }
            dps_csv_unescape(&field, text);
            list->name[list->count++] = text;
        }
        p = dps_csv_next(p, delimiter);
    } while (p != NULL);
    return count;
}

/* ---- how rows are read ---- */

static dps_status lay_out_header(dpsvm_scorer *scorer, dps_text_rows *rows, const char *header,
                                 dps_error *err)
{
    name_list list = {0};
    scorer->text.length = 0;
    dps_text_append(&scorer->text, header, strcspn(header, "\r\n"));
    dps_text_add(&scorer->text, "\n");
    if (scorer->text.failed) {
        return dps_out_of_memory(err, strlen(header), 1, "the names of columns");
    }
    const int32_t count = read_fields(scorer->text.data, rows->delimiter, &list);
    dps_status status =
        count < 0 ? dps_error_set(err, DPS_ERROR_DATA, "the line of names cannot be read: %s",
                                  DPS_QUOTE(header, strlen(header), 60))
                  : dps_layout_of_names(&rows->layout, &scorer->model->model.table, rows->delimiter,
                                        count, (const char *const *)list.name, err);
    names_release(&list);
    rows->laid_out = rows->by_header = status == DPS_OK;
    return status;
}

static dps_status set_text(dpsvm_scorer *scorer, const char *name, char delimiter,
                           const char *header, dps_error *err)
{
    const dps_table *table = &scorer->model->model.table;
    const dps_format *format = dps_format_find(name != NULL       ? name
                                               : table->count > 0 ? "csv"
                                                                  : "libsvm");
    if (format == NULL || strcmp(format->name, "npy") == 0 || strcmp(format->name, "arff") == 0) {
        return dps_error_set(err, DPS_ERROR_CONFIG, "rows of text are csv, tsv or libsvm, not %s",
                             DPS_QUOTE(name, strlen(name), 40));
    }
    if (format->columns && table->count == 0) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "the model was trained on rows without columns: write them as libsvm");
    }
    if (header != NULL && (!format->columns || !table->header)) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "a header is for models whose columns have "
                             "names");
    }
    const char delimiter_name[2] = {delimiter, '\0'};
    if (delimiter != 0 && delimiter != DPS_BLANKS && delimiter != '\t' &&
        dps_delimiter_of(delimiter_name) == 0) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "this character cannot stand between fields (docs/options.md, "
                             "data.delimiter)");
    }
    begin(&scorer->lines, format, delimiter);
    return header != NULL ? lay_out_header(scorer, &scorer->lines, header, err) : DPS_OK;
}

int dpsvm_scorer_text(dpsvm_scorer *scorer, const char *format, char delimiter, const char *header,
                      dpsvm_error *error)
{
    dps_error err;
    const dps_status status = set_text(scorer, format, delimiter, header, &err);
    if (status != DPS_OK) {
        dps_serve_text_release(&scorer->lines);
    }
    return dps_serve_told(status, &err, -1, error);
}

/* Without a header: as many fields as the first line has. */
static dps_status lay_out_line(dpsvm_scorer *scorer, const char *text, size_t length,
                               dps_error *err)
{
    dps_text_rows *rows = &scorer->lines;
    const char *end = text + length, *next;
    while (text < end && dps_csv_is_blank_line(text, rows->delimiter, &next)) {
        text = next;
    }
    const int32_t count = text < end ? read_fields(text, rows->delimiter, NULL) : 0;
    if (text >= end) {
        return DPS_OK; /* no line, no rows */
    }
    if (rows->laid_out && (count <= 0 || count == rows->layout.fields)) {
        return DPS_OK;
    }
    if (count < 0) {
        return dps_error_set(err, DPS_ERROR_DATA, "the first line cannot be read: %s",
                             DPS_QUOTE(text, (size_t)(end - text), 60));
    }
    dps_layout_release(&rows->layout);
    rows->laid_out = false;
    DPS_TRY(dps_layout_of_names(&rows->layout, &scorer->model->model.table, rows->delimiter, count,
                                NULL, err));
    rows->laid_out = true;
    return DPS_OK;
}

/* ---- scoring ---- */

/* Rows of the scorer's parsed block. */
static dps_status score_parsed(dpsvm_scorer *scorer, const dpsvm_answers *answers, int64_t *row,
                               dps_error *err)
{
    dps_row_block part = scorer->parsed;
    for (int64_t first = 0; first < scorer->parsed.rows; first += ROWS_AT_ONCE) {
        const int64_t left = scorer->parsed.rows - first;
        part.rows = left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE;
        part.start = scorer->parsed.start + first;
        DPS_TRY(dps_serve_block(scorer, &part, first, answers, row, err));
    }
    return DPS_OK;
}

/* text ends in '\n'. */
static dps_status score_lines(dpsvm_scorer *scorer, dps_text_rows *rows, const char *text,
                              size_t length, int64_t most, const dpsvm_answers *answers,
                              int64_t *row, dps_error *err)
{
    const dps_chunk chunk = {.bytes = text, .length = length};
    *row = -1;
    rows->read.layout = rows->format->columns ? &rows->layout : NULL;
    scorer->parsed.rows = 0;
    if (rows->format->columns && !rows->laid_out) {
        return DPS_OK; /* blank lines alone */
    }
    const dps_status status = rows->format->parse(&rows->read, &chunk, &scorer->parsed, err);
    if (status != DPS_OK) {
        *row = status == DPS_ERROR_DATA ? scorer->parsed.rows : -1;
        return status;
    }
    if (scorer->parsed.rows > most) {
        return dps_error_set(err, DPS_ERROR_CONFIG, "%lld rows, but room for answers of %lld",
                             (long long)scorer->parsed.rows, (long long)most);
    }
    scorer->unknown = scorer->parsed.unknown;
    return score_parsed(scorer, answers, row, err);
}

static dps_status score_text(dpsvm_scorer *scorer, const char *text, size_t length, int64_t most,
                             const dpsvm_answers *answers, int64_t *row, dps_error *err)
{
    scorer->unknown = 0;
    *row = -1;
    DPS_TRY(dps_serve_check(scorer, answers, err));
    if (scorer->lines.format == NULL) {
        DPS_TRY(set_text(scorer, NULL, 0, NULL, err));
    }
    if (length == 0 || text[length - 1] != '\n') {
        scorer->text.length = 0;
        dps_text_append(&scorer->text, text, length);
        dps_text_append(&scorer->text, "\n", 1);
        if (scorer->text.failed) {
            return dps_out_of_memory(err, length, 1, "a line");
        }
        text = scorer->text.data;
        length++;
    }
    if (scorer->lines.format->columns && !scorer->lines.by_header) {
        DPS_TRY(lay_out_line(scorer, text, length, err));
    }
    return score_lines(scorer, &scorer->lines, text, length, most, answers, row, err);
}

int dpsvm_score_text(dpsvm_scorer *scorer, const char *text, size_t length, int64_t most,
                     const dpsvm_answers *answers, int64_t *rows, dpsvm_error *error)
{
    dps_error err;
    int64_t row;
    const dps_status status = score_text(scorer, text, length, most, answers, &row, &err);
    if (rows != NULL) {
        *rows = status == DPS_OK ? scorer->parsed.rows : 0;
    }
    return dps_serve_told(status, &err, row, error);
}

/* ---- values ---- */

static dps_status set_names(dpsvm_scorer *scorer, int32_t count, const char *const *names,
                            dps_error *err)
{
    const dps_table *table = &scorer->model->model.table;
    dps_text_rows *rows = &scorer->values;
    if (table->count == 0 || (names != NULL && !table->header)) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "the model was trained on rows whose columns have no names");
    }
    begin(rows, dps_format_find("csv"), ',');
    DPS_TRY(names != NULL
                ? dps_layout_of_names(&rows->layout, table, rows->delimiter, count, names, err)
                : dps_layout_of_features(&rows->layout, table, rows->delimiter, err));
    rows->laid_out = true;
    return DPS_OK;
}

int dpsvm_scorer_names(dpsvm_scorer *scorer, int32_t count, const char *const *names,
                       dpsvm_error *error)
{
    dps_error err;
    const dps_status status = set_names(scorer, count, names, &err);
    if (status != DPS_OK) {
        dps_serve_text_release(&scorer->values);
    }
    return dps_serve_told(status, &err, -1, error);
}

static dps_status score_values(dpsvm_scorer *scorer, int32_t count, const char *const *values,
                               const dpsvm_answers *answers, int64_t *row, dps_error *err)
{
    scorer->unknown = 0;
    *row = -1;
    DPS_TRY(dps_serve_check(scorer, answers, err));
    if (!scorer->values.laid_out) {
        DPS_TRY(set_names(scorer, count, NULL, err));
    }
    if (count != scorer->values.layout.fields) {
        return dps_error_set(err, DPS_ERROR_CONFIG, "%ld values, expected %ld", (long)count,
                             (long)scorer->values.layout.fields);
    }
    dps_text *line = &scorer->text;
    line->length = 0;
    for (int32_t k = 0; k < count; k++) {
        const char *value = values[k] != NULL ? values[k] : "";
        dps_text_append(line, ",", k > 0);
        if (*value == '\0') {
            dps_text_append(line, "\"\"", 2); /* a line of nothing is no row */
        } else {
            dps_text_csv(line, value, strlen(value));
        }
    }
    dps_text_append(line, "\n", 1);
    if (line->failed) {
        return dps_out_of_memory(err, line->length, 1, "a line");
    }
    return score_lines(scorer, &scorer->values, line->data, line->length, 1, answers, row, err);
}

int dpsvm_score_values(dpsvm_scorer *scorer, int32_t count, const char *const *values,
                       const dpsvm_answers *answers, dpsvm_error *error)
{
    dps_error err;
    int64_t row;
    const dps_status status = score_values(scorer, count, values, answers, &row, &err);
    return dps_serve_told(status, &err, row, error);
}
