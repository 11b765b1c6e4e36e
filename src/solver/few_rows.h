/* The rows of a small problem in one place, whoever had them: for methods whose cost is of rows x
 * rows. */
#ifndef DPS_FEW_ROWS_H
#define DPS_FEW_ROWS_H

#include "solver.h"

enum { DPS_FEW_ROWS = 1024, DPS_FEW_TILES = (DPS_FEW_ROWS + DPS_TILE_ROWS - 1) / DPS_TILE_ROWS };

typedef struct dps_few_rows {
    dps_problem problem;    /* of all rows, as a single rank has it */
    dps_tile_source source; /* of it; resident */
    dps_z_tile tile[DPS_FEW_TILES];
    void *memory[DPS_FEW_TILES];   /* of tiles made here or sent; NULL: the source's own */
    char *label, *target, *weight; /* gathered; NULL: the problem's own */
} dps_few_rows;

/* The rank that gets the rows: the last, which owns them all unless they are dealt by shards. */
int dps_few_rows_root(const struct dps_comm *comm);
/* At most DPS_FEW_ROWS rows. All; tiles on the root only, the rest everywhere. few keeps its place:
 * its problem points into it. */
DPS_MUST_USE dps_status dps_few_rows_gather(dps_few_rows *few, const dps_problem *problem,
                                            const dps_run *run, dps_error *err);
/* Items of `size` bytes, one of each of the problem's rows: those of all ranks, in order; NULL on
 * one rank alone. All; *all is the caller's to free. */
DPS_MUST_USE dps_status dps_few_rows_items(const dps_problem *problem, const dps_run *run,
                                           const void *mine, size_t size, char **all,
                                           dps_error *err);
void dps_few_rows_release(dps_few_rows *few);
/* Inner products of all rows, rows x rows, in double; gram: zeros. */
DPS_MUST_USE dps_status dps_few_rows_gram(const dps_few_rows *few, const dps_run *run, double *gram,
                                          dps_error *err);
/* Bytes it takes, entries of sparse rows left out. */
size_t dps_few_rows_bytes(const dps_tile_source *source);

#endif
