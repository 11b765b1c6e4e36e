/* Control group limits, read from made-up trees in a temporary folder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cgroup.h"

static char root[64];

static int make_root(void **state)
{
    (void)state;
    strcpy(root, "cgroup_test_XXXXXX");
    return mkdtemp(root) == NULL;
}

static int remove_root(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

/* Writes root/path, making its folders. */
static void put(const char *path, const char *content)
{
    char full[512];
    snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *slash = strchr(full, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(full, 0755);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void expect(dps_limit limit, size_t value, const char *source)
{
    assert_true(limit.value == value);
    assert_string_equal(limit.source, source);
}

static void nothing_readable_is_no_limit(void **state)
{
    (void)state;
    assert_true(dps_cgroup_memory(root).value == SIZE_MAX);
    assert_true(dps_cgroup_cpus(root).value == SIZE_MAX);
    put("proc/self/cgroup", "garbage\n\n0:\n");
    assert_true(dps_cgroup_memory(root).value == SIZE_MAX);
}

static void v2_takes_the_tightest_of_group_and_parents(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/slurm/job_7/step_0\n");
    put("sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max\n");
    put("sys/fs/cgroup/slurm/job_7/step_0/memory.current", "5\n");
    put("sys/fs/cgroup/slurm/job_7/memory.max", "1000000\n");
    put("sys/fs/cgroup/slurm/job_7/memory.current", "300000\n");
    put("sys/fs/cgroup/slurm/job_7/memory.stat", "anon 200000\ninactive_file 100000\n");
    put("sys/fs/cgroup/slurm/memory.max", "2000000\n");
    put("sys/fs/cgroup/slurm/memory.current", "300000\n");
    expect(dps_cgroup_memory(root), 800000, "cgroup v2 memory.max");
    put("sys/fs/cgroup/slurm/memory.max", "900000\n");
    expect(dps_cgroup_memory(root), 600000, "cgroup v2 memory.max");
    put("sys/fs/cgroup/slurm/memory.max", "100000\n"); /* less than is in use */
    expect(dps_cgroup_memory(root), 0, "cgroup v2 memory.max");

    put("sys/fs/cgroup/slurm/job_7/step_0/cpu.max", "max 100000\n");
    assert_true(dps_cgroup_cpus(root).value == SIZE_MAX);
    put("sys/fs/cgroup/slurm/job_7/cpu.max", "250000 100000\n");
    expect(dps_cgroup_cpus(root), 3, "cgroup v2 cpu.max"); /* 2.5, rounded up */
    put("sys/fs/cgroup/slurm/cpu.max", "50000 100000\n");
    expect(dps_cgroup_cpus(root), 1, "cgroup v2 cpu.max");
}

static void v2_in_a_container_finds_the_mount_itself(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/docker/0123abc\n"); /* that folder is outside the container */
    put("sys/fs/cgroup/memory.max", "5000\n");
    put("sys/fs/cgroup/memory.current", "1000\n");
    put("sys/fs/cgroup/cpu.max", "200000 100000\n");
    expect(dps_cgroup_memory(root), 4000, "cgroup v2 memory.max");
    expect(dps_cgroup_cpus(root), 2, "cgroup v2 cpu.max");
    put("proc/self/cgroup", "0::/\n");
    expect(dps_cgroup_memory(root), 4000, "cgroup v2 memory.max");
}

static void v1_reads_its_own_controllers(void **state)
{
    (void)state;
    put("proc/self/cgroup", "12:cpuset:/other\n9:memory:/user/app\n4:cpu,cpuacct:/user/app\n");
    put("sys/fs/cgroup/memory/user/app/memory.limit_in_bytes", "70000\n");
    put("sys/fs/cgroup/memory/user/app/memory.usage_in_bytes", "30000\n");
    put("sys/fs/cgroup/memory/user/app/memory.stat",
        "inactive_file 1\ntotal_inactive_file 10000\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"); /* means none */
    put("sys/fs/cgroup/memory/memory.usage_in_bytes", "99\n");
    expect(dps_cgroup_memory(root), 50000, "cgroup v1 memory.limit_in_bytes");
    put("sys/fs/cgroup/cpu,cpuacct/user/app/cpu.cfs_quota_us", "-1\n"); /* means none */
    put("sys/fs/cgroup/cpu,cpuacct/user/app/cpu.cfs_period_us", "100000\n");
    assert_true(dps_cgroup_cpus(root).value == SIZE_MAX);
    put("sys/fs/cgroup/cpu,cpuacct/user/app/cpu.cfs_quota_us", "150000\n");
    expect(dps_cgroup_cpus(root), 2, "cgroup v1 cpu.cfs_quota_us");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_readable_is_no_limit, make_root, remove_root),
        cmocka_unit_test_setup_teardown(v2_takes_the_tightest_of_group_and_parents, make_root,
                                        remove_root),
        cmocka_unit_test_setup_teardown(v2_in_a_container_finds_the_mount_itself, make_root,
                                        remove_root),
        cmocka_unit_test_setup_teardown(v1_reads_its_own_controllers, make_root, remove_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
