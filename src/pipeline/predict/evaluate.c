/* Task: `dpsvm evaluate`: model + labelled rows -> metrics. The rows go the way of predict; the
 * labelled ones are kept as they were scored, in input order. */
#include <math.h>
#include <string.h>
#include "allocation.h"
#include "comm.h"
#include "evaluate.h"
#include "prediction_steps.h"
#include "probability.h"
#include "row_stream.h"
#include "threshold.h"

typedef struct scored_rows {
    dps_scored *row;
    size_t count, capacity;
} scored_rows;

static dps_status keep_rows(void *context, const dps_scored *row, int32_t rows, dps_error *err)
{
    scored_rows *kept = context;
    const size_t count = kept->count + (size_t)rows;
    DPS_NEED_MORE(kept->row, kept->capacity, count, "the scored rows", err);
    memcpy(kept->row + kept->count, row, (size_t)rows * sizeof *row);
    kept->count = count;
    return DPS_OK;
}

/* The positive class's probability at the cut, where the rows above it are those above the cut. */
static double chance_of(const dps_model *model, const dps_evaluation *e, const scored_rows *kept)
{
    const double score = e->positive == 1 ? e->threshold : -e->threshold;
    double chances[2];
    dps_model_probabilities(model, &score, 1, chances);
    const double cut = chances[e->positive];
    for (size_t i = 0; i < kept->count; i++) {
        dps_model_probabilities(model, &kept->row[i].score, 1, chances);
        if ((chances[e->positive] > cut) != (kept->row[i].guess == e->positive)) {
            return NAN;
        }
    }
    return cut;
}

/* request->threshold_by: the cut that is best on these rows, and the guesses by it. */
static dps_status choose_threshold(const dps_prediction *p, dps_evaluation *e, scored_rows *kept,
                                   dps_error *err)
{
    e->chosen = true;
    DPS_TRY(dps_best_threshold(kept->row, (int64_t)kept->count, e->positive,
                               (dps_cut_metric)p->request->threshold_by, &e->threshold, err));
    for (size_t i = 0; i < kept->count; i++) {
        dps_scored *row = &kept->row[i];
        const double value = e->positive == 1 ? row->score : -row->score;
        row->guess = value > e->threshold ? e->positive : 1 - e->positive;
    }
    e->chance = e->has_chances ? chance_of(&p->model, e, kept) : NAN;
    return DPS_OK;
}

/* The threshold that was given, or is asked for. */
static dps_status find_threshold(const dps_prediction *p, dps_evaluation *e, scored_rows *kept,
                                 dps_error *err)
{
    const dps_predict_request *r = p->request;
    const dps_class_table *classes = &p->model.classes;
    const int32_t found =
        r->positive == NULL ? 1 : dps_class_find(classes, r->positive, strlen(r->positive));
    e->positive = found == 0 ? 0 : 1;
    e->has_chances = p->model.probability != DPS_PROBABILITY_NONE;
    e->threshold = r->has_threshold && !r->by_probability ? r->threshold : NAN;
    e->chance = r->has_threshold && r->by_probability ? r->threshold : NAN;
    return r->chooses_threshold && kept->count > 0 ? choose_threshold(p, e, kept, err) : DPS_OK;
}

static dps_status measure(dps_prediction *p, dps_evaluation *evaluation, scored_rows *kept,
                          dps_error *err)
{
    const bool numbers = p->model.task == DPS_TASK_REGRESSION; /* sums do, but for a picture */
    const dps_stream_sink sink = {.wants_scores = true,
                                  .wants_losses = true,
                                  .take = numbers && !p->request->draws ? NULL : keep_rows,
                                  .taker = kept};
    DPS_TRY(dps_row_stream_run(p->request, &p->predictor, &sink, p->run, p->result, err));
    if (p->result->labelled == 0) {
        return dps_error_at(err, DPS_ERROR_DATA, p->request->paths[0], 0, 0,
                            "no row has a label, so there is nothing to compare predictions with; "
                            "predict needs none");
    }
    DPS_TRY(find_threshold(p, evaluation, kept, err));
    const bool measures = !numbers && dps_comm_rank(p->run->comm) == 0;
    const dps_status status = measures
                                  ? dps_metrics_init(&evaluation->metrics, p->model.classes.count,
                                                     kept->row, (int64_t)kept->count, err)
                                  : DPS_OK;
    return dps_comm_agree(p->run->comm, status, err);
}

static dps_status evaluate(dps_prediction *p, void *context, dps_error *err)
{
    dps_evaluation *evaluation = context;
    scored_rows kept = {0};
    const dps_status status = measure(p, evaluation, &kept, err);
    if (status == DPS_OK) {
        evaluation->scored = kept.row;
        evaluation->scored_count = (int64_t)kept.count;
        kept.row = NULL;
        evaluation->classes = p->model.classes;
        memset(&p->model.classes, 0, sizeof p->model.classes);
    }
    dps_free(kept.row);
    return status;
}

dps_status dps_evaluate(const dps_predict_request *request, const dps_run *run,
                        dps_evaluation *evaluation, dps_error *err)
{
    memset(evaluation, 0, sizeof *evaluation);
    const dps_status status =
        dps_prediction_run(request, run, evaluate, evaluation, &evaluation->rows, err);
    if (status != DPS_OK) {
        dps_evaluation_release(evaluation);
    }
    return status;
}

void dps_evaluation_release(dps_evaluation *evaluation)
{
    dps_metrics_release(&evaluation->metrics);
    dps_class_table_release(&evaluation->classes);
    dps_free(evaluation->scored);
    evaluation->scored = NULL;
}
