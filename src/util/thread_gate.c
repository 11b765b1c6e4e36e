/* Task: a barrier for phases of some 10 microseconds. OpenMP's own puts threads to sleep at once
 * (cli/passive_wait.c says why), and to wake one takes longer than such a phase; one that spins
 * until it opens takes the core from whoever could open it on a busy machine. This one spins for
 * about as long as a wake-up takes, then sleeps: it never costs more than twice the better of
 * both (Karlin, Manasse, McGeoch & Owicki, Competitive Randomized Algorithms for Non-uniform
 * Problems, 1990). */
#include "thread_gate.h"

/* Looks, each 10 to 50 ns. That a wait outlasts them tells a busy machine sooner than a time of 0.2
 * or 1 ms does: with two other programs blocks took up to 2.4 times as long by those. */
#define SPINS 4000

void dps_thread_gate_init(dps_thread_gate *gate, int threads)
{
    *gate = (dps_thread_gate){.threads = threads};
    pthread_mutex_init(&gate->mutex, NULL);
    pthread_cond_init(&gate->open, NULL);
}

void dps_thread_gate_release(dps_thread_gate *gate)
{
    pthread_mutex_destroy(&gate->mutex);
    pthread_cond_destroy(&gate->open);
}

static void pause_a_little(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

static unsigned times_opened(const dps_thread_gate *gate)
{
    return __atomic_load_n(&gate->opened, __ATOMIC_ACQUIRE);
}

bool dps_thread_gate_pass(dps_thread_gate *gate)
{
    if (gate->threads == 1) {
        return false;
    }
    const unsigned before = times_opened(gate);
    if (__atomic_add_fetch(&gate->arrived, 1, __ATOMIC_ACQ_REL) == gate->threads) {
        __atomic_store_n(&gate->arrived, 0, __ATOMIC_RELAXED);
        pthread_mutex_lock(&gate->mutex);
        __atomic_store_n(&gate->opened, before + 1, __ATOMIC_RELEASE);
        if (gate->asleep > 0) {
            pthread_cond_broadcast(&gate->open);
        }
        pthread_mutex_unlock(&gate->mutex);
        return false;
    }
    for (int i = 0; i < SPINS; i++) {
        if (times_opened(gate) != before) {
            return false;
        }
        pause_a_little();
    }
    pthread_mutex_lock(&gate->mutex);
    gate->asleep++;
    while (times_opened(gate) == before) {
        pthread_cond_wait(&gate->open, &gate->mutex);
    }
    gate->asleep--;
    pthread_mutex_unlock(&gate->mutex);
    return true;
}
