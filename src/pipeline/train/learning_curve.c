/* Task: the points of a learning curve. */
#include "learning_curve.h"

#include "allocation.h"

dps_status dps_curve_add(dps_curve *curve, const dps_curve_point *point, dps_error *err)
{
    void *buffer = curve->point;
    if (!dps_grow(&buffer, &curve->capacity, (size_t)curve->count + 1, sizeof *curve->point)) {
        return dps_out_of_memory(err, (size_t)curve->count + 1, sizeof *curve->point,
                                 "the learning curve");
    }
    curve->point = buffer;
    curve->point[curve->count++] = *point;
    return DPS_OK;
}

void dps_curve_release(dps_curve *curve)
{
    dps_free(curve->point);
    *curve = (dps_curve){0};
}
