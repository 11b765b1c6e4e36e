/* Task: what an input is: first bytes -> format -> layout. */
#include "input_private.h"

#include <stdio.h>
#include <string.h>

#include "allocation.h"
#include "source.h"

static dps_status find_layout(dps_input *input, const dps_chunk *first, const dps_table *known,
                              dps_error *err)
{
    dps_status status =
        dps_layout_find(input->format, first, &input->read, known, input->made, &input->layout,
                        input->note, sizeof input->note, &input->notes, err);
    input->read.layout = &input->layout;
    if (status == DPS_OK && input->layout.fields > 0 && input->layout.label_field >= 0) {
        dps_layout_field_name(&input->layout, input->layout.label_field, input->label,
                              sizeof input->label);
    }
    return status;
}

/* Options about columns mean something in tables only. */
static dps_status check_unused(const dps_input *input, dps_error *err)
{
    const dps_table_options *asked = &input->read.table;
    const struct {
        const char *option, *value;
    } given[] = {{"label_column", asked->label_column},  {"id_column", asked->id_column},
                 {"weights", asked->weight_column},      {"ignore_columns", asked->ignore_columns},
                 {"text_columns", asked->text_columns},  {"keep_columns", asked->keep_columns},
                 {"missing_words", asked->missing_words}};
    for (size_t k = 0; k < sizeof given / sizeof given[0]; k++) {
        if (given[k].value != NULL && given[k].value[0] != '\0') {
            return dps_error_set(err, DPS_ERROR_CONFIG,
                                 "data.%s = %s: there are no columns in %s text%s (data.format "
                                 "sets what the input is)",
                                 given[k].option, given[k].value, input->format->name,
                                 k == 2 ? ", and no such file" : "");
        }
    }
    return DPS_OK;
}

dps_status dps_input_begin(dps_input *input, const dps_read_options *options, dps_error *err)
{
    memset(input, 0, sizeof *input);
    input->read = *options;
    input->read.layout = NULL;
    input->made = dps_alloc(1, sizeof *input->made);
    return input->made != NULL ? DPS_OK : dps_out_of_memory(err, 1, sizeof *input->made, "columns");
}

dps_status dps_input_understand(dps_input *input, const dps_chunk *first, const dps_table *known,
                                dps_error *err)
{
    const char *name = input->read.format;
    const char delimiter = input->read.table.delimiter;
    const bool is_auto = strcmp(name, "auto") == 0;
    const bool told = first->length > 0 && (dps_npy_is(first->bytes, first->length) ||
                                            dps_arff_is(first->bytes, first->length));
    input->format = delimiter != 0 && is_auto && first->length > 0 && !told
                        ? dps_format_find(delimiter == '\t' ? "tsv" : "csv")
                        : dps_format_detect(name, first->length > 0 ? first : NULL);
    if (input->format == NULL) {
        return dps_error_set(err, DPS_ERROR_CONFIG, "data.format = %s is not known", name);
    }
    return dps_input_lay_out(input, first, known, err);
}

dps_status dps_input_lay_out(dps_input *input, const dps_chunk *first, const dps_table *known,
                             dps_error *err)
{
    snprintf(input->note, sizeof input->note, "%s", input->format->name);
    const char *weights = input->read.table.weight_column;
    if (!input->format->columns &&
        (known == NULL || input->read.table.of_input || (weights != NULL && *weights != '\0'))) {
        return check_unused(input, err);
    }
    if (!input->format->columns || (first->length == 0 && first->rows == 0)) {
        return DPS_OK;
    }
    return find_layout(input, first, known, err);
}

dps_status dps_input_open_told(dps_input *input, const dps_chunk *first,
                               const dps_read_options *options, const dps_table *known,
                               dps_error *err)
{
    dps_status status = dps_input_begin(input, options, err);
    DPS_THEN(status, dps_input_understand(input, first, known, err));
    if (status != DPS_OK) {
        dps_input_release(input);
    }
    return status;
}

void dps_input_release(dps_input *input)
{
    dps_text_release(&input->notes);
    dps_layout_release(&input->layout);
    if (input->made != NULL) {
        dps_table_release(input->made);
        dps_free(input->made);
    }
    memset(input, 0, sizeof *input);
}
