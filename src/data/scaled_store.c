/* One scratch block holds all arrays. Which tiles are resident is kept by a ring of the tiles
 * wanted last: whoever asks for a tile takes the next place of the ring and gives back the tile
 * that stood there. Nobody says when a tile is done with; a tile that is given back while it is
 * still read comes in again, which costs a page fault and changes nothing. Cost: one system call a
 * tile. */
#include "scaled_store.h"

#include <string.h>

#include "memory.h"
#include "number.h"
#include "scale_rows.h"
#include "scratch.h"

#define WINDOW_SHARE 16 /* of run->memory */
#define LEAST_TILES  16
#define COPY_TILES   64 /* copied between two times that pages are given back */

struct dps_tile_window {
    int64_t places, next;
    int64_t *tile; /* wanted last at each place, or -1 */
};

/* Of compressed rows; 0 for dense ones. */
static int64_t entries_of(const dps_scaled_rows *rows)
{
    return rows->start != NULL ? rows->start[rows->rows] : 0;
}

static size_t tile_bytes(const dps_scaled_rows *rows, bool dense, int64_t entries)
{
    const size_t tiles = (size_t)dps_tile_count(rows->rows);
    const size_t all = dps_scaled_bytes(dense, rows->rows, rows->columns, entries);
    return tiles > 0 && all / tiles > 0 ? all / tiles : 1;
}

static int64_t window_places(size_t each, int64_t tiles, const dps_run *run)
{
    const size_t fit = run->memory / WINDOW_SHARE / each;
    const size_t least = LEAST_TILES + 2 * (size_t)run->threads;
    const size_t places = fit < least ? least : fit;
    return places < (size_t)tiles ? (int64_t)places : tiles;
}

static struct dps_tile_window *new_window(int64_t places)
{
    struct dps_tile_window *window = dps_alloc(1, sizeof *window);
    if (window != NULL) {
        window->tile = dps_alloc((size_t)places, sizeof *window->tile);
        window->places = places;
    }
    if (window == NULL || window->tile == NULL) {
        dps_free(window);
        return NULL;
    }
    for (int64_t k = 0; k < places; k++) {
        window->tile[k] = -1;
    }
    return window;
}

dps_status dps_scaled_rows_in_scratch(dps_scaled_rows *rows, bool dense, int64_t entries,
                                      const dps_run *run, dps_error *err)
{
    const int64_t tiles = dps_tile_count(rows->rows);
    const size_t size = dps_scaled_bytes(dense, rows->rows, rows->columns, entries);
    void *block;
    if (size > SIZE_MAX - DPS_ALIGN) {
        return dps_out_of_memory(err, size, 1, "scaled rows");
    }
    struct dps_tile_window *window =
        new_window(window_places(tile_bytes(rows, dense, entries), tiles > 0 ? tiles : 1, run));
    if (window == NULL) {
        return dps_out_of_memory(err, (size_t)tiles, sizeof(int64_t), "scaled rows");
    }
    const dps_status status = dps_scratch_new(&block, size + DPS_ALIGN, run, err);
    if (status != DPS_OK) {
        dps_free(window->tile);
        dps_free(window);
        return status;
    }
    rows->scratch = block;
    rows->scratch_bytes = size + DPS_ALIGN;
    rows->window = window;
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

void dps_scaled_rows_want(const dps_scaled_rows *rows, int64_t t)
{
    struct dps_tile_window *window = rows->window;
    if (window == NULL) {
        return;
    }
    const int64_t turn = __atomic_fetch_add(&window->next, 1, __ATOMIC_RELAXED);
    const int64_t old =
        __atomic_exchange_n(&window->tile[turn % window->places], t, __ATOMIC_RELAXED);
    if (old >= 0 && old != t) {
        dps_scaled_rows_rest(rows, old);
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
    const size_t piece = COPY_TILES * tile_bytes(rows, dense, entries);
    dps_scaled_rows from = *rows;
    const dps_status status = dps_scaled_rows_in_scratch(rows, dense, entries, run, err);
    if (status != DPS_OK) {
        return status;
    }
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
    if (rows->window != NULL) {
        const int64_t tiles = dps_tile_count(rows->rows);
        return (size_t)rows->window->places * (rows->scratch_bytes / (size_t)tiles);
    }
    return dps_scaled_bytes(dense, rows->rows, rows->columns, entries_of(rows));
}

size_t dps_scaled_rows_memory_spilled(const dps_scaled_rows *rows, const dps_run *run)
{
    const bool dense = rows->dense != NULL;
    if (rows->window != NULL || rows->rows == 0) {
        return dps_scaled_rows_memory(rows);
    }
    const size_t each = tile_bytes(rows, dense, entries_of(rows));
    return each * (size_t)window_places(each, dps_tile_count(rows->rows), run);
}

void dps_scaled_rows_release(dps_scaled_rows *rows)
{
    if (rows->scratch != NULL) {
        dps_scratch_free(rows->scratch, rows->scratch_bytes);
        dps_free(rows->window->tile);
        dps_free(rows->window);
    } else {
        dps_free(rows->dense);
        dps_free(rows->start);
        dps_free(rows->column);
        dps_free(rows->value);
    }
    memset(rows, 0, sizeof *rows);
}
