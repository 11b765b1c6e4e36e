/* Task: random features of real projections, z = weight * prod_{factors} value(t), t = sum_j w_j
 * x_j; value = t (Gaussian projections in Kar & Karnick 2012, Algorithm 1) or amplitude * cos(2 pi
 * (phase + t)) (Rahimi & Recht 2007, as scalar maps in Algorithm 2; w and phase in turns).
 *
 * Order of summation, the same in every variant: the accumulator starts at +0 or at the phase and
 * takes the coordinates in order by fma; the running product starts at the weight.
 *
 * Cosine in turns: r = t - rint(t) is exact, |r| <= 1/2; cos(2 pi t) = cos(2 pi |r|) = sin(2 pi u)
 * with u = 1/4 - |r|, rounded by at most 2^-27, and that only where the sine is flat. On |u| <= 1/4
 * an odd polynomial of degree 9, minimax in the absolute error (Remez exchange, coefficients
 * rounded to float one after the other and the rest fitted anew): 7.6e-9, so that the arithmetic's
 * own rounding (about 1.2e-7) rules. No table, no range problem: in turns the argument needs no pi.
 *
 * Cost: rows * D * L * d fma. This is the reference: fmaf may be a library call. */
#include <string.h>
#include "projection_private.h"

/* sum: starts as given, then frequency (d x DPS_PANEL) times x in order. */
static void project(const float *x, int32_t columns, const float *frequency, float sum[DPS_PANEL])
{
    for (int32_t j = 0; j < columns; j++) {
        const float *w = frequency + (size_t)j * DPS_PANEL;
        for (int lane = 0; lane < DPS_PANEL; lane++) {
            sum[lane] = fmaf(w[lane], x[j], sum[lane]);
        }
    }
}

static void multiply_factor(const dps_real_panels *panels, int32_t p, int32_t factor,
                            const float *x, float product[DPS_PANEL])
{
    const bool cosine = panels->kind == DPS_REAL_COSINE;
    float sum[DPS_PANEL] = {0};
    if (panels->phase != NULL) {
        memcpy(sum, panels->phase + panels->phase_offset[p] + (size_t)factor * DPS_PANEL,
               sizeof(sum));
    }
    project(x, panels->columns,
            panels->frequency + panels->offset[p] +
                (size_t)factor * (size_t)panels->columns * DPS_PANEL,
            sum);
    for (int lane = 0; lane < DPS_PANEL; lane++) {
        product[lane] *= cosine ? panels->amplitude * dps_cosine_of_turns(sum[lane]) : sum[lane];
    }
}

DPS_REAL_VARIANT(dps_real_project_portable)
{
    (void)scratch;
    for (int32_t i = 0; i < tile->rows; i++) {
        const float *x = tile->dense + (size_t)i * tile->stride;
        for (int32_t p = 0; p < panels->panels; p++) {
            float product[DPS_PANEL];
            memcpy(product, panels->weight + (size_t)p * DPS_PANEL, sizeof(product));
            for (int32_t factor = 0; factor < panels->degree[p]; factor++) {
                multiply_factor(panels, p, factor, x, product);
            }
            memcpy(z + (size_t)i * stride + (size_t)p * DPS_PANEL, product,
                   (size_t)dps_panel_width(p, features) * sizeof(float));
        }
    }
}
