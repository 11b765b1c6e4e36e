/* What this job may use: processors and memory, and where each figure comes from. */
#ifndef DPS_JOB_LIMITS_H
#define DPS_JOB_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include "status.h"

typedef struct dps_limit {
    size_t value;
    char source[64]; /* "run.threads", "OMP_NUM_THREADS", "affinity mask", "cgroup v2 memory.max",
                        ... */
    bool each;       /* meant for every process, not for all of a machine together */
} dps_limit;

/* Threads: `wanted` if > 0 (source "run.threads"), else OMP_NUM_THREADS, else what the batch system
 * gives a task, else the smallest of the affinity mask, the cgroup CPU quota (rounded up) and what
 * the batch system gives the job on this machine (batch_limits.h). At least 1, at most 1024, and no
 * more than OMP_THREAD_LIMIT. */
dps_limit dps_limit_threads(long wanted);
/* Processors in the affinity mask. */
int dps_cpus_allowed(void);

/* Memory in bytes: `wanted` if > 0 (source "run.memory"), else 80 % of the smallest of: cgroup
 * v1/v2 limit less current use, what the batch system states (batch_limits.h), RLIMIT_AS,
 * RLIMIT_DATA and RLIMIT_RSS less current size, MemAvailable. */
dps_limit dps_limit_memory(size_t wanted);

/* Peak resident bytes of this process so far (getrusage). */
size_t dps_peak_memory(void);

/* Monotonic seconds. */
double dps_now(void);

#endif
