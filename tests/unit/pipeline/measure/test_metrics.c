/* Metrics against values worked out by hand. Figures are quotients of small integers and sums of a
 * few logarithms: they agree to rounding, TIGHT. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "metrics.h"

#define TIGHT       1e-15
#define COUNT(rows) ((int64_t)(sizeof(rows) / sizeof(rows)[0]))

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= TIGHT)) {
        fail_msg("%.17g, expected %.17g", value, expected);
    }
}

static dps_scored row(int32_t label, double score)
{
    return (dps_scored){score, NAN, 1, label, score > 0};
}

static double auc_of(const dps_scored *rows, int64_t count)
{
    double auc;
    assert_int_equal(dps_auc(rows, count, &auc, NULL, NULL), 0);
    return auc;
}

static void auc_counts_pairs_in_the_right_order(void **state)
{
    (void)state;
    /* positives 0.35, 0.8; negatives 0.1, 0.4: pairs won: 0.35 > 0.1, 0.8 > both: 3 of 4 */
    const dps_scored rows[] = {row(0, 0.1), row(0, 0.4), row(1, 0.35), row(1, 0.8)};
    assert_near(auc_of(rows, COUNT(rows)), 0.75);
}

static void auc_counts_a_tie_as_half(void **state)
{
    (void)state;
    /* positives 1, 1, 2; negatives 1, 0, 2: (1: .5+1+0) twice, 2: 1+1+.5 -> 5.5 of 9 */
    const dps_scored rows[] = {row(1, 1), row(0, 1), row(1, 2), row(0, 0), row(0, 2), row(1, 1)};
    assert_near(auc_of(rows, COUNT(rows)), 5.5 / 9);
    const dps_scored equal[] = {row(1, 0.0), row(0, -0.0), row(0, 0.0)};
    assert_near(auc_of(equal, COUNT(equal)), 0.5);
}

static void auc_ignores_foreign_labels_and_needs_both_classes(void **state)
{
    (void)state;
    const dps_scored rows[] = {row(-1, 9), row(1, 3), row(0, 1), row(-1, -9)};
    assert_near(auc_of(rows, COUNT(rows)), 1);
    const dps_scored single[] = {row(1, 3), row(1, 1)};
    assert_true(isnan(auc_of(single, COUNT(single))));
}

static void two_classes_by_hand(void **state)
{
    (void)state;
    /* true 0: guessed 0, 0, 1; true 1: guessed 1, 0, 1, 1 */
    const dps_scored rows[] = {row(0, -3), row(0, -2), row(0, 1), row(1, 2),
                               row(1, -1), row(1, 3),  row(1, 4)};
    dps_metrics m;
    assert_int_equal(dps_metrics_init(&m, 2, rows, COUNT(rows), NULL), 0);
    assert_int_equal(m.correct, 5);
    assert_near(m.accuracy, 5.0 / 7);
    const double confusion[] = {2, 1, 1, 3, 0, 0};
    assert_memory_equal(m.confusion, confusion, sizeof confusion);
    assert_near(m.of_class[0].precision, 2.0 / 3);
    assert_near(m.of_class[0].recall, 2.0 / 3);
    assert_near(m.of_class[0].f1, 2.0 / 3);
    assert_near(m.of_class[1].precision, 3.0 / 4);
    assert_near(m.of_class[1].f1, 3.0 / 4);
    assert_near(m.macro_f1, (2.0 / 3 + 3.0 / 4) / 2);
    assert_near(m.balanced_accuracy, (2.0 / 3 + 3.0 / 4) / 2);
    /* lost: the positive at -1 against the negative at 1 */
    assert_near(m.auc, 11.0 / 12);
    assert_true(isnan(m.log_loss));
    dps_metrics_release(&m);
}

static void classes_that_do_not_occur_have_no_figures(void **state)
{
    (void)state;
    /* class 1 occurs but is never guessed, class 2 is guessed but does not occur, class 3 neither
     */
    const dps_scored rows[] = {{0, NAN, 1, 0, 0}, {0, NAN, 1, 1, 2}, {0, NAN, 1, 0, 0}};
    dps_metrics m;
    assert_int_equal(dps_metrics_init(&m, 4, rows, COUNT(rows), NULL), 0);
    assert_true(isnan(m.of_class[1].precision));
    assert_near(m.of_class[1].recall, 0);
    assert_near(m.of_class[1].f1, 0);
    assert_true(isnan(m.of_class[2].recall));
    assert_near(m.of_class[2].f1, 0);
    assert_true(isnan(m.of_class[3].f1));
    assert_near(m.macro_f1, 1.0 / 3);
    assert_near(m.balanced_accuracy, 0.5);
    assert_true(isnan(m.auc));
    dps_metrics_release(&m);
}

static void foreign_labels_are_wrong_and_have_their_own_line(void **state)
{
    (void)state;
    const dps_scored rows[] = {row(0, -1), row(-1, 1), row(1, 1)};
    dps_metrics m;
    assert_int_equal(dps_metrics_init(&m, 2, rows, COUNT(rows), NULL), 0);
    assert_int_equal(m.foreign, 1);
    assert_near(m.accuracy, 2.0 / 3);
    assert_int_equal(m.confusion[2 * 2 + 1], 1);
    assert_near(m.of_class[1].precision, 0.5);
    dps_metrics_release(&m);
}

static void log_loss_is_the_mean_over_known_classes(void **state)
{
    (void)state;
    const dps_scored rows[] = {{1, log(2), 1, 1, 1}, {1, log(8), 1, 0, 1}, {1, NAN, 1, -1, 1}};
    dps_scored known[] = {rows[0], rows[1], rows[2]};
    known[2].loss = 100; /* passed over: the label is foreign */
    dps_metrics m;
    assert_int_equal(dps_metrics_init(&m, 2, known, COUNT(known), NULL), 0);
    assert_near(m.log_loss, 2 * log(2));
    dps_metrics_release(&m);
}

/* Scores with ties, three labels of which one is foreign, losses. */
static void a_row_of_weight_k_is_k_rows(void **state)
{
    (void)state;
    enum { ROWS = 60 };
    dps_scored rows[ROWS], weighted[ROWS], copies[4 * ROWS];
    int64_t count = 0;
    dps_metrics a, b, without;
    for (int i = 0; i < ROWS; i++) {
        const int k = 1 + i * i % 4;
        rows[i] = row(i % 11 == 0 ? -1 : i % 3 == 0, (i * 7 % 19 - 9 + (i % 3 == 0 ? 4 : 0)) / 4.0);
        rows[i].loss = 0.125 * (i % 9);
        weighted[i] = rows[i];
        weighted[i].weight = k;
        for (int c = 0; c < k; c++) {
            copies[count++] = rows[i];
        }
    }
    assert_int_equal(dps_metrics_init(&a, 2, weighted, ROWS, NULL), 0);
    assert_int_equal(dps_metrics_init(&b, 2, copies, count, NULL), 0);
    assert_int_equal(dps_metrics_init(&without, 2, rows, ROWS, NULL), 0);
    assert_true(a.weight == (double)count && a.correct == b.correct && a.rows == ROWS);
    assert_near(a.accuracy, b.accuracy);
    assert_near(a.balanced_accuracy, b.balanced_accuracy);
    assert_near(a.macro_f1, b.macro_f1);
    assert_near(a.auc, b.auc);
    assert_near(a.log_loss, b.log_loss);
    for (int k = 0; k < 6; k++) {
        assert_true(a.confusion[k] == b.confusion[k]);
    }
    for (int k = 0; k < 2; k++) {
        assert_true(a.of_class[k].rows == b.of_class[k].rows);
        assert_near(a.of_class[k].precision, b.of_class[k].precision);
        assert_near(a.of_class[k].f1, b.of_class[k].f1);
    }
    assert_true(fabs(a.auc - without.auc) > 1e-3 && fabs(a.accuracy - without.accuracy) > 1e-3);
    dps_metrics_release(&a);
    dps_metrics_release(&b);
    dps_metrics_release(&without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auc_counts_pairs_in_the_right_order),
        cmocka_unit_test(auc_counts_a_tie_as_half),
        cmocka_unit_test(auc_ignores_foreign_labels_and_needs_both_classes),
        cmocka_unit_test(two_classes_by_hand),
        cmocka_unit_test(classes_that_do_not_occur_have_no_figures),
        cmocka_unit_test(foreign_labels_are_wrong_and_have_their_own_line),
        cmocka_unit_test(log_loss_is_the_mean_over_known_classes),
        cmocka_unit_test(a_row_of_weight_k_is_k_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
