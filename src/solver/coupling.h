/* The few directions that mapped rows have in common: what rows of a block (engine_blocks.c) know
 * of each other. */
#ifndef DPS_COUPLING_H
#define DPS_COUPLING_H

#include "shards.h"

#define DPS_COUPLED 16 /* directions: a cache line of floats a row */

/* basis: DPS_COUPLED x stride floats, 64-byte aligned, orthonormal up to rounding, or zeros where
 * the rows span less; a function of the rows and the seed. Of one shard; no sparse block. */
DPS_MUST_USE dps_status dps_coupling_find(const dps_problem *problem, uint64_t seed,
                                          const dps_run *run, float *basis, dps_error *err);
/* What that takes while it looks. */
size_t dps_coupling_bytes(const dps_tile_source *source);
/* p: rows of the tile x DPS_COUPLED, <v, z> of every row. */
void dps_coupling_project(const dps_run *run, const dps_z_tile *tile, const float *basis, float *p);

/* <p, s>, lanes l and l + 8, then l and l + 4, l and l + 2, l and l + 1. */
static inline double dps_coupling_dot(const float *p, const float *s)
{
    float lane[DPS_COUPLED / 2];
    for (int l = 0; l < DPS_COUPLED / 2; l++) {
        lane[l] = p[l] * s[l] + p[l + DPS_COUPLED / 2] * s[l + DPS_COUPLED / 2];
    }
    for (int l = 0; l < DPS_COUPLED / 4; l++) {
        lane[l] += lane[l + DPS_COUPLED / 4];
    }
    return (double)((lane[0] + lane[2]) + (lane[1] + lane[3]));
}

/* s += c p */
static inline void dps_coupling_add(float c, const float *p, float *s)
{
    for (int l = 0; l < DPS_COUPLED; l++) {
        s[l] += c * p[l];
    }
}

/* from <- s - from; returns its square. */
static inline double dps_coupling_since(const float *s, float *from)
{
    for (int l = 0; l < DPS_COUPLED; l++) {
        from[l] = s[l] - from[l];
    }
    return dps_coupling_dot(from, from);
}

/* s *= c */
static inline void dps_coupling_scale(float c, float *s)
{
    for (int l = 0; l < DPS_COUPLED; l++) {
        s[l] *= c;
    }
}

#endif
