/* Task: set an option, or what `dpsvm tune` varies of it, by its name as an INI file or the command
 * line has it. */
#include <string.h>
#include "option_value.h"
#include "search_values.h"

#define QUOTED_MAX 80 /* bytes of the user's text repeated in a message */

dps_status dps_options_set(dps_options *options, const char *section, const char *key,
                           const char *value, const char *base_folder, const char *file,
                           int64_t line, dps_error *err)
{
    dps_option_id id;
    if (dps_is_search_key(section, key)) {
        return dps_search_set(options, key, value, file, line, err);
    }
    DPS_TRY(dps_option_named(section, key, file, line, &id, err));
    return dps_option_set(options, id, value, base_folder, file, line, err);
}

dps_status dps_options_set_text(dps_options *options, const char *assignment, dps_error *err)
{
    const char *shown = DPS_QUOTE(assignment, strlen(assignment), QUOTED_MAX);
    const char *equals = strchr(assignment, '=');
    const char *dot = strchr(assignment, '.');
    if (equals == NULL || dot == NULL || dot > equals) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "expected --section.key=value, as --solver.C=10; found --%s", shown);
    }
    char section[64], key[64];
    size_t section_length = (size_t)(dot - assignment), key_length = (size_t)(equals - dot - 1);
    if (section_length >= sizeof section || key_length >= sizeof key) {
        return dps_error_set(err, DPS_ERROR_CONFIG, "--%s: there is no option of such a long name",
                             shown);
    }
    memcpy(section, assignment, section_length);
    section[section_length] = '\0';
    memcpy(key, dot + 1, key_length);
    key[key_length] = '\0';
    return dps_options_set(options, section, key, equals + 1, "", NULL, 0, err);
}
