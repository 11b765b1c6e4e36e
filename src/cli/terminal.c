/* The log's sink on standard error.
 *
 * On a terminal progress is one line with the time left, written over in place at most ten times a
 * second. Elsewhere (a file, a batch job's log) it is plain lines: the first after a second of a
 * stage, then at most one every ten seconds, and the last state of a stage that had any; each
 * flushed, so that a job's log grows while it runs. Where a pass takes longer, or a stage reports
 * nothing, a thread that otherwise sleeps says every 25 seconds that the run is alive. A warning is
 * said once; its repetitions are counted and told at the end.
 *
 * Time left: from the fraction done f, t (1 - f) / f. Where only a gap g shrinking from g0 to its
 * target is known, f = log(g0/g) / log(g0/target), as convergence is about linear. */
#include "terminal.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "job_limits.h"

#define REDRAW_SECONDS 0.1
#define FIRST_SECONDS  1.0
#define NEXT_SECONDS   10.0
#define LIFE_SECONDS   25.0

static void clear_line(dps_terminal *t)
{
    if (t->line_open) {
        fputs("\r\033[K", t->stream);
        t->line_open = false;
    }
}

static void say(dps_terminal *t, const char *prefix, const char *text)
{
    clear_line(t);
    fprintf(t->stream, "%s%s\n", prefix, text);
    fflush(t->stream);
    t->last_line = dps_now();
}

/* Not on a terminal: the state of the stage that was held back, if any of it was said. */
static void say_pending(dps_terminal *t)
{
    if (t->pending && t->stage_said && !t->rewrite) {
        say(t, "", t->line);
        t->pending = false;
    }
}

/* True if this warning is new. Beyond the table's room every warning counts as new. */
static bool note_warning(dps_terminal *t, const char *text)
{
    for (size_t i = 0; i < t->warnings; i++) {
        if (strcmp(t->warning[i], text) == 0) {
            t->warning_count[i]++;
            return false;
        }
    }
    char *copy = t->warnings < DPS_WARNINGS_KEPT ? strdup(text) : NULL;
    if (copy != NULL) {
        t->warning[t->warnings] = copy;
        t->warning_count[t->warnings++] = 1;
    }
    return true;
}

/* Text comes after the last state of what was done before it. */
static void write_text(void *context, dps_level level, const char *text)
{
    dps_terminal *t = context;
    pthread_mutex_lock(&t->lock);
    if (level <= t->level) {
        say_pending(t);
    }
    if (t->collect != NULL && level == DPS_NORMAL) {
        dps_text_format(t->collect, "%s\n", text);
    } else if (level <= t->level && level != DPS_WARNING) {
        say(t, "", text);
    } else if (level <= t->level && note_warning(t, text)) {
        say(t, "dpsvm: warning: ", text);
    }
    pthread_mutex_unlock(&t->lock);
}

static void add_clock(char *out, size_t size, const char *before, double seconds, const char *after)
{
    size_t used = strlen(out);
    if (seconds < 360000.0) { /* 100 hours */
        long whole = (long)(seconds + 0.5);
        if (whole < 3600) {
            snprintf(out + used, size - used, "%s%ld:%02ld%s", before, whole / 60, whole % 60,
                     after);
        } else {
            snprintf(out + used, size - used, "%s%ld:%02ld:%02ld%s", before, whole / 3600,
                     whole / 60 % 60, whole % 60, after);
        }
    }
}

/* Share of the stage that is done, or NAN. */
static double share_done(const dps_progress *p, double first_gap)
{
    if (p->fraction >= 0.0) {
        return fmin(p->fraction, 1.0);
    }
    if (p->gap > 0.0 && p->target > 0.0 && first_gap > p->target && p->gap < first_gap) {
        return fmin(log(first_gap / p->gap) / log(first_gap / p->target), 1.0);
    }
    return NAN;
}

void dps_progress_line(const dps_progress *p, double seconds, double first_gap, char *out,
                       size_t size)
{
    size_t used = (size_t)snprintf(out, size, "%s", p->stage);
#define ADD(...)                                                                                   \
    do {                                                                                           \
        if (used < size) {                                                                         \
            used += (size_t)snprintf(out + used, size - used, __VA_ARGS__);                        \
        }                                                                                          \
    } while (0)
    if (p->fraction >= 0.0) {
        ADD("  %3.0f %%", 100.0 * fmin(p->fraction, 1.0));
    }
    if (p->iteration >= 0) {
        ADD("  iteration %lld", (long long)p->iteration);
    }
    if (!isnan(p->objective)) {
        ADD("  objective %.6g", p->objective);
    }
    if (!isnan(p->gap)) {
        ADD("  %s %.2e", p->is_change ? "change" : "gap", p->gap);
    }
    if (!isnan(p->gap) && !isnan(p->target)) {
        ADD(" (target %.0e)", p->target);
    }
#undef ADD
    add_clock(out, size, "  ", seconds, "");
    double done = share_done(p, first_gap);
    if (done > 0.0 && done < 1.0 && seconds >= FIRST_SECONDS) {
        add_clock(out, size, ", about ", seconds * (1.0 - done) / done, " left");
    }
}

static void end_stage(dps_terminal *t)
{
    say_pending(t);
    clear_line(t);
    t->pending = false;
    t->stage_said = false;
}

static void take_progress(dps_terminal *t, const dps_progress *progress)
{
    double now = dps_now();
    if (strncmp(t->stage, progress->stage, sizeof t->stage - 1) != 0) {
        end_stage(t);
        snprintf(t->stage, sizeof t->stage, "%s", progress->stage);
        t->stage_began = now;
        t->said = now;
        t->first_gap = NAN;
    }
    if (isnan(t->first_gap)) {
        t->first_gap = progress->gap;
    }
    dps_progress_line(progress, now - t->stage_began, t->first_gap, t->line, sizeof t->line);
    t->pending = true;
    double wait = t->rewrite ? REDRAW_SECONDS : t->stage_said ? NEXT_SECONDS : FIRST_SECONDS;
    if (now - t->said < wait) {
        return;
    }
    if (t->rewrite) {
        fprintf(t->stream, "\r%s\033[K", t->line);
        fflush(t->stream);
        t->line_open = true;
    } else {
        say(t, "", t->line);
        t->pending = false;
    }
    t->said = now;
    t->stage_said = true;
}

static void write_progress(void *context, const dps_progress *progress)
{
    dps_terminal *t = context;
    if (t->level >= DPS_NORMAL) {
        pthread_mutex_lock(&t->lock);
        t->last_progress = *progress;
        take_progress(t, progress);
        pthread_mutex_unlock(&t->lock);
    }
}

/* The last state again, with the time of now. */
static void say_alive(dps_terminal *t, double now)
{
    char line[sizeof t->line];
    if (t->last_progress.stage == NULL) {
        snprintf(line, sizeof line, "at work");
    } else {
        dps_progress_line(&t->last_progress, now - t->stage_began, t->first_gap, line, sizeof line);
    }
    say(t, "", line);
    t->said = now;
    t->stage_said = true;
    t->pending = false;
}

static void *beat(void *context)
{
    dps_terminal *t = context;
    pthread_mutex_lock(&t->lock);
    while (!t->ending) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 1;
        pthread_cond_timedwait(&t->end, &t->lock, &until);
        const double now = dps_now();
        if (!t->ending && now - t->last_line >= LIFE_SECONDS) {
            say_alive(t, now);
        }
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

void dps_terminal_beat(dps_terminal *t)
{
    sigset_t all, before;
    if (t->rewrite || t->level < DPS_NORMAL || t->beating) {
        return;
    }
    t->last_line = dps_now();
    /* signals are for the thread that may wait for a pipe */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    t->beating = pthread_create(&t->thread, NULL, beat, t) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void end_beat(dps_terminal *t)
{
    if (t->beating) {
        pthread_mutex_lock(&t->lock);
        t->ending = true;
        pthread_cond_signal(&t->end);
        pthread_mutex_unlock(&t->lock);
        pthread_join(t->thread, NULL);
        t->beating = false;
    }
}

void dps_terminal_init(dps_terminal *t, FILE *stream, bool on_terminal, dps_level level)
{
    memset(t, 0, sizeof *t);
    t->stream = stream;
    t->rewrite = on_terminal;
    t->level = level;
    t->first_gap = NAN;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->end, NULL);
    t->log = (dps_log){level, write_text, write_progress, t};
}

void dps_terminal_error(dps_terminal *t, const char *text)
{
    say(t, "dpsvm: ", text);
}

void dps_terminal_close(dps_terminal *t)
{
    end_beat(t);
    end_stage(t);
    for (size_t i = 0; i < t->warnings; i++) {
        if (t->warning_count[i] > 1) {
            fprintf(t->stream, "dpsvm: warning: given %ld times: %s\n", t->warning_count[i],
                    t->warning[i]);
        }
        free(t->warning[i]);
    }
    t->warnings = 0;
}
