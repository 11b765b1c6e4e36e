/* `dpsvm kernel MODEL FILE ...`: the kernel that a model's map stands for, with the metric that
 * map.refine has learnt, and how far the map is from it on rows of the files. */
#ifndef DPS_MODEL_STUDY_H
#define DPS_MODEL_STUDY_H

#include "kernel_study.h"
#include "prediction.h"

/* input: model, files and how they are read. Of the request no sizes is the model's D, which is put
 * among others; `compare` is not for it. Curves:
 *   model        the model's map itself, at its D alone
 *   other seeds  `runs` maps that differ in the seed, at every D; none where nothing is drawn
 *   as drawn     of a learnt metric: maps without it (T = I), against the kernel without it
 * A map whose projections have moved by themselves is refused: it has no other kernel than
 * <z(x), z(y)>. Labels are not needed. */
DPS_MUST_USE dps_status dps_model_study(const dps_predict_request *input,
                                        const dps_study_request *request, const dps_run *run,
                                        dps_study *study, dps_error *err);

#endif
