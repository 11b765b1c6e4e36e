/* Ranks as threads of one test program: an implementation of comm.h that needs no MPI. A program
 * that includes this header links it in place of src/util/comm.c. A message is handed over when
 * both ranks have come to it: MPI may buffer messages, and a program may not count on it. Ranks that
 * wait for each other, or for a message to be taken, for a minute end the program. */
#ifndef DPS_THREAD_RANKS_H
#define DPS_THREAD_RANKS_H

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "allocation.h"
#include "comm.h"

#define RANKS_MOST 16

/* The sender waits until it is taken. */
typedef struct rank_message {
    const void *bytes;
    size_t size;
} rank_message;

typedef struct rank_team {
    int size;
    pthread_mutex_t lock;
    pthread_cond_t change;
    int waiting;
    long generation;
    const void *offered[RANKS_MOST];
    size_t offered_size[RANKS_MOST];
    const rank_message *sent[RANKS_MOST][RANKS_MOST]; /* from, to; NULL: taken */
    long messages;
    double bytes;
} rank_team;

struct dps_comm {
    rank_team *team;
    int rank;
};

static void ranks_wait(rank_team *team)
{
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 60;
    if (pthread_cond_timedwait(&team->change, &team->lock, &limit) != 0) {
        fprintf(stderr, "ranks wait for each other for ever\n");
        abort();
    }
}

static void ranks_barrier(rank_team *team)
{
    pthread_mutex_lock(&team->lock);
    const long generation = team->generation;
    if (++team->waiting == team->size) {
        team->waiting = 0;
        team->generation++;
        pthread_cond_broadcast(&team->change);
    }
    while (generation == team->generation) {
        ranks_wait(team);
    }
    pthread_mutex_unlock(&team->lock);
}

/* Shows everybody's bytes to everybody until ranks_done. */
static void ranks_offer(const dps_comm *comm, const void *bytes, size_t size)
{
    comm->team->offered[comm->rank] = bytes;
    comm->team->offered_size[comm->rank] = size;
    ranks_barrier(comm->team);
}

static void ranks_done(const dps_comm *comm)
{
    ranks_barrier(comm->team);
}

dps_status dps_comm_open(dps_comm **comm, dps_error *err)
{
    (void)err;
    *comm = NULL;
    return DPS_OK;
}

void dps_comm_close(dps_comm *comm)
{
    (void)comm;
}

void dps_comm_abort(dps_comm *comm, int code)
{
    (void)comm;
    exit(code);
}

const char *dps_comm_library(void)
{
    return "threads";
}

int dps_comm_rank(const dps_comm *comm)
{
    return comm == NULL ? 0 : comm->rank;
}

int dps_comm_size(const dps_comm *comm)
{
    return comm == NULL ? 1 : comm->team->size;
}

dps_status dps_comm_agree(const dps_comm *comm, dps_status status, dps_error *err)
{
    if (comm == NULL) {
        return status;
    }
    struct {
        dps_status status;
        dps_error error;
    } mine = {.status = status}, worst = {.status = DPS_OK};
    if (status != DPS_OK && err != NULL) {
        mine.error = *err;
    }
    ranks_offer(comm, &mine, sizeof mine);
    for (int r = comm->team->size - 1; r >= 0; r--) {
        const dps_status other = ((const dps_status *)comm->team->offered[r])[0];
        if (other != DPS_OK && worst.status != DPS_ERROR_STOPPED) {
            memcpy(&worst, comm->team->offered[r], sizeof worst);
        }
    }
    ranks_done(comm);
    if (worst.status != DPS_OK && err != NULL) {
        *err = worst.error;
    }
    return worst.status;
}

bool dps_comm_any(const dps_comm *comm, bool mine)
{
    if (comm == NULL) {
        return mine;
    }
    bool any = false;
    ranks_offer(comm, &mine, sizeof mine);
    for (int r = 0; r < comm->team->size; r++) {
        any = any || *(const bool *)comm->team->offered[r];
    }
    ranks_done(comm);
    return any;
}

void dps_comm_broadcast(const dps_comm *comm, int root, void *bytes, size_t size)
{
    if (comm == NULL) {
        return;
    }
    ranks_offer(comm, bytes, size);
    if (comm->rank != root && size > 0) {
        memcpy(bytes, comm->team->offered[root], size);
    }
    ranks_done(comm);
}

void dps_comm_send(const dps_comm *comm, int to, const void *bytes, size_t size)
{
    rank_team *team = comm->team;
    if (to < 0 || to >= team->size) {
        abort();
    }
    const rank_message message = {bytes, size};
    pthread_mutex_lock(&team->lock);
    team->messages++;
    team->bytes += (double)size;
    team->sent[comm->rank][to] = &message;
    pthread_cond_broadcast(&team->change);
    while (team->sent[comm->rank][to] != NULL) {
        ranks_wait(team);
    }
    pthread_mutex_unlock(&team->lock);
}

void dps_comm_receive(const dps_comm *comm, int from, void *bytes, size_t size)
{
    rank_team *team = comm->team;
    if (from < 0 || from >= team->size) {
        abort();
    }
    const rank_message **sent = &team->sent[from][comm->rank];
    pthread_mutex_lock(&team->lock);
    while (*sent == NULL) {
        ranks_wait(team);
    }
    if ((*sent)->size != size) {
        fprintf(stderr, "a message of %zu bytes, %zu were expected\n", (*sent)->size, size);
        abort();
    }
    if (size > 0) {
        memcpy(bytes, (*sent)->bytes, size);
    }
    *sent = NULL;
    pthread_cond_broadcast(&team->change);
    pthread_mutex_unlock(&team->lock);
}

dps_status dps_comm_gather(const dps_comm *comm, const void *mine, size_t size, char **bytes,
                           size_t *begin, dps_error *err)
{
    const int ranks = dps_comm_size(comm);
    (void)err;
    if (comm != NULL) {
        ranks_offer(comm, mine, size);
    }
    begin[0] = 0;
    for (int r = 0; r < ranks; r++) {
        begin[r + 1] = begin[r] + (comm == NULL ? size : comm->team->offered_size[r]);
    }
    *bytes = dps_alloc(begin[ranks], 1);
    if (*bytes == NULL) {
        abort();
    }
    for (int r = 0; r < ranks; r++) {
        if (begin[r + 1] > begin[r]) {
            memcpy(*bytes + begin[r], comm == NULL ? mine : comm->team->offered[r],
                   begin[r + 1] - begin[r]);
        }
    }
    if (comm != NULL) {
        ranks_done(comm);
    }
    return DPS_OK;
}

static int64_t ranks_sum(const dps_comm *comm, int64_t mine, int end)
{
    int64_t sum = 0;
    ranks_offer(comm, &mine, sizeof mine);
    for (int r = 0; r < end; r++) {
        sum += *(const int64_t *)comm->team->offered[r];
    }
    ranks_done(comm);
    return sum;
}

int64_t dps_comm_sum(const dps_comm *comm, int64_t mine)
{
    return comm == NULL ? mine : ranks_sum(comm, mine, comm->team->size);
}

int64_t dps_comm_sum_before(const dps_comm *comm, int64_t mine)
{
    return comm == NULL ? 0 : ranks_sum(comm, mine, comm->rank);
}

void dps_comm_max_all(const dps_comm *comm, double *value, size_t count)
{
    if (comm == NULL) {
        return;
    }
    double *largest = malloc(count * sizeof *largest + 1);
    if (largest == NULL) {
        abort();
    }
    ranks_offer(comm, value, count * sizeof *value);
    memcpy(largest, comm->team->offered[0], count * sizeof *value);
    for (int r = 1; r < comm->team->size; r++) {
        const double *other = comm->team->offered[r];
        for (size_t i = 0; i < count; i++) {
            largest[i] = other[i] > largest[i] ? other[i] : largest[i];
        }
    }
    ranks_done(comm);
    memcpy(value, largest, count * sizeof *value);
    free(largest);
}

double dps_comm_max(const dps_comm *comm, double mine)
{
    dps_comm_max_all(comm, &mine, 1);
    return mine;
}

/* ---- running ---- */

typedef struct rank_thread {
    dps_comm comm;
    void (*work)(const dps_comm *comm, void *context);
    void *context;
} rank_thread;

static void *ranks_begin(void *argument)
{
    const rank_thread *thread = argument;
    thread->work(&thread->comm, thread->context);
    return NULL;
}

/* work(comm, context) by every one of `size` ranks. Checks belong behind it: cmocka's assertions do
 * not work in threads. Returns the number of messages sent from one rank to another. */
static long ranks_run(int size, void (*work)(const dps_comm *comm, void *context), void *context)
{
    static rank_team team;
    rank_thread thread[RANKS_MOST];
    pthread_t id[RANKS_MOST];
    memset(&team, 0, sizeof team);
    team.size = size;
    pthread_mutex_init(&team.lock, NULL);
    pthread_cond_init(&team.change, NULL);
    /* The first thread that OpenMP sees must outlive the others: LLVM's runtime looks up the state of
     * thread 0 at the end of every critical section that a tool (Archer) watches. */
    (void)omp_get_max_threads();
    for (int r = 0; r < size; r++) {
        thread[r] = (rank_thread){{&team, r}, work, context};
        if (pthread_create(&id[r], NULL, ranks_begin, &thread[r]) != 0) {
            abort();
        }
    }
    for (int r = 0; r < size; r++) {
        pthread_join(id[r], NULL);
    }
    pthread_cond_destroy(&team.change);
    pthread_mutex_destroy(&team.lock);
    return team.messages;
}

#endif
