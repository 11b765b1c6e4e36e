/* Values of options as text. Task: write a field of struct dps_options as it could stand in an INI
 * file (option_value.c reads it back to the same value), and say in words what an option takes. */
#include "option_value.h"

#include <string.h>
#include "number.h"

/* In quotes where the reader would take it apart otherwise. There are no escapes: a text that holds
 * both kinds of quotes stays as it is. */
static void add_quoted(dps_text *out, const char *text, bool plain)
{
    const char *quote = strchr(text, '"') == NULL ? "\"" : strchr(text, '\'') == NULL ? "'" : "";
    dps_text_format(out, "%s%s%s", plain ? "" : quote, text, plain ? "" : quote);
}

/* Whether quotes that open at an item's start also close: then the reader leaves them as they are,
 * but for those around the whole text. */
static bool keeps_quotes(const char *text)
{
    bool start = true;
    for (const char *c = text; *c != '\0'; c++) {
        if (start && (*c == '"' || *c == '\'')) {
            const char *close = strchr(c + 1, *c);
            if (close == NULL || (c == text && close[1] == '\0')) {
                return false;
            }
            c = close;
        }
        start = dps_is_blank(*c) || *c == ',';
    }
    return true;
}

static bool has_outer_blanks(const char *text)
{
    const size_t length = strlen(text);
    return length > 0 && (dps_is_blank(text[0]) || dps_is_blank(text[length - 1]));
}

static void format_string(const void *field, dps_text *out)
{
    const char *text = *(char *const *)field;
    add_quoted(out, text,
               strpbrk(text, "#;") == NULL && keeps_quotes(text) && !has_outer_blanks(text));
}

/* What stands before the k-th item of a list: a blank and # or ; would begin a comment where an
 * item cannot stand in quotes. */
static void add_comma(dps_text *out, size_t k, const char *item)
{
    const bool bare = strchr(item, '"') != NULL && strchr(item, '\'') != NULL;
    const bool tight = bare && (item[0] == '#' || item[0] == ';');
    dps_text_add(out, tight ? "," : k == 0 ? "" : ", ");
}

static void add_item(dps_text *out, size_t k, const dps_list_item *item)
{
    dps_text name = {0};
    dps_text_append(&name, item->text, item->length);
    out->failed = out->failed || name.failed;
    if (!name.failed) {
        const char *text = item->length > 0 ? name.data : "";
        add_comma(out, k, text);
        add_quoted(out, text, !item->quoted && strpbrk(text, "#;'\"") == NULL);
        const bool apart = item->rest_length > 0 && dps_is_blank(item->rest[-1]);
        dps_text_add(out, apart ? " " : ""); /* quotes open after a blank only */
        dps_text_append(out, item->rest, item->rest_length);
    }
    dps_text_release(&name);
}

/* As written, or one by one, with what an INI would take apart in quotes. */
static void format_names(const void *field, dps_text *out)
{
    const char *at = *(char *const *)field;
    if (strpbrk(at, "#;'\"\n") == NULL) {
        dps_text_add(out, at);
        return;
    }
    dps_list_item item;
    for (size_t k = 0; dps_list_next(&at, &item); k++) {
        add_item(out, k, &item);
    }
}

void dps_option_path(const char *path, const char *folder, dps_text *out)
{
    dps_text full = {0};
    if (folder[0] != '\0' && path[0] != '\0' && path[0] != '/' && strcmp(path, "-") != 0) {
        dps_text_format(&full, "%s/", folder);
    }
    dps_text_add(&full, path);
    out->failed = out->failed || full.failed;
    if (!full.failed) {
        add_quoted(out, full.data, strpbrk(full.data, " \t\r\n\v\f,#;'\"") == NULL);
    }
    dps_text_release(&full);
}

static void add_paths(const dps_list *list, const char *folder, dps_text *out)
{
    for (size_t i = 0; i < list->count; i++) {
        dps_text_add(out, i == 0 ? "" : ", ");
        dps_option_path(list->item[i], folder, out);
    }
}

static void format_flag(const void *field, dps_text *out)
{
    dps_text_add(out, *(const bool *)field ? "on" : "off");
}

static void format_int(const void *field, dps_text *out)
{
    dps_text_format(out, "%lld", (long long)*(const int64_t *)field);
}

static void format_real(const void *field, dps_text *out)
{
    dps_text_number(out, *(const double *)field);
}

static void format_reals(const void *field, dps_text *out)
{
    const dps_reals *list = field;
    for (size_t i = 0; i < list->count; i++) {
        dps_text_add(out, i == 0 ? "" : ", ");
        dps_text_number(out, list->item[i]);
    }
}

/* Neighbours are written as a range. */
static void format_ints(const void *field, dps_text *out)
{
    const dps_ints *list = field;
    for (int32_t i = 0; i < list->count; i++) {
        int32_t last = i;
        while (last + 1 < list->count && list->item[last + 1] == list->item[last] + 1) {
            last++;
        }
        dps_text_format(out, "%s%lld", i == 0 ? "" : ", ", (long long)list->item[i]);
        if (last - i >= 2) {
            dps_text_format(out, "..%lld", (long long)list->item[last]);
            i = last;
        }
    }
}

static void format_choice(const void *field, dps_text *out)
{
    dps_text_add(out, *(const char *const *)field);
}

static void format_choice_real(const void *field, dps_text *out)
{
    const dps_choice_real *value = field;
    if (value->choice != NULL) {
        dps_text_add(out, value->choice);
    } else {
        dps_text_number(out, value->number);
    }
}

static void format_choice_int(const void *field, dps_text *out)
{
    const dps_choice_int *value = field;
    if (value->choice != NULL) {
        dps_text_add(out, value->choice);
    } else {
        format_int(&value->number, out);
    }
}

static void format_size(const void *field, dps_text *out)
{
    int64_t bytes = *(const int64_t *)field;
    if (bytes == 0) {
        dps_text_add(out, "auto");
    } else {
        format_int(&bytes, out);
    }
}

static void add_range(const dps_option_info *info, bool whole, dps_text *out)
{
    if (info->low == DPS_ABOVE_ZERO) {
        dps_text_add(out, " above 0 and at most ");
    } else {
        dps_text_format(out, " from %g to ", info->low);
    }
    dps_text_format(out, whole ? "%.16g" : "%g", info->high);
}

static void add_choices(const dps_option_info *info, const char *before_last, dps_text *out)
{
    for (const char *c = info->choices; *c != '\0'; c += strlen(c) + 1) {
        bool last = c[strlen(c) + 1] == '\0';
        dps_text_format(out, "%s%s", c == info->choices ? "" : last ? before_last : ", ", c);
    }
}

/* How a type is written, and what it takes: its choices, a text, a range. */
static const struct {
    void (*write)(const void *field, dps_text *out); /* NULL: paths, which know the folder */
    const char *before_last;                         /* choice; NULL: there are none */
    const char *text;
    bool range, whole; /* of whole numbers */
} types[DPS_TYPE_COUNT] = {
    [DPS_TYPE_STRING] = {format_string, NULL, "text", false, false},
    [DPS_TYPE_NAMES] = {format_names, NULL, "names, with commas between", false, false},
    [DPS_TYPE_PATH] = {NULL, NULL, "a file name", false, false},
    [DPS_TYPE_PATHS] = {NULL, NULL, "file names", false, false},
    [DPS_TYPE_FLAG] = {format_flag, NULL, "on or off", false, false},
    [DPS_TYPE_INT] = {format_int, NULL, "a whole number", true, true},
    [DPS_TYPE_INTS] = {format_ints, NULL, "whole numbers, as 1, 2 or 1..5", true, true},
    [DPS_TYPE_REAL] = {format_real, NULL, "a number", true, false},
    [DPS_TYPE_REALS] = {format_reals, NULL, "a list of numbers", true, false},
    [DPS_TYPE_CHOICE] = {format_choice, " or ", "", false, false},
    [DPS_TYPE_CHOICE_REAL] = {format_choice_real, ", ", " or a number", true, false},
    [DPS_TYPE_CHOICE_INT] = {format_choice_int, ", ", " or a whole number", true, true},
    [DPS_TYPE_SIZE] = {format_size, NULL,
                       "auto or a number of bytes, as 800M or 4G (k, M, G, T count by 1024)", false,
                       false}};

void dps_value_format(dps_option_type type, const void *field, const char *folder, dps_text *out)
{
    if (type == DPS_TYPE_PATH) {
        dps_option_path(*(char *const *)field, folder, out);
    } else if (type == DPS_TYPE_PATHS) {
        add_paths(field, folder, out);
    } else {
        types[type].write(field, out);
    }
}

void dps_value_expected(const dps_option_info *info, dps_option_type type, dps_text *out)
{
    if (types[type].before_last != NULL) {
        add_choices(info, types[type].before_last, out);
    }
    dps_text_add(out, types[type].text);
    if (types[type].range) {
        add_range(info, types[type].whole, out);
    }
}
