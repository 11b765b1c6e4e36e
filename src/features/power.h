/* Whole powers. */
#ifndef DPS_POWER_H
#define DPS_POWER_H

#include <stdint.h>

/* t^n for n >= 0, by * only: the same bits everywhere. */
static inline double dps_power(double t, int32_t n)
{
    double result = 1.0;
    for (double square = t; n > 0; n /= 2, square *= square) {
        if (n % 2 == 1) {
            result *= square;
        }
    }
    return result;
}

#endif
