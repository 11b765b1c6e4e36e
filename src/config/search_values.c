/* Task: `[tune] section.key = list or range` to the values it stands for.
 * Why texts: a value is checked and set by the option's own parser, so that everything an option
 * takes can be searched, and results are filed under what the user could have written. */
#include "search_values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "number.h"
#include "option_value.h"

/* ---- values ---------------------------------------------------------------------------------- */

/* A list being filled for an option. */
typedef struct filling {
    dps_option_id id;
    dps_list *values;
    dps_options scratch; /* to try values */
    dps_text *problem;
} filling;

static dps_status add_value(filling *in, const char *text, size_t length)
{
    dps_list *values = in->values;
    dps_error err;
    char *copy = strndup(text, length);
    if (copy == NULL) {
        return DPS_ERROR_MEMORY;
    }
    const dps_status status = dps_option_set(&in->scratch, in->id, copy, "", NULL, 0, &err);
    if (status != DPS_OK) {
        const char *told = strchr(err.text, '='); /* behind --section.key= */
        dps_text_add(in->problem, told != NULL ? told + 1 : err.text);
        free(copy);
        return status;
    }
    for (size_t i = 0; i < values->count; i++) {
        if (strcmp(values->item[i], copy) == 0) {
            free(copy);
            return DPS_OK; /* twice counts once */
        }
    }
    if (values->count >= DPS_SEARCH_MOST) {
        free(copy);
        dps_text_format(in->problem, "more than %d values", DPS_SEARCH_MOST);
        return DPS_ERROR_CONFIG;
    }
    return dps_list_add(values, copy) ? DPS_OK : DPS_ERROR_MEMORY;
}

/* "2^-5" or "12.5". base = 0: no power. */
typedef struct bound {
    double base, number; /* number: the exponent of a power */
} bound;

static bool read_bound(const char *s, size_t length, bool *whole, bound *out)
{
    const char *hat = memchr(s, '^', length);
    int64_t integer;
    out->base = 0;
    if (hat != NULL) {
        if (!dps_text_to_double(s, (size_t)(hat - s), &out->base) || !(out->base > 1)) {
            return false;
        }
        length -= (size_t)(hat - s) + 1;
        s = hat + 1;
    }
    *whole = *whole && dps_text_to_int64(s, length, &integer);
    return dps_text_to_double(s, length, &out->number) && isfinite(out->number);
}

/* Length of "..": where the range's second bound begins; NULL: no range. */
static const char *range_dots(const char *item, size_t length)
{
    for (size_t i = 1; i + 2 < length; i++) {
        if (item[i] == '.' && item[i + 1] == '.') {
            return item + i;
        }
    }
    return NULL;
}

static dps_status add_range(filling *in, const char *item, const char *dots, size_t length)
{
    const char *end = item + length, *colon = memchr(dots, ':', (size_t)(end - dots));
    const char *stop = colon == NULL ? end : colon;
    bool whole = true;
    bound from, to;
    double step = 1;
    if (!read_bound(item, (size_t)(dots - item), &whole, &from) ||
        !read_bound(dots + 2, (size_t)(stop - dots - 2), &whole, &to) || from.base != to.base ||
        (colon != NULL &&
         (!dps_text_to_double(colon + 1, (size_t)(end - colon - 1), &step) || !(step > 0))) ||
        !(from.number < to.number) || (colon == NULL && !whole)) {
        dps_text_add(in->problem, "expected a range as 2^-5..2^15, 2^-5..2^15:2, 1..9 or "
                                  "0.5..2:0.25, the smaller end first");
        return DPS_ERROR_CONFIG;
    }
    /* 1e-9: the last value may miss the end by rounding */
    const double count = floor((to.number - from.number) / step + 1e-9) + 1;
    if (count > DPS_SEARCH_MOST) {
        dps_text_format(in->problem, "more than %d values", DPS_SEARCH_MOST);
        return DPS_ERROR_CONFIG;
    }
    for (int k = 0; k < (int)count; k++) {
        char number[DPS_NUMBER_MAX];
        double value = from.number + k * step;
        value = from.base > 0 ? pow(from.base, value) : value;
        DPS_TRY(add_value(in, number, dps_format_double(number, value)));
    }
    return DPS_OK;
}

static dps_status add_items(filling *in, const char *text)
{
    dps_status status = DPS_OK;
    while (status == DPS_OK) {
        text += strspn(text, ", \t\r\n");
        if (*text == '\0') {
            break;
        }
        if (*text == '"' || *text == '\'') {
            const char *close = strchr(text + 1, *text);
            if (close == NULL) {
                dps_text_add(in->problem, "a quote is not closed");
                return DPS_ERROR_CONFIG;
            }
            status = add_value(in, text + 1, (size_t)(close - text - 1));
            text = close + 1;
            continue;
        }
        const size_t length = strcspn(text, ", \t\r\n");
        const char *dots = range_dots(text, length);
        bound power;
        bool whole = true;
        if (dots != NULL) {
            status = add_range(in, text, dots, length);
        } else if (memchr(text, '^', length) != NULL && read_bound(text, length, &whole, &power)) {
            char number[DPS_NUMBER_MAX];
            status =
                add_value(in, number, dps_format_double(number, pow(power.base, power.number)));
        } else {
            status = add_value(in, text, length);
        }
        text += length;
    }
    if (status == DPS_OK && in->values->count == 0) {
        dps_text_add(in->problem, "expected values, as in 1, 10, 100 or 2^-5..2^15");
        status = DPS_ERROR_CONFIG;
    }
    return status;
}

dps_status dps_search_values(dps_option_id id, const char *text, dps_list *values,
                             dps_text *problem)
{
    filling in = {.id = id, .values = values, .problem = problem};
    *values = (dps_list){NULL, 0};
    dps_status status = dps_options_init(&in.scratch, NULL);
    if (status == DPS_OK) {
        status = add_items(&in, text);
        dps_options_release(&in.scratch);
    }
    if (status != DPS_OK) {
        dps_list_release(values);
    }
    return status;
}

/* ---- the search ------------------------------------------------------------------------------ */

bool dps_is_search_key(const char *section, const char *key)
{
    return strcmp(section, "tune") == 0 && strchr(key, '.') != NULL;
}

/* Why an option cannot be searched, or NULL. */
static const char *refusal(const char *section, const char *key)
{
    static const char *const data[] = {"scaling", "normalize", "categorical", "missing"};
    static const char *const fixed[][2] = {
        {"seed", "it cuts the folds, which must be the same for all settings"},
        {"task", "it decides what the labels are, and settings of different tasks cannot be "
                 "compared"},
        {"probability", "it changes no decision value"},
        {"warm_start", "settings that are compared begin with nothing"},
    };
    if (strcmp(section, "kernel") == 0 || strcmp(section, "map") == 0) {
        return NULL;
    }
    if (strcmp(section, "solver") == 0) {
        for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
            if (strcmp(key, fixed[i][0]) == 0) {
                return fixed[i][1];
            }
        }
        return NULL;
    }
    for (size_t i = 0; strcmp(section, "data") == 0 && i < sizeof data / sizeof data[0]; i++) {
        if (strcmp(key, data[i]) == 0) {
            return NULL;
        }
    }
    return "only options of [kernel], [map] and [solver], and data.scaling, normalize, categorical "
           "and missing can be searched";
}

bool dps_option_is_searchable(dps_option_id id)
{
    const dps_option_info *row = &dps_option_table()[id];
    return refusal(row->section, row->key) == NULL;
}

static dps_status find_option(const char *name, dps_option_id *id, dps_text *problem)
{
    const char *dot = strchr(name, '.');
    char section[64] = "";
    if ((size_t)(dot - name) < sizeof section) {
        memcpy(section, name, (size_t)(dot - name));
    }
    dps_error err;
    if ((section[0] == '\0' || strcmp(section, "tune") == 0) &&
        dps_option_find(section, dot + 1) < 0) {
        dps_text_add(problem, "there is no such option; expected tune.section.key, as "
                              "tune.solver.C = 2^-5..2^15");
        return DPS_ERROR_CONFIG;
    }
    const dps_status status = dps_option_named(section, dot + 1, NULL, 0, id, &err);
    if (status != DPS_OK) {
        dps_text_add(problem, err.text);
        return status;
    }
    const char *reason = refusal(section, dot + 1);
    dps_text_add(problem, reason == NULL ? "" : reason);
    return reason == NULL ? DPS_OK : DPS_ERROR_CONFIG;
}

/* The item of an option, added if it is not there; NULL: no memory. */
static dps_search_item *item_of(dps_search *search, dps_option_id id)
{
    for (size_t i = 0; i < search->count; i++) {
        if (search->item[i].id == id) {
            return &search->item[i];
        }
    }
    dps_search_item *grown = realloc(search->item, (search->count + 1) * sizeof *grown);
    if (grown == NULL) {
        return NULL;
    }
    search->item = grown;
    memset(&grown[search->count], 0, sizeof *grown);
    grown[search->count].id = id;
    return &grown[search->count++];
}

dps_status dps_search_set(dps_options *options, const char *key, const char *value,
                          const char *file, int64_t line, dps_error *err)
{
    dps_text problem = {0};
    dps_option_id id = 0;
    dps_list values = {NULL, 0};
    dps_status status = find_option(key, &id, &problem);
    DPS_THEN(status, dps_search_values(id, value, &values, &problem));
    char *copy = file == NULL ? NULL : strdup(file);
    dps_search_item *item = NULL;
    if (status == DPS_OK) {
        item = file != NULL && copy == NULL ? NULL : item_of(&options->search, id);
        status = item == NULL ? DPS_ERROR_MEMORY : DPS_OK;
    }
    if (status == DPS_OK && file != NULL && item->file != NULL && strcmp(item->file, file) == 0) {
        dps_text_format(&problem, "given twice, on lines %lld and %lld; remove one",
                        (long long)item->line, (long long)line);
        status = DPS_ERROR_CONFIG;
    }
    if (status != DPS_OK) {
        status = problem.failed ? DPS_ERROR_MEMORY : status;
        status = dps_error_at(err, status, file, line, 0, "%stune.%s: %s", file == NULL ? "--" : "",
                              DPS_QUOTE(key, strlen(key), 60),
                              problem.length == 0 ? "no memory for it" : problem.data);
        dps_list_release(&values);
        free(copy);
    } else {
        dps_list_release(&item->value);
        free(item->file);
        item->value = values;
        item->file = copy;
        item->line = line;
    }
    dps_text_release(&problem);
    return status;
}
