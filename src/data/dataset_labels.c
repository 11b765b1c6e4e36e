/* Task: from the labels' texts to classes or targets. Classes are numbered in the order in which
 * the rows show them, from block to block and rank to rank, and then sorted, so that the first
 * spelling counts whatever the cuts are. Cost: one pass over the labels; between ranks the distinct
 * texts. */
#include "dataset_labels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "allocation.h"
#include "class_join.h"
#include "number.h"
#include "rank_sums.h"

/* Labels look like numbers to predict where most of the different ones are fractions, and there are
 * FRACTIONS or more with more than a fifth as many as rows, or MANY and a twentieth; where whole
 * numbers, LABELS or more, are different in more than half of the rows. Texts of the last kind look
 * like names of the rows. */
#define FRACTIONS 10
#define LABELS    10
#define MANY      100

/* Number of a block's k-th spelling: a new or known class of the training, or one of the table. */
static int32_t class_of(const dps_raw_block *block, int32_t k, dps_class_builder *builder,
                        const dps_class_table *table)
{
    const char *text = block->label_bytes + block->label_begin[k];
    const size_t length = (size_t)(block->label_begin[k + 1] - block->label_begin[k]);
    return builder != NULL ? dps_class_builder_add(builder, text, length)
                           : dps_class_find(table, text, length);
}

/* Fills data->label in the order of the input: from `builder` (training) or from `table`. */
static dps_status collect_labels(const dps_raw_rows *raw, dps_class_builder *builder,
                                 const dps_class_table *table, dps_dataset *data, dps_error *err)
{
    data->label = dps_alloc((size_t)raw->rows, sizeof *data->label);
    int32_t *class = NULL; /* of each spelling of a block */
    size_t capacity = 0;
    bool ok = data->label != NULL;
    for (int64_t b = 0; b < raw->blocks && ok; b++) {
        const dps_raw_block *block = &raw->block[b];
        ok = DPS_GROW(class, capacity, (size_t)block->label_count);
        for (int32_t k = 0; k < block->label_count && ok; k++) {
            class[k] = class_of(block, k, builder, table);
            ok = builder == NULL || class[k] >= 0;
        }
        for (int64_t i = 0; i < block->rows && ok; i++) {
            const int32_t k = block->label[i];
            data->label[block->first_row + i] = k >= 0 ? class[k] : -1;
        }
        dps_raw_block_rest(block);
    }
    dps_free(class);
    return ok ? DPS_OK : dps_out_of_memory(err, (size_t)raw->rows, sizeof *data->label, "labels");
}

/* The classes of all ranks in the builder, and their numbers in data->label. */
static dps_status join_classes(dps_class_builder *builder, int64_t rows, const dps_comm *comm,
                               dps_dataset *data, dps_error *err)
{
    int32_t *number;
    const dps_status status = dps_class_builder_join(builder, comm, &number, err);
    for (int64_t i = 0; i < rows && number != NULL; i++) {
        data->label[i] = number[data->label[i]];
    }
    dps_free(number);
    return dps_comm_agree(comm, status, err);
}

/* Puts the classes in their order and counts their rows, of all ranks. */
static dps_status order_classes(dps_class_builder *builder, int64_t rows, const dps_comm *comm,
                                dps_dataset *data, dps_error *err)
{
    const size_t count = (size_t)builder->count;
    int32_t *place = dps_alloc(count, sizeof *place);
    int64_t *theirs = dps_alloc(count, sizeof *theirs);
    dps_status status = place != NULL && theirs != NULL
                            ? dps_class_builder_finish(builder, &data->classes, place, err)
                            : dps_out_of_memory(err, count, sizeof *place, "classes");
    status = dps_comm_agree(comm, status, err);
    for (int64_t i = 0; i < rows && status == DPS_OK; i++) {
        data->label[i] = place[data->label[i]];
        data->classes.rows[data->label[i]]++;
    }
    if (status == DPS_OK) {
        dps_sum_counts(comm, data->classes.rows, theirs, count);
    }
    dps_free(place);
    dps_free(theirs);
    return status;
}

/* Whether the labels mean classes: a guess by what they are, which solver.task overrules. */
static dps_status check_meaning(const dps_class_table *classes, int64_t rows, const char *file,
                                const char *column, const dps_run *run, dps_error *err)
{
    const int64_t count = classes->count;
    int64_t fractions = 0, texts = 0;
    for (int64_t k = 0; k < count; k++) {
        const double number = classes->number[k];
        /* 0,5 is a text here, but was meant as a number */
        const bool text = !dps_number_in_some_form(classes->text[k], number);
        texts += text;
        fractions += !text && number != rint(number);
    }
    const bool different = count >= LABELS && 2 * count > rows;
    if (texts > 0 && different) {
        return dps_error_at(err, DPS_ERROR_DATA, file, 0, 0,
                            "the labels%s are %lld different texts in %lld rows, as names and "
                            "dates are: data.label_column says which column is the class "
                            "(solver.task = classification trains that many classes nevertheless)",
                            column, (long long)count, (long long)rows);
    }
    const bool measured = 2 * fractions >= count && count >= FRACTIONS &&
                          (5 * count > rows || (count > MANY && 20 * count > rows));
    if (texts == 0 && (different || measured)) {
        return dps_error_at(err, DPS_ERROR_DATA, file, 0, 0,
                            "the labels%s are %lld different numbers%s in %lld rows and look like "
                            "numbers to predict, not classes: solver.task = regression predicts "
                            "them, solver.task = classification trains that many classes, and "
                            "data.label_column says which column is the label",
                            column, (long long)count,
                            2 * fractions >= count ? ", fractions for the most part," : "",
                            (long long)rows);
    }
    if (texts == 0 && (count > 2 * LABELS || (fractions > 0 && count >= FRACTIONS))) {
        dps_log_text(run, DPS_WARNING,
                     "the labels%s are %lld different numbers, taken as classes: solver.task = "
                     "regression predicts numbers, solver.task = classification says that they are "
                     "classes, data.label_column which column is the label",
                     column, (long long)count);
    }
    return DPS_OK;
}

static dps_status check_classes(const dps_class_table *classes, int64_t rows, const char *file,
                                const char *column, bool chosen, const dps_run *run, dps_error *err)
{
    if (classes->count == 1) {
        return dps_error_at(err, DPS_ERROR_DATA, file, 0, 0,
                            "all %lld rows have the label %s; training needs at least two classes",
                            (long long)rows,
                            DPS_QUOTE(classes->text[0], strlen(classes->text[0]), 40));
    }
    return chosen ? DPS_OK : check_meaning(classes, rows, file, column, run, err);
}

dps_status dps_dataset_find_classes(dps_dataset *data, const dps_raw_rows *raw, const char *shown,
                                    const dps_run *run, dps_error *err)
{
    dps_class_builder builder = {0};
    dps_status status =
        dps_comm_agree(run->comm, collect_labels(raw, &builder, NULL, data, err), err);
    DPS_THEN(status, join_classes(&builder, raw->rows, run->comm, data, err));
    DPS_THEN(status, order_classes(&builder, raw->rows, run->comm, data, err));
    if (status == DPS_OK) {
        char column[300];
        const char *label = raw->input.label;
        snprintf(column, sizeof column, "%s%s", *label == '\0' ? "" : " in ", label);
        status = check_classes(&data->classes, raw->total_rows, shown, column,
                               raw->input.read.table.classes, run, err);
        if (status != DPS_OK) { /* which other columns may be meant */
            dps_log_text(run, DPS_NORMAL, "input: %s", raw->input.note);
        }
    }
    dps_class_builder_release(&builder);
    return status;
}

dps_status dps_dataset_label_as(dps_dataset *data, const dps_raw_rows *raw,
                                const dps_class_table *classes, dps_error *err)
{
    return collect_labels(raw, NULL, classes, data, err);
}

/* ---- targets ---- */

static dps_status not_a_number(const dps_raw_rows *raw, const dps_raw_block *block, int32_t k,
                               dps_error *err)
{
    int64_t i = 0, line = 0;
    while (block->label[i] != k) {
        i++;
    }
    const char *file = dps_raw_rows_place(raw, block->first_row + i, &line);
    return dps_error_at(
        err, DPS_ERROR_DATA, file, line, 0,
        "expected a finite number as the label of row %lld, found %s: solver.task = "
        "regression predicts numbers (the label's column is data.label_column)",
        (long long)(raw->first_row + block->first_row + i + 1),
        DPS_QUOTE(block->label_bytes + block->label_begin[k],
                  (size_t)(block->label_begin[k + 1] - block->label_begin[k]), 40));
}

dps_status dps_dataset_find_targets(dps_dataset *data, const dps_raw_rows *raw, dps_error *err)
{
    double *value = NULL; /* of each spelling of a block */
    size_t capacity = 0;
    dps_status status = DPS_OK;
    DPS_NEED(data->label, (size_t)raw->rows, "the targets", err);
    DPS_NEED(data->target, (size_t)raw->rows, "the targets", err);
    for (int64_t b = 0; b < raw->blocks && status == DPS_OK; b++) {
        const dps_raw_block *block = &raw->block[b];
        if (!DPS_GROW(value, capacity, (size_t)block->label_count)) {
            status = dps_out_of_memory(err, (size_t)block->label_count, sizeof(double), "labels");
            break;
        }
        for (int32_t k = 0; k < block->label_count && status == DPS_OK; k++) {
            const int32_t begin = block->label_begin[k];
            if (!dps_text_to_double(block->label_bytes + begin,
                                    (size_t)(block->label_begin[k + 1] - begin), &value[k]) ||
                !isfinite(value[k])) {
                status = not_a_number(raw, block, k, err);
            }
        }
        for (int64_t i = 0; i < block->rows && status == DPS_OK; i++) {
            data->target[block->first_row + i] = value[block->label[i]];
        }
        dps_raw_block_rest(block);
    }
    dps_free(value);
    return status;
}
