/* Task: map.measure = variance, the q that makes the error of the kernel smallest on pairs of
 * training rows (docs/algorithms.md, equation 24):
 *
 *   q(n) proportional to a_n sqrt(V_n),   V_n = mean over pairs of variance of a feature of degree
 * n
 *
 * With D_n = D q(n) features of degree n the mean squared error is sum_n a_n^2 V_n / D_n; Lagrange
 * gives D_n. Variance of a feature: second moment minus s^2n, second moments of (23); for iid
 * degrees the second moment itself counts, since the draw of the degree adds s^2n. For stratified
 * ones V_n is taken no smaller than a hundredth of the second moment: counts of features deviate
 * from D q(n).
 *
 * Source: Wacker, Kanagawa & Filippone 2022, section 4 (allocation), in closed form for independent
 * features; Hadamard blocks are taken as independent.
 *
 * Cost: PAIRS merges of two rows and PAIRS multiplications a degree. Powers are taken relative to
 * the largest moment, so that they stay in range. */
#include "plan_variance.h"
#include <math.h>
#include <string.h>
#include "allocation.h"
#include "degrees.h"
#include "map_layout.h"
#include "random.h"
#include "row_sample.h"

enum { PAIRS = 10000 };
static const double least_share = 0.01;
static const double never_drawn = 0x1p-53; /* uniform draws have 52 bits */

/* Of one factor, relative to the largest second moment: E |P|^2, E P^2 (pairs only), s^2; and their
 * powers. */
typedef struct pair_moments {
    double second, square, mean2;
    double second_power, square_power, mean2_power;
} pair_moments;

typedef struct products {
    double inner, norm2_x, norm2_y, squares, distance2, distance1;
    double additive, additive_square; /* sum k(x_j, y_j), sum x_j y_j K(2 log(x_j / y_j)) */
} products;

static products products_of(const dps_row_sample *s, bool chi2, int64_t i, int64_t j)
{
    products p = {0};
    size_t a = s->start[i], b = s->start[j];
    const size_t a_end = s->start[i + 1], b_end = s->start[j + 1];
    while (a < a_end || b < b_end) {
        const int32_t ca = a < a_end ? s->column[a] : INT32_MAX;
        const int32_t cb = b < b_end ? s->column[b] : INT32_MAX;
        const double x = ca <= cb ? s->value[a] : 0.0, y = cb <= ca ? s->value[b] : 0.0;
        a += ca <= cb;
        b += cb <= ca;
        p.inner += x * y;
        p.norm2_x += x * x;
        p.norm2_y += y * y;
        p.squares += x * x * y * y;
        p.distance2 += (x - y) * (x - y);
        p.distance1 += fabs(x - y);
        if (x > 0.0 && y > 0.0) {
            p.additive += chi2 ? 2.0 * x * y / (x + y) : fmin(x, y);
            p.additive_square +=
                chi2 ? 2.0 * x * x * y * y / (x * x + y * y) : fmin(x, y) * fmin(x, y);
        }
    }
    return p;
}

static pair_moments moments_of(const dps_map_recipe *recipe, int32_t columns, const products *p)
{
    if (dps_recipe_is_additive(recipe)) {
        return (pair_moments){.second = columns * (p->inner + 0.5 * p->additive_square),
                              .mean2 = p->additive * p->additive};
    }
    if (!dps_recipe_is_dot(recipe)) {
        const bool laplacian = recipe->base == DPS_BASE_LAPLACIAN;
        const double k = exp(-recipe->base_gamma * (laplacian ? p->distance1 : p->distance2));
        return (pair_moments){.second = 1.0 + 0.5 * (laplacian ? k * k : k * k * k * k),
                              .mean2 = k * k};
    }
    const double s2 = p->inner * p->inner, norms = p->norm2_x * p->norm2_y;
    if (dps_projects_pairs(recipe)) {
        return (pair_moments){
            .second = norms + s2 - p->squares, .square = 2.0 * s2 - p->squares, .mean2 = s2};
    }
    const double fewer = recipe->projection == DPS_PROJECTION_GAUSSIAN ? 0.0 : p->squares;
    return (pair_moments){.second = norms + 2.0 * (s2 - fewer), .mean2 = s2};
}

/* Returns T^2, the largest second moment, by which all others are divided. */
static double sample_pairs(const dps_map_recipe *recipe, const dps_row_sample *sample,
                           pair_moments *pair)
{
    const uint64_t count = (uint64_t)sample->rows;
    double largest = 0.0;
    for (uint32_t k = 0; k < PAIRS; k++) {
        const int64_t i =
            (int64_t)dps_random_below(recipe->seed, DPS_STREAM_SAMPLE, 1, 0, k, count);
        const int64_t step = count < 2
                                 ? 0
                                 : 1 + (int64_t)dps_random_below(recipe->seed, DPS_STREAM_SAMPLE, 1,
                                                                 1, k, count - 1);
        const products p =
            products_of(sample, recipe->base == DPS_BASE_CHI2, i, (i + step) % (int64_t)count);
        pair[k] = moments_of(recipe, sample->columns, &p);
        largest = fmax(largest, pair[k].second);
    }
    for (uint32_t k = 0; k < PAIRS && largest > 0.0; k++) {
        pair[k].second /= largest;
        pair[k].square /= largest;
        pair[k].mean2 /= largest;
    }
    for (uint32_t k = 0; k < PAIRS; k++) {
        pair[k].second_power = pair[k].square_power = pair[k].mean2_power = 1.0;
    }
    return largest;
}

/* V_n / T^2n for the powers as they stand. */
static double mean_variance(const dps_map_recipe *recipe, const pair_moments *pair)
{
    const bool pairs = dps_projects_pairs(recipe);
    double second = 0.0, variance = 0.0;
    for (uint32_t k = 0; k < PAIRS; k++) {
        const double own =
            pairs ? 0.5 * (pair[k].second_power + pair[k].square_power) : pair[k].second_power;
        second += own / PAIRS;
        variance += (own - pair[k].mean2_power) / PAIRS;
    }
    return recipe->allocation == DPS_ALLOCATION_IID ? second : fmax(variance, least_share * second);
}

static void weigh_degrees(dps_map_recipe *recipe, pair_moments *pair, double largest)
{
    const int32_t end = dps_kernel_last_degree(&recipe->kernel);
    const int32_t last = end < 0 || end > DPS_MAX_DEGREE ? DPS_MAX_DEGREE : end;
    memset(recipe->weight, 0, sizeof(recipe->weight));
    for (int32_t n = 0; n <= last; n++) {
        const double variance = mean_variance(recipe, pair);
        recipe->weight[n] =
            dps_degree_is_exact(recipe, n)
                ? 0.0
                : dps_kernel_term(&recipe->kernel, n, sqrt(largest)) * sqrt(variance);
        for (uint32_t k = 0; k < PAIRS; k++) {
            pair[k].second_power *= pair[k].second;
            pair[k].square_power *= pair[k].square;
            pair[k].mean2_power *= pair[k].mean2;
        }
    }
    double total = 0.0, tail = 0.0;
    for (int32_t n = 0; n <= DPS_MAX_DEGREE; n++) {
        total += recipe->weight[n];
    }
    recipe->weight_count = DPS_MAX_DEGREE + 1;
    while (recipe->weight_count > 1) {
        tail += recipe->weight[recipe->weight_count - 1];
        if (tail > never_drawn * total) {
            break;
        }
        recipe->weight[--recipe->weight_count] = 0.0;
    }
}

dps_status dps_plan_variance_weights(dps_map_recipe *recipe, const dps_row_source *rows,
                                     const dps_run *run, dps_error *err)
{
    dps_row_sample sample;
    DPS_TRY(dps_row_sample_init(&sample, rows, recipe->seed, DPS_SAMPLE_ROWS, run, err));
    pair_moments *pair = dps_alloc(PAIRS, sizeof(*pair));
    if (pair != NULL) {
        const double largest = sample_pairs(recipe, &sample, pair);
        weigh_degrees(recipe, pair, largest);
        dps_free(pair);
    }
    dps_row_sample_release(&sample);
    return pair != NULL ? DPS_OK
                        : dps_out_of_memory(err, PAIRS, sizeof(*pair), "moments of pairs of rows");
}
