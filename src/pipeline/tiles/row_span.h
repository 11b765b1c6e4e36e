/* Rows in coordinates of the space that they span: for maps of more columns than training rows,
 * where a solver could not hold even a few mapped tiles. */
#ifndef DPS_ROW_SPAN_H
#define DPS_ROW_SPAN_H

#include "map.h"
#include "run.h"
#include "solver.h"
#include "tile_source.h"

#define DPS_SPAN_COLUMNS 65536 /* wider maps are trained in the span of their rows */

typedef struct dps_row_span dps_row_span;

/* Whether rows are to be trained in their span: a function of sizes and the recipe, never of
 * memory. Not for rows shared by ranks. */
bool dps_row_span_wanted(const dps_map_recipe *recipe, const dps_map_facts *facts, int64_t rows,
                         const dps_run *run);
/* Bytes it takes, multipliers, scores and dps_row_span_settle included, map and rows left out;
 * SIZE_MAX on overflow. */
size_t dps_row_span_bytes(const dps_map_facts *facts, const dps_problem *problem, int threads);

/* rows and map outlive the span; map: of a recipe with dps_map_in_runs. */
DPS_MUST_USE dps_status dps_row_span_new(dps_row_span **span, const dps_row_source *rows,
                                         const dps_map *map, double bias, const dps_run *run,
                                         dps_error *err);
/* As many columns as rows, no bias column: the bias is among what they span. Resident. */
const dps_tile_source *dps_row_span_source(const dps_row_span *span);
/* alpha (models x rows) of w (models x length of the source): the same point as a sum of rows. */
void dps_row_span_alpha(const dps_row_span *span, const double *w, int32_t models, size_t length,
                        double *alpha);
/* out = K x, of inner products summed in double, without the ridge of the source's. context: the
 * span. */
void dps_row_span_multiply(const void *context, const double *x, double *out);
/* K whole, rows x rows. */
void dps_row_span_gram(const dps_row_span *span, double *gram);
/* Weights of the map's columns and then the bias (if it is not 0), one model after the other, that
 * score as alpha (models x rows) does. */
DPS_MUST_USE dps_status dps_row_span_weights(const dps_row_span *span, const double *alpha,
                                             int32_t models, double *weight, const dps_run *run,
                                             dps_error *err);

enum { DPS_SETTLING_DOUBLES = 4 }; /* a row, of the following */
/* From the solution over the source, rounded to float, to the one of the rows themselves: alpha and
 * scores K alpha (both models x rows), certified by K; of few rows ended by K where that is above
 * the tolerance. solution: its certificates, outcome and solver follow, w stays. */
DPS_MUST_USE dps_status dps_row_span_settle(const dps_row_span *span, const dps_problem *problem,
                                            const dps_solver_settings *settings, const dps_run *run,
                                            dps_solution *solution, double *alpha, double *score,
                                            dps_error *err);
void dps_row_span_free(dps_row_span *span); /* accepts NULL */

#endif
