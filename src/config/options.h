/* Options: one struct, filled from the table options.def by defaults, an INI file and the command
 * line, in that order. */
#ifndef DPS_OPTIONS_H
#define DPS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include "status.h"
#include "text.h"

/* A list of strings, owned. */
typedef struct dps_list {
    char **item;
    size_t count;
} dps_list;

typedef struct dps_reals {
    double *item;
    size_t count;
} dps_reals;

/* Whole numbers, at least one. */
#define DPS_INTS_MOST 100
typedef struct dps_ints {
    int64_t item[DPS_INTS_MOST];
    int32_t count;
} dps_ints;

/* A number or one of the option's choices: choice = NULL means the number counts. */
typedef struct dps_choice_real {
    const char *choice;
    double number;
} dps_choice_real;
typedef struct dps_choice_int {
    const char *choice;
    int64_t number;
} dps_choice_int;

/* C type of a field of each option type. Choices point at static text. */
#define DPS_FIELD_STRING      char *
#define DPS_FIELD_NAMES       char * /* as written: dps_list_next takes it apart */
#define DPS_FIELD_PATH        char * /* "" = not given */
#define DPS_FIELD_PATHS       dps_list
#define DPS_FIELD_FLAG        bool
#define DPS_FIELD_INT         int64_t
#define DPS_FIELD_INTS        dps_ints
#define DPS_FIELD_REAL        double
#define DPS_FIELD_REALS       dps_reals
#define DPS_FIELD_CHOICE      const char *
#define DPS_FIELD_CHOICE_REAL dps_choice_real
#define DPS_FIELD_CHOICE_INT  dps_choice_int
#define DPS_FIELD_SIZE        int64_t /* bytes; 0 = auto */

#define DPS_ABOVE_ZERO 4.9406564584124654e-324

/* Whether an option changes the model (options.def says what each word means). */
typedef enum dps_effect {
    DPS_EFFECT_ROWS,
    DPS_EFFECT_MODEL,
    DPS_EFFECT_SAME,
    DPS_EFFECT_TUNE,
    DPS_EFFECT_RUN
} dps_effect;

typedef enum dps_option_id {
#define OPTION(section, key, type, effect, def, low, high, choices, unit, help)                    \
    DPS_OPT_##section##_##key,
#include "options.def"
#undef OPTION
    DPS_OPTION_COUNT
} dps_option_id;

/* Where an option's value came from; line 0: command line or default. */
typedef struct dps_option_origin {
    bool set;
    char *file; /* INI file, or NULL */
    int64_t line;
} dps_option_origin;

/* An option that `dpsvm tune` varies, and the values it takes (search_values.h). */
typedef struct dps_search_item {
    dps_option_id id;
    dps_list value;
    char *file; /* INI file, or NULL */
    int64_t line;
} dps_search_item;
typedef struct dps_search {
    dps_search_item *item;
    size_t count;
} dps_search;

typedef struct dps_options {
#define OPTION(section, key, type, effect, def, low, high, choices, unit, help)                    \
    DPS_FIELD_##type section##_##key;
#include "options.def"
#undef OPTION
    dps_option_origin origin[DPS_OPTION_COUNT];
    dps_search search;
    char *config; /* the INI file that was read, or NULL */
} dps_options;

/* All defaults. */
DPS_MUST_USE dps_status dps_options_init(dps_options *options, dps_error *err);
void dps_options_release(dps_options *options);
/* A copy without what tune varies. Choices and defaults are shared, everything else is owned. */
DPS_MUST_USE dps_status dps_options_copy(const dps_options *from, dps_options *to, dps_error *err);

/* Sets one option from text. base_folder: what relative paths are relative to ("" = current
 * folder). file, line: origin for errors (NULL, 0: command line). A key given twice in one file is
 * an error that names both lines; otherwise the later call wins (file first, then command line,
 * where the last of several wins). On an error the option keeps its value. */
DPS_MUST_USE dps_status dps_option_set(dps_options *options, dps_option_id id, const char *value,
                                       const char *base_folder, const char *file, int64_t line,
                                       dps_error *err);
/* The same by name; also what `dpsvm tune` varies (search_values.h). */
DPS_MUST_USE dps_status dps_options_set(dps_options *options, const char *section, const char *key,
                                        const char *value, const char *base_folder,
                                        const char *file, int64_t line, dps_error *err);
/* Reads an INI file (ini.c documents the syntax). */
DPS_MUST_USE dps_status dps_options_read(dps_options *options, const char *path, dps_error *err);
/* Sets from "section.key=value" (without the leading dashes). */
DPS_MUST_USE dps_status dps_options_set_text(dps_options *options, const char *assignment,
                                             dps_error *err);

/* An error about an option's value that only shows later (combinations): gives it the option's
 * place and name. */
DPS_MUST_USE dps_status dps_options_error(const dps_options *options, dps_option_id id,
                                          dps_error *err, const char *format, ...) DPS_PRINTF(4, 5);

/* An error of options that has no place gets that of the first option that its text names and that
 * stands in a file. */
void dps_options_place_error(const dps_options *options, dps_error *err);

/* Of INT, REAL, CHOICE_INT and CHOICE_REAL; NAN where a choice stands instead of a number. */
double dps_options_number(const dps_options *options, dps_option_id id);

/* A file named by a STRING option (data.validation, data.weights) as it is opened: beside the INI
 * file that named it where it is relative. */
void dps_options_beside(const dps_options *options, dps_option_id id, const char *name,
                        dps_text *path);

/* The table as data. choices: one terminated string after the other, an empty one at the end. */
typedef struct dps_option_info {
    const char *name; /* "section.key" */
    const char *section, *key, *type, *default_text, *choices, *unit, *help;
    double low, high;
    dps_effect effect;
} dps_option_info;
const dps_option_info *dps_option_table(void); /* DPS_OPTION_COUNT rows */

/* "section.key = value" of the effective value, as it could be written on the command line or,
 * below its section, in an INI. */
void dps_options_value(const dps_options *options, dps_option_id id, dps_text *out);
/* The value alone. */
void dps_options_value_text(const dps_options *options, dps_option_id id, dps_text *out);
/* The same for an INI file in another folder: relative paths get `folder` in front ("": they stay).
 */
void dps_options_value_from(const dps_options *options, dps_option_id id, const char *folder,
                            dps_text *out);
/* A path as it must be written there. */
void dps_option_path(const char *path, const char *folder, dps_text *out);
/* What may be written there: "auto or a whole number from 1 to 1024". */
void dps_option_expected(dps_option_id id, dps_text *out);
/* docs/options.md and configs/default.ini, made from the table (compared with the files in a test).
 */
void dps_options_markdown(dps_text *out);
void dps_options_default_ini(dps_text *out);
/* What the options of a section are about. */
const char *dps_options_section_title(const char *section);
/* How an INI file is read: a rule each, code in backquotes; NULL ends them. */
const char *const *dps_options_ini_rules(void);

#endif
