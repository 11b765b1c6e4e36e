/* Numbers as text, against the C library in the C locale. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "number.h"

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Parses text that is not terminated and ends at an inaccessible place as far as a sanitizer can
 * tell; compares value (bits) and length with strtod. */
static void compare_with_strtod(const char *text)
{
    const size_t length = strlen(text);
    char *exact = malloc(length > 0 ? length : 1);
    assert_non_null(exact);
    memcpy(exact, text, length);
    char *after;
    const double expected = strtod(text, &after);
    double value = -12345.0;
    const char *end = dps_parse_double(exact, exact + length, &value);
    if (after == text) {
        if (end != NULL) {
            fail_msg("'%s' is no number", text);
        }
    } else if (end != exact + (after - text) || bits_of(value) != bits_of(expected)) {
        fail_msg("'%s': %.17g after %td bytes, strtod: %.17g after %td", text, value,
                 end == NULL ? -1 : end - exact, expected, after - text);
    }
    double quick;
    const char *short_end = dps_parse_short(exact, exact + length, &quick);
    if (short_end != NULL) {
        assert_ptr_equal(short_end, end);
        assert_true(bits_of(quick) == bits_of(expected));
    }
    free(exact);
}

static void edge_cases_are_read_as_strtod_reads_them(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "0",
        "-0",
        "+0",
        "1",
        "+1",
        "-1",
        ".5",
        "5.",
        "-.5",
        "+5.",
        ".",
        "-",
        "+",
        "-.",
        "+-1",
        "--1",
        "",
        "1e5",
        "1E5",
        "1e+5",
        "1e-5",
        "1e",
        "1e+",
        "1e-",
        "1ex",
        "e5",
        ".e5",
        "5.e5",
        "1.5e3x",
        "1.2.3",
        "1-2",
        "1:2",
        "1,5",
        "1 2",
        "0x",
        "0x1p3",
        "0X1.8P1",
        "0x1p",
        "0x.8",
        "0xg",
        "-0x10",
        "00012",
        "inf",
        "INF",
        "-inf",
        "infinity",
        "infinit",
        "+Infinity",
        "nan",
        "NAN",
        "-nan",
        "nan(12)",
        "nan(",
        "nan(1 2)",
        "nanx",
        "in",
        "na",
        "1e400",
        "-1e400",
        "1e-400",
        "4.9e-324",
        "2.4e-324",
        "2.5e-324",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "9007199254740992",
        "9007199254740993",
        "18446744073709551617",
        "1.8446744073709551617",
        "9007199254740994",
        "9007199254740992e22",
        "9007199254740993e22",
        "1e22",
        "1e23",
        "1e-22",
        "1e-23",
        "123456789012345678",
        "1234567890123456789",
        "12345678901234567890",
        "99999999999999999999",
        "0.1234567890123456789",
        "0.00000000000000000001",
        "1.00000000000000000000000000000000001",
        "1e00005",
        "1e0005",
        "0e999",
        "0e99999",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "0.3",
        "8.41e21",
        "1.5e-10",
        "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017"
        "977587"
        "207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845"
        "817711"
        "531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699"
        "508093"
        "042880",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        compare_with_strtod(cases[i]);
    }
}

static uint64_t state_of_generator = 1;

static uint64_t next(void)
{
    state_of_generator ^= state_of_generator << 13;
    state_of_generator ^= state_of_generator >> 7;
    state_of_generator ^= state_of_generator << 17;
    return state_of_generator;
}

static void random_decimals_are_read_as_strtod_reads_them(void **state)
{
    (void)state;
    char text[64];
    state_of_generator = 20120421;
    for (int i = 0; i < 300000; i++) {
        const int digits = (int)(next() % 20);
        const int exponent = (int)(next() % 60) - 30;
        switch (next() % 3) {
        case 0:
            snprintf(text, sizeof text, "%.*f", digits, (double)(int64_t)next() * 0x1p-60);
            break;
        case 1:
            snprintf(text, sizeof text, "%.*e", digits, (double)(int64_t)next());
            break;
        default:
            snprintf(text, sizeof text, "%llu.%llue%d",
                     (unsigned long long)(next() >> (next() % 64)),
                     (unsigned long long)(next() >> (32 + next() % 32)), exponent);
        }
        compare_with_strtod(text);
    }
}

static void random_garbage_is_read_as_strtod_reads_it(void **state)
{
    (void)state;
    static const char alphabet[] = "0123456789.+-eExXpPinfa(): ";
    char text[16];
    state_of_generator = 7;
    for (int i = 0; i < 300000; i++) {
        const size_t length = next() % 12;
        for (size_t j = 0; j < length; j++) {
            text[j] = alphabet[next() % (sizeof alphabet - 1)];
        }
        text[length] = '\0';
        if (text[0] != ' ') { /* leading blanks are not ours to skip */
            compare_with_strtod(text);
        }
    }
}

static void whole_texts_only(void **state)
{
    (void)state;
    double value = 7.0;
    assert_true(dps_text_to_double("1.5", 3, &value));
    assert_true(value == 1.5);
    assert_false(dps_text_to_double("1.5 ", 4, &value));
    assert_false(dps_text_to_double(" 1.5", 4, &value));
    assert_false(dps_text_to_double("", 0, &value));
    assert_false(dps_text_to_double("x", 1, &value));
    assert_true(value == 1.5);
}

static void integers_to_the_last_that_fits(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool ok;
        int64_t value;
    } cases[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"+17", true, 17},
        {"-17", true, -17},
        {"007", true, 7},
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775808", false, 0},
        {"-9223372036854775809", false, 0},
        {"18446744073709551617", false, 0},
        {"99999999999999999999", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {"+", false, 0},
        {"1.0", false, 0},
        {"1e3", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"0x1", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t value = 42;
        assert_int_equal(dps_text_to_int64(cases[i].text, strlen(cases[i].text), &value),
                         cases[i].ok);
        assert_true(value == (cases[i].ok ? cases[i].value : 42));
    }
}

static void written_numbers_read_back(void **state)
{
    (void)state;
    char text[DPS_NUMBER_MAX];
    state_of_generator = 99;
    for (int i = 0; i < 200000; i++) {
        const uint64_t random = next();
        double value;
        memcpy(&value, &random, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        const size_t length = dps_format_double(text, value);
        assert_int_equal(length, strlen(text));
        assert_true(bits_of(strtod(text, NULL)) == random);
        const float narrow = (float)((double)(int64_t)random * 0x1p-50);
        const size_t narrow_length = dps_format_float(text, narrow);
        assert_int_equal(narrow_length, strlen(text));
        assert_true(strtof(text, NULL) == narrow);
    }
}

static void written_numbers_are_short(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.0, "0"},
        {0x1p-1074, "4.94065645841247e-324"},
        {-0.0, "-0"},
        {0.1, "0.1"},
        {1.0, "1"},
        {-2.5, "-2.5"},
        {1e300, "1e+300"},
        {1.0 / 3.0, "0.3333333333333333"},
        {0.1 + 0.2, "0.30000000000000004"},
        {(double)NAN, "nan"},
        {(double)-NAN, "nan"},
        {HUGE_VAL, "inf"},
        {-HUGE_VAL, "-inf"},
    };
    char text[DPS_NUMBER_MAX];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dps_format_double(text, cases[i].value);
        assert_string_equal(text, cases[i].text);
    }
    dps_format_float(text, 0.1f);
    assert_string_equal(text, "0.1");
    dps_format_float(text, 16777216.0f);
    assert_string_equal(text, "16777216");
    dps_format_float(text, -HUGE_VALF);
    assert_string_equal(text, "-inf");
}

static void bytes_are_for_people(void **state)
{
    (void)state;
    static const struct {
        double bytes;
        const char *text;
    } cases[] = {
        {0, "0 bytes"},   {999, "999 bytes"},  {1000, "1.0 kB"},   {9949, "9.9 kB"},
        {9951, "10 kB"},  {999499, "999 kB"},  {999500, "1.0 MB"}, {3.2e9, "3.2 GB"},
        {5e17, "500 PB"}, {5e20, "500000 PB"},
    };
    char text[DPS_NUMBER_MAX];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dps_format_bytes(text, cases[i].bytes);
        assert_string_equal(text, cases[i].text);
    }
}

/* Whatever the host program set: needs a locale with a decimal comma, which not every machine has.
 */
static void locale_of_the_host_does_not_matter(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8",
                                        "de_DE"};
    const char *set = NULL;
    for (size_t i = 0; set == NULL && i < sizeof names / sizeof names[0]; i++) {
        set = setlocale(LC_NUMERIC, names[i]);
    }
    char text[DPS_NUMBER_MAX];
    double value = 0.0;
    dps_format_double(text, 2.5);
    assert_string_equal(text, "2.5");
    dps_format_bytes(text, 2.5e6);
    assert_string_equal(text, "2.5 MB");
    assert_true(dps_text_to_double("2.50000000000000000000001", 25, &value)); /* the slow path */
    assert_true(value == 2.5);
    setlocale(LC_NUMERIC, "C");
    if (set == NULL) {
        print_message("not tried: a locale with a decimal comma: none is installed\n");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edge_cases_are_read_as_strtod_reads_them),
        cmocka_unit_test(random_decimals_are_read_as_strtod_reads_them),
        cmocka_unit_test(random_garbage_is_read_as_strtod_reads_it),
        cmocka_unit_test(whole_texts_only),
        cmocka_unit_test(integers_to_the_last_that_fits),
        cmocka_unit_test(written_numbers_read_back),
        cmocka_unit_test(written_numbers_are_short),
        cmocka_unit_test(bytes_are_for_people),
        cmocka_unit_test(locale_of_the_host_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
