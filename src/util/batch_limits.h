/* Processors and memory as batch systems state them in the environment of a job. */
#ifndef DPS_BATCH_LIMITS_H
#define DPS_BATCH_LIMITS_H

#include "job_limits.h"

dps_limit dps_limit_of(size_t value, const char *source);
dps_limit dps_limit_smaller(dps_limit a, dps_limit b);
/* Positive whole number at the start of an environment variable ("4", "4,2", "4(x2)"); 0: there is
 * none. */
size_t dps_environment_count(const char *name);

/* Processors of one task (Slurm's --cpus-per-task, PBS's ompthreads); value 0: nothing is said. */
dps_limit dps_batch_task_cpus(void);
/* Processors and bytes of the whole job on this machine, `host`; value SIZE_MAX: nothing is said.
 */
dps_limit dps_batch_cpus(const char *host);
dps_limit dps_batch_memory(const char *host);

#endif
