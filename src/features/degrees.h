/* The external measure q on degrees and draws from it (docs/algorithms.md, equations 5 to 9). */
#ifndef DPS_DEGREES_H
#define DPS_DEGREES_H

#include "recipe.h"

/* q(n) = probability of degree n; 0 for degrees that are carried exactly and beyond
 * DPS_MAX_DEGREE. */
typedef struct dps_degree_law {
    int32_t first, last;                   /* smallest and largest n with q(n) > 0 */
    double total;                          /* sum of the weights before normalising */
    double cumulative[DPS_MAX_DEGREE + 1]; /* of the weights, from `first` */
    double q[DPS_MAX_DEGREE + 1];
} dps_degree_law;

/* Whether degree n is carried by exact columns: n <= exact_degree. */
static inline bool dps_degree_is_exact(const dps_map_recipe *recipe, int32_t n)
{
    return n <= recipe->exact_degree;
}

/* Which degrees map.truncate keeps; returns the sum of a_n t^n of those it drops at t =
 * recipe->largest_argument (docs/algorithms.md, equation 25). Exact degrees are kept. */
double dps_degrees_truncate(const dps_map_recipe *recipe, bool kept[DPS_MAX_DEGREE + 1]);

/* Whether any degree with a_n > 0 is left to estimate. */
bool dps_degrees_remain(const dps_map_recipe *recipe);

/* The recipe's measure, conditioned on the degrees that are not exact (some must remain).
 * DPS_ERROR_NUMERIC where the measure leaves double's range. */
DPS_MUST_USE dps_status dps_degree_law_init(dps_degree_law *law, const dps_map_recipe *recipe,
                                            dps_error *err);

/* Smallest n with u * total < cumulative(n): inversion by comparison only. 0 < u < 1. */
int32_t dps_degree_at(const dps_degree_law *law, double u);

/* Degree of random feature i. Depends on the law, allocation and seed, not on D. */
int32_t dps_degree_of_feature(const dps_degree_law *law, const dps_map_recipe *recipe, int32_t i);

/* sqrt(a_n s^(2n) / q(n)): what multiplies the product of n projections of x / s. 0 where a_n = 0.
 */
double dps_degree_weight(const dps_degree_law *law, const dps_map_recipe *recipe, int32_t n,
                         double s);

#endif
