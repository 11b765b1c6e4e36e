/* Task: degrees 0 .. k of the kernel carried exactly, H0/1 (k = 1) and beyond:
 *
 *   a_n <x, y>^n = sum over monomials m of degree n of (a_n n! / prod_j k_j!) m(x) m(y),
 *
 * k_j = power of coordinate j in m. Columns: sqrt(a_0); sqrt(a_1) x; then for n = 2 .. k the
 * monomials i_1 <= ... <= i_n in lexicographic order, each times sqrt(a_n n! / prod k_j!). Degrees
 * with a_n = 0 have none. If rows are compressed and wide the linear part is the sparse row itself
 * (recipe.sparse_linear) and is not written here.
 *
 * Source: Kar & Karnick 2012, section 6.1 for k = 1; the multinomial theorem above
 * (docs/algorithms.md, equation 10).
 *
 * Cost: C(d+n-1, n) columns and two multiplications each: a monomial is its parent (the same
 * without the last coordinate) times one coordinate, and the children of a parent follow each
 * other, so that the inner loop runs over consecutive coordinates.
 *
 * Why monomials of x / input_scale: they stay in [-1, 1]; the weights, made in double, carry the
 * powers. */
#include "exact.h"
#include <assert.h>
#include <math.h>
#include "allocation.h"

/* Degree 1 of a metric is a block of the layout: x T. */
static bool carries(const dps_map_recipe *recipe, int32_t n)
{
    return !(n == 1 && recipe->refine == DPS_REFINE_METRIC) && n <= recipe->exact_degree &&
           dps_kernel_coefficient(&recipe->kernel, n) > 0.0;
}

static int32_t highest_degree(const dps_map_recipe *recipe)
{
    int32_t degree = recipe->exact_degree;
    while (degree >= 0 && !carries(recipe, degree)) {
        degree--;
    }
    return degree;
}

/* C(d+n-1, n) from C(d+n-2, n-1); false beyond 2^31. */
static bool next_count(size_t before, int32_t columns, int32_t n, size_t *count)
{
    size_t product;
    if (!dps_size_mul(before, (size_t)columns + (size_t)n - 1, &product)) {
        return false;
    }
    *count = product / (size_t)n;
    return *count <= INT32_MAX;
}

dps_status dps_exact_measure(dps_exact_size *size, const dps_map_recipe *recipe, int32_t columns,
                             dps_error *err)
{
    assert(recipe->exact_degree <= DPS_MAX_EXACT_DEGREE);
    *size = (dps_exact_size){.degree = highest_degree(recipe)};
    size_t count = 1;
    for (int32_t n = 0; n <= size->degree; n++) {
        if (n > 0 && !next_count(count, columns, n, &count)) {
            return dps_error_set(err, DPS_ERROR_CONFIG,
                                 "map.exact_degree = %d: %d columns have more than 2^31 monomials "
                                 "of degree %d; lower map.exact_degree",
                                 recipe->exact_degree, columns, n);
        }
        if (n >= 2) {
            size->bytes += count * (sizeof(float) + (n < size->degree ? sizeof(int32_t) : 0));
            size->flops_per_row += 2.0 * (double)count;
        }
        if (carries(recipe, n) && !(n == 1 && recipe->sparse_linear)) {
            size->width += count;
            size->flops_per_row += n == 1 ? (double)count : 0.0;
        }
    }
    if (size->width > INT32_MAX) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "map.exact_degree = %d: more than 2^31 exact columns; lower it",
                             recipe->exact_degree);
    }
    return DPS_OK;
}

/* Fills last and weight of degree n from the monomials of degree n - 1. power: multiplicity of the
 * last coordinate; share: n! / prod k_j!. Both grow from their parent's: a child that repeats the
 * last coordinate divides by its new multiplicity. */
typedef struct monomials {
    size_t count;
    int32_t *last;
    int32_t *power;
    double *share;
} monomials;

static void monomials_release(monomials *m)
{
    dps_free(m->last);
    dps_free(m->power);
    dps_free(m->share);
    *m = (monomials){0};
}

static dps_status monomials_alloc(monomials *m, size_t count, dps_error *err)
{
    *m = (monomials){.count = count,
                     .last = dps_alloc(count, sizeof(*m->last)),
                     .power = dps_alloc(count, sizeof(*m->power)),
                     .share = dps_alloc(count, sizeof(*m->share))};
    if (m->last == NULL || m->power == NULL || m->share == NULL) {
        monomials_release(m);
        return dps_out_of_memory(err, count, sizeof(*m->last) + sizeof(*m->power) + sizeof(double),
                                 "exact monomials (map.exact_degree)");
    }
    return DPS_OK;
}

static dps_status monomials_next(const monomials *parent, monomials *child, int32_t columns,
                                 int32_t n, dps_error *err)
{
    size_t count = 0;
    if (!next_count(parent->count, columns, n, &count)) {
        return dps_error_set(err, DPS_ERROR_CONFIG, "map.exact_degree: too many monomials");
    }
    DPS_TRY(monomials_alloc(child, count, err));
    size_t at = 0;
    for (size_t i = 0; i < parent->count; i++) {
        const int32_t first = n == 1 ? 0 : parent->last[i];
        for (int32_t j = first; j < columns; j++, at++) {
            child->last[at] = j;
            child->power[at] = n > 1 && j == parent->last[i] ? parent->power[i] + 1 : 1;
            child->share[at] = parent->share[i] * n / child->power[at];
        }
    }
    assert(at == count);
    return DPS_OK;
}

static dps_status store_degree(dps_exact *exact, const dps_map_recipe *recipe, int32_t n,
                               const monomials *m, dps_error *err)
{
    exact->count[n] = m->count;
    if (n < exact->degree) {
        DPS_NEED(exact->last[n], m->count, "exact monomials", err);
        for (size_t i = 0; i < m->count; i++) {
            exact->last[n][i] = m->last[i];
        }
    }
    if (!carries(recipe, n)) {
        return DPS_OK;
    }
    DPS_NEED(exact->weight[n], m->count, "exact monomials", err);
    const double scale = recipe->input_scale;
    const double term = dps_kernel_term(&recipe->kernel, n, scale * scale);
    for (size_t i = 0; i < m->count; i++) {
        exact->weight[n][i] = (float)(sqrt(term * m->share[i]) * recipe->factor);
        if (!isfinite(exact->weight[n][i])) {
            return dps_error_set(err, DPS_ERROR_NUMERIC,
                                 "weights of the monomials of degree %d leave the range of float; "
                                 "shrink the rows (data.normalize) or lower map.exact_degree",
                                 n);
        }
    }
    exact->width += (int32_t)m->count;
    return DPS_OK;
}

dps_status dps_exact_init(dps_exact *exact, const dps_map_recipe *recipe, int32_t columns,
                          dps_error *err)
{
    dps_exact_size size;
    DPS_TRY(dps_exact_measure(&size, recipe, columns, err));
    const double a0 = dps_kernel_coefficient(&recipe->kernel, 0);
    const double a1 = dps_kernel_coefficient(&recipe->kernel, 1);
    *exact = (dps_exact){.columns = columns,
                         .degree = size.degree,
                         .constant = carries(recipe, 0),
                         .linear = carries(recipe, 1) && !recipe->sparse_linear,
                         .constant_value = (float)(sqrt(a0) * recipe->factor),
                         .linear_weight = (float)(sqrt(a1) * recipe->factor),
                         .input_inverse = (float)(1.0 / recipe->input_scale)};
    exact->width = (exact->constant ? 1 : 0) + (exact->linear ? columns : 0);

    monomials parent = {0}, child = {0};
    dps_status status = DPS_OK;
    if (exact->degree >= 2) {
        status = monomials_alloc(&parent, 1, err);
        if (status == DPS_OK) {
            parent.share[0] = 1.0;
        }
    }
    for (int32_t n = 1; status == DPS_OK && exact->degree >= 2 && n <= exact->degree; n++) {
        status = monomials_next(&parent, &child, columns, n, err);
        if (status == DPS_OK && n >= 2) {
            status = store_degree(exact, recipe, n, &child, err);
        }
        monomials_release(&parent);
        parent = child;
        child = (monomials){0};
    }
    monomials_release(&parent);
    if (status != DPS_OK) {
        dps_exact_release(exact);
        return status;
    }
    assert((size_t)exact->width == size.width);
    return DPS_OK;
}

void dps_exact_release(dps_exact *exact)
{
    for (int32_t n = 0; n <= DPS_MAX_EXACT_DEGREE; n++) {
        dps_free(exact->last[n]);
        dps_free(exact->weight[n]);
    }
    *exact = (dps_exact){0};
}

/* The scaled row and two generations of monomials. */
size_t dps_exact_scratch(const dps_exact *exact)
{
    return exact->degree < 2 ? 0
                             : (size_t)exact->columns + exact->count[exact->degree - 1] +
                                   exact->count[exact->degree];
}

static size_t multiply_out(const dps_exact *exact, int32_t n, const float *parent, const float *x,
                           float *child)
{
    size_t at = 0;
    const size_t parents = n == 2 ? (size_t)exact->columns : exact->count[n - 1];
    for (size_t i = 0; i < parents; i++) {
        const float value = parent[i];
        for (int32_t j = n == 2 ? (int32_t)i : exact->last[n - 1][i]; j < exact->columns; j++) {
            child[at++] = value * x[j];
        }
    }
    return at;
}

void dps_exact_row(const dps_exact *exact, const float *x, float *z, float *scratch)
{
    const size_t d = (size_t)exact->columns;
    if (exact->constant) {
        *z++ = exact->constant_value;
    }
    if (exact->linear) {
        for (size_t j = 0; j < d; j++) {
            *z++ = exact->linear_weight * x[j];
        }
    }
    if (exact->degree < 2) {
        return;
    }
    float *scaled = scratch;
    for (size_t j = 0; j < d; j++) {
        scaled[j] = exact->input_inverse * x[j];
    }
    /* Generations take turns in two buffers; each holds degrees of one parity, the largest of which
     * are the last two. */
    float *buffer[2] = {scratch + d, scratch + d + exact->count[exact->degree]};
    const float *parent = scaled;
    for (int32_t n = 2; n <= exact->degree; n++) {
        float *child = buffer[(exact->degree - n) % 2];
        const size_t count = multiply_out(exact, n, parent, scaled, child);
        if (exact->weight[n] != NULL) {
            for (size_t i = 0; i < count; i++) {
                *z++ = exact->weight[n][i] * child[i];
            }
        }
        parent = child;
    }
}

int32_t dps_exact_column_degree(const dps_exact *exact, int32_t j)
{
    assert(0 <= j && j < exact->width);
    int32_t end = exact->constant ? 1 : 0;
    if (j < end) {
        return 0;
    }
    end += exact->linear ? exact->columns : 0;
    int32_t n = 1;
    while (j >= end) {
        n++;
        end += exact->weight[n] != NULL ? (int32_t)exact->count[n] : 0;
    }
    return n;
}
