/* Task: sequential row updates of linear models at the speed of blocked arithmetic.
 *
 * A textbook step reads z_i twice: u = <w, z_i>, then w += c z_i, each waiting for the one before.
 * Here the rows of a sub-block B (b of them) are treated together, with the same iterates up to
 * rounding:
 *
 *     u = Z_B w;   updates one after the other, where a step c_i changes u by c_i G e_i, G = Z_B
 * Z_B^T; w <- R w + Z_B^T c
 *
 * z is read by long independent sums, a step inside costs b instead of 2 D' multiplications, and
 * further sweeps inside the block cost next to nothing. (Block minimisation of Yu, Hsieh, Chang &
 * Lin 2010, with exact sequential steps inside.)
 *
 * Groups: up to 16 tiles drawn by the seed, one from each part of the data; sub-block s of a group
 * holds rows s q .. s q + q - 1 of each of its tiles, q = b / 16, so that a file sorted by class
 * trains as well as a shuffled one. Groups, and the sub-blocks in them, come in a new seeded order
 * every pass; their membership stays, so that G can be kept.
 *
 * Work on a group: (A) in parallel over tiles and sub-blocks: fetch z, make G (float SYRK, half of
 * 2 b^2 D' flops), select rows; (B) sub-block after sub-block, in parallel inside: scores over
 * models x tiles; updates over models; w over models x column ranges. Every number is computed by
 * one thread in a fixed order: the bits do not depend on threads, on what is kept, or on which
 * models share a pass. */
#include "engine.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "blas.h"
#include "certificate.h"
#include "memory.h"
#include "random.h"
#include "tile_fetch.h"
#include "tile_kernels.h"

#define COLUMN_RANGE 256 /* columns of w that one thread updates, a multiple of DPS_PAD */
/* Multiply-adds in a sub-block that are worth another thread's three barriers. */
#define WORK_PER_THREAD 32768.0

/* A sub-block of the group in hand. */
typedef struct block_place {
    int32_t rows;
    uint32_t factor, offset;            /* order of visits, engine.h */
    int32_t piece[DPS_GROUP_TILES + 1]; /* first row number of each tile's part */
    int64_t row[DPS_BLOCK_MAX];
} block_place;

struct dps_engine {
    const dps_problem *problem;
    const dps_run *run;
    uint64_t seed;
    int32_t b; /* rows of a sub-block at most */
    int64_t groups;
    int64_t *tile;  /* tiles in group order */
    int64_t *order; /* of groups */
    int64_t *draw;  /* scratch for permutations */
    int32_t in_block[DPS_BLOCK_MAX];
    int64_t step;       /* sub-blocks visited */
    int64_t pass_begin; /* of them before this pass */

    bool keeps;          /* Gram matrices are kept from pass to pass */
    bool *kept;          /* per group: they are there */
    float *gram;         /* keeps: (groups x most_blocks) x b x b, else most_blocks x b x b */
    int32_t most_blocks; /* in a group */

    /* the group in hand */
    int64_t group;
    int32_t tiles, blocks;
    dps_z_tile z[DPS_GROUP_TILES];
    bool present[DPS_GROUP_TILES];
    block_place *place; /* most_blocks */
    int32_t *list;      /* most_blocks x models x b */
    int32_t *selected;  /* most_blocks x models */
    float *panel;       /* 16 tiles, unless resident */
    double *u, *c;      /* models x b */
    double *decay;      /* models */
    char *scratch;      /* threads x scratch_bytes */
    size_t scratch_bytes;
};

/* ---------------------------------------------------------------- sizes */

static int32_t block_rows(const dps_tile_source *source)
{
    if (source->width < 192 && source->sparse_columns == 0) {
        return 32;
    }
    return source->width < 768 ? 64 : 128;
}

static int64_t group_count(int64_t tiles)
{
    return (tiles + DPS_GROUP_TILES - 1) / DPS_GROUP_TILES;
}

/* Sub-blocks of a group of `tiles` tiles. */
static int32_t blocks_of(int32_t b, int32_t tiles)
{
    const int32_t q = b / tiles;
    return (DPS_TILE_ROWS + q - 1) / q;
}

/* Most sub-blocks of a group: groups are even to within a tile, and more tiles make more
 * sub-blocks. */
static int32_t most_blocks(const dps_tile_source *source)
{
    const int64_t tiles = dps_tile_count(source->rows), groups = group_count(tiles);
    const int32_t most = (int32_t)((tiles + groups - 1) / groups);
    return blocks_of(block_rows(source), most);
}

/* Per thread: gathered rows, one scattered sparse row, the source's own. */
static size_t thread_bytes(const dps_tile_source *source)
{
    size_t bytes = (size_t)block_rows(source) * source->stride * sizeof(float);
    bytes += dps_round_up((size_t)source->sparse_columns * sizeof(double), DPS_ALIGN);
    return dps_round_up(bytes, DPS_ALIGN) + dps_round_up(source->scratch_bytes, DPS_ALIGN);
}

static size_t gram_bytes(const dps_tile_source *source, bool keeps)
{
    const size_t b = (size_t)block_rows(source);
    const size_t groups = keeps ? (size_t)group_count(dps_tile_count(source->rows)) : 1;
    return groups * (size_t)most_blocks(source) * b * b * sizeof(float);
}

static size_t panel_bytes(const dps_tile_source *source)
{
    return source->resident
               ? 0
               : (size_t)DPS_GROUP_TILES * DPS_TILE_ROWS * source->stride * sizeof(float);
}

size_t dps_engine_memory(const dps_problem *problem, int threads)
{
    const dps_tile_source *source = problem->source;
    const size_t models = (size_t)dps_problem_models(problem), b = (size_t)block_rows(source);
    const size_t blocks = (size_t)most_blocks(source);
    return gram_bytes(source, true) + panel_bytes(source) + (size_t)threads * thread_bytes(source) +
           blocks * sizeof(block_place) +
           models * (blocks * (b + 1) * sizeof(int32_t) + 2 * b * sizeof(double));
}

/* ---------------------------------------------------------------- life */

static bool allocate(dps_engine *e)
{
    const dps_tile_source *source = e->problem->source;
    const size_t models = (size_t)dps_problem_models(e->problem), b = (size_t)e->b;
    const size_t tiles = (size_t)dps_tile_count(source->rows), blocks = (size_t)e->most_blocks;
    e->keeps = gram_bytes(source, true) <= e->run->memory / 8;
    e->scratch_bytes = thread_bytes(source);
    e->tile = dps_alloc(tiles, sizeof *e->tile);
    e->order = dps_alloc((size_t)e->groups, sizeof *e->order);
    e->draw = dps_alloc(blocks > DPS_BLOCK_MAX ? blocks : DPS_BLOCK_MAX, sizeof *e->draw);
    e->kept = dps_alloc((size_t)e->groups, sizeof *e->kept);
    e->gram = dps_alloc(gram_bytes(source, e->keeps), 1);
    e->place = dps_alloc(blocks, sizeof *e->place);
    e->list = dps_alloc(blocks * models * b, sizeof *e->list);
    e->selected = dps_alloc(blocks * models, sizeof *e->selected);
    e->panel = dps_alloc(panel_bytes(source), 1);
    e->u = dps_alloc(models * b, sizeof *e->u);
    e->c = dps_alloc(models * b, sizeof *e->c);
    e->decay = dps_alloc(models, sizeof *e->decay);
    e->scratch = dps_alloc((size_t)e->run->threads, e->scratch_bytes);
    return e->tile != NULL && e->order != NULL && e->draw != NULL && e->kept != NULL &&
           e->gram != NULL && e->place != NULL && e->list != NULL && e->selected != NULL &&
           e->panel != NULL && e->u != NULL && e->c != NULL && e->decay != NULL &&
           e->scratch != NULL;
}

/* First place of group g in `tile`: groups are even to within a tile. */
static int64_t group_begin(const dps_engine *e, int64_t g)
{
    const int64_t tiles = dps_tile_count(e->problem->source->rows), over = tiles % e->groups;
    return g * (tiles / e->groups) + (g < over ? g : over);
}

/* Deals the tiles to the groups: one of every `groups` neighbours to each, at random, so that every
 * group is a fair sample of a sorted file. */
static void deal_tiles(dps_engine *e, int64_t tiles)
{
    for (int64_t first = 0, j = 0; first < tiles; first += e->groups, j++) {
        const int64_t count = tiles - first < e->groups ? tiles - first : e->groups;
        dps_random_permutation(e->seed, DPS_STREAM_SHUFFLE, UINT32_MAX, (uint32_t)j, count,
                               e->order);
        for (int64_t g = 0; g < count; g++) {
            e->tile[group_begin(e, g) + j] = first + e->order[g];
        }
    }
}

dps_status dps_engine_new(dps_engine **engine, const dps_problem *problem, uint64_t seed,
                          const dps_run *run, dps_error *err)
{
    const int64_t tiles = dps_tile_count(problem->source->rows);
    dps_engine *e = dps_alloc(1, sizeof *e);
    *engine = NULL;
    if (e == NULL) {
        return dps_out_of_memory(err, 1, sizeof *e, "the tile engine");
    }
    e->problem = problem;
    e->run = run;
    e->seed = seed;
    e->b = block_rows(problem->source);
    e->groups = group_count(tiles);
    e->most_blocks = most_blocks(problem->source);
    if (!allocate(e)) {
        dps_engine_free(e);
        return dps_out_of_memory(err, dps_engine_memory(problem, run->threads), 1,
                                 "the tile engine");
    }
    deal_tiles(e, tiles);
    *engine = e;
    return DPS_OK;
}

void dps_engine_free(dps_engine *e)
{
    if (e == NULL) {
        return;
    }
    dps_free(e->tile);
    dps_free(e->order);
    dps_free(e->draw);
    dps_free(e->kept);
    dps_free(e->gram);
    dps_free(e->place);
    dps_free(e->list);
    dps_free(e->selected);
    dps_free(e->panel);
    dps_free(e->u);
    dps_free(e->c);
    dps_free(e->decay);
    dps_free(e->scratch);
    dps_free(e);
}

/* ---------------------------------------------------------------- phase A: a group's tiles and
 * sub-blocks */

static int64_t group_tile(const dps_engine *e, int32_t j)
{
    return e->tile[group_begin(e, e->group) + j];
}

/* Puts group `number` in hand: its tiles' numbers, and the rows of its sub-blocks. */
static void open_group(dps_engine *e, int64_t pass, int64_t number, const dps_rule *rule)
{
    e->group = number;
    e->tiles = (int32_t)(group_begin(e, number + 1) - group_begin(e, number));
    e->blocks = blocks_of(e->b, e->tiles);
    const int32_t q = e->b / e->tiles;
    for (int32_t j = 0; j < e->tiles; j++) {
        e->present[j] = rule->needed == NULL || rule->needed[group_tile(e, j)] != 0;
    }
    for (int32_t s = 0; s < e->blocks; s++) {
        block_place *place = &e->place[s];
        uint32_t bits[4];
        dps_random_block(e->seed, DPS_STREAM_SHUFFLE, (uint32_t)pass,
                         0x80000000u | (uint32_t)number, (uint32_t)s, bits);
        place->factor = bits[0] | 1;
        place->offset = bits[1];
        place->rows = 0;
        for (int32_t j = 0; j < e->tiles; j++) {
            const int64_t t = group_tile(e, j);
            const int32_t height = dps_tile_height(e->problem, t);
            place->piece[j] = place->rows;
            for (int32_t r = s * q; r < (s + 1) * q && r < height; r++) {
                place->row[place->rows++] = t * DPS_TILE_ROWS + r;
            }
        }
        place->piece[e->tiles] = place->rows;
    }
}

static bool any_present(const dps_engine *e)
{
    for (int32_t j = 0; j < e->tiles; j++) {
        if (e->present[j]) {
            return true;
        }
    }
    return false;
}

static float *block_gram(const dps_engine *e, int32_t s)
{
    const size_t at = (e->keeps ? (size_t)e->group * (size_t)e->most_blocks : 0) + (size_t)s;
    return e->gram + at * (size_t)e->b * (size_t)e->b;
}

static dps_status fetch_tile(dps_engine *e, int32_t j, char *scratch, dps_error *err)
{
    const dps_tile_source *source = e->problem->source;
    float *buffer = NULL;
    if (!source->resident) {
        buffer = e->panel + (size_t)j * DPS_TILE_ROWS * source->stride;
    }
    const size_t own = e->scratch_bytes - dps_round_up(source->scratch_bytes, DPS_ALIGN);
    return source->get(source->context, group_tile(e, j), buffer, scratch + own, &e->z[j], err);
}

/* Adds the sparse block's part to the lower triangle of a Gram matrix: row i scattered, rows below
 * it dotted. */
static void add_sparse_gram(const dps_engine *e, const block_place *place, float *gram,
                            double *wide)
{
    int32_t tile_of[DPS_BLOCK_MAX];
    for (int32_t j = 0; j < e->tiles; j++) {
        for (int32_t i = place->piece[j]; i < place->piece[j + 1]; i++) {
            tile_of[i] = j;
        }
    }
    for (int32_t i = 0; i < place->rows; i++) {
        const dps_z_tile *z = &e->z[tile_of[i]];
        if (!e->present[tile_of[i]]) {
            continue;
        }
        const int64_t r = place->row[i] % DPS_TILE_ROWS;
        for (int64_t at = z->start[r]; at < z->start[r + 1]; at++) {
            wide[z->column[at]] = (double)z->value[at];
        }
        for (int32_t l = i; l < place->rows; l++) {
            const dps_z_tile *other = &e->z[tile_of[l]];
            if (!e->present[tile_of[l]]) {
                continue;
            }
            const int64_t o = place->row[l] % DPS_TILE_ROWS;
            double sum = 0.0;
            for (int64_t at = other->start[o]; at < other->start[o + 1]; at++) {
                sum += (double)other->value[at] * wide[other->column[at]];
            }
            gram[(size_t)l * (size_t)e->b + (size_t)i] +=
                (float)(z->sparse_scale * z->sparse_scale * sum);
        }
        for (int64_t at = z->start[r]; at < z->start[r + 1]; at++) {
            wide[z->column[at]] = 0.0;
        }
    }
}

static void make_gram(const dps_engine *e, int32_t s, char *scratch)
{
    const dps_tile_source *source = e->problem->source;
    const block_place *place = &e->place[s];
    const size_t stride = source->stride, b = (size_t)e->b;
    float *gathered = (void *)scratch, *gram = block_gram(e, s);
    for (int32_t j = 0; j < e->tiles; j++) {
        for (int32_t i = place->piece[j]; i < place->piece[j + 1]; i++) {
            float *to = gathered + (size_t)i * stride;
            if (e->present[j]) {
                memcpy(to, e->z[j].z + (size_t)(place->row[i] % DPS_TILE_ROWS) * stride,
                       stride * sizeof *to);
            } else {
                memset(to, 0, stride * sizeof *to);
            }
        }
    }
    if (place->rows == 0) {
        return;
    }
    dps_blas_gram_float((size_t)place->rows, stride, gathered, stride, 0.0f, gram, b);
    if (source->sparse_columns > 0) {
        add_sparse_gram(e, place, gram, (void *)(scratch + b * stride * sizeof(float)));
    }
    for (size_t i = 0; i < (size_t)place->rows; i++) {
        for (size_t l = 0; l < i; l++) {
            gram[l * b + i] = gram[i * b + l];
        }
    }
}

static dps_block describe(const dps_engine *e, int32_t s)
{
    return (dps_block){.rows = e->place[s].rows,
                       .row = e->place[s].row,
                       .gram = block_gram(e, s),
                       .stride = (size_t)e->b,
                       .order = e->in_block,
                       .places = (uint32_t)e->b,
                       .factor = e->place[s].factor,
                       .offset = e->place[s].offset,
                       .step = e->step};
}

static dps_status prepare_group(dps_engine *e, const dps_rule *rule, const int32_t *models,
                                int32_t count, dps_error *err)
{
    dps_status status = DPS_OK;
    int32_t failed = e->tiles;
    const bool need_gram = !(e->keeps && e->kept[e->group]);
#pragma omp parallel num_threads(e->run->threads)
    {
        char *scratch = e->scratch + (size_t)omp_get_thread_num() * e->scratch_bytes;
#pragma omp for schedule(dynamic)
        for (int32_t j = 0; j < e->tiles; j++) {
            dps_error own;
            const dps_status mine = e->present[j] ? fetch_tile(e, j, scratch, &own) : DPS_OK;
            if (mine != DPS_OK) {
#pragma omp critical(dps_engine_failed)
                if (j < failed) {
                    failed = j;
                    status = mine;
                    if (err != NULL) {
                        *err = own;
                    }
                }
            }
        }
#pragma omp for schedule(dynamic)
        for (int32_t s = 0; s < e->blocks; s++) {
            if (failed < e->tiles) {
                continue;
            }
            if (need_gram) {
                make_gram(e, s, scratch);
            }
            const dps_block block = describe(e, s);
            const size_t all = (size_t)dps_problem_models(e->problem);
            for (int32_t j = 0; j < count; j++) {
                const size_t at = (size_t)s * all + (size_t)j;
                e->selected[at] =
                    rule->select(rule->context, models[j], &block, e->list + at * (size_t)e->b);
            }
        }
    }
    if (status == DPS_OK && e->keeps && need_gram) {
        bool complete = true;
        for (int32_t j = 0; j < e->tiles; j++) {
            complete = complete && e->present[j];
        }
        e->kept[e->group] = complete;
    }
    return status;
}

/* ---------------------------------------------------------------- phase B: sub-block after
 * sub-block */

/* The part [*begin, *end) of an ascending list whose entries lie in piece j. */
static void list_part(const block_place *place, const int32_t *list, int32_t count, int32_t j,
                      int32_t *begin, int32_t *end)
{
    int32_t i = 0;
    while (i < count && list[i] < place->piece[j]) {
        i++;
    }
    *begin = i;
    while (i < count && list[i] < place->piece[j + 1]) {
        i++;
    }
    *end = i;
}

static void score_piece(const dps_engine *e, int32_t s, int32_t j, const int32_t *list,
                        int32_t count, const double *w, double *u)
{
    const block_place *place = &e->place[s];
    int32_t begin, end, in_tile[DPS_BLOCK_MAX] = {0};
    double scores[DPS_BLOCK_MAX];
    list_part(place, list, count, j, &begin, &end);
    if (begin == end) {
        return;
    }
    for (int32_t i = begin; i < end; i++) {
        in_tile[i - begin] = (int32_t)(place->row[list[i]] % DPS_TILE_ROWS);
    }
    dps_tile_scores(e->run->simd, &e->z[j], w, in_tile, end - begin, scores);
    for (int32_t i = begin; i < end; i++) {
        u[list[i]] = scores[i - begin];
    }
}

/* w <- R w + Z_B^T c on panel columns begin..end, or (begin = end) on the sparse columns. */
static void change_weights(const dps_engine *e, int32_t s, const int32_t *list, int32_t count,
                           const double *c, double decay, size_t begin, size_t end, double *w)
{
    const block_place *place = &e->place[s];
    const bool sparse = begin == end;
    const size_t first = sparse ? e->problem->source->stride : begin;
    const size_t last = sparse ? dps_weight_length(e->problem->source) : end;
    if (decay != 1.0) {
        for (size_t l = first; l < last; l++) {
            w[l] *= decay;
        }
    }
    int32_t i = 0;
    for (int32_t j = 0; j < e->tiles && i < count; j++) {
        int32_t in_tile[DPS_BLOCK_MAX], found = 0;
        double own[DPS_BLOCK_MAX];
        for (; i < count && list[i] < place->piece[j + 1]; i++) {
            if (c[list[i]] != 0.0) {
                own[found] = c[list[i]];
                in_tile[found++] = (int32_t)(place->row[list[i]] % DPS_TILE_ROWS);
            }
        }
        if (found == 0) {
            continue;
        }
        if (sparse) {
            dps_tile_add_sparse(&e->z[j], in_tile, found, own, w);
        } else {
            dps_tile_add_panel(e->run->simd, &e->z[j], in_tile, found, own, begin, end, w);
        }
    }
}

static void average_weights(const dps_engine *e, size_t begin, size_t end, double mix,
                            const double *w, double *average)
{
    const bool sparse = begin == end;
    const size_t first = sparse ? e->problem->source->stride : begin;
    const size_t last = sparse ? dps_weight_length(e->problem->source) : end;
    for (size_t l = first; l < last; l++) {
        average[l] += mix * (w[l] - average[l]);
    }
}

/* One sub-block, inside a parallel region; every loop ends with a barrier. */
static void visit_block(dps_engine *e, const dps_rule *rule, int32_t s, int64_t step,
                        const int32_t *models, int32_t count, double *w)
{
    const dps_tile_source *source = e->problem->source;
    const size_t length = dps_weight_length(source), b = (size_t)e->b;
    const size_t all = (size_t)dps_problem_models(e->problem);
    const int32_t *list = e->list + (size_t)s * all * b;
    const int32_t *selected = e->selected + (size_t)s * all;
    const int32_t panel_ranges = (int32_t)((source->stride + COLUMN_RANGE - 1) / COLUMN_RANGE);
    const int32_t ranges = panel_ranges + (length > source->stride);
    const double mix = rule->mix == NULL ? 0.0 : rule->mix(rule->context, step - e->pass_begin);
#pragma omp for collapse(2) schedule(static)
    for (int32_t m = 0; m < count; m++) {
        for (int32_t j = 0; j < e->tiles; j++) {
            score_piece(e, s, j, list + (size_t)m * b, selected[m], w + (size_t)models[m] * length,
                        e->u + (size_t)m * b);
        }
    }
#pragma omp for schedule(dynamic)
    for (int32_t m = 0; m < count; m++) {
        dps_block block = describe(e, s);
        block.step = step;
        double *c = e->c + (size_t)m * b;
        memset(c, 0, b * sizeof *c);
        e->decay[m] = 1.0;
        if (selected[m] > 0) {
            e->decay[m] = rule->update(rule->context, models[m], &block, list + (size_t)m * b,
                                       selected[m], e->u + (size_t)m * b, c);
        }
    }
#pragma omp for collapse(2) schedule(static)
    for (int32_t m = 0; m < count; m++) {
        for (int32_t range = 0; range < ranges; range++) {
            size_t begin = (size_t)range * COLUMN_RANGE, end = begin + COLUMN_RANGE;
            end = end < source->stride ? end : source->stride;
            begin = range < panel_ranges ? begin : end;
            double *own = w + (size_t)models[m] * length;
            if (selected[m] > 0) {
                change_weights(e, s, list + (size_t)m * b, selected[m], e->c + (size_t)m * b,
                               e->decay[m], begin, end, own);
            }
            if (rule->average != NULL) {
                average_weights(e, begin, end, mix, own,
                                rule->average + (size_t)models[m] * length);
            }
        }
    }
}

static void visit_group(dps_engine *e, const dps_rule *rule, const int64_t *order,
                        const int32_t *models, int32_t count, double *w)
{
    const double work =
        (double)count * e->b *
        ((double)e->problem->source->width + (double)e->problem->source->sparse_columns / 64.0);
    const double worth = fmin(1.0 + floor(work / WORK_PER_THREAD), (double)e->run->threads);
#pragma omp parallel num_threads((int)worth)
    for (int32_t i = 0; i < e->blocks; i++) {
        visit_block(e, rule, (int32_t)order[i], e->step + i, models, count, w);
    }
    e->step += e->blocks;
}

/* ---------------------------------------------------------------- a pass */

dps_status dps_engine_pass(dps_engine *e, const dps_rule *rule, int64_t pass, const int32_t *models,
                           int32_t count, double *w, dps_error *err)
{
    const uint32_t number = (uint32_t)pass;
    dps_random_permutation(e->seed, DPS_STREAM_SHUFFLE, number, 0, e->groups, e->order);
    dps_random_permutation(e->seed, DPS_STREAM_SHUFFLE, number, 1, e->b, e->draw);
    for (int32_t i = 0; i < e->b; i++) {
        e->in_block[i] = (int32_t)e->draw[i];
    }
    e->pass_begin = e->step;
    for (int64_t g = 0; g < e->groups; g++) {
        if (dps_run_stopped(e->run)) {
            return dps_stopped(err);
        }
        open_group(e, pass, e->order[g], rule);
        if (!any_present(e)) {
            continue;
        }
        const dps_status status = prepare_group(e, rule, models, count, err);
        if (status != DPS_OK) {
            return status;
        }
        dps_random_permutation(e->seed, DPS_STREAM_SHUFFLE, number, 2 + (uint32_t)e->group,
                               e->blocks, e->draw);
        visit_group(e, rule, e->draw, models, count, w);
    }
    return DPS_OK;
}
