/* Whether a machine computes a model's scores as the one that trained it did: rows that are drawn
 * from the model's seed and fitted ranges, never of data, and their scores, which a model may carry
 * (output.self_test). */
#ifndef DPS_SELF_TEST_H
#define DPS_SELF_TEST_H

#include "model.h"
#include "run.h"

#define DPS_SELF_TEST_ROWS 32

/* Puts the scores into the model. */
DPS_MUST_USE dps_status dps_self_test_make(dps_model *model, const dps_run *run, dps_error *err);

/* Computes the scores on every SIMD path of this processor and compares their bits with the
 * model's, or where it carries none with those of plain C; says so in `out`, a line a path. The
 * first that differs is DPS_ERROR_NUMERIC. */
DPS_MUST_USE dps_status dps_self_test_verify(const dps_model *model, const dps_run *run,
                                             dps_text *out, dps_error *err);

#endif
