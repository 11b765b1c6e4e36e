/* Task: the points of a learning curve. */
#include "learning_curve.h"

#include "allocation.h"

dps_status dps_curve_add(dps_curve *curve, const dps_curve_point *point, dps_error *err)
{
    DPS_NEED_MORE(curve->point, curve->capacity, (size_t)curve->count + 1, "the learning curve",
                  err);
    curve->point[curve->count++] = *point;
    return DPS_OK;
}

void dps_curve_release(dps_curve *curve)
{
    dps_free(curve->point);
    *curve = (dps_curve){0};
}
