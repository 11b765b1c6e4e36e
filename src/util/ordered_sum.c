/* Sums over rows with the same bits for any number of threads.
 *
 * total = ((s0 + s1) + (s2 + s3)) + ... over slots s, each slot the sum of its tiles in order.
 * Slots are dealt to threads in order, one at a time. A finished sum looks for its sibling in the
 * tree: if the sibling is parked, the two are added (left += right) and the result climbs on; if
 * not, it is parked itself. Because slots are dealt in order, about threads + log2(slots) sums are
 * alive at a time. The lock guards bookkeeping only; filling and adding happen outside it. Cost
 * beyond the tiles': one clearing and one addition of `elements` doubles a slot. */
#include "ordered_sum.h"

#include <assert.h>
#include <string.h>
#include "memory.h"

#define MOST_SLOTS     256
#define TILES_PER_SLOT 8
/* A slot's work is at least this many times its elements: clearing and adding stay a few percent.
 */
#define WORK_PER_ELEMENT 32.0

int64_t dps_slot_count(int64_t tiles, size_t elements, double tile_flops)
{
    int64_t slots = 1;
    while (2 * slots <= MOST_SLOTS && tiles / (2 * slots) >= TILES_PER_SLOT &&
           tile_flops * (double)(tiles / (2 * slots)) >= WORK_PER_ELEMENT * (double)elements) {
        slots *= 2;
    }
    return slots;
}

int64_t dps_slot_begin(int64_t s, int64_t slots, int64_t tiles)
{
    return s * tiles / slots;
}

/* The state that threads share; touched inside critical(dps_ordered_sum) only, but for one atomic
 * read of failed_tile. */
typedef struct merge {
    double **parked; /* finished sums that wait for their sibling, by place in the tree */
    double **spare;  /* buffers in nobody's hands */
    int64_t spare_count;
    double *total;       /* the sum of all slots, once it is there */
    int64_t failed_tile; /* smallest tile that failed so far; `tiles` when none did */
    dps_status status;
    dps_error error;
} merge;

/* Adds tiles begin..end-1 to `into`, in order; returns the first that failed, or `end`. */
static int64_t fill_slot(const dps_ordered_sum *sum, const dps_run *run, int64_t begin, int64_t end,
                         double *into, void *scratch, dps_status *status, dps_error *err)
{
    memset(into, 0, sum->elements * sizeof *into);
    for (int64_t t = begin; t < end; t++) {
        *status = dps_run_stopped(run)
                      ? dps_error_set(err, DPS_ERROR_STOPPED, "stopped by a signal")
                      : sum->add(sum->context, t, into, scratch, err);
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

static double *take_buffer(merge *m, size_t elements)
{
    double *buffer = NULL;
#pragma omp critical(dps_ordered_sum)
    if (m->spare_count > 0) {
        buffer = m->spare[--m->spare_count];
    }
    return buffer != NULL ? buffer : dps_alloc(elements, sizeof *buffer);
}

/* Inside critical(dps_ordered_sum). */
static void hand_back(merge *m, double *buffer)
{
    if (buffer != NULL) {
        m->spare[m->spare_count++] = buffer;
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

static void run_slot(merge *m, const dps_ordered_sum *sum, const dps_run *run, int64_t s,
                     void *scratch)
{
    const int64_t begin = dps_slot_begin(s, sum->slots, sum->tiles);
    const int64_t end = dps_slot_begin(s + 1, sum->slots, sum->tiles);
    if (begin >= failed_tile(m)) {
        return; /* nothing here could be reported or used */
    }
    dps_error err;
    dps_status status = DPS_OK;
    double *buffer = take_buffer(m, sum->elements);
    if (buffer == NULL) {
        status = dps_out_of_memory(&err, sum->elements, sizeof *buffer, "a partial sum");
        note_failure(m, begin, status, &err);
        return;
    }
    const int64_t reached = fill_slot(sum, run, begin, end, buffer, scratch, &status, &err);
    if (reached < end) {
        note_failure(m, reached, status, &err);
#pragma omp critical(dps_ordered_sum)
        hand_back(m, buffer);
    } else {
        climb(m, s, sum->slots, buffer, sum->elements);
    }
}

static void run_slots(merge *m, const dps_ordered_sum *sum, const dps_run *run)
{
    const int64_t slots = sum->slots;
#pragma omp parallel num_threads(dps_run_threads(run, slots))
    {
        void *scratch = dps_alloc(sum->scratch_bytes, 1);
        if (scratch == NULL) {
            dps_error err;
            const dps_status status =
                dps_out_of_memory(&err, sum->scratch_bytes, 1, "a thread's scratch");
            note_failure(m, 0, status, &err);
        }
        /* monotonic: slots are dealt in order, which bounds the number of parked sums */
#pragma omp for schedule(monotonic : dynamic, 1) nowait
        for (int64_t s = 0; s < slots; s++) {
            if (scratch != NULL) {
                run_slot(m, sum, run, s, scratch);
            }
        }
        dps_free(scratch);
    }
}

static dps_status run_one_slot(const dps_ordered_sum *sum, const dps_run *run, double *total,
                               dps_error *err)
{
    dps_status status = DPS_OK;
    void *scratch = dps_alloc(sum->scratch_bytes, 1);
    if (scratch == NULL) {
        return dps_out_of_memory(err, sum->scratch_bytes, 1, "a thread's scratch");
    }
    (void)fill_slot(sum, run, 0, sum->tiles, total, scratch, &status, err);
    dps_free(scratch);
    return status;
}

dps_status dps_ordered_sum_run(const dps_ordered_sum *sum, const dps_run *run, double *total,
                               dps_error *err)
{
    assert(sum->slots >= 1 && sum->tiles >= 0 && run->threads >= 1);
    if (sum->slots == 1) {
        return run_one_slot(sum, run, total, err);
    }
    const size_t places = 2 * (size_t)sum->slots + 8; /* nodes of the tree, odd widths included */
    merge m = {.failed_tile = sum->tiles, .status = DPS_OK};
    m.parked = dps_alloc(places, sizeof *m.parked);
    m.spare = dps_alloc(places, sizeof *m.spare);
    if (m.parked == NULL || m.spare == NULL) {
        m.status = dps_out_of_memory(&m.error, places, sizeof *m.parked, "the tree of sums");
    } else {
        run_slots(&m, sum, run);
    }
    if (m.status == DPS_OK) {
        memcpy(total, m.total, sum->elements * sizeof *total);
    } else if (err != NULL) {
        *err = m.error;
    }
    for (size_t i = 0; m.parked != NULL && i < places; i++) {
        dps_free(m.parked[i]);
    }
    for (int64_t i = 0; m.spare != NULL && i < m.spare_count; i++) {
        dps_free(m.spare[i]);
    }
    dps_free(m.total);
    dps_free(m.parked);
    dps_free(m.spare);
    return m.status;
}
