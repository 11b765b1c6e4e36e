/* What every input begins with, wherever its bytes come from. */
#ifndef DPS_INPUT_PRIVATE_H
#define DPS_INPUT_PRIVATE_H

#include "input.h"

/* To be released on errors, too. */
DPS_MUST_USE dps_status dps_input_begin(dps_input *input, const dps_read_options *options,
                                        dps_error *err);
/* Format and layout of rows that begin with `first`. */
DPS_MUST_USE dps_status dps_input_understand(dps_input *input, const dps_chunk *first,
                                             const dps_table *known, dps_error *err);

/* The layout of rows whose format is known. */
DPS_MUST_USE dps_status dps_input_lay_out(dps_input *input, const dps_chunk *first,
                                          const dps_table *known, dps_error *err);

#endif
