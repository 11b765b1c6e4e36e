/* What the contracts of blocks and of shards ask alike. Included after cmocka.h. */
#ifndef SHARING_H
#define SHARING_H

#include "contract/solver/synthetic_problem.h"

#define EACH(item, list)                                                                           \
    size_t item = 0;                                                                               \
    item < sizeof(list) / sizeof((list)[0]);                                                       \
    item++

static const char *const losses[] = {"squared_hinge", "hinge", "logistic",
                                     "squared_epsilon_insensitive", "epsilon_insensitive"};

/* P of the certificates is P of w, up to two orders of summation over 1e4 rows: 1e4 * 2^-53 =
 * 1e-12. */
static inline void expect_own_values(const synthetic *s, const dps_solution *solution)
{
    for (int32_t k = 0; k < solution->models; k++) {
        const double P = synthetic_primal(s, k, solution->w + (size_t)k * solution->length);
        assert_true(fabs(P - solution->certificate[k].primal) <= 1e-11 * P);
    }
}

static inline void expect_same_bits(const dps_solution *a, const dps_solution *b)
{
    const size_t models = (size_t)a->models;
    assert_memory_equal(a->w, b->w, models * a->length * sizeof(double));
    assert_memory_equal(a->certificate, b->certificate, models * sizeof *a->certificate);
}

/* Weights of rows, a third of them 0, and of classes; to be freed. */
static inline double *weigh(synthetic *s)
{
    double *weight = dps_alloc((size_t)s->source.rows, sizeof *weight);
    for (int64_t i = 0; i < s->source.rows; i++) {
        weight[i] = i % 3 == 0 ? 0.0 : 1.5;
    }
    s->class_weight[1] = 2.0;
    s->problem.row_weight = weight;
    return weight;
}

static inline void expect_between(const dps_solution *found, const dps_solution *best)
{
    assert_true(found->worst.primal <= best->worst.primal * (1.0 + 1.1e-4));
    assert_true(found->worst.primal >= best->worst.primal * (1.0 - 1e-7));
}

#endif
