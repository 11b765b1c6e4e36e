/* What the job may use. */
#define _GNU_SOURCE /* sched_setaffinity */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "allocation.h"
#include "job_limits.h"

static int forget_environment(void **state)
{
    (void)state;
    unsetenv("OMP_NUM_THREADS");
    unsetenv("SLURM_CPUS_PER_TASK");
    unsetenv("SLURM_MEM_PER_NODE");
    return 0;
}

static void expect(dps_limit limit, size_t value, const char *source)
{
    assert_true(limit.value == value);
    assert_string_equal(limit.source, source);
}

static void wishes_come_before_the_environment_before_the_machine(void **state)
{
    (void)state;
    assert_in_range(dps_limit_threads(0).value, 1, (size_t)dps_cpus_allowed());
    setenv("SLURM_CPUS_PER_TASK", "6", 1);
    expect(dps_limit_threads(0), 6, "SLURM_CPUS_PER_TASK");
    setenv("OMP_NUM_THREADS", "5,2", 1);
    expect(dps_limit_threads(0), 5, "OMP_NUM_THREADS");
    expect(dps_limit_threads(3), 3, "run.threads");
    assert_int_equal(dps_limit_threads(1000000).value, 1024);
    setenv("OMP_NUM_THREADS", "many", 1); /* not a number: passed over */
    expect(dps_limit_threads(0), 6, "SLURM_CPUS_PER_TASK");
}

static void affinity_mask_is_obeyed(void **state)
{
    (void)state;
    cpu_set_t before;
    cpu_set_t one;
    size_t first = 0;
    if (sched_getaffinity(0, sizeof before, &before) != 0) {
        skip(); /* more than 1024 processors */
    }
    assert_int_equal(dps_cpus_allowed(), CPU_COUNT(&before));
    while (!CPU_ISSET(first, &before)) {
        first++;
    }
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(dps_cpus_allowed(), 1);
    assert_int_equal(dps_limit_threads(0).value, 1);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

static void memory_is_what_was_wished_or_four_fifths_of_the_least(void **state)
{
    (void)state;
    expect(dps_limit_memory(123456), 123456, "run.memory");
    const dps_limit machine = dps_limit_memory(0);
    assert_true(machine.value > 0);
    assert_true(machine.value < SIZE_MAX / 2);
    setenv("SLURM_MEM_PER_NODE", "10", 1); /* MiB */
    expect(dps_limit_memory(0), (size_t)(0.8 * 10 * 1048576), "SLURM_MEM_PER_NODE");
}

static void address_space_limit_is_seen(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    print_message(
        "not tried: a limit of the address space: a sanitizer reserves terabytes of it\n");
    skip();
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
    print_message(
        "not tried: a limit of the address space: a sanitizer reserves terabytes of it\n");
    skip();
#endif
#endif
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    struct rlimit less = before;
    less.rlim_cur = (rlim_t)1 << 30;
    if (less.rlim_max < less.rlim_cur) {
        skip();
    }
    assert_int_equal(setrlimit(RLIMIT_AS, &less), 0);
    const dps_limit limit = dps_limit_memory(0);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_true(limit.value <= ((size_t)1 << 30) * 4 / 5);
}

static void peak_memory_counts_touched_pages(void **state)
{
    (void)state;
    const size_t bytes = (size_t)64 << 20;
    char *block = dps_alloc(bytes, 1);
    assert_non_null(block);
    memset(block, 1, bytes);
    assert_true(block[bytes / 2] == 1 && dps_peak_memory() >= bytes);
    dps_free(block);
}

static void clock_runs_forward(void **state)
{
    (void)state;
    double last = dps_now();
    for (int i = 0; i < 1000; i++) {
        const double now = dps_now();
        assert_true(now >= last);
        last = now;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(wishes_come_before_the_environment_before_the_machine,
                               forget_environment),
        cmocka_unit_test_setup(affinity_mask_is_obeyed, forget_environment),
        cmocka_unit_test_setup(memory_is_what_was_wished_or_four_fifths_of_the_least,
                               forget_environment),
        cmocka_unit_test_setup(address_space_limit_is_seen, forget_environment),
        cmocka_unit_test(peak_memory_counts_touched_pages),
        cmocka_unit_test(clock_runs_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
