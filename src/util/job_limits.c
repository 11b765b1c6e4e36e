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
#include "batch_limits.h"
#include "cgroup.h"

#define MOST_THREADS 1024
/* of the memory that is there: the rest is for what the budget cannot see */
#define SHARE 0.8

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

static const char *host_name(char *name, size_t size)
{
    if (gethostname(name, size) != 0) {
        name[0] = '\0';
    }
    name[size - 1] = '\0';
    return name;
}

dps_limit dps_limit_threads(long wanted)
{
    char host[256];
    const size_t omp = dps_environment_count("OMP_NUM_THREADS");
    const size_t most = dps_environment_count("OMP_THREAD_LIMIT");
    const dps_limit task = dps_batch_task_cpus();
    dps_limit limit = wanted > 0       ? dps_limit_of((size_t)wanted, "run.threads")
                      : omp > 0        ? dps_limit_of(omp, "OMP_NUM_THREADS")
                      : task.value > 0 ? task
                                       : dps_limit_of(0, "");
    limit.each = limit.value > 0;
    if (!limit.each) {
        limit = dps_limit_smaller(dps_limit_of((size_t)dps_cpus_allowed(), "affinity mask"),
                                  dps_cgroup_cpus(""));
        limit = dps_limit_smaller(limit, dps_batch_cpus(host_name(host, sizeof host)));
    }
    if (most > 0 && limit.value > most) {
        limit = dps_limit_of(most, "OMP_THREAD_LIMIT");
        limit.each = true;
    }
    if (limit.value > MOST_THREADS) {
        const bool each = limit.each;
        limit = dps_limit_of(MOST_THREADS, "the most dpsvm uses");
        limit.each = each;
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

/* Bytes of this process: of /proc/self/statm, field 0 the address space, 1 what is resident, 5 its
 * data. */
static size_t own_size(int field)
{
    char line[128] = "";
    FILE *stream = fopen("/proc/self/statm", "re");
    if (stream != NULL) {
        if (fgets(line, sizeof line, stream) == NULL) {
            line[0] = '\0';
        }
        fclose(stream);
    }
    char *p = line;
    for (int k = 0; k < field; k++) {
        (void)strtoull(p, &p, 10);
    }
    return (size_t)strtoull(p, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
}

/* A limit of setrlimit less what is in use. RLIMIT_RSS is not enforced by Linux, but is how some
 * batch systems (pmem of Torque, -M of LSF) tell a limit that they enforce themselves. */
static size_t left_of(size_t limit, size_t used)
{
    return limit > used ? limit - used : 0;
}

static dps_limit resource_limit(dps_limit limit)
{
    struct rlimit set;
    if (getrlimit(RLIMIT_AS, &set) == 0 && set.rlim_cur != RLIM_INFINITY) {
        limit = dps_limit_smaller(limit, dps_limit_of(left_of((size_t)set.rlim_cur, own_size(0)),
                                                      "RLIMIT_AS (ulimit -v)"));
    }
    if (getrlimit(RLIMIT_DATA, &set) == 0 && set.rlim_cur != RLIM_INFINITY) {
        limit = dps_limit_smaller(limit, dps_limit_of(left_of((size_t)set.rlim_cur, own_size(5)),
                                                      "RLIMIT_DATA (ulimit -d)"));
    }
    if (getrlimit(RLIMIT_RSS, &set) == 0 && set.rlim_cur != RLIM_INFINITY) {
        limit = dps_limit_smaller(limit, dps_limit_of(left_of((size_t)set.rlim_cur, own_size(1)),
                                                      "RLIMIT_RSS (ulimit -m)"));
    }
    return limit;
}

dps_limit dps_limit_memory(size_t wanted)
{
    if (wanted > 0) {
        return dps_limit_of(wanted, "run.memory");
    }
    char host[256];
    dps_limit limit = dps_limit_of(available_memory(), "MemAvailable");
    limit = dps_limit_smaller(limit, dps_cgroup_memory(""));
    limit = dps_limit_smaller(limit, dps_batch_memory(host_name(host, sizeof host)));
    limit = resource_limit(limit);
    if (limit.value == SIZE_MAX) {
        limit = dps_limit_of((size_t)4 << 30, "nothing known, 4 GiB assumed");
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
