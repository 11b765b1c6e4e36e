/* The AUC by all pairs, in whole numbers, and the log-loss in long double; of rows with many ties,
 * weights, and one class that is rare. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "metrics.h"

enum { ROWS = 300 };

static uint32_t state_of = 1;

/* 0 to below n (Lehmer). */
static int32_t below(int32_t n)
{
    state_of = (uint32_t)((uint64_t)state_of * 48271 % 2147483647);
    return (int32_t)(state_of % (uint32_t)n);
}

static void fill(dps_scored *row, int32_t scores, int32_t rare, bool weighted)
{
    for (int32_t i = 0; i < ROWS; i++) {
        row[i] = (dps_scored){.score = (below(scores) - scores / 2) * (i % 7 == 0 ? 1e300 : 1.0),
                              .loss = below(1000) * 1e-3,
                              .weight = weighted ? 1 + below(5) : 1,
                              .label = below(rare) == 0 ? 1 : 0,
                              .guess = 0};
    }
    row[0].label = 0;
    row[1].label = 1;
}

/* Twice the weight of pairs in the right order, a tie counting 1, over twice that of all pairs. */
static long double auc_by_pairs(const dps_scored *row)
{
    int64_t right = 0, all = 0;
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < ROWS; j++) {
            if (row[i].label == 1 && row[j].label == 0) {
                const int64_t weight = (int64_t)row[i].weight * (int64_t)row[j].weight;
                all += 2 * weight;
                right += row[i].score > row[j].score    ? 2 * weight
                         : row[i].score == row[j].score ? weight
                                                        : 0;
            }
        }
    }
    return (long double)right / (long double)all;
}

static void figures_are_those_of_all_pairs_and_of_long_double(void **state)
{
    (void)state;
    static const int32_t scores[] = {1, 2, 5, 100, 1000000}, rare[] = {2, 10, 150};
    for (int s = 0; s < 5; s++) {
        for (int r = 0; r < 3; r++) {
            for (int weighted = 0; weighted < 2; weighted++) {
                dps_scored row[ROWS];
                dps_metrics metrics;
                dps_error err;
                fill(row, scores[s], rare[r], weighted == 1);
                const long double auc = auc_by_pairs(row);
                long double loss = 0, weight = 0;
                for (int i = 0; i < ROWS; i++) {
                    loss += (long double)row[i].loss * (long double)row[i].weight;
                    weight += (long double)row[i].weight;
                }
                assert_int_equal(dps_metrics_init(&metrics, 2, row, ROWS, &err), DPS_OK);
                assert_true(fabsl((long double)metrics.auc - auc) <= 4 * (long double)DBL_EPSILON);
                assert_true(fabsl((long double)metrics.log_loss - loss / weight) <=
                            ROWS * (long double)DBL_EPSILON);
                dps_metrics_release(&metrics);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_those_of_all_pairs_and_of_long_double)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
