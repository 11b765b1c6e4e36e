/* The map, built from a recipe. Columns, in order: exact ones (degree 0: sqrt(a_0); degree
 * 1: sqrt(a_1) x; monomials of degrees 2..k in lexicographic order), then random ones sorted by
 * degree, descending, ties by feature number. All times recipe.factor; random ones also times
 * 1/sqrt(D).
 *
 * Orders of summation (equal bits on every SIMD path; docs/algorithms.md):
 *   signs:  coordinates in groups of four, ((+-x0 +- x1) +- x2) +- x3, then the groups in order;
 *   others: coordinates in order, explicit fma; products: factor by factor onto the weight. */
#ifndef DPS_MAP_H
#define DPS_MAP_H

#include "recipe.h"

typedef struct dps_map dps_map;

/* Builds (draws signs, frequencies, weights; collapses). columns = d. Memory is checked against
 * run->memory before allocating. Free with dps_map_free. */
DPS_MUST_USE dps_status dps_map_new(dps_map **map, const dps_map_recipe *recipe, int32_t columns,
                                    const dps_run *run, dps_error *err);
/* The same for a recipe and the columns that a file says it makes: refused as DPS_ERROR_DATA before
 * anything is drawn but degrees, where it makes others. */
DPS_MUST_USE dps_status dps_map_new_as(dps_map **map, const dps_map_recipe *recipe, int32_t columns,
                                       const dps_map_widths *widths, const dps_run *run,
                                       dps_error *err);
void dps_map_free(dps_map *map);

int32_t dps_map_width(const dps_map *map); /* D' of the dense panel */
int32_t
dps_map_sparse_columns(const dps_map *map); /* d if the sparse row is passed through, else 0 */
double dps_map_sparse_scale(const dps_map *map);
size_t dps_map_scratch_bytes(const dps_map *map); /* per thread */

/* z (tile->rows x stride floats, row-major): columns 0 .. width-1 are written, others left alone.
 * Accepts dense and compressed tiles alike, with equal bits. Thread-safe; scratch is the caller's,
 * 64-byte aligned. A value that is not finite is DPS_ERROR_NUMERIC with the row within the tile
 * (from 1) in err->line and the degree in the text. */
DPS_MUST_USE dps_status dps_map_apply(const dps_map *map, dps_simd simd, const dps_row_tile *tile,
                                      float *z, size_t stride, void *scratch, dps_error *err);

/* The same a run of columns at a time, for maps of more columns than rows can be held of. A run
 * begins where the last ended, at 0 first: the exact columns, then at most `most` (at least 32)
 * columns of one degree. z: tile->rows x stride, column `begin` first. Only for recipes with
 * dps_map_in_runs. */
bool dps_map_in_runs(const dps_map_recipe *recipe);
int32_t dps_map_run_end(const dps_map *map, int32_t begin, int32_t most);
DPS_MUST_USE dps_status dps_map_apply_run(const dps_map *map, dps_simd simd,
                                          const dps_row_tile *tile, int32_t begin, int32_t end,
                                          float *z, size_t stride, void *scratch, dps_error *err);

/* The map as column blocks, for tests and reports: degree of column j (0, 1, ...; -1 for fourier
 * and for mixtures of all degrees, map.craft).
 */
int32_t dps_map_column_degree(const dps_map *map, int32_t j);

#endif
