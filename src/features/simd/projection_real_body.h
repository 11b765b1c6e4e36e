/* projection_real_portable.c by registers of AVX, with equal bits; for inclusion by one file an
 * instruction set behind its vectors, its ROWS, float_nearest and float_absolute, and the name
 * REAL_PROJECT.
 *
 * Shape: ROWS rows x 2 LANES features; each load of frequencies is shared by ROWS rows and each
 * broadcast coordinate by WIDTH features. Coordinates of up to 48 rows are packed in blocks (d x
 * ROWS each, in scratch), and WIDTH lanes of a panel of frequencies serve all of them from L2.
 * Running products and the cosine stay in registers or on the stack; z is written once. */
#include <string.h>
#include "projection_private.h"

enum { WIDTH = 2 * LANES };

static inline float_vector cosine_of_turns(float_vector t)
{
    const float_vector u = float_spread(0.25f) - float_absolute(t - float_nearest(t));
    const float_vector v = u * u;
    float_vector s = madd_float(float_spread(DPS_TURN_SINE_4), v, float_spread(DPS_TURN_SINE_3));
    s = madd_float(s, v, float_spread(DPS_TURN_SINE_2));
    s = madd_float(s, v, float_spread(DPS_TURN_SINE_1));
    s = madd_float(s, v, float_spread(DPS_TURN_SINE_0));
    return s * u;
}

/* Features begin .. begin + WIDTH - 1 for `rows` rows (a constant after inlining, like `cosine`);
 * x: d x rows, z: rows x stride. */
__attribute__((always_inline)) static inline void project_part(int rows, bool cosine,
                                                               const dps_real_panels *panels,
                                                               int32_t begin, const float *x,
                                                               float *z, size_t stride)
{
    const int32_t p = begin / DPS_PANEL, lane = begin % DPS_PANEL;
    const float *frequency = panels->frequency + panels->offset[p] + lane;
    const float *phase =
        panels->phase != NULL ? panels->phase + panels->phase_offset[p] + lane : NULL;
    const float *weight = panels->weight + begin;
    const float_vector amplitude = float_spread(panels->amplitude), zero = float_spread(0.0f);
    float_vector product[ROWS][2];
    for (int r = 0; r < rows; r++) {
        product[r][0] = float_load(weight);
        product[r][1] = float_load(weight + LANES);
    }
    for (int32_t factor = 0; factor < panels->degree[p]; factor++) {
        float_vector sum[ROWS][2];
        for (int r = 0; r < rows; r++) {
            sum[r][0] = phase != NULL ? float_load(phase) : zero;
            sum[r][1] = phase != NULL ? float_load(phase + LANES) : zero;
        }
        for (int32_t j = 0; j < panels->columns; j++, frequency += DPS_PANEL) {
            const float_vector low = float_load(frequency), high = float_load(frequency + LANES);
            for (int r = 0; r < rows; r++) {
                const float_vector coordinate =
                    float_spread(x[(size_t)j * (size_t)rows + (size_t)r]);
                sum[r][0] = madd_float(low, coordinate, sum[r][0]);
                sum[r][1] = madd_float(high, coordinate, sum[r][1]);
            }
        }
        for (int r = 0; r < rows; r++) {
            for (int h = 0; h < 2; h++) {
                product[r][h] *= cosine ? amplitude * cosine_of_turns(sum[r][h]) : sum[r][h];
            }
        }
        phase = phase != NULL ? phase + DPS_PANEL : NULL;
    }
    for (int r = 0; r < rows; r++) {
        float_store(z + (size_t)r * stride, product[r][0]);
        float_store(z + (size_t)r * stride + LANES, product[r][1]);
    }
}

__attribute__((always_inline)) static inline void project_any(int rows,
                                                              const dps_real_panels *panels,
                                                              int32_t begin, const float *x,
                                                              float *z, size_t stride)
{
    if (panels->kind == DPS_REAL_COSINE) {
        project_part(rows, true, panels, begin, x, z, stride);
    } else {
        project_part(rows, false, panels, begin, x, z, stride);
    }
}

__attribute__((always_inline)) static inline void project_blocks(int rows, int32_t blocks,
                                                                 const dps_real_panels *panels,
                                                                 const float *packed, float *z,
                                                                 size_t stride, int32_t features)
{
    const size_t block = (size_t)panels->columns * (size_t)rows;
    for (int32_t begin = 0; begin < features; begin += WIDTH) {
        for (int32_t b = 0; b < blocks; b++) {
            const float *x = packed + (size_t)b * block;
            float *out = z + (size_t)(b * rows) * stride + begin;
            if (features - begin >= WIDTH) {
                project_any(rows, panels, begin, x, out, stride);
                continue;
            }
            float last[ROWS * WIDTH];
            project_any(rows, panels, begin, x, last, WIDTH);
            for (int r = 0; r < rows; r++) {
                memcpy(out + (size_t)r * stride, last + r * WIDTH,
                       (size_t)(features - begin) * sizeof(float));
            }
        }
    }
}

/* packed: d x ROWS coordinates of ROWS rows of x. */
static void pack_rows(const float *x, size_t x_stride, int32_t columns, float *packed)
{
    for (size_t j = 0; j < (size_t)columns; j++) {
        for (size_t r = 0; r < ROWS; r++) {
            packed[j * ROWS + r] = x[r * x_stride + j];
        }
    }
}

DPS_REAL_VARIANT(REAL_PROJECT)
{
    float *packed = scratch;
    int32_t i = 0;
    while (tile->rows - i >= ROWS) {
        const float *x = tile->dense + (size_t)i * tile->stride;
        const int32_t left = (tile->rows - i) / ROWS;
        const int32_t blocks =
            left < DPS_REAL_PACKED_ROWS / ROWS ? left : DPS_REAL_PACKED_ROWS / ROWS;
        for (size_t b = 0; b < (size_t)blocks; b++) {
            pack_rows(x + b * ROWS * tile->stride, tile->stride, panels->columns,
                      packed + b * ROWS * (size_t)panels->columns);
        }
        project_blocks(ROWS, blocks, panels, packed, z + (size_t)i * stride, stride, features);
        i += blocks * ROWS;
    }
    for (; i < tile->rows; i++) {
        project_blocks(1, 1, panels, tile->dense + (size_t)i * tile->stride, z + (size_t)i * stride,
                       stride, features);
    }
}
