/* What the text columns of a table turn out to be when all rows have been read. */
#ifndef DPS_RAW_TEXT_H
#define DPS_RAW_TEXT_H

#include "raw_rows.h"

/* Gives the words of a slot other codes: to[the old one]. */
void dps_raw_text_recode(const dps_raw_rows *raw, int32_t slot, const int32_t *to,
                         int32_t *const *code);

/* All. code[b][word]: place in the code book of each word of block b; changed where rare values
 * become one. Columns of nearly all different texts are left out (role ignored), and both are said.
 * Refused: a column of numbers with a few words among them, at the first of them in the input. */
DPS_MUST_USE dps_status dps_raw_text_settle(const dps_raw_rows *raw, dps_table *table,
                                            int32_t *const *code, const dps_run *run,
                                            dps_error *err);

#endif
