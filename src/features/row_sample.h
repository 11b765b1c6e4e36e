/* Heuristics on a seeded sample of rows: mean and median pairwise distance, variance of the entries
 * (docs/algorithms.md, equation 18). Double arithmetic in one order: the same bits for any number
 * of threads, and for dense and compressed rows. */
#ifndef DPS_ROW_SAMPLE_H
#define DPS_ROW_SAMPLE_H

#include "row_tile.h"
#include "run.h"

#define DPS_SAMPLE_ROWS 2000
#define DPS_ROUGH_ROWS  512 /* where projections move later (map.refine): a 16th of the pairs */

/* Rows without their zeros. */
typedef struct dps_row_sample {
    int32_t rows;
    int32_t columns;
    size_t *start;
    int32_t *column;
    float *value;
    double *weight; /* of each row; NULL: 1 */
    size_t entries, capacity;
} dps_row_sample;

/* `most` rows by stream SAMPLE of `seed`, at most DPS_SAMPLE_ROWS, all of them if there are fewer.
 * All: every rank gets the whole sample. */
DPS_MUST_USE dps_status dps_row_sample_init(dps_row_sample *sample, const dps_row_source *rows,
                                            uint64_t seed, int64_t most, const dps_run *run,
                                            dps_error *err);
void dps_row_sample_release(dps_row_sample *sample); /* accepts a zeroed struct */

/* distance[j (j - 1) / 2 + i] = |x_i - x_j| (absolute: |x_i - x_j|_1), i < j. */
DPS_MUST_USE dps_status dps_row_sample_pairs(const dps_row_sample *sample, bool absolute,
                                             const dps_run *run, double *distance, dps_error *err);

/* A row of weight w counts as w rows: its copies are pairs with each other, too.
 * Mean and median (mean of the middle two) of |x - y| (absolute: |x - y|_1) over all pairs; 0 with
 * fewer than two rows.
 */
DPS_MUST_USE dps_status dps_row_sample_distances(const dps_row_sample *sample, bool absolute,
                                                 const dps_run *run, double *mean, double *median,
                                                 dps_error *err);

/* Mean of |x - y|^2 (absolute: |x - y|_1) over pairs half a sample apart: a cheap idea of the rows'
 * distances; 0 with fewer than two rows. */
double dps_row_sample_typical(const dps_row_sample *sample, bool absolute);

/* Variance of all entries, zeros included. */
double dps_row_sample_variance(const dps_row_sample *sample);

#endif
