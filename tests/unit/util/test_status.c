/* Error records: escaping, places, bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <string.h>
#include "status.h"

static void text_is_formatted_and_status_returned(void **state)
{
    (void)state;
    dps_error err;
    assert_int_equal(dps_error_set(&err, DPS_ERROR_CONFIG, "%s = %d", "map.features", -1),
                     DPS_ERROR_CONFIG);
    assert_int_equal(err.status, DPS_ERROR_CONFIG);
    assert_string_equal(err.text, "map.features = -1");
    assert_string_equal(err.file, "");
    assert_int_equal(dps_error_set(NULL, DPS_ERROR_IO, "nobody listens"), DPS_ERROR_IO);
}

static void place_is_shown_as_far_as_it_is_known(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        int64_t line;
        int64_t column;
        const char *shown;
    } cases[] = {
        {"a.txt", 3, 7, "a.txt:3:7: bad"}, {"a.txt", 3, 0, "a.txt:3: bad"},
        {"a.txt", 0, 0, "a.txt: bad"},     {NULL, 0, 0, "bad"},
        {NULL, 3, 7, "line 3:7: bad"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dps_error err;
        char shown[64];
        assert_int_equal(dps_error_at(&err, DPS_ERROR_DATA, cases[i].file, cases[i].line,
                                      cases[i].column, "bad"),
                         DPS_ERROR_DATA);
        dps_error_format(&err, shown, sizeof shown);
        assert_string_equal(shown, cases[i].shown);
    }
}

static void control_characters_and_broken_utf8_are_escaped(void **state)
{
    (void)state;
    static const struct {
        const char *in;
        const char *out;
    } cases[] = {
        {"a\tb\n\x1b[31m", "a\\x09b\\x0A\\x1B[31m"},
        {"\x7f", "\\x7F"},
        {"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"}, /* well-formed: kept */
        {"\xe2\x82\xac\xf0\x9f\x98\x80", "\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"\xc3", "\\xC3"},                   /* cut */
        {"\xc2\x9b", "\\xC2\\x9B"},          /* C1 control */
        {"\xc0\xaf", "\\xC0\\xAF"},          /* overlong */
        {"\xed\xa0\x80", "\\xED\\xA0\\x80"}, /* surrogate */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dps_error err;
        assert_int_equal(dps_error_at(&err, DPS_ERROR_DATA, cases[i].in, 0, 0, "%s", cases[i].in),
                         DPS_ERROR_DATA);
        assert_string_equal(err.text, cases[i].out);
        assert_string_equal(err.file, cases[i].out);
    }
}

static void long_text_is_cut_within_bounds(void **state)
{
    (void)state;
    static const char fillings[] = {'a', '\x01'};
    char in[5000];
    dps_error err;
    for (size_t i = 0; i < sizeof fillings; i++) {
        memset(in, fillings[i], sizeof in - 1);
        in[sizeof in - 1] = '\0';
        assert_int_equal(dps_error_at(&err, DPS_ERROR_DATA, in, 0, 0, "%s", in), DPS_ERROR_DATA);
        assert_true(strlen(err.text) < sizeof err.text);
        assert_true(strlen(err.file) < sizeof err.file);
        assert_string_equal(err.text + strlen(err.text) - 3, "...");
    }
    char small[8];
    dps_error_format(&err, small, sizeof small);
    assert_int_equal(strlen(small), sizeof small - 1);
}

static void token_is_quoted_up_to_max(void **state)
{
    (void)state;
    char out[4 * 5 + 4];
    dps_quote_token(out, sizeof out, "abcde", 5, 5);
    assert_string_equal(out, "abcde");
    dps_quote_token(out, sizeof out, "abcdef", 6, 5);
    assert_string_equal(out, "abcde...");
    dps_quote_token(out, sizeof out, "\0\0\0\0\0\0", 6, 5); /* the worst case fits exactly */
    assert_string_equal(out, "\\x00\\x00\\x00\\x00\\x00...");
    dps_quote_token(out, sizeof out, "", 0, 5);
    assert_string_equal(out, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_formatted_and_status_returned),
        cmocka_unit_test(place_is_shown_as_far_as_it_is_known),
        cmocka_unit_test(control_characters_and_broken_utf8_are_escaped),
        cmocka_unit_test(long_text_is_cut_within_bounds),
        cmocka_unit_test(token_is_quoted_up_to_max),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
