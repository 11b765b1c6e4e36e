/* A logarithm for what enters a prediction: libm's has other bits on other machines. */
#ifndef DPS_EXACT_LOG_H
#define DPS_EXACT_LOG_H

/* log(x) for x > 0 with + - * / only, within 1 ulp or so; the same bits on every machine. */
double dps_log_exact_ops(double x);
/* log(1 + x) for x >= 0, likewise, with full accuracy near 0; infinity counts as the largest
 * number. */
double dps_log1p_exact_ops(double x);

#endif
