/* A choice is an enum inside and a word at the edge (options, model files, reports). Beside each
 * enum, counted from 0, stands the one table of its words: in the enum's order, NULL-terminated. */
#ifndef DPS_NAMES_H
#define DPS_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* A choice that may be left to the program. */
typedef enum dps_switch { DPS_SWITCH_AUTO, DPS_SWITCH_ON, DPS_SWITCH_OFF } dps_switch;
extern const char *const dps_switch_names[];

/* The word of a value, which must be in the table. */
const char *dps_name_of(const char *const *names, unsigned value);
/* Whether text..text+length is a word of the table, and whose. */
bool dps_name_find(const char *const *names, const char *text, size_t length, unsigned *value);
/* The value of a word that was checked where it came in (a choice of options.def). */
unsigned dps_name_value(const char *const *names, const char *name);

#endif
