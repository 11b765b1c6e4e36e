/* Signals. The flag is the one mutable global of this room: a handler can reach nothing else. */
#include "signals.h"

#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t stop_signal;

static void on_stop(int number)
{
    if (stop_signal != 0) {
        _exit(128 + number);
    }
    stop_signal = number;
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
    set_handler(SIGPIPE, SIG_IGN);
}

const volatile sig_atomic_t *dps_signals_flag(void)
{
    return &stop_signal;
}
