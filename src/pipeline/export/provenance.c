/* Task: a model in its own words. */
#include "provenance.h"

#include "model_fields.h"

void dps_provenance(const dps_model *model, const char *before, dps_text *out)
{
    for (size_t f = 0; f < dps_model_field_count; f++) {
        if (dps_model_fields[f].since <= dps_model_version_of(model)) {
            dps_text_format(out, "%s%s = ", before, dps_model_fields[f].key);
            dps_model_field_write(&dps_model_fields[f], model, out);
            dps_text_add(out, "\n");
        }
    }
}
