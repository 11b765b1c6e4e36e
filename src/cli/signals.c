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

/* A person who repeats INT or TERM has lost patience. Any other sequence is how batch systems
 * announce one end (USR2, then TERM; INT, then TERM; XCPU once a second), and the state that is
 * being saved is what they are sent for. */
static void on_stop(int number)
{
    const int now = milliseconds();
    if (stop_signal == 0) {
        stop_ms = now;
        stop_signal = number;
    } else if (number == stop_signal && (number == SIGINT || number == SIGTERM) &&
               (now - stop_ms < 0 || now - stop_ms > SAME_SIGNAL_MS)) {
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
    static const int ends[] = {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        set_handler(ends[i], on_stop);
    }
    struct sigaction inherited;
    if (sigaction(SIGHUP, NULL, &inherited) == 0 && inherited.sa_handler != SIG_IGN) {
        set_handler(SIGHUP, on_stop); /* ignored: nohup, the run outlives its session */
    }
    set_handler(SIGPIPE, SIG_IGN);
    set_handler(SIGXFSZ, SIG_IGN);
}

const volatile sig_atomic_t *dps_signals_flag(void)
{
    return &stop_signal;
}
