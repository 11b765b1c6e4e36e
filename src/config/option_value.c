/* Values of options. Task: turn the text of one value, as an INI file or the command line gives it,
 * into the field of struct dps_options that the table names (option_text.c is the way back).
 *
 * Rules: numbers are consumed whole, finite and within the row's bounds; a value or an item of a
 * list may stand in single or double quotes (no escapes: take the other kind to write one); lists
 * are separated by commas or blanks; relative paths get the base folder in front; sizes take k, M,
 * G, T (1024-based). Every type is one row of the table `types`; the parsers of all of them stand
 * here, which is why this file is longer than others. */
#include "option_value.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "number.h"
#include "peer_words.h"

typedef struct value_input {
    const dps_option_info *info;
    const char *text;
    const char *base_folder;
    dps_text *problem;
} value_input;

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

static dps_status refuse(const value_input *in, const char *why)
{
    dps_text_add(in->problem, why);
    return DPS_ERROR_CONFIG;
}

/* Text without blanks at both ends. */
static const char *trimmed(const char *text, size_t *length)
{
    *length = dps_text_trim(&text, text + strlen(text));
    return text;
}

/* The same, also without the quotes around the whole value. */
static const char *unquoted(const char *text, size_t *length)
{
    text = trimmed(text, length);
    if (*length >= 2 && is_quote(text[0]) && text[*length - 1] == text[0] &&
        memchr(text + 1, text[0], *length - 2) == NULL) {
        *length -= 2;
        return text + 1;
    }
    return text;
}

/* Path as opened: the base folder in front of a relative one. "-" stays. */
static char *resolve_path(const char *base, const char *path, size_t length)
{
    bool as_is =
        base[0] == '\0' || length == 0 || path[0] == '/' || (length == 1 && path[0] == '-');
    size_t base_length = as_is ? 0 : strlen(base);
    size_t slash = base_length > 0 && base[base_length - 1] != '/' ? 1 : 0;
    char *full = malloc(base_length + slash + length + 1);
    if (full != NULL) {
        memcpy(full, base, base_length);
        memcpy(full + base_length, "/", slash);
        memcpy(full + base_length + slash, path, length);
        full[base_length + slash + length] = '\0';
    }
    return full;
}

/* Choice of this name within the table's static text, or NULL. */
static const char *find_choice(const char *choices, const char *name, size_t length)
{
    for (const char *c = choices; *c != '\0'; c += strlen(c) + 1) {
        if (strlen(c) == length && memcmp(c, name, length) == 0) {
            return c;
        }
    }
    return NULL;
}

static dps_status read_real(const value_input *in, const char *text, size_t length, double *number)
{
    double value;
    if (!dps_text_to_double(text, length, &value) || !isfinite(value) || value < in->info->low ||
        value > in->info->high) {
        return DPS_ERROR_CONFIG;
    }
    *number = value;
    return DPS_OK;
}

static dps_status read_int(const value_input *in, const char *text, size_t length, int64_t *number)
{
    int64_t value;
    if (!dps_text_to_int64(text, length, &value) || value < (int64_t)in->info->low ||
        value > (int64_t)in->info->high) {
        return DPS_ERROR_CONFIG;
    }
    *number = value;
    return DPS_OK;
}

/* --- lists ------------------------------------------------------------------------------------ */

bool dps_list_add(dps_list *list, char *text)
{
    char **grown = text == NULL ? NULL : realloc(list->item, (list->count + 1) * sizeof *grown);
    if (grown == NULL) {
        free(text);
        return false;
    }
    list->item = grown;
    list->item[list->count++] = text;
    return true;
}

void dps_list_release(dps_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->item[i]);
    }
    free(list->item);
    *list = (dps_list){NULL, 0};
}

/* --- one parser a type ------------------------------------------------------------------------ */

static dps_status keep_text(const char *text, size_t length, void *field)
{
    char *copy = strndup(text, length);
    if (copy == NULL) {
        return DPS_ERROR_MEMORY;
    }
    *(char **)field = copy;
    return DPS_OK;
}

static dps_status parse_string(const value_input *in, void *field)
{
    size_t length;
    const char *text = unquoted(in->text, &length);
    return keep_text(text, length, field);
}

/* The quotes stay: they tell names from the commas between them. */
static dps_status parse_names(const value_input *in, void *field)
{
    size_t length;
    const char *text = trimmed(in->text, &length);
    return keep_text(text, length, field);
}

static dps_status parse_path(const value_input *in, void *field)
{
    size_t length, whole;
    const char *text = unquoted(in->text, &length);
    if (is_quote(text[0]) && text == trimmed(in->text, &whole)) {
        return refuse(in, "expected one quoted file name and nothing after its closing quote");
    }
    char *path = resolve_path(in->base_folder, text, length);
    if (path == NULL) {
        return DPS_ERROR_MEMORY;
    }
    *(char **)field = path;
    return DPS_OK;
}

/* Next item of a list at *at: blanks and commas around it left out, quotes taken off. *item = NULL
 * at the end. */
static dps_status next_item(const value_input *in, const char **at, const char **item,
                            size_t *length)
{
    const char *p = *at;
    while (dps_is_blank(*p) || *p == ',') {
        p++;
    }
    *item = NULL;
    *length = 0;
    if (is_quote(*p)) {
        const char *close = strchr(p + 1, *p);
        if (close == NULL) {
            return refuse(in, "a quote is not closed");
        }
        *item = p + 1;
        *length = (size_t)(close - p) - 1;
        p = close + 1;
        if (*p != '\0' && *p != ',' && !dps_is_blank(*p)) {
            return refuse(in, "expected a comma or a blank after the closing quote");
        }
    } else if (*p != '\0') {
        *item = p;
        while (*p != '\0' && *p != ',' && !dps_is_blank(*p)) {
            p++;
        }
        *length = (size_t)(p - *item);
    }
    *at = p;
    return DPS_OK;
}

/* Users write `train = my data.svm`: an unquoted value that names a file is that one file. */
static char *whole_value_file(const value_input *in)
{
    size_t length;
    const char *text = trimmed(in->text, &length);
    if (length == 0 || is_quote(text[0])) {
        return NULL;
    }
    char *path = resolve_path(in->base_folder, text, length);
    if (path != NULL && access(path, F_OK) != 0) {
        free(path);
        path = NULL;
    }
    return path;
}

static dps_status add_paths(const value_input *in, dps_list *list)
{
    char *whole = whole_value_file(in);
    if (whole != NULL) {
        return dps_list_add(list, whole) ? DPS_OK : DPS_ERROR_MEMORY;
    }
    const char *at = in->text;
    for (;;) {
        const char *item;
        size_t length;
        DPS_TRY(next_item(in, &at, &item, &length));
        if (item == NULL) {
            return DPS_OK;
        }
        if (length == 0) {
            return refuse(in, "a file name is empty");
        }
        if (!dps_list_add(list, resolve_path(in->base_folder, item, length))) {
            return DPS_ERROR_MEMORY;
        }
    }
}

static dps_status parse_paths(const value_input *in, void *field)
{
    dps_list list = {NULL, 0};
    const dps_status status = add_paths(in, &list);
    if (status != DPS_OK) {
        dps_list_release(&list);
    } else {
        *(dps_list *)field = list;
    }
    return status;
}

/* "on" or "off" for what means one of them, else NULL. */
static const char *switch_of(const char *text, size_t length)
{
    static const char on[] = "on\0true\0yes\0001\0", off[] = "off\0false\0no\0000\0";
    char lower[8];
    if (length >= sizeof lower) {
        return NULL;
    }
    for (size_t i = 0; i < length; i++) {
        lower[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] | 0x20) : text[i];
    }
    return find_choice(on, lower, length) != NULL    ? "on"
           : find_choice(off, lower, length) != NULL ? "off"
                                                     : NULL;
}

static dps_status parse_flag(const value_input *in, void *field)
{
    size_t length;
    const char *text = unquoted(in->text, &length);
    const char *is = switch_of(text, length);
    if (is == NULL) {
        return DPS_ERROR_CONFIG;
    }
    *(bool *)field = strcmp(is, "on") == 0;
    return DPS_OK;
}

static dps_status parse_int(const value_input *in, void *field)
{
    size_t length;
    const char *text = unquoted(in->text, &length);
    return read_int(in, text, length, field);
}

/* Adds "a" or "a..b". */
static dps_status add_ints(const value_input *in, const char *item, size_t length, dps_ints *list)
{
    size_t first = 0;
    int64_t from, to;
    while (first + 2 < length && (item[first] != '.' || item[first + 1] != '.')) {
        first++;
    }
    const bool range = first > 0 && first + 2 < length;
    DPS_TRY(read_int(in, item, range ? first : length, &from));
    to = from;
    if (range) {
        DPS_TRY(read_int(in, item + first + 2, length - first - 2, &to));
    }
    if (to < from) {
        return DPS_ERROR_CONFIG;
    }
    if (to - from >= DPS_INTS_MOST - list->count) {
        dps_text_format(in->problem, "expected at most %d numbers", DPS_INTS_MOST);
        return DPS_ERROR_CONFIG;
    }
    for (int64_t value = from; value <= to; value++) {
        for (int32_t k = 0; k < list->count; k++) {
            if (list->item[k] == value) {
                dps_text_format(in->problem, "%lld is given twice", (long long)value);
                return DPS_ERROR_CONFIG;
            }
        }
        list->item[list->count++] = value;
    }
    return DPS_OK;
}

static dps_status parse_ints(const value_input *in, void *field)
{
    dps_ints *list = field;
    const char *at = in->text;
    const char *item;
    size_t length;
    dps_status status;
    list->count = 0;
    while ((status = next_item(in, &at, &item, &length)) == DPS_OK && item != NULL) {
        DPS_TRY(add_ints(in, item, length, list));
    }
    return status == DPS_OK && list->count == 0 ? DPS_ERROR_CONFIG : status;
}

static dps_status parse_real(const value_input *in, void *field)
{
    size_t length;
    const char *text = unquoted(in->text, &length);
    return read_real(in, text, length, field);
}

static dps_status add_reals(const value_input *in, dps_reals *list)
{
    const char *at = in->text;
    for (;;) {
        const char *item;
        size_t length;
        DPS_TRY(next_item(in, &at, &item, &length));
        if (item == NULL) {
            return DPS_OK;
        }
        double *grown = realloc(list->item, (list->count + 1) * sizeof *grown);
        if (grown == NULL) {
            return DPS_ERROR_MEMORY;
        }
        list->item = grown;
        DPS_TRY(read_real(in, item, length, &list->item[list->count]));
        list->count++;
    }
}

static dps_status parse_reals(const value_input *in, void *field)
{
    dps_reals list = {NULL, 0};
    const dps_status status = add_reals(in, &list);
    if (status != DPS_OK) {
        free(list.item);
    } else {
        *(dps_reals *)field = list;
    }
    return status;
}

static dps_status parse_choice(const value_input *in, void *field)
{
    size_t length;
    const char *text = unquoted(in->text, &length);
    const char *choice = find_choice(in->info->choices, text, length);
    const char *is = switch_of(text, length);
    if (choice == NULL && is != NULL) { /* where on or off is a choice */
        choice = find_choice(in->info->choices, is, strlen(is));
    }
    if (choice == NULL) { /* or what other programs call it */
        const char *reason;
        const char *meant = dps_peer_value(in->info->name, text, length, &reason);
        choice = meant == NULL ? NULL : find_choice(in->info->choices, meant, strlen(meant));
    }
    if (choice == NULL) {
        return DPS_ERROR_CONFIG;
    }
    *(const char **)field = choice;
    return DPS_OK;
}

static dps_status parse_choice_real(const value_input *in, void *field)
{
    dps_choice_real value = {NULL, NAN};
    if (parse_choice(in, &value.choice) != DPS_OK) {
        DPS_TRY(parse_real(in, &value.number));
    }
    *(dps_choice_real *)field = value;
    return DPS_OK;
}

static dps_status parse_choice_int(const value_input *in, void *field)
{
    dps_choice_int value = {NULL, 0};
    if (parse_choice(in, &value.choice) != DPS_OK) {
        DPS_TRY(parse_int(in, &value.number));
    }
    *(dps_choice_int *)field = value;
    return DPS_OK;
}

static dps_status parse_size(const value_input *in, void *field)
{
    static const char letters[] = "kmgt";
    size_t length;
    const char *text = unquoted(in->text, &length);
    const char *end = text + length;
    if (find_choice(in->info->choices, text, length) != NULL) {
        *(int64_t *)field = 0;
        return DPS_OK;
    }
    double number;
    const char *suffix = dps_parse_double(text, end, &number);
    if (suffix == NULL) {
        return DPS_ERROR_CONFIG;
    }
    while (suffix < end && dps_is_blank(*suffix)) {
        suffix++;
    }
    if (suffix < end) { /* also KB, KiB: the same 1024 */
        const char *letter = strchr(letters, *suffix | 0x20);
        if (*suffix != 'B' && letter != NULL) {
            number = ldexp(number, 10 * (int)(letter - letters + 1));
            suffix += 1 + (end - suffix == 3 && suffix[1] == 'i');
        }
        suffix += suffix < end && *suffix == 'B';
    }
    if (suffix != end || !(number >= 1.0 && number <= 9007199254740992.0)) {
        return DPS_ERROR_CONFIG;
    }
    *(int64_t *)field = (int64_t)number;
    return DPS_OK;
}

static void release_list(void *field)
{
    dps_list_release(field);
}

static void release_text(void *field)
{
    free(*(char **)field);
    *(char **)field = NULL;
}

static void release_reals(void *field)
{
    dps_reals *list = field;
    free(list->item);
    *list = (dps_reals){NULL, 0};
}

/* --- the types -------------------------------------------------------------------------------- */

static const struct {
    size_t size;
    bool list;
    dps_status (*parse)(const value_input *in, void *field);
    void (*release)(void *field); /* NULL: owns nothing */
} types[DPS_TYPE_COUNT] = {
    [DPS_TYPE_STRING] = {sizeof(char *), false, parse_string, release_text},
    [DPS_TYPE_NAMES] = {sizeof(char *), true, parse_names, release_text},
    [DPS_TYPE_PATH] = {sizeof(char *), false, parse_path, release_text},
    [DPS_TYPE_PATHS] = {sizeof(dps_list), true, parse_paths, release_list},
    [DPS_TYPE_FLAG] = {sizeof(bool), false, parse_flag, NULL},
    [DPS_TYPE_INT] = {sizeof(int64_t), false, parse_int, NULL},
    [DPS_TYPE_INTS] = {sizeof(dps_ints), true, parse_ints, NULL},
    [DPS_TYPE_REAL] = {sizeof(double), false, parse_real, NULL},
    [DPS_TYPE_REALS] = {sizeof(dps_reals), true, parse_reals, release_reals},
    [DPS_TYPE_CHOICE] = {sizeof(const char *), false, parse_choice, NULL},
    [DPS_TYPE_CHOICE_REAL] = {sizeof(dps_choice_real), false, parse_choice_real, NULL},
    [DPS_TYPE_CHOICE_INT] = {sizeof(dps_choice_int), false, parse_choice_int, NULL},
    [DPS_TYPE_SIZE] = {sizeof(int64_t), false, parse_size, NULL},
};

bool dps_value_is_list(dps_option_type type)
{
    return types[type].list;
}

dps_status dps_value_parse(const dps_option_info *info, dps_option_type type, void *field,
                           const char *text, const char *base_folder, dps_text *problem)
{
    union {
        char *text;
        dps_list list;
        dps_reals reals;
        dps_ints ints;
        dps_choice_real choice;
        int64_t number;
        double real;
    } value;
    const value_input in = {info, text, base_folder, problem};
    assert(types[type].size <= sizeof value);
    dps_status status = types[type].parse(&in, &value);
    if (status == DPS_ERROR_CONFIG && problem->length == 0) {
        const char *reason;
        size_t length;
        text = unquoted(text, &length);
        (void)dps_peer_value(info->name, text, length, &reason);
        dps_text_format(problem, "%s%sexpected ", reason == NULL ? "" : reason,
                        reason == NULL ? "" : "; ");
        dps_value_expected(info, type, problem);
    }
    if (status == DPS_OK) {
        dps_value_release(type, field);
        memcpy(field, &value, types[type].size);
    }
    return status;
}

void dps_value_release(dps_option_type type, void *field)
{
    if (types[type].release != NULL) {
        types[type].release(field);
    }
}
