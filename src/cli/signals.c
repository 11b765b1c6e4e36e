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

static void catch_signal(int number)
{
    struct sigaction action, old;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_stop;
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
        sigaction(number, &action, NULL);
    }
}

void dps_signals_install(void)
{
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    struct sigaction ignore;
    memset(&ignore, 0, sizeof ignore);
    ignore.sa_handler = SIG_IGN;
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, NULL);
}

const volatile sig_atomic_t *dps_signals_flag(void)
{
    return &stop_signal;
}
