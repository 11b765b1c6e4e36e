/* Limits that a Linux control group sets on this process, versions 1 and 2. */
#ifndef DPS_CGROUP_H
#define DPS_CGROUP_H

#include <stddef.h>
#include "job_limits.h"

/* `root` is put before /proc and /sys: "" for the machine, another folder for tests. Both return
 * the tightest limit from this process's group up to the root of the tree, or value SIZE_MAX where
 * there is none; what cannot be read is passed over. */

/* Bytes that may still be allocated: limit less use, where use leaves out file pages that the
 * kernel would drop at once (inactive_file). */
dps_limit dps_cgroup_memory(const char *root);
/* Processors by the CPU quota, rounded up. */
dps_limit dps_cgroup_cpus(const char *root);

#endif
