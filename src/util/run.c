/* Passing text and progress to whoever listens. One call at a time, from whatever thread. */
#include "run.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

const char *const dps_simd_names[] = {"portable", "avx2", "avx512", NULL};
const char *const dps_level_names[] = {"quiet", "warning", "normal", "debug", NULL};

void dps_log_text(const dps_run *run, dps_level level, const char *format, ...)
{
    const dps_log *log = run->log;
    if (log == NULL || log->write == NULL || level > log->level) {
        return;
    }
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
#pragma omp critical(dps_log)
    log->write(log->context, level, text);
}

void dps_log_progress(const dps_run *run, const dps_progress *progress)
{
    const dps_log *log = run->log;
    if (log == NULL || log->progress == NULL) {
        return;
    }
#pragma omp critical(dps_log)
    log->progress(log->context, progress);
}

void dps_log_share(const dps_run *run, const char *stage, double fraction)
{
    dps_log_progress(run, &(dps_progress){.stage = stage,
                                          .fraction = fraction,
                                          .iteration = -1,
                                          .objective = NAN,
                                          .gap = NAN,
                                          .target = NAN});
}
