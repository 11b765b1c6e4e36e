/* Task: what bends a column, from the order of its values on a sample of the rows.
 *
 *     log    unit_j = median of |x_ij| over the values that are not 0
 *     rank   level(v) = 2 (W(x < v) + W(x = v) / 2) / W - 1 at up to DPS_RANK_KNOTS values v of
 *            the column, zeros included: its mid-rank (so that ties share one) from -1 to 1
 *
 * W: number of rows, a row of weight w being w rows. The median is robust: a few huge values, which
 * ask for a logarithm, do not move it. With few distinct values each is a knot; else the first, the
 * last, those at which W passes a multiple of 2 W / DPS_RANK_KNOTS, and the neighbours of values
 * that hold more than twice that (a value as frequent as the zero of a sparse column is a step of
 * the rank, which lines to far knots would smear). Proof of the number: each frequent value passes
 * a multiple, there are fewer than DPS_RANK_KNOTS / 4 of them, with two neighbours each.
 *
 * Sample: all rows, if there are at most SAMPLE_ROWS with SAMPLE_ENTRIES values; else one of each
 * of that many equal parts of the rows, at fractions that go around by the golden ratio, so that no
 * period of the rows meets them. A rank is then off by less than 1 / sqrt(4 SAMPLE_ROWS) or so,
 * 0.003. The sample depends on the number of rows and values alone; every rank gets all of it, and
 * every column is sorted by value, then weight: no order of threads, ranks or blocks can show.
 * Cost: a pass over the sampled entries, and sorting them. */
#include "scaler_bend.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "allocation.h"
#include "comm.h"
#include "exact_log.h"
#include "rank_sums.h"

#define SAMPLE_ROWS    32768
#define FEWEST_ROWS    1024 /* however many values they have */
#define SAMPLE_ENTRIES (INT64_C(1) << 21)

typedef struct weighted_value {
    double value, weight;
} weighted_value;

/* Values by column, with room for a zero in each. */
typedef struct column_values {
    size_t *begin; /* columns + 1 */
    size_t *count; /* of each column */
    weighted_value *value;
} column_values;

static int64_t sample_size(const dps_raw_rows *raw)
{
    const double a_row = fmax(1.0, (double)raw->total_entries / (double)raw->total_rows);
    const int64_t affordable = (int64_t)((double)SAMPLE_ENTRIES / a_row);
    const int64_t most = affordable < SAMPLE_ROWS ? affordable : SAMPLE_ROWS;
    const int64_t rows = most > FEWEST_ROWS ? most : FEWEST_ROWS;
    return rows < raw->total_rows ? rows : raw->total_rows;
}

/* The row of part s of `parts`, s times the golden ratio of its length behind its begin. */
static int64_t sampled_row(int64_t s, int64_t parts, int64_t rows)
{
    const int64_t length = rows / parts, longer = rows % parts;
    const int64_t begin = s * length + (s < longer ? s : longer);
    const uint64_t fraction = ((uint64_t)s * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
    const uint64_t here = (uint64_t)length + (s < longer ? 1 : 0);
    return begin + (int64_t)((here * fraction) >> 32); /* parts are far below 2^32 rows */
}

static bool add_row(dps_bend_sample *sample, const dps_raw_block *block, int64_t i, double weight)
{
    const uint32_t begin = block->start[i], count = block->start[i + 1] - begin;
    if (!DPS_GROW(sample->entry, sample->capacity, sample->entries + count)) {
        return false;
    }
    for (uint32_t k = begin; k < begin + count; k++) {
        sample->entry[sample->entries++] =
            (dps_bend_entry){block->value[k], weight, block->index[k]};
    }
    sample->rows += 1.0;
    sample->weight += weight;
    return true;
}

/* Entries of the sampled rows of this rank; rows and weight of all, rank after rank. Rows of weight
 * 0 are no rows. */
static bool take_rows(dps_bend_sample *sample, const dps_raw_rows *raw, const double *weight,
                      const dps_run *run)
{
    double so_far[2] = {0.0, 0.0};
    const int64_t parts = sample_size(raw), end = raw->first_row + raw->rows;
    bool ok = true;
    dps_in_turn_begin(run->comm, so_far, sizeof so_far);
    sample->rows = so_far[0];
    sample->weight = so_far[1];
    int64_t rested = 0;
    for (int64_t s = 0; s < parts && ok; s++) {
        const int64_t row = sampled_row(s, parts, raw->total_rows);
        const int64_t i = row - raw->first_row;
        if (row < raw->first_row || row >= end || (weight != NULL && !(weight[i] > 0.0))) {
            continue;
        }
        const dps_raw_block *block = &raw->block[dps_raw_rows_block_of(raw, i)];
        ok = add_row(sample, block, i - block->first_row, weight == NULL ? 1.0 : weight[i]);
        if (block->first_row > rested) {
            dps_raw_rows_rest(raw, rested, block->first_row);
            rested = block->first_row;
        }
    }
    dps_raw_rows_rest(raw, rested, raw->rows);
    so_far[0] = sample->rows;
    so_far[1] = sample->weight;
    dps_in_turn_end(run->comm, so_far, sizeof so_far);
    sample->rows = so_far[0];
    sample->weight = so_far[1];
    return ok;
}

/* Everybody's entries to everybody. */
static dps_status share_entries(dps_bend_sample *sample, const dps_run *run, dps_error *err)
{
    if (run->comm == NULL) {
        return DPS_OK;
    }
    char *bytes = NULL;
    size_t *begin;
    const size_t ranks = (size_t)dps_comm_size(run->comm);
    DPS_NEED_ON_ALL(run->comm, begin, ranks + 1, "statistics of columns", err);
    const dps_status status = dps_comm_gather(
        run->comm, sample->entry, sample->entries * sizeof *sample->entry, &bytes, begin, err);
    if (status == DPS_OK) {
        dps_free(sample->entry);
        sample->entry = (dps_bend_entry *)(void *)bytes;
        sample->entries = begin[ranks] / sizeof *sample->entry;
    }
    dps_free(begin);
    return status;
}

/* The entries by column. absolute: without their signs. */
static dps_status sort_into_columns(const dps_bend_sample *sample, int32_t columns, bool absolute,
                                    column_values *to, dps_error *err)
{
    const size_t d = (size_t)columns;
    DPS_NEED(to->begin, d + 1, "statistics of columns", err);
    DPS_NEED(to->count, d, "statistics of columns", err);
    DPS_NEED(to->value, sample->entries + d, "statistics of columns", err);
    memset(to->begin, 0, (d + 1) * sizeof *to->begin);
    memset(to->count, 0, d * sizeof *to->count);
    for (size_t e = 0; e < sample->entries; e++) {
        to->begin[sample->entry[e].column + 1]++;
    }
    for (size_t j = 0; j < d; j++) {
        to->begin[j + 1] += to->begin[j] + 1;
    }
    for (size_t e = 0; e < sample->entries; e++) {
        const dps_bend_entry *entry = &sample->entry[e];
        const size_t j = (size_t)entry->column;
        to->value[to->begin[j] + to->count[j]++] =
            (weighted_value){absolute ? fabs(entry->value) : entry->value, entry->weight};
    }
    return DPS_OK;
}

static int by_value(const void *a, const void *b)
{
    const weighted_value *x = a, *y = b;
    if (x->value != y->value) {
        return x->value < y->value ? -1 : 1;
    }
    return (x->weight > y->weight) - (x->weight < y->weight);
}

static double weight_of(const weighted_value *value, size_t count)
{
    double total = 0.0;
    for (size_t k = 0; k < count; k++) {
        total += value[k].weight;
    }
    return total;
}

/* ---- log ---- */

/* The first of sorted values at which half of their weight is reached; 0: there is none. */
static double median(const weighted_value *value, size_t count)
{
    const double half = 0.5 * weight_of(value, count);
    double below = 0.0;
    for (size_t k = 0; k < count; k++) {
        below += value[k].weight;
        if (below >= half) {
            return value[k].value;
        }
    }
    return 0.0;
}

/* ---- rank ---- */

/* Sorts, adds the rows that do not mention the column as one zero, and leaves each distinct value
 * once with its weight. Returns how many. */
static size_t distinct_values(const dps_bend_sample *sample, weighted_value *value, size_t count)
{
    size_t distinct = 0;
    qsort(value, count, sizeof *value, by_value);
    if ((double)count < sample->rows || count == 0) {
        const double present = weight_of(value, count);
        value[count++] = (weighted_value){0.0, fmax(sample->weight - present, 0.0)};
        qsort(value, count, sizeof *value, by_value);
    }
    for (size_t k = 1; k < count; k++) {
        if (value[k].value == value[distinct].value) {
            value[distinct].weight += value[k].weight;
        } else {
            value[++distinct] = value[k];
        }
    }
    return distinct + 1;
}

/* Knots of one column into knot and level, at most DPS_RANK_KNOTS; returns how many. */
static int32_t choose_knots(const weighted_value *value, size_t count, double *knot, double *level)
{
    const double total = weight_of(value, count);
    const double step = total * (2.0 / DPS_RANK_KNOTS);
    int32_t knots = 0;
    double below = 0.0;
    for (size_t k = 0; k < count; k++) {
        const double upto = below + value[k].weight;
        const bool end = k == 0 || k + 1 == count,
                   crosses = floor(below / step) < floor(upto / step);
        const bool beside =
            !end && (value[k - 1].weight > 2.0 * step || value[k + 1].weight > 2.0 * step);
        if (count <= DPS_RANK_KNOTS || end || crosses || beside) {
            knot[knots] = value[k].value;
            level[knots++] = count == 1 ? 0.0 : (below + upto) / total - 1.0;
        }
        below = upto;
    }
    assert(knots <= DPS_RANK_KNOTS);
    return knots;
}

/* Room for the knots, of which there are few in columns of few values: grown by the column. */
static dps_status fit_ranks(dps_scaler *scaler, const column_values *values, dps_error *err)
{
    double knot[DPS_RANK_KNOTS], level[DPS_RANK_KNOTS];
    size_t knot_capacity = 0;
    DPS_NEED(scaler->begin, (size_t)scaler->columns + 1, "the scaler", err);
    scaler->begin[0] = 0;
    for (int32_t j = 0; j < scaler->columns; j++) {
        const weighted_value *value = values->value + values->begin[j];
        const int32_t knots = choose_knots(value, values->count[j], knot, level);
        const size_t before = (size_t)scaler->knots, after = before + (size_t)knots;
        if (after > INT32_MAX - 1 ||
            !DPS_GROW_BOTH(scaler->knot, scaler->level, knot_capacity, after)) {
            return dps_out_of_memory(err, after, 2 * sizeof *knot, "the scaler");
        }
        memcpy(scaler->knot + before, knot, (size_t)knots * sizeof *knot);
        memcpy(scaler->level + before, level, (size_t)knots * sizeof *level);
        scaler->knots = (int32_t)after;
        scaler->begin[j + 1] = (int32_t)after;
    }
    return DPS_OK;
}

/* ---- all columns ---- */

/* A column whose values are too rare for the sample has the largest of them for its unit. */
static dps_status fit_units(dps_scaler *scaler, const column_values *values, dps_error *err)
{
    DPS_NEED(scaler->unit, (size_t)scaler->columns, "the scaler", err);
    for (int32_t j = 0; j < scaler->columns; j++) {
        const double largest = scaler->factor[j];
        const double unit = median(values->value + values->begin[j], values->count[j]);
        scaler->unit[j] = unit > 0.0 ? unit : largest;
        scaler->factor[j] = 1.0 / dps_log1p_exact_ops(largest / scaler->unit[j]);
    }
    return DPS_OK;
}

/* Sorts every column; for ranks its values stand once each then. */
static void sort_columns(const dps_bend_sample *sample, int32_t columns, bool ranks,
                         const dps_run *run, column_values *values)
{
    const int threads = dps_run_threads_for(run, columns, 100.0 * (double)sample->entries);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (int32_t j = 0; j < columns; j++) {
        weighted_value *value = values->value + values->begin[j];
        if (ranks) {
            values->count[j] = distinct_values(sample, value, values->count[j]);
        } else {
            qsort(value, values->count[j], sizeof *value, by_value);
        }
    }
}

dps_status dps_scaler_bend(dps_scaler *scaler, const dps_bend_sample *sample, const dps_run *run,
                           dps_error *err)
{
    const bool ranks = scaler->scaling == DPS_SCALE_RANK;
    column_values values = {.begin = NULL};
    dps_status status = sort_into_columns(sample, scaler->columns, !ranks, &values, err);
    if (status == DPS_OK) {
        sort_columns(sample, scaler->columns, ranks, run, &values);
        status = ranks ? fit_ranks(scaler, &values, err) : fit_units(scaler, &values, err);
    }
    dps_free(values.begin);
    dps_free(values.count);
    dps_free(values.value);
    return status;
}

dps_status dps_scaler_fit_bend(dps_scaler *scaler, const dps_raw_rows *raw, const double *weight,
                               const dps_run *run, dps_error *err)
{
    dps_bend_sample sample = {.rows = 0.0};
    const bool ok = take_rows(&sample, raw, weight, run);
    dps_status status = DPS_OK;
    if (dps_comm_any(run->comm, !ok)) {
        status =
            dps_out_of_memory(err, sample.entries, sizeof *sample.entry, "statistics of columns");
    }
    DPS_THEN(status, share_entries(&sample, run, err));
    DPS_THEN(status, dps_scaler_bend(scaler, &sample, run, err));
    dps_free(sample.entry);
    return dps_comm_agree(run->comm, status, err);
}
