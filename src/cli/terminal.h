/* What is said on standard error while work goes on. */
#ifndef DPS_TERMINAL_H
#define DPS_TERMINAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include "run.h"
#include "text.h"

#define DPS_WARNINGS_KEPT 32

typedef struct dps_terminal {
    FILE *stream;
    bool rewrite;      /* a terminal: one progress line, written over */
    dps_level level;   /* what is said; log.level may be higher when `collect` is set */
    dps_text *collect; /* normal text goes here instead (it is the command's result), or NULL */
    dps_log log;       /* hand &log to dps_run */
    /* progress */
    char stage[32];
    double stage_began, said; /* monotonic seconds; said: 0 = no line yet */
    double first_gap;
    bool stage_said, pending, line_open;
    char line[256], detail[128];
    /* warnings */
    char *warning[DPS_WARNINGS_KEPT];
    long warning_count[DPS_WARNINGS_KEPT];
    size_t warnings;
    /* sign of life */
    pthread_mutex_t lock; /* of all above, once the thread runs */
    pthread_cond_t end;
    pthread_t thread;
    bool beating, ending;
    double last_line; /* when anything was said */
    dps_progress last_progress;
} dps_terminal;

/* terminal: must stay where it is. on_terminal: stream is one. */
void dps_terminal_init(dps_terminal *terminal, FILE *stream, bool on_terminal, dps_level level);
/* From now on a line comes at least every 30 seconds, whatever the work is at; on a terminal the
 * line's clock goes on every second. */
void dps_terminal_beat(dps_terminal *terminal);
/* Ends the progress line, says how often warnings were repeated, frees. */
void dps_terminal_close(dps_terminal *terminal);
/* One line for an error, whatever the level. */
void dps_terminal_error(dps_terminal *terminal, const char *text);

/* Cut to size - 1 bytes; what says least is left out first.
 * "dcd  iteration 12  objective 1.234  gap 0.031 (target 0.001)  0:35, about 1:10 left". seconds:
 * since the stage began; first_gap: at its first report, or NAN. */
void dps_progress_line(const dps_progress *progress, double seconds, double first_gap, char *out,
                       size_t size);

#endif
