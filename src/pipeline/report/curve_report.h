/* The learning curve as CSV and as a picture. */
#ifndef DPS_CURVE_REPORT_H
#define DPS_CURVE_REPORT_H

#include "learning_curve.h"
#include "options.h"

/* pass,solver,seconds,objective,gap,METRIC: a line a point; what is not known is empty. */
DPS_MUST_USE dps_status dps_curve_write_csv(const dps_curve *curve, const char *path,
                                            dps_error *err);
/* Objective, gap and score (those that there are) against passes and against seconds. */
DPS_MUST_USE dps_status dps_curve_write_svg(const dps_curve *curve, const char *path,
                                            dps_error *err);
/* output.curve and output.plot, those that are asked for: a dps_curve_writer. */
DPS_MUST_USE dps_status dps_curve_write(const dps_curve *curve, const dps_options *options,
                                        dps_error *err);

#endif
