/* What the search for table and layout (layout_find.c) shares with its two halves: training decides
 * what every column is, prediction matches a file's columns with those of the model. */
#ifndef DPS_LAYOUT_FINDER_H
#define DPS_LAYOUT_FINDER_H

#include "input.h"
#include "table_sample.h"
#include "text.h"

typedef struct dps_layout_finder {
    const dps_read_options *options;
    const dps_table_options *asked;
    const dps_table *known;
    const dps_table_sample *sample;
    const char *file;
    dps_table *made;
    dps_layout *layout;
    char usual_delimiter; /* the format's own */
    dps_text label_hint;  /* other columns that may be the label */
    dps_text *notes;      /* what people should know, a line each */
    dps_error *err;
} dps_layout_finder;

bool dps_layout_is_given(const char *text);
char *dps_layout_copy_text(const char *text, size_t length);
DPS_MUST_USE dps_status dps_layout_no_memory(const dps_layout_finder *f);

/* Number of the field that `text` names, by header or by number; -1: none. */
int32_t dps_layout_find_field(const dps_layout_finder *f, const char *text, size_t length);
DPS_MUST_USE dps_status dps_layout_no_such_column(const dps_layout_finder *f, const char *option,
                                                  const char *text, size_t length);

/* Field of an option that names one column; *field stays where it is not given. */
DPS_MUST_USE dps_status dps_layout_find_given(const dps_layout_finder *f, const char *option,
                                              const char *text, int32_t *field);

/* Slots of the table's feature columns, and what the parser wants to know of all fields. */
DPS_MUST_USE dps_status dps_layout_finish(dps_layout_finder *f, const dps_table *table);

/* The field of the label: the one that the user names; else by name or by what the columns hold.
 * -1: none. Sets the layout's label_guessed, and label_hint. */
DPS_MUST_USE dps_status dps_layout_find_label(dps_layout_finder *f, int32_t *label);

DPS_MUST_USE dps_status dps_layout_for_training(dps_layout_finder *f);
DPS_MUST_USE dps_status dps_layout_for_model(dps_layout_finder *f);

#endif
