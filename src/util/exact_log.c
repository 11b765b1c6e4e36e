/* The natural logarithm by exact operations; the formula stands in the function. */
#include "exact_log.h"

#include <assert.h>
#include <float.h>
#include <stdint.h>
#include <string.h>

double dps_log_exact_ops(double x)
{
    /* x = 2^k m with m in [sqrt(1/2), sqrt(2)); s = (m - 1)/(m + 1), |s| < 0.1716;
     * log m = 2 atanh(s) = 2s + s R, R = sum_j 2 s^(2j)/(2j+1), cut where s^22/23 < 2^-60.
     * f = m - 1 is exact; 2s = f - s f, and writing s f as f^2/2 - s f^2/2 keeps the rounding error
     * of s out of the leading term. k ln2_high is exact. */
    const double ln2_high = 0x1.62e42feep-1; /* 31 bits of ln 2 */
    const double ln2_low = 0x1.a39ef35793c76p-33;
    assert(x > 0.0);
    int k = 0;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        k = -54;
    }
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    k += (int)(bits >> 52) - 1023;
    bits = (bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL;
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m >= 0x1.6a09e667f3bcdp0) {
        m *= 0.5;
        k++;
    }
    const double f = m - 1.0;
    const double s = f / (2.0 + f);
    const double z = s * s;
    double r = 2.0 / 25.0;
    for (int odd = 23; odd >= 3; odd -= 2) {
        r = r * z + 2.0 / (double)odd;
    }
    r *= z;
    const double half_square = 0.5 * f * f;
    return k * ln2_high - ((half_square - (s * (half_square + r) + k * ln2_low)) - f);
}

double dps_log1p_exact_ops(double x)
{
    /* y = 1 + x rounded; log(y) x / (y - 1) takes back what rounding did to the argument: both
     * log(y)/(y - 1) and log(1 + x)/x change slowly (Kahan; Higham, Accuracy and Stability of
     * Numerical Algorithms, 2002, 1.14.1). */
    const double finite = x < DBL_MAX ? x : DBL_MAX;
    const double y = 1.0 + finite;
    return y == 1.0 ? finite : dps_log_exact_ops(y) * (finite / (y - 1.0));
}
