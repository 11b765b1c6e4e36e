/* Task: the ascending function of the decision value that fits the classes best,
 *     min over ascending p of sum_i (t_i - p(s_i))^2,
 * which the pool-adjacent-violators algorithm finds (Ayer et al. 1955; for scores of classifiers
 * Zadrozny & Elkan, Transforming Classifier Scores into Accurate Multiclass Probability Estimates,
 * 2002): in the order of scores, neighbours whose means are out of order become one block. t_i are
 * Platt's targets, (N+ + 1) / (N+ + 2) and 1 / (N- + 2), so that no probability is 0 or 1 and no
 * row costs an infinite log-loss. A block is constant from its first score to its last; between
 * blocks the function is linear. A row of weight w counts as w rows. Without weights sums are of
 * whole numbers, exact in any order; with them equal scores are added up in the order of their
 * weights. Cost: a sort. */
#include "isotonic.h"

#include <stdlib.h>
#include "allocation.h"

typedef struct sample {
    double score, weight;
    bool positive;
} sample;

typedef struct block {
    double first, last; /* scores */
    double rows, positives;
} block;

static int by_score(const void *a, const void *b)
{
    const sample *x = a, *y = b;
    const int order = (x->score > y->score) - (x->score < y->score);
    return order != 0 ? order : (x->weight > y->weight) - (x->weight < y->weight);
}

static bool in_order(const block *a, const block *b)
{
    return a->positives * b->rows < b->positives * a->rows;
}

/* Blocks of equal scores, then of violators; returns how many. */
static int64_t pool(const sample *s, int64_t rows, block *out)
{
    int64_t count = 0;
    for (int64_t i = 0; i < rows;) {
        block next = {.first = s[i].score, .last = s[i].score};
        for (; i < rows && s[i].score == next.first; i++) {
            next.rows += s[i].weight;
            next.positives += s[i].positive ? s[i].weight : 0;
        }
        while (count > 0 && !in_order(&out[count - 1], &next)) {
            count--;
            next.first = out[count].first;
            next.rows += out[count].rows;
            next.positives += out[count].positives;
        }
        out[count++] = next;
    }
    return count;
}

/* Both ends of every block. */
static int32_t make_knots(const block *blocks, int64_t count, double high, double low,
                          double *score, double *p)
{
    int32_t knots = 0;
    for (int64_t k = 0; k < count; k++) {
        const block *b = &blocks[k];
        const double mean = (b->positives * high + (b->rows - b->positives) * low) / b->rows;
        score[knots] = b->first;
        p[knots++] = mean;
        if (b->last > b->first) {
            score[knots] = b->last;
            p[knots++] = mean;
        }
    }
    return knots;
}

dps_status dps_isotonic_fit(const double *value, const bool *positive, const double *weight,
                            int64_t rows, int32_t *count, double **score, double **p,
                            dps_error *err)
{
    double positives = 0, negatives = 0;
    sample *s = dps_alloc((size_t)rows, sizeof *s);
    block *blocks = dps_alloc((size_t)rows, sizeof *blocks);
    dps_status status = DPS_OK;
    *score = *p = NULL;
    if (s == NULL || blocks == NULL) {
        status = dps_out_of_memory(err, (size_t)rows, sizeof *blocks, "the calibration");
        goto done;
    }
    for (int64_t i = 0; i < rows; i++) {
        s[i] = (sample){value[i], dps_weight_of(weight, i), positive[i]};
        *(positive[i] ? &positives : &negatives) += s[i].weight;
    }
    qsort(s, (size_t)rows, sizeof *s, by_score);
    const int64_t found = pool(s, rows, blocks);
    *score = dps_alloc(2 * (size_t)found, sizeof **score);
    *p = dps_alloc(2 * (size_t)found, sizeof **p);
    if (*score == NULL || *p == NULL) {
        dps_free(*score);
        dps_free(*p);
        *score = *p = NULL;
        status = dps_out_of_memory(err, 2 * (size_t)found, sizeof **p, "the calibration");
        goto done;
    }
    *count = make_knots(blocks, found, (positives + 1) / (positives + 2), 1 / (negatives + 2),
                        *score, *p);
done:
    dps_free(s);
    dps_free(blocks);
    return status;
}
