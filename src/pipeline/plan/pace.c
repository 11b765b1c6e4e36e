/* Task: pace.h. The share done is one of work that is not all alike (settings, kernels, passes), so
 * the figure is a size of the time, as "about" says; the progress line corrects it on the way. */
#include "pace.h"

#include <math.h>
#include <stdio.h>
#include "job_limits.h"

enum { LEAST_SECONDS = 1, LEAST_TOTAL = 10 };

static void write_time(double seconds, char *text, size_t size)
{
    if (seconds < 120) {
        snprintf(text, size, "about %.0f s", seconds);
    } else if (seconds < 7200) {
        snprintf(text, size, "about %.0f min", seconds / 60);
    } else {
        snprintf(text, size, "about %.1f h", seconds / 3600);
    }
}

bool dps_pace_due(dps_pace *pace, double share, char *text, size_t size)
{
    const double seconds = dps_now() - pace->began;
    if (pace->said || !(share > 0 && share < 1) || seconds < LEAST_SECONDS ||
        seconds / share < LEAST_TOTAL) {
        return false;
    }
    write_time(seconds / share, text, size);
    pace->said = true;
    return true;
}

static void take_text(void *context, dps_level level, const char *text)
{
    const dps_log *next = ((const dps_pace_listener *)context)->next->log;
    if (next->write != NULL) {
        next->write(next->context, level, text);
    }
}

/* Of the usual number of passes, or of the limit where that is less; several classes one after the
 * other have as many each. */
static void take_progress(void *context, const dps_progress *p)
{
    dps_pace_listener *l = context;
    char whole[40], map[40];
    const int64_t most = p->most > 0 && p->most < l->usual ? p->most : l->usual;
    const double share = p->iteration > 0 ? fmin((double)p->iteration / (double)most, 1) : 0;
    const double done = p->parts > 0 ? (p->part - 1 + share) / p->parts : share;
    const dps_log *next = l->next->log;
    if (!l->pace.said && dps_pace_due(&l->pace, done, whole, sizeof whole) &&
        next->level >= DPS_NORMAL && next->write != NULL) {
        char line[160];
        write_time(l->map_seconds, map, sizeof map);
        snprintf(line, sizeof line, "plan: %s for %s, after %s of mapping", whole, p->stage, map);
        next->write(next->context, DPS_NORMAL, line);
    }
    if (next->progress != NULL) {
        next->progress(next->context, p);
    }
}

void dps_pace_listen(dps_pace_listener *listener, double map_seconds, int64_t usual,
                     const dps_run *run)
{
    *listener = (dps_pace_listener){.run = *run,
                                    .next = run,
                                    .pace = {.began = dps_now()},
                                    .map_seconds = map_seconds,
                                    .usual = usual};
    if (run->log != NULL) {
        listener->log = (dps_log){run->log->level, take_text, take_progress, listener};
        listener->run.log = &listener->log;
    }
}
