/* Task: what is to be known about one option, or those of a section, in lines that fit a terminal
 * of 80 columns. */
#include "help_topic.h"

#include <string.h>
#include "options.h"
#include "peer_words.h"

enum { LINE_WIDTH = 79, INDENT = 4 };

void dps_help_wrapped(dps_text *out, const char *first, int indent, const char *text)
{
    size_t used = strlen(first);
    dps_text_add(out, first);
    while (*text != '\0') {
        const size_t length = strcspn(text, " ");
        const bool fits = used + 1 + length <= LINE_WIDTH;
        if (used > (size_t)indent && !fits) {
            dps_text_add(out, "\n");
            used = 0;
        }
        const size_t blanks = used < (size_t)indent ? (size_t)indent - used : 1;
        dps_text_format(out, "%*s%.*s", (int)blanks, "", (int)length, text);
        used += blanks + length;
        text += length + strspn(text + length, " ");
    }
    dps_text_add(out, "\n");
}

static void add_wrapped(dps_text *out, const char *text)
{
    dps_help_wrapped(out, "", INDENT, text);
}

static void add_option(int id, dps_text *out)
{
    const dps_option_info *row = &dps_option_table()[id];
    dps_text line = {0}, peers = {0};
    const bool changes = row->effect == DPS_EFFECT_MODEL || row->effect == DPS_EFFECT_ROWS;
    dps_text_format(out, "%s = %s\n", row->name, row->default_text);
    add_wrapped(out, row->help);
    dps_text_add(&line, "takes ");
    dps_option_expected((dps_option_id)id, &line);
    dps_text_format(&line, "; default %s; %s",
                    row->default_text[0] == '\0' ? "none" : row->default_text,
                    changes ? "the model depends on it" : "the model does not depend on it");
    add_wrapped(out, line.failed ? "" : line.data);
    dps_peer_words_of((dps_option_id)id, &peers);
    if (peers.length > 0 && !peers.failed) {
        dps_text again = {0};
        dps_text_format(&again, "elsewhere: %s", peers.data);
        add_wrapped(out, again.failed ? "" : again.data);
        dps_text_release(&again);
    }
    dps_text_release(&peers);
    dps_text_release(&line);
}

/* The options of this name, this key or this section; how many. */
static int add_options(const char *topic, size_t length, bool section_only, dps_text *out)
{
    const dps_option_info *table = dps_option_table();
    int count = 0;
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        const char *names[] = {table[id].section, table[id].name, table[id].key};
        bool is = false;
        for (int k = 0; k < (section_only ? 1 : 3); k++) {
            is = is || (strlen(names[k]) == length && memcmp(names[k], topic, length) == 0);
        }
        if (is) {
            dps_text_add(out, count++ > 0 ? "\n" : "");
            add_option(id, out);
        }
    }
    return count;
}

/* The options that have this choice, or a choice that is meant by it. */
static int add_options_of_value(const char *value, dps_text *out)
{
    const dps_option_info *table = dps_option_table();
    int count = 0;
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        const char *reason = NULL;
        const char *meant = dps_peer_value(table[id].name, value, strlen(value), &reason);
        bool is = meant != NULL || reason != NULL;
        for (const char *c = table[id].choices; *c != '\0'; c += strlen(c) + 1) {
            is = is || strcmp(c, value) == 0;
        }
        if (!is) {
            continue;
        }
        dps_text_add(out, count++ > 0 ? "\n" : "");
        if (reason != NULL) {
            dps_text_format(out, "no %s: %s\n", value, reason);
        } else {
            dps_text_format(out, "%s is a value of %s:\n", meant == NULL ? value : meant,
                            table[id].name);
        }
        add_option(id, out);
    }
    return count;
}

/* Names of options, for the nearest one. */
static const char *nearest_name(const char *topic)
{
    const dps_option_info *table = dps_option_table();
    const char *names[2 * DPS_OPTION_COUNT];
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        names[id] = table[id].name;
        names[DPS_OPTION_COUNT + id] = table[id].key;
    }
    return dps_nearest_name(topic, names, 2 * DPS_OPTION_COUNT);
}

dps_status dps_help_topic(const char *topic, dps_text *out, dps_error *err)
{
    size_t length = strlen(topic);
    const bool brackets = length > 2 && topic[0] == '[' && topic[length - 1] == ']';
    const char *name = topic;
    if (brackets || strncmp(topic, "--", 2) == 0) {
        name += brackets ? 1 : 2;
        length -= 2;
    }
    const int count = add_options(name, length, brackets, out);
    dps_text words = {0};
    if (!brackets && dps_peer_word_help(topic, &words) && !words.failed) {
        dps_text_add(out, count > 0 ? "\n" : "");
        char *rest = words.data;
        for (char *line = strtok_r(words.data, "\n", &rest); line != NULL;
             line = strtok_r(NULL, "\n", &rest)) {
            add_wrapped(out, line);
        }
    }
    dps_text_release(&words);
    if (out->length > 0 || add_options_of_value(topic, out) > 0) {
        return DPS_OK;
    }
    const char *nearest = nearest_name(topic);
    return dps_error_set(
        err, DPS_ERROR_CONFIG,
        "no help on %s%s%s%s; expected a command, an option as solver.C, a value as "
        "laplacian, a section as data, config, options or words",
        DPS_QUOTE(topic, strlen(topic), 40), nearest == NULL ? "" : "; did you mean ",
        nearest == NULL ? "" : nearest, nearest == NULL ? "" : "?");
}
