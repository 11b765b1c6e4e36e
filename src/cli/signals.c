/* Signals. The flag and its time are the mutable globals of this room: a handler can reach nothing
 * else. */
#include "signals.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

/* timeout(1) and batch systems send a signal to a process and to its group: twice at once is meant
 * once. */
#define SAME_SIGNAL_MS 100

static volatile sig_atomic_t stop_signal, stop_ms;

/* Wraps around, as differences may. */
static int milliseconds(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int)((now.tv_sec % 1000000) * 1000 + now.tv_nsec / 1000000);
}

static void on_stop(int number)
{
    const int now = milliseconds();
    if (stop_signal == 0) {
        stop_ms = now;
        stop_signal = number;
    } else if (now - stop_ms < 0 || now - stop_ms > SAME_SIGNAL_MS) {
        _exit(128 + number);
    }
}

/* Without SA_RESTART, so that waiting for a pipe ends too. */
static void set_handler(int number, void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void dps_signals_install(void)
{
    set_handler(SIGINT, on_stop);
    set_handler(SIGTERM, on_stop);
    set_handler(SIGUSR1, on_stop);
    set_handler(SIGPIPE, SIG_IGN);
}

const volatile sig_atomic_t *dps_signals_flag(void)
{
    return &stop_signal;
}
