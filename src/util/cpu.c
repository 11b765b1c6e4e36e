/* CPUID through the compiler's built-in, which also asks whether the operating system saves the
 * wide registers. */
#include "cpu.h"

bool dps_cpu_has(dps_simd simd)
{
    switch (simd) {
    case DPS_SIMD_PORTABLE:
        return true;
#if defined(__x86_64__)
    case DPS_SIMD_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case DPS_SIMD_AVX512:
        return dps_cpu_has(DPS_SIMD_AVX2) && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
#else
    case DPS_SIMD_AVX2:
    case DPS_SIMD_AVX512:
        return false;
#endif
    }
    return false;
}

dps_simd dps_cpu_best(void)
{
    if (dps_cpu_has(DPS_SIMD_AVX512)) {
        return DPS_SIMD_AVX512;
    }
    return dps_cpu_has(DPS_SIMD_AVX2) ? DPS_SIMD_AVX2 : DPS_SIMD_PORTABLE;
}
