/* npy matrices, a row of the table of formats. */
#ifndef DPS_NPY_PARSER_H
#define DPS_NPY_PARSER_H

#include "row_parser.h"

/* As dps_format.parse; lines are rows. */
dps_status dps_npy_parse(const dps_read_options *options, const dps_chunk *chunk,
                         dps_row_block *block, dps_error *err);

#endif
