/* Processors and memory as batch systems state them in the environment of a job. */
#ifndef DPS_BATCH_LIMITS_H
#define DPS_BATCH_LIMITS_H

#include "job_limits.h"

/* Processors of one task (Slurm's --cpus-per-task, PBS's ompthreads); value 0: nothing is said. */
dps_limit dps_batch_task_cpus(void);
/* Processors and bytes of the whole job on this machine, `host`; value SIZE_MAX: nothing is said.
 */
dps_limit dps_batch_cpus(const char *host);
dps_limit dps_batch_memory(const char *host);

#endif
