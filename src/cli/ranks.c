/* Task: a launch of several processes as one program. Rank 0 speaks and writes; the others work in
 * silence. What each may use is put together here: an automatic number of threads or of bytes is
 * found by every rank for itself, as if it had its machine alone, and is then divided among the
 * ranks that found the same processors, or memory. */
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "allocation.h"
#include "checksum.h"
#include "comm.h"
#include "number.h"
#include "signals.h"

enum { MOST_LINES = 16 }; /* about where ranks are */

/* One rank's surroundings; plain bytes, zeroed before they are filled. */
typedef struct rank_place {
    char host[64];
    char cpus[128]; /* list of processors, as the kernel writes it */
    int32_t cpu_count, threads;
    bool asked; /* for this number of threads */
} rank_place;

/* ---- joining --------------------------------------------------------------------------------- */

static dps_status same_words(const dps_comm *comm, int argc, char **argv, dps_error *err)
{
    dps_text words = {0};
    for (int k = 0; k < argc; k++) {
        dps_text_append(&words, argv[k], strlen(argv[k]) + 1);
    }
    const uint64_t mine = words.failed ? 0 : dps_checksum_of(words.data, words.length);
    uint64_t first = mine;
    dps_text_release(&words);
    dps_comm_broadcast(comm, 0, &first, sizeof first);
    dps_status status = DPS_OK;
    if (first != mine) {
        status = dps_error_set(err, DPS_ERROR_CONFIG,
                               "the command line of rank %d is not that of rank 0: the ranks of a "
                               "launch do one thing together; for several independent runs start "
                               "each with a launcher of its own, or use a job array",
                               dps_comm_rank(comm));
    }
    return dps_comm_agree(comm, status, err);
}

dps_status dps_ranks_join(dps_session *session, int argc, char **argv, dps_error *err)
{
    if (!session->command->over_ranks) {
        return DPS_OK;
    }
    DPS_TRY(dps_comm_open(&session->comm, err));
    if (session->comm != NULL) {
        dps_signals_install(); /* an MPI may have put its own in their place */
        DPS_TRY(same_words(session->comm, argc, argv, err));
    }
    return DPS_OK;
}

bool dps_ranks_silent(const dps_session *session)
{
    return dps_comm_rank(session->comm) > 0;
}

/* ---- sharing --------------------------------------------------------------------------------- */

static void find_processors(char *out, size_t size)
{
    char line[4096];
    FILE *stream = fopen("/proc/self/status", "re");
    while (stream != NULL && fgets(line, sizeof line, stream) != NULL) {
        if (strncmp(line, "Cpus_allowed_list:", 18) == 0) {
            const char *list = line + 18 + strspn(line + 18, " \t");
            snprintf(out, size, "%.*s", (int)strcspn(list, "\n"), list);
            break;
        }
    }
    if (stream != NULL) {
        fclose(stream);
    }
}

static rank_place place_of(const dps_session *session)
{
    rank_place place;
    memset(&place, 0, sizeof place);
    if (gethostname(place.host, sizeof place.host - 1) != 0) {
        snprintf(place.host, sizeof place.host, "?");
    }
    find_processors(place.cpus, sizeof place.cpus);
    place.cpu_count = dps_cpus_allowed();
    place.threads = session->run.threads;
    place.asked = session->threads.each;
    return place;
}

static int count_here(const rank_place *place, int ranks, const rank_place *mine)
{
    int count = 0;
    for (int r = 0; r < ranks; r++) {
        count += strcmp(place[r].host, mine->host) == 0;
    }
    return count;
}

/* Ranks on the same processors of the same machine. */
static int count_beside(const rank_place *place, int ranks, const rank_place *mine)
{
    int count = 0;
    for (int r = 0; r < ranks; r++) {
        count += strcmp(place[r].host, mine->host) == 0 && strcmp(place[r].cpus, mine->cpus) == 0;
    }
    return count;
}

static void divide(dps_limit *limit, int ranks)
{
    char source[sizeof limit->source];
    const size_t share = limit->value / (size_t)ranks;
    if (ranks > 1) {
        limit->value = share > 0 ? share : 1;
        snprintf(source, sizeof source, "%.40s, for %d ranks", limit->source, ranks);
        memcpy(limit->source, source, sizeof source);
    }
}

/* Warns once, of the rank that is worst off. */
static void warn_of_threads(const dps_run *run, const rank_place *place, int ranks)
{
    int worst = -1;
    double most = 1;
    for (int r = 0; r < ranks; r++) {
        const int beside = count_beside(place, ranks, &place[r]);
        const double load = (double)beside * place[r].threads / place[r].cpu_count;
        if (load > most) {
            worst = r;
            most = load;
        }
    }
    if (worst >= 0) {
        const rank_place *p = &place[worst];
        const int beside = count_beside(place, ranks, p);
        dps_log_text(
            run, DPS_WARNING,
            "rank %d on %s: %d rank%s with %ld thread%s each on %ld processor%s: they will "
            "wait for each other; ask for more processors a task (--cpus-per-task of "
            "srun, --bind-to none or --map-by slot:PE=N of mpirun), or start fewer ranks "
            "or threads (run.threads)",
            worst, p->host, beside, beside == 1 ? "" : "s", (long)p->threads,
            p->threads == 1 ? "" : "s", (long)p->cpu_count, p->cpu_count == 1 ? "" : "s");
    }
}

/* A line for each stretch of ranks that are placed alike. */
static void say_places(const dps_run *run, dps_level level, const rank_place *place, int ranks)
{
    int lines = 0;
    for (int r = 0, end; r < ranks; r = end) {
        const rank_place *p = &place[r];
        for (end = r + 1; end < ranks && memcmp(p, &place[end], sizeof *p) == 0; end++) {
        }
        if (lines++ == MOST_LINES) {
            dps_log_text(run, level, "ranks %d to %d: not listed", r, ranks - 1);
            return;
        }
        char which[40];
        snprintf(which, sizeof which, end - r > 1 ? "s %d to %d" : " %d", r, end - 1);
        dps_log_text(run, level, "rank%s on %s: %ld thread%s each, on processor%s %s", which,
                     p->host, (long)p->threads, p->threads == 1 ? "" : "s",
                     p->cpu_count == 1 ? "" : "s", p->cpus);
    }
}

/* The number of threads of each rank, and this rank's memory. */
static void share_out(dps_session *session, rank_place *place, int ranks)
{
    const rank_place *mine = &place[dps_comm_rank(session->comm)];
    if (strcmp(session->memory.source, "run.memory") != 0) {
        divide(&session->memory, count_here(place, ranks, mine));
        session->run.memory = session->memory.value;
    }
    if (!mine->asked) {
        divide(&session->threads, count_beside(place, ranks, mine));
        session->run.threads = (int)session->threads.value;
    }
    for (int r = 0; r < ranks; r++) {
        const int32_t share = place[r].threads / count_beside(place, ranks, &place[r]);
        if (!place[r].asked) {
            place[r].threads = share > 0 ? share : 1;
        }
    }
}

dps_status dps_ranks_share(dps_session *session, dps_error *err)
{
    const dps_comm *comm = session->comm;
    const int ranks = dps_comm_size(comm);
    char *all = NULL;
    if (comm == NULL) {
        return DPS_OK;
    }
    const rank_place mine = place_of(session);
    size_t *begin = dps_alloc((size_t)ranks + 1, sizeof *begin);
    dps_status status = begin != NULL ? DPS_OK
                                      : dps_out_of_memory(err, (size_t)ranks + 1, sizeof *begin,
                                                          "a list of the ranks");
    status = dps_comm_agree(comm, status, err);
    DPS_THEN(status, dps_comm_gather(comm, &mine, sizeof mine, &all, begin, err));
    if (status == DPS_OK) {
        rank_place *place = (rank_place *)(void *)all;
        share_out(session, place, ranks);
        const bool announces = session->command->options == DPS_ACCEPTS_ALL;
        say_places(&session->run, announces ? DPS_NORMAL : DPS_DEBUG, place, ranks);
        warn_of_threads(&session->run, place, ranks);
    }
    dps_free(all);
    dps_free(begin);
    return status;
}

/* ---- alone, although launched ---------------------------------------------------------------- */

void dps_ranks_warn_alone(const dps_session *session)
{
    const dps_launch *launch = &session->launch;
    const char *tasks = getenv("SLURM_NTASKS");
    int64_t count = 0;
    if (session->comm != NULL) {
        return;
    }
    if (launch->ranks > 1 && !session->command->over_ranks) {
        dps_log_text(&session->run, DPS_NORMAL,
                     "note: %s = %d: %s works in one process, this one; the others have left",
                     launch->source, launch->ranks, session->command->name);
    } else if (launch->ranks > 1) {
        const char *why = strcmp(dps_comm_library(), "none") == 0 ? "it was built without MPI"
                          : launch->connected
                              ? "its MPI is not the launcher's"
                              : "srun connects them only with --mpi=pmix or --mpi=pmi2";
        dps_log_text(&session->run, DPS_WARNING,
                     "%s = %d: a launcher started %d programs, but this one is 1 program by "
                     "itself, since %s (MPI here: %s): each of them does all the work, and the "
                     "last to finish writes the output; start one task",
                     launch->source, launch->ranks, launch->ranks, why, dps_comm_library());
    } else if (tasks != NULL && dps_text_to_int64(tasks, strlen(tasks), &count) && count > 1) {
        dps_log_text(&session->run, DPS_NORMAL,
                     "note: SLURM_NTASKS = %lld, and this is 1 task: srun starts them all; else "
                     "ask for --ntasks=1 and --cpus-per-task",
                     (long long)count);
    }
}

/* ---- leaving --------------------------------------------------------------------------------- */

dps_status dps_ranks_leave(dps_session *session, dps_status status, int *signal, bool *together,
                           dps_error *err)
{
    status = dps_comm_finish(session->comm, status, together, err);
    *signal = (int)*dps_signals_flag();
    if (*together) {
        *signal = (int)dps_comm_max(session->comm, *signal);
        session->exit_code = (int)dps_comm_max(session->comm, session->exit_code);
    }
    return status;
}
