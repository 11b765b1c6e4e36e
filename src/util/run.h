/* What long-running work needs of its surroundings: threads, SIMD path, memory budget, where to
 * report, when to stop. None of it may change a result, only the time it takes. */
#ifndef DPS_RUN_H
#define DPS_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "names.h"
#include "status.h"

typedef enum dps_simd { DPS_SIMD_PORTABLE, DPS_SIMD_AVX2, DPS_SIMD_AVX512 } dps_simd;
extern const char *const dps_simd_names[];

/* The variant of a function (or a table) for a path. Other processors have the portable one only;
 * dps_cpu_has denies them the others. */
#if defined(__x86_64__)
#define DPS_VARIANT(simd, name)                                                                    \
    ((simd) == DPS_SIMD_AVX512 ? name##_avx512                                                     \
     : (simd) == DPS_SIMD_AVX2 ? name##_avx2                                                       \
                               : name##_portable)
#else
#define DPS_VARIANT(simd, name) ((void)(simd), name##_portable)
#endif

typedef enum dps_level { DPS_QUIET, DPS_WARNING, DPS_NORMAL, DPS_DEBUG } dps_level;
extern const char *const dps_level_names[];

/* One state of long work. Fields that do not apply are NAN or -1. */
typedef struct dps_progress {
    const char *stage; /* "read", "map", "dcd", ... static text */
    double fraction;   /* of the stage done, 0..1, or -1 when unknown */
    int64_t iteration; /* pass, epoch or Newton step, or -1 */
    double objective;  /* primal objective, or NAN */
    double gap;        /* relative duality gap, at most 1, or NAN */
    bool is_change;    /* `gap` is the relative change of the objective instead (sgd) */
    double target;     /* value of `gap` that ends the work, or NAN */
    int64_t most;      /* iterations after which the work ends in any case; 0: not known */
    /* one of several pieces like it, as a class: from 1; parts 0: it is the only one */
    int32_t part, parts;
    const char *detail; /* what stands behind the share, or NULL; read during the call only */
} dps_progress;

/* Sink for text and progress; either function may be NULL (nothing is said). Calls come from one
 * thread at a time. text is one line without the newline. */
typedef struct dps_log {
    dps_level level; /* messages above it are not formatted */
    void (*write)(void *context, dps_level level, const char *text);
    void (*progress)(void *context, const dps_progress *progress);
    void *context;
} dps_log;

struct dps_keeper; /* solver/state.h */
struct dps_comm;   /* comm.h */

typedef struct dps_run {
    int threads;         /* >= 1 */
    dps_simd simd;       /* a path that this CPU has */
    size_t memory;       /* budget in bytes for the whole process */
    const char *scratch; /* folder for what exceeds it (scratch.h); NULL, "": the default */
    const dps_log *log;  /* may be NULL */
    const volatile sig_atomic_t
        *stop; /* non-zero: give up soon with DPS_ERROR_STOPPED; may be NULL */
    const struct dps_keeper *keeper; /* of the solver's state; NULL: none */
    const struct dps_comm *comm; /* the ranks that share the rows; NULL: this one has them all */
} dps_run;

void dps_log_text(const dps_run *run, dps_level level, const char *format, ...) DPS_PRINTF(3, 4);
void dps_log_progress(const dps_run *run, const dps_progress *progress);
/* A stage of which only the share done is known. */
void dps_log_share(const dps_run *run, const char *stage, double fraction);

/* Relaxed atomic: the signal may be delivered to another thread. */
static inline bool dps_run_stopped(const dps_run *run)
{
    return run->stop != NULL && __atomic_load_n(run->stop, __ATOMIC_RELAXED) != 0;
}

/* Threads worth waking for so many pieces of work: 1 to run->threads. */
static inline int dps_run_threads(const dps_run *run, int64_t pieces)
{
    return pieces >= run->threads ? run->threads : pieces > 1 ? (int)pieces : 1;
}

/* Some 40 us of the unit below: to wake a thread and to wait for it takes 10 to 50 us on an idle
 * machine, and a time slice of another program, milliseconds, on a busy one. */
#define DPS_WORK_PER_THREAD 262144.0

/* The same for loops that may be short. work: of all pieces, in multiply-adds of a vector loop;
 * anything else at what it costs in them, as 16 for a branch that nobody can foresee. */
static inline int dps_run_threads_for(const dps_run *run, int64_t pieces, double work)
{
    const double worth = work / DPS_WORK_PER_THREAD;
    return dps_run_threads(run, worth < (double)pieces ? (int64_t)worth : pieces);
}

#endif
