/* SIMD paths against what Linux says of the processor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpu.h"

/* Whether the first "flags" line of /proc/cpuinfo holds the word. */
static bool linux_says(const char *word)
{
    char *line = NULL;
    size_t room = 0;
    char padded[32];
    bool found = false;
    FILE *stream = fopen("/proc/cpuinfo", "r");
    if (stream == NULL) {
        skip();
    }
    snprintf(padded, sizeof padded, " %s ", word);
    while (!found && getline(&line, &room, stream) > 0) {
        if (strncmp(line, "flags", 5) == 0) {
            line[strcspn(line, "\n")] = ' ';
            found = strstr(line, padded) != NULL;
            break;
        }
    }
    free(line);
    fclose(stream);
    return found;
}

static void paths_agree_with_proc_cpuinfo(void **state)
{
    (void)state;
    const bool avx2 = linux_says("avx2") && linux_says("fma");
    const bool avx512 = avx2 && linux_says("avx512f") && linux_says("avx512bw") &&
                        linux_says("avx512dq") && linux_says("avx512vl");
    assert_true(dps_cpu_has(DPS_SIMD_PORTABLE));
    assert_int_equal(dps_cpu_has(DPS_SIMD_AVX2), avx2);
    assert_int_equal(dps_cpu_has(DPS_SIMD_AVX512), avx512);
    assert_int_equal(dps_cpu_best(), avx512 ? DPS_SIMD_AVX512
                                     : avx2 ? DPS_SIMD_AVX2
                                            : DPS_SIMD_PORTABLE);
}

static void names_are_those_of_run_simd(void **state)
{
    (void)state;
    assert_string_equal(dps_name_of(dps_simd_names, DPS_SIMD_PORTABLE), "portable");
    assert_string_equal(dps_name_of(dps_simd_names, DPS_SIMD_AVX2), "avx2");
    assert_string_equal(dps_name_of(dps_simd_names, DPS_SIMD_AVX512), "avx512");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_agree_with_proc_cpuinfo),
        cmocka_unit_test(names_are_those_of_run_simd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
