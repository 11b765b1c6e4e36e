/* Task: dps_additive_row for the baseline instruction set; formula, order and cost in
 * additive_body.h. */
#include "additive_body.h"

void dps_additive_row_portable(const dps_additive_panels *panels, const float *root,
                               const float *logarithm, float *z)
{
    additive_row(panels, root, logarithm, z);
}
