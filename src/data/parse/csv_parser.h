/* CSV and TSV, rows of the table of formats. */
#ifndef DPS_CSV_PARSER_H
#define DPS_CSV_PARSER_H

#include "row_parser.h"

/* As dps_format.parse. */
dps_status dps_csv_parse(const dps_read_options *options, const dps_chunk *chunk,
                         dps_row_block *block, dps_error *err);

#endif
