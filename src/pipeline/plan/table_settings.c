/* Task: options to what the parser of tables wants to know. */
#include "table_settings.h"

#include <string.h>
#include "table_head.h"

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

dps_table_options dps_settings_table(const dps_options *options)
{
    const char *header = options->data_header, *missing = options->data_missing;
    const char *categorical = options->data_categorical;
    return (dps_table_options){.header = is(header, "on")    ? DPS_HEADER_ON
                                         : is(header, "off") ? DPS_HEADER_OFF
                                                             : DPS_HEADER_AUTO,
                               .label_column = options->data_label_column,
                               .id_column = options->data_id_column,
                               .ignore_columns = options->data_ignore_columns,
                               .text_columns = options->data_text_columns,
                               .keep_columns = options->data_keep_columns,
                               .missing_words = options->data_missing_words,
                               .delimiter = dps_delimiter_of(options->data_delimiter),
                               .decimal = is(options->data_decimal, "comma")   ? ','
                                          : is(options->data_decimal, "point") ? '.'
                                                                               : 0,
                               .categorical = is(categorical, "ordinal") ? DPS_CATEGORICAL_ORDINAL
                                              : is(categorical, "error") ? DPS_CATEGORICAL_ERROR
                                                                         : DPS_CATEGORICAL_ONEHOT,
                               .missing = is(missing, "mean")   ? DPS_MISSING_MEAN
                                          : is(missing, "zero") ? DPS_MISSING_ZERO
                                                                : DPS_MISSING_ERROR,
                               .unknown_is_error = is(options->data_unknown, "error")};
}
