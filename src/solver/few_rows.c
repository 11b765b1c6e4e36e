/* Task: at most DPS_FEW_TILES tiles, and what belongs to their rows, on one rank. A tile is made by
 * its owner, once, and sent as it is: what is computed from it has the bits of a single rank. */
#include "few_rows.h"

#include <string.h>

#include "comm.h"
#include "tile_fetch.h"

int dps_few_rows_root(const dps_comm *comm)
{
    return dps_comm_size(comm) - 1;
}

static size_t panel_bytes(const dps_tile_source *source)
{
    return DPS_TILE_ROWS * source->stride * sizeof(float);
}

size_t dps_few_rows_bytes(const dps_tile_source *source)
{
    const size_t fetched = dps_fetch_bytes(source), tiles = (size_t)DPS_FEW_TILES;
    const size_t sent = source->total_rows > 0 ? panel_bytes(source) : 0;
    return tiles * (fetched > sent ? fetched : sent);
}

static dps_status get_tile(const void *context, int64_t t, float *buffer, void *scratch,
                           dps_z_tile *tile, dps_error *err)
{
    const dps_few_rows *few = context;
    (void)buffer;
    (void)scratch;
    (void)err;
    *tile = few->tile[t];
    return DPS_OK;
}

/* ---- one tile from its owner to the root ----------------------------------------------------- */

static int64_t entries_of(const dps_z_tile *tile)
{
    return tile->start == NULL ? -1 : tile->start[tile->rows] - tile->start[0];
}

static void send_tile(const dps_comm *comm, int root, const dps_z_tile *tile, size_t panel)
{
    dps_comm_send(comm, root, tile, sizeof *tile);
    dps_comm_send(comm, root, tile->z, panel);
    if (tile->start != NULL) {
        const int64_t begin = tile->start[0], entries = entries_of(tile);
        dps_comm_send(comm, root, tile->start, ((size_t)tile->rows + 1) * sizeof *tile->start);
        dps_comm_send(comm, root, tile->column + begin, (size_t)entries * sizeof *tile->column);
        dps_comm_send(comm, root, tile->value + begin, (size_t)entries * sizeof *tile->value);
    }
}

/* memory: the panel, then starts, columns and values of `entries` entries. */
static void receive_tile(const dps_comm *comm, int from, char *memory, size_t panel,
                         int64_t entries, dps_z_tile *tile)
{
    dps_comm_receive(comm, from, tile, sizeof *tile);
    dps_comm_receive(comm, from, memory, panel);
    tile->z = (const float *)(const void *)memory;
    if (entries >= 0) {
        int64_t *start = (int64_t *)(void *)(memory + panel);
        int32_t *column = (int32_t *)(void *)(start + DPS_TILE_ROWS + 1);
        float *value = (float *)(void *)(column + entries);
        dps_comm_receive(comm, from, start, ((size_t)tile->rows + 1) * sizeof *start);
        dps_comm_receive(comm, from, column, (size_t)entries * sizeof *column);
        dps_comm_receive(comm, from, value, (size_t)entries * sizeof *value);
        for (int32_t r = tile->rows; r >= 0; r--) {
            start[r] -= start[0];
        }
        tile->start = start;
        tile->column = column;
        tile->value = value;
    }
}

/* Tile t of the whole. All. */
static dps_status take_tile(dps_few_rows *few, const dps_problem *problem, const dps_run *run,
                            int64_t t, dps_error *err)
{
    const dps_tile_source *source = problem->source;
    const dps_comm *comm = dps_problem_comm(problem, run);
    const int64_t own = t - dps_tile_count(source->first_row);
    const bool mine = own >= 0 && own < dps_tile_count(source->rows);
    const int rank = dps_comm_rank(comm), root = dps_few_rows_root(comm);
    const int owner = (int)dps_comm_max(comm, mine ? rank : -1);
    const size_t panel = panel_bytes(source);
    size_t bytes = mine ? dps_fetch_bytes(source) : 0;
    dps_status status = DPS_OK;
    if (mine) {
        few->memory[t] = dps_alloc(bytes, 1);
        status = few->memory[t] == NULL
                     ? dps_out_of_memory(err, bytes, 1, "a tile")
                     : dps_fetch(source, own, few->memory[t], &few->tile[t], err);
    }
    const double held = mine && status == DPS_OK ? (double)entries_of(&few->tile[t]) : -1.0;
    const int64_t entries = (int64_t)dps_comm_max(comm, held);
    if (rank == root && owner != root) {
        bytes = panel + (DPS_TILE_ROWS + 1) * sizeof(int64_t) +
                (size_t)(entries > 0 ? entries : 0) * (sizeof(int32_t) + sizeof(float));
        few->memory[t] = dps_alloc(bytes, 1);
        status = few->memory[t] == NULL ? dps_out_of_memory(err, bytes, 1, "a tile") : DPS_OK;
    }
    status = dps_comm_agree(comm, status, err);
    if (status == DPS_OK && owner != root && rank == owner) {
        send_tile(comm, root, &few->tile[t], panel);
    } else if (status == DPS_OK && owner != root && rank == root) {
        receive_tile(comm, owner, few->memory[t], panel, entries, &few->tile[t]);
    }
    return status;
}

/* ---- all ------------------------------------------------------------------------------------- */

dps_status dps_few_rows_items(const dps_problem *problem, const dps_run *run, const void *mine,
                              size_t size, char **all, dps_error *err)
{
    const dps_comm *comm = dps_problem_comm(problem, run);
    size_t *begin = NULL;
    if (comm == NULL) {
        return DPS_OK;
    }
    begin = dps_alloc((size_t)dps_comm_size(comm) + 1, sizeof *begin);
    dps_status status = begin != NULL ? DPS_OK
                                      : dps_out_of_memory(err, (size_t)dps_comm_size(comm),
                                                          sizeof *begin, "the ranks' rows");
    status = dps_comm_agree(comm, status, err);
    DPS_THEN(status,
             dps_comm_gather(comm, mine, (size_t)problem->source->rows * size, all, begin, err));
    dps_free(begin);
    return status;
}

static dps_status take_rows(dps_few_rows *few, const dps_problem *problem, const dps_run *run,
                            dps_error *err)
{
    const bool weighted = dps_comm_any(dps_problem_comm(problem, run), problem->row_weight != NULL);
    DPS_TRY(
        problem->loss->regression
            ? dps_few_rows_items(problem, run, problem->target, sizeof(double), &few->target, err)
            : dps_few_rows_items(problem, run, problem->label, sizeof(int32_t), &few->label, err));
    if (weighted) {
        DPS_TRY(dps_few_rows_items(problem, run, problem->row_weight, sizeof(double), &few->weight,
                                   err));
    }
    if (few->target != NULL) {
        few->problem.target = (const double *)(const void *)few->target;
    }
    if (few->label != NULL) {
        few->problem.label = (const int32_t *)(const void *)few->label;
    }
    if (few->weight != NULL) {
        few->problem.row_weight = (const double *)(const void *)few->weight;
    }
    return DPS_OK;
}

dps_status dps_few_rows_gather(dps_few_rows *few, const dps_problem *problem, const dps_run *run,
                               dps_error *err)
{
    *few = (dps_few_rows){.problem = *problem, .source = *problem->source};
    few->source.rows = dps_tiles_rows(problem->source);
    few->source.first_row = few->source.total_rows = 0;
    few->source.resident = true;
    few->source.context = few;
    few->source.get = get_tile;
    few->problem.source = &few->source;
    DPS_TRY(take_rows(few, problem, run, err));
    for (int64_t t = 0; t < dps_tile_count(few->source.rows); t++) {
        DPS_TRY(take_tile(few, problem, run, t, err));
    }
    return DPS_OK;
}

void dps_few_rows_release(dps_few_rows *few)
{
    for (int t = 0; t < DPS_FEW_TILES; t++) {
        dps_free(few->memory[t]);
    }
    dps_free(few->label);
    dps_free(few->target);
    dps_free(few->weight);
}
