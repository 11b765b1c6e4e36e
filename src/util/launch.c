/* Task: am I alone? MPI_Init costs up to half a second, and where a launcher's variables are only
 * left over (a plain program inside a batch script) it fails or waits, so that it is called only
 * if the environment says that several processes were started together.
 *
 * mpirun of Open MPI sets OMPI_COMM_WORLD_SIZE; PMI-1 and PMI-2 (mpirun of MPICH and Intel MPI,
 * srun --mpi=pmi2, and its cray kin) set PMI_RANK and PMI_SIZE; srun --mpi=pmix sets PMIX_RANK and
 * leaves the number to SLURM_STEP_NUM_TASKS, as does srun without --mpi, whose tasks cannot find
 * each other. A batch script has neither PMIX_RANK nor SLURM_STEP_NUM_TASKS: what is started there
 * without srun is alone, whatever SLURM_NTASKS says. */
#include "launch.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "number.h"

/* Number in an environment variable, 0 if there is none. */
static int number_of(const char *name)
{
    const char *text = getenv(name);
    int64_t number = 0;
    const bool ok = text != NULL && dps_text_to_int64(text, strlen(text), &number);
    return ok && number > 0 && number <= INT_MAX ? (int)number : 0;
}

dps_launch dps_launch_told(void)
{
    static const struct {
        const char *size, *rank;
        bool connected;
    } told[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", true},
                {"PMI_SIZE", "PMI_RANK", true},
                {"SLURM_STEP_NUM_TASKS", "PMIX_RANK", true},
                {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", false}};
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        const int ranks = number_of(told[i].size);
        if (ranks > 1 && getenv(told[i].rank) != NULL) {
            return (dps_launch){ranks, number_of(told[i].rank), told[i].connected, told[i].size};
        }
    }
    return (dps_launch){1, 0, false, NULL};
}
