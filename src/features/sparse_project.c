/* Task: random features of compressed rows.
 *
 * Signs: the body in sparse_project_body.h, once an instruction set. Real projections: the
 * accumulator starts at +0 or the phase and takes the coordinates in order by fma; a coordinate
 * that is 0 changes nothing (fma(w, 0, s) = s, as s is never -0), so that a row with its n entries
 * as a dense row of n columns, beside the matching n rows of frequencies, has the same bits, and
 * dps_real_project does the rest. One factor a call: the running product goes in as the weight.
 *
 * Cost: rows x entries x D x factors; copying frequencies doubles the traffic of the fused kernel,
 * which is small against d / entries. */
#include "sparse_project.h"
#include <assert.h>
#include <string.h>
#include "allocation.h"

void dps_sparse_sign_project(dps_simd simd, const dps_sign_panels *panels, const dps_row_tile *tile,
                             float *z, size_t stride, int32_t features)
{
    assert(tile->start != NULL && tile->columns == panels->columns);
    DPS_VARIANT(simd, dps_sparse_sign_project)(panels, tile, z, stride, features);
}

/* The row (padded), its frequencies, the kernel's own scratch. */
size_t dps_sparse_real_scratch_bytes(int32_t columns)
{
    const size_t padded = dps_round_up((size_t)columns, DPS_PAD);
    return padded * (1 + DPS_PANEL) * sizeof(float) + dps_real_scratch_bytes(columns);
}

/* A row's entries as a dense row, and room for the frequencies beside it. */
typedef struct gathered {
    int32_t entries;
    const int32_t *column;
    float *frequency; /* entries x DPS_PANEL */
    dps_row_tile row;
    void *inner;
} gathered;

/* product[lane] *= value of one factor. frequency: d x DPS_PANEL. */
static void multiply_factor(dps_simd simd, const dps_real_panels *panels, gathered *g,
                            const float *frequency, const float *phase, float product[DPS_PANEL])
{
    const int32_t one = 1;
    const size_t zero = 0;
    for (int32_t k = 0; k < g->entries; k++) {
        memcpy(g->frequency + (size_t)k * DPS_PANEL, frequency + (size_t)g->column[k] * DPS_PANEL,
               DPS_PANEL * sizeof(float));
    }
    const dps_real_panels single = {.kind = panels->kind,
                                    .columns = g->entries,
                                    .panels = 1,
                                    .degree = &one,
                                    .offset = &zero,
                                    .frequency = g->frequency,
                                    .phase_offset = &zero,
                                    .phase = phase,
                                    .amplitude = panels->amplitude,
                                    .weight = product};
    float next[DPS_PANEL];
    dps_real_project(simd, &single, &g->row, next, DPS_PANEL, DPS_PANEL, g->inner);
    memcpy(product, next, sizeof(next));
}

static void project_row(dps_simd simd, const dps_real_panels *panels, gathered *g, float *z,
                        int32_t features)
{
    for (int32_t p = 0; p < panels->panels; p++) {
        float product[DPS_PANEL];
        memcpy(product, panels->weight + (size_t)p * DPS_PANEL, sizeof(product));
        for (int32_t factor = 0; factor < panels->degree[p]; factor++) {
            const float *frequency = panels->frequency + panels->offset[p] +
                                     (size_t)factor * (size_t)panels->columns * DPS_PANEL;
            const float *phase = panels->phase == NULL ? NULL
                                                       : panels->phase + panels->phase_offset[p] +
                                                             (size_t)factor * DPS_PANEL;
            multiply_factor(simd, panels, g, frequency, phase, product);
        }
        const int32_t left = features - p * DPS_PANEL;
        memcpy(z + (size_t)p * DPS_PANEL, product,
               (size_t)(left < DPS_PANEL ? left : DPS_PANEL) * sizeof(float));
    }
}

void dps_sparse_real_project(dps_simd simd, const dps_real_panels *panels, const dps_row_tile *tile,
                             float *z, size_t stride, int32_t features, void *scratch)
{
    assert(tile->start != NULL && tile->columns == panels->columns);
    const size_t padded = dps_round_up((size_t)panels->columns, DPS_PAD);
    float *x = scratch;
    for (int32_t i = 0; i < tile->rows; i++) {
        const int64_t begin = tile->start[i];
        const int32_t entries = (int32_t)(tile->start[i + 1] - begin);
        const size_t width = dps_round_up((size_t)entries, DPS_PAD);
        memset(x, 0, width * sizeof(float));
        if (entries > 0) {
            memcpy(x, tile->value + begin, (size_t)entries * sizeof(float));
        }
        gathered g = {.entries = entries,
                      .column = tile->column + begin,
                      .frequency = x + padded,
                      .row = {.rows = 1, .columns = entries, .dense = x, .stride = width},
                      .inner = x + padded * (1 + DPS_PANEL)};
        project_row(simd, panels, &g, z + (size_t)i * stride, features);
    }
}
