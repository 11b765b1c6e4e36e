/* The line of a row that parsed well but cannot be used. */
#ifndef DPS_ROW_LINE_H
#define DPS_ROW_LINE_H

#include "input.h"

/* Line within the chunk of row number `row` of its block; both count from 1. */
int64_t dps_line_of_row(const dps_input *input, const dps_chunk *chunk, const dps_row_block *block,
                        int64_t row);

#endif
