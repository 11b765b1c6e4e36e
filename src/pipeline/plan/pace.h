/* The plan in seconds, said once a piece of long work has shown how fast it goes. */
#ifndef DPS_PACE_H
#define DPS_PACE_H

#include <stdbool.h>
#include "run.h"

typedef struct dps_pace {
    double began; /* dps_now() */
    bool said;
} dps_pace;

/* Whether to say it now: not yet said, a second of work behind, and `share` of it (0 to 1) makes
 * the whole ten seconds or more. text: "about 35 s" or "about 4 min". */
bool dps_pace_due(dps_pace *pace, double share, char *text, size_t size);

/* Training: a run that listens to the solver and, after its first pass or step, says what mapping
 * took and what the solver's usual number of them will (plan's solve_flops counts as many). */
typedef struct dps_pace_listener {
    dps_log log;
    dps_run run; /* hand &run to the solver */
    const dps_run *next;
    dps_pace pace;
    double map_seconds;
    int64_t usual;
} dps_pace_listener;

void dps_pace_listen(dps_pace_listener *listener, double map_seconds, int64_t usual,
                     const dps_run *run);

#endif
