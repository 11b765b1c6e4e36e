/* solver.class_weight as one weight a class. */
#ifndef DPS_CLASS_WEIGHTS_H
#define DPS_CLASS_WEIGHTS_H

#include "labels.h"
#include "options.h"

/* weight: classes->count doubles:
 *   none                1
 *   balanced            n / (classes * n_k), n rows, n_k of class k, a row of weight w being w rows
 *   label:weight, ...   the others 1; a label in quotes may hold commas, blanks and colons
 * class_rows: n_k of each class, NULL: classes->rows. classes = NULL checks the syntax only. */
DPS_MUST_USE dps_status dps_class_weights_read(const dps_options *options,
                                               const dps_class_table *classes,
                                               const double *class_rows, double *weight,
                                               dps_error *err);

#endif
