/* Options. Task: fill struct dps_options from the table options.def: defaults first, then an INI
 * file (ini.c), then the command line (both by names: option_names.c), each value checked as it
 * comes in (option_value.c), each with its origin, so that a later error about it can name file and
 * line.
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

#define QUOTED_MAX 80 /* bytes of the user's text repeated in a message */

static const dps_option_info table[DPS_OPTION_COUNT] = {
#define OPTION(section, key, type, effect, def, low, high, choices, unit, help)                    \
    {#section "." #key,  #section, #key, #type, def, choices, unit, help, low, high,               \
     DPS_EFFECT_##effect},
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
    for (size_t i = 0; i < options->search.count; i++) {
        dps_list_release(&options->search.item[i].value);
        free(options->search.item[i].file);
    }
    free(options->search.item);
    free(options->config);
    memset(options, 0, sizeof *options);
}

/* --- setting ---------------------------------------------------------------------------------- */

static dps_status refused_value(dps_option_id id, const char *value, const char *problem,
                                const char *file, int64_t line, dps_error *err)
{
    const bool command_line = file == NULL;
    return dps_error_at(err, DPS_ERROR_CONFIG, file, line, 0, "%s%s%s%s: %s",
                        command_line ? "--" : "", table[id].name, command_line ? "=" : " = ",
                        DPS_QUOTE(value, strlen(value), QUOTED_MAX), problem);
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

dps_status dps_option_set(dps_options *options, dps_option_id id, const char *value,
                          const char *base_folder, const char *file, int64_t line, dps_error *err)
{
    dps_option_origin *origin = &options->origin[id];
    if (file != NULL && origin->set && origin->file != NULL && strcmp(origin->file, file) == 0) {
        return dps_error_at(err, DPS_ERROR_CONFIG, file, line, 0,
                            "%s is given twice, on lines %lld and %lld; remove one", table[id].name,
                            (long long)origin->line, (long long)line);
    }
    char *file_copy = file == NULL ? NULL : strdup(file);
    dps_text problem = {0};
    dps_status status = file != NULL && file_copy == NULL
                            ? DPS_ERROR_MEMORY
                            : dps_value_parse(&table[id], slots[id].type, field_of(options, id),
                                              value, base_folder, &problem);
    if (status == DPS_OK) {
        free(origin->file);
        *origin = (dps_option_origin){true, file_copy, line};
    } else {
        free(file_copy);
        if (status == DPS_ERROR_CONFIG && !problem.failed) {
            add_nearest_choice(&table[id], value, &problem);
        }
        status = status == DPS_ERROR_MEMORY || problem.failed
                     ? dps_error_at(err, DPS_ERROR_MEMORY, file, line, 0, "no memory for %s",
                                    table[id].name)
                     : refused_value(id, value, problem.data, file, line, err);
    }
    dps_text_release(&problem);
    return status;
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
    return dps_error_at(err, DPS_ERROR_CONFIG, origin->file, origin->line, 0, "%s%s: %s", dashes,
                        table[id].name, text);
}

void dps_options_place_error(const dps_options *options, dps_error *err)
{
    const char *first = NULL;
    if (err == NULL || err->status != DPS_ERROR_CONFIG || err->file[0] != '\0') {
        return;
    }
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        const dps_option_origin *origin = &options->origin[id];
        const char *at = strstr(err->text, table[id].name);
        const char after = at == NULL ? '\0' : at[strlen(table[id].name)];
        const bool whole = after != '_' && (after < 'a' || after > 'z');
        if (at != NULL && whole && origin->file != NULL && (first == NULL || at < first)) {
            first = at;
            snprintf(err->file, sizeof err->file, "%s", origin->file);
            err->line = origin->line;
        }
    }
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
    dps_text_format(out, "%s = ", table[id].name);
    dps_options_value_text(options, id, out);
}

dps_status dps_options_copy(const dps_options *from, dps_options *to, dps_error *err)
{
    dps_status status = dps_options_init(to, err);
    for (int id = 0; id < DPS_OPTION_COUNT && status == DPS_OK; id++) {
        const dps_option_origin *origin = &from->origin[id];
        dps_text value = {0};
        if (!origin->set) {
            continue;
        }
        dps_options_value_text(from, (dps_option_id)id, &value);
        status = value.failed
                     ? dps_error_set(err, DPS_ERROR_MEMORY, "no memory for the options")
                     : dps_option_set(to, (dps_option_id)id, value.data == NULL ? "" : value.data,
                                      "", origin->file, origin->line, err);
        dps_text_release(&value);
        if (status != DPS_OK) {
            dps_options_release(to);
        }
    }
    return status;
}
