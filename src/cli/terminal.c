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
 * target is known, f = log(g0/g) / log(g0/target), as convergence is about linear; where the work
 * ends at a limit of iterations in any case, f is at least their share. Of several pieces (classes)
 * those before this one are done. A line keeps within the terminal: what says least is left out
 * first. */
#include "terminal.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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

/* Share of this piece of the stage that is done, or NAN. */
static double share_of_piece(const dps_progress *p, double first_gap)
{
    double share = NAN;
    if (p->fraction >= 0.0) {
        return fmin(p->fraction, 1.0);
    }
    if (p->gap > 0.0 && p->target > 0.0 && first_gap > p->target && p->gap < first_gap) {
        share = fmin(log(first_gap / p->gap) / log(first_gap / p->target), 1.0);
    }
    return p->most > 0 && p->iteration > 0 /* fmax passes NAN over */
               ? fmax(share, fmin((double)p->iteration / (double)p->most, 1.0))
               : share;
}

/* Share of the stage that is done, or NAN. */
static double share_done(const dps_progress *p, double first_gap)
{
    const double share = share_of_piece(p, first_gap);
    return p->parts > 0 && p->fraction < 0.0
               ? (p->part - 1 + (isnan(share) ? 0.0 : share)) / p->parts
               : share;
}

/* What a narrow line leaves out, one after the other. */
enum {
    KEEPS_ALL,
    NO_TARGET,
    NO_OBJECTIVE,
    NO_GAP,
    NO_ITERATION,
    SHORT_DETAIL,
    DETAILS,
    LEAST_DETAIL = 12
};

/* Whole words of the text that fit: half a number would be another one. */
static size_t whole_words(const char *text, size_t room)
{
    if (room >= strlen(text)) {
        return strlen(text);
    }
    while (room > 0 && text[room] != ' ') {
        room--;
    }
    return room;
}

/* detail_room: bytes of the detail that a line has room for */
static void add_state(const dps_progress *p, int leave, size_t detail_room, dps_text *out)
{
    dps_text_add(out, p->stage);
    if (p->parts > 0) {
        dps_text_format(out, "  class %ld of %ld", (long)p->part, (long)p->parts);
    }
    if (p->fraction >= 0.0) {
        dps_text_format(out, "  %3.0f %%", 100.0 * fmin(p->fraction, 1.0));
    }
    if (p->detail != NULL && (detail_room >= LEAST_DETAIL || detail_room >= strlen(p->detail))) {
        dps_text_format(out, "  %.*s", (int)whole_words(p->detail, detail_room), p->detail);
    }
    if (p->iteration >= 0 && leave < NO_ITERATION) {
        dps_text_format(out, "  iteration %lld", (long long)p->iteration);
    }
    if (!isnan(p->objective) && leave < NO_OBJECTIVE) {
        dps_text_format(out, "  objective %.6g", p->objective);
    }
    if (!isnan(p->gap) && leave < NO_GAP) {
        dps_text_format(out, "  %s %.2e", p->is_change ? "change" : "gap", p->gap);
    }
    if (!isnan(p->gap) && !isnan(p->target) && leave < NO_TARGET) {
        dps_text_format(out, " (target %.0e)", p->target);
    }
}

void dps_progress_line(const dps_progress *p, double seconds, double first_gap, char *out,
                       size_t size)
{
    char clock[64] = "";
    const double done = share_done(p, first_gap);
    add_clock(clock, sizeof clock, "  ", seconds, "");
    if (done > 0.0 && done < 1.0 && seconds >= FIRST_SECONDS) {
        add_clock(clock, sizeof clock, ", about ", seconds * (1.0 - done) / done, " left");
    }
    for (int leave = KEEPS_ALL; leave < DETAILS; leave++) {
        dps_text line = {0}, bare = {0};
        add_state(p, leave, 0, &bare);
        const size_t others = bare.length + strlen(clock) + 3;
        const size_t whole = p->detail == NULL ? 0 : strlen(p->detail),
                     room = size < others ? 0 : size - others;
        add_state(p, leave, leave < SHORT_DETAIL || room > whole ? whole : room, &line);
        dps_text_add(&line, clock);
        dps_text_release(&bare);
        const bool fits = !line.failed && line.length < size;
        snprintf(out, size, "%s", line.failed ? p->stage : line.data);
        dps_text_release(&line);
        if (fits) {
            break;
        }
    }
}

/* Bytes of a line that stays one line, its end included; the width may change at any time. */
static size_t line_room(const dps_terminal *t)
{
    struct winsize size;
    const int fd = t->rewrite ? fileno(t->stream) : -1;
    const bool known = fd >= 0 && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    return known && size.ws_col < sizeof t->line ? size.ws_col : sizeof t->line;
}

static void write_line(dps_terminal *t, double now)
{
    dps_progress p = t->last_progress;
    p.detail = t->detail[0] == '\0' ? NULL : t->detail;
    dps_progress_line(&p, now - t->stage_began, t->first_gap, t->line, line_room(t));
}

static void draw_line(dps_terminal *t)
{
    fprintf(t->stream, "\r%s\033[K", t->line);
    fflush(t->stream);
    t->line_open = true;
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
    if (isnan(t->first_gap) || progress->part != t->last_progress.part) {
        t->first_gap = progress->gap;
    }
    t->last_progress = *progress;
    snprintf(t->detail, sizeof t->detail, "%s", progress->detail == NULL ? "" : progress->detail);
    write_line(t, now);
    t->pending = true;
    double wait = t->rewrite ? REDRAW_SECONDS : t->stage_said ? NEXT_SECONDS : FIRST_SECONDS;
    if (now - t->said < wait) {
        return;
    }
    if (t->rewrite) {
        draw_line(t);
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
        take_progress(t, progress);
        pthread_mutex_unlock(&t->lock);
    }
}

/* The last state again, with the time of now. */
static void say_alive(dps_terminal *t, double now)
{
    if (t->last_progress.stage == NULL) {
        snprintf(t->line, sizeof t->line, "at work");
    } else {
        write_line(t, now);
    }
    say(t, "", t->line);
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
        if (!t->ending && t->rewrite && t->line_open) { /* the clock goes on */
            write_line(t, now);
            draw_line(t);
        } else if (!t->ending && !t->rewrite && now - t->last_line >= LIFE_SECONDS) {
            say_alive(t, now);
        }
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

void dps_terminal_beat(dps_terminal *t)
{
    sigset_t all, before;
    if (t->level < DPS_NORMAL || t->beating) {
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
