/* Warnings about sizes of columns and widths of kernels that cannot work well. Nothing is refused.
 */
#ifndef DPS_SCALE_WARNINGS_H
#define DPS_SCALE_WARNINGS_H

#include "dataset.h"
#include "recipe.h"
#include "run.h"

/* data.scaling = none with columns of very different size. warned: whether it was said. */
DPS_MUST_USE dps_status dps_warn_column_sizes(const dps_dataset *data, const dps_run *run,
                                              bool *warned, dps_error *err);

/* A map.gamma given by the user that does not fit the rows' distances, or that holds for rows of
 * another size than those of the input. */
DPS_MUST_USE dps_status dps_warn_gamma(const dps_map_request *request, const dps_scaler *scaler,
                                       const dps_row_source *rows, const dps_run *run,
                                       dps_error *err);

#endif
