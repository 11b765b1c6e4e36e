/* Task: the rows and mapped rows that settings of one group share: read once for all settings with
 * the same [data], mapped once for all with the same map (tune_space.h). Halving thins the rows by
 * whole tiles, so that thinned and full rows have the same bits and no row is copied: all of them
 * may lie in a scratch file. */
#include "tune_private.h"

#include <string.h>
#include "allocation.h"
#include "comm.h"
#include "model_selection.h"
#include "training_inputs.h"
#include "training_places.h"

static void drop_features(dps_tune_state *t)
{
    dps_mapped_rows_release(&t->training.mapped);
    dps_free(t->label);
    dps_free(t->target);
    dps_free(t->row_weight);
    dps_free(t->fold);
    t->label = NULL;
    t->target = NULL;
    t->row_weight = NULL;
    t->fold = NULL;
    t->ready = false;
}

void dps_tune_drop_data(dps_tune_state *t)
{
    drop_features(t);
    dps_training_release(&t->training);
    dps_train_result_release(&t->planned);
    dps_options_release(&t->options);
    memset(&t->training, 0, sizeof t->training);
    t->loaded = false;
}

/* What the training behind the search writes to and reads last, tried before it: a long search is
 * not lost to a name. The first process trains. */
static dps_status load(dps_tune_state *t, dps_error *err)
{
    dps_training *training = &t->training;
    const bool trains = dps_comm_rank(t->comm) == 0;
    if (trains) {
        DPS_TRY(
            dps_training_probe_places(&t->options, training->settings.validation_file, true, err));
    }
    DPS_TRY(dps_training_load(training, err));
    return trains ? dps_training_try_inputs(training, err) : DPS_OK;
}

dps_status dps_tune_load_group(dps_tune_state *t, const dps_tune_point *point, dps_error *err)
{
    const int64_t part = point->index / t->space->data_span;
    dps_options options;
    DPS_TRY(dps_tune_point_options(t->space, point, &options, err));
    drop_features(t);
    if (t->loaded && part != t->data_part) {
        dps_tune_drop_data(t);
    }
    dps_options_release(&t->options);
    t->options = options;
    t->training.options = &t->options;
    t->training.run = &t->silent;
    t->training.result = &t->planned;
    dps_status status = dps_settings_read(&t->options, &t->training.settings, err);
    if (status == DPS_OK && !t->loaded) {
        status = load(t, err);
        t->loaded = true;
        t->all_rows = t->training.rows;
        t->data_part = status == DPS_OK ? part : -1; /* what is there is dropped by the next */
    }
    return status;
}

/* Every `every`-th tile of rows, as a source. */
static dps_status get_sparse_tile(const void *context, int64_t k, dps_row_tile *tile,
                                  dps_error *err)
{
    const dps_tune_state *t = context;
    return t->all_rows.get(t->all_rows.context, k * t->every, tile, err);
}

static dps_status thin_rows(dps_tune_state *t, dps_error *err)
{
    dps_training *training = &t->training;
    const int64_t all = t->all_rows.rows, tiles = dps_tile_count(all);
    const double *weight = training->data.row_weight, *target = training->data.target;
    int64_t rows = 0;
    training->rows = t->all_rows;
    t->label = dps_alloc((size_t)all, sizeof *t->label);
    t->row_weight = dps_alloc(weight == NULL ? 1 : (size_t)all, sizeof *t->row_weight);
    t->target = target == NULL ? NULL : dps_alloc((size_t)all, sizeof *t->target);
    if (t->label == NULL || t->row_weight == NULL || (target != NULL && t->target == NULL)) {
        return dps_out_of_memory(err, (size_t)all, 20, "labels");
    }
    for (int64_t k = 0; k < tiles; k += t->every) {
        for (int64_t i = k * DPS_TILE_ROWS; i < all && i < (k + 1) * DPS_TILE_ROWS; i++) {
            t->label[rows] = training->data.label[i];
            if (target != NULL) {
                t->target[rows] = target[i];
            }
            if (weight != NULL) {
                t->row_weight[rows] = weight[i];
            }
            rows++;
        }
    }
    training->rows.rows = rows;
    training->rows.context = t;
    training->rows.get = get_sparse_tile;
    training->problem.label = t->label;
    training->problem.target = t->target;
    training->problem.row_weight = weight == NULL ? NULL : t->row_weight;
    return DPS_OK;
}

dps_status dps_tune_enter_group(dps_tune_state *t, const dps_tune_point *point, int64_t every,
                                dps_error *err)
{
    const int64_t group = point->index / t->space->group_span;
    if (t->ready && group == t->group && every == t->every) {
        return DPS_OK;
    }
    dps_status status = dps_tune_load_group(t, point, err);
    if (status == DPS_OK) {
        t->training.rows = t->all_rows;
        status = dps_training_plan(&t->training, err);
    }
    t->every = every;
    DPS_THEN(status, thin_rows(t, err));
    DPS_THEN(status, dps_training_features(&t->training, err));
    DPS_THEN(status, dps_selection_folds(&t->training.settings, &t->options, &t->training.problem,
                                         t->run, &t->fold, err));
    if (status == DPS_OK && !t->warned) {
        dps_selection_warn(&t->training.settings, &t->training.data.classes, t->run);
        t->warned = true;
    }
    t->ready = status == DPS_OK;
    t->group = group;
    return status;
}
