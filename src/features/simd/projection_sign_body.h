/* projection_sign_portable.c by registers of AVX, with equal bits; for inclusion by one file an
 * instruction set behind its vectors, its shape (ROWS, and ENTRIES of a table), build_tables,
 * load_signs and add_groups, and the name SIGN_PROJECT. */
#include <string.h>

enum { WIDTH = 2 * LANES };

/* product * sum, lane by lane, or complex numbers of neighbouring lanes. */
static inline float_vector multiply(float_vector product, float_vector sum, bool pairs)
{
    if (!pairs) {
        return product * sum;
    }
    const mm_float swapped = MM(permute_ps)(product, 0xB1);
    return MM(fmaddsub_ps)(product, MM(moveldup_ps)(sum),
                           MM(mul_ps)(swapped, MM(movehdup_ps)(sum)));
}

/* WIDTH features from `word` and `weight` on for `rows` rows (a constant after inlining); z: rows x
 * stride. */
__attribute__((always_inline)) static inline void
project_part(int rows, int32_t groups, int32_t degree, bool pairs, const uint32_t *word,
             const float *weight, const float *table, float *z, size_t stride)
{
    float_vector product[ROWS][2];
    for (int r = 0; r < rows; r++) {
        product[r][0] = float_load(weight);
        product[r][1] = float_load(weight + LANES);
    }
    for (int32_t factor = 0; factor < degree; factor++) {
        float_vector sum[ROWS][2];
        for (int r = 0; r < rows; r++) {
            sum[r][0] = sum[r][1] = float_spread(0.0f);
        }
        for (int32_t g = 0; g < groups; g += 8, word += DPS_PANEL) {
            const sign_vector signs[2] = {load_signs(word), load_signs(word + LANES)};
            const float *entries = table + (size_t)g * (size_t)rows * ENTRIES;
            if (groups - g >= 8) {
                add_groups(rows, 8, entries, signs, sum);
            } else {
                add_groups(rows, groups - g, entries, signs, sum);
            }
        }
        for (int r = 0; r < rows; r++) {
            product[r][0] = multiply(product[r][0], sum[r][0], pairs);
            product[r][1] = multiply(product[r][1], sum[r][1], pairs);
        }
    }
    for (int r = 0; r < rows; r++) {
        float_store(z + (size_t)r * stride, product[r][0]);
        float_store(z + (size_t)r * stride + LANES, product[r][1]);
    }
}

__attribute__((always_inline)) static inline void
project_rows(int rows, const dps_sign_panels *panels, const float *x, size_t x_stride, float *z,
             size_t stride, int32_t features, float *table)
{
    const int32_t groups = (panels->columns + 3) / 4;
    for (int r = 0; r < rows; r++) {
        build_tables(x + (size_t)r * x_stride, panels->input_scale_inverse, groups,
                     table + r * ENTRIES, (size_t)rows * ENTRIES);
    }
    for (int32_t begin = 0; begin < features; begin += WIDTH) {
        const int32_t p = begin / DPS_PANEL, lane = begin % DPS_PANEL;
        const uint32_t *word = panels->word + panels->offset[p] + lane;
        const float *weight = panels->weight + begin;
        if (features - begin >= WIDTH) {
            project_part(rows, groups, panels->degree[p], panels->pairs, word, weight, table,
                         z + begin, stride);
            continue;
        }
        float last[ROWS * WIDTH];
        project_part(rows, groups, panels->degree[p], panels->pairs, word, weight, table, last,
                     WIDTH);
        for (int r = 0; r < rows; r++) {
            memcpy(z + (size_t)r * stride + begin, last + r * WIDTH,
                   (size_t)(features - begin) * sizeof(float));
        }
    }
}

DPS_SIGN_VARIANT(SIGN_PROJECT)
{
    int32_t i = 0;
    for (; i + ROWS <= tile->rows; i += ROWS) {
        project_rows(ROWS, panels, tile->dense + (size_t)i * tile->stride, tile->stride,
                     z + (size_t)i * stride, stride, features, scratch);
    }
    for (; i < tile->rows; i++) {
        project_rows(1, panels, tile->dense + (size_t)i * tile->stride, tile->stride,
                     z + (size_t)i * stride, stride, features, scratch);
    }
}
