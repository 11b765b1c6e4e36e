/* The stages of a run and what each took. */
#ifndef DPS_STAGE_COST_H
#define DPS_STAGE_COST_H

/* Seconds and bytes of a stage. */
typedef enum dps_stage {
    DPS_STAGE_PARSE,
    DPS_STAGE_SCALE,
    DPS_STAGE_MAP,
    DPS_STAGE_SOLVE,
    DPS_STAGE_WRITE,
    DPS_STAGE_COUNT
} dps_stage;
typedef struct dps_stage_cost {
    double seconds;
    double bytes;
} dps_stage_cost;

#endif
