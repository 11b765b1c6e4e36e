/* Control groups: /proc/self/cgroup names this process's group ("0::/path" in version 2,
 * "7:memory:/path" in version 1); the limits are small files in /sys/fs/cgroup/<group>. A limit of
 * any ancestor holds too, hence the walk up; in a container the named path often does not exist
 * below the mount, and the walk ends at the mount itself, which does. */
#include "cgroup.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_ROOM 1280

/* The two versions of one limit. */
typedef struct source {
    const char *controller; /* in /proc/self/cgroup of version 1 */
    const char *mounts[3];  /* of version 1, below /sys/fs/cgroup; NULL-terminated */
    bool (*read_v1)(const char *folder, size_t *value);
    bool (*read_v2)(const char *folder, size_t *value);
    const char *name_v1;
    const char *name_v2;
} source;

/* First line of folder/file into line; false if it cannot be read. */
static bool read_line(const char *folder, const char *file, char *line, size_t size)
{
    char path[PATH_ROOM + 64];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *stream = fopen(path, "re");
    if (stream == NULL) {
        return false;
    }
    const bool ok = fgets(line, (int)size, stream) != NULL;
    fclose(stream);
    return ok;
}

static bool read_count(const char *folder, const char *file, uint64_t *value)
{
    char line[64];
    char *after;
    if (!read_line(folder, file, line, sizeof line)) {
        return false;
    }
    *value = strtoull(line, &after, 10);
    return after != line && line[0] != '-';
}

/* The figure after `key` in folder/memory.stat, 0 if there is none. */
static uint64_t read_stat(const char *folder, const char *key)
{
    char path[PATH_ROOM + 64];
    char line[128];
    uint64_t value = 0;
    const size_t length = strlen(key);
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    FILE *stream = fopen(path, "re");
    while (stream != NULL && fgets(line, sizeof line, stream) != NULL) {
        if (strncmp(line, key, length) == 0 && line[length] == ' ') {
            value = strtoull(line + length, NULL, 10);
            break;
        }
    }
    if (stream != NULL) {
        fclose(stream);
    }
    return value;
}

static bool memory_left(const char *folder, const char *limit_file, const char *use_file,
                        const char *cache_key, size_t *value)
{
    uint64_t limit;
    uint64_t use = 0;
    if (!read_count(folder, limit_file, &limit) || limit >= INT64_MAX / 2) {
        return false; /* "max", or version 1's huge number for no limit */
    }
    if (read_count(folder, use_file, &use)) {
        const uint64_t cache = read_stat(folder, cache_key);
        use -= cache < use ? cache : use;
    }
    *value = limit > use ? (size_t)(limit - use) : 0;
    return true;
}

static bool memory_v1(const char *folder, size_t *value)
{
    return memory_left(folder, "memory.limit_in_bytes", "memory.usage_in_bytes",
                       "total_inactive_file", value);
}

static bool memory_v2(const char *folder, size_t *value)
{
    size_t high;
    const bool limited =
        memory_left(folder, "memory.max", "memory.current", "inactive_file", value);
    if (!memory_left(folder, "memory.high", "memory.current", "inactive_file", &high)) {
        return limited;
    }
    *value = limited && *value < high ? *value : high; /* beyond it the kernel slows the process */
    return true;
}

static bool whole_cpus(uint64_t quota, uint64_t period, size_t *value)
{
    if (quota == 0 || period == 0 || quota >= INT64_MAX / 2) {
        return false;
    }
    *value = (size_t)((quota + period - 1) / period);
    return true;
}

static bool cpus_v1(const char *folder, size_t *value)
{
    uint64_t quota;
    uint64_t period;
    return read_count(folder, "cpu.cfs_quota_us", &quota) &&
           read_count(folder, "cpu.cfs_period_us", &period) && whole_cpus(quota, period, value);
}

static bool cpus_v2(const char *folder, size_t *value)
{
    char line[64];
    char *after;
    if (!read_line(folder, "cpu.max", line, sizeof line)) {
        return false;
    }
    const uint64_t quota = strtoull(line, &after, 10); /* "max" leaves after == line */
    return after != line && whole_cpus(quota, strtoull(after, NULL, 10), value);
}

/* Tightest limit from mount/group up to mount. */
static void walk_up(const char *mount, const char *group, bool (*read)(const char *, size_t *),
                    const char *name, dps_limit *limit)
{
    char folder[PATH_ROOM];
    const int length = snprintf(folder, sizeof folder, "%s%s", mount, group);
    if (length < 0 || (size_t)length >= sizeof folder) {
        return;
    }
    for (;;) {
        size_t value;
        if (read(folder, &value) && value < limit->value) {
            limit->value = value;
            snprintf(limit->source, sizeof limit->source, "%s", name);
        }
        char *slash = strrchr(folder, '/');
        if (strlen(folder) <= strlen(mount) || slash == NULL) {
            return;
        }
        *slash = '\0';
    }
}

/* Whether `wanted` is one of the comma-separated controllers. */
static bool lists(const char *controllers, const char *wanted)
{
    const size_t length = strlen(wanted);
    for (const char *at = controllers; (at = strstr(at, wanted)) != NULL; at += length) {
        const bool starts = at == controllers || at[-1] == ',';
        if (starts && (at[length] == ',' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

/* One line "number:controllers:path" of /proc/self/cgroup. */
static void read_group(const source *from, const char *root, char *line, dps_limit *limit)
{
    char mount[PATH_ROOM];
    char *controllers = strchr(line, ':');
    char *group = controllers == NULL ? NULL : strchr(controllers + 1, ':');
    if (group == NULL) {
        return;
    }
    controllers++;
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    if (controllers[0] == '\0') {
        snprintf(mount, sizeof mount, "%.512s/sys/fs/cgroup", root);
        walk_up(mount, group, from->read_v2, from->name_v2, limit);
    } else if (lists(controllers, from->controller)) {
        for (size_t i = 0; from->mounts[i] != NULL; i++) {
            snprintf(mount, sizeof mount, "%.512s/sys/fs/cgroup/%s", root, from->mounts[i]);
            walk_up(mount, group, from->read_v1, from->name_v1, limit);
        }
    }
}

static dps_limit tightest(const source *from, const char *root)
{
    dps_limit limit = {.value = SIZE_MAX, .source = "no control group limit"};
    char path[PATH_ROOM];
    char line[1024];
    snprintf(path, sizeof path, "%.512s/proc/self/cgroup", root);
    FILE *stream = fopen(path, "re");
    if (stream == NULL) {
        return limit;
    }
    while (fgets(line, sizeof line, stream) != NULL) {
        read_group(from, root, line, &limit);
    }
    fclose(stream);
    return limit;
}

dps_limit dps_cgroup_memory(const char *root)
{
    static const source memory = {
        .controller = "memory",
        .mounts = {"memory"},
        .read_v1 = memory_v1,
        .read_v2 = memory_v2,
        .name_v1 = "cgroup v1 memory.limit_in_bytes",
        .name_v2 = "cgroup v2 memory.max",
    };
    return tightest(&memory, root);
}

dps_limit dps_cgroup_cpus(const char *root)
{
    static const source cpu = {
        .controller = "cpu",
        .mounts = {"cpu", "cpu,cpuacct"},
        .read_v1 = cpus_v1,
        .read_v2 = cpus_v2,
        .name_v1 = "cgroup v1 cpu.cfs_quota_us",
        .name_v2 = "cgroup v2 cpu.max",
    };
    return tightest(&cpu, root);
}
