/* What this job may use. Explicit wishes win; otherwise the smallest of everything that limits the
 * process, so that a run inside a container or a batch job neither starts more threads than it has
 * processors nor is killed for its memory. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "job_limits.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "cgroup.h"

#define MOST_THREADS 1024
#define SHARE        0.8 /* of the memory that is there: the rest is for what the budget cannot see */

static dps_limit limit_of(size_t value, const char *source)
{
    dps_limit limit = {.value = value};
    snprintf(limit.source, sizeof limit.source, "%s", source);
    return limit;
}

static dps_limit smaller(dps_limit a, dps_limit b)
{
    return b.value < a.value ? b : a;
}

/* Positive whole number at the start of an environment variable ("4", "4,2"), 0 if there is none.
 */
static size_t environment_count(const char *name)
{
    const char *text = getenv(name);
    char *after;
    if (text == NULL) {
        return 0;
    }
    const long long value = strtoll(text, &after, 10);
    return after != text && value > 0 ? (size_t)value : 0;
}

int dps_cpus_allowed(void)
{
    for (size_t room = 1024; room <= (size_t)1 << 16;
         room *= 4) { /* more processors than room: EINVAL */
        const size_t size = CPU_ALLOC_SIZE(room);
        cpu_set_t *set = CPU_ALLOC(room);
        if (set == NULL) {
            break;
        }
        const bool ok = sched_getaffinity(0, size, set) == 0;
        const int count = ok ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (count > 0) {
            return count;
        }
    }
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

dps_limit dps_limit_threads(long wanted)
{
    dps_limit limit;
    if (wanted > 0) {
        limit = limit_of((size_t)wanted, "run.threads");
    } else if (environment_count("OMP_NUM_THREADS") > 0) {
        limit = limit_of(environment_count("OMP_NUM_THREADS"), "OMP_NUM_THREADS");
    } else if (environment_count("SLURM_CPUS_PER_TASK") > 0) {
        limit = limit_of(environment_count("SLURM_CPUS_PER_TASK"), "SLURM_CPUS_PER_TASK");
    } else {
        limit = smaller(limit_of((size_t)dps_cpus_allowed(), "affinity mask"), dps_cgroup_cpus(""));
    }
    if (limit.value > MOST_THREADS) {
        limit = limit_of(MOST_THREADS, "the most dpsvm uses");
    }
    return limit;
}

/* Bytes of "MemAvailable:  123 kB" in /proc/meminfo. */
static size_t available_memory(void)
{
    char line[128];
    size_t bytes = SIZE_MAX;
    FILE *stream = fopen("/proc/meminfo", "re");
    while (stream != NULL && fgets(line, sizeof line, stream) != NULL) {
        if (strncmp(line, "MemAvailable:", 13) == 0) {
            bytes = (size_t)strtoull(line + 13, NULL, 10) * 1024;
            break;
        }
    }
    if (stream != NULL) {
        fclose(stream);
    }
    return bytes;
}

/* RLIMIT_AS less the address space in use. */
static size_t address_space_left(void)
{
    struct rlimit limit;
    char line[128] = "";
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return SIZE_MAX;
    }
    FILE *stream = fopen("/proc/self/statm", "re");
    if (stream != NULL) {
        if (fgets(line, sizeof line, stream) == NULL) {
            line[0] = '\0';
        }
        fclose(stream);
    }
    const size_t used = (size_t)strtoull(line, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
    return limit.rlim_cur > used ? (size_t)limit.rlim_cur - used : 0;
}

static size_t slurm_memory(void)
{
    const size_t megabytes = environment_count("SLURM_MEM_PER_NODE");
    return megabytes > 0 && megabytes < SIZE_MAX >> 20 ? megabytes << 20 : SIZE_MAX;
}

dps_limit dps_limit_memory(size_t wanted)
{
    if (wanted > 0) {
        return limit_of(wanted, "run.memory");
    }
    dps_limit limit = limit_of(available_memory(), "MemAvailable");
    limit = smaller(limit, dps_cgroup_memory(""));
    limit = smaller(limit, limit_of(slurm_memory(), "SLURM_MEM_PER_NODE"));
    limit = smaller(limit, limit_of(address_space_left(), "RLIMIT_AS (ulimit -v)"));
    if (limit.value == SIZE_MAX) {
        limit = limit_of((size_t)4 << 30, "nothing known, 4 GiB assumed");
    }
    limit.value = (size_t)(SHARE * (double)limit.value);
    return limit;
}

size_t dps_peak_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (size_t)usage.ru_maxrss * 1024;
}

double dps_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
