/* `dpsvm info --weights`. */
#ifndef DPS_DESCRIBE_WEIGHTS_H
#define DPS_DESCRIBE_WEIGHTS_H

#include "model.h"
#include "text.h"

/* `dpsvm info --weights`: class, feature and weight in units of the input, a line each, then the
 * intercept. Refused where scores are not linear in the features. */
DPS_MUST_USE dps_status dps_describe_weights(const dps_model *model, const char *path,
                                             dps_text *out, dps_error *err);

#endif
