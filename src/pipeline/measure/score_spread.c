/* Task: mean, deviation and standard error of a record of scores, and of the paired difference of
 * two. Over folds: those of a sample; of one held-out part: its parts are independent terms of the
 * error (score_error.c). */
#include "score_spread.h"

#include <math.h>

/* sign (a - b), b NULL: sign a. */
static double term(double sign, const double *a, const double *b, int32_t k)
{
    return sign * (a[k] - (b == NULL ? 0 : b[k]));
}

static dps_spread spread_of(double sign, const double *a, const double *b, int32_t folds)
{
    dps_spread s = {0, NAN, NAN};
    double squares = 0, count = 0;
    for (int32_t f = 0; f < folds; f++) {
        const double value = term(sign, a, b, f);
        s.mean += isnan(value) ? 0 : value;
        count += !isnan(value);
    }
    s.mean = count > 0 ? s.mean / count : NAN;
    for (int32_t f = 0; f < folds; f++) {
        const double apart = term(sign, a, b, f) - s.mean;
        squares += isnan(apart) ? 0 : apart * apart;
    }
    for (int32_t k = 1; folds == 1 && k <= DPS_SCORE_PARTS; k++) {
        const double part = term(sign, a, b, k);
        squares += part * part;
    }
    if (folds == 1 && count > 0) {
        s.error = sqrt(squares);
    } else if (count > 1) {
        s.deviation = sqrt(squares / (count - 1));
        s.error = s.deviation / sqrt(count);
    }
    return s;
}

dps_spread dps_spread_of(const double *record, int32_t folds)
{
    return spread_of(1, record, NULL, folds);
}

dps_spread dps_score_advantage(dps_metric metric, const double *a, const double *b, int32_t folds)
{
    return spread_of(dps_metric_sign(metric), a, b, folds);
}

bool dps_within_one_error(dps_metric metric, const double *a, const double *b, int32_t folds)
{
    const dps_spread s = dps_score_advantage(metric, b, a, folds);
    return s.mean <= 0 || s.mean <= s.error; /* an error that is NAN allows nothing */
}
