/* docs/options.md and configs/default.ini are what the table says. To renew them run
 * `dpsvm help options > docs/options.md` and `dpsvm help config > configs/default.ini`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "options.h"

/* `name` within the source tree, the SOURCE of the environment; free() it. Not by __FILE__: builds
 * of packages shorten it (-ffile-prefix-map). */
static char *in_tree(const char *name)
{
    const char *top = getenv("SOURCE");
    assert_non_null(top);
    const size_t length = strlen(top) + strlen(name) + 2;
    char *path = malloc(length);
    assert_non_null(path);
    snprintf(path, length, "%s/%s", top, name);
    return path;
}

static char *read_file(const char *name)
{
    char *path = in_tree(name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail_msg("cannot open %s", path);
    }
    enum { MOST = 1 << 20 };
    char *text = calloc(1, MOST);
    assert_true(fread(text, 1, MOST - 1, file) > 0);
    fclose(file);
    free(path);
    return text;
}

static void compare(const char *path, void (*make)(dps_text *out))
{
    dps_text made = {0};
    make(&made);
    assert_false(made.failed);
    char *file = read_file(path);
    if (strcmp(file, made.data) != 0) {
        size_t at = 0, line = 1;
        while (file[at] != '\0' && file[at] == made.data[at]) {
            line += file[at++] == '\n';
        }
        fail_msg("%s differs from the option table at line %zu; renew it", path, line);
    }
    free(file);
    dps_text_release(&made);
}

static void options_md_is_what_the_table_says(void **state)
{
    (void)state;
    compare("docs/options.md", dps_options_markdown);
}

static void default_ini_is_what_the_table_says(void **state)
{
    (void)state;
    compare("configs/default.ini", dps_options_default_ini);
}

static void default_ini_sets_every_option_to_its_default(void **state)
{
    (void)state;
    dps_options plain, read;
    dps_error err;
    assert_int_equal(dps_options_init(&plain, NULL), DPS_OK);
    assert_int_equal(dps_options_init(&read, NULL), DPS_OK);
    char *path = in_tree("configs/default.ini");
    if (dps_options_read(&read, path, &err) != DPS_OK) {
        fail_msg("line %d: %s", (int)err.line, err.text);
    }
    free(path);
    for (size_t id = 0; id < DPS_OPTION_COUNT; id++) {
        dps_text a = {0}, b = {0};
        assert_true(read.origin[id].set);
        if (strcmp(dps_option_table()[id].type, "PATH") == 0) {
            continue; /* relative to configs/ */
        }
        dps_options_value(&plain, (dps_option_id)id, &a);
        dps_options_value(&read, (dps_option_id)id, &b);
        assert_string_equal(a.data, b.data);
        dps_text_release(&a);
        dps_text_release(&b);
    }
    dps_options_release(&plain);
    dps_options_release(&read);
}

/* Each row: help of one line, a range that holds, lower case first as all messages. */
static void every_row_of_the_table_is_sound(void **state)
{
    (void)state;
    const dps_option_info *table = dps_option_table();
    for (size_t id = 0; id < DPS_OPTION_COUNT; id++) {
        assert_true(strlen(table[id].help) > 10);
        assert_null(strchr(table[id].help, '\n'));
        assert_true(table[id].low <= table[id].high);
        assert_true(strlen(table[id].section) <= 49 && strlen(table[id].key) <= 49);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_md_is_what_the_table_says),
        cmocka_unit_test(default_ini_is_what_the_table_says),
        cmocka_unit_test(default_ini_sets_every_option_to_its_default),
        cmocka_unit_test(every_row_of_the_table_is_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
