/* The signals by which people, shells and batch systems end a run, as a flag. */
#ifndef DPS_SIGNALS_H
#define DPS_SIGNALS_H

#include <signal.h>

/* The first of SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU and SIGHUP (unless it is ignored, as
 * under nohup) sets the flag to its number; SIGINT or SIGTERM once more, later than a moment, ends
 * the program at once. SIGPIPE and SIGXFSZ are ignored: writing to a closed pipe or beyond the
 * limit of file sizes is an error like any other. */
void dps_signals_install(void);
const volatile sig_atomic_t *dps_signals_flag(void);

#endif
