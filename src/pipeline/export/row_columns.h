/* The row that an exported model takes: a number for each column of features of the training file
 * (of a table: numbers, and codes for texts; else feature by feature up to the last one of the
 * model). */
#ifndef DPS_ROW_COLUMNS_H
#define DPS_ROW_COLUMNS_H

#include "model.h"

#define DPS_CODE_NUMBER  (-1) /* the feature is the column's number */
#define DPS_CODE_ORDINAL (-2) /* it is the text's code + 1, 0 without one */

typedef struct dps_row_columns {
    int32_t count;
    const dps_column **column; /* of each; NULL where there is no table */
    int32_t *codes;            /* of each: texts that it knows, those not in the code book as one
                                  more where that is a value; 0: a column of numbers */
    bool texts, fills;         /* some column is of texts; some has a number for missing values */
    /* Of each of the scaler's columns. */
    int32_t *column_of;
    int32_t *code_of; /* as above, or a code: the feature is 1 where the text is that one, else 0 */
} dps_row_columns;

/* On errors, too, it must be released. */
DPS_MUST_USE dps_status dps_row_columns_init(dps_row_columns *rows, const dps_model *model,
                                             dps_error *err);
void dps_row_columns_release(dps_row_columns *rows);

#endif
