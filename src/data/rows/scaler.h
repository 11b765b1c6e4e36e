/* Scaling of rows: first columns, x' = (x - shift) * factor, then rows. Fitted on training rows,
 * stored in the model, the same arithmetic in training and prediction.
 *
 *     max_abs   shift 0,    factor 1 / max |x|
 *     min_max   shift min,  factor 1 / (max - min)
 *     standard  shift mean, factor 1 / deviation (population), both from ordered double sums
 *     none      shift 0,    factor 1
 *     constant columns: factor 1 (min_max, standard: they become 0)
 *
 * and two that bend a column, with shift 0:
 *
 *     log       x' = sign(x) log(1 + |x| / unit) factor, the largest |x'| being 1
 *     rank      x' = level between the column's knots, linear between two, constant beyond them;
 *               -1 to 1, constant columns 0, factor 1
 *
 *     rows: max_norm  times 1 / (largest L2 norm of a column-scaled training row)
 *           unit      each row divided by its own norm (a zero row stays 0)
 *           none
 *
 * Zeros that are not written count as values. What moves zeros (a shift, rank) makes rows dense. */
#ifndef DPS_SCALER_H
#define DPS_SCALER_H

#include <stdbool.h>
#include <stdint.h>
#include "names.h"
#include "row_parser.h"
#include "row_tile.h"

typedef enum dps_scaling {
    DPS_SCALE_NONE,
    DPS_SCALE_MAX_ABS,
    DPS_SCALE_MIN_MAX,
    DPS_SCALE_STANDARD,
    DPS_SCALE_LOG,
    DPS_SCALE_RANK
} dps_scaling;
extern const char *const dps_scaling_names[];
typedef enum dps_normalize {
    DPS_NORMALIZE_NONE,
    DPS_NORMALIZE_MAX_NORM,
    DPS_NORMALIZE_UNIT
} dps_normalize;
extern const char *const dps_normalize_names[];

#define DPS_RANK_KNOTS 64 /* of a column, at most */

typedef struct dps_scaler {
    dps_scaling scaling;
    dps_normalize normalize;
    bool dense; /* rows are kept as dense panels (density >= 1/8 or zeros move), else compressed */
    int32_t columns;   /* d: raw features with a non-zero value in some training row */
    int32_t *index;    /* their raw indices from 0, ascending */
    double *shift;     /* per column */
    double *factor;    /* per column */
    double *unit;      /* log: per column, > 0; else NULL */
    int32_t knots;     /* rank: of all columns; else 0, and the next three NULL */
    int32_t *begin;    /* columns + 1: knots of column j are begin[j] to begin[j + 1] - 1 */
    double *knot;      /* values of the column, ascending */
    double *level;     /* what they become, ascending */
    double row_factor; /* max_norm: 1 / largest training norm; else 1 */
    double radius1;    /* R1: largest L1 norm of a scaled training row */
    double radius2;    /* R2: largest L2 norm */
} dps_scaler;

/* On errors `to` must be released. */
DPS_MUST_USE dps_status dps_scaler_copy(const dps_scaler *from, dps_scaler *to, dps_error *err);
void dps_scaler_release(dps_scaler *scaler);
size_t dps_scaler_bytes(const dps_scaler *scaler);
/* Whether a column is x' = (x - shift) factor. */
bool dps_scaling_is_affine(dps_scaling scaling);
/* Whether a value that is not written becomes something else than 0. */
bool dps_scaler_moves_zeros(const dps_scaler *scaler);
/* What x becomes in column j, before the scaling of rows. */
double dps_scaler_value(const dps_scaler *scaler, int32_t j, double x);

struct dps_scaled_rows;
/* Where rows lie that are not in memory. */
struct dps_row_store {
    void (*want)(const struct dps_scaled_rows *rows, int64_t t); /* tile t is read next */
    void (*release)(struct dps_scaled_rows *rows);
};

/* Scaled rows in memory, dense or compressed, as tiles of DPS_TILE_ROWS. Owner of its buffers. A
 * tile is got by dps_scaled_rows_tile. */
typedef struct dps_scaled_rows {
    int64_t rows;
    int32_t columns;
    size_t stride;
    float *dense; /* whole tiles, zero-padded, or NULL */
    int64_t *start;
    int32_t *column;
    float *value;
    int64_t outside; /* rows with |x|_2 beyond radius2 (1 + 1e-6) */
    int64_t unknown; /* values of features that the scaler does not know (left out) */
    size_t row_capacity, entry_capacity, dense_capacity;
    /* Rows in a scratch file (scaled_store.h), else NULL: it holds all arrays. */
    void *scratch;
    size_t scratch_bytes;
    struct dps_tile_window *window;
    const struct dps_row_store *store;
} dps_scaled_rows;

/* Scales a parsed block (prediction). Buffers of `out` are reused. A value that overflows float
 * after scaling is an error with the row's number within the block in err->line. Thread-safe. */
DPS_MUST_USE dps_status dps_scale_block(const dps_scaler *scaler, const dps_row_block *block,
                                        dps_scaled_rows *out, dps_error *err);
/* Tile t: a view. */
void dps_scaled_rows_tile(const dps_scaled_rows *rows, int64_t t, dps_row_tile *tile);
/* All of them, without weights, as those of one rank; a view. */
dps_row_source dps_scaled_rows_source(const dps_scaled_rows *rows);
void dps_scaled_rows_release(dps_scaled_rows *rows);

#endif
