/* Task: solver.class_weight = none, balanced or label:weight, ... as one weight a class.
 *
 * An entry is [quote]label[quote]:weight, ended by a comma or a blank. A label without quotes ends
 * at the last colon before a number (time:12:2 weighs "time:12"), and may then hold blanks: "damp
 * soil:4" needs none. */
#include "class_weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

#define MOST_SHOWN 60

/* One entry: its label and its weight, 0 where none was found. */
typedef struct entry {
    const char *text, *label;
    size_t length, label_length;
    double weight;
} entry;

static bool is_separator(char c)
{
    return c == ',' || c == ' ' || c == '\t' || c == '\n';
}

/* Takes text[0..length) as label:weight, by the last colon. */
static bool split(const char *text, size_t length, entry *e)
{
    size_t colon = length;
    while (colon > 0 && text[colon - 1] != ':') {
        colon--;
    }
    double weight;
    if (colon < 2 || !dps_text_to_double(text + colon, length - colon, &weight)) {
        return false;
    }
    e->label = text;
    e->label_length = colon - 1;
    e->weight = weight;
    return true;
}

/* The entry at `text`, which is not empty. */
static entry read_entry(const char *text)
{
    const char *close = *text == '"' || *text == '\'' ? strchr(text + 1, *text) : NULL;
    entry e = {.text = text};
    if (close != NULL && close[1] == ':') {
        const char *number = close + 2;
        size_t digits = 0;
        while (number[digits] != '\0' && !is_separator(number[digits])) {
            digits++;
        }
        e.label = text + 1;
        e.label_length = (size_t)(close - text) - 1;
        e.length = (size_t)(number - text) + digits;
        if (e.label_length == 0 || !dps_text_to_double(number, digits, &e.weight)) {
            e.weight = 0;
        }
        return e;
    }
    if (close != NULL && (close[1] == '\0' || is_separator(close[1]))) { /* 'label:weight' */
        e.length = (size_t)(close + 1 - text);
        if (!split(text + 1, e.length - 2, &e)) {
            e.weight = 0;
        }
        return e;
    }
    while (text[e.length] != '\0' && text[e.length] != ',') {
        e.length++;
        const bool ends = text[e.length] == '\0' || is_separator(text[e.length]);
        if (ends && split(text, e.length, &e)) {
            break;
        }
    }
    return e;
}

/* The labels that there are, as many as a message holds. */
static void list_labels(const dps_class_table *classes, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int32_t k = 0; k < classes->count; k++) {
        const char *label = DPS_QUOTE(classes->text[k], strlen(classes->text[k]), 40);
        const char *quote = strpbrk(label, ", ") == NULL ? "" : strchr(label, '"') ? "'" : "\"";
        const int length =
            snprintf(out + used, size - used, "%s%s%s%s", k == 0 ? "" : ", ", quote, label, quote);
        if (length < 0 || used + (size_t)length + sizeof ", ..." >= size) {
            snprintf(out + used, size - used, ", ...");
            return;
        }
        used += (size_t)length;
    }
}

static dps_status take_entry(const dps_options *options, const entry *e,
                             const dps_class_table *classes, double *weight, dps_error *err)
{
    char shown[4 * MOST_SHOWN + 4], labels[400];
    dps_quote_token(shown, sizeof shown, e->text, e->length, MOST_SHOWN);
    if (!(e->weight > 0) || e->weight > 1e12) {
        return dps_options_error(options, DPS_OPT_solver_class_weight, err,
                                 "expected none, balanced or label:weight with a weight > 0 (a "
                                 "label with commas in quotes: \"label\":weight), found %s",
                                 shown);
    }
    if (classes == NULL) {
        return DPS_OK;
    }
    const int32_t k = dps_class_find(classes, e->label, e->label_length);
    if (k < 0) {
        list_labels(classes, labels, sizeof labels);
        return dps_options_error(options, DPS_OPT_solver_class_weight, err,
                                 "no training row has the label of %s; the labels are %s", shown,
                                 labels);
    }
    if (weight[k] >= 0) {
        return dps_options_error(options, DPS_OPT_solver_class_weight, err,
                                 "the label of %s is given twice", shown);
    }
    weight[k] = e->weight;
    return DPS_OK;
}

static bool is(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(text, word, length) == 0;
}

/* n / (classes * n_k). */
static void balance(const dps_class_table *classes, const double *class_rows, double *weight)
{
    double rows = 0;
    for (int32_t k = 0; k < classes->count; k++) {
        rows += class_rows != NULL ? class_rows[k] : (double)classes->rows[k];
    }
    for (int32_t k = 0; k < classes->count; k++) {
        const double of_class = class_rows != NULL ? class_rows[k] : (double)classes->rows[k];
        weight[k] = of_class > 0 ? rows / ((double)classes->count * of_class)
                                 : 1; /* a class of solver.warm_start without rows */
    }
}

dps_status dps_class_weights_read(const dps_options *options, const dps_class_table *classes,
                                  const double *class_rows, double *weight, dps_error *err)
{
    const char *at = options->solver_class_weight;
    size_t length = strlen(at);
    const int32_t count = classes == NULL ? 0 : classes->count;
    if (length >= 2 && (at[0] == '"' || at[0] == '\'') &&
        strchr(at + 1, at[0]) == at + length - 1) {
        at++; /* the whole value in quotes */
        length -= 2;
    }
    if (is(at, length, "balanced")) {
        if (count > 0) {
            balance(classes, class_rows, weight);
        }
        return DPS_OK;
    }
    for (int32_t k = 0; k < count; k++) {
        weight[k] = -1;
    }
    char *copy = is(at, length, "none") ? NULL : strndup(at, length);
    dps_status status = DPS_OK;
    for (const char *p = copy; p != NULL && *p != '\0' && status == DPS_OK;) {
        if (is_separator(*p)) {
            p++;
            continue;
        }
        const entry e = read_entry(p);
        status = take_entry(options, &e, classes, weight, err);
        p += e.length;
    }
    free(copy);
    for (int32_t k = 0; k < count; k++) {
        weight[k] = weight[k] < 0 ? 1 : weight[k];
    }
    return status;
}
