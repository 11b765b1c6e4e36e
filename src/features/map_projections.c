/* Task: read and write the projections of a map that moves, and derivatives by them.
 *
 * z_j = weight_j prod_f value_f(p_f), so that
 *
 *   dz_j / dp_f = weight_j prod_{g < f} value_g  value'_f  prod_{g > f} value_g,
 *   value' = 1 for p, and for cos(p): -sin(p) = cos(p + pi / 2), the same kernel a quarter turn on.
 *
 * Cost: each factor is projected once (rows * F * d fma), products of at most the degree. Rows are
 * taken ROWS at a time, so that the factors of a panel stay in the second-level cache. */
#include "map_projections.h"

#include <assert.h>
#include <string.h>
#include "allocation.h"
#include "map_private.h"

enum { ROWS = 48, AREA = ROWS * DPS_PANEL };

static const double two_pi = 6.283185307179586;

/* A panel whose projections move. */
typedef struct moving_panel {
    int32_t p, degree, lanes;
    int32_t column; /* among the random ones, of its first lane */
    int32_t factor; /* number of its first factor */
    bool cosine;
} moving_panel;

/* The next panel after *m (all zero, with p = -1: the first); false: there is none. */
static bool next_panel(const dps_map *map, moving_panel *m)
{
    int32_t p = m->p + 1;
    const int32_t factor = m->factor + m->degree * m->lanes;
    for (int32_t b = 0; b < map->layout.block_count; b++) {
        const dps_block *block = &map->layout.block[b];
        const bool cosine = block->kind == DPS_BLOCK_COSINES;
        const int32_t before = (p - map->first_panel[b]) * DPS_PANEL;
        if (!(cosine || block->kind == DPS_BLOCK_AFFINE) || before >= block->columns) {
            continue;
        }
        p = before < 0 ? map->first_panel[b] : p;
        const int32_t begin = before < 0 ? 0 : before, left = block->columns - begin;
        *m = (moving_panel){.p = p,
                            .degree = block->degree,
                            .lanes = left < DPS_PANEL ? left : DPS_PANEL,
                            .column = block->first + begin,
                            .factor = factor,
                            .cosine = cosine};
        return true;
    }
    return false;
}

int32_t dps_map_factors(const dps_map *map)
{
    moving_panel m = {.p = -1};
    int32_t factors = 0;
    while (map->moves && next_panel(map, &m)) {
        factors = m.factor + m.degree * m.lanes;
    }
    return factors;
}

/* Place of the first lane of a factor's coefficients, and of its offset. */
static float *coefficients(const dps_map *map, const moving_panel *m, int32_t factor)
{
    return map->frequency + map->offset[m->p] +
           (size_t)factor * (size_t)map->layout.columns * DPS_PANEL;
}

static float *offsets(const dps_map *map, const moving_panel *m, int32_t factor)
{
    return map->phase + map->phase_offset[m->p] + (size_t)factor * DPS_PANEL;
}

void dps_map_projections(const dps_map *map, float *v)
{
    const size_t d = (size_t)map->layout.columns, factors = (size_t)dps_map_factors(map);
    moving_panel m = {.p = -1};
    while (next_panel(map, &m)) {
        const double unit = m.cosine ? two_pi : 1.0; /* turns */
        for (int32_t g = 0; g < m.degree; g++) {
            float *to = v + m.factor + g * m.lanes;
            for (size_t j = 0; j <= d; j++, to += factors) {
                const float *from =
                    j < d ? coefficients(map, &m, g) + j * DPS_PANEL : offsets(map, &m, g);
                for (int32_t lane = 0; lane < m.lanes; lane++) {
                    to[lane] = (float)(from[lane] * unit);
                }
            }
        }
    }
}

void dps_map_move(dps_map *map, const float *v)
{
    const size_t d = (size_t)map->layout.columns, factors = (size_t)dps_map_factors(map);
    moving_panel m = {.p = -1};
    while (next_panel(map, &m)) {
        const double unit = m.cosine ? 1.0 / two_pi : 1.0;
        for (int32_t g = 0; g < m.degree; g++) {
            const float *from = v + m.factor + g * m.lanes;
            for (size_t j = 0; j <= d; j++, from += factors) {
                float *to = j < d ? coefficients(map, &m, g) + j * DPS_PANEL : offsets(map, &m, g);
                for (int32_t lane = 0; lane < m.lanes; lane++) {
                    to[lane] = (float)(from[lane] * unit);
                }
            }
        }
    }
}

/* An entry is a chain of doubles over the coordinates in order. */
void dps_metric_apply(int32_t d, int32_t factors, const float *t, const float *start, float *v)
{
    const size_t n = (size_t)d, f = (size_t)factors;
    memcpy(v + n * f, start + n * f, f * sizeof *v);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < f; j++) {
            double sum = 0.0;
            if (d > DPS_FULL_METRIC) {
                sum = (double)t[i] * (double)start[i * f + j];
            } else {
                for (size_t k = 0; k < n; k++) {
                    sum += (double)t[i * n + k] * (double)start[k * f + j];
                }
            }
            v[i * f + j] = (float)sum;
        }
    }
}

/* value (ROWS x DPS_PANEL) of one factor, or its derivative by p. */
static void project_factor(const dps_map *map, dps_simd simd, const moving_panel *m, int32_t factor,
                           bool derivative, const dps_row_tile *rows, float *value, void *scratch)
{
    const int32_t one = 1;
    const size_t zero = 0;
    float weight[DPS_PANEL], phase[DPS_PANEL];
    for (int32_t lane = 0; lane < DPS_PANEL; lane++) {
        weight[lane] = 1.0f;
        phase[lane] = offsets(map, m, factor)[lane] + (derivative ? 0.25f : 0.0f);
    }
    const dps_real_panels panel = {.kind = m->cosine ? DPS_REAL_COSINE : DPS_REAL_LINEAR,
                                   .columns = map->layout.columns,
                                   .panels = 1,
                                   .degree = &one,
                                   .offset = &zero,
                                   .frequency = coefficients(map, m, factor),
                                   .phase_offset = &zero,
                                   .phase = phase,
                                   .amplitude = m->cosine ? map->amplitude : 1.0f,
                                   .weight = weight};
    dps_real_project(simd, &panel, rows, value, DPS_PANEL, DPS_PANEL, scratch);
}

static int32_t highest_degree(const dps_map *map)
{
    moving_panel m = {.p = -1};
    int32_t degree = 1;
    while (next_panel(map, &m)) {
        degree = degree > m.degree ? degree : m.degree;
    }
    return degree;
}

/* Areas: the values of all factors, one derivative, and a product before and after each factor. */
size_t dps_map_slopes_bytes(const dps_map *map)
{
    return (3 * (size_t)highest_degree(map) + 2) * AREA * sizeof(float) +
           dps_real_scratch_bytes(map->layout.columns);
}

static void fill(float *area, const float weight[DPS_PANEL])
{
    for (int32_t i = 0; i < ROWS; i++) {
        memcpy(area + i * DPS_PANEL, weight, DPS_PANEL * sizeof(float));
    }
}

static void multiply(const float *a, const float *b, float *product)
{
    for (size_t k = 0; k < AREA; k++) {
        product[k] = a[k] * b[k];
    }
}

/* One panel on at most ROWS rows. column_slope: of its first lane; slope: of its first factor. */
static void panel_slopes(const dps_map *map, dps_simd simd, const moving_panel *m,
                         const dps_row_tile *rows, const float *column_slope, size_t column_stride,
                         float *slope, size_t stride, float *area)
{
    static const float ones[DPS_PANEL] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                          1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const int32_t n = m->degree;
    float *value = area, *derivative = value + n * AREA, *after = derivative + AREA;
    float *before = after + (n + 1) * AREA;
    void *scratch = before + n * AREA;
    fill(before, map->weight + (size_t)m->p * DPS_PANEL);
    fill(after + n * AREA, ones);
    for (int32_t g = n - 1; g > 0; g--) {
        project_factor(map, simd, m, g, false, rows, value + g * AREA, scratch);
        multiply(value + g * AREA, after + (g + 1) * AREA, after + g * AREA);
    }
    for (int32_t g = 0; g < n; g++) {
        if (g > 0) {
            multiply(before, value + (g - 1) * AREA, before);
        } else if (n > 1) {
            project_factor(map, simd, m, 0, false, rows, value, scratch);
        }
        if (m->cosine) {
            project_factor(map, simd, m, g, true, rows, derivative, scratch);
        } else {
            fill(derivative, ones);
        }
        multiply(before, derivative, derivative);
        multiply(derivative, after + (g + 1) * AREA, derivative);
        for (int32_t i = 0; i < rows->rows; i++) {
            const float *from = column_slope + (size_t)i * column_stride;
            float *to = slope + (size_t)i * stride + (size_t)(g * m->lanes);
            for (int32_t lane = 0; lane < m->lanes; lane++) {
                to[lane] = from[lane] * derivative[i * DPS_PANEL + lane];
            }
        }
    }
}

void dps_map_slopes(const dps_map *map, dps_simd simd, const dps_row_tile *tile,
                    const float *column_slope, size_t column_stride, float *slope, size_t stride,
                    void *scratch)
{
    assert(tile->dense != NULL && map->moves);
    memset(scratch, 0, dps_map_slopes_bytes(map)); /* lanes and rows that are not there */
    for (int32_t i = 0; i < tile->rows; i += ROWS) {
        dps_row_tile rows = *tile;
        rows.dense += (size_t)i * tile->stride;
        rows.rows = tile->rows - i < ROWS ? tile->rows - i : ROWS;
        moving_panel m = {.p = -1};
        while (next_panel(map, &m)) {
            const float *columns = column_slope + (size_t)i * column_stride;
            panel_slopes(map, simd, &m, &rows, columns + map->exact.width + m.column, column_stride,
                         slope + (size_t)i * stride + m.factor, stride, scratch);
        }
    }
}
