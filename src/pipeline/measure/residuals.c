/* Task: root mean squared error, mean absolute error and R2 of predicted numbers.
 *     RMSE = sqrt(sum r_i^2 / n),   MAE = sum |r_i| / n,   R2 = 1 - sum r_i^2 / sum (y_i - mean)^2
 * n and the sums take a row of weight w as w rows. The spread of the targets is kept about
 * their running mean (Welford 1962; parts are put together as in Chan, Golub & LeVeque 1983), so
 * that targets far from 0 lose no digits. Parts merged in the order of the rows give the same bits
 * for any number of threads. */
#include "residuals.h"

#include <math.h>

void dps_residuals_add(dps_residuals *r, double target, double prediction, double weight)
{
    const double residual = target - prediction, before = target - r->mean;
    r->rows++;
    r->weight += weight;
    r->squares += weight * (residual * residual);
    r->absolute += weight * fabs(residual);
    r->mean += weight * before / r->weight;
    r->spread += weight * before * (target - r->mean);
}

void dps_residuals_merge(dps_residuals *to, const dps_residuals *from)
{
    if (from->rows == 0) {
        return;
    }
    const double a = to->weight, b = from->weight, apart = from->mean - to->mean;
    to->rows += from->rows;
    to->weight += from->weight;
    to->squares += from->squares;
    to->absolute += from->absolute;
    to->mean += apart * (b / (a + b));
    to->spread += from->spread + apart * apart * (a * b / (a + b));
}

double dps_residuals_rmse(const dps_residuals *r)
{
    return r->rows > 0 ? sqrt(r->squares / r->weight) : NAN;
}

double dps_residuals_mae(const dps_residuals *r)
{
    return r->rows > 0 ? r->absolute / r->weight : NAN;
}

double dps_residuals_r2(const dps_residuals *r)
{
    return r->spread > 0.0 ? 1.0 - r->squares / r->spread : NAN;
}
