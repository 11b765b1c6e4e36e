/* Words of a command line: operands, flags, and options as --section.key=value. */
#ifndef DPS_ARGUMENTS_H
#define DPS_ARGUMENTS_H

#include <stddef.h>
#include "status.h"
#include "text.h"

typedef enum dps_flag {
    DPS_FLAG_OUTPUT,
    DPS_FLAG_SCORES,
    DPS_FLAG_PROBA,
    DPS_FLAG_THRESHOLD,
    DPS_FLAG_POSITIVE,
    DPS_FLAG_FLUSH,
    DPS_FLAG_IMPORTANCE,
    DPS_FLAG_FORMAT,
    DPS_FLAG_REPORT,
    DPS_FLAG_STRICT,
    DPS_FLAG_SHARD,
    DPS_FLAG_COLLECT,
    DPS_FLAG_JSON,
    DPS_FLAG_WEIGHTS,
    DPS_FLAG_VERIFY,
    DPS_FLAG_COMPARE,
    DPS_FLAG_SIZES,
    DPS_FLAG_RUNS,
    DPS_FLAG_ROWS,
    DPS_FLAG_ERROR,
    DPS_FLAG_RISK,
    DPS_FLAG_PLOT,
    DPS_FLAG_C,
    DPS_FLAG_ONNX,
    DPS_FLAG_NAME,
    DPS_FLAG_FORCE,
    DPS_FLAG_QUIET,
    DPS_FLAG_VERBOSE,
    DPS_FLAG_HELP,
    DPS_FLAG_COUNT
} dps_flag;
#define DPS_TAKES(flag) (1u << DPS_FLAG_##flag)

typedef struct dps_flag_info {
    const char *name;       /* with its dashes */
    const char *short_name; /* or NULL */
    const char *value_name; /* NULL: takes no value */
    const char *option; /* shorthand of this assignment, to which a value is appended; or NULL */
    const char *help;
    const char *choices; /* "COMMAND value ..." one after the other, an empty one at the end; or
                            NULL: a value that no list holds */
} dps_flag_info;
const dps_flag_info *dps_flag_table(void); /* DPS_FLAG_COUNT rows */

typedef struct dps_arguments {
    const char **operand; /* borrowed from argv */
    size_t operand_count;
    char **assignment; /* "section.key=value" in the order given, owned */
    size_t assignment_count;
    const char *flag[DPS_FLAG_COUNT]; /* value, or "" if it takes none; NULL: not given */
} dps_arguments;

/* words: what follows the command's name. flags: those the command takes (DPS_TAKES, or'ed). */
DPS_MUST_USE dps_status dps_arguments_parse(dps_arguments *arguments, const char *command,
                                            unsigned flags, int count, char **words,
                                            dps_error *err);
void dps_arguments_release(dps_arguments *arguments);

#endif
