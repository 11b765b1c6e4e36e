/* The cut that is chosen is as good as the best of all cuts between the scores, tried one by one. */
#include "threshold.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#define ROWS 200

/* What the metric says of one cut, by its definition. */
static double figure(const dps_scored *row, int64_t rows, int32_t positive, dps_cut_metric metric,
                     double cut)
{
    double found = 0, missed = 0, taken = 0, passed = 0, all = 0;
    for (int64_t i = 0; i < rows; i++) {
        const double value = positive == 1 ? row[i].score : -row[i].score;
        const bool is = row[i].label == positive, said = value > cut;
        all += row[i].weight;
        if (row[i].label >= 0) {
            *(is ? (said ? &found : &missed) : (said ? &taken : &passed)) += row[i].weight;
        }
    }
    return metric == DPS_CUT_ACCURACY ? (found + passed) / all
           : metric == DPS_CUT_F1     ? 2 * found / fmax(2 * found + missed + taken, 1e-9)
                                      : (found / (found + missed) + passed / (taken + passed)) / 2;
}

static void fill(dps_scored *row, int64_t rows, unsigned seed)
{
    for (int64_t i = 0; i < rows; i++) {
        seed = seed * 1664525u + 1013904223u;
        const double u = (double)(seed >> 8) / 16777216.0;
        seed = seed * 1664525u + 1013904223u;
        const double v = (double)(seed >> 8) / 16777216.0;
        row[i] = (dps_scored){.score = floor(20 * (u + v) - 18) / 4, /* with ties */
                              .weight = 1 + (double)(i % 3),
                              .label = i % 17 == 0 ? -1 : u > 0.7};
    }
}

static void no_cut_is_better_than_the_one_chosen(void **state)
{
    (void)state;
    dps_scored row[ROWS];
    for (unsigned seed = 1; seed <= 20; seed++) {
        fill(row, ROWS, seed);
        for (int k = 0; k < 6; k++) {
            const dps_cut_metric metric = (dps_cut_metric)(k % 3);
            const int32_t positive = k / 3;
            double cut = INFINITY;
            assert_int_equal(dps_best_threshold(row, ROWS, positive, metric, &cut, NULL), DPS_OK);
            const double best = figure(row, ROWS, positive, metric, cut);
            for (double other = -6; other <= 6; other += 0.125) {
                assert_true(figure(row, ROWS, positive, metric, other) <= best + 1e-12);
            }
        }
    }
}

static void of_equal_cuts_the_one_nearest_to_0_is_taken(void **state)
{
    (void)state;
    const dps_scored row[] = {{.score = 1, .weight = 1, .label = 1},
                              {.score = -3, .weight = 1, .label = 0}};
    double cut = INFINITY;
    assert_int_equal(dps_best_threshold(row, 2, 1, DPS_CUT_ACCURACY, &cut, NULL), DPS_OK);
    assert_true(cut == -1); /* halfway: the only cut between them */
    const dps_scored alone[] = {{.score = 2, .weight = 1, .label = 1}};
    assert_int_equal(dps_best_threshold(alone, 1, 1, DPS_CUT_ACCURACY, &cut, NULL),
                     DPS_ERROR_DATA); /* every cut below it is as good */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_cut_is_better_than_the_one_chosen),
        cmocka_unit_test(of_equal_cuts_the_one_nearest_to_0_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
