/* Loading small data sets in tests, and comparing what came out bit by bit. */
#ifndef DPS_LOAD_FIXTURE_H
#define DPS_LOAD_FIXTURE_H

#include "allocation.h"
#include "data_fixture.h"
#include "dataset_private.h"
#include "text.h"

static inline dps_load_options load_options(const char *const *paths, size_t count,
                                            dps_scaling scaling, dps_normalize normalize)
{
    return (dps_load_options){.paths = paths,
                              .path_count = count,
                              .read = {.format = "auto"},
                              .scaling = scaling,
                              .normalize = normalize};
}

/* Small pseudo-random integers, the same everywhere. */
static inline uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* rows x columns with a share of non-zero values of 1/sparsity, labels of 3 classes; blank lines
 * and comments among them. Column j has its own magnitude. */
static inline char *random_text(int rows, int columns, int sparsity, uint64_t seed)
{
    static const char *const label[] = {"+1", "-1", "other"};
    dps_text text = {0};
    for (int i = 0; i < rows; i++) {
        dps_text_format(&text, "%s", label[next_random(&seed) % 3]);
        for (int j = 0; j < columns; j++) {
            if (next_random(&seed) % (uint32_t)sparsity == 0) {
                const double x = (double)(next_random(&seed) % 2001) / 1000.0 - 0.7;
                dps_text_format(&text, " %d:%.4g", 3 * j + 1, x * (1 + j * j));
            }
        }
        dps_text_add(&text, i % 7 == 3 ? "\n\n# comment\n" : "\n");
    }
    assert_false(text.failed);
    return text.data;
}

#define SAME_ARRAY(a, b, first, count)                                                             \
    do {                                                                                           \
        assert_true(((a) == NULL) == ((b) == NULL));                                               \
        if ((a) != NULL) {                                                                         \
            assert_memory_equal((a) + (first), (b), (size_t)(count) * sizeof *(a));                \
        }                                                                                          \
    } while (0)

/* What is fitted to columns. */
static inline void assert_same_columns(const dps_scaler *a, const dps_scaler *b)
{
    const size_t columns = (size_t)a->columns;
    assert_int_equal(a->columns, b->columns);
    assert_int_equal(a->knots, b->knots);
    SAME_ARRAY(a->index, b->index, 0, columns);
    SAME_ARRAY(a->shift, b->shift, 0, columns);
    SAME_ARRAY(a->factor, b->factor, 0, columns);
    SAME_ARRAY(a->unit, b->unit, 0, columns);
    SAME_ARRAY(a->begin, b->begin, 0, columns + 1);
    SAME_ARRAY(a->knot, b->knot, 0, a->knots);
    SAME_ARRAY(a->level, b->level, 0, a->knots);
}

static inline void assert_same_data(const dps_dataset *a, const dps_dataset *b)
{
    const size_t rows = (size_t)a->x.rows;
    assert_int_equal(a->x.rows, b->x.rows);
    assert_int_equal(a->x.columns, b->x.columns);
    assert_int_equal(a->classes.count, b->classes.count);
    assert_int_equal(a->nonzeros, b->nonzeros);
    for (int32_t k = 0; k < a->classes.count; k++) {
        assert_string_equal(a->classes.text[k], b->classes.text[k]);
        assert_int_equal(a->classes.rows[k], b->classes.rows[k]);
    }
    assert_memory_equal(a->label, b->label, rows * sizeof *a->label);
    assert_same_columns(&a->scaler, &b->scaler);
    assert_memory_equal(&a->scaler.row_factor, &b->scaler.row_factor, sizeof(double));
    assert_memory_equal(&a->scaler.radius1, &b->scaler.radius1, sizeof(double));
    assert_memory_equal(&a->scaler.radius2, &b->scaler.radius2, sizeof(double));
    assert_int_equal(a->scaler.dense, b->scaler.dense);
    if (a->scaler.dense) {
        const size_t floats = (size_t)(dps_tile_count(a->x.rows) * DPS_TILE_ROWS) * a->x.stride;
        assert_memory_equal(a->x.dense, b->x.dense, floats * sizeof(float));
    } else {
        const size_t entries = (size_t)a->x.start[rows];
        assert_memory_equal(a->x.start, b->x.start, (rows + 1) * sizeof *a->x.start);
        assert_memory_equal(a->x.column, b->x.column, entries * sizeof *a->x.column);
        assert_memory_equal(a->x.value, b->x.value, entries * sizeof *a->x.value);
    }
}

static inline void load_ok(const dps_load_options *options, size_t chunk_bytes, int threads,
                           dps_dataset *data)
{
    const dps_run run = run_with(threads);
    dps_error err;
    if (dps_dataset_load_chunked(options, chunk_bytes, &run, data, &err) != DPS_OK) {
        fail_msg("%s:%lld: %s", err.file, (long long)err.line, err.text);
    }
}

/* x_ij of a loaded data set. */
static inline double value_at(const dps_dataset *data, int64_t i, int32_t j)
{
    dps_row_tile tile;
    dps_scaled_rows_tile(&data->x, i / DPS_TILE_ROWS, &tile);
    const int64_t r = i % DPS_TILE_ROWS;
    if (tile.dense != NULL) {
        return (double)tile.dense[(size_t)r * tile.stride + (size_t)j];
    }
    for (int64_t k = tile.start[r]; k < tile.start[r + 1]; k++) {
        if (tile.column[k] == j) {
            return (double)tile.value[k];
        }
    }
    return 0.0;
}

#endif
