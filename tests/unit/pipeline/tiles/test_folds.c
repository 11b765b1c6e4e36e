/* Folds: every class dealt evenly, by the seed alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "folds.h"

enum { ROWS = 997, CLASSES = 3, FOLDS = 5 };

/* Class sizes very different, rows sorted by class. */
static void fill_labels(int32_t *label)
{
    for (int32_t i = 0; i < ROWS; i++) {
        label[i] = i < 700 ? 0 : i < 990 ? 1 : 2;
    }
}

static void folds_and_classes_differ_by_one_row_at_most(void **state)
{
    (void)state;
    int32_t label[ROWS], fold[ROWS], count[CLASSES + 1][FOLDS] = {{0}};
    fill_labels(label);
    assert_int_equal(dps_folds_make(label, ROWS, CLASSES, FOLDS, 7, fold, NULL), 0);
    for (int32_t i = 0; i < ROWS; i++) {
        assert_in_range(fold[i], 0, FOLDS - 1);
        count[label[i]][fold[i]]++;
        count[CLASSES][fold[i]]++;
    }
    for (int32_t k = 0; k <= CLASSES; k++) {
        int32_t least = ROWS, most = 0;
        for (int32_t f = 0; f < FOLDS; f++) {
            least = count[k][f] < least ? count[k][f] : least;
            most = count[k][f] > most ? count[k][f] : most;
        }
        assert_in_range(most - least, 0, 1);
    }
}

static void the_seed_decides(void **state)
{
    (void)state;
    int32_t label[ROWS], a[ROWS], b[ROWS], c[ROWS];
    fill_labels(label);
    assert_int_equal(dps_folds_make(label, ROWS, CLASSES, FOLDS, 7, a, NULL), 0);
    assert_int_equal(dps_folds_make(label, ROWS, CLASSES, FOLDS, 7, b, NULL), 0);
    assert_int_equal(dps_folds_make(label, ROWS, CLASSES, FOLDS, 8, c, NULL), 0);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_not_equal(a, c, sizeof a);
    int32_t runs = 0; /* neighbours in the same fold: 1/5 of them, not none and not all */
    for (int32_t i = 1; i < ROWS; i++) {
        runs += a[i] == a[i - 1];
    }
    assert_in_range(runs, ROWS / 10, ROWS / 3);
}

static void a_holdout_has_its_share_of_every_class(void **state)
{
    (void)state;
    int32_t label[ROWS], fold[ROWS], held[CLASSES] = {0};
    fill_labels(label);
    assert_int_equal(dps_holdout_make(label, ROWS, CLASSES, 0.1, 7, fold, NULL), 0);
    for (int32_t i = 0; i < ROWS; i++) {
        assert_true(fold[i] == 0 || fold[i] == -1);
        held[label[i]] += fold[i] == 0;
    }
    assert_int_equal(held[0], 70);
    assert_int_equal(held[1], 29);
    assert_int_equal(held[2], 1);
}

static void a_single_row_of_a_class_trains(void **state)
{
    (void)state;
    const int32_t label[] = {0, 0, 1};
    int32_t fold[3];
    assert_int_equal(dps_holdout_make(label, 3, 2, 0.9, 1, fold, NULL), 0);
    assert_int_equal(fold[2], -1);
    assert_int_equal(fold[0] + fold[1], -1);
}

/* 100,000 rows with 15 of one class: a sample of 4096 has all of them, and its share of the others.
 */
static void a_sample_keeps_rare_rows(void **state)
{
    (void)state;
    enum { MANY = 100000, RARE = 15, MOST = 4096 };
    static int32_t many[MANY], part[MANY];
    int32_t taken[2] = {0, 0};
    for (int32_t i = 0; i < MANY; i++) {
        many[i] = i % 7000 == 3;
    }
    assert_int_equal(dps_sample_make(many, MANY, 2, MOST, 1, part, NULL), 0);
    for (int32_t i = 0; i < MANY; i++) {
        assert_true(part[i] == 0 || part[i] == -1);
        taken[many[i]] += part[i] == 0;
    }
    assert_int_equal(taken[1], RARE);
    assert_int_equal(taken[0], 4095); /* rint(4096 x 0.99985) */
    for (int32_t i = 0; i < MANY; i++) {
        many[i] = i % 1000; /* as many classes: no more than their share and one row each */
    }
    assert_int_equal(dps_sample_make(many, MANY, 1000, MOST, 1, part, NULL), 0);
    taken[0] = 0;
    for (int32_t i = 0; i < MANY; i++) {
        taken[0] += part[i] == 0;
    }
    assert_int_equal(taken[0], 4000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_and_classes_differ_by_one_row_at_most),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(a_holdout_has_its_share_of_every_class),
        cmocka_unit_test(a_single_row_of_a_class_trains),
        cmocka_unit_test(a_sample_keeps_rare_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
