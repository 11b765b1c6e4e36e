/* Few rows seen by an RBF map of endlessly many features: inner products by its kernel. */
#ifndef DPS_KERNEL_GRAM_H
#define DPS_KERNEL_GRAM_H

#include "recipe.h"
#include "row_tile.h"
#include "run.h"

/* gram: rows x rows of exp(-base_gamma |x - y|^2) + bias^2; at most DPS_SAMPLE_ROWS rows, all on
 * this rank. *distance: of every pair (row_sample.h), found where it is NULL and kept for the next
 * width; the caller's to free. */
DPS_MUST_USE dps_status dps_kernel_gram(const dps_row_source *rows, const dps_map_recipe *recipe,
                                        double bias, double **distance, const dps_run *run,
                                        double *gram, dps_error *err);

#endif
