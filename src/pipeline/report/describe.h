/* `dpsvm info`. */
#ifndef DPS_DESCRIBE_H
#define DPS_DESCRIBE_H

#include <stdbool.h>
#include "model.h"
#include "text.h"

/* `dpsvm info`: text for people, or JSON. */
DPS_MUST_USE dps_status dps_describe_model(const dps_model *model, const char *path, bool json,
                                           dps_text *out, dps_error *err);

#endif
