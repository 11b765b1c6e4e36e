/* One scratch block holds all arrays. Which tiles are resident is kept by a ring a thread of the
 * tiles it wanted last: asking for a tile takes the next place of the ring and gives back the tile
 * that stood there. A thread gives back only what it has asked for itself, so that it is done with
 * it and does not bring it in again; what another thread still reads of the neighbourhood comes in
 * again by a page fault, which changes nothing, and goes with that thread's own tile. Cost: one
 * system call a tile. */
#include "scaled_store.h"

#include <omp.h>
#include <string.h>

#include "allocation.h"
#include "number.h"
#include "scale_rows.h"
#include "scratch.h"

#define WINDOW_SHARE 16 /* of run->memory */
#define LEAST_PLACES 2
#define STEP         8 /* a cache line apart */

struct dps_tile_window {
    int64_t places; /* of a ring */
    int rings;
    int64_t *next; /* of each ring, STEP apart */
    int64_t *tile; /* rings x places: wanted last, or -1 */
};

/* Of compressed rows; 0 for dense ones. */
static int64_t entries_of(const dps_scaled_rows *rows)
{
    return rows->start != NULL ? rows->start[rows->rows] : 0;
}

/* What a tile brings in. */
static size_t tile_bytes(const dps_scaled_rows *rows, bool dense, int64_t entries)
{
    const size_t tiles = (size_t)dps_tile_count(rows->rows);
    const size_t all = dps_scaled_bytes(dense, rows->rows, rows->columns, entries);
    const size_t each = tiles > 0 ? all / tiles : 0;
    const size_t least = (dense ? 1 : 3) * DPS_SCRATCH_AROUND; /* of each array */
    return each < least ? least : each;
}

/* Places of each thread's ring: one of them is at work. */
static int64_t ring_places(size_t each, const dps_run *run)
{
    const size_t fit = run->memory / WINDOW_SHARE / each / (size_t)run->threads;
    return fit < LEAST_PLACES ? LEAST_PLACES : (int64_t)fit;
}

static void free_window(struct dps_tile_window *window)
{
    if (window != NULL) {
        dps_free(window->next);
        dps_free(window->tile);
        dps_free(window);
    }
}

static struct dps_tile_window *new_window(int64_t places, int rings)
{
    struct dps_tile_window *window = dps_alloc(1, sizeof *window);
    if (window == NULL) {
        return NULL;
    }
    const size_t all = (size_t)places * (size_t)rings;
    window->places = places;
    window->rings = rings;
    window->next = dps_alloc((size_t)rings * STEP, sizeof *window->next);
    window->tile = dps_alloc(all, sizeof *window->tile);
    if (window->next == NULL || window->tile == NULL) {
        free_window(window);
        return NULL;
    }
    for (size_t k = 0; k < all; k++) {
        window->tile[k] = -1;
    }
    return window;
}

/* Notes that tile t is wanted, and gives back the one that was wanted longest ago. Any thread. */
static void want(const dps_scaled_rows *rows, int64_t t)
{
    struct dps_tile_window *window = rows->window;
    const int ring = omp_get_thread_num() % window->rings;
    const int64_t turn = __atomic_fetch_add(&window->next[ring * STEP], 1, __ATOMIC_RELAXED);
    int64_t *place = &window->tile[ring * window->places + turn % window->places];
    const int64_t old = __atomic_exchange_n(place, t, __ATOMIC_RELAXED);
    if (old >= 0 && old != t) {
        dps_scaled_rows_rest(rows, old);
    }
}

static void let_go(dps_scaled_rows *rows)
{
    dps_scratch_free(rows->scratch, rows->scratch_bytes);
    free_window(rows->window);
}

static const struct dps_row_store in_scratch = {want, let_go};

dps_status dps_scaled_rows_in_scratch(dps_scaled_rows *rows, bool dense, int64_t entries,
                                      const dps_run *run, dps_error *err)
{
    const size_t size = dps_scaled_bytes(dense, rows->rows, rows->columns, entries);
    void *block;
    if (size > SIZE_MAX - DPS_ALIGN) {
        return dps_out_of_memory(err, size, 1, "scaled rows");
    }
    struct dps_tile_window *window =
        new_window(ring_places(tile_bytes(rows, dense, entries), run), run->threads);
    if (window == NULL) {
        return dps_out_of_memory(err, (size_t)run->threads, sizeof(int64_t), "scaled rows");
    }
    const dps_status status = dps_scratch_new(&block, size + DPS_ALIGN, run, err);
    if (status != DPS_OK) {
        free_window(window);
        return status;
    }
    rows->scratch = block;
    rows->scratch_bytes = size + DPS_ALIGN;
    rows->window = window;
    rows->store = &in_scratch;
    if (dense) {
        rows->dense = block;
        return DPS_OK;
    }
    rows->start = block;
    rows->column = (int32_t *)(void *)(rows->start + rows->rows + 1);
    rows->value = (float *)(void *)(rows->column + entries);
    return DPS_OK;
}

void dps_scaled_rows_rest_part(const dps_scaled_rows *rows, int64_t first, int64_t count,
                               int64_t begin, int64_t end)
{
    if (rows->scratch == NULL) {
        return;
    }
    if (rows->dense != NULL) {
        const size_t row = rows->stride * sizeof *rows->dense;
        dps_scratch_rest(rows->dense + (size_t)first * rows->stride, (size_t)count * row);
        return;
    }
    const size_t entries = (size_t)(end - begin);
    dps_scratch_rest(rows->start + first, ((size_t)count + 1) * sizeof *rows->start);
    dps_scratch_rest(rows->column + begin, entries * sizeof *rows->column);
    dps_scratch_rest(rows->value + begin, entries * sizeof *rows->value);
}

void dps_scaled_rows_rest(const dps_scaled_rows *rows, int64_t t)
{
    const int64_t first = t * DPS_TILE_ROWS, left = rows->rows - first;
    const bool sparse = rows->dense == NULL;
    const int64_t filled = left < DPS_TILE_ROWS ? left : DPS_TILE_ROWS;
    if (rows->scratch != NULL) {
        dps_scaled_rows_rest_part(rows, first, sparse ? filled : DPS_TILE_ROWS,
                                  sparse ? rows->start[first] : 0,
                                  sparse ? rows->start[first + filled] : 0);
    }
}

/* Copies bytes[size] into the scratch block a piece at a time. */
static void move_array(void *to, const void *from, size_t size, size_t piece)
{
    for (size_t at = 0; at < size; at += piece) {
        const size_t part = size - at < piece ? size - at : piece;
        memcpy((char *)to + at, (const char *)from + at, part);
        dps_scratch_rest((char *)to + at, part);
    }
}

dps_status dps_scaled_rows_spill(dps_scaled_rows *rows, const dps_run *run, dps_error *err)
{
    if (rows->scratch != NULL || rows->rows == 0) {
        return DPS_OK;
    }
    const bool dense = rows->dense != NULL;
    const int64_t entries = entries_of(rows);
    const size_t piece = tile_bytes(rows, dense, entries);
    dps_scaled_rows from = *rows;
    DPS_TRY(dps_scaled_rows_in_scratch(rows, dense, entries, run, err));
    if (dense) {
        const size_t height = (size_t)(dps_tile_count(rows->rows) * DPS_TILE_ROWS);
        move_array(rows->dense, from.dense, height * rows->stride * sizeof *rows->dense, piece);
    } else {
        const size_t count = (size_t)entries;
        move_array(rows->start, from.start, ((size_t)rows->rows + 1) * sizeof *rows->start, piece);
        move_array(rows->column, from.column, count * sizeof *rows->column, piece);
        move_array(rows->value, from.value, count * sizeof *rows->value, piece);
    }
    dps_scaled_rows_release(&from);
    rows->row_capacity = rows->entry_capacity = rows->dense_capacity = 0;
    dps_scaled_rows_say(rows, run);
    return DPS_OK;
}

void dps_scaled_rows_say(const dps_scaled_rows *rows, const dps_run *run)
{
    char size[DPS_NUMBER_MAX], have[DPS_NUMBER_MAX];
    dps_format_bytes(size, (double)rows->scratch_bytes);
    dps_format_bytes(have, (double)run->memory);
    dps_log_text(run, DPS_NORMAL,
                 "out of core: the scaled rows take %s, run.memory is %s: they lie in a scratch "
                 "file in %s (run.scratch)",
                 size, have, dps_scratch_folder(run));
}

size_t dps_scaled_rows_memory(const dps_scaled_rows *rows)
{
    const bool dense = rows->dense != NULL;
    if (rows->rows == 0) {
        return 0;
    }
    const size_t all = dps_scaled_bytes(dense, rows->rows, rows->columns, entries_of(rows));
    const struct dps_tile_window *window = rows->window;
    const size_t places = window != NULL ? (size_t)window->places * (size_t)window->rings : 0;
    const size_t wanted = places * tile_bytes(rows, dense, entries_of(rows));
    return window != NULL && wanted < all ? wanted : all;
}

size_t dps_scaled_rows_memory_spilled(const dps_scaled_rows *rows, const dps_run *run)
{
    const bool dense = rows->dense != NULL;
    if (rows->window != NULL || rows->rows == 0) {
        return dps_scaled_rows_memory(rows);
    }
    const size_t each = tile_bytes(rows, dense, entries_of(rows));
    const size_t wanted = each * (size_t)ring_places(each, run) * (size_t)run->threads;
    const size_t all = dps_scaled_rows_memory(rows);
    return wanted < all ? wanted : all;
}
