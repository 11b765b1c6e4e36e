/* SIGINT, SIGTERM and SIGUSR1 as a flag. */
#ifndef DPS_SIGNALS_H
#define DPS_SIGNALS_H

#include <signal.h>

/* The first SIGINT, SIGTERM or SIGUSR1 sets the flag to the signal's number, the second (more than
 * a moment later) ends the program at once. SIGPIPE is ignored: writing to a closed pipe is an
 * error like any other. */
void dps_signals_install(void);
const volatile sig_atomic_t *dps_signals_flag(void);

#endif
