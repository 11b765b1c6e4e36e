/* Task: the widths that are left to the data.
 *
 *   mean distance    kernel.sigma = auto (Kar & Karnick 2012, section 6)
 *   median distance  map.gamma = auto, 1 / (2 median^2); for a Laplacian 1 / median of |x - y|_1
 *   variance         map.gamma = scale, 1 / (d var)
 *
 * |x - y|^2 = sum_j (x_j - y_j)^2 in double, coordinates in order, those where both are 0 left out.
 * Distances go to fixed places of one array, so that no thread's order of work shows.
 *
 * Cost: 2,000 rows are 2 million pairs, each of d steps, or of as many as the two rows have
 * entries: rows of at most DENSE_COLUMNS columns are compared dense, eight partners at a time,
 * wider ones by merging. Why not |x|^2 + |y|^2 - 2 <x, y>: near rows would cancel. */
#include "row_sample.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "allocation.h"
#include "comm.h"
#include "random.h"

enum { dense_columns = 4096, partners = 8 };

static bool append_row(dps_row_sample *sample, const dps_row_tile *tile, int32_t i)
{
    const float *x =
        tile->dense != NULL ? tile->dense + (size_t)i * tile->stride : tile->value + tile->start[i];
    const int32_t *column = tile->dense != NULL ? NULL : tile->column + tile->start[i];
    const size_t count =
        tile->dense != NULL ? (size_t)tile->columns : (size_t)(tile->start[i + 1] - tile->start[i]);
    if (!DPS_GROW_BOTH(sample->column, sample->value, sample->capacity, sample->entries + count)) {
        return false;
    }
    for (size_t k = 0; k < count; k++) {
        if (x[k] != 0.0f) {
            sample->column[sample->entries] = column == NULL ? (int32_t)k : column[k];
            sample->value[sample->entries++] = x[k];
        }
    }
    sample->start[++sample->rows] = sample->entries;
    return true;
}

/* Those of the chosen rows that are here. */
static dps_status collect(dps_row_sample *sample, const dps_row_source *rows, const int64_t *chosen,
                          int64_t count, dps_error *err)
{
    dps_row_tile tile = {0};
    int64_t held = -1;
    for (int64_t k = 0; k < count; k++) {
        const int64_t i = chosen[k] - rows->first_row, t = i / DPS_TILE_ROWS;
        if (i < 0 || i >= rows->rows) {
            continue;
        }
        if (t != held) {
            DPS_TRY(rows->get(rows->context, t, &tile, err));
            held = t;
        }
        if (rows->weight != NULL) {
            sample->weight[sample->rows] = rows->weight[i];
        }
        if (!append_row(sample, &tile, (int32_t)(i % DPS_TILE_ROWS))) {
            return dps_out_of_memory(err, sample->entries, sizeof(float) + sizeof(int32_t),
                                     "a sample of the rows");
        }
    }
    return DPS_OK;
}

/* An array of all ranks, in rank order, in place of this rank's, at which *pointer (to items of any
 * type) points; *bytes: of it. */
static dps_status join_array(void *pointer, size_t *bytes, const dps_comm *comm, dps_error *err)
{
    const size_t ranks = (size_t)dps_comm_size(comm);
    size_t *begin = dps_alloc(ranks + 1, sizeof *begin);
    char *all = NULL;
    void *array;
    memcpy(&array, pointer, sizeof array);
    dps_status status =
        begin != NULL ? DPS_OK : dps_out_of_memory(err, ranks + 1, sizeof *begin, "ranks");
    status = dps_comm_agree(comm, status, err);
    DPS_THEN(status, dps_comm_gather(comm, array, *bytes, &all, begin, err));
    if (status == DPS_OK) {
        *bytes = begin[ranks];
        dps_free(array);
        memcpy(pointer, &all, sizeof array);
    }
    dps_free(begin);
    return status;
}

/* The sample of all ranks in place of this rank's part of it. */
static dps_status join(dps_row_sample *sample, const dps_comm *comm, dps_error *err)
{
    size_t starts = (size_t)sample->rows * sizeof *sample->start;
    size_t columns = sample->entries * sizeof *sample->column;
    size_t values = sample->entries * sizeof *sample->value;
    size_t weights = (size_t)sample->rows * sizeof *sample->weight;
    if (comm == NULL) {
        return DPS_OK;
    }
    for (int32_t i = 0; i < sample->rows; i++) { /* from offsets to lengths */
        sample->start[i] = sample->start[i + 1] - sample->start[i];
    }
    DPS_TRY(join_array(&sample->start, &starts, comm, err));
    DPS_TRY(join_array(&sample->column, &columns, comm, err));
    DPS_TRY(join_array(&sample->value, &values, comm, err));
    if (sample->weight != NULL) {
        DPS_TRY(join_array(&sample->weight, &weights, comm, err));
    }
    const size_t rows = starts / sizeof *sample->start;
    size_t capacity = rows;
    DPS_NEED_MORE(sample->start, capacity, rows + 1, "a sample of the rows", err);
    size_t at = 0;
    for (size_t i = 0; i < rows; i++) {
        const size_t length = sample->start[i];
        sample->start[i] = at;
        at += length;
    }
    sample->start[rows] = at;
    sample->rows = (int32_t)rows;
    sample->entries = sample->capacity = at;
    return DPS_OK;
}

dps_status dps_row_sample_init(dps_row_sample *sample, const dps_row_source *rows, uint64_t seed,
                               int64_t most, const dps_run *run, dps_error *err)
{
    const dps_comm *comm = rows->total_rows > 0 ? run->comm : NULL;
    *sample = (dps_row_sample){.columns = rows->columns};
    int64_t chosen[DPS_SAMPLE_ROWS];
    const int64_t count =
        dps_random_sample(seed, DPS_STREAM_SAMPLE, dps_rows_of_all(rows), most, chosen);
    sample->start = dps_alloc((size_t)count + 1, sizeof(size_t));
    const bool weighted = dps_comm_any(comm, rows->weight != NULL);
    sample->weight = weighted ? dps_alloc((size_t)count, sizeof *sample->weight) : NULL;
    dps_status status;
    if (sample->start == NULL || (weighted && sample->weight == NULL)) {
        status = dps_out_of_memory(err, (size_t)count + 1, sizeof(size_t), "a sample of the rows");
    } else {
        status = collect(sample, rows, chosen, count, err);
    }
    status = dps_comm_agree(comm, status, err);
    DPS_THEN(status, join(sample, comm, err));
    if (status != DPS_OK) {
        dps_row_sample_release(sample);
    }
    return status;
}

void dps_row_sample_release(dps_row_sample *sample)
{
    dps_free(sample->start);
    dps_free(sample->column);
    dps_free(sample->value);
    dps_free(sample->weight);
    *sample = (dps_row_sample){0};
}

static double merged_distance(const dps_row_sample *s, int32_t i, int32_t j, bool absolute)
{
    size_t a = s->start[i], b = s->start[j];
    const size_t a_end = s->start[i + 1], b_end = s->start[j + 1];
    double sum = 0.0;
    while (a < a_end || b < b_end) {
        const int32_t ca = a < a_end ? s->column[a] : INT32_MAX;
        const int32_t cb = b < b_end ? s->column[b] : INT32_MAX;
        const double x = ca <= cb ? s->value[a] : 0.0, y = cb <= ca ? s->value[b] : 0.0;
        a += ca <= cb;
        b += cb <= ca;
        sum += absolute ? fabs(x - y) : (x - y) * (x - y);
    }
    return absolute ? sum : sqrt(sum);
}

/* Rows first .. first + partners - 1 (zeros beyond the last) side by side: block[column][partner].
 */
static void lay_out(const dps_row_sample *s, int32_t first, double (*block)[partners])
{
    memset(block, 0, (size_t)s->columns * sizeof(*block));
    for (int32_t l = 0; l < partners && first + l < s->rows; l++) {
        for (size_t k = s->start[first + l]; k < s->start[first + l + 1]; k++) {
            block[s->column[k]][l] = s->value[k];
        }
    }
}

/* distance[j(j-1)/2 + i] = |x_i - x_j| for the rows j of one block and all i < j. */
static void dense_distances(const dps_row_sample *s, bool absolute, int32_t first,
                            double (*block)[partners], double *x, double *distance)
{
    lay_out(s, first, block);
    for (int32_t i = 0; i < first + partners && i < s->rows; i++) {
        memset(x, 0, (size_t)s->columns * sizeof(*x));
        for (size_t k = s->start[i]; k < s->start[i + 1]; k++) {
            x[s->column[k]] = s->value[k];
        }
        double sum[partners] = {0};
        for (int32_t c = 0; c < s->columns; c++) {
            for (int l = 0; l < partners; l++) {
                const double difference = x[c] - block[c][l];
                sum[l] += absolute ? fabs(difference) : difference * difference;
            }
        }
        for (int32_t l = 0; l < partners && first + l < s->rows; l++) {
            const size_t j = (size_t)(first + l);
            if ((size_t)i < j) {
                distance[j * (j - 1) / 2 + (size_t)i] = absolute ? sum[l] : sqrt(sum[l]);
            }
        }
    }
}

dps_status dps_row_sample_pairs(const dps_row_sample *s, bool absolute, const dps_run *run,
                                double *distance, dps_error *err)
{
    const int32_t blocks = (s->rows + partners - 1) / partners;
    const bool dense = s->columns <= dense_columns;
    const size_t scratch = dense ? (size_t)s->columns : 0;
    bool failed = false;
#pragma omp parallel num_threads(run->threads)
    {
        double(*block)[partners] = dps_alloc(scratch, sizeof(*block));
        double *x = dps_alloc(scratch, sizeof(*x));
        const bool ready = block != NULL && x != NULL;
        if (!ready) {
#pragma omp atomic write
            failed = true;
        }
#pragma omp for schedule(dynamic)
        for (int32_t b = 0; b < blocks; b++) {
            if (ready && dense) {
                dense_distances(s, absolute, b * partners, block, x, distance);
            }
            for (int32_t j = b * partners; ready && !dense && j < (b + 1) * partners && j < s->rows;
                 j++) {
                for (int32_t i = 0; i < j; i++) {
                    distance[(size_t)j * ((size_t)j - 1) / 2 + (size_t)i] =
                        merged_distance(s, i, j, absolute);
                }
            }
        }
        dps_free(block);
        dps_free(x);
    }
    return failed ? dps_out_of_memory(err, scratch, sizeof(double) * partners, "pairwise distances")
                  : DPS_OK;
}

/* The k-th smallest of value[0 .. count-1] (Hoare 1961); afterwards everything before place k is no
 * larger and everything behind no smaller. */
static double select_kth(double *value, size_t count, size_t k)
{
    size_t low = 0, high = count - 1;
    while (low < high) {
        const double pivot = value[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;;) {
            while (value[i] < pivot) {
                i++;
            }
            while (value[j] > pivot) {
                j--;
            }
            if (i >= j) {
                break;
            }
            const double swap = value[i];
            value[i++] = value[j];
            value[j--] = swap;
        }
        /* low .. j no larger than the pivot, j + 1 .. high no smaller */
        if (k <= j) {
            high = j;
        } else {
            low = j + 1;
        }
    }
    return value[k];
}

/* Doubles that are no smaller than 0 are ordered as their bits are: by exponent and four bits of
 * the mantissa first. */
enum { bucket_shift = 48, buckets = 1 << 15 };

static size_t bucket_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (size_t)(bits >> bucket_shift) & (buckets - 1);
}

/* The median of value[0 .. count-1] >= 0, whose places are used up: one pass counts buckets, one
 * takes out the bucket where the median lies, and only that is searched. */
static double median_of(double *value, size_t count)
{
    uint32_t held[buckets] = {0};
    size_t below = 0, bucket = 0, taken = 0;
    double lower = 0.0;
    for (size_t k = 0; k < count; k++) {
        held[bucket_of(value[k])]++;
    }
    while (below + held[bucket] <= count / 2) {
        below += held[bucket++];
    }
    for (size_t k = 0; below == count / 2 && k < count; k++) { /* the one before is not in it */
        lower = bucket_of(value[k]) < bucket ? fmax(lower, value[k]) : lower;
    }
    for (size_t k = 0; k < count; k++) { /* without a branch that nobody could foretell */
        const double own = value[k];
        value[taken] = own;
        taken += bucket_of(own) == bucket;
    }
    const double upper = select_kth(value, taken, count / 2 - below);
    if (count % 2 == 1) {
        return upper;
    }
    for (size_t k = 0; k < count / 2 - below; k++) {
        lower = fmax(lower, value[k]);
    }
    return 0.5 * (lower + upper);
}

typedef struct weighted_pair {
    double distance, weight;
} weighted_pair;

static int by_distance(const void *a, const void *b)
{
    const double x = ((const weighted_pair *)a)->distance, y = ((const weighted_pair *)b)->distance;
    return (x > y) - (x < y);
}

/* Mean and median of pairs that weigh w_i w_j; the w (w - 1) / 2 pairs among the copies of a row
 * are 0 apart. Lower and upper median: where half of all that weighs is reached, and passed. */
static dps_status weigh_pairs(const dps_row_sample *s, const double *distance, double *mean,
                              double *median, dps_error *err)
{
    const size_t rows = (size_t)s->rows, count = rows * (rows - 1) / 2 + 1;
    weighted_pair *pair;
    double all = 0.0, sum = 0.0, passed = 0.0, lower = NAN;
    DPS_NEED(pair, count, "pairwise distances", err);
    for (size_t i = 0; i < rows; i++) {
        pair[count - 1].weight += 0.5 * s->weight[i] * fmax(s->weight[i] - 1.0, 0.0);
    }
    for (size_t j = 1, k = 0; j < rows; j++) {
        for (size_t i = 0; i < j; i++, k++) {
            pair[k] = (weighted_pair){distance[k], s->weight[i] * s->weight[j]};
            sum += pair[k].weight * pair[k].distance;
        }
    }
    qsort(pair, count, sizeof *pair, by_distance);
    for (size_t k = 0; k < count; k++) {
        all += pair[k].weight;
    }
    *mean = sum / all;
    for (size_t k = 0; k < count; k++) {
        passed += pair[k].weight;
        lower = isnan(lower) && passed >= all / 2 ? pair[k].distance : lower;
        if (passed > all / 2) {
            *median = 0.5 * (lower + pair[k].distance);
            break;
        }
    }
    dps_free(pair);
    return DPS_OK;
}

dps_status dps_row_sample_distances(const dps_row_sample *sample, bool absolute, const dps_run *run,
                                    double *mean, double *median, dps_error *err)
{
    *mean = *median = 0.0;
    if (sample->rows < 2) {
        return DPS_OK;
    }
    const size_t pairs = (size_t)sample->rows * ((size_t)sample->rows - 1) / 2;
    double *distance;
    DPS_NEED(distance, pairs, "pairwise distances", err);
    dps_status status = dps_row_sample_pairs(sample, absolute, run, distance, err);
    if (status == DPS_OK && sample->weight != NULL) {
        status = weigh_pairs(sample, distance, mean, median, err);
    } else if (status == DPS_OK) {
        double sum = 0.0;
        for (size_t k = 0; k < pairs; k++) {
            sum += distance[k];
        }
        *mean = sum / (double)pairs;
        *median = median_of(distance, pairs);
    }
    dps_free(distance);
    return status;
}

double dps_row_sample_typical(const dps_row_sample *sample, bool absolute)
{
    const int32_t half = sample->rows / 2;
    double sum = 0.0;
    for (int32_t i = 0; i < half; i++) {
        const double distance = merged_distance(sample, i, i + half, absolute);
        sum += absolute ? distance : distance * distance;
    }
    return half > 0 ? sum / half : 0.0;
}

double dps_row_sample_variance(const dps_row_sample *sample)
{
    double count = 0.0, present = 0.0, mean = 0.0, sum = 0.0;
    for (int32_t i = 0; i < sample->rows; i++) {
        const double weight = sample->weight == NULL ? 1.0 : sample->weight[i];
        count += weight * sample->columns;
        present += weight * (double)(sample->start[i + 1] - sample->start[i]);
        for (size_t k = sample->start[i]; k < sample->start[i + 1]; k++) {
            mean += weight * sample->value[k];
        }
    }
    mean /= count;
    for (int32_t i = 0; i < sample->rows; i++) {
        const double weight = sample->weight == NULL ? 1.0 : sample->weight[i];
        for (size_t k = sample->start[i]; k < sample->start[i + 1]; k++) {
            sum += weight * (sample->value[k] - mean) * (sample->value[k] - mean);
        }
    }
    return (sum + (count - present) * mean * mean) / count;
}
