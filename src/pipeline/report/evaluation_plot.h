/* `dpsvm evaluate --plot`: pictures of how good a model's classes or numbers are. */
#ifndef DPS_EVALUATION_PLOT_H
#define DPS_EVALUATION_PLOT_H

#include "evaluate.h"

/* Two classes: ROC, precision against recall, and where the model has probabilities their
 * calibration; of up to 20 classes the confusion matrix. Regression: predicted against true
 * numbers, and residuals against predicted ones. evaluation->scored holds the rows. */
DPS_MUST_USE dps_status dps_evaluation_plot(const dps_evaluation *evaluation, const char *path,
                                            dps_error *err);

#endif
