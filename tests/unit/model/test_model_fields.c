/* Text forms of a model's header: labels with any byte, words and numbers within their bounds. */
#include "model_sample.h"

static void labels_with_any_byte_come_back(void **state)
{
    char label[256];
    dps_text text = {0};
    (void)state;
    for (int c = 1; c < 256; c++) {
        label[c - 1] = (char)(unsigned char)c;
    }
    label[255] = '\0';
    dps_model_escape(label, &text);
    for (size_t i = 0; i < text.length; i++) {
        assert_true(text.data[i] >= ' ' && text.data[i] <= '~');
    }
    char *back;
    assert_int_equal(dps_model_unescape(text.data, text.length, &back), DPS_OK);
    assert_string_equal(back, label);
    dps_free(back);
    dps_text_release(&text);
}

static void escapes_not_well_formed_are_refused(void **state)
{
    static const char *const bad[] = {"\\",    "a\\x",  "\\x1", "\\xG0",    "\\x0G", "\\n12",
                                      "\\x00", "\\XFF", "a\tb", "\xc3\xa9", "\\x4A"};
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        char *none;
        assert_int_equal(dps_model_unescape(bad[k], strlen(bad[k]), &none), DPS_ERROR_DATA);
        assert_null(none);
    }
}

static void every_field_reads_back_what_it_wrote(void **state)
{
    dps_model model, read;
    (void)state;
    sample_model(&model, 3);
    memset(&read, 0, sizeof read);
    for (size_t f = 0; f < dps_model_field_count; f++) {
        const dps_model_field *field = &dps_model_fields[f];
        dps_text first = {0}, second = {0};
        dps_model_field_write(field, &model, &first);
        assert_false(first.failed);
        if (!dps_model_field_read(field, first.data, first.length, &read)) {
            fail_msg("%s: refuses %s", field->key, first.data);
        }
        dps_model_field_write(field, &read, &second);
        assert_string_equal(first.data, second.data);
        assert_false(dps_model_field_read(field, "", 0, &read));
        assert_false(dps_model_field_read(field, "\x01", 1, &read));
        dps_text_release(&first);
        dps_text_release(&second);
    }
    read.classes.count = 0;
    dps_model_release(&read);
    dps_model_release(&model);
}

static void keys_are_distinct(void **state)
{
    (void)state;
    for (size_t f = 0; f < dps_model_field_count; f++) {
        for (size_t g = 0; g < f; g++) {
            assert_string_not_equal(dps_model_fields[f].key, dps_model_fields[g].key);
        }
    }
}

static void every_form_of_a_number_comes_back(void **state)
{
    static const char decimals[] = {0, ','}, groups[] = {0, ',', '.', '\'', ' '},
                      units[] = {0, '%', '$'};
    (void)state;
    for (size_t k = 0; k < sizeof decimals * sizeof groups * sizeof units; k++) {
        const dps_number_form form = {decimals[k % 2], groups[k / 2 % 5], units[k / 10]};
        dps_number_form back;
        dps_text text = {0};
        dps_model_form_write(&form, &text);
        assert_true(dps_model_form_read(text.data, text.length, &back));
        assert_memory_equal(&back, &form, sizeof form);
        dps_text_release(&text);
    }
}

static void what_is_expected_says_both_bounds(void **state)
{
    (void)state;
    for (size_t f = 0; f < dps_model_field_count; f++) {
        char said[200];
        dps_model_field_expected(&dps_model_fields[f], said, sizeof said);
        if (strcmp(dps_model_fields[f].key, "self_test.rows") == 0) {
            assert_string_equal(said, "a whole number from 0 to 1024");
        } else if (strcmp(dps_model_fields[f].key, "solver.bias") == 0) {
            assert_string_equal(said, "a number from 0 to 1000000");
        } else if (strcmp(dps_model_fields[f].key, "map.weights") == 0) {
            char most[60]; /* of degrees 0 to the largest */
            snprintf(most, sizeof most, "at most %d numbers >= 0, or none", DPS_MAX_DEGREE + 1);
            assert_string_equal(said, most);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_with_any_byte_come_back),
        cmocka_unit_test(escapes_not_well_formed_are_refused),
        cmocka_unit_test(every_field_reads_back_what_it_wrote),
        cmocka_unit_test(keys_are_distinct),
        cmocka_unit_test(every_form_of_a_number_comes_back),
        cmocka_unit_test(what_is_expected_says_both_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
