/* Task: what Slurm, PBS (Pro, Torque), LSF and Grid Engine say that a job may use. They confine
 * jobs by control groups and processor masks where they are set up to, and then the smaller figure
 * counts; where they are not, a job that takes more is killed, or others suffer.
 *
 *   a task   SLURM_CPUS_PER_TASK, SRUN_CPUS_PER_TASK, NCPUS
 *   job here SLURM_CPUS_ON_NODE, SLURM_JOB_CPUS_PER_NODE "16(x2),8", PBS_NUM_PPN,
 *            PBS_NP / PBS_NUM_NODES, LSB_MCPU_HOSTS "host 4 host 2", LSB_DJOB_NUMPROC and NSLOTS
 *            where there is one machine
 *   memory   SLURM_MEM_PER_NODE, SLURM_MEM_PER_CPU, SLURM_MEM_PER_GPU (MiB, or with K, M, G, T;
 *            0: all there is), LSB_CG_MEMLIMIT (bytes, hexadecimal)
 *
 * PBS and LSF state other memory limits by setrlimit and control groups (job_limits.c). */
#include "batch_limits.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

dps_limit dps_limit_of(size_t value, const char *source)
{
    dps_limit limit = {.value = value};
    snprintf(limit.source, sizeof limit.source, "%s", source);
    return limit;
}

dps_limit dps_limit_smaller(dps_limit a, dps_limit b)
{
    return b.value < a.value ? b : a;
}

size_t dps_environment_count(const char *name)
{
    const char *text = getenv(name);
    char *after;
    const long long value = text == NULL ? 0 : strtoll(text, &after, 10);
    return text != NULL && after != text && value > 0 ? (size_t)value : 0;
}

static void take(dps_limit *limit, size_t value, const char *source)
{
    if (value > 0) {
        *limit = dps_limit_smaller(*limit, dps_limit_of(value, source));
    }
}

/* Items of a variable ("a,b" or "a b"); 0: not set. */
static size_t items_of(const char *name)
{
    const char *p = getenv(name);
    size_t items = 0;
    while (p != NULL && *p != '\0') {
        p += strspn(p, ", ");
        const size_t length = strcspn(p, ", ");
        items += length > 0;
        p += length;
    }
    return items;
}

dps_limit dps_batch_task_cpus(void)
{
    static const char *const names[] = {"SLURM_CPUS_PER_TASK", "SRUN_CPUS_PER_TASK", "NCPUS"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t count = dps_environment_count(names[i]);
        if (count > 0) {
            return dps_limit_of(count, names[i]);
        }
    }
    return dps_limit_of(0, "");
}

/* "16(x2),8": the figure of this job's machine number `node`. */
static size_t of_node(const char *text, size_t node)
{
    while (text != NULL && *text != '\0') {
        char *after;
        const long long value = strtoll(text, &after, 10);
        size_t times = 1;
        if (after == text || value <= 0) {
            return 0;
        }
        if (strncmp(after, "(x", 2) == 0) {
            times = (size_t)strtoll(after + 2, &after, 10);
            after += *after == ')';
        }
        if (node < times) {
            return (size_t)value;
        }
        node -= times;
        text = *after == ',' ? after + 1 : NULL;
    }
    return 0;
}

/* Length of a host's name without its domain. */
static size_t short_length(const char *host)
{
    return strcspn(host, ". ");
}

/* LSB_MCPU_HOSTS = "host processors host processors ...". */
static size_t lsf_cpus(const char *host)
{
    const char *p = getenv("LSB_MCPU_HOSTS");
    size_t cpus = 0;
    while (p != NULL && *p != '\0') {
        const char *name = p + strspn(p, " ");
        const size_t length = short_length(name);
        p = name + strcspn(name, " ");
        char *after;
        const long long value = strtoll(p, &after, 10);
        if (after == p) {
            break;
        }
        if (length == short_length(host) && strncmp(name, host, length) == 0 && value > 0) {
            cpus += (size_t)value;
        }
        p = after;
    }
    return cpus;
}

static size_t slurm_cpus(void)
{
    const char *node = getenv("SLURM_NODEID");
    const size_t here = dps_environment_count("SLURM_CPUS_ON_NODE");
    return here > 0 ? here
                    : of_node(getenv("SLURM_JOB_CPUS_PER_NODE"),
                              node == NULL ? 0 : (size_t)strtoull(node, NULL, 10));
}

dps_limit dps_batch_cpus(const char *host)
{
    dps_limit limit = dps_limit_of(SIZE_MAX, "no batch system's limit");
    const size_t nodes = dps_environment_count("PBS_NUM_NODES"),
                 np = dps_environment_count("PBS_NP");
    take(&limit, slurm_cpus(),
         dps_environment_count("SLURM_CPUS_ON_NODE") > 0 ? "SLURM_CPUS_ON_NODE"
                                                         : "SLURM_JOB_CPUS_PER_NODE");
    take(&limit, dps_environment_count("PBS_NUM_PPN"), "PBS_NUM_PPN");
    take(&limit, nodes > 0 && np >= nodes ? np / nodes : np, "PBS_NP");
    if (getenv("LSB_MCPU_HOSTS") != NULL) {
        take(&limit, lsf_cpus(host), "LSB_MCPU_HOSTS");
    } else {
        take(&limit, dps_environment_count("LSB_DJOB_NUMPROC"), "LSB_DJOB_NUMPROC");
    }
    if (dps_environment_count("NHOSTS") <= 1) {
        take(&limit, dps_environment_count("NSLOTS"), "NSLOTS");
    }
    return limit;
}

/* Bytes of a number of MiB, or with its unit; 0: not set, or no limit. */
static size_t megabytes_of(const char *name)
{
    const char *text = getenv(name);
    char *after;
    const unsigned long long value = text == NULL ? 0 : strtoull(text, &after, 10);
    if (text == NULL || after == text || text[0] == '-') {
        return 0;
    }
    int shift = 20;
    switch (*after | 0x20) {
    case 'k':
        shift = 10;
        break;
    case 'g':
        shift = 30;
        break;
    case 't':
        shift = 40;
        break;
    default:
        break;
    }
    return value < SIZE_MAX >> shift ? (size_t)value << shift : 0;
}

static size_t times(size_t bytes, size_t count)
{
    return count > 0 && bytes > SIZE_MAX / count ? SIZE_MAX : bytes * count;
}

dps_limit dps_batch_memory(const char *host)
{
    dps_limit limit = dps_limit_of(SIZE_MAX, "no batch system's limit");
    const dps_limit cpus = dps_batch_cpus(host), task = dps_batch_task_cpus();
    const size_t processors = cpus.value < SIZE_MAX ? cpus.value : task.value > 0 ? task.value : 1;
    const size_t listed =
        items_of("SLURM_STEP_GPUS") > 0 ? items_of("SLURM_STEP_GPUS") : items_of("SLURM_JOB_GPUS");
    const size_t gpus = dps_environment_count("SLURM_GPUS_ON_NODE") > 0
                            ? dps_environment_count("SLURM_GPUS_ON_NODE")
                            : listed;
    take(&limit, megabytes_of("SLURM_MEM_PER_NODE"), "SLURM_MEM_PER_NODE");
    take(&limit, times(megabytes_of("SLURM_MEM_PER_CPU"), processors), "SLURM_MEM_PER_CPU");
    take(&limit, times(megabytes_of("SLURM_MEM_PER_GPU"), gpus), "SLURM_MEM_PER_GPU");
    const char *lsf = getenv("LSB_CG_MEMLIMIT");
    if (lsf != NULL && lsf[0] != '-') {
        take(&limit, (size_t)strtoull(lsf, NULL, 16), "LSB_CG_MEMLIMIT");
    }
    return limit;
}
