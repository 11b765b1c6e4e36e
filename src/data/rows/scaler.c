/* Names of scalings; copies. Fitting: scaler_fit.c, applying: scale_rows.c. */
#include "scaler.h"

#include <string.h>

#include "allocation.h"

const char *const dps_scaling_names[] = {"none", "max_abs", "min_max", "standard", NULL};
const char *const dps_normalize_names[] = {"none", "max_norm", "unit", NULL};

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
