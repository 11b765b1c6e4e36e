/* What training will need, before it starts. */
#ifndef DPS_TRAINING_PLAN_H
#define DPS_TRAINING_PLAN_H

#include "settings.h"

typedef struct dps_plan {
    size_t data_bytes, map_bytes, solver_bytes;
    size_t buffer_bytes; /* panels and scratch of the threads while mapping */
    size_t tile_bytes;   /* of all z-tiles kept */
    size_t needed;       /* without kept tiles */
    int threads;         /* that memory holds, of run->threads */
    bool spill;          /* needed counts on dps_dataset_spill */
    bool span;           /* rows are trained in their span (row_span.h), which buffer_bytes has */
    bool tiles_fit;
    double map_flops;         /* of mapping every row once */
    double solve_flops;       /* rough: the solver's usual number of passes or steps */
    int64_t usual_passes;     /* that number */
    const dps_solver *solver; /* that starts */
    int32_t shards;           /* of dcd and sgd */
} dps_plan;

/* Fills the plan from the recipe's facts; refuses a solver that does not take this problem
 * and what cannot fit run->memory. problem: all but `source`. */
DPS_MUST_USE dps_status dps_plan_make(const dps_settings *settings, const dps_dataset *data,
                                      const dps_map_recipe *recipe, const dps_map_facts *facts,
                                      const dps_problem *problem, const dps_run *run,
                                      dps_plan *plan, dps_error *err);
/* The same for a comparison on `rows` rows that lie beside the data in sample_bytes: lowers
 * run->threads to what memory holds, spills the data where that is needed, and refuses the rest:
 * what is compared never depends on memory. *left: bytes for mapped rows. */
DPS_MUST_USE dps_status dps_plan_trial(const dps_settings *settings, dps_dataset *data,
                                       const dps_map_facts *facts, const dps_problem *problem,
                                       int64_t rows, size_t sample_bytes, dps_run *run,
                                       size_t *left, dps_error *err);
/* Says what was read, before any work on it. All. */
DPS_MUST_USE dps_status dps_plan_log_data(const dps_dataset *data, const dps_run *run,
                                          dps_error *err);
/* Says it in a few lines. */
DPS_MUST_USE dps_status dps_plan_log(const dps_plan *plan, const dps_map_recipe *recipe,
                                     const dps_map_facts *facts, const dps_run *run,
                                     dps_error *err);

#endif
