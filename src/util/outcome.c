/* Names of outcomes, as models and reports have them. */
#include "outcome.h"

const char *const dps_outcome_names[] = {
    "converged", "settled", "iteration_limit", "numerical_floor", "stopped_early", "stalled", NULL};

const char *dps_outcome_text(dps_outcome outcome)
{
    static const char *const text[] = {"converged",
                                       "settled: the objective hardly changes any more",
                                       "at the limit of iterations",
                                       "rounding errors of the arithmetic let it come no nearer",
                                       "stopped early, by the rows of data.validation",
                                       "progress too slow to get there"};
    return text[outcome];
}
