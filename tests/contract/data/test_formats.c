/* What every row of the table of input formats must do: the same rows, classes and first error for
 * any number of threads and any cut of the input, whole blocks, errors with a place. A new format
 * adds a sample here. */
#include "unit/data/load_fixture.h"

typedef struct sample {
    const char *format;
    const char *good;
    size_t good_length;
    int64_t rows, entries, lines;
    const char *bad; /* two faults; the first counts */
    size_t bad_length;
    int64_t bad_line;
} sample;

#define BYTES(text) text, sizeof text - 1

static const sample samples[] = {
    {"libsvm",
     BYTES("# head\n+1 1:1 4:0.25\n-1 2:3e-1\n\n1.0 3:2 1:5 # tail\nword 9:0\n-1\n1 qid:1 2:1\n-1 "
           "8:8 "
           "9:9"),
     7, 8, 9, BYTES("1 1:1\n\n-1 2:2\n# comment\n1 3:3\n-1 4:x\n1 5:5\n-1 6:y\n1 7:7"), 6},
    {"csv",
     BYTES("a,label,\"b,c\",d\r\n1,yes,0.25,red\n\n0, no ,\"-3e-1\",\"dark \"\"red\"\"\"\n"
           "2,no,123456789012345678901,5\n-1,\"yes\",0,red"),
     4, 10, 6, BYTES("1,2,3\n\n-1,0,7\n1,4,5\n-1,\"3,9\n1,1,1\n-1,2\n1,1,1"), 5},
    {"tsv", BYTES("+1\t0.5\t 7\n-1\t0\t2.5e1 \n1\t-1\t.5\n"), 3, 5, 3,
     BYTES("1\t2\t3\n-1\t4\n1\t2\t3\n-1\t5\t6\t7"), 2},
    {"arff",
     BYTES("% c\n@relation r\n\n@attribute x real\n@attribute 'a b' {p,'q r'}\r\n@attribute n "
           "integer\n@attribute class {yes,no}\n@data\n1,'q r',5,yes\n% c\n\n 0.5, p ,0,no\n2,\"q "
           "r\",-1,yes"),
     3, 8, 13,
     BYTES("@relation r\n@attribute x real\n@attribute class {yes,no}\n@data\n1,yes\n2,maybe\n"
           "{0 1}\n3"),
     6},
    {"npy",
     BYTES("\223NUMPY\001\000F\000{'descr': '|i1', 'fortran_order': False, 'shape':"
           " (4, 3), }          \n\001\005\000\377\000\007\001\200\177\377\001\001"),
     4, 6, 4,
     BYTES("\223NUMPY\001\000F\000{'descr': '<f4', 'fortran_order': False, 'shape':"
           " (4, 3), }          \n\000\000\200\077\000\000\200\077\000\000\200\077\000"
           "\000\000\000\000\000\200\077\000\000\200\177\000\000\200\077\000\000\200"
           "\077\000\000\200\077\000\000\000\000\000\000\300\177\000\000\200\077"),
     2},
};

static const sample *sample_of(const char *format)
{
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        if (strcmp(samples[i].format, format) == 0) {
            return &samples[i];
        }
    }
    fail_msg("format %s has no sample in the contract test", format);
    return NULL;
}

static void names_are_found_and_auto_detects(void **state)
{
    (void)state;
    assert_null(dps_format_find("auto"));
    assert_null(dps_format_find("nonsense"));
    assert_null(dps_format_detect("nonsense", NULL));
    for (const char *const *name = dps_format_names; *name != NULL; name++) {
        const sample *s = sample_of(*name);
        const dps_format *format = dps_format_find(*name);
        assert_non_null(format);
        assert_string_equal(format->name, *name);
        const dps_chunk chunk = {.bytes = s->good, .length = s->good_length, .file = "sample"};
        assert_ptr_equal(dps_format_detect("auto", &chunk), format);
        assert_ptr_equal(dps_format_detect(*name, &chunk), format);
    }
}

/* Lines that say nothing, comments and blank ones, leave it to those behind them. */
static void later_lines_tell_the_format(void **state)
{
    (void)state;
    static const struct {
        const char *text, *format;
    } cases[] = {{"# a note\n1,2\n3,4\n", "csv"},
                 {"\n\n1\t2\n", "tsv"},
                 {"# a note\n\n+1 1:0.5\n", "libsvm"},
                 {"7\na b\n", "csv"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const dps_chunk chunk = {
            .bytes = cases[k].text, .length = strlen(cases[k].text), .file = "lines"};
        assert_string_equal(dps_format_detect("auto", &chunk)->name, cases[k].format);
    }
}

static void a_block_holds_the_rows_of_its_chunk(void **state)
{
    (void)state;
    for (const char *const *name = dps_format_names; *name != NULL; name++) {
        const sample *s = sample_of(*name);
        const dps_format *format = dps_format_find(*name);
        dps_row_block block = {0};
        dps_error err;
        for (int again = 0; again < 2; again++) {
            assert_int_equal(
                parse_bytes(*name, s->good, s->good_length, &training_rows, &block, &err), DPS_OK);
            assert_null(block_fault(&block, format->columns));
            assert_int_equal(block.rows, s->rows);
            assert_int_equal(block.start[block.rows], s->entries);
            assert_int_equal(block.lines, s->lines);
        }
        assert_int_equal(parse_bytes(*name, s->bad, s->bad_length, &training_rows, &block, &err),
                         DPS_ERROR_DATA);
        assert_int_equal(err.line, s->bad_line);
        assert_true(err.column > 0);
        dps_row_block_release(&block);
        dps_row_block_release(&block); /* a zeroed block is fine */
    }
}

/* A row without a label is refused in training and taken where labels are optional. */
static void labels_may_be_missing_where_they_are_optional(void **state)
{
    (void)state;
    static const struct {
        const char *format, *bytes;
        size_t length;
    } cases[] = {
        {"libsvm", BYTES("1 1:1\n2:0.5\n")},
        {"csv", BYTES("y,a\n1,0.5\n,0.25\n")},
        {"tsv", BYTES("y\ta\n1\t0.5\nNA\t0.25\n")},
        {"arff", BYTES("@relation r\n@attribute class {1,2}\n@attribute a real\n@data\n1,0.5\n"
                       "?,0.25\n")},
        {"npy", BYTES("\223NUMPY\001\000F\000{'descr': '<f4', 'fortran_order': False, 'shape':"
                      " (2, 2), }          \n\000\000\200\077\000\000\000\077"
                      "\000\000\300\177\000\000\200\076")},
    };
    const dps_read_options optional = {.format = "auto", .labels = DPS_LABELS_OPTIONAL};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        dps_row_block block = {0};
        dps_error err;
        assert_int_equal(parse_bytes(cases[k].format, cases[k].bytes, cases[k].length,
                                     &training_rows, &block, &err),
                         DPS_ERROR_DATA);
        assert_non_null(strstr(err.text, "label"));
        assert_int_equal(
            parse_bytes(cases[k].format, cases[k].bytes, cases[k].length, &optional, &block, &err),
            DPS_OK);
        assert_int_equal(block.rows, 2);
        assert_int_equal(block.label[0], 0);
        assert_int_equal(block.label[1], -1);
        assert_int_equal(block.start[2], 2);
        dps_row_block_release(&block);
    }
}

static void threads_and_cuts_change_nothing(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 4};
    for (const char *const *name = dps_format_names; *name != NULL; name++) {
        const sample *s = sample_of(*name);
        char *good = make_file(s->good, s->good_length);
        const char *path = good;
        dps_load_options options =
            load_options(&path, 1, DPS_SCALE_STANDARD, DPS_NORMALIZE_MAX_NORM);
        options.read.format = *name;
        dps_dataset expected;
        load_ok(&options, 0, 1, &expected);
        assert_int_equal(expected.x.rows, s->rows);
        assert_int_equal(expected.nonzeros, s->entries);
        for (size_t chunk = 1; chunk <= s->good_length + 1; chunk++) {
            for (int t = 0; t < 3; t++) {
                dps_dataset got;
                load_ok(&options, chunk, threads[t], &got);
                assert_same_data(&expected, &got);
                dps_dataset_release(&got);
            }
        }
        dps_dataset_release(&expected);
        drop_file(good);
    }
}

static void the_first_error_is_the_same_everywhere(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 4};
    for (const char *const *name = dps_format_names; *name != NULL; name++) {
        const sample *s = sample_of(*name);
        char *bad = make_file(s->bad, s->bad_length);
        const char *path = bad;
        dps_load_options options = load_options(&path, 1, DPS_SCALE_NONE, DPS_NORMALIZE_NONE);
        options.read.format = *name;
        for (size_t chunk = 1; chunk <= s->bad_length + 1; chunk++) {
            for (int t = 0; t < 3; t++) {
                const dps_run run = run_with(threads[t]);
                dps_dataset data;
                dps_error err;
                assert_int_equal(dps_dataset_load_chunked(&options, chunk, &run, &data, &err),
                                 DPS_ERROR_DATA);
                assert_int_equal(err.line, s->bad_line);
                assert_string_equal(err.file, bad);
            }
        }
        drop_file(bad);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_and_auto_detects),
        cmocka_unit_test(later_lines_tell_the_format),
        cmocka_unit_test(a_block_holds_the_rows_of_its_chunk),
        cmocka_unit_test(labels_may_be_missing_where_they_are_optional),
        cmocka_unit_test(threads_and_cuts_change_nothing),
        cmocka_unit_test(the_first_error_is_the_same_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
