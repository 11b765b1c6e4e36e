/* What an exported file says about the model that it is of. */
#ifndef DPS_PROVENANCE_H
#define DPS_PROVENANCE_H

#include "model.h"
#include "text.h"

/* The header of the model's file (docs/model_format.md), a field a line, each behind `before`. No
 * text of the user's is among them. */
void dps_provenance(const dps_model *model, const char *before, dps_text *out);

#endif
