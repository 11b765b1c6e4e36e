/* Task: scores -> class: the largest score; of two classes a cut, which may be moved and may be of
 * the probability. */
#include "decision.h"

#include <string.h>
#include "probability.h"
#include "predictor.h"
#include "row_tile.h"

dps_status dps_decision_of(const dps_predict_request *request, const dps_model *model,
                           dps_decision *decision, dps_error *err)
{
    const dps_class_table *classes = &model->classes;
    const char *named = request->positive;
    *decision = (dps_decision){
        .positive = named == NULL ? -1 : dps_class_find(classes, named, strlen(named)),
        .threshold = request->has_threshold ? request->threshold : 0,
        .by_probability = request->by_probability && request->has_threshold && classes->count == 2};
    if (named == NULL || decision->positive >= 0) {
        return DPS_OK;
    }
    dps_text labels = {0};
    for (int32_t k = 0; k < classes->count && labels.length < 300; k++) {
        dps_text_format(&labels, "%s%s", k > 0 ? ", " : "", classes->text[k]);
    }
    const dps_status status = dps_error_set(
        err, DPS_ERROR_CONFIG, "--positive %s: the model has no such class; it has %s",
        DPS_QUOTE(named, strlen(named), 40),
        labels.length == 0 || labels.failed ? "none, it predicts numbers" : labels.data);
    dps_text_release(&labels);
    return status;
}

int32_t dps_decided_class(const dps_model *model, const dps_decision *decision,
                          const double *scores, int32_t i, double *chances)
{
    if (model->classes.count != 2) {
        return dps_predicted_class(model->classes.count, 0, scores, i);
    }
    const int32_t positive = decision->positive == 0 ? 0 : 1;
    double value = positive == 1 ? scores[i] : -scores[i];
    if (decision->by_probability) {
        dps_model_probabilities(model, scores + i, DPS_TILE_ROWS, chances);
        value = chances[positive];
    }
    return value > decision->threshold ? positive : 1 - positive;
}
