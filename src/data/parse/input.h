/* An input ready to be parsed: its source, its format, and for tables the layout of its fields,
 * found from the first bytes of the rows (those of the first file and, where it is short, of the
 * files behind it, so that neither threads nor cuts can change what is found) or from the model's
 * table. */
#ifndef DPS_INPUT_H
#define DPS_INPUT_H

#include "row_parser.h"
#include "run.h"
#include "table.h"
#include "text.h"

typedef struct dps_input {
    dps_source *source;
    const dps_format *format;
    dps_read_options read; /* with the layout */
    dps_layout layout;
    dps_table *made; /* the table found in training; owned */
    char note[1024]; /* what was found or guessed, for people: "csv with a header, ..." */
    char label[256]; /* the label's column, as messages name it; "": none */
    dps_text notes;  /* more of it, a line each: "warning: ...", "note: ..." */
} dps_input;

/* line_limit: longest line in bytes, 0 = the source's own. known: the table of a model, which must
 * outlive the input; NULL: find one (training). A table with count 0: a model of rows that were no
 * table. Reading stops with run->stop. */
DPS_MUST_USE dps_status dps_input_open(dps_input *input, const char *const *paths, size_t count,
                                       const dps_read_options *options, const dps_table *known,
                                       size_t line_limit, const dps_run *run, dps_error *err);
/* The same without a source, from what another process saw of the input (dps_source_look): for
 * rows that come from there. */
DPS_MUST_USE dps_status dps_input_open_told(dps_input *input, const dps_chunk *first,
                                            const dps_read_options *options, const dps_table *known,
                                            dps_error *err);
/* Logs what was noted. */
void dps_input_say(const dps_input *input, const dps_run *run);
void dps_input_close(dps_input *input);
void dps_input_release(dps_input *input); /* of one without a source */

/* Finds table (NULL-count tables stay so) and layout of rows that begin with `first`. format: a row
 * of the table of formats that has columns. For dps_input_open and tests. */
DPS_MUST_USE dps_status dps_layout_find(const dps_format *format, const dps_chunk *first,
                                        const dps_read_options *options, const dps_table *known,
                                        dps_table *made, dps_layout *layout, char *note,
                                        size_t note_size, dps_text *notes, dps_error *err);

#endif
