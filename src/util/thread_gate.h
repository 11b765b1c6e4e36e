/* Where the threads of a parallel region wait for each other many thousand times a second. */
#ifndef DPS_THREAD_GATE_H
#define DPS_THREAD_GATE_H

#include <pthread.h>
#include <stdbool.h>

typedef struct dps_thread_gate {
    int threads;     /* that pass together */
    int arrived;     /* atomic */
    unsigned opened; /* atomic: how often */
    int asleep;      /* under the mutex */
    pthread_mutex_t mutex;
    pthread_cond_t open;
} dps_thread_gate;

/* For so many threads, one at least; to be released when none of them is within. */
void dps_thread_gate_init(dps_thread_gate *gate, int threads);
void dps_thread_gate_release(dps_thread_gate *gate);
/* Returns once all threads have called it; what they wrote before can be read after. True: the wait
 * has outlasted the spinning, a sign that the threads do not have the machine for themselves. */
bool dps_thread_gate_pass(dps_thread_gate *gate);

#endif
