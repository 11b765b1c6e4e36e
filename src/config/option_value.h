/* Text of one option value to its field and back. */
#ifndef DPS_OPTION_VALUE_H
#define DPS_OPTION_VALUE_H

#include "options.h"

typedef enum dps_option_type {
    DPS_TYPE_STRING,
    DPS_TYPE_NAMES,
    DPS_TYPE_PATH,
    DPS_TYPE_PATHS,
    DPS_TYPE_FLAG,
    DPS_TYPE_INT,
    DPS_TYPE_INTS,
    DPS_TYPE_REAL,
    DPS_TYPE_REALS,
    DPS_TYPE_CHOICE,
    DPS_TYPE_CHOICE_REAL,
    DPS_TYPE_CHOICE_INT,
    DPS_TYPE_SIZE,
    DPS_TYPE_COUNT
} dps_option_type;

/* Whether a value is a list, which may continue on indented lines of an INI file. */
bool dps_value_is_list(dps_option_type type);

/* Reads `text` into *field, which keeps its old value on any error. DPS_ERROR_CONFIG: `problem`
 * says what was expected or is wrong, without place and name. base_folder as for dps_options_set.
 */
DPS_MUST_USE dps_status dps_value_parse(const dps_option_info *info, dps_option_type type,
                                        void *field, const char *text, const char *base_folder,
                                        dps_text *problem);
/* As it could be written in an INI file; `folder` is put before relative paths ("": none). */
void dps_value_format(dps_option_type type, const void *field, const char *folder, dps_text *out);
void dps_value_release(dps_option_type type, void *field);
/* "a number above 0 and at most 1e12", "one of a, b, c", ... */
void dps_value_expected(const dps_option_info *info, dps_option_type type, dps_text *out);

/* Adds a text from malloc, which the list owns or, without memory (false), is freed; NULL counts as
 * no memory. */
DPS_MUST_USE bool dps_list_add(dps_list *list, char *text);
void dps_list_release(dps_list *list);

dps_option_type dps_option_type_of(dps_option_id id);
/* The error of a section that the table does not have. */
DPS_MUST_USE dps_status dps_options_check_section(const char *section, const char *file,
                                                  int64_t line, dps_error *err);
/* The option's number, or -1. */
int dps_option_find(const char *section, const char *key);
/* The same; an unknown name is an error with the nearest one. */
DPS_MUST_USE dps_status dps_option_named(const char *section, const char *key, const char *file,
                                         int64_t line, dps_option_id *id, dps_error *err);

#endif
