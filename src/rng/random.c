/* Randomness as a function of (seed, stream, feature, factor, block).
 *
 * Generator: Philox4x32-10 (J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, Parallel Random
 * Numbers: As Easy as 1, 2, 3, SC 2011), counter = (block, factor, feature, stream | sub-block <<
 * 16), key = seed, low word first. Derived draws use + - * / and sqrt only: the same bits on every
 * machine.
 *
 * Normal: inversion of one uniform by rational functions (M. J. Wichura, Algorithm AS 241, Applied
 * Statistics 37, 1988, PPND16), about 1e-16 relative; inversion uses one draw a number, which keeps
 * element `index` a function of its own place. */
#include "random.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <Random123/philox.h>

#include "exact_log.h"

static void draw_block(uint64_t seed, uint32_t stream_word, uint32_t feature, uint32_t factor,
                       uint32_t block, uint32_t out[4])
{
    const philox4x32_ctr_t counter = {{block, factor, feature, stream_word}};
    const philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    const philox4x32_ctr_t bits = philox4x32_R(10, counter, key);
    memcpy(out, bits.v, sizeof bits.v);
}

void dps_random_block(uint64_t seed, dps_stream stream, uint32_t feature, uint32_t factor,
                      uint32_t block, uint32_t out[4])
{
    draw_block(seed, (uint32_t)stream, feature, factor, block, out);
}

static uint64_t join(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

static double uniform_of(uint32_t low, uint32_t high)
{
    return ((double)(join(low, high) >> 12) + 0.5) * 0x1p-52;
}

double dps_random_uniform(uint64_t seed, dps_stream stream, uint32_t feature, uint32_t factor,
                          uint32_t index)
{
    uint32_t bits[4];
    dps_random_block(seed, stream, feature, factor, index / 2, bits);
    const size_t half = 2 * (index % 2);
    return uniform_of(bits[half], bits[half + 1]);
}

static double polynomial(const double c[8], double x)
{
    double value = c[7];
    for (int i = 6; i >= 0; i--) {
        value = value * x + c[i];
    }
    return value;
}

static const double middle_reach =
    0.425; /* |p - 1/2| up to which the first of three regions reaches */

/* The first region's value. */
static double middle_quantile(double q)
{
    static const double a[8] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                                1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                3.3430575583588128105e+4, 2.5090809287301226727e+3};
    static const double b[8] = {1.0,
                                4.2313330701600911252e+1,
                                6.8718700749205790830e+2,
                                5.3941960214247511077e+3,
                                2.1213794301586595867e+4,
                                3.9307895800092710610e+4,
                                2.8729085735721942674e+4,
                                5.2264952788528545610e+3};
    const double r = 0.180625 - q * q;
    return q * polynomial(a, r) / polynomial(b, r);
}

static double tail_quantile(double p)
{
    static const double c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                5.76949722146069140550e0,  3.64784832476320460504e0,
                                1.27045825245236838258e0,  2.41780725177450611770e-1,
                                2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static const double d[8] = {1.0,
                                2.05319162663775882187e0,
                                1.67638483018380384940e0,
                                6.89767334985100004550e-1,
                                1.48103976427480074590e-1,
                                1.51986665636164571966e-2,
                                5.47593808499534494600e-4,
                                1.05075007164441684324e-9};
    static const double e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                1.78482653991729133580e0,  2.96560571828504891230e-1,
                                2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static const double f[8] = {1.0,
                                5.99832206555887937690e-1,
                                1.36929880922735805310e-1,
                                1.48753612908506148525e-2,
                                7.86869131145613259100e-4,
                                1.84631831751005468180e-5,
                                1.42151175831644588870e-7,
                                2.04426310338993978564e-15};
    const bool lower = p < 0.5;
    const double r = sqrt(-dps_log_exact_ops(lower ? p : 1.0 - p));
    const double value = r <= 5.0 ? polynomial(c, r - 1.6) / polynomial(d, r - 1.6)
                                  : polynomial(e, r - 5.0) / polynomial(f, r - 5.0);
    return lower ? -value : value;
}

/* Ratios of polynomials of degree 7 in three regions. */
double dps_normal_quantile(double p)
{
    const double q = p - 0.5;
    return fabs(q) <= middle_reach ? middle_quantile(q) : tail_quantile(p);
}

double dps_random_normal(uint64_t seed, dps_stream stream, uint32_t feature, uint32_t factor,
                         uint32_t index)
{
    return dps_normal_quantile(dps_random_uniform(seed, stream, feature, factor, index));
}

/* All as if they were of the middle, which the compiler does several at a time, then the tails. */
void dps_random_normals(uint64_t seed, dps_stream stream, uint32_t feature, uint32_t factor,
                        uint32_t first, int count, double *normal)
{
    double p[DPS_RANDOM_NORMALS];
    assert(first % 2 == 0 && count <= DPS_RANDOM_NORMALS);
    for (int i = 0; i < count; i += 2) {
        uint32_t bits[4];
        dps_random_block(seed, stream, feature, factor, (first + (uint32_t)i) / 2, bits);
        p[i] = uniform_of(bits[0], bits[1]);
        p[i + 1] = uniform_of(bits[2], bits[3]);
    }
    for (int i = 0; i < count; i++) {
        normal[i] = middle_quantile(p[i] - 0.5);
    }
    for (int i = 0; i < count; i++) {
        if (!(fabs(p[i] - 0.5) <= middle_reach)) {
            normal[i] = tail_quantile(p[i]);
        }
    }
}

void dps_normal_walk_start(dps_normal_walk *walk, uint64_t seed, dps_stream stream,
                           uint32_t feature, uint32_t factor, int32_t count)
{
    walk->seed = seed;
    walk->stream = stream;
    walk->feature = feature;
    walk->factor = factor;
    walk->count = count;
    walk->next = 0;
}

double dps_normal_walk_next(dps_normal_walk *walk)
{
    const int32_t at = walk->next % DPS_RANDOM_NORMALS, left = walk->count - walk->next;
    if (at == 0) {
        dps_random_normals(walk->seed, walk->stream, walk->feature, walk->factor,
                           (uint32_t)walk->next,
                           left < DPS_RANDOM_NORMALS ? left : DPS_RANDOM_NORMALS, walk->normal);
    }
    walk->next++;
    return walk->normal[at];
}

/* Element `index` has the sub-blocks 1, 2, ... of block `index` to itself; each offers two numbers
 * of 64 bits, and the 2^64 mod n smallest are rejected so that the rest divides evenly. */
uint64_t dps_random_below(uint64_t seed, dps_stream stream, uint32_t feature, uint32_t factor,
                          uint32_t index, uint64_t n)
{
    assert(n >= 1);
    const uint64_t rejected = (0 - n) % n;
    for (uint32_t sub = 1;; sub++) {
        uint32_t bits[4];
        draw_block(seed, (uint32_t)stream | sub << 16, feature, factor, index, bits);
        const uint64_t first = join(bits[0], bits[1]);
        const uint64_t second = join(bits[2], bits[3]);
        if (first >= rejected) {
            return first % n;
        }
        if (second >= rejected) {
            return second % n;
        }
    }
}

void dps_random_permutation(uint64_t seed, dps_stream stream, uint32_t feature, uint32_t factor,
                            int64_t n, int64_t *permutation)
{
    assert(n <= (int64_t)UINT32_MAX);
    for (int64_t i = 0; i < n; i++) {
        permutation[i] = i;
    }
    for (int64_t i = n - 1; i > 0; i--) {
        const int64_t j =
            (int64_t)dps_random_below(seed, stream, feature, factor, (uint32_t)i, (uint64_t)i + 1);
        const int64_t swap = permutation[i];
        permutation[i] = permutation[j];
        permutation[j] = swap;
    }
}

static int64_t draw_below(uint64_t seed, dps_stream stream, int64_t index, int64_t n)
{
    return (int64_t)dps_random_below(seed, stream, 0, 0, (uint32_t)index, (uint64_t)n);
}

/* R. W. Floyd's method (Bentley, Programming Pearls, CACM 1987) on a sorted list: for a few of
 * many. */
static void sample_few(uint64_t seed, dps_stream stream, int64_t n, int64_t count, int64_t *sample)
{
    for (int64_t have = 0; have < count; have++) {
        const int64_t last = n - count + have; /* larger than all that are there */
        const int64_t drawn = draw_below(seed, stream, have, last + 1);
        int64_t low = 0;
        int64_t high = have;
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            if (sample[middle] < drawn) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low < have && sample[low] == drawn) {
            sample[have] = last;
        } else {
            memmove(sample + low + 1, sample + low, (size_t)(have - low) * sizeof *sample);
            sample[low] = drawn;
        }
    }
}

/* Selection sampling (Knuth, TAOCP 2, 3.4.2, Algorithm S): one draw a candidate, for many of many.
 */
static void sample_many(uint64_t seed, dps_stream stream, int64_t n, int64_t count, int64_t *sample)
{
    int64_t have = 0;
    for (int64_t i = 0; have < count; i++) {
        if (draw_below(seed, stream, i, n - i) < count - have) {
            sample[have++] = i;
        }
    }
}

int64_t dps_random_sample(uint64_t seed, dps_stream stream, int64_t n, int64_t count,
                          int64_t *sample)
{
    assert(n <= (int64_t)UINT32_MAX);
    if (count >= n) {
        for (int64_t i = 0; i < n; i++) {
            sample[i] = i;
        }
        return n;
    }
    if (count < 16 || count < n / (count / 16)) { /* count^2/16 moves are less than n draws */
        sample_few(seed, stream, n, count, sample);
    } else {
        sample_many(seed, stream, n, count, sample);
    }
    return count;
}
