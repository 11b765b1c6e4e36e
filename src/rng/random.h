/* Randomness as a function. Every draw is Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011;
 * Random123) of (seed, stream, feature, factor, block): nothing depends on the order of evaluation,
 * and adding a consumer cannot shift another's numbers. Derived draws use only + - * / and sqrt, so
 * that they have the same bits on every machine (libm's log and cos do not). */
#ifndef DPS_RANDOM_H
#define DPS_RANDOM_H

#include <stdint.h>
#include <stddef.h>

/* Scheme version stored in models: raise it whenever any draw changes. */
#define DPS_RANDOM_SCHEME 1

/* Who draws. Never renumber. */
typedef enum dps_stream {
    DPS_STREAM_DEGREE = 1,      /* degrees of features; u of the stratified allocation */
    DPS_STREAM_SIGN = 2,        /* Rademacher projections */
    DPS_STREAM_GAUSS = 3,       /* Gaussian projections, random Fourier frequencies */
    DPS_STREAM_PHASE = 4,       /* random Fourier phases */
    DPS_STREAM_SAMPLE = 5,      /* rows sampled for heuristics */
    DPS_STREAM_SHUFFLE = 6,     /* order of rows and tiles in solvers */
    DPS_STREAM_FOLD = 7,        /* folds and splits */
    DPS_STREAM_PERMUTE = 8,     /* outputs of Hadamard blocks */
    DPS_STREAM_COORDINATE = 9,  /* coordinates of additive kernels */
    DPS_STREAM_IMPORTANCE = 10, /* rows among which evaluate deals the values of a column */
    DPS_STREAM_SELF_TEST = 11   /* rows that a model's scores are compared on */
} dps_stream;

/* 128 random bits. Counter = (block, factor, feature, stream), key = seed. */
void dps_random_block(uint64_t seed, dps_stream stream, uint32_t feature, uint32_t factor,
                      uint32_t block, uint32_t out[4]);

/* Uniform in (0, 1): (k + 1/2) / 2^52 with k of 52 bits, element `index` of the sequence
 * (seed, stream, feature, factor); two per block. */
double dps_random_uniform(uint64_t seed, dps_stream stream, uint32_t feature, uint32_t factor,
                          uint32_t index);

/* Standard normal by inversion of that uniform: Wichura's AS 241 (PPND16, 1988) with our own log.
 */
double dps_random_normal(uint64_t seed, dps_stream stream, uint32_t feature, uint32_t factor,
                         uint32_t index);

/* Elements first .. first + count - 1 of the sequence, with the same bits, two to three times as
 * fast; first even, count at most DPS_RANDOM_NORMALS. */
#define DPS_RANDOM_NORMALS 64 /* even */
void dps_random_normals(uint64_t seed, dps_stream stream, uint32_t feature, uint32_t factor,
                        uint32_t first, int count, double *normal);

/* The first `count` elements, one after the other. */
typedef struct dps_normal_walk {
    uint64_t seed;
    dps_stream stream;
    uint32_t feature, factor;
    int32_t count, next;
    double normal[DPS_RANDOM_NORMALS];
} dps_normal_walk;
void dps_normal_walk_start(dps_normal_walk *walk, uint64_t seed, dps_stream stream,
                           uint32_t feature, uint32_t factor, int32_t count);
double dps_normal_walk_next(dps_normal_walk *walk);

/* Quantile of the standard normal distribution, 0 < p < 1, by the same formula. */
double dps_normal_quantile(double p);

/* Uniform integer in [0, n), n >= 1, without bias (rejection inside the sequence's sub-blocks). */
uint64_t dps_random_below(uint64_t seed, dps_stream stream, uint32_t feature, uint32_t factor,
                          uint32_t index, uint64_t n);

/* Random permutation of 0..n-1 (Fisher-Yates, draw i from element i of the sequence). n < 2^32.
 */
void dps_random_permutation(uint64_t seed, dps_stream stream, uint32_t feature, uint32_t factor,
                            int64_t n, int64_t *permutation);

/* `count` distinct numbers of 0..n-1 in ascending order (all of them if count >= n), Floyd's method
 * for few of many, selection sampling for the rest. n < 2^32. Returns how many. */
int64_t dps_random_sample(uint64_t seed, dps_stream stream, int64_t n, int64_t count,
                          int64_t *sample);

#endif
