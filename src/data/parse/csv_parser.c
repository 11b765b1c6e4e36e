/* CSV and TSV to rows, by a layout that was found before (layout.c).
 *
 *     line = field {delimiter field}, one field for each of layout->fields
 *
 * Blank lines are no rows, nor are those that stand before a file's names or repeat them. Numbers
 * take the exact fast path; whatever it does not know (quotes, long numbers, missing values,
 * faults) goes the slow way. Text columns leave the number of their word in the chunk: while
 * training the code book is made when all rows have been read (raw_table.c), at prediction words
 * are looked up once a chunk. Loops end at line ends, as in libsvm_parser.c. Cost: about 2.5 ns a
 * byte of numbers. */
#include "csv_parser_private.h"

#include <string.h>

#include "layout_resolve.h"

/* ---- rows ---- */

/* Entries of the row from `begin` on: by feature number, ascending. False: no memory. */
static bool settle_row(dps_csv_parser *ps, int64_t begin)
{
    dps_row_block *block = ps->block;
    if (!ps->layout->ascending && dps_row_block_sort(block, begin, ps->entries) == -2) {
        dps_csv_no_memory(ps);
        return false;
    }
    if (ps->layout->training || !ps->layout->has_text) {
        return true;
    }
    int64_t kept = begin;
    for (int64_t k = begin; k < ps->entries; k++) {
        int32_t index = block->index[k];
        double value = block->value[k];
        if (dps_layout_resolve(ps->layout, block->words.code, &index, &value)) {
            block->index[kept] = index;
            block->value[kept] = value;
            kept++;
        }
    }
    ps->entries = kept;
    return true;
}

static const char *parse_row(dps_csv_parser *ps, const char *p)
{
    const dps_layout *layout = ps->layout;
    dps_row_block *block = ps->block;
    const int32_t fields = layout->fields;
    const int64_t begin = ps->entries;
    ps->label = -1;
    if (fields == 0) {
        return dps_csv_refuse(ps, -1, p, 0,
                              "too many blank lines before this row, the first one; remove them");
    }
    p = dps_csv_past_blanks(p, ps->delimiter);
    for (int32_t f = 0; f < fields; f++) {
        const dps_field *field = &layout->field[f];
        if (f > 0) {
            /* the common case apart: 2 % of the time a row takes */
            const char *next = *p == ps->delimiter && ps->delimiter != DPS_BLANKS
                                   ? p + 1
                                   : dps_csv_next(p, ps->delimiter);
            if (next == NULL) {
                return dps_csv_refuse_count(ps, f, p);
            }
            p = next;
        }
        p = field->role == DPS_COLUMN_NUMBER && !field->formed
                ? dps_csv_parse_number(ps, f, field->slot, p)
                : dps_csv_parse_other(ps, f, p);
        if (p == NULL) {
            return NULL;
        }
    }
    p = dps_csv_past_blanks(p, ps->delimiter);
    if (!dps_csv_line_end(p)) {
        return dps_csv_refuse_count(ps, fields + 1, p);
    }
    if (!settle_row(ps, begin)) {
        return NULL;
    }
    block->label[block->rows] = ps->label;
    block->rows++;
    block->start[block->rows] = ps->entries;
    return p + (*p == '\r') + 1;
}

/* The line of names, which must be the first file's. */
static const char *parse_header(dps_csv_parser *ps, const char *p)
{
    const dps_layout *layout = ps->layout;
    const int32_t begin = layout->unnamed == DPS_FIRST_UNNAMED ? 1 : 0;
    const int32_t end = layout->fields - (layout->unnamed == DPS_LAST_UNNAMED);
    p = dps_csv_past_blanks(p, ps->delimiter);
    for (int32_t f = begin; f < end; f++) {
        dps_csv_field field;
        size_t length;
        if (f > begin) {
            const char *next = dps_csv_next(p, ps->delimiter);
            if (next == NULL) {
                return dps_csv_refuse_count(ps, f, p);
            }
            p = next;
        }
        p = dps_csv_take_field(ps, f, p, &field);
        const char *text = p == NULL ? NULL : dps_csv_plain_text(ps, f, &field, &length);
        if (text == NULL) {
            return NULL;
        }
        if (!dps_layout_is_name(layout, f, text, length)) {
            return dps_csv_refuse(
                ps, f, field.text, field.length,
                "every file must start with the same line of column names as the first");
        }
    }
    p = dps_csv_past_blanks(p, ps->delimiter);
    if (!dps_csv_line_end(p)) {
        return dps_csv_refuse_count(ps, layout->fields + 1, p);
    }
    return p + (*p == '\r') + 1;
}

/* The header of an ARFF file, which must be the first file's: what is left of the chunk. */
static dps_chunk behind_arff_header(dps_csv_parser *ps, const dps_chunk *chunk)
{
    dps_arff_header own;
    dps_chunk rest = *chunk;
    ps->status = dps_arff_header_read(&own, chunk->bytes, chunk->length, ps->file, ps->err);
    const int32_t differs =
        ps->status == DPS_OK ? dps_arff_header_compare(&own, ps->layout->arff) : -1;
    if (differs >= 0) {
        ps->status = dps_error_at(
            ps->err, DPS_ERROR_DATA, ps->file,
            differs < own.count ? own.attribute[differs].line : own.lines, 0,
            "every file must declare the same attributes as the first, in the same order");
    }
    rest.bytes += own.bytes;
    rest.length -= own.bytes;
    ps->line = own.lines;
    dps_arff_header_release(&own);
    return rest;
}

/* A line of ARFF that is not blank: what is no row in it. */
static const char *parse_arff_line(dps_csv_parser *ps, const char *p)
{
    if (dps_arff_is_comment(p)) {
        return dps_csv_after_line(p, ps->end);
    }
    const char *first = p + strspn(p, " \t");
    return *first == '{' ? dps_csv_refuse(ps, -1, first, 0,
                                          "a row in braces, of sparse ARFF, is not read; write it "
                                          "out with Weka's filter SparseToNonSparse, or as LIBSVM "
                                          "with weka.core.converters.LibSVMSaver")
                         : parse_row(ps, p);
}

/* A line that is not blank. */
static const char *parse_line(dps_csv_parser *ps, const char *p)
{
    if (ps->layout->arff != NULL) {
        return parse_arff_line(ps, p);
    }
    if (ps->in_head) {
        switch (dps_layout_head_line(ps->layout, &ps->head, p)) {
        case DPS_HEAD_SKIP:
            return dps_csv_after_line(p, ps->end);
        case DPS_HEAD_NAMES:
            return parse_header(ps, p);
        case DPS_HEAD_ROW:
            ps->in_head = false;
        }
    }
    if (ps->layout->header_line != NULL && dps_layout_repeats(ps->layout, p, ps->end)) {
        ps->block->repeats++;
        return dps_csv_after_line(p, ps->end);
    }
    return parse_row(ps, p);
}

static void parse_lines(dps_csv_parser *ps, const char *p, size_t length)
{
    ps->end = p + length;
    while (p != NULL && p < ps->end) {
        const char *next;
        ps->line++;
        ps->line_begin = p;
        p = dps_csv_is_blank_line(p, ps->delimiter, &next) ? next : parse_line(ps, p);
    }
}

dps_status dps_csv_parse(const dps_read_options *options, const dps_chunk *chunk,
                         dps_row_block *block, dps_error *err)
{
    const dps_layout *layout = options->layout;
    dps_csv_parser ps = {.options = options,
                         .layout = layout,
                         .file = chunk->file,
                         .block = block,
                         .err = err,
                         .delimiter = layout->delimiter};
    const bool arff_head = chunk->first_of_file && layout->arff != NULL;
    const dps_chunk rest = arff_head ? behind_arff_header(&ps, chunk) : *chunk;
    if (ps.status != DPS_OK) {
        return ps.status;
    }
    const size_t rows = dps_count_byte('\n', rest.bytes, rest.length) + 1;
    size_t fields = dps_count_byte(ps.delimiter, rest.bytes, rest.length) + rows;
    if (ps.delimiter == DPS_BLANKS) {
        fields += dps_count_byte('\t', rest.bytes, rest.length);
    }
    ps.in_head = chunk->first_of_file && layout->fields > 0;
    dps_line_parts lines;
    if (!dps_row_block_begin(block, rows, fields) || !dps_row_block_lines(block, &rest, &lines) ||
        (layout->has_weight && !dps_row_block_grow_weights(block, rows)) ||
        (layout->has_id && !dps_row_block_grow_ids(block, rows))) {
        dps_csv_no_memory(&ps);
        return ps.status;
    }
    for (int k = 0; k < 2 && ps.status == DPS_OK; k++) {
        parse_lines(&ps, lines.part[k], lines.length[k]);
    }
    block->lines = ps.line;
    return ps.status;
}
