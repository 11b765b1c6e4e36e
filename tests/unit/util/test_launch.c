/* launch.c: what launchers tell by environment variables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "launch.h"

static int forget_all(void **state)
{
    static const char *const names[] = {
        "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE",    "PMI_RANK", "PMIX_RANK",
        "SLURM_STEP_NUM_TASKS", "SLURM_PROCID",         "SLURM_NTASKS"};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        unsetenv(names[k]);
    }
    return 0;
}

static void told(const char *size_name, const char *size, const char *rank_name, const char *rank)
{
    setenv(size_name, size, 1);
    setenv(rank_name, rank, 1);
}

static void expect(int ranks, int rank, bool connected)
{
    const dps_launch launch = dps_launch_told();
    assert_int_equal(launch.ranks, ranks);
    assert_int_equal(launch.rank, rank);
    assert_int_equal(launch.connected, connected);
    assert_int_equal(launch.source != NULL, ranks > 1);
}

static void without_a_launcher_a_process_is_alone(void **state)
{
    (void)state;
    expect(1, 0, false);
}

static void mpirun_of_open_mpi_is_seen(void **state)
{
    (void)state;
    told("OMPI_COMM_WORLD_SIZE", "4", "OMPI_COMM_WORLD_RANK", "3");
    expect(4, 3, true);
}

static void pmi_of_mpich_is_seen(void **state)
{
    (void)state;
    told("PMI_SIZE", "2", "PMI_RANK", "0");
    expect(2, 0, true);
}

static void srun_with_pmix_is_seen(void **state)
{
    (void)state;
    told("SLURM_STEP_NUM_TASKS", "2", "PMIX_RANK", "1");
    setenv("SLURM_PROCID", "1", 1);
    expect(2, 1, true);
}

static void srun_without_mpi_starts_tasks_that_do_not_know_each_other(void **state)
{
    (void)state;
    told("SLURM_STEP_NUM_TASKS", "2", "SLURM_PROCID", "1");
    expect(2, 1, false);
}

static void one_task_is_alone(void **state)
{
    (void)state;
    told("OMPI_COMM_WORLD_SIZE", "1", "OMPI_COMM_WORLD_RANK", "0");
    told("SLURM_STEP_NUM_TASKS", "1", "PMIX_RANK", "0");
    expect(1, 0, false);
}

static void a_batch_script_of_several_tasks_is_alone(void **state)
{
    (void)state;
    told("SLURM_NTASKS", "8", "SLURM_PROCID", "0");
    expect(1, 0, false);
}

static void what_is_no_number_counts_as_nothing(void **state)
{
    (void)state;
    told("OMPI_COMM_WORLD_SIZE", "many", "OMPI_COMM_WORLD_RANK", "0");
    told("PMI_SIZE", "-3", "PMI_RANK", "0");
    expect(1, 0, false);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, forget_all)
    const struct CMUnitTest tests[] = {
        TEST(without_a_launcher_a_process_is_alone),
        TEST(mpirun_of_open_mpi_is_seen),
        TEST(pmi_of_mpich_is_seen),
        TEST(srun_with_pmix_is_seen),
        TEST(srun_without_mpi_starts_tasks_that_do_not_know_each_other),
        TEST(one_task_is_alone),
        TEST(a_batch_script_of_several_tasks_is_alone),
        TEST(what_is_no_number_counts_as_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
