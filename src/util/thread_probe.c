/* Threads that wait until all are there, then leave. */
#include "thread_probe.h"

#include <pthread.h>
#include <stddef.h>
#include "allocation.h"

static void *wait_for_all(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

int dps_threads_possible(int wanted)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t *thread = wanted > 1 ? dps_alloc((size_t)wanted, sizeof *thread) : NULL;
    int started = 0;
    if (thread == NULL) {
        return 1;
    }
    pthread_mutex_lock(&gate);
    while (started < wanted - 1 &&
           pthread_create(&thread[started], NULL, wait_for_all, &gate) == 0) {
        started++;
    }
    pthread_mutex_unlock(&gate);
    for (int k = 0; k < started; k++) {
        pthread_join(thread[k], NULL);
    }
    dps_free(thread);
    return started + 1;
}
