/* `dpsvm evaluate --importance`: what each column of the input is worth to a model. */
#ifndef DPS_IMPORTANCE_H
#define DPS_IMPORTANCE_H

#include "feature_name.h"
#include "prediction.h"
#include "run.h"

typedef struct dps_importance_item {
    char name[DPS_FEATURE_NAME]; /* of the table's column, or "feature 7" */
    double drop;                 /* of accuracy; regression: rise of the RMSE */
    double error;                /* its standard error, over the rows */
} dps_importance_item;

typedef struct dps_importance {
    dps_importance_item *item; /* the largest drop first; owned */
    int32_t count, repeats;
    int64_t rows;
    bool regression;
    double figure; /* accuracy or RMSE of the rows as they are */
} dps_importance;

/* Permutation importance (Breiman 2001): the column's values are dealt anew among the rows,
 * `repeats` times, and the rows scored again; the values of a text column go together. On at most
 * DPS_IMPORTANCE_ROWS labelled rows, sampled by `seed`. Scaled values are moved: with
 * data.normalize = unit rows keep the norm's divisor they had. Classes are told as request says;
 * weights of rows count as copies. One process. request->weighs_columns: models that are linear
 * (their weights say more) and rows wider than DPS_IMPORTANCE_COLUMNS are refused. */
#define DPS_IMPORTANCE_ROWS    10000
#define DPS_IMPORTANCE_COLUMNS 4096
DPS_MUST_USE dps_status dps_importance_find(const dps_predict_request *request, int32_t repeats,
                                            uint64_t seed, const dps_run *run,
                                            dps_importance *importance, dps_error *err);
void dps_importance_release(dps_importance *importance);

#endif
