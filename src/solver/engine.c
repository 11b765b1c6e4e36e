/* Task: a pass of dcd or sgd over the rows: the fetching of tiles and the sharing of rows, in the
 * order of engine_order.c. Only two groups' tiles are needed at a time; with shards or blocks, one.
 *
 * Work on a group, one shard: each thread takes some of the models through all of its rows, chunk
 * by chunk, while the chunk's rows are in cache; threads without a model, and those that are done,
 * fetch the next group's tiles meanwhile. Blocks of rows, which all threads share: engine_blocks.c.
 * Several shards: engine_rounds.c. Before both, all threads fetch.
 * Models do not depend on each other: the bits do not depend on threads.
 *
 * Why one model's rows are updated one by one (score, then add) and blocks keep no Gram matrices,
 * which would let threads share the work of one model: coordinate descent needs its random order.
 * Measured on 20,000 rows of 500 Fourier features, squared hinge, C = 1: gap after 20 passes 4e-4
 * with that order, 7e-2 with fixed blocks of 64 rows in random order, 1e-2 with fixed groups.
 * Blocks drawn anew need a new Gram matrix each pass, b / 4 times the work of the visits
 * themselves. A row is read from memory once and used twice from cache, which is the bound of any
 * sequential method.
 *
 * Over ranks every rank makes the same calls and turns; a failure on one ends the pass on all.
 *
 * Cost: what the rule does; 4 bytes a row for the order; two groups' tiles when they are not
 * resident; with shards two weight vectors a shard and model. */
#include "engine_private.h"

#include <omp.h>
#include <string.h>

#include "allocation.h"
#include "certificate.h"
#include "comm.h"
#include "tile_fetch.h"

/* Multiply-adds in a group that are worth waking other threads. */
#define WORK_WORTH_THREADS 4e6

/* ---------------------------------------------------------------- life */

static int32_t group_tiles(int32_t shards)
{
    return shards < DPS_GROUP_TILES ? DPS_GROUP_TILES / shards : 1;
}

/* Places for tiles in a group. */
static size_t places(int32_t shards, int32_t count)
{
    return (size_t)count * (size_t)group_tiles(shards);
}

/* Of one shard, the places of a group are filled from the first on. */
static size_t panel_bytes(const dps_tile_source *source, int32_t shards, int32_t count)
{
    const size_t tile = DPS_TILE_ROWS * source->stride * sizeof(float);
    const size_t tiles = (size_t)dps_tile_count(source->rows), most = places(shards, count);
    return source->resident ? 0 : (shards == 1 && tiles < most ? tiles : most) * tile;
}

/* Groups whose tiles are at hand at once. Tiles that are kept take no memory for that. */
static int32_t most_hands(const dps_tile_source *source, int32_t shards, int32_t block_rows)
{
    if (shards > 1 || (block_rows > 1 && !source->resident)) {
        return 1;
    }
    return block_rows > 1 ? DPS_STRETCH : 2;
}

/* Rows that are listed at once: of a group in hand, by blocks of all that are. */
static size_t listed_rows(int32_t shards, int32_t count, int32_t block_rows, int32_t hands)
{
    return places(shards, count) * DPS_TILE_ROWS * (block_rows > 1 ? (size_t)hands : 1);
}

static size_t block_doubles(const dps_problem *problem)
{
    return dps_weight_length(problem->source) + DPS_ROUND_HEAD;
}

static size_t coupling_doubles(const dps_tile_source *source)
{
    return (size_t)dps_tile_count(source->rows) * DPS_TILE_ROWS * DPS_COUPLED / 2;
}

size_t dps_engine_memory(const dps_problem *problem, int32_t shards, int32_t block_rows,
                         int threads)
{
    const dps_tile_source *source = problem->source;
    const size_t models = (size_t)dps_problem_models(problem);
    const size_t most = (size_t)block_rows;
    const size_t blocks =
        most > 1 ? coupling_doubles(source) + DPS_COUPLED * source->stride / 2 +
                       models * (3 * most + DPS_COUPLED / 2 + dps_weight_length(source))
                 : 0;
    const size_t rounds =
        shards > 1 ? ((size_t)shards + 1) * models * block_doubles(problem) * sizeof(double) : 0;
    const int32_t hands = most_hands(source, shards, block_rows);
    return (size_t)hands * panel_bytes(source, shards, shards) + rounds + blocks * sizeof(double) +
           (most > 1 ? dps_coupling_bytes(source) : 0) +
           (size_t)threads * dps_round_up(source->scratch_bytes, DPS_ALIGN) +
           (size_t)source->rows * sizeof(double) +
           listed_rows(shards, shards, block_rows, hands) * sizeof(dps_visit);
}

static bool allocate_hand(const dps_engine *e, dps_group *hand, size_t panel)
{
    const size_t tiles = (size_t)e->places;
    hand->z = dps_alloc(tiles, sizeof *hand->z);
    hand->present = dps_alloc(tiles, sizeof *hand->present);
    hand->panel = dps_alloc(panel, 1);
    return hand->z != NULL && hand->present != NULL && hand->panel != NULL;
}

static bool allocate_blocks(dps_engine *e)
{
    const dps_tile_source *source = e->problem->source;
    const bool blocks = e->block_rows > 1;
    const size_t models = blocks ? (size_t)e->models : 0, rows = (size_t)e->block_rows;
    e->basis = dps_alloc(blocks ? DPS_COUPLED * source->stride : 0, sizeof *e->basis);
    e->coupling = dps_alloc(blocks ? 2 * coupling_doubles(source) : 0, sizeof *e->coupling);
    e->moved = dps_alloc(models * DPS_COUPLED, sizeof *e->moved);
    e->score = dps_alloc(2 * models * rows, sizeof *e->score);
    e->factor = dps_alloc(models * rows, sizeof *e->factor);
    e->change = dps_alloc(models * dps_weight_length(source), sizeof *e->change);
    e->overlap = dps_alloc(models, sizeof *e->overlap);
    return e->basis != NULL && e->coupling != NULL && e->moved != NULL && e->score != NULL &&
           e->factor != NULL && e->change != NULL && e->overlap != NULL;
}

static bool allocate(dps_engine *e)
{
    const dps_tile_source *source = e->problem->source;
    const size_t tiles = (size_t)dps_tile_count(source->rows), count = (size_t)e->shards.count;
    const size_t panel = panel_bytes(source, e->shards.total, e->shards.count);
    const size_t models = e->shards.total > 1 ? (size_t)e->models : 0;
    const size_t listed = listed_rows(e->shards.total, e->shards.count, e->block_rows, e->hands);
    bool hands = true;
    size_t blocks;
    if (!dps_size_mul(models, count, &blocks) || !dps_size_mul(blocks, e->block, &blocks)) {
        return false;
    }
    e->tile = dps_alloc(tiles, sizeof *e->tile);
    e->order = dps_alloc((size_t)e->groups, sizeof *e->order);
    e->draw = dps_alloc((size_t)e->groups, sizeof *e->draw);
    e->norm2 = dps_alloc(tiles * DPS_TILE_ROWS, sizeof *e->norm2);
    e->measured = dps_alloc(tiles, sizeof *e->measured);
    e->list = dps_alloc(listed, sizeof *e->list);
    e->listed = dps_alloc(e->block_rows > 1 ? DPS_STRETCH : count, sizeof *e->listed);
    e->own = dps_alloc(blocks, sizeof *e->own);
    e->sum = dps_alloc(models * e->block, sizeof *e->sum);
    e->reached = dps_alloc(models, sizeof *e->reached);
    e->scratch_bytes = dps_round_up(source->scratch_bytes, DPS_ALIGN);
    e->scratch = dps_alloc((size_t)e->run->threads, e->scratch_bytes);
    for (int32_t i = 0; i < e->hands; i++) {
        hands = allocate_hand(e, &e->hand[i], panel) && hands;
    }
    return hands && allocate_blocks(e) && e->tile != NULL && e->order != NULL && e->draw != NULL &&
           e->norm2 != NULL && e->measured != NULL && e->list != NULL && e->listed != NULL &&
           e->own != NULL && e->sum != NULL && e->reached != NULL && e->scratch != NULL;
}

dps_status dps_engine_new(dps_engine **engine, const dps_problem *problem, const dps_shards *shards,
                          int32_t block_rows, uint64_t seed, const dps_run *run, dps_error *err)
{
    dps_engine *e = dps_alloc(1, sizeof *e);
    *engine = NULL;
    if (e == NULL) {
        return dps_out_of_memory(err, 1, sizeof *e, "the tile engine");
    }
    e->problem = problem;
    e->run = run;
    e->shards = *shards;
    e->seed = seed;
    e->models = dps_problem_models(problem);
    e->group_tiles = group_tiles(shards->total);
    e->block_rows = e->block_now = block_rows;
    e->patience = DPS_LEAST_PATIENCE;
    e->places = (int32_t)places(shards->total, shards->count);
    /* over ranks, which do not know whose tiles are kept, one group after the other */
    e->hands = block_rows > 1 && shards->comm != NULL
                   ? 1
                   : most_hands(problem->source, shards->total, block_rows);
    e->groups = dps_group_count(shards, e->group_tiles);
    e->block = block_doubles(problem);
    e->round_rows = dps_round_rows(shards->total, problem->source->width);
    if (!allocate(e)) {
        dps_engine_free(e);
        return dps_out_of_memory(
            err, dps_engine_memory(problem, shards->total, block_rows, run->threads), 1,
            "the tile engine");
    }
    if (block_rows > 1 && shards->count == 1) {
        const dps_status status = dps_coupling_find(problem, seed, run, e->basis, err);
        if (status != DPS_OK) {
            dps_engine_free(e);
            return status;
        }
    }
    *engine = e;
    return DPS_OK;
}

void dps_engine_free(dps_engine *e)
{
    if (e == NULL) {
        return;
    }
    for (int32_t i = 0; i < e->hands; i++) {
        dps_free(e->hand[i].z);
        dps_free(e->hand[i].present);
        dps_free(e->hand[i].panel);
    }
    dps_free(e->basis);
    dps_free(e->coupling);
    dps_free(e->moved);
    dps_free(e->score);
    dps_free(e->factor);
    dps_free(e->change);
    dps_free(e->overlap);
    dps_free(e->tile);
    dps_free(e->order);
    dps_free(e->draw);
    dps_free(e->norm2);
    dps_free(e->measured);
    dps_free(e->list);
    dps_free(e->listed);
    dps_free(e->own);
    dps_free(e->sum);
    dps_free(e->reached);
    dps_free(e->scratch);
    dps_free(e);
}

void dps_engine_list_state(dps_engine *e, dps_state *state)
{
    DPS_STATE_ADD(state, "round_rows", e->round_rows);
    DPS_STATE_ADD(state, "block_rows", e->block_now);
}

/* ---------------------------------------------------------------- a group's tiles */

/* Takes group `number` in hand and says whether any of its rows is wanted. */
static bool open_group(const dps_engine *e, dps_group *hand, int64_t number, const dps_rule *rule)
{
    hand->number = number;
    hand->any = false;
    memset(hand->present, 0, (size_t)e->places * sizeof *hand->present);
    for (int32_t l = 0; l < e->shards.count; l++) {
        for (int32_t j = 0; j < dps_order_tiles(e, number, l); j++) {
            const int64_t t = dps_order_tile(e, number, l, j);
            const size_t height = (size_t)dps_tile_height(e->problem, t);
            const bool present =
                rule->wanted == NULL || memchr(rule->wanted + t * DPS_TILE_ROWS, 1, height) != NULL;
            hand->present[l * e->group_tiles + j] = present;
            hand->any = hand->any || present;
        }
    }
    return hand->any;
}

/* The next group of the pass with a wanted row on any rank, from place *g of the order on; false:
 * none. */
static bool open_next(const dps_engine *e, dps_group *hand, int64_t *g, const dps_rule *rule)
{
    while (*g < e->groups) {
        if (dps_comm_any(e->shards.comm, open_group(e, hand, e->order[(*g)++], rule))) {
            return true;
        }
    }
    hand->any = false;
    return false;
}

static dps_status fetch_tile(dps_engine *e, dps_group *hand, int32_t place, char *scratch,
                             dps_error *err)
{
    const dps_tile_source *source = e->problem->source;
    const int64_t t =
        dps_order_tile(e, hand->number, place / e->group_tiles, place % e->group_tiles);
    float *buffer = NULL;
    if (!source->resident) {
        buffer = hand->panel + (size_t)place * DPS_TILE_ROWS * source->stride;
    }
    DPS_TRY(source->get(source->context, t, buffer, scratch, &hand->z[place], err));
    if (!e->measured[t]) {
        dps_tile_norms(e->run->simd, &hand->z[place], NULL, hand->z[place].rows,
                       e->norm2 + t * DPS_TILE_ROWS);
        if (e->block_rows > 1) {
            dps_coupling_project(e->run, &hand->z[place], e->basis,
                                 e->coupling + t * DPS_TILE_ROWS * DPS_COUPLED);
        }
        e->measured[t] = true;
    }
    return DPS_OK;
}

/* ---------------------------------------------------------------- a pass */

/* What is done at once: some models' visits of the listed rows, and the next group's tiles. */
typedef struct turn {
    const dps_rule *rule;
    const int32_t *models;
    int32_t count; /* of models */
    double *w;
    int32_t rows;      /* to visit in this turn, of the only shard */
    dps_group *next;   /* to fetch */
    dps_status status; /* of the first tile of `next` that failed; inside critical */
    int32_t failed;
    dps_error error;
} turn;

/* Models begin..end-1 of the list through all rows of the group. */
static void visit_rows(const dps_engine *e, const turn *now, int32_t begin, int32_t end)
{
    const size_t length = dps_weight_length(e->problem->source);
    for (int32_t first = 0; first < now->rows; first += DPS_CHUNK_ROWS) {
        const int32_t left = now->rows - first;
        const int32_t rows = left < DPS_CHUNK_ROWS ? left : DPS_CHUNK_ROWS;
        for (int32_t m = begin; m < end; m++) {
            now->rule->update(now->rule->context, 0, now->models[m], e->list + first, rows,
                              now->w + (size_t)now->models[m] * length);
        }
    }
}

static void fetch_place(dps_engine *e, turn *now, dps_group *hand, int32_t place)
{
    const int32_t order = (int32_t)((hand - e->hand) * e->places) + place;
    char *scratch = e->scratch + (size_t)omp_get_thread_num() * e->scratch_bytes;
    dps_error own;
    const dps_status status =
        hand->any && hand->present[place] ? fetch_tile(e, hand, place, scratch, &own) : DPS_OK;
    if (status != DPS_OK) {
#pragma omp critical(dps_engine_failed)
        if (order < now->failed) {
            now->failed = order;
            now->status = status;
            now->error = own;
        }
    }
}

/* Whether the tiles to fetch are in memory, and nothing about them is left to measure. */
static bool costs_nothing(const dps_engine *e, const dps_group *hand)
{
    bool nothing = e->problem->source->resident;
    for (int32_t p = 0; p < e->places && nothing && hand->any && e->block_rows > 1; p++) {
        nothing =
            !hand->present[p] ||
            e->measured[dps_order_tile(e, hand->number, p / e->group_tiles, p % e->group_tiles)];
    }
    return nothing;
}

/* Threads share the models; those that get none, or are done, fetch the next group's tiles. */
static dps_status take_turn(dps_engine *e, turn *now, dps_error *err)
{
    const double work = (double)now->rows * (double)now->count * (double)e->problem->source->stride;
    const int32_t most = e->run->threads < now->count ? e->run->threads : now->count;
    const int32_t shares = work < WORK_WORTH_THREADS ? 1 : most;
    const int threads = costs_nothing(e, now->next) ? shares : e->run->threads;
    now->status = DPS_OK;
    now->failed = INT32_MAX;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(dynamic) nowait
        for (int32_t share = 0; share < shares; share++) {
            visit_rows(e, now, (int32_t)((int64_t)now->count * share / shares),
                       (int32_t)((int64_t)now->count * (share + 1) / shares));
        }
#pragma omp for schedule(dynamic)
        for (int32_t place = 0; place < e->places; place++) {
            fetch_place(e, now, now->next, place);
        }
    }
    if (now->status != DPS_OK && err != NULL) {
        *err = now->error;
    }
    return now->status;
}

static void list_rows(dps_engine *e, const dps_group *hand, uint32_t pass, const uint8_t *wanted)
{
    const int threads = dps_run_threads(e->run, e->shards.count);
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int32_t l = 0; l < e->shards.count; l++) {
        dps_order_rows(e, hand, l, l, pass, wanted);
    }
}

/* ---------------------------------------------------------------- a pass by blocks */

static dps_status fetch_groups(dps_engine *e, turn *now, int32_t groups, dps_error *err)
{
    bool nothing = true;
    for (int32_t i = 0; i < groups; i++) {
        nothing = nothing && costs_nothing(e, &e->hand[i]);
    }
    const int threads = nothing ? 1 : e->run->threads;
    now->status = DPS_OK;
    now->failed = INT32_MAX;
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1)
    for (int32_t i = 0; i < groups * e->places; i++) {
        fetch_place(e, now, &e->hand[i / e->places], i % e->places);
    }
    if (now->status != DPS_OK && err != NULL) {
        *err = now->error;
    }
    return now->status;
}

static void list_groups(dps_engine *e, int32_t groups, uint32_t pass, const uint8_t *wanted)
{
    const int threads = dps_run_threads(e->run, groups);
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1)
    for (int32_t i = 0; i < groups; i++) {
        e->listed[i] = 0;
        if (e->shards.count == 1) {
            dps_order_rows(e, &e->hand[i], 0, i, pass, wanted);
        }
    }
}

/* A few groups after the other: their tiles, their order, and the visits. */
static dps_status pass_by_blocks(dps_engine *e, turn *now, uint32_t pass, dps_error *err)
{
    int64_t g = 0;
    for (bool more = true; more;) {
        int32_t groups = 0;
        while (groups < e->hands && more) {
            more = open_next(e, &e->hand[groups], &g, now->rule);
            groups += more ? 1 : 0;
        }
        dps_status status = dps_run_stopped(e->run) ? dps_stopped(err) : DPS_OK;
        DPS_THEN(status, fetch_groups(e, now, groups, err));
        DPS_TRY(dps_comm_agree(e->shards.comm, status, err));
        list_groups(e, groups, pass, now->rule->wanted);
        dps_engine_blocks(e, now->rule, groups, now->models, now->count, now->w);
    }
    dps_block_adapt(e, now->models, now->count);
    return DPS_OK;
}

dps_status dps_engine_pass(dps_engine *e, const dps_rule *rule, int64_t pass, const int32_t *models,
                           int32_t count, double *w, dps_error *err)
{
    const uint32_t number = (uint32_t)pass;
    turn now = {.rule = rule, .models = models, .count = count, .w = w};
    dps_order_pass(e, number);
    if (e->block_rows > 1) {
        return pass_by_blocks(e, &now, number, err);
    }
    int64_t g = 0;
    int hand = 0;
    bool more;
    e->agreed = e->apart = e->reach = e->merges = 0.0;
    do {
        dps_status status = dps_run_stopped(e->run) ? dps_stopped(err) : DPS_OK;
        now.next = &e->hand[hand];
        more = open_next(e, now.next, &g, rule);
        DPS_THEN(status, take_turn(e, &now, err));
        DPS_TRY(dps_comm_agree(e->shards.comm, status, err));
        list_rows(e, now.next, number, rule->wanted);
        if (e->shards.total > 1) { /* visited at once; else with the next group's fetching */
            status = dps_engine_rounds(e, rule, models, count, w, err);
        } else if (e->shards.count == 1) {
            now.rows = e->listed[0];
            hand = 1 - hand;
        }
        if (status != DPS_OK) {
            return status;
        }
    } while (more);
    dps_round_adapt(e);
    return DPS_OK;
}
