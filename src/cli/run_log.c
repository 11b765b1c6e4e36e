/* Task: a record an iteration, for programs that watch a run. Each is one write to a file opened
 * for appending: it is there at once, and whole. A file that cannot be written is told once and
 * does not end the work. */
#include "run_log.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "job_limits.h"
#include "number.h"

static void number(double value, char text[DPS_NUMBER_MAX])
{
    if (isfinite(value)) {
        dps_format_double(text, value);
    } else {
        strcpy(text, "null");
    }
}

size_t dps_run_log_record(const dps_progress *p, double seconds, char *out, size_t size)
{
    char clock[DPS_NUMBER_MAX], objective[DPS_NUMBER_MAX], gap[DPS_NUMBER_MAX],
        target[DPS_NUMBER_MAX];
    number(floor(seconds * 1000.0 + 0.5) / 1000.0, clock);
    number(p->objective, objective);
    number(p->gap, gap);
    number(p->target, target);
    const int length = snprintf(out, size,
                                "{\"stage\":\"%s\",\"iteration\":%lld,\"seconds\":%s,"
                                "\"objective\":%s,\"gap\":%s,\"target\":%s}\n",
                                p->stage, (long long)p->iteration, clock, objective, gap, target);
    return length < 0 || (size_t)length >= size ? 0 : (size_t)length;
}

static void give_up(dps_run_log *l)
{
    char text[400];
    snprintf(text, sizeof text, "run.log is not written any more: %.200s: %s", l->path,
             strerror(errno));
    l->ended = true;
    if (l->next->write != NULL && l->next->level >= DPS_WARNING) {
        l->next->write(l->next->context, DPS_WARNING, text);
    }
}

static void write_record(dps_run_log *l, const dps_progress *progress)
{
    char record[512];
    const size_t length = dps_run_log_record(progress, dps_now() - l->began, record, sizeof record);
    if (l->file < 0) {
        l->file = open(l->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    }
    ssize_t written = -1;
    do {
        written = l->file < 0 ? -1 : write(l->file, record, length);
    } while (written < 0 && l->file >= 0 && errno == EINTR);
    if (written < 0) {
        give_up(l);
    }
}

static void take_progress(void *context, const dps_progress *progress)
{
    dps_run_log *l = context;
    if (progress->iteration >= 0 && !l->ended) {
        write_record(l, progress);
    }
    if (l->next->progress != NULL) {
        l->next->progress(l->next->context, progress);
    }
}

static void take_text(void *context, dps_level level, const char *text)
{
    const dps_run_log *l = context;
    if (l->next->write != NULL) {
        l->next->write(l->next->context, level, text);
    }
}

/* Takes every level: what is said is for `next` to choose. */
void dps_run_log_init(dps_run_log *log, const char *path, const dps_log *next)
{
    *log = (dps_run_log){
        .log = {DPS_DEBUG, take_text, take_progress, log}, .next = next, .path = path, .file = -1};
    log->began = dps_now();
}

void dps_run_log_close(dps_run_log *log)
{
    if (log->path != NULL && log->file >= 0) {
        close(log->file);
        log->file = -1;
    }
}
