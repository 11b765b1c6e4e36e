/* A model as C source. */
#ifndef DPS_SCORE_C_H
#define DPS_SCORE_C_H

#include "predictor.h"
#include "row_columns.h"

#define DPS_EXPORT_NAME 64 /* longest name, with its end */

/* name: what its functions begin with, a name of C. Check out->failed. */
void dps_score_c(const dps_predictor *predictor, const dps_row_columns *rows, const char *name,
                 dps_text *out);

#endif
