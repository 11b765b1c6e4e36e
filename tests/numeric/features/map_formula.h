/* The formulas of every map (docs/algorithms.md) in long double, with what float arithmetic may add,
 * for test_map_values.c, which says how that is bounded: uniforms, normals, signs, permutations and
 * numbers below n are taken from rng and signs.h, all else is written out here. */
#ifndef MAP_FORMULA_H
#define MAP_FORMULA_H

#include <float.h>
#include "signs.h"
#include "unit/features/map_fixture.h"

typedef long double real;
enum { ROWS = 3, LAST = DPS_MAX_DEGREE };
static const real u = 0x1p-24L, two_pi = 6.283185307179586476925286766559005768L;

/* A value and how far a float computation of it may be off. */
typedef struct figure {
    real value, error;
} figure;

static figure times(figure a, figure b)
{
    const real size = fabsl(a.value) + a.error, by = fabsl(b.value) + b.error;
    const real value = a.value * b.value;
    return (figure){value, size * by - fabsl(value) + 3 * u * size * by};
}

static figure plus(figure a, figure b)
{
    return (figure){a.value + b.value, a.error + b.error};
}

/* ---- degrees --------------------------------------------------------------------------------- */

/* a_n of the kernel. */
static real coefficient(const dps_map_recipe *r, int32_t n)
{
    const dps_kernel_params *k = &r->kernel;
    real a = 1;
    if (strcmp(k->kernel->name, "exponential") == 0) { /* exp(t / s^2) */
        for (int32_t i = 1; i <= n; i++) {
            a /= (real)i * k->sigma * k->sigma;
        }
        return a;
    }
    if (strcmp(k->kernel->name, "linear") == 0) {
        return n == 1;
    }
    for (int32_t i = 1; i <= n; i++) { /* (t + r)^q */
        a *= (real)(k->degree - n + i) / i;
    }
    for (int32_t i = n; i < k->degree; i++) {
        a *= k->offset;
    }
    return n <= k->degree ? a : 0;
}

static int32_t first_drawn(const dps_map_recipe *r)
{
    return r->exact_degree < 0 ? 0 : r->exact_degree + 1;
}

static void make_law(const dps_map_recipe *r, real q[LAST + 1])
{
    real sum = 0;
    for (int32_t n = 0; n <= LAST; n++) {
        const real weight = r->measure == DPS_MEASURE_GEOMETRIC
                                ? powl(r->p, -n)
                                : coefficient(r, n) * powl(r->mean_norm2, n);
        q[n] = n < first_drawn(r) ? 0 : weight;
        sum += q[n];
    }
    for (int32_t n = 0; n <= LAST; n++) {
        q[n] /= sum;
    }
}

static bool in_pairs(const dps_map_recipe *r)
{
    return r->projection == DPS_PROJECTION_COMPLEX ||
           r->projection == DPS_PROJECTION_COMPLEX_HADAMARD;
}

static int32_t degree_of(const dps_map_recipe *r, const real q[LAST + 1], int32_t feature)
{
    const uint32_t i = (uint32_t)(in_pairs(r) ? feature / 2 : feature);
    real at, sum = 0;
    if (r->allocation == DPS_ALLOCATION_IID) {
        at = dps_random_uniform(r->seed, DPS_STREAM_DEGREE, i, 0, 0);
    } else {
        at = dps_random_uniform(r->seed, DPS_STREAM_DEGREE, 0, 1, 0) + i * (sqrtl(5) - 1) / 2;
        at -= floorl(at);
    }
    for (int32_t n = 0; n <= LAST; n++) {
        sum += q[n];
        if (at < sum) {
            return n;
        }
    }
    return LAST;
}

/* ---- factors --------------------------------------------------------------------------------- */

typedef struct row {
    const float *x;
    int32_t d, k; /* columns; those that are not 0 */
} row;

static figure of_sum(int32_t k, real sum, real size)
{
    return (figure){sum, (real)(k + 4) * u * size};
}

static real sign_of(const dps_map_recipe *r, uint32_t feature, uint32_t factor, int32_t j)
{
    return dps_sign_is_minus(r->seed, feature, factor, (uint32_t)j) ? -1 : 1;
}

static figure sign_projection(const dps_map_recipe *r, row x, uint32_t feature, uint32_t factor)
{
    real sum = 0, size = 0;
    for (int32_t j = 0; j < x.d; j++) {
        sum += sign_of(r, feature, factor, j) * x.x[j];
        size += fabsl((real)x.x[j]);
    }
    return of_sum(x.k, sum, size);
}

static int32_t transform_size(int32_t d)
{
    int32_t size = 16;
    while (size < d) {
        size *= 2;
    }
    return size;
}

/* Output `at` of H diag(signs) x: entries of H are (-1)^(bits in common). */
static figure hadamard_output(const dps_map_recipe *r, row x, uint32_t signs, uint32_t factor,
                              int64_t at)
{
    real sum = 0, size = 0;
    for (int32_t j = 0; j < x.d; j++) {
        const bool minus = __builtin_popcountll((unsigned long long)(at & j)) % 2 == 1;
        sum += (minus ? -1 : 1) * sign_of(r, signs, factor, j) * x.x[j];
        size += fabsl((real)x.x[j]);
    }
    return of_sum(x.k, sum, size);
}

static figure hadamard_projection(const dps_map_recipe *r, row x, int32_t unit, int32_t parts,
                                  int32_t part, uint32_t factor)
{
    const int32_t size = transform_size(x.d);
    const uint32_t block = (uint32_t)(unit / size * size * parts);
    int64_t *order = dps_alloc((size_t)size, sizeof *order);
    assert_non_null(order);
    dps_random_permutation(r->seed, DPS_STREAM_PERMUTE, block, factor, size, order);
    const figure found = hadamard_output(r, x, block + (uint32_t)part, factor, order[unit % size]);
    dps_free(order);
    return found;
}

static figure gaussian_projection(const dps_map_recipe *r, row x, uint32_t feature, uint32_t factor)
{
    real sum = 0, size = 0;
    for (int32_t j = 0; j < x.d; j++) {
        const real w = dps_random_normal(r->seed, DPS_STREAM_GAUSS, feature, factor, (uint32_t)j);
        sum += w * x.x[j];
        size += fabsl(w * x.x[j]);
    }
    return of_sum(x.k, sum, size);
}

/* amplitude cos(sum + phase) */
static figure cosine(int32_t k, real amplitude, real sum, real size, real phase)
{
    const real turns = (real)(k + 4) * u * (size / two_pi + 1);
    return (figure){amplitude * cosl(sum + phase), amplitude * (two_pi * turns + 6 * u + 3 * u)};
}

static real cauchy(const dps_map_recipe *r, uint32_t feature, uint32_t factor, uint32_t k)
{
    return (real)dps_random_normal(r->seed, DPS_STREAM_GAUSS, feature, factor, 2 * k) /
           dps_random_normal(r->seed, DPS_STREAM_GAUSS, feature, factor, 2 * k + 1);
}

/* Frequency j of an RBF exp(-gamma |x - y|^2) or a Laplacian exp(-gamma |x - y|_1). */
static real frequency(const dps_map_recipe *r, uint32_t feature, uint32_t factor, int32_t j)
{
    return r->base == DPS_BASE_LAPLACIAN
               ? r->base_gamma * cauchy(r, feature, factor, (uint32_t)j)
               : sqrtl(2 * (real)r->base_gamma) *
                     dps_random_normal(r->seed, DPS_STREAM_GAUSS, feature, factor, (uint32_t)j);
}

static figure shift_factor(const dps_map_recipe *r, row x, uint32_t feature, uint32_t factor,
                           real amplitude, real phase)
{
    real sum = 0, size = 0;
    for (int32_t j = 0; j < x.d; j++) {
        const real part = frequency(r, feature, factor, j) * x.x[j];
        sum += part;
        size += fabsl(part);
    }
    return cosine(x.k, amplitude, sum, size, phase);
}

/* sqrt(d x_j) cos(w log x_j + phase), j and w drawn: density sech(pi w) of chi2, and
 * 2 / (pi (1 + 4 w^2)) of the intersection. */
static figure additive_factor(const dps_map_recipe *r, row x, uint32_t feature, uint32_t factor,
                              real amplitude, real phase)
{
    const real drawn = cauchy(r, feature, factor, 0);
    const real w = r->base == DPS_BASE_CHI2 ? logl(fabsl(drawn)) / (two_pi / 2) : drawn / 2;
    const int64_t j = (int64_t)dps_random_below(r->seed, DPS_STREAM_COORDINATE, feature, factor, 0,
                                                (uint64_t)x.d);
    const real value = x.x[j];
    if (value <= 0) {
        return (figure){0, 0};
    }
    const real argument = w * logl(value);
    const figure wave = cosine(1, amplitude * sqrtl((real)x.d), argument, fabsl(argument), phase);
    return times(wave, (figure){sqrtl(value), u * sqrtl(value)});
}

static bool is_additive(const dps_map_recipe *r)
{
    return r->base == DPS_BASE_CHI2 || r->base == DPS_BASE_INTERSECTION;
}

static figure base_factor(const dps_map_recipe *r, row x, uint32_t feature, uint32_t factor)
{
    const real phase = two_pi * dps_random_uniform(r->seed, DPS_STREAM_PHASE, feature, factor, 0);
    return is_additive(r) ? additive_factor(r, x, feature, factor, sqrtl(2), phase)
                          : shift_factor(r, x, feature, factor, sqrtl(2), phase);
}

/* ---- random columns -------------------------------------------------------------------------- */

/* Part (real or imaginary) of prod_k (s_k + i t_k) / sqrt(2), times sqrt(2). */
static figure complex_product(const dps_map_recipe *r, row x, int32_t feature, int32_t degree)
{
    figure re = {sqrtl(2), 0}, im = {0, 0};
    for (int32_t k = 0; k < degree; k++) {
        figure part[2];
        for (int32_t i = 0; i < 2; i++) {
            const int32_t own = feature / 2 * 2 + i;
            part[i] = r->projection == DPS_PROJECTION_COMPLEX
                          ? sign_projection(r, x, (uint32_t)own, (uint32_t)k)
                          : hadamard_projection(r, x, feature / 2, 2, i, (uint32_t)k);
            part[i].value /= sqrtl(2);
            part[i].error /= sqrtl(2);
        }
        const figure minus = {-im.value, im.error};
        const figure next = plus(times(re, part[0]), times(minus, part[1]));
        im = plus(times(re, part[1]), times(im, part[0]));
        re = next;
    }
    return feature % 2 == 0 ? re : im;
}

static figure factor_of(const dps_map_recipe *r, row x, int32_t feature, int32_t k)
{
    if (r->type == DPS_MAP_COMPOSITIONAL) {
        return base_factor(r, x, (uint32_t)feature, (uint32_t)k);
    }
    return r->projection == DPS_PROJECTION_GAUSSIAN
               ? gaussian_projection(r, x, (uint32_t)feature, (uint32_t)k)
           : r->projection == DPS_PROJECTION_HADAMARD
               ? hadamard_projection(r, x, feature, 1, 0, (uint32_t)k)
               : sign_projection(r, x, (uint32_t)feature, (uint32_t)k);
}

/* sqrt(a_n / q(n)) times the product of n factors, times factor / sqrt(D). */
static figure random_column(const dps_map_recipe *r, const real *q, row x, int32_t feature,
                            int32_t degree, int32_t drawn)
{
    const real a = coefficient(r, degree);
    const real weight = sqrtl(a / q[degree]) * (real)r->factor / sqrtl((real)drawn);
    figure z = {weight, u * weight};
    if (a == 0) {
        return (figure){0, 0};
    }
    if (in_pairs(r) && degree > 0) {
        return times(z, complex_product(r, x, feature, degree));
    }
    for (int32_t k = 0; k < degree; k++) {
        z = times(z, factor_of(r, x, feature, k));
    }
    return z;
}

/* Features by degree, descending, then by number. Returns how many columns. */
static int32_t random_columns(const dps_map_recipe *r, row x, int32_t drawn, figure *z)
{
    static real q[LAST + 1];
    int32_t count = 0;
    make_law(r, q);
    for (int32_t n = LAST; n >= 0; n--) {
        for (int32_t i = 0; i < drawn; i++) {
            if (degree_of(r, q, i) == n) {
                z[count++] = random_column(r, q, x, i, n, drawn);
            }
        }
    }
    return count;
}

/* sqrt(2 / D) (cos <w, x>, sin <w, x>); w of the k-th group of d frequencies made orthogonal:
 * its length is kept, its direction is what Gram and Schmidt leave of it. */
static void orthogonal_frequencies(const dps_map_recipe *r, int32_t d, int32_t count, real *w)
{
    for (int32_t k = 0; k < count; k++) {
        real *own = w + (size_t)k * (size_t)d, length = 0, left = 0;
        for (int32_t j = 0; j < d; j++) {
            own[j] = frequency(r, (uint32_t)k, 0, j);
            length += own[j] * own[j];
        }
        for (int32_t b = k / d * d; b < k; b++) {
            const real *before = w + (size_t)b * (size_t)d;
            real dot = 0, norm = 0;
            for (int32_t j = 0; j < d; j++) {
                dot += before[j] * own[j];
                norm += before[j] * before[j];
            }
            for (int32_t j = 0; j < d; j++) {
                own[j] -= dot / norm * before[j];
            }
        }
        for (int32_t j = 0; j < d; j++) {
            left += own[j] * own[j];
        }
        for (int32_t j = 0; j < d; j++) {
            own[j] *= sqrtl(length / left);
        }
    }
}

static figure orthogonal_factor(const real *w, row x, real phase)
{
    real sum = 0, size = 0;
    for (int32_t j = 0; j < x.d; j++) {
        sum += w[j] * x.x[j];
        size += fabsl(w[j] * x.x[j]);
    }
    return cosine(x.k, 1, sum, size, phase);
}

static int32_t fourier_columns(const dps_map_recipe *r, row x, int32_t drawn, figure *z)
{
    const size_t d = (size_t)x.d;
    real *w = dps_alloc(d * (size_t)drawn / 2, sizeof *w);
    assert_non_null(w);
    if (r->orthogonal) {
        orthogonal_frequencies(r, x.d, drawn / 2, w);
    }
    const real weight = sqrtl((real)2 / drawn) * (real)r->factor;
    for (int32_t i = 0; i < drawn; i++) {
        const uint32_t pair = (uint32_t)i / 2;
        const real phase = i % 2 == 0 ? 0 : -two_pi / 4; /* sin t = cos(t - pi / 2) */
        const figure wave = r->orthogonal    ? orthogonal_factor(w + pair * d, x, phase)
                            : is_additive(r) ? additive_factor(r, x, pair, 0, 1, phase)
                                             : shift_factor(r, x, pair, 0, 1, phase);
        z[i] = times((figure){weight, u * weight}, wave);
    }
    dps_free(w);
    return drawn;
}

/* map.craft: D outputs, in random order, of one transform of all columns with random signs. */
static int32_t mix(const dps_map_recipe *r, int32_t count, figure *z)
{
    const int32_t size = transform_size(count);
    figure *from = dps_alloc((size_t)count, sizeof *from);
    int64_t *order = dps_alloc((size_t)size, sizeof *order);
    assert_true(from != NULL && order != NULL);
    memcpy(from, z, (size_t)count * sizeof *from);
    dps_random_permutation(r->seed, DPS_STREAM_PERMUTE, UINT32_MAX, 0, size, order);
    for (int32_t i = 0; i < r->features; i++) {
        real sum = 0, error = 0, mass = 0;
        for (int32_t j = 0; j < count; j++) {
            const bool minus = __builtin_popcountll((unsigned long long)(order[i] & j)) % 2 == 1;
            sum += (minus ? -1 : 1) * sign_of(r, UINT32_MAX, 0, j) * from[j].value;
            mass += fabsl(from[j].value) + from[j].error;
            error += from[j].error;
        }
        const real weight = 1 / sqrtl((real)r->features);
        z[i] = (figure){weight * sum, weight * (error + (real)(count + 4) * u * mass)};
    }
    dps_free(from);
    dps_free(order);
    return r->features;
}

/* ---- exact columns --------------------------------------------------------------------------- */

/* Monomials of degree n from coordinate `first` on, in lexicographic order; value: of the
 * coordinates so far; shares: prod k_j! of them; same: how often the last one stands. */
static int32_t monomials(row x, int32_t left, int32_t first, int32_t same, real value, real shares,
                         figure *z, real scale, int32_t n)
{
    int32_t count = 0;
    if (left == 0) {
        const real found = scale / sqrtl(shares) * value;
        z[0] = (figure){found, (real)(n + 4) * u * fabsl(found)};
        return 1;
    }
    for (int32_t j = first; j < x.d; j++) {
        const int32_t power = j == first ? same + 1 : 1;
        count +=
            monomials(x, left - 1, j, power, value * x.x[j], shares * power, z + count, scale, n);
    }
    return count;
}

static int32_t exact_columns(const dps_map_recipe *r, row x, figure *z)
{
    int32_t count = 0;
    real factorial = 1;
    for (int32_t n = 0; n <= r->exact_degree; n++) {
        factorial *= n > 0 ? n : 1;
        const real a = coefficient(r, n);
        if (a > 0) {
            count +=
                monomials(x, n, 0, 0, 1, 1, z + count, sqrtl(a * factorial) * (real)r->factor, n);
        }
    }
    return count;
}

/* ---- all columns ------------------------------------------------------------------------------ */

/* The row's values under a map, into z. Returns their number. */
static int32_t formula(const dps_map_recipe *r, row x, figure *z)
{
    const int32_t drawn = r->features * (r->craft > 1 ? r->craft : 1);
    int32_t count = exact_columns(r, x, z);
    if (r->type == DPS_MAP_NONE) {
        return count;
    }
    figure *random = z + count;
    int32_t columns = r->type == DPS_MAP_FOURIER ? fourier_columns(r, x, drawn, random)
                                                 : random_columns(r, x, drawn, random);
    if (r->craft > 1) {
        columns = mix(r, columns, random);
    }
    return count + columns;
}

#endif
