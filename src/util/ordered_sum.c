/* Sums over rows with the same bits for any number of threads and ranks.
 *
 * total = ((s0 + s1) + (s2 + s3)) + ... over slots s, each slot the sum of its tiles in order.
 * Slots are dealt to threads in order, one at a time. A finished sum looks for its sibling in the
 * tree: if the sibling is parked, the two are added (left += right) and the result climbs on; if
 * not, it is parked itself. Because slots are dealt in order, about threads + log2(slots) sums are
 * alive at a time. The lock guards bookkeeping only; filling and adding happen outside it. Cost
 * beyond the tiles': one clearing and one addition of `elements` doubles a slot.
 *
 * Over ranks: a rank fills the slots that lie within its tiles, and begins the one that its last
 * tile is in; that sum, with what the adder carries from tile to tile, goes to the next rank, which
 * fills it further after its own. A slot's sum is owned by the rank where its last tile is, a
 * node's by the owner of its first slot. Level by level the owner of a right child sends its sum to
 * the owner of the left one, which adds it; the owner of the root sends the total to all. Ranks
 * agree that nobody failed before that: the agreement also tells where everybody's tiles end.
 * Messages, with S slots and R ranks: R - 1 where R divides S, else at most 2 log2(S) a rank. */
#include "ordered_sum.h"

#include <assert.h>
#include <math.h>
#include <omp.h>
#include <string.h>
#include "allocation.h"
#include "comm.h"
#include "job_limits.h"
#include "sum_room.h"

/* So few tiles a slot where there are few slots, so that small data occupy some threads; more of
 * both where data are large enough for the threads of many ranks. */
#define FEW_SLOTS           256
#define MOST_SLOTS          16384
#define TILES_PER_SLOT      8
#define TILES_PER_MANY_SLOT 64
/* A slot's work is at least this many times its elements: clearing and adding stay a few percent.
 */
#define WORK_PER_ELEMENT 32.0

int64_t dps_slot_count(int64_t tiles, size_t elements, double tile_flops)
{
    int64_t slots = 1;
    while (2 * slots <= MOST_SLOTS &&
           tiles / (2 * slots) >= (slots < FEW_SLOTS ? TILES_PER_SLOT : TILES_PER_MANY_SLOT) &&
           tile_flops * (double)(tiles / (2 * slots)) >= WORK_PER_ELEMENT * (double)elements) {
        slots *= 2;
    }
    return slots;
}

int64_t dps_slot_begin(int64_t s, int64_t slots, int64_t tiles)
{
    return s * tiles / slots;
}

int64_t dps_rank_begin(int rank, int ranks, int64_t units, int64_t tiles)
{
    const int64_t used = units > 0 ? units : dps_slot_count(tiles, 1, INFINITY);
    return dps_slot_begin(rank * used / ranks, used, tiles);
}

/* The state that threads share; touched inside critical(dps_ordered_sum) only, but for one atomic
 * read of failed_tile. */
typedef struct merge {
    const dps_ordered_sum *sum;
    const dps_run *run;
    int64_t first, end, total_tiles; /* this rank's tiles, all tiles */
    double **parked;     /* finished sums that wait for their sibling, by place in the tree */
    dps_sum_room *room;  /* its spares: buffers in nobody's hands */
    double *total;       /* the sum of all slots, once it is there */
    int64_t failed_tile; /* smallest tile that failed so far; total_tiles when none did */
    dps_status status;
    dps_error error;
    char *begun; /* of the slot that ends on another rank: its sum, then what is carried; or NULL */
    bool begun_good;
} merge;

/* Adds the tiles from begin to before end (of the whole) to `into`, in order; returns the first
 * that failed, or `end`. */
static int64_t fill(const merge *m, int64_t begin, int64_t end, double *into, void *scratch,
                    dps_status *status, dps_error *err)
{
    const dps_ordered_sum *sum = m->sum;
    for (int64_t t = begin; t < end; t++) {
        *status = dps_run_stopped(m->run)
                      ? dps_error_set(err, DPS_ERROR_STOPPED, "stopped by a signal")
                      : sum->add(sum->context, t - m->first, into, scratch, err);
        if (*status != DPS_OK) {
            return t;
        }
    }
    return end;
}

static void note_failure(merge *m, int64_t tile, dps_status status, const dps_error *err)
{
    /* a stop wins over any tile's error: what the tiles would have said is then a matter of timing
     */
    const int64_t rank = status == DPS_ERROR_STOPPED ? -1 : tile;
#pragma omp critical(dps_ordered_sum)
    if (rank < m->failed_tile) {
#pragma omp atomic write
        m->failed_tile = rank;
        m->status = status;
        m->error = *err;
    }
}

/* May be out of date, which costs work but no correctness: it only ever falls. */
static int64_t failed_tile(const merge *m)
{
    int64_t tile;
#pragma omp atomic read
    tile = m->failed_tile;
    return tile;
}

static double *take_buffer(merge *m)
{
    double *buffer = NULL;
#pragma omp critical(dps_ordered_sum)
    if (m->room->spares > 0) {
        buffer = m->room->spare[--m->room->spares];
    }
    return buffer != NULL ? buffer : dps_alloc(m->room->elements, sizeof *buffer);
}

/* Inside critical(dps_ordered_sum). */
static void hand_back(merge *m, double *buffer)
{
    if (buffer != NULL) {
        m->room->spare[m->room->spares++] = buffer;
    }
}

static void add_to(double *left, const double *right, size_t elements)
{
    for (size_t i = 0; i < elements; i++) {
        left[i] += right[i];
    }
}

/* Takes the finished sum of slot s up the tree as far as its siblings are there. A level of `width`
 * nodes has its parking places from `base` on; a last node without a sibling moves up alone. */
static void climb(merge *m, int64_t s, int64_t slots, double *mine, size_t elements)
{
    int64_t base = 0;
    int64_t node = s;
    double *empty = NULL; /* added to its sibling: to be handed back at the next occasion */
    for (int64_t width = slots; width > 1; width = (width + 1) / 2) {
        const int64_t sibling = node ^ 1;
        if (sibling < width) {
            double *other;
#pragma omp critical(dps_ordered_sum)
            {
                other = m->parked[base + sibling];
                m->parked[base + (other != NULL ? sibling : node)] = other != NULL ? NULL : mine;
                hand_back(m, empty);
            }
            if (other == NULL) {
                return;
            }
            double *left = node < sibling ? mine : other;
            empty = node < sibling ? other : mine;
            add_to(left, empty, elements);
            mine = left;
        }
        base += width;
        node /= 2;
    }
#pragma omp critical(dps_ordered_sum)
    {
        m->total = mine;
        hand_back(m, empty);
    }
}

static int64_t slot_end(const merge *m, int64_t s)
{
    return dps_slot_begin(s + 1, m->sum->slots, m->total_tiles);
}

/* The slot of a tile; `slots` behind the last. */
static int64_t slot_of(const merge *m, int64_t tile)
{
    const int64_t slots = m->sum->slots;
    if (tile >= m->total_tiles) {
        return slots;
    }
    int64_t s = tile * slots / m->total_tiles;
    while (slot_end(m, s) <= tile) {
        s++;
    }
    return s;
}

/* Whether a rank's limit cuts a slot in two. */
static bool cuts(const merge *m, int64_t tile)
{
    return tile < m->total_tiles &&
           dps_slot_begin(slot_of(m, tile), m->sum->slots, m->total_tiles) < tile;
}

static void run_slot(merge *m, int64_t s, void *scratch)
{
    const dps_ordered_sum *sum = m->sum;
    const int64_t begin = dps_slot_begin(s, sum->slots, m->total_tiles);
    const bool whole = slot_end(m, s) <= m->end;
    const int64_t end = whole ? slot_end(m, s) : m->end;
    if (begin >= failed_tile(m)) {
        return; /* nothing here could be reported or used */
    }
    dps_error err;
    dps_status status = DPS_OK;
    double *buffer = whole ? take_buffer(m) : (double *)(void *)m->begun;
    if (buffer == NULL) {
        status = dps_out_of_memory(&err, sum->elements, sizeof *buffer, "a partial sum");
        note_failure(m, begin, status, &err);
        return;
    }
    memset(buffer, 0, sum->elements * sizeof *buffer);
    const int64_t reached = fill(m, begin, end, buffer, scratch, &status, &err);
    if (reached < end) {
        note_failure(m, reached, status, &err);
    }
    if (!whole) {
        m->begun_good = reached == end;
        if (sum->carry_bytes > 0) {
            memcpy(m->begun + sum->elements * sizeof *buffer, scratch, sum->carry_bytes);
        }
    } else if (reached < end) {
#pragma omp critical(dps_ordered_sum)
        hand_back(m, buffer);
    } else {
        climb(m, s, sum->slots, buffer, sum->elements);
    }
}

/* Slots from `first` to before `end` by all threads. */
static void run_slots(merge *m, int64_t first, int64_t end)
{
    const size_t bytes = m->sum->scratch_bytes;
#pragma omp parallel num_threads(dps_run_threads(m->run, end - first))
    {
        void *scratch = dps_sum_room_scratch(m->room, omp_get_thread_num());
        if (scratch == NULL) {
            dps_error err;
            const dps_status status = dps_out_of_memory(&err, bytes, 1, "a thread's scratch");
            note_failure(m, m->first, status, &err);
        }
        /* monotonic: slots are dealt in order, which bounds the number of parked sums */
#pragma omp for schedule(monotonic : dynamic, 1) nowait
        for (int64_t s = first; s < end; s++) {
            if (scratch != NULL) {
                run_slot(m, s, scratch);
            }
        }
    }
}

static dps_status run_one_slot(const merge *m, double *total, dps_error *err)
{
    const dps_ordered_sum *sum = m->sum;
    dps_status status = DPS_OK;
    void *scratch = dps_sum_room_scratch(m->room, 0);
    if (scratch == NULL) {
        return dps_out_of_memory(err, sum->scratch_bytes, 1, "a thread's scratch");
    }
    memset(total, 0, sum->elements * sizeof *total);
    (void)fill(m, 0, sum->tiles, total, scratch, &status, err);
    return status;
}

/* ---- ranks ---- */

/* A slot that the rank before has begun: filled further, then finished or handed on. */
static void go_on(merge *m, const dps_comm *comm, char *begun, size_t begun_bytes)
{
    const dps_ordered_sum *sum = m->sum;
    const size_t sum_bytes = sum->elements * sizeof(double);
    const int64_t s = slot_of(m, m->first);
    const bool through = slot_end(m, s) > m->end;
    const int64_t end = through ? m->end : slot_end(m, s);
    bool good = false;
    dps_error err;
    dps_comm_receive(comm, dps_comm_rank(comm) - 1, &good, sizeof good);
    if (good) {
        dps_comm_receive(comm, dps_comm_rank(comm) - 1, begun, begun_bytes);
    }
    if (!good) {
        /* that rank's own error wins when all agree */
        const dps_status status = dps_error_set(&err, DPS_ERROR_NUMERIC, "a rank has failed");
        note_failure(m, m->first, status, &err);
    } else if (m->status == DPS_OK) {
        dps_status status = DPS_OK;
        char *scratch = dps_sum_room_scratch(m->room, 0);
        double *buffer = take_buffer(m);
        int64_t reached = m->first;
        if (scratch == NULL || buffer == NULL) {
            status = dps_out_of_memory(&err, sum->elements, sizeof *buffer, "a partial sum");
        } else {
            memcpy(buffer, begun, sum_bytes);
            memcpy(scratch, begun + sum_bytes, sum->carry_bytes);
            reached = fill(m, m->first, end, buffer, scratch, &status, &err);
        }
        good = status == DPS_OK;
        if (!good) {
            note_failure(m, reached, status, &err);
        } else if (through) {
            memcpy(begun, buffer, sum_bytes);
            memcpy(begun + sum_bytes, scratch, sum->carry_bytes);
        } else {
            climb(m, s, sum->slots, buffer, sum->elements);
            buffer = NULL;
        }
        hand_back(m, buffer);
    } else {
        good = false;
    }
    if (through) {
        dps_comm_send(comm, dps_comm_rank(comm) + 1, &good, sizeof good);
        if (good) {
            dps_comm_send(comm, dps_comm_rank(comm) + 1, begun, begun_bytes);
        }
    }
}

/* What each rank tells the others when its slots are filled. */
typedef struct rank_state {
    int64_t end; /* of its tiles */
    int64_t failed;
} rank_state;

/* Rank of a slot's last tile: the first whose tiles do not end before it. */
static int owner_of(const merge *m, const rank_state *state, int64_t s)
{
    const int64_t end = slot_end(m, s);
    int low = 0, high = dps_comm_size(m->run->comm) - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (state[middle].end < end) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Completes the tree; returns the rank that has the total. */
static int merge_ranks(merge *m, const dps_comm *comm, const rank_state *state, double *received)
{
    const size_t elements = m->sum->elements, bytes = elements * sizeof(double);
    const int me = dps_comm_rank(comm);
    const int64_t first = slot_of(m, m->first), last = slot_of(m, m->end); /* mine lie within */
    int64_t base = 0, span = 1; /* places before the level; slots of a node */
    for (int64_t width = m->sum->slots; width > 1; width = (width + 1) / 2) {
        /* pairs of which this rank may own a half */
        for (int64_t n = first / span / 2 * 2; n < width && n * span <= last; n += 2) {
            const bool pair = n + 1 < width;
            const int left = owner_of(m, state, n * span);
            const int right = pair ? owner_of(m, state, (n + 1) * span) : left;
            double **mine = &m->parked[base + n], **other = pair ? mine + 1 : NULL;
            if (right == me && left != me) {
                dps_comm_send(comm, left, *other, bytes);
                hand_back(m, *other);
                *other = NULL;
            }
            if (left != me || *mine == NULL) {
                continue; /* another's, or a pair that was here already and is further up */
            }
            if (right != me) {
                dps_comm_receive(comm, right, received, bytes);
                add_to(*mine, received, elements);
            } else if (pair) {
                add_to(*mine, *other, elements);
                hand_back(m, *other);
                *other = NULL;
            }
            if (width > 2) {
                m->parked[base + width + n / 2] = *mine;
            } else {
                m->total = *mine;
            }
            *mine = NULL;
        }
        base += width;
        span *= 2;
    }
    return owner_of(m, state, 0);
}

static void run_over_ranks(merge *m, double *total)
{
    const dps_comm *comm = m->run->comm;
    const size_t bytes = m->sum->elements * sizeof(double);
    const size_t begun_bytes = bytes + m->sum->carry_bytes;
    const bool goes_on = cuts(m, m->first), hands_on = cuts(m, m->end);
    const bool begins = hands_on && !(goes_on && slot_of(m, m->first) == slot_of(m, m->end));
    double *received = dps_alloc(m->sum->elements, sizeof *received);
    char *begun = goes_on || hands_on ? dps_alloc(begun_bytes, 1) : NULL;
    const int ranks = dps_comm_size(comm);
    size_t *begin = dps_alloc((size_t)ranks + 1, sizeof *begin);
    char *all = NULL;
    dps_error err;
    if (dps_comm_any(comm, m->parked == NULL || received == NULL || begin == NULL ||
                               ((goes_on || hands_on) && begun == NULL))) {
        m->status = dps_out_of_memory(&m->error, begun_bytes, 1, "a partial sum");
        goto done;
    }
    const double start = dps_now();
    m->begun = begun;
    run_slots(m, slot_of(m, m->first) + goes_on,
              m->sum->tiles == 0 ? 0 : slot_of(m, m->end) + begins);
    if (m->sum->seconds != NULL) {
        *m->sum->seconds += dps_now() - start;
    }
    if (begins) {
        const bool good = m->begun_good;
        dps_comm_send(comm, dps_comm_rank(comm) + 1, &good, sizeof good);
        if (good) {
            dps_comm_send(comm, dps_comm_rank(comm) + 1, begun, begun_bytes);
        }
    }
    if (goes_on) {
        go_on(m, comm, begun, begun_bytes);
    }
    const rank_state mine = {m->end, m->status != DPS_OK};
    dps_status status = dps_comm_gather(comm, &mine, sizeof mine, &all, begin, &err);
    if (status != DPS_OK) {
        m->status = status;
        m->error = err;
        goto done;
    }
    const rank_state *state = (const rank_state *)(const void *)all;
    bool failed = false;
    for (int r = 0; r < ranks && !failed; r++) {
        failed = state[r].failed != 0;
    }
    if (failed) {
        m->status = dps_comm_agree(comm, m->status, &m->error);
    } else {
        const int root = merge_ranks(m, comm, state, received);
        if (root == dps_comm_rank(comm)) {
            memcpy(total, m->total, bytes);
        }
        dps_comm_broadcast(comm, root, total, bytes);
    }
done:
    dps_free(all);
    dps_free(begin);
    dps_free(begun);
    dps_free(received);
}

static dps_status run_slots_and_merge(merge *m, bool ranks, double *total, dps_error *err)
{
    const dps_ordered_sum *sum = m->sum;
    const size_t places = 2 * (size_t)sum->slots + 8; /* nodes of the tree, odd widths included */
    const bool room = dps_sum_room_prepare(m->room, (int64_t)places, sum->elements, m->run->threads,
                                           sum->scratch_bytes);
    m->failed_tile = m->total_tiles;
    m->parked = room ? dps_alloc(places, sizeof *m->parked) : NULL;
    if (ranks) {
        run_over_ranks(m, total);
    } else if (m->parked == NULL) {
        m->status = dps_out_of_memory(&m->error, places, sizeof *m->parked, "the tree of sums");
    } else if (sum->slots == 1) {
        m->status = run_one_slot(m, total, &m->error);
    } else {
        run_slots(m, 0, sum->slots);
    }
    if (m->status == DPS_OK && !ranks && sum->slots > 1) {
        memcpy(total, m->total, sum->elements * sizeof *total);
    } else if (m->status != DPS_OK && err != NULL) {
        *err = m->error;
    }
    for (size_t i = 0; m->parked != NULL && i < places; i++) {
        hand_back(m, m->parked[i]);
    }
    hand_back(m, m->total);
    dps_free(m->parked);
    return m->status;
}

dps_status dps_ordered_sum_run(const dps_ordered_sum *sum, const dps_run *run, double *total,
                               dps_error *err)
{
    const bool ranks = run->comm != NULL && sum->total_tiles > 0;
    assert(sum->slots >= 1 && sum->tiles >= 0 && run->threads >= 1);
    assert(!ranks || sum->total_tiles >= sum->slots);
    dps_sum_room own = {0};
    merge m = {.sum = sum,
               .run = run,
               .room = sum->room != NULL ? sum->room : &own,
               .end = sum->tiles,
               .total_tiles = sum->tiles};
    if (ranks) {
        m.first = sum->first_tile;
        m.end = m.first + sum->tiles;
        m.total_tiles = sum->total_tiles;
    }
    const dps_status status = run_slots_and_merge(&m, ranks, total, err);
    dps_sum_room_release(&own);
    return status;
}
