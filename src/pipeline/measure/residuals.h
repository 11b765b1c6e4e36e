/* How good predicted numbers are. */
#ifndef DPS_RESIDUALS_H
#define DPS_RESIDUALS_H

#include <stdint.h>

/* Sums over rows, which may be gathered in parts and put together in order. */
typedef struct dps_residuals {
    int64_t rows;
    double weight;   /* of the rows, a row of weight w being w rows: without weights their number */
    double squares;  /* sum of (target - prediction)^2 */
    double absolute; /* sum of |target - prediction| */
    double mean;     /* of the targets */
    double spread;   /* sum of (target - mean)^2 */
} dps_residuals;

void dps_residuals_add(dps_residuals *residuals, double target, double prediction, double weight);
void dps_residuals_merge(dps_residuals *to, const dps_residuals *from);

/* NAN without rows; R2 also where all targets are equal. */
double dps_residuals_rmse(const dps_residuals *residuals);
double dps_residuals_mae(const dps_residuals *residuals);
double dps_residuals_r2(const dps_residuals *residuals); /* 1 - squares / spread */

#endif
