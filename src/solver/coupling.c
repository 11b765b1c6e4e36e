/* Task: V, DPS_COUPLED orthonormal directions that carry most of the inner products of mapped rows,
 * <z_i, z_j> ~ <V z_i, V z_j>.
 *
 * Mapped rows are far from centred: of 512 Fourier features of Covertype and IJCNN1 the first
 * direction, close to their mean, has 0.8 of the sum of squares, the next 15 0.002 to 0.04 each.
 *
 * Randomised subspace iteration (Halko, Martinsson & Tropp, Finding Structure with Randomness,
 * 2011, Algorithm 4.4) on the second moment of 512 rows, 64 of each of 8 tiles spread over the
 * data: random signs, two steps. That is not the subspace of all rows to many digits, and need not
 * be: blocks are exact for any V, only slower.
 *
 * Cost: 5 x 512 x D' x DPS_COUPLED multiply-adds, and DPS_COUPLED x D' a row. */
#include "coupling.h"

#include <math.h>
#include <string.h>

#include "products.h"
#include "random.h"
#include "tile_fetch.h"
#include "tile_kernels.h"

enum { TILES = 8, ROWS = 64, SAMPLE = TILES * ROWS, CHAIN = 256, STEPS = 2 };

typedef struct sketch {
    const dps_problem *problem;
    const dps_run *run;
    size_t stride;
    float *rows;   /* SAMPLE x stride */
    float *u;      /* DPS_COUPLED x SAMPLE */
    double *total; /* DPS_COUPLED x stride */
    void *fetched; /* a tile's */
    float *chains; /* scratch of sums */
} sketch;

size_t dps_coupling_bytes(const dps_tile_source *source)
{
    return (SAMPLE * source->stride + DPS_COUPLED * SAMPLE) * sizeof(float) +
           DPS_COUPLED * source->stride * sizeof(double) + dps_fetch_bytes(source) +
           dps_sums_bytes(source->stride, DPS_COUPLED);
}

static bool allocate(sketch *s)
{
    s->rows = dps_alloc(SAMPLE * s->stride, sizeof *s->rows);
    s->u = dps_alloc(DPS_COUPLED * SAMPLE, sizeof *s->u);
    s->total = dps_alloc(DPS_COUPLED * s->stride, sizeof *s->total);
    s->fetched = dps_alloc(dps_fetch_bytes(s->problem->source), 1);
    s->chains = dps_alloc(dps_sums_bytes(s->stride, DPS_COUPLED), 1);
    return s->rows != NULL && s->u != NULL && s->total != NULL && s->fetched != NULL &&
           s->chains != NULL;
}

static void release(sketch *s)
{
    dps_free(s->rows);
    dps_free(s->u);
    dps_free(s->total);
    dps_free(s->fetched);
    dps_free(s->chains);
}

static dps_status take_rows(sketch *s, dps_error *err)
{
    const int64_t tiles = dps_tile_count(s->problem->source->rows);
    for (int64_t j = 0; j < TILES; j++) {
        dps_z_tile tile;
        DPS_TRY(dps_fetch(s->problem->source, j * tiles / TILES, s->fetched, &tile, err));
        for (int64_t r = 0; r < ROWS; r++) {
            const float *z = tile.z + (size_t)(r * tile.rows / ROWS) * tile.stride;
            memcpy(s->rows + (size_t)(j * ROWS + r) * s->stride, z, s->stride * sizeof *z);
        }
    }
    return DPS_OK;
}

static void draw_signs(sketch *s, uint64_t seed)
{
    uint32_t bits[4] = {0};
    for (uint32_t i = 0; i < DPS_COUPLED * SAMPLE; i++) {
        if (i % 128 == 0) {
            dps_random_block(seed, DPS_STREAM_SHUFFLE, 0, UINT32_MAX, i / 128, bits);
        }
        s->u[i] = (bits[i % 128 / 32] >> (i % 32)) & 1 ? 1.0f : -1.0f;
    }
}

/* total = u rows, orthonormal (Gram-Schmidt, twice), and as floats. */
static void orthonormalise(sketch *s, float *basis)
{
    const size_t n = s->stride;
    memset(s->total, 0, DPS_COUPLED * n * sizeof *s->total);
    for (size_t first = 0; first < SAMPLE; first += CHAIN) {
        dps_sums_many(s->run->simd, CHAIN, n, s->rows + first * n, n, DPS_COUPLED, s->u + first,
                      SAMPLE, s->total, n, s->chains);
    }
    for (size_t k = 0; k < DPS_COUPLED; k++) {
        double *v = s->total + k * n;
        const double long_before = sqrt(dps_dot(n, v, v));
        for (size_t l = 0; l < 2 * k; l++) {
            const double *other = s->total + l % k * n;
            dps_axpy(n, -dps_dot(n, v, other), other, v);
        }
        const double length = sqrt(dps_dot(n, v, v));
        const double scale = length > 1e-6 * long_before ? 1.0 / length : 0.0;
        for (size_t j = 0; j < n; j++) {
            v[j] *= scale;
            basis[k * n + j] = (float)v[j];
        }
    }
}

dps_status dps_coupling_find(const dps_problem *problem, uint64_t seed, const dps_run *run,
                             float *basis, dps_error *err)
{
    sketch s = {.problem = problem, .run = run, .stride = problem->source->stride};
    dps_status status = DPS_OK;
    if (!allocate(&s)) {
        status = dps_out_of_memory(err, SAMPLE * s.stride, sizeof *s.rows, "a sample of rows");
    }
    DPS_THEN(status, take_rows(&s, err));
    if (status == DPS_OK) {
        draw_signs(&s, seed);
        orthonormalise(&s, basis);
        for (int step = 0; step < STEPS; step++) {
            dps_scores_many(run->simd, SAMPLE, s.stride, s.rows, s.stride, DPS_COUPLED, basis,
                            s.stride, s.u, SAMPLE);
            orthonormalise(&s, basis);
        }
    }
    release(&s);
    return status;
}

void dps_coupling_project(const dps_run *run, const dps_z_tile *tile, const float *basis, float *p)
{
    float u[DPS_COUPLED * DPS_TILE_ROWS];
    const size_t rows = (size_t)tile->rows;
    dps_scores_many(run->simd, rows, tile->stride, tile->z, tile->stride, DPS_COUPLED, basis,
                    tile->stride, u, DPS_TILE_ROWS);
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < DPS_COUPLED; k++) {
            p[i * DPS_COUPLED + k] = u[k * DPS_TILE_ROWS + i];
        }
    }
}
