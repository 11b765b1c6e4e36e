/* LIBSVM text: what is a row, and what is refused where and why. */
#include "unit/data/data_fixture.h"

#include <math.h>

static const dps_read_options optional = {.format = "auto", .labels = DPS_LABELS_OPTIONAL};
static const dps_read_options zero_based = {.format = "auto", .zero_based = true};

static void parse_ok(const char *text, const dps_read_options *options, dps_row_block *block)
{
    dps_error err;
    const dps_status status = parse_bytes("libsvm", text, strlen(text), options, block, &err);
    if (status != DPS_OK) {
        fail_msg("refused '%s': %lld:%lld: %s", text, (long long)err.line, (long long)err.column,
                 err.text);
    }
}

/* Rows as "label|index:value index:value;" with raw indices, for comparison. */
static void show(const dps_row_block *block, char *out, size_t size)
{
    size_t at = 0;
    out[0] = '\0';
    for (int64_t i = 0; i < block->rows; i++) {
        const int32_t label = block->label[i];
        if (label >= 0) {
            const int32_t begin = block->label_begin[label];
            at += (size_t)snprintf(out + at, size - at, "%.*s",
                                   (int)(block->label_begin[label + 1] - begin),
                                   block->label_bytes + begin);
        }
        at += (size_t)snprintf(out + at, size - at, "|");
        for (int64_t k = block->start[i]; k < block->start[i + 1]; k++) {
            at += (size_t)snprintf(out + at, size - at, "%s%d:%g", k > block->start[i] ? " " : "",
                                   block->index[k], block->value[k]);
        }
        at += (size_t)snprintf(out + at, size - at, ";");
    }
}

static void expect_rows(const char *text, const dps_read_options *options, const char *rows,
                        int64_t lines)
{
    dps_row_block block = {0};
    char shown[512];
    parse_ok(text, options, &block);
    show(&block, shown, sizeof shown);
    assert_string_equal(shown, rows);
    assert_int_equal(block.lines, lines);
    dps_row_block_release(&block);
}

static void blanks_tabs_and_line_ends_do_not_matter(void **state)
{
    (void)state;
    const char *rows = "1|0:2 2:0.5;-1|1:3;";
    expect_rows("1 1:2 3:.5\n-1 2:3\n", &training_rows, rows, 2);
    expect_rows("1 1:2 3:.5\n-1 2:3", &training_rows, rows, 2);
    expect_rows("1 1:2 3:.5\r\n-1 2:3\r\n", &training_rows, rows, 2);
    expect_rows("1 1:2 3:.5\r\n-1 2:3\r", &training_rows, rows, 2);
    expect_rows("\t 1\t\t1:2  \t3:.5 \t\n  -1 2:3   ", &training_rows, rows, 2);
}

static void comments_and_blank_lines_are_no_rows(void **state)
{
    (void)state;
    expect_rows("# head 9:9\n\n1 1:2 # tail 5:5\n \t \r\n2 2:3#x\n#\n3 # only\n\n", &training_rows,
                "1|0:2;2|1:3;3|;", 8);
    expect_rows("1#x 2:2\n", &training_rows, "1|;", 1);
    expect_rows("", &training_rows, "", 0);
    expect_rows("# no line end", &training_rows, "", 1);
}

static void a_label_alone_is_a_zero_row(void **state)
{
    (void)state;
    expect_rows("1\n-1 \n1", &training_rows, "1|;-1|;1|;", 3);
}

static void zeros_are_dropped_and_indices_sorted(void **state)
{
    (void)state;
    expect_rows("1 1:0 2:1 3:-0.0 4:0e5\n", &training_rows, "1|1:1;", 1);
    expect_rows("1 3:3 1:1 2:0\n2 1:0 2:2\n3 9:9 8:8\n", &training_rows,
                "1|0:1 2:3;2|1:2;3|7:8 8:9;", 3);
}

static void many_unsorted_entries_are_sorted(void **state)
{
    (void)state;
    enum { N = 3000 };
    char *text = malloc(16 * N);
    size_t at = (size_t)sprintf(text, "1");
    for (int k = 0; k < N; k++) { /* 7 is prime to N + 1 = 3001, a prime */
        const int index = 1 + (7 * (k + 1)) % (N + 1);
        at += (size_t)sprintf(text + at, " %d:%d", index, index);
    }
    dps_row_block block = {0};
    parse_ok(text, &training_rows, &block);
    assert_int_equal(block.start[1], N);
    for (int k = 0; k < N; k++) {
        assert_int_equal(block.value[k], block.index[k] + 1);
        assert_true(k == 0 || block.index[k] > block.index[k - 1]);
    }
    dps_row_block_release(&block);
    free(text);
}

static void qid_is_passed_over_and_counted(void **state)
{
    (void)state;
    dps_row_block block = {0};
    parse_ok("2 qid:1 1:2\n1 qid:2 3:4 1:1\n1 1:1\n", &training_rows, &block);
    assert_int_equal(block.qid_seen, 2);
    assert_int_equal(block.start[3], 4);
    dps_row_block_release(&block);
}

static void rows_without_label_are_read_where_labels_are_optional(void **state)
{
    (void)state;
    expect_rows("1:2 3:4\n5 1:6\nqid:3 2:1\n", &optional, "|0:2 2:4;5|0:6;|1:1;", 3);
}

static void indices_start_at_zero_where_asked(void **state)
{
    (void)state;
    expect_rows("1 0:2 3:4\n", &zero_based, "1|0:2 3:4;", 1);
    expect_rows("1 0:1 2147483646:1\n", &zero_based, "1|0:1 2147483646:1;", 1);
    expect_rows("1 0000000000000001:2 2147483647:1\n", &training_rows, "1|0:2 2147483646:1;", 1);
}

static void words_are_labels(void **state)
{
    (void)state;
    dps_row_block block = {0};
    parse_ok("spam 1:1\nham 1:2\nspam 1:3\n\"quoted\" 1:1\ngr\xc3\xbcn\nspam\n+1\n1.0\n",
             &training_rows, &block);
    const int32_t expected[] = {0, 1, 0, 2, 3, 0, 4, 5};
    const int64_t lines[] = {1, 2, 4, 5, 7, 8};
    assert_memory_equal(block.label, expected, sizeof expected);
    assert_int_equal(block.label_count, 6);
    assert_memory_equal(block.label_line, lines, sizeof lines);
    dps_row_block_release(&block);
}

typedef struct refusal {
    const char *text;
    int64_t line, column;
    const char *says; /* a part of the message */
} refusal;

static void refusals_name_line_column_token_and_reason(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"1 1:1\n1 2:1 3\n", 2, 7, "\"3\": expected index:value; the value is missing"},
        {"1 1:1\n1 4:\n", 2, 3, "\"4:\": expected index:value; the value is missing"},
        {"1 1:1\n1 3:", 2, 3, "\"3:\": expected index:value; the value is missing"},
        {"1 1:1\n1 3", 2, 3, "the value is missing"},
        {"1 3 : 4\n", 1, 3, "\"3\": expected index:value"},
        {"1 3: 4\n", 1, 3, "\"3:\": expected index:value"},
        {"1 :4\n", 1, 3, "\":4\": expected index:value"},
        {"1 x:3\n", 1, 3, "\"x:3\": expected index:value with a whole number"},
        {"1 1.5:3\n", 1, 3, "whole number"},
        {"1 -1:3\n", 1, 3, "\"-1:3\": expected index:value with a whole number"},
        {"1 2:1 qid:\n", 1, 7, "\"qid:\""},
        {"1 0:3\n", 1, 3, "data.zero_based = on"},
        {"1 2147483648:3\n", 1, 3, "beyond the largest possible, 2147483647"},
        {"1 4294967297:3\n", 1, 3, "beyond the largest"},
        {"1 18446744073709551617:3\n", 1, 3, "beyond the largest"},
        {"1 1:nan\n", 1, 3, "\"1:nan\": feature 1: the value is not finite"},
        {"1 1:1 7:-inf\n", 1, 7, "feature 7: the value is not finite"},
        {"1 7:1e999\n", 1, 3, "feature 7: the value is too large"},
        {"1 7:abc\n", 1, 3, "feature 7: the value is not a number"},
        {"1 7:1.2.3\n", 1, 3, "not a number"},
        {"1 7:1,5\n", 1, 3, "not a number"},
        {"1 7:1:2\n", 1, 3, "not a number"},
        {"1 7:--1\n", 1, 3, "not a number"},
        {"1 3:1 5:2 3:4\n", 1, 11,
         "\"3:4\": feature 3 is given twice in this row, first as \"3:1\" (column 3)"},
        {"1 5:1 3:0 3:4\n", 1, 11, "feature 3 is given twice"},
        {"1 3:0 3:0\n", 1, 7, "feature 3 is given twice"},
        {"1 qid:3 3:1 3:2\n", 1, 13, "feature 3 is given twice"},
        {"1 1:1\n1:0.2 2:0.4\n", 2, 1, "\"1:0.2\": missing label"},
        {"1 1:1\n1,3 1:2\n", 2, 1, "\"1,3\": several labels"},
        {"1;2;3\n", 1, 1, "semicolons"},
        {"nan 1:1\n", 1, 1, "\"nan\": a label must be"},
        {"-Infinity 1:1\n", 1, 1, "a label must be"},
        {"1e999 1:1\n", 1, 1, "a label must be"},
        {"1 1:1\na#b 1:1\n", 2, 1, "a # inside a label"},
        {"a 1:1\na#b 1:1\n", 2, 1, "a # inside a label"},
        {"1 1:1\n\xef\xbb\xbf"
         "1 1:1\n",
         2, 1, "byte order mark"},
        {"1 1:1\n\xef\xbb\xbf"
         "1:1\n",
         2, 1, "byte order mark"},
        {"1 1:1\n\xef\xbb\xbf# x\n", 2, 1, "byte order mark"},
        {"1 1:1\n\xef\xbb\xbf 1:1\n", 2, 1, "byte order mark"},
        {"1 1:1\n1 1:\x01\n", 2, 5, "not text: control byte 0x01"},
        {"1 1:1 # \x02\n", 1, 9, "not text: control byte 0x02"},
        {"a\x7f 1:1\n", 1, 2, "not text: control byte 0x7f"},
        {"1 1:1\r2 1:1\r", 1, 7, "carriage return"},
        {"\n# c\n\n1 x\n", 4, 3, "\"x\": expected index:value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const refusal *c = &cases[i];
        dps_row_block block = {0};
        dps_error err = {0};
        const dps_status status =
            parse_bytes("libsvm", c->text, strlen(c->text), &training_rows, &block, &err);
        if (status != DPS_ERROR_DATA || err.line != c->line || err.column != c->column ||
            strstr(err.text, c->says) == NULL) {
            fail_msg("case %zu: status %d at %lld:%lld: %s", i, (int)status, (long long)err.line,
                     (long long)err.column, err.text);
        }
        assert_string_equal(err.file, "data.svm");
        dps_row_block_release(&block);
    }
}

static void nul_bytes_are_refused(void **state)
{
    (void)state;
    static const char text[] = "1 1:1\n1 2:3\0 4:5\n";
    dps_row_block block = {0};
    dps_error err;
    assert_int_equal(parse_bytes("libsvm", text, sizeof text - 1, &training_rows, &block, &err),
                     DPS_ERROR_DATA);
    assert_int_equal(err.line, 2);
    assert_non_null(strstr(err.text, "not text"));
    dps_row_block_release(&block);
}

static void long_tokens_are_shortened(void **state)
{
    (void)state;
    char text[4096];
    memset(text, 'x', sizeof text);
    memcpy(text, "1 ", 2);
    text[sizeof text - 1] = '\n';
    dps_row_block block = {0};
    dps_error err;
    assert_int_equal(parse_bytes("libsvm", text, sizeof text, &training_rows, &block, &err),
                     DPS_ERROR_DATA);
    assert_true(strlen(err.text) < 200);
    dps_row_block_release(&block);
}

static void values_are_read_as_strtod_reads_them(void **state)
{
    (void)state;
    dps_row_block block = {0};
    uint64_t seed = 88172645463325252u;
    for (int round = 0; round < 20000; round++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        char text[80];
        const double value = ldexp((double)(int64_t)seed, (int)(seed % 120) - 100);
        const int length = snprintf(text, sizeof text, "1 1:%.*g\n", (int)(seed >> 60) + 2, value);
        dps_error err;
        assert_int_equal(parse_bytes("libsvm", text, (size_t)length, &training_rows, &block, &err),
                         DPS_OK);
        const double expected = strtod(text + 4, NULL);
        assert_memory_equal(&block.value[0], &expected, sizeof expected);
    }
    dps_row_block_release(&block);
}

static void a_block_is_good_again_after_an_error(void **state)
{
    (void)state;
    dps_row_block block = {0};
    dps_error err;
    const char *bad = "a 2:1 1:2\nb 3:x\n";
    assert_int_equal(parse_bytes("libsvm", bad, strlen(bad), &training_rows, &block, &err),
                     DPS_ERROR_DATA);
    parse_ok("c 1:1\n", &training_rows, &block);
    char shown[64];
    show(&block, shown, sizeof shown);
    assert_string_equal(shown, "c|0:1;");
    assert_int_equal(block.label_count, 1);
    dps_row_block_release(&block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blanks_tabs_and_line_ends_do_not_matter),
        cmocka_unit_test(comments_and_blank_lines_are_no_rows),
        cmocka_unit_test(a_label_alone_is_a_zero_row),
        cmocka_unit_test(zeros_are_dropped_and_indices_sorted),
        cmocka_unit_test(many_unsorted_entries_are_sorted),
        cmocka_unit_test(qid_is_passed_over_and_counted),
        cmocka_unit_test(rows_without_label_are_read_where_labels_are_optional),
        cmocka_unit_test(indices_start_at_zero_where_asked),
        cmocka_unit_test(words_are_labels),
        cmocka_unit_test(refusals_name_line_column_token_and_reason),
        cmocka_unit_test(nul_bytes_are_refused),
        cmocka_unit_test(long_tokens_are_shortened),
        cmocka_unit_test(values_are_read_as_strtod_reads_them),
        cmocka_unit_test(a_block_is_good_again_after_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
