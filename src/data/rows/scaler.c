/* Names of scalings; copies. Fitting: scaler_fit.c, applying: scale_rows.c. */
#include "scaler.h"

#include <string.h>

#include "allocation.h"

static const char *const scaling_names[] = {"none", "max_abs", "min_max", "standard"};
static const char *const normalize_names[] = {"none", "max_norm", "unit"};

bool dps_scaling_parse(const char *name, dps_scaling *scaling)
{
    for (size_t i = 0; i < sizeof scaling_names / sizeof scaling_names[0]; i++) {
        if (strcmp(name, scaling_names[i]) == 0) {
            *scaling = (dps_scaling)i;
            return true;
        }
    }
    return false;
}

bool dps_normalize_parse(const char *name, dps_normalize *normalize)
{
    for (size_t i = 0; i < sizeof normalize_names / sizeof normalize_names[0]; i++) {
        if (strcmp(name, normalize_names[i]) == 0) {
            *normalize = (dps_normalize)i;
            return true;
        }
    }
    return false;
}

const char *dps_scaling_name(dps_scaling scaling)
{
    return scaling_names[scaling];
}

const char *dps_normalize_name(dps_normalize normalize)
{
    return normalize_names[normalize];
}

dps_status dps_scaler_copy(const dps_scaler *from, dps_scaler *to, dps_error *err)
{
    const size_t columns = (size_t)from->columns;
    *to = *from;
    to->index = dps_alloc(columns, sizeof *to->index);
    to->shift = dps_alloc(columns, sizeof *to->shift);
    to->factor = dps_alloc(columns, sizeof *to->factor);
    if (to->index == NULL || to->shift == NULL || to->factor == NULL) {
        return dps_out_of_memory(err, columns, sizeof *to->shift, "the scaler");
    }
    memcpy(to->index, from->index, columns * sizeof *to->index);
    memcpy(to->shift, from->shift, columns * sizeof *to->shift);
    memcpy(to->factor, from->factor, columns * sizeof *to->factor);
    return DPS_OK;
}

void dps_scaler_release(dps_scaler *scaler)
{
    dps_free(scaler->index);
    dps_free(scaler->shift);
    dps_free(scaler->factor);
    memset(scaler, 0, sizeof *scaler);
}
