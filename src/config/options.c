/* Options. Task: fill struct dps_options from the table options.def: defaults first, then an INI
 * file (ini.c), then the command line, each value checked as it comes in (option_value.c), each
 * with its origin, so that a later error about it can name file and line.
 *
 * The table is the only place where an option exists: the struct, the rows below, the documentation
 * (options_doc.c) and the tests are made from it. */
#include "options.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "option_value.h"
#include "search_values.h"

#define QUOTED_MAX 80 /* bytes of the user's text repeated in a message */

static const dps_option_info table[DPS_OPTION_COUNT] = {
#define OPTION(section, key, type, effect, def, low, high, choices, unit, help)                    \
    {#section, #key, #type, def, choices, unit, help, low, high, DPS_EFFECT_##effect},
#include "options.def"
#undef OPTION
};

static const struct {
    dps_option_type type;
    size_t offset;
} slots[DPS_OPTION_COUNT] = {
#define OPTION(section, key, type, effect, def, low, high, choices, unit, help)                    \
    {DPS_TYPE_##type, offsetof(dps_options, section##_##key)},
#include "options.def"
#undef OPTION
};

const dps_option_info *dps_option_table(void)
{
    return table;
}

dps_option_type dps_option_type_of(dps_option_id id)
{
    return slots[id].type;
}

void dps_option_expected(dps_option_id id, dps_text *out)
{
    dps_value_expected(&table[id], slots[id].type, out);
}

static void *field_of(dps_options *options, size_t id)
{
    return (char *)options + slots[id].offset;
}

static const void *field_of_const(const dps_options *options, size_t id)
{
    return (const char *)options + slots[id].offset;
}

double dps_options_number(const dps_options *options, dps_option_id id)
{
    const void *field = field_of_const(options, id);
    const dps_choice_int *whole = field;
    const dps_choice_real *real = field;
    switch (slots[id].type) {
    case DPS_TYPE_INT:
        return (double)*(const int64_t *)field;
    case DPS_TYPE_REAL:
        return *(const double *)field;
    case DPS_TYPE_CHOICE_INT:
        return whole->choice == NULL ? (double)whole->number : (double)NAN;
    case DPS_TYPE_CHOICE_REAL:
        return real->choice == NULL ? real->number : (double)NAN;
    default:
        assert(!"an option that is a number");
        return (double)NAN;
    }
}

dps_status dps_options_init(dps_options *options, dps_error *err)
{
    memset(options, 0, sizeof *options);
    for (size_t id = 0; id < DPS_OPTION_COUNT; id++) {
        dps_text problem = {0};
        dps_status status = dps_value_parse(&table[id], slots[id].type, field_of(options, id),
                                            table[id].default_text, "", &problem);
        assert(status != DPS_ERROR_CONFIG); /* a default that its own row refuses */
        dps_text_release(&problem);
        if (status != DPS_OK) {
            dps_options_release(options);
            return dps_error_set(err, status, "no memory for the options");
        }
    }
    return DPS_OK;
}

void dps_options_release(dps_options *options)
{
    if (options == NULL) {
        return;
    }
    for (size_t id = 0; id < DPS_OPTION_COUNT; id++) {
        dps_value_release(slots[id].type, field_of(options, id));
        free(options->origin[id].file);
    }
    dps_search_release(&options->search);
    free(options->config);
    memset(options, 0, sizeof *options);
}

/* --- names ------------------------------------------------------------------------------------ */

int dps_option_find(const char *section, const char *key)
{
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
    for (size_t id = 0; id < DPS_OPTION_COUNT; id++) {
        if (strcmp(table[id].section, section) == 0) {
            names[count++] = table[id].key;
        } else if (strcmp(table[id].key, key) == 0) {
            elsewhere = table[id].section;
        }
    }
    const char *nearest = dps_nearest_name(key, names, count);
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

/* --- setting ---------------------------------------------------------------------------------- */

static dps_status refused_value(size_t id, const char *value, const char *problem, const char *file,
                                int64_t line, dps_error *err)
{
    const bool command_line = file == NULL;
    return dps_error_at(err, DPS_ERROR_CONFIG, file, line, 0, "%s%s.%s%s%s: %s",
                        command_line ? "--" : "", table[id].section, table[id].key,
                        command_line ? "=" : " = ", DPS_QUOTE(value, strlen(value), QUOTED_MAX),
                        problem);
}

/* "did you mean" for a slip in a choice. */
static void add_nearest_choice(const dps_option_info *info, const char *value, dps_text *problem)
{
    const char *names[32];
    size_t count = 0;
    for (const char *c = info->choices; *c != '\0' && count < 32; c += strlen(c) + 1) {
        names[count++] = c;
    }
    const char *nearest = dps_nearest_name(value, names, count);
    if (nearest != NULL && strlen(value) > 2) {
        dps_text_format(problem, "; did you mean %s?", nearest);
    }
}

dps_status dps_options_set(dps_options *options, const char *section, const char *key,
                           const char *value, const char *base_folder, const char *file,
                           int64_t line, dps_error *err)
{
    DPS_TRY(dps_options_check_section(section, file, line, err));
    if (dps_is_search_key(section, key)) {
        return dps_search_set(options, key, value, file, line, err);
    }
    int id = dps_option_find(section, key);
    if (id < 0) {
        return unknown_key(section, key, file, line, err);
    }
    dps_option_origin *origin = &options->origin[id];
    if (file != NULL && origin->set && origin->file != NULL && strcmp(origin->file, file) == 0) {
        return dps_error_at(err, DPS_ERROR_CONFIG, file, line, 0,
                            "%s.%s is given twice, on lines %lld and %lld; remove one", section,
                            key, (long long)origin->line, (long long)line);
    }
    char *file_copy = file == NULL ? NULL : strdup(file);
    dps_text problem = {0};
    dps_status status =
        file != NULL && file_copy == NULL
            ? DPS_ERROR_MEMORY
            : dps_value_parse(&table[id], slots[id].type, field_of(options, (size_t)id), value,
                              base_folder, &problem);
    if (status == DPS_OK) {
        free(origin->file);
        *origin = (dps_option_origin){true, file_copy, line};
    } else {
        free(file_copy);
        if (status == DPS_ERROR_CONFIG && !problem.failed) {
            add_nearest_choice(&table[id], value, &problem);
        }
        status = status == DPS_ERROR_MEMORY || problem.failed
                     ? dps_error_at(err, DPS_ERROR_MEMORY, file, line, 0, "no memory for %s.%s",
                                    section, key)
                     : refused_value((size_t)id, value, problem.data, file, line, err);
    }
    dps_text_release(&problem);
    return status;
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

/* --- reading back ----------------------------------------------------------------------------- */

dps_status dps_options_error(const dps_options *options, dps_option_id id, dps_error *err,
                             const char *format, ...)
{
    const dps_option_origin *origin = &options->origin[id];
    char text[sizeof err->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *dashes = origin->set && origin->file == NULL ? "--" : "";
    return dps_error_at(err, DPS_ERROR_CONFIG, origin->file, origin->line, 0, "%s%s.%s: %s", dashes,
                        table[id].section, table[id].key, text);
}

void dps_options_beside(const dps_options *options, dps_option_id id, const char *name,
                        dps_text *path)
{
    const char *ini = options->origin[id].file;
    const char *slash = ini == NULL || name[0] == '/' ? NULL : strrchr(ini, '/');
    dps_text_append(path, ini, slash == NULL ? 0 : (size_t)(slash - ini) + 1);
    dps_text_add(path, name);
}

void dps_options_value_text(const dps_options *options, dps_option_id id, dps_text *out)
{
    dps_options_value_from(options, id, "", out);
}

void dps_options_value_from(const dps_options *options, dps_option_id id, const char *folder,
                            dps_text *out)
{
    dps_value_format(slots[id].type, field_of_const(options, id), folder, out);
}

void dps_options_value(const dps_options *options, dps_option_id id, dps_text *out)
{
    dps_text_format(out, "%s.%s = ", table[id].section, table[id].key);
    dps_options_value_text(options, id, out);
}
