/* The variants behind projection.h: same arguments, same bits; only dps_*_project calls them, and
 * the AVX ones only where the CPU has the instructions. */
#ifndef DPS_PROJECTION_PRIVATE_H
#define DPS_PROJECTION_PRIVATE_H

#include <math.h>
#include "projection.h"

/* Rows of which the tables are in scratch at a time (signs). */
#define DPS_SIGN_BLOCK_MAX 6
/* Rows whose coordinates are packed in scratch at a time (real): a multiple of the row blocks 6 and
 * 8, enough that a panel of frequencies is fetched from beyond L2 once for many blocks. */
#define DPS_REAL_PACKED_ROWS 48

/* cos(2 pi t) = sin(2 pi u), u = 1/4 - |t - rint(t)|, as u (s0 + s1 v + ... + s4 v^4), v = u^2
 * (projection_real_portable.c says where these come from). */
#define DPS_TURN_SINE_0 6.28318501f
#define DPS_TURN_SINE_1 -41.3416176f
#define DPS_TURN_SINE_2 81.5986481f
#define DPS_TURN_SINE_3 -76.4960480f
#define DPS_TURN_SINE_4 39.1341095f

static inline float dps_cosine_of_turns(float t)
{
    const float u = 0.25f - fabsf(t - rintf(t));
    const float v = u * u;
    float s = fmaf(DPS_TURN_SINE_4, v, DPS_TURN_SINE_3);
    s = fmaf(s, v, DPS_TURN_SINE_2);
    s = fmaf(s, v, DPS_TURN_SINE_1);
    s = fmaf(s, v, DPS_TURN_SINE_0);
    return s * u;
}

/* One more factor of a panel of signs (projection_sign_portable.c has the order). */
static inline void dps_multiply_signs(float product[DPS_PANEL], const float sum[DPS_PANEL],
                                      bool pairs)
{
    if (pairs) {
        for (int lane = 0; lane < DPS_PANEL; lane += 2) {
            const float a = product[lane], b = product[lane + 1];
            product[lane] = fmaf(a, sum[lane], -(b * sum[lane + 1]));
            product[lane + 1] = fmaf(b, sum[lane], a * sum[lane + 1]);
        }
        return;
    }
    for (int lane = 0; lane < DPS_PANEL; lane++) {
        product[lane] *= sum[lane];
    }
}

/* Columns that panel `p` stores of `features` in all: 0 .. DPS_PANEL. */
static inline int32_t dps_panel_width(int32_t p, int32_t features)
{
    int32_t left = features - p * DPS_PANEL;
    return left < 0 ? 0 : left < DPS_PANEL ? left : DPS_PANEL;
}

#define DPS_SIGN_VARIANT(name)                                                                     \
    void name(const dps_sign_panels *panels, const dps_row_tile *tile, float *z, size_t stride,    \
              int32_t features, void *scratch)
#define DPS_REAL_VARIANT(name)                                                                     \
    void name(const dps_real_panels *panels, const dps_row_tile *tile, float *z, size_t stride,    \
              int32_t features, void *scratch)

DPS_SIGN_VARIANT(dps_sign_project_portable);
DPS_SIGN_VARIANT(dps_sign_project_avx2);
DPS_SIGN_VARIANT(dps_sign_project_avx512);
DPS_REAL_VARIANT(dps_real_project_portable);
DPS_REAL_VARIANT(dps_real_project_avx2);
DPS_REAL_VARIANT(dps_real_project_avx512);

#endif
