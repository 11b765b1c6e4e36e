/* How an iteration towards a tolerance ended: a solver's, as a model records it. */
#ifndef DPS_OUTCOME_H
#define DPS_OUTCOME_H

#include "names.h"

typedef enum dps_outcome {
    DPS_CONVERGED, /* the certificate says so: gap <= tolerance; nothing else does */
    DPS_SETTLED,   /* sgd: P changes by less than the tolerance, and the gap is above it */
    DPS_ITERATION_LIMIT,
    DPS_NUMERICAL_FLOOR, /* tolerance below what the arithmetic reaches */
    DPS_STOPPED_EARLY,   /* by the observer */
    DPS_STALLED          /* progress too slow to finish within the limit: `auto` hands over */
} dps_outcome;
extern const char *const dps_outcome_names[];
/* The same for people: "at the limit of iterations", ... */
const char *dps_outcome_text(dps_outcome outcome);

#endif
