/* Task: the arrays of a model's file: their sizes against what is left of it, then number by
 * number, each within the range that its place asks for (docs/model_format.md). */
#include <math.h>
#include <string.h>
#include "allocation.h"
#include "model_read_private.h"

static double next_real(dps_model_bytes *in)
{
    const uint64_t bits = dps_model_bits(in->data + in->at);
    double value;
    memcpy(&value, &bits, sizeof value);
    in->at += sizeof bits;
    return value;
}

static dps_status take_reals(dps_model_bytes *in, double *value, size_t count, const char *what,
                             dps_error *err)
{
    for (size_t i = 0; i < count; i++) {
        value[i] = next_real(in);
        if (!isfinite(value[i])) {
            return DPS_BAD_MODEL(in, "number %zu of the %s is not finite", i + 1, what);
        }
    }
    return DPS_OK;
}

static dps_status take_indices(dps_model_bytes *in, dps_scaler *scaler, dps_error *err)
{
    double before = -1;
    for (int32_t j = 0; j < scaler->columns; j++) {
        double value = next_real(in);
        if (!(value > before && value < INT32_MAX && value == rint(value))) {
            return DPS_BAD_MODEL(in, "column indices are not ascending whole numbers (number %ld)",
                                 (long)j + 1);
        }
        scaler->index[j] = (int32_t)value;
        before = value;
    }
    return DPS_OK;
}

/* How many of `left` knots are next: at least one. */
static bool take_count(dps_model_bytes *in, int64_t left, int32_t *count)
{
    const double value = next_real(in);
    const bool good = value >= 1 && value <= (double)left && value == rint(value);
    *count = good ? (int32_t)value : 0;
    return good;
}

/* Units of the columns (log). */
static dps_status take_units(dps_model_bytes *in, dps_scaler *scaler, dps_error *err)
{
    DPS_NEED(scaler->unit, (size_t)scaler->columns, "the model", err);
    DPS_TRY(take_reals(in, scaler->unit, (size_t)scaler->columns, "column units", err));
    for (int32_t j = 0; j < scaler->columns; j++) {
        if (!(scaler->unit[j] > 0)) {
            return DPS_BAD_MODEL(in, "the unit of column %ld is not above 0", (long)j);
        }
    }
    return DPS_OK;
}

/* How many knots every column has, the knots, and what they become (rank). */
static dps_status take_levels(dps_model_bytes *in, dps_scaler *scaler, dps_error *err)
{
    const size_t columns = (size_t)scaler->columns, knots = (size_t)scaler->knots;
    int32_t used = 0;
    DPS_NEED(scaler->begin, columns + 1, "the model", err);
    DPS_NEED(scaler->knot, knots, "the model", err);
    DPS_NEED(scaler->level, knots, "the model", err);
    for (size_t j = 0; j < columns; j++) {
        int32_t count;
        scaler->begin[j] = used;
        if (!take_count(in, scaler->knots - used, &count)) {
            return DPS_BAD_MODEL(in,
                                 "data.knots: the columns' numbers of knots do not add up to it");
        }
        used += count;
    }
    scaler->begin[columns] = used;
    if (used != scaler->knots) {
        return DPS_BAD_MODEL(in, "data.knots: the columns' numbers of knots do not add up to it");
    }
    DPS_TRY(take_reals(in, scaler->knot, knots, "knots of columns", err));
    DPS_TRY(take_reals(in, scaler->level, knots, "levels of columns", err));
    for (size_t j = 0; j < columns; j++) {
        const double *knot = scaler->knot, *level = scaler->level;
        const int32_t first = scaler->begin[j], end = scaler->begin[j + 1];
        bool good = level[first] >= -1 && level[end - 1] <= 1;
        for (int32_t i = first + 1; i < end; i++) {
            good = good && knot[i] > knot[i - 1] && level[i] >= level[i - 1];
        }
        if (!good) {
            return DPS_BAD_MODEL(in, "the knots of column %zu do not ascend within -1 to 1", j);
        }
    }
    return DPS_OK;
}

/* How many knots every model has, and the knots. */
static dps_status take_knots(dps_model_bytes *in, dps_model *model, dps_error *err)
{
    const size_t models = (size_t)model->models;
    int64_t used = 0;
    for (size_t k = 0; k < models; k++) {
        int32_t count;
        if (!take_count(in, model->knots - used, &count)) {
            return DPS_BAD_MODEL(in,
                                 "solver.knots: the models' numbers of knots do not add up to it");
        }
        model->isotonic[k].count = count;
        model->isotonic[k].score = model->knot + 2 * used;
        model->isotonic[k].p = model->knot + 2 * used + count;
        used += count;
    }
    if (used != model->knots) {
        return DPS_BAD_MODEL(in, "solver.knots: the models' numbers of knots do not add up to it");
    }
    DPS_TRY(take_reals(in, model->knot, 2 * (size_t)model->knots, "knots", err));
    for (size_t k = 0; k < models; k++) {
        const dps_isotonic *c = &model->isotonic[k];
        bool good = c->p[0] >= 0 && c->p[c->count - 1] <= 1;
        for (int32_t i = 1; i < c->count; i++) {
            good = good && c->score[i] > c->score[i - 1] && c->p[i] >= c->p[i - 1];
        }
        if (!good) {
            return DPS_BAD_MODEL(in, "the knots of model %zu do not ascend within 0 to 1", k);
        }
    }
    return DPS_OK;
}

/* Scores of the self-test. */
static dps_status take_tested(dps_model_bytes *in, dps_model *model, size_t count, dps_error *err)
{
    DPS_NEED(model->self_test, count, "the model", err);
    return take_reals(in, model->self_test, count, "scores of the self-test", err);
}

static dps_status take_moved(dps_model_bytes *in, dps_model *model, dps_error *err)
{
    const size_t count = (size_t)model->recipe.moved_count;
    DPS_NEED(model->moved, count, "the model", err);
    for (size_t i = 0; i < count; i++, in->at += 4) {
        uint32_t bits = 0;
        for (int k = 0; k < 4; k++) {
            bits |= (uint32_t)(unsigned char)in->data[in->at + (size_t)k] << (8 * k);
        }
        memcpy(&model->moved[i], &bits, sizeof bits);
        if (!isfinite(model->moved[i])) {
            return DPS_BAD_MODEL(in, "number %zu of the map's projections is not finite", i + 1);
        }
    }
    model->recipe.moved = model->moved;
    return DPS_OK;
}

dps_status dps_model_read_arrays(dps_model_bytes *in, dps_model *model, dps_error *err)
{
    dps_scaler *scaler = &model->scaler;
    size_t columns = (size_t)scaler->columns;
    const size_t sigmoids =
        model->probability == DPS_PROBABILITY_SIGMOID ? (size_t)model->models : 0;
    const bool isotonic = model->probability == DPS_PROBABILITY_ISOTONIC;
    const size_t curves = isotonic ? (size_t)model->models : 0;
    const size_t knots = isotonic ? (size_t)model->knots : 0;
    const size_t moved = (size_t)model->recipe.moved_count;
    const bool bent = scaler->scaling == DPS_SCALE_LOG, ranked = scaler->scaling == DPS_SCALE_RANK;
    const size_t bends = (bent || ranked ? columns : 0) + 2 * (size_t)scaler->knots;
    const size_t tested = (size_t)model->self_test_rows * (size_t)model->models;
    size_t weights, numbers, bytes, moved_bytes;

    if (!dps_size_mul((size_t)model->models, model->weights_per_model, &weights) ||
        !dps_size_add(weights, 3 * columns + bends + 2 * sigmoids + curves + 2 * knots + tested,
                      &numbers) ||
        !dps_size_mul(numbers, 8, &bytes) || !dps_size_mul(moved, 4, &moved_bytes) ||
        !dps_size_add(bytes, moved_bytes, &bytes) || bytes != in->size - in->at) {
        return DPS_BAD_MODEL(
            in,
            "sizes do not add up: %zu columns with %ld knots, %ld x %zu weights, %zu sigmoids and "
            "%zu knots, but %zu bytes for them",
            columns, (long)scaler->knots, (long)model->models, model->weights_per_model, sigmoids,
            knots, in->size - in->at);
    }
    DPS_NEED(scaler->index, columns, "the model", err);
    DPS_NEED(scaler->shift, columns, "the model", err);
    DPS_NEED(scaler->factor, columns, "the model", err);
    DPS_NEED(model->weight, weights, "the model", err);
    if (sigmoids > 0) {
        DPS_NEED(model->sigmoid, sigmoids, "the model", err);
    }
    if (isotonic) {
        DPS_NEED(model->isotonic, curves, "the model", err);
        DPS_NEED(model->knot, 2 * knots, "the model", err);
    }
    DPS_TRY(take_indices(in, scaler, err));
    DPS_TRY(take_reals(in, scaler->shift, columns, "column shifts", err));
    for (size_t j = 0; j < columns; j++) {
        if (scaler->shift[j] != 0 && !scaler->dense) {
            return DPS_BAD_MODEL(in, "data.dense: columns with a shift need on");
        }
    }
    DPS_TRY(take_reals(in, scaler->factor, columns, "column factors", err));
    DPS_TRY(bent ? take_units(in, scaler, err) : DPS_OK);
    DPS_TRY(ranked ? take_levels(in, scaler, err) : DPS_OK);
    DPS_TRY(take_reals(in, model->weight, weights, "weights", err));
    for (size_t k = 0; k < sigmoids; k++) {
        double pair[2] = {0, 0};
        DPS_TRY(take_reals(in, pair, 2, "sigmoids", err));
        model->sigmoid[k] = (dps_sigmoid){pair[0], pair[1]};
    }
    DPS_TRY(isotonic ? take_knots(in, model, err) : DPS_OK);
    DPS_TRY(tested > 0 ? take_tested(in, model, tested, err) : DPS_OK);
    return moved > 0 ? take_moved(in, model, err) : DPS_OK;
}
