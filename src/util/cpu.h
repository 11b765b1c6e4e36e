/* Which SIMD paths this CPU and operating system offer (CPUID through the compiler's built-in). */
#ifndef DPS_CPU_H
#define DPS_CPU_H

#include <stdbool.h>
#include "run.h"

/* AVX2 means AVX2 and FMA; AVX-512 means F, BW, DQ and VL. */
bool dps_cpu_has(dps_simd simd);
dps_simd dps_cpu_best(void);

#endif
