/* How many threads the system lets this process have. */
#ifndef DPS_THREAD_PROBE_H
#define DPS_THREAD_PROBE_H

/* Up to `wanted` (at least 1, this thread among them), found by starting that many at once: limits
 * on processes (ulimit -u, the pids controller) and on memory for stacks are known to the kernel
 * alone. OpenMP's runtimes end the process when a thread cannot be made. About 20 us a thread. */
int dps_threads_possible(int wanted);

#endif
