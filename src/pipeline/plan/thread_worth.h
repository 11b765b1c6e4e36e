/* How many threads a training deserves. */
#ifndef DPS_THREAD_WORTH_H
#define DPS_THREAD_WORTH_H

#include <stdint.h>

/* The largest power of two, at most 1,024, of which newton's steps on so many kept rows and columns
 * still take at most three quarters of the time of half as many threads. An estimate from measured
 * rates; nothing is chosen by it. */
int dps_newton_threads_worth(int64_t rows, int32_t width);

#endif
