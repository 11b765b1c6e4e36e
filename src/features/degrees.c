/* Task: which degree each random feature estimates, and with what weight.
 *
 *   geometric    q(n) = (p-1) p^-(n+1), the paper's measure; at p = 2 it is 1/2^(n+1)
 *   coefficient  q(n) proportional to a_n r^(2n)
 *   variance     q(n) as planning found it (plan_variance.c)
 *   feature      Z_i(x) = sqrt(a_N / q(N)) prod_{j<=N} <w_j, x>, N drawn from q
 *
 * conditioned on n > exact_degree and on what map.truncate keeps. Geometric is not conditioned on
 * a_n > 0: as in the paper, those features are zero and count as drawn. Degrees beyond
 * DPS_MAX_DEGREE are cut off and q is renormalised, so that sum_n q(n) (a_n/q(n)) t^n is the series
 * up to there, exactly.
 *
 * Stratified: feature i takes the degree at quantile frac(u + i (sqrt(5)-1)/2) of q, u uniform: a
 * Kronecker sequence. Each feature's degree alone has law q, so the estimator stays unbiased; the
 * counts deviate from D q(n) by at most 2 times the number of Zeckendorf terms of D
 * (docs/algorithms.md, equation 9), and the first D features do not change when D grows.
 *
 * Source: Kar & Karnick 2012, Algorithm 1; factor (p-1) as in docs/algorithms.md, equation 5.
 * Cost: O(DPS_MAX_DEGREE^2) at most for the law, O(log DPS_MAX_DEGREE) a draw.
 *
 * Why no log or pow: inversion by comparison with sums of products has the same bits everywhere. */
#include "degrees.h"
#include <assert.h>
#include <math.h>
#include "random.h"

static const double golden = 0.6180339887498949; /* (sqrt(5) - 1) / 2 */

/* Counters of the stream of degrees: factor 0 is one draw a feature, factor 1 the common u. */
enum { each_feature = 0, common_shift = 1 };

static int32_t last_drawable(const dps_map_recipe *recipe)
{
    const int32_t last = dps_kernel_last_degree(&recipe->kernel);
    return last < 0 || last > DPS_MAX_DEGREE ? DPS_MAX_DEGREE : last;
}

static int32_t first_drawable(const dps_map_recipe *recipe)
{
    return recipe->exact_degree < 0 ? 0 : recipe->exact_degree + 1;
}

/* Drops degrees from the last on. */
static double drop_tail(const double *term, double most, bool *kept)
{
    double dropped = 0.0;
    for (int32_t n = DPS_MAX_DEGREE; n >= 0 && kept[n] && dropped + term[n] <= most; n--) {
        dropped += term[n];
        kept[n] = false;
    }
    return dropped;
}

/* Drops degrees from the smallest term on. */
static double drop_smallest(const double *term, double most, bool *kept)
{
    double dropped = 0.0;
    for (;;) {
        int32_t smallest = -1;
        for (int32_t n = DPS_MAX_DEGREE; n >= 0; n--) {
            if (kept[n] && term[n] >= 0.0 && (smallest < 0 || term[n] < term[smallest])) {
                smallest = n;
            }
        }
        if (smallest < 0 || !(dropped + term[smallest] <= most)) {
            return dropped;
        }
        dropped += term[smallest];
        kept[smallest] = false;
    }
}

double dps_degrees_truncate(const dps_map_recipe *recipe, bool kept[DPS_MAX_DEGREE + 1])
{
    double term[DPS_MAX_DEGREE + 1];
    for (int32_t n = 0; n <= DPS_MAX_DEGREE; n++) {
        kept[n] = true;
    }
    if (!(recipe->truncate > 0.0)) {
        return 0.0;
    }
    for (int32_t n = 0; n <= DPS_MAX_DEGREE; n++) {
        term[n] = dps_degree_is_exact(recipe, n)
                      ? INFINITY
                      : dps_kernel_term(&recipe->kernel, n, recipe->largest_argument);
    }
    return recipe->truncate_mode == DPS_TRUNCATE_PREFIX
               ? drop_tail(term, recipe->truncate, kept)
               : drop_smallest(term, recipe->truncate, kept);
}

bool dps_degrees_remain(const dps_map_recipe *recipe)
{
    bool kept[DPS_MAX_DEGREE + 1];
    dps_degrees_truncate(recipe, kept);
    for (int32_t n = first_drawable(recipe); n <= last_drawable(recipe); n++) {
        if (kept[n] && dps_kernel_coefficient(&recipe->kernel, n) > 0.0) {
            return true;
        }
    }
    return false;
}

static double weight_of(const dps_map_recipe *recipe, int32_t n, double power)
{
    switch (recipe->measure) {
    case DPS_MEASURE_GEOMETRIC:
        return power;
    case DPS_MEASURE_COEFFICIENT:
        return dps_kernel_term(&recipe->kernel, n, recipe->mean_norm2);
    case DPS_MEASURE_VARIANCE:
        return n < recipe->weight_count ? recipe->weight[n] : 0.0;
    }
    return 0.0;
}

static void weigh(double *weight, const dps_map_recipe *recipe)
{
    bool kept[DPS_MAX_DEGREE + 1];
    double power = 1.0;
    dps_degrees_truncate(recipe, kept);
    for (int32_t n = first_drawable(recipe); n <= DPS_MAX_DEGREE; n++, power /= recipe->p) {
        weight[n] = kept[n] ? weight_of(recipe, n, power) : 0.0;
    }
}

dps_status dps_degree_law_init(dps_degree_law *law, const dps_map_recipe *recipe, dps_error *err)
{
    assert(recipe->measure != DPS_MEASURE_GEOMETRIC || recipe->p > 1.0);
    *law = (dps_degree_law){.first = -1, .last = -1};
    weigh(law->q, recipe);
    for (int32_t n = 0; n <= DPS_MAX_DEGREE; n++) {
        law->total += law->q[n];
        law->cumulative[n] = law->total;
        if (law->q[n] > 0.0) {
            law->first = law->first < 0 ? n : law->first;
            law->last = n;
        }
    }
    if (!(law->total > 0.0 && isfinite(law->total))) {
        return dps_error_set(
            err, DPS_ERROR_NUMERIC,
            "map.measure = %s: the weights of the degrees at the mean squared norm "
            "%g add up to %g; rescale the rows (data.normalize) or take "
            "map.measure = geometric",
            dps_name_of(dps_measure_names, recipe->measure), recipe->mean_norm2, law->total);
    }
    for (int32_t n = law->first; n <= law->last; n++) {
        law->q[n] /= law->total;
    }
    return DPS_OK;
}

int32_t dps_degree_at(const dps_degree_law *law, double u)
{
    const double target = u * law->total;
    int32_t low = law->first, high = law->last;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (target < law->cumulative[middle]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

int32_t dps_degree_of_feature(const dps_degree_law *law, const dps_map_recipe *recipe, int32_t i)
{
    if (dps_projects_pairs(recipe)) {
        i /= 2; /* real and imaginary part */
    }
    if (recipe->allocation == DPS_ALLOCATION_IID) {
        return dps_degree_at(
            law, dps_random_uniform(recipe->seed, DPS_STREAM_DEGREE, (uint32_t)i, each_feature, 0));
    }
    const double shift = dps_random_uniform(recipe->seed, DPS_STREAM_DEGREE, 0, common_shift, 0);
    const double step = i * golden;
    const double position = shift + (step - floor(step));
    return dps_degree_at(law, position < 1.0 ? position : position - 1.0);
}

double dps_degree_weight(const dps_degree_law *law, const dps_map_recipe *recipe, int32_t n,
                         double s)
{
    if (law->q[n] == 0.0) {
        return 0.0;
    }
    return sqrt(dps_kernel_term(&recipe->kernel, n, s * s) / law->q[n]);
}
