/* Task: options to what the parser of tables wants to know. */
#include "table_settings.h"

#include <string.h>
#include "table_head.h"

dps_table_options dps_settings_table(const dps_options *options)
{
    static const char decimals[] = {0, '.', ','};
    static const char *const decimal_names[] = {"auto", "point", "comma", NULL};
    static const char *const unknown[] = {"ignore", "error", NULL};
    return (dps_table_options){
        .header = dps_name_value(dps_switch_names, options->data_header),
        .label_column = options->data_label_column,
        .id_column = options->data_id_column,
        .ignore_columns = options->data_ignore_columns,
        .text_columns = options->data_text_columns,
        .keep_columns = options->data_keep_columns,
        .missing_words = options->data_missing_words,
        .delimiter = dps_delimiter_of(options->data_delimiter),
        .decimal = decimals[dps_name_value(decimal_names, options->data_decimal)],
        .categorical = dps_name_value(dps_categorical_names, options->data_categorical),
        .missing = dps_name_value(dps_missing_names, options->data_missing),
        .unknown_is_error = dps_name_value(unknown, options->data_unknown) == 1};
}
