/* What the columns of a table are: names, labels, lists of the user, the columns of a model. */
#include "unit/data/data_fixture.h"

/* A layout that was found, and what was said of it. */
typedef struct found {
    dps_table table;
    dps_layout layout;
    dps_text notes;
    char note[512];
    dps_status status;
    dps_error err;
} found;

static void find(found *f, const char *text, const dps_table_options *ask, const dps_table *known)
{
    const dps_chunk chunk = {
        .bytes = text, .length = strlen(text), .file = "t.csv", .first_of_file = true};
    dps_read_options options = {.format = "csv"};
    if (ask != NULL) {
        options.table = *ask;
    }
    memset(f, 0, sizeof *f);
    f->status = dps_layout_find(dps_format_find("csv"), &chunk, &options, known, &f->table,
                                &f->layout, f->note, sizeof f->note, &f->notes, &f->err);
}

static void drop(found *f)
{
    dps_text_release(&f->notes);
    if (f->status == DPS_OK) {
        dps_table_release(&f->table);
        dps_layout_release(&f->layout);
    }
}

static void the_note_says_what_was_guessed_and_what_else_it_may_be(void **state)
{
    (void)state;
    const dps_table_options named = {.label_column = "b"};
    static const char rows[] = "y,b\n1,2.5\n0,3.5\n1,4.5\n";
    found f;
    find(&f, rows, NULL, NULL);
    assert_string_equal(f.note, "csv with a header, label in column 1 (y) (data.label_column not "
                                "set), 1 number column");
    drop(&f);
    find(&f, "target,y\n1,2.5\n0,3.5\n1,4.5\n", NULL, NULL);
    assert_non_null(strstr(f.note, "column 2 (y)"));
    assert_non_null(strstr(f.note, "(data.label_column not set; it could also be "));
    drop(&f);
    find(&f, rows, &named, NULL);
    assert_string_equal(f.note, "csv with a header, label in column 2 (b), 1 number column");
    drop(&f);
}

static void a_name_of_a_list_may_hold_blanks(void **state)
{
    (void)state;
    const dps_table_options blank = {.ignore_columns = "a b, d"};
    const dps_table_options two = {.ignore_columns = "c d"}; /* no such name: two names */
    const dps_table_options none = {.ignore_columns = "a e"};
    static const char rows[] = "y,a b,c,d\n1,2,3,4.5\n0,3,4,5.5\n";
    found f;
    find(&f, rows, &blank, NULL);
    assert_int_equal(f.status, DPS_OK);
    assert_int_equal(f.layout.field[1].role, DPS_COLUMN_IGNORED);
    assert_int_equal(f.layout.field[2].role, DPS_COLUMN_NUMBER);
    assert_int_equal(f.layout.field[3].role, DPS_COLUMN_IGNORED);
    drop(&f);
    find(&f, rows, &two, NULL);
    assert_int_equal(f.status, DPS_OK);
    assert_int_equal(f.layout.field[1].role, DPS_COLUMN_NUMBER);
    assert_int_equal(f.layout.field[2].role, DPS_COLUMN_IGNORED);
    assert_int_equal(f.layout.field[3].role, DPS_COLUMN_IGNORED);
    drop(&f);
    find(&f, rows, &none, NULL);
    assert_int_equal(f.status, DPS_ERROR_CONFIG);
    assert_non_null(strstr(f.err.text, "data.ignore_columns = a e: there is no such column"));
    drop(&f);
}

/* Whatever the order of the file's columns: each takes the model's column of its name. */
static void columns_of_a_model_are_found_by_name(void **state)
{
    (void)state;
    static const char *const files[] = {"y,a,b,c\n1,2,3,4\n", "c,b,a,y\n4,3,2,1\n",
                                        "b,c,y,a\n3,4,1,2\n"};
    found trained, f;
    find(&trained, "y,a,b,c\n1,2.5,3,4\n0,3.5,4,5\n", NULL, NULL);
    assert_int_equal(trained.status, DPS_OK);
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        find(&f, files[k], NULL, &trained.table);
        assert_int_equal(f.status, DPS_OK);
        for (int32_t i = 0; i < 4; i++) {
            assert_string_equal(trained.table.column[f.layout.field[i].column].name,
                                f.layout.name[i]);
        }
        drop(&f);
    }
    find(&f, "y,b,c\n1,3,4\n", NULL, &trained.table);
    assert_int_equal(f.status, DPS_ERROR_DATA);
    assert_non_null(strstr(f.err.text, "the model needs a column \"a\""));
    drop(&f);
    drop(&trained);
}

/* Names that stand again between rows, as in files that were joined, are no row. */
static void repeated_names_are_left_out(void **state)
{
    (void)state;
    static const char *const files[] = {"y,a\n1,2\ny,a\n0,3\n", "y,a\r\n1,2\r\ny,a\r\n0,3\r\n"};
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        dps_row_block block = {0};
        dps_error err;
        assert_int_equal(
            parse_bytes("csv", files[k], strlen(files[k]), &training_rows, &block, &err), DPS_OK);
        assert_int_equal(block.rows, 2);
        assert_int_equal(block.repeats, 1);
        dps_row_block_release(&block);
    }
}

/* Blanks that separate: any number of them, and tabs. */
static void several_blanks_separate_as_one(void **state)
{
    (void)state;
    static const char text[] = "1 2 3\n0  4   5\n1 \t6\t 7 \n";
    dps_row_block block = {0};
    dps_error err;
    assert_int_equal(parse_bytes("csv", text, sizeof text - 1, &training_rows, &block, &err),
                     DPS_OK);
    assert_int_equal(block.rows, 3);
    for (int k = 0; k < 6; k++) {
        assert_true(block.value[k] == k + 2.0);
    }
    dps_row_block_release(&block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_note_says_what_was_guessed_and_what_else_it_may_be),
        cmocka_unit_test(a_name_of_a_list_may_hold_blanks),
        cmocka_unit_test(columns_of_a_model_are_found_by_name),
        cmocka_unit_test(repeated_names_are_left_out),
        cmocka_unit_test(several_blanks_separate_as_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
