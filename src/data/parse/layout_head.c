/* Where the rows of each file begin. The first file's head was understood as a whole
 * (table_head.c); those of the others hold the same names, behind no more lines than it had before
 * its own. */
#include <string.h>

#include "csv_line.h"
#include "table.h"
#include "table_head.h"

bool dps_layout_is_name(const dps_layout *layout, int32_t field, const char *text, size_t length)
{
    const char *name = layout->name[field];
    if (field == 0 && length > 0 && *text == '#' && *name != '#') { /* "# x,y" of numpy */
        do {
            text++;
            length--;
        } while (length > 0 && (*text == ' ' || *text == '\t'));
    }
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

/* Whether the line at p starts with the first name. */
static bool is_names(const dps_layout *layout, const char *p)
{
    dps_csv_field field;
    const char *why;
    const int32_t first = layout->unnamed == DPS_FIRST_UNNAMED ? 1 : 0;
    p = dps_csv_read_field(dps_csv_past_blanks(p, layout->delimiter), layout->delimiter, &field,
                           &why);
    return p != NULL && !field.doubled &&
           dps_layout_is_name(layout, first, field.text, field.length);
}

static bool is_units(const dps_layout *layout, const char *p)
{
    return layout->units_line != NULL &&
           strncmp(p, layout->units_line, layout->units_length) == 0 &&
           dps_csv_line_end(p + layout->units_length);
}

dps_head_kind dps_layout_head_line(const dps_layout *layout, dps_head_state *state, const char *p)
{
    if (state->named) {
        return is_units(layout, p) ? DPS_HEAD_SKIP : DPS_HEAD_ROW;
    }
    if (state->lead == 0 && dps_table_sep_line(p) != 0) {
        state->lead++;
        return DPS_HEAD_SKIP;
    }
    if (state->lead < layout->lead && (!layout->header || !is_names(layout, p)) &&
        dps_table_is_lead(p, layout->delimiter, layout->fields)) {
        state->lead++;
        return DPS_HEAD_SKIP;
    }
    state->named = layout->header;
    return layout->header ? DPS_HEAD_NAMES : DPS_HEAD_ROW;
}

size_t dps_layout_head(const void *layout, const char *bytes, size_t length)
{
    const dps_layout *of = layout;
    const char *p = bytes, *end = bytes + length;
    dps_head_state state = {0};
    if (of->fields == 0 || of->delimiter == 0) {
        return 0;
    }
    if (of->arff != NULL) {
        return dps_arff_header_bytes(bytes, length);
    }
    for (;;) {
        const char *next, *line_end = memchr(p, '\n', (size_t)(end - p));
        if (line_end == NULL || p >= end) {
            return (size_t)(p - bytes);
        }
        if (!dps_csv_is_blank_line(p, of->delimiter, &next) &&
            dps_layout_head_line(of, &state, p) == DPS_HEAD_ROW) {
            return (size_t)(p - bytes);
        }
        p = line_end + 1;
    }
}
