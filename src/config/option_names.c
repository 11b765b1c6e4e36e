/* Options by name. Task: from section and key to the option's number, or the error with the nearest
 * name. */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "option_value.h"
#include "peer_words.h"

#define QUOTED_MAX 80 /* bytes of the user's text repeated in a message */

int dps_option_find(const char *section, const char *key)
{
    const dps_option_info *table = dps_option_table();
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        if (strcmp(table[id].section, section) == 0 && strcmp(table[id].key, key) == 0) {
            return id;
        }
    }
    return -1;
}

/* Sections of the table, in its order (its rows are grouped by section). */
static size_t list_sections(const char *names[DPS_OPTION_COUNT])
{
    const dps_option_info *table = dps_option_table();
    size_t count = 0;
    for (size_t id = 0; id < DPS_OPTION_COUNT; id++) {
        if (count == 0 || strcmp(names[count - 1], table[id].section) != 0) {
            names[count++] = table[id].section;
        }
    }
    return count;
}

dps_status dps_options_check_section(const char *section, const char *file, int64_t line,
                                     dps_error *err)
{
    const char *names[DPS_OPTION_COUNT];
    size_t count = list_sections(names);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], section) == 0) {
            return DPS_OK;
        }
    }
    const char *shown = DPS_QUOTE(section, strlen(section), QUOTED_MAX);
    const char *nearest = dps_nearest_name(section, names, count);
    if (nearest != NULL) {
        return dps_error_at(err, DPS_ERROR_CONFIG, file, line, 0,
                            "unknown section [%s]; did you mean [%s]?", shown, nearest);
    }
    char known[256] = "";
    for (size_t i = 0, used = 0; i < count && used < sizeof known; i++) {
        used += (size_t)snprintf(known + used, sizeof known - used, "%s[%s]", i == 0 ? "" : " ",
                                 names[i]);
    }
    return dps_error_at(err, DPS_ERROR_CONFIG, file, line, 0,
                        "unknown section [%s]; the sections are %s", shown, known);
}

/* A key that its section does not have: the same key elsewhere, or the nearest name here. */
static dps_status unknown_key(const char *section, const char *key, const char *file, int64_t line,
                              dps_error *err)
{
    const char *shown = DPS_QUOTE(key, strlen(key), QUOTED_MAX);
    const char *names[DPS_OPTION_COUNT];
    size_t count = 0;
    const char *elsewhere = NULL;
    const dps_option_info *table = dps_option_table();
    for (size_t id = 0; id < DPS_OPTION_COUNT; id++) {
        if (strcmp(table[id].section, section) == 0) {
            names[count++] = table[id].key;
        } else if (strcmp(table[id].key, key) == 0) {
            elsewhere = table[id].section;
        }
    }
    const char *nearest = dps_nearest_name(key, names, count);
    dps_text hint = {0};
    const bool exact = nearest != NULL && strcasecmp(nearest, key) == 0;
    if (elsewhere == NULL && !exact && dps_peer_word_hint(key, strlen(key), &hint)) {
        const dps_status status =
            dps_error_at(err, DPS_ERROR_CONFIG, file, line, 0, "unknown key '%s' in [%s]%s", shown,
                         section, hint.failed ? "" : hint.data);
        dps_text_release(&hint);
        return status;
    }
    if (elsewhere != NULL) {
        return dps_error_at(err, DPS_ERROR_CONFIG, file, line, 0,
                            "unknown key '%s' in [%s]; it belongs to [%s]", shown, section,
                            elsewhere);
    }
    if (nearest != NULL) {
        return dps_error_at(err, DPS_ERROR_CONFIG, file, line, 0,
                            "unknown key '%s' in [%s]; did you mean '%s'?", shown, section,
                            nearest);
    }
    return dps_error_at(err, DPS_ERROR_CONFIG, file, line, 0,
                        "unknown key '%s' in [%s]; 'dpsvm help options' lists all", shown, section);
}

dps_status dps_option_named(const char *section, const char *key, const char *file, int64_t line,
                            dps_option_id *id, dps_error *err)
{
    DPS_TRY(dps_options_check_section(section, file, line, err));
    const int found = dps_option_find(section, key);
    *id = (dps_option_id)found;
    return found < 0 ? unknown_key(section, key, file, line, err) : DPS_OK;
}
