/* Folds for cross-validation: every class is dealt evenly, by a seeded permutation of its rows. */
#ifndef DPS_FOLDS_H
#define DPS_FOLDS_H

#include <stdint.h>
#include "status.h"

/* fold[i] in 0..folds-1 for every row; the sizes of any two folds, and a class' rows in any two
 * folds, differ by at most one. A function of labels, folds and seed. rows < 2^32. */
DPS_MUST_USE dps_status dps_folds_make(const int32_t *label, int64_t rows, int32_t classes,
                                       int32_t folds, uint64_t seed, int32_t *fold, dps_error *err);
/* One split: fold[i] = 0 for about share * rows rows (held out), -1 for the others, which always
 * train; at least one row of every class that has two or more on each side. */
DPS_MUST_USE dps_status dps_holdout_make(const int32_t *label, int64_t rows, int32_t classes,
                                         double share, uint64_t seed, int32_t *fold,
                                         dps_error *err);
/* A sample: part[i] = 0 for about `most` rows, -1 for the others: of every class its share, but at
 * least 20 rows or all that it has (fewer where there are so many classes that these would be more
 * than a fourth of the sample), so that rare classes can still be held out in parts. */
DPS_MUST_USE dps_status dps_sample_make(const int32_t *label, int64_t rows, int32_t classes,
                                        int64_t most, uint64_t seed, int32_t *part, dps_error *err);

#endif
