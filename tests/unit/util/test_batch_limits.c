/* What batch systems say in the environment: processors and memory of this job on this machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "batch_limits.h"

static int forget_environment(void **state)
{
    static const char *const names[] = {"SLURM_CPUS_PER_TASK",
                                        "SRUN_CPUS_PER_TASK",
                                        "NCPUS",
                                        "SLURM_CPUS_ON_NODE",
                                        "SLURM_JOB_CPUS_PER_NODE",
                                        "SLURM_NODEID",
                                        "PBS_NUM_PPN",
                                        "PBS_NP",
                                        "PBS_NUM_NODES",
                                        "LSB_MCPU_HOSTS",
                                        "LSB_DJOB_NUMPROC",
                                        "NSLOTS",
                                        "NHOSTS",
                                        "SLURM_MEM_PER_NODE",
                                        "SLURM_MEM_PER_CPU",
                                        "SLURM_MEM_PER_GPU",
                                        "SLURM_GPUS_ON_NODE",
                                        "SLURM_JOB_GPUS",
                                        "SLURM_STEP_GPUS",
                                        "LSB_CG_MEMLIMIT",
                                        "OMP_NUM_THREADS",
                                        "OMP_THREAD_LIMIT"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        unsetenv(names[i]);
    }
    return 0;
}

typedef struct job {
    const char *name[3], *text[3]; /* of the environment */
    size_t value;
    const char *source;
} job;

static void expect(const job *cases, size_t count, dps_limit (*limit)(const char *host))
{
    for (size_t i = 0; i < count; i++) {
        const job *c = &cases[i];
        forget_environment(NULL);
        for (int k = 0; k < 3 && c->name[k] != NULL; k++) {
            setenv(c->name[k], c->text[k], 1);
        }
        const dps_limit found = limit("node7.cluster.org");
        if (found.value != c->value ||
            (c->source != NULL && strcmp(found.source, c->source) != 0)) {
            fail_msg("%s=%s: %zu (%s), expected %zu (%s)", c->name[0], c->text[0], found.value,
                     found.source, c->value, c->source);
        }
    }
    forget_environment(NULL);
}

static void processors_of_the_job_on_this_machine(void **state)
{
    static const job cases[] = {
        {{NULL}, {NULL}, SIZE_MAX, NULL},
        {{"SLURM_CPUS_ON_NODE"}, {"12"}, 12, "SLURM_CPUS_ON_NODE"},
        {{"SLURM_JOB_CPUS_PER_NODE"}, {"16(x2),8"}, 16, "SLURM_JOB_CPUS_PER_NODE"},
        {{"SLURM_JOB_CPUS_PER_NODE", "SLURM_NODEID"}, {"16(x2),8", "1"}, 16, NULL},
        {{"SLURM_JOB_CPUS_PER_NODE", "SLURM_NODEID"}, {"16(x2),8", "2"}, 8, NULL},
        {{"SLURM_JOB_CPUS_PER_NODE"}, {"72"}, 72, NULL},
        {{"SLURM_JOB_CPUS_PER_NODE"}, {"many"}, SIZE_MAX, NULL},
        {{"PBS_NUM_PPN"}, {"6"}, 6, "PBS_NUM_PPN"},
        {{"PBS_NP", "PBS_NUM_NODES"}, {"24", "3"}, 8, "PBS_NP"},
        {{"PBS_NP"}, {"4"}, 4, "PBS_NP"},
        {{"PBS_NP", "PBS_NUM_PPN"}, {"8", "4"}, 4, "PBS_NUM_PPN"},
        {{"LSB_MCPU_HOSTS"}, {"node6 4 node7 2 "}, 2, "LSB_MCPU_HOSTS"},
        {{"LSB_MCPU_HOSTS"}, {"node7.cluster.org 5"}, 5, NULL},
        {{"LSB_MCPU_HOSTS", "LSB_DJOB_NUMPROC"}, {"node70 4", "4"}, SIZE_MAX, NULL},
        {{"LSB_DJOB_NUMPROC"}, {"3"}, 3, "LSB_DJOB_NUMPROC"},
        {{"NSLOTS", "NHOSTS"}, {"4", "1"}, 4, "NSLOTS"},
        {{"NSLOTS", "NHOSTS"}, {"64", "4"}, SIZE_MAX, NULL},
        {{"SLURM_CPUS_ON_NODE"}, {"0"}, SIZE_MAX, NULL},
    };
    (void)state;
    expect(cases, sizeof cases / sizeof cases[0], dps_batch_cpus);
}

static dps_limit task_cpus(const char *host)
{
    (void)host;
    return dps_batch_task_cpus();
}

static void processors_of_a_task(void **state)
{
    static const job cases[] = {
        {{NULL}, {NULL}, 0, NULL},
        {{"SLURM_CPUS_PER_TASK"}, {"6"}, 6, "SLURM_CPUS_PER_TASK"},
        {{"SRUN_CPUS_PER_TASK"}, {"5"}, 5, "SRUN_CPUS_PER_TASK"},
        {{"NCPUS"}, {"3"}, 3, "NCPUS"},
    };
    (void)state;
    expect(cases, sizeof cases / sizeof cases[0], task_cpus);
}

static void memory_of_the_job_on_this_machine(void **state)
{
    const size_t mib = (size_t)1 << 20;
    const job cases[] = {
        {{NULL}, {NULL}, SIZE_MAX, NULL},
        {{"SLURM_MEM_PER_NODE"}, {"4000"}, 4000 * mib, "SLURM_MEM_PER_NODE"},
        {{"SLURM_MEM_PER_NODE"}, {"4G"}, 4096 * mib, NULL},
        {{"SLURM_MEM_PER_NODE"}, {"2048K"}, 2 * mib, NULL},
        {{"SLURM_MEM_PER_NODE"}, {"0"}, SIZE_MAX, NULL},
        {{"SLURM_MEM_PER_CPU", "SLURM_CPUS_ON_NODE"},
         {"500", "8"},
         4000 * mib,
         "SLURM_MEM_PER_CPU"},
        {{"SLURM_MEM_PER_CPU", "SLURM_JOB_CPUS_PER_NODE"}, {"500", "4(x3)"}, 2000 * mib, NULL},
        {{"SLURM_MEM_PER_CPU", "SLURM_CPUS_PER_TASK"}, {"500", "3"}, 1500 * mib, NULL},
        {{"SLURM_MEM_PER_CPU"}, {"500"}, 500 * mib, NULL},
        {{"SLURM_MEM_PER_GPU", "SLURM_GPUS_ON_NODE"},
         {"1000", "2"},
         2000 * mib,
         "SLURM_MEM_PER_GPU"},
        {{"SLURM_MEM_PER_GPU", "SLURM_JOB_GPUS"}, {"1000", "0,1,3"}, 3000 * mib, NULL},
        {{"SLURM_MEM_PER_NODE", "SLURM_MEM_PER_CPU"}, {"100", "500"}, 100 * mib, NULL},
        {{"LSB_CG_MEMLIMIT"}, {"40000000"}, 1024 * mib, "LSB_CG_MEMLIMIT"},
        {{"LSB_CG_MEMLIMIT"}, {"0x40000000"}, 1024 * mib, NULL},
    };
    (void)state;
    expect(cases, sizeof cases / sizeof cases[0], dps_batch_memory);
}

static void threads_follow_wish_then_task_then_job(void **state)
{
    (void)state;
    setenv("SLURM_CPUS_ON_NODE", "1", 1);
    assert_int_equal(dps_limit_threads(0).value, 1);
    assert_false(dps_limit_threads(0).each);
    setenv("NCPUS", "3", 1);
    assert_int_equal(dps_limit_threads(0).value, 3);
    assert_true(dps_limit_threads(0).each);
    setenv("OMP_NUM_THREADS", "4", 1);
    assert_int_equal(dps_limit_threads(0).value, 4);
    setenv("OMP_THREAD_LIMIT", "2", 1);
    assert_int_equal(dps_limit_threads(0).value, 2);
    assert_string_equal(dps_limit_threads(9).source, "OMP_THREAD_LIMIT");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(processors_of_the_job_on_this_machine, forget_environment),
        cmocka_unit_test_setup(processors_of_a_task, forget_environment),
        cmocka_unit_test_setup(memory_of_the_job_on_this_machine, forget_environment),
        cmocka_unit_test_setup_teardown(threads_follow_wish_then_task_then_job, forget_environment,
                                        forget_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
