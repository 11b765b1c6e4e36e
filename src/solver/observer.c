/* Task: the way from a solver to whoever looks on. Cost without an observer: a comparison a pass.
 */
#include "observer.h"

dps_status dps_observe(const dps_pass_observer *observer, const dps_solution *solution,
                       dps_pass_report report, bool *stop, dps_error *err)
{
    *stop = false;
    if (observer == NULL) {
        return DPS_OK;
    }
    report.models = solution->models;
    report.length = solution->length;
    report.w = solution->w;
    return observer->after_pass(observer->context, &report, stop, err);
}

void dps_observer_list_state(const dps_pass_observer *observer, dps_state *state)
{
    if (observer != NULL && observer->list_state != NULL) {
        observer->list_state(observer->context, state);
    }
}
