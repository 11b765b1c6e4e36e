/* Names of outcomes, as models and reports have them. */
#include "outcome.h"

const char *const dps_outcome_names[] = {
    "converged", "settled", "iteration_limit", "numerical_floor", "stopped_early", "stalled", NULL};
