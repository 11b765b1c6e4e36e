/* Squared losses on held-out rows: all models and every fold on one set of inner products, and for
 * each value of C one factor, of columns, or one a fold, of few rows. For searches: it scores maps
 * and values of C as a solver would, at a cost that grows little with the number of classes.
 *
 *     min over w:  |w|^2 / 2 + C sum_i c_i (t_i - <w, z_i>)^2,
 *     by rows  w = Z^T alpha,  (Z Z^T + B^-1 / (2 C)) alpha = t,    B = diag(c),
 *
 * t the nearest point where the squared hinge (or its like of regression) of a row is 0. */
#ifndef DPS_RIDGE_H
#define DPS_RIDGE_H

#include "few_rows.h"

typedef struct dps_ridge dps_ridge;

/* Inner products of the columns, or, of fewer rows than columns and at most DPS_RIDGE_ROWS, of the
 * rows. fold: of each row, < 0: always trains. problem and fold must outlive
 * the ridge. One rank's rows only; of a source that dps_ridge_takes. */
DPS_MUST_USE dps_status dps_ridge_new(dps_ridge **ridge, const dps_problem *problem,
                                      const int32_t *fold, int32_t folds, const dps_run *run,
                                      dps_error *err);
/* By rows whose inner products (rows x rows) are known; problem->source tells their number, and
 * makes no tiles. gram must outlive the ridge. */
DPS_MUST_USE dps_status dps_ridge_of_gram(dps_ridge **ridge, const dps_problem *problem,
                                          const double *gram, const int32_t *fold, int32_t folds,
                                          dps_error *err);
/* held: models x rows; decision values of every held-out row by the models of the other folds.
 * steps: by rows moves of t, from y; by columns of the joint solve, from where the last C has
 * ended. The same bits for any number of threads. */
DPS_MUST_USE dps_status dps_ridge_held(dps_ridge *ridge, double C, int steps, double *held,
                                       const dps_run *run, dps_error *err);
void dps_ridge_free(dps_ridge *ridge);
/* w of every model by squared losses on all rows, and the least P, into a solution of the problem;
 * more rows than columns. */
DPS_MUST_USE dps_status dps_ridge_solve(const dps_problem *problem, const dps_run *run,
                                        dps_solution *solution, dps_error *err);

enum { DPS_RIDGE_ROWS = DPS_FEW_ROWS };
/* Few rows, or what the joint solve takes. */
bool dps_ridge_takes(const dps_tile_source *source);
/* Bytes it takes besides the source. */
size_t dps_ridge_bytes(const dps_problem *problem, int32_t folds, int threads);

#endif
