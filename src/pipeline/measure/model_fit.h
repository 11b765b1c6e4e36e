/* How well a model does on some rows. */
#ifndef DPS_MODEL_FIT_H
#define DPS_MODEL_FIT_H

#include "metrics.h"
#include "residuals.h"

typedef struct dps_fit {
    int64_t rows;                /* that have a label; 0: not measured */
    double weight;               /* of these rows, without weights their number */
    int64_t foreign;             /* of those, rows with a label that training did not see */
    double accuracy;             /* share of right predictions; NAN: not measured, regression */
    double balanced;             /* mean recall of the classes that have rows; likewise */
    dps_residuals residuals;     /* of regression */
    dps_class_metrics *of_class; /* per class of the model; NULL: not measured, regression */
} dps_fit;

typedef struct dps_fits {
    dps_fit train, validation, test; /* on the training rows, data.validation, data.test */
} dps_fits;

/* On the rows that say most about new ones. */
static inline const dps_fit *dps_fits_freshest(const dps_fits *fits)
{
    return fits->validation.rows > 0 ? &fits->validation
           : fits->test.rows > 0     ? &fits->test
                                     : &fits->train;
}

#endif
