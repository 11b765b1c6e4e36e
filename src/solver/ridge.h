/* Squared losses on held-out rows: all models and every fold on one set of inner products, and one
 * factor a fold and value of C for all models. For searches: it scores maps and values of C as a
 * solver would, at a cost that grows little with the number of classes.
 *
 *     min over w:  |w|^2 / 2 + C sum_i c_i (t_i - <w, z_i>)^2
 *     (Z^T B Z + I / (2 C)) w = Z^T B t,    w = Z^T alpha,  (Z Z^T + B^-1 / (2 C)) alpha = t,
 *
 * B = diag(c), t the targets: y, or moved to where the squared hinge (or its like of regression) of
 * a row is 0. Rifkin & Klautau 2004 (one against the rest by regularised least squares). */
#ifndef DPS_RIDGE_H
#define DPS_RIDGE_H

#include "few_rows.h"

typedef struct dps_ridge dps_ridge;

/* Inner products of the columns, fold by fold, or, of fewer rows than columns and at most
 * DPS_RIDGE_ROWS, of the rows. fold: of each row, < 0: always trains. problem and fold must outlive
 * the ridge. One rank's rows only; of a source that dps_ridge_takes. */
DPS_MUST_USE dps_status dps_ridge_new(dps_ridge **ridge, const dps_problem *problem,
                                      const int32_t *fold, int32_t folds, const dps_run *run,
                                      dps_error *err);
/* held: models x rows; decision values of every held-out row by the models of the other folds.
 * moves: of the targets, 0: they are y. The same bits for any number of threads. */
DPS_MUST_USE dps_status dps_ridge_held(dps_ridge *ridge, double C, int moves, double *held,
                                       const dps_run *run, dps_error *err);
void dps_ridge_free(dps_ridge *ridge);
/* w of every model by squared losses on all rows, and the least P, into a solution of the problem;
 * more rows than columns. */
DPS_MUST_USE dps_status dps_ridge_solve(const dps_problem *problem, const dps_run *run,
                                        dps_solution *solution, dps_error *err);

enum { DPS_RIDGE_COLUMNS = 4096, DPS_RIDGE_ROWS = DPS_FEW_ROWS };
/* At most so many columns, or few rows. */
bool dps_ridge_takes(const dps_tile_source *source);
/* Bytes it takes besides the source. */
size_t dps_ridge_bytes(const dps_problem *problem, int32_t folds, int threads);

#endif
