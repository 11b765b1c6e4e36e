/* The first rows said which columns hold texts; all rows together say more:
 *
 *     numbers after all      nearly all values are numbers: the odd word is a fault, as it is where
 *                            the first rows are numbers (csv_parser.c)
 *     nearly all different   an id, a name, a date: left out, unless the user named the column
 *     hundreds of values     those of fewer than DPS_RARE_ROWS rows become one value, the rest
 *
 * Counts are sums over all ranks, so that all decide alike. Cost: one pass over the entries. */
#include "raw_text.h"

#include <string.h>

#include "allocation.h"
#include "column_kind.h"
#include "comm.h"
#include "missing_word.h"
#include "number_form.h"
#include "rank_sums.h"

void dps_raw_text_recode(const dps_raw_rows *raw, int32_t slot, const int32_t *to,
                         int32_t *const *code)
{
    for (int64_t b = 0; b < raw->blocks; b++) {
        const dps_raw_block *block = &raw->block[b];
        for (int32_t w = 0; w < block->word_count; w++) {
            if (block->word_slot[w] == slot) {
                code[b][w] = to[code[b][w]];
            }
        }
        dps_raw_block_rest(block);
    }
}

/* One text column. */
typedef struct text_column {
    int32_t slot, column;
    char name[256];
    int64_t *rows; /* of each value */
    bool declared; /* its header lists the values: texts, whatever they look like */
    int64_t numbers, texts, words, distinct_numbers, distinct_texts;
} text_column;

static bool is_text_role(const dps_column *column)
{
    return column->role == DPS_COLUMN_ONEHOT || column->role == DPS_COLUMN_ORDINAL;
}

static bool is_number(const dps_class_table *value, int32_t k)
{
    return dps_number_in_some_form(value->text[k], value->number[k]);
}

static bool is_word(const dps_class_table *value, int32_t k)
{
    return dps_is_missing_word(value->text[k], strlen(value->text[k]));
}

/* Rows of each value of each text column, of this rank: counts[first[s] + k]. */
static void count_rows(const dps_raw_rows *raw, int32_t *const *code, const int64_t *first,
                       int64_t *counts)
{
    for (int64_t b = 0; b < raw->blocks; b++) {
        const dps_raw_block *block = &raw->block[b];
        for (uint32_t e = 0; e < block->start[block->rows]; e++) {
            const int64_t at = first[block->index[e]];
            if (at >= 0) {
                counts[at + code[b][(int32_t)block->value[e]]]++;
            }
        }
        dps_raw_block_rest(block);
    }
}

static void count_kinds(const dps_class_table *value, text_column *t)
{
    for (int32_t k = 0; k < value->count; k++) {
        if (is_number(value, k)) {
            t->numbers += t->rows[k];
            t->distinct_numbers++;
        } else if (is_word(value, k)) {
            t->words += t->rows[k];
        } else {
            t->texts += t->rows[k];
            t->distinct_texts++;
        }
    }
}

/* The first word of this rank's rows that is no number. */
static dps_status refuse_word(const dps_raw_rows *raw, const text_column *t,
                              const dps_class_table *value, int32_t *const *code, dps_error *err)
{
    for (int64_t b = 0; b < raw->blocks; b++) {
        const dps_raw_block *block = &raw->block[b];
        int32_t found = -1;
        for (int32_t w = 0; w < block->word_count; w++) {
            if (block->word_slot[w] == t->slot && !is_number(value, code[b][w]) &&
                (found < 0 || block->word_line[w] < block->word_line[found])) {
                found = w;
            }
        }
        if (found >= 0) {
            const int32_t begin = block->word_begin[found];
            return dps_error_at(err, DPS_ERROR_DATA, block->file,
                                block->first_line + block->word_line[found],
                                block->word_place[found],
                                "%s: \"%s\": not a number, but nearly all values of the column "
                                "are; mend it, name it in data.missing_words if it stands for a "
                                "missing value, or the column in data.text_columns or "
                                "data.ignore_columns",
                                t->name,
                                DPS_QUOTE(block->word_bytes + begin,
                                          (size_t)(block->word_begin[found + 1] - begin), 40));
        }
    }
    return DPS_OK;
}

/* Values of few rows leave the code book; place[k]: where value k is now. */
static void join_rare(dps_column *column, const int64_t *rows, int32_t *place)
{
    dps_class_table *value = &column->value;
    int32_t kept = 0;
    for (int32_t k = 0; k < value->count; k++) {
        if (rows[k] < DPS_RARE_ROWS) {
            dps_free(value->text[k]);
            place[k] = -1;
            continue;
        }
        value->text[kept] = value->text[k];
        value->number[kept] = value->number[k];
        place[k] = kept++;
    }
    for (int32_t k = 0; k < value->count; k++) {
        place[k] = place[k] < 0 ? kept : place[k];
    }
    value->count = kept;
    column->rest = true;
}

static dps_status join_column(const dps_raw_rows *raw, dps_column *column, const text_column *t,
                              int32_t *const *code, const dps_run *run, dps_error *err)
{
    const int32_t count = column->value.count;
    int32_t rare = 0;
    for (int32_t k = 0; k < count; k++) {
        rare += t->rows[k] < DPS_RARE_ROWS;
    }
    if (rare < 2) {
        return DPS_OK;
    }
    int32_t *place;
    DPS_NEED(place, (size_t)count, "code books", err);
    join_rare(column, t->rows, place);
    dps_raw_text_recode(raw, t->slot, place, code);
    dps_free(place);
    dps_log_text(run, DPS_WARNING,
                 "%s has %ld different texts; the %ld of them with fewer than %d rows "
                 "became one value, as new ones will at prediction (data.text_columns = %ld keeps "
                 "them apart)",
                 t->name, (long)count, (long)rare, DPS_RARE_ROWS, (long)t->column + 1);
    return DPS_OK;
}

static dps_status settle(const dps_raw_rows *raw, dps_column *column, const text_column *t,
                         int32_t *const *code, const dps_run *run, dps_error *err)
{
    const int64_t rows = t->numbers + t->words + t->texts;
    const int64_t distinct = column->value.count;
    if (!t->declared && t->numbers > 0 && t->texts + t->words > 0 &&
        dps_column_is_numbers(t->numbers, t->texts, t->distinct_numbers, t->distinct_texts)) {
        return dps_comm_agree(run->comm, refuse_word(raw, t, &column->value, code, err), err);
    }
    if (dps_column_is_all_different(distinct, rows)) {
        dps_log_text(run, DPS_WARNING,
                     "%s has %lld different texts in %lld rows, as names, dates and "
                     "numbers of records have, and was left out (data.text_columns = %ld makes "
                     "features of them, data.ignore_columns or data.id_column = %ld says the same "
                     "without a warning)",
                     t->name, (long long)distinct, (long long)rows, (long)t->column + 1,
                     (long)t->column + 1);
        column->role = DPS_COLUMN_IGNORED;
        dps_class_table_release(&column->value);
        return DPS_OK;
    }
    if (distinct > DPS_MANY_VALUES) {
        return dps_comm_agree(run->comm, join_column(raw, column, t, code, run, err), err);
    }
    if (distinct >= 10 && 2 * distinct > rows) {
        dps_log_text(run, DPS_WARNING,
                     "%s has %lld different texts in %lld rows, each a feature; "
                     "data.ignore_columns = %ld leaves it out",
                     t->name, (long long)distinct, (long long)rows, (long)t->column + 1);
    }
    return DPS_OK;
}

dps_status dps_raw_text_settle(const dps_raw_rows *raw, dps_table *table, int32_t *const *code,
                               const dps_run *run, dps_error *err)
{
    const dps_layout *layout = &raw->input.layout;
    const size_t slots = (size_t)layout->slots;
    int64_t total = 0;
    int64_t *first = dps_alloc(slots, sizeof *first), *counts = NULL;
    for (size_t s = 0; first != NULL && s < slots; s++) {
        const dps_column *column = &table->column[layout->slot_column[s]];
        first[s] = is_text_role(column) ? total : -1;
        total += is_text_role(column) ? column->value.count : 0;
    }
    if (first != NULL) {
        counts = dps_alloc(2 * (size_t)total, sizeof *counts);
    }
    dps_status status = first != NULL && counts != NULL
                            ? DPS_OK
                            : dps_out_of_memory(err, slots, 2 * sizeof *first, "code books");
    status = dps_comm_agree(run->comm, status, err);
    if (status == DPS_OK) {
        count_rows(raw, code, first, counts);
        dps_sum_counts(run->comm, counts, counts + total, (size_t)total);
    }
    for (size_t s = 0; s < slots && status == DPS_OK; s++) {
        dps_column *column = &table->column[layout->slot_column[s]];
        if (first[s] < 0 || layout->field[layout->slot_column[s]].asked) {
            continue;
        }
        text_column t = {
            .slot = (int32_t)s, .column = layout->slot_column[s], .rows = counts + first[s]};
        t.declared =
            layout->arff != NULL && layout->arff->attribute[t.column].kind == DPS_ARFF_NOMINAL;
        dps_layout_field_name(layout, t.column, t.name, sizeof t.name);
        count_kinds(&column->value, &t);
        status = settle(raw, column, &t, code, run, err);
    }
    dps_free(counts);
    dps_free(first);
    return status;
}
