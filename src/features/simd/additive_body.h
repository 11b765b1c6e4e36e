/* One row of additive features, for inclusion by one file an instruction set behind its
 * ADDITIVE_ROW: plain loops, which the compiler turns into vectors; it may not reorder or contract
 * (-ffp-contract=off), so that all variants have the same bits.
 *
 * Order: t = fma(frequency, log x_j, phase); the cosine as in projection_real_portable.c; a factor
 * is (amplitude * cosine) * sqrt(x_j); the product starts at the weight and takes one factor after
 * the other. */
#include "additive.h"
#include "projection_private.h"

void ADDITIVE_ROW(const dps_additive_panels *panels, const float *restrict root,
                  const float *restrict logarithm, float *restrict z)
{
    for (int32_t f = 0; f < panels->features; f++) {
        z[f] = panels->weight;
    }
    for (int32_t factor = 0; factor < panels->degree; factor++) {
        const size_t at = (size_t)factor * (size_t)panels->features;
        const int32_t *coordinate = panels->coordinate + at;
        const float *frequency = panels->frequency + at, *phase = panels->phase + at;
        for (int32_t f = 0; f < panels->features; f++) {
            const int32_t j = coordinate[f];
            const float turns = fmaf(frequency[f], logarithm[j], phase[f]);
            z[f] *= panels->amplitude * dps_cosine_of_turns(turns) * root[j];
        }
    }
}
