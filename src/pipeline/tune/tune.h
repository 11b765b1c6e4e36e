/* `dpsvm tune`: settings compared by cross-validation. */
#ifndef DPS_TUNE_H
#define DPS_TUNE_H

#include "run.h"
#include "tune_space.h"

typedef struct dps_tune_request {
    int32_t shard, shards; /* this process' part, 1 <= shard <= shards; shards 0: everything */
    bool collect;          /* compute nothing: results of all shards must be there */
} dps_tune_request;

typedef struct dps_tune_result {
    dps_tune_space space; /* points with their scores */
    dps_metric metric;
    int32_t folds;                  /* 1: a held-out share */
    int64_t units, found, computed; /* chains x folds: all, read from journals, done now */
    int64_t untried;                /* of them, left undone by run.time_limit */
    const dps_tune_point *chosen;   /* NULL: a shard, which does not choose */
    dps_options best;               /* options of the chosen setting */
    double seconds;
} dps_tune_result;

/* Compares and, unless it is one shard of several, chooses and writes the table and the INI; the
 * model is trained by dps_train with result->best. Stopped by a signal, the same call goes on from
 * the journal. options outlive the result. */
DPS_MUST_USE dps_status dps_tune(const dps_options *options, const dps_tune_request *request,
                                 const dps_run *run, dps_tune_result *result, dps_error *err);
void dps_tune_result_release(dps_tune_result *result);

#endif
