/* Names of scalings; copies; one value of one column. Fitting: scaler_fit.c, scaler_bend.c;
 * applying to rows: scale_rows.c. */
#include "scaler.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "allocation.h"
#include "exact_log.h"

const char *const dps_scaling_names[] = {"none", "max_abs", "min_max", "standard",
                                         "log",  "rank",    NULL};
const char *const dps_normalize_names[] = {"none", "max_norm", "unit", NULL};

/* A copy of an array that may be missing. False: no memory. */
static bool copy_array(const void *from, size_t count, size_t size, void *to)
{
    void *copy = from == NULL ? NULL : dps_alloc(count, size);
    if (copy != NULL) {
        memcpy(copy, from, count * size);
    }
    memcpy(to, &copy, sizeof copy);
    return from == NULL || copy != NULL;
}

dps_status dps_scaler_copy(const dps_scaler *from, dps_scaler *to, dps_error *err)
{
    const size_t columns = (size_t)from->columns, knots = (size_t)from->knots;
    *to = *from;
    bool ok = copy_array(from->index, columns, sizeof *to->index, &to->index);
    ok &= copy_array(from->shift, columns, sizeof *to->shift, &to->shift);
    ok &= copy_array(from->factor, columns, sizeof *to->factor, &to->factor);
    ok &= copy_array(from->unit, columns, sizeof *to->unit, &to->unit);
    ok &= copy_array(from->begin, columns + 1, sizeof *to->begin, &to->begin);
    ok &= copy_array(from->knot, knots, sizeof *to->knot, &to->knot);
    ok &= copy_array(from->level, knots, sizeof *to->level, &to->level);
    return ok ? DPS_OK : dps_out_of_memory(err, columns, sizeof *to->shift, "the scaler");
}

void dps_scaler_release(dps_scaler *scaler)
{
    dps_free(scaler->index);
    dps_free(scaler->shift);
    dps_free(scaler->factor);
    dps_free(scaler->unit);
    dps_free(scaler->begin);
    dps_free(scaler->knot);
    dps_free(scaler->level);
    memset(scaler, 0, sizeof *scaler);
}

size_t dps_scaler_bytes(const dps_scaler *scaler)
{
    const size_t columns = (size_t)scaler->columns;
    return columns * (2 * sizeof(double) + sizeof(int32_t)) +
           (scaler->unit != NULL ? columns * sizeof *scaler->unit : 0) +
           (scaler->begin != NULL ? (columns + 1) * sizeof *scaler->begin : 0) +
           (size_t)scaler->knots * (sizeof *scaler->knot + sizeof *scaler->level);
}

bool dps_scaling_is_affine(dps_scaling scaling)
{
    return scaling != DPS_SCALE_LOG && scaling != DPS_SCALE_RANK;
}

bool dps_scaler_moves_zeros(const dps_scaler *scaler)
{
    bool moves = scaler->scaling == DPS_SCALE_RANK;
    for (int32_t j = 0; j < scaler->columns; j++) {
        moves |= scaler->shift[j] != 0.0;
    }
    return moves;
}

/* Between the knots of column j: + - * / alone, in this order. */
static double rank_of(const dps_scaler *scaler, int32_t j, double x)
{
    const double *knot = scaler->knot, *level = scaler->level;
    int32_t low = scaler->begin[j], high = scaler->begin[j + 1] - 1;
    if (!(x > knot[low])) {
        return level[low];
    }
    if (x >= knot[high]) {
        return level[high];
    }
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        *(x < knot[middle] ? &high : &low) = middle;
    }
    const double left = knot[low], right = knot[high];
    const double half = right - left <= DBL_MAX ? 1.0 : 0.5; /* that nothing overflows */
    const double share = (half * x - half * left) / (half * right - half * left);
    return level[low] + share * (level[high] - level[low]);
}

double dps_scaler_value(const dps_scaler *scaler, int32_t j, double x)
{
    if (scaler->scaling == DPS_SCALE_RANK) {
        return rank_of(scaler, j, x);
    }
    if (scaler->scaling == DPS_SCALE_LOG) {
        const double bent = dps_log1p_exact_ops(fabs(x) / scaler->unit[j]) * scaler->factor[j];
        return x < 0.0 ? -bent : bent;
    }
    return (x - scaler->shift[j]) * scaler->factor[j];
}
