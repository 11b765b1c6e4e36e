/* solver.class_weight: every way to write a label, and what is refused. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "class_weights.h"

#define CLASSES 6

/* Classes with 10, 30 and 60, then 1 row each, told apart by what their names hold. */
static dps_class_table classes(void)
{
    static char one[] = "-1", two[] = "1", colon[] = "a:b", blank[] = "damp soil",
                comma[] = "grey, very damp", quote[] = "5\" pipe";
    static char *text[] = {one, two, quote, colon, blank, comma}; /* in byte order */
    static double number[] = {-1, 1, NAN, NAN, NAN, NAN};
    static int64_t rows[] = {10, 30, 1, 60, 1, 1};
    return (dps_class_table){CLASSES, text, number, rows};
}

static dps_status weights(const char *text, double weight[CLASSES], dps_error *err)
{
    dps_options options;
    const dps_class_table table = classes();
    assert_int_equal(dps_options_init(&options, err), DPS_OK);
    assert_int_equal(dps_options_set(&options, "solver", "class_weight", text, "", NULL, 0, err),
                     DPS_OK);
    /* as it is copied for tune and written for check */
    dps_text written = {0};
    dps_options_value_text(&options, DPS_OPT_solver_class_weight, &written);
    assert_int_equal(dps_options_set(&options, "solver", "class_weight",
                                     written.data == NULL ? "" : written.data, "", NULL, 0, err),
                     DPS_OK);
    dps_text_release(&written);
    dps_status status = dps_class_weights_read(&options, &table, NULL, weight, err);
    dps_options_release(&options);
    return status;
}

static void expect(const char *text, const double wanted[CLASSES])
{
    double w[CLASSES];
    dps_error err;
    if (weights(text, w, &err) != DPS_OK) {
        fail_msg("%s: %s", text, err.text);
    }
    for (int k = 0; k < CLASSES; k++) {
        if (w[k] != wanted[k]) {
            fail_msg("%s: class %d has weight %g, expected %g", text, k, w[k], wanted[k]);
        }
    }
}

static void weights_are_none_balanced_or_a_list(void **state)
{
    (void)state;
    expect("none", (const double[]){1, 1, 1, 1, 1, 1});
    expect("\"none\"", (const double[]){1, 1, 1, 1, 1, 1});
    expect("", (const double[]){1, 1, 1, 1, 1, 1});
    expect("balanced",
           (const double[]){103.0 / 60, 103.0 / 180, 103.0 / 6, 103.0 / 360, 103.0 / 6, 103.0 / 6});
    expect("+1:2.5, a:b:0.5", (const double[]){1, 2.5, 1, 0.5, 1, 1});
    expect("1:2 -1:3", (const double[]){3, 2, 1, 1, 1, 1});
    expect("'1:2, -1:3'", (const double[]){3, 2, 1, 1, 1, 1});
}

static void labels_may_hold_blanks_commas_colons_and_quotes(void **state)
{
    static const double wanted[] = {1, 1, 1, 1, 4, 9};
    static const char *const spellings[] = {
        "\"damp soil\":4,\"grey, very damp\":9",  "'damp soil':4, 'grey, very damp':9",
        "\"damp soil\":4 'grey, very damp':9",    "damp soil:4, \"grey, very damp\":9",
        "'grey, very damp':9 , damp soil:4",      "damp soil:4 'grey, very damp':9.0",
        "\"grey, very damp\":9\n\"damp soil\":4",
    };
    (void)state;
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        expect(spellings[i], wanted);
    }
    expect("\"a:b\":2", (const double[]){1, 1, 1, 2, 1, 1});
    expect("'5\" pipe':2", (const double[]){1, 1, 2, 1, 1, 1});
    expect("'5\" pipe:2', '-1:3'", (const double[]){3, 1, 2, 1, 1, 1});
    expect("5\" pipe:2", (const double[]){1, 1, 2, 1, 1, 1});
    expect("'1':7", (const double[]){1, 7, 1, 1, 1, 1});
}

static void other_texts_are_refused_and_labels_listed(void **state)
{
    static const char *const bad[] = {
        "heavy",       "1:",           ":2",   "1:0",         "1:-1",
        "1:1e999",     "1:2x",         "7:1",  "1:2, +1.0:3", "balanced, 1:2",
        "'damp soil'", "'damp soil:4", "'':4", "'1':",        "grey, very damp:9"};
    double w[CLASSES];
    dps_error err;
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        if (weights(bad[k], w, &err) != DPS_ERROR_CONFIG) {
            fail_msg("\"%s\" was taken", bad[k]);
        }
        assert_non_null(strstr(err.text, "solver.class_weight"));
    }
    assert_int_equal(weights("damp:4", w, &err), DPS_ERROR_CONFIG);
    assert_non_null(strstr(err.text, "the labels are -1, 1, "));
    assert_non_null(strstr(err.text, "\"grey, very damp\""));
}

static void balanced_counts_rows_as_it_is_told(void **state)
{
    static const double rows[CLASSES] = {1, 2, 3, 4, 5, 0};
    const dps_class_table table = classes();
    dps_options options;
    dps_error err;
    double w[CLASSES];
    (void)state;
    assert_int_equal(dps_options_init(&options, &err), DPS_OK);
    assert_int_equal(dps_options_set_text(&options, "solver.class_weight=balanced", &err), DPS_OK);
    assert_int_equal(dps_class_weights_read(&options, &table, rows, w, &err), DPS_OK);
    assert_true(w[0] == 15.0 / 6 && w[4] == 15.0 / 30 && w[5] == 1);
    dps_options_release(&options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_none_balanced_or_a_list),
        cmocka_unit_test(labels_may_hold_blanks_commas_colons_and_quotes),
        cmocka_unit_test(other_texts_are_refused_and_labels_listed),
        cmocka_unit_test(balanced_counts_rows_as_it_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
