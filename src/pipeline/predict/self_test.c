/* Task: a model's scores on rows that anybody can draw again.
 *
 * Row i has every column, where the model has up to 64 of them, else 64 that are drawn; a third of
 * the values are left out, as in rows with zeros. u uniform in (-1, 1) of (seed, stream, i, j)
 * becomes
 *
 *   shift + u / factor    (columns that are scaled by a line: about the range of the training rows)
 *   3 u unit              (log)
 *   between the outermost knots (rank)
 *
 * with + - * / alone, so that the rows, too, have the same bits everywhere. Every row goes through
 * scaler, map and weights as in prediction; what differs in one bit differs. */
#include "self_test.h"

#include <string.h>
#include "allocation.h"
#include "block_scores.h"
#include "cpu.h"
#include "random.h"

#define COLUMNS 64

static double value_of(const dps_scaler *scaler, int32_t j, double u)
{
    if (scaler->scaling == DPS_SCALE_LOG) {
        return 3.0 * u * scaler->unit[j];
    }
    if (scaler->scaling == DPS_SCALE_RANK) {
        const double low = scaler->knot[scaler->begin[j]];
        const double high = scaler->knot[scaler->begin[j + 1] - 1];
        return low + 0.5 * (1.0 + u) * (high - low);
    }
    return scaler->shift[j] + (scaler->factor[j] != 0 ? u / scaler->factor[j] : 0);
}

/* block: with room for all rows. */
static void draw_rows(const dps_model *model, dps_row_block *block)
{
    const dps_scaler *scaler = &model->scaler;
    const uint64_t seed = model->recipe.seed;
    int64_t used = 0;
    block->rows = DPS_SELF_TEST_ROWS;
    for (uint32_t i = 0; i < DPS_SELF_TEST_ROWS; i++) {
        int64_t column[COLUMNS];
        const int64_t count =
            dps_random_sample(seed + i, DPS_STREAM_SELF_TEST, scaler->columns, COLUMNS, column);
        block->start[i] = used;
        for (int64_t k = 0; k < count; k++) {
            const int32_t j = (int32_t)column[k];
            const double u =
                2.0 * dps_random_uniform(seed, DPS_STREAM_SELF_TEST, i, 1, (uint32_t)j) - 1.0;
            const bool out =
                dps_random_uniform(seed, DPS_STREAM_SELF_TEST, i, 2, (uint32_t)j) < 1.0 / 3;
            const double value = value_of(scaler, j, u);
            if (!out && value != 0 && value - value == 0) {
                block->index[used] = scaler->index[j];
                block->value[used++] = value;
            }
        }
    }
    block->start[DPS_SELF_TEST_ROWS] = used;
}

static size_t count_of(const dps_model *model)
{
    return (size_t)DPS_SELF_TEST_ROWS * (size_t)model->models;
}

/* scores: row after row, models within. */
static dps_status score_rows(const dps_model *model, const dps_row_block *block, const dps_run *run,
                             double *scores, dps_error *err)
{
    dps_predictor predictor;
    dps_block_work work = {0};
    double *tile;
    DPS_NEED(tile, (size_t)model->models * DPS_TILE_ROWS, "the self-test", err);
    dps_status status = dps_predictor_init(&predictor, model, run, err);
    if (status == DPS_OK) {
        status = dps_block_work_init(&work, &predictor, err);
        DPS_THEN(status, dps_block_scores(&predictor, &work, block, 0, tile, err));
        dps_block_work_release(&work);
        dps_predictor_release(&predictor);
    }
    for (int32_t i = 0; status == DPS_OK && i < DPS_SELF_TEST_ROWS; i++) {
        for (int32_t k = 0; k < model->models; k++) {
            scores[i * model->models + k] = tile[(size_t)k * DPS_TILE_ROWS + (size_t)i];
        }
    }
    dps_free(tile);
    return status;
}

static dps_status score_on(const dps_model *model, dps_simd simd, const dps_run *run,
                           double *scores, dps_error *err)
{
    int64_t start[DPS_SELF_TEST_ROWS + 1];
    int32_t index[DPS_SELF_TEST_ROWS * COLUMNS];
    double value[DPS_SELF_TEST_ROWS * COLUMNS];
    dps_row_block block = {.start = start, .index = index, .value = value};
    dps_run own = *run;
    own.simd = simd;
    draw_rows(model, &block);
    return score_rows(model, &block, &own, scores, err);
}

dps_status dps_self_test_make(dps_model *model, const dps_run *run, dps_error *err)
{
    DPS_NEED(model->self_test, count_of(model), "the self-test", err);
    model->self_test_rows = DPS_SELF_TEST_ROWS;
    return score_on(model, run->simd, run, model->self_test, err);
}

/* The bits of one path against those expected. */
static dps_status compare(const dps_model *model, dps_simd simd, const double *found,
                          const double *expected, dps_error *err)
{
    for (size_t k = 0; k < count_of(model); k++) {
        if (memcmp(&found[k], &expected[k], sizeof *found) != 0) {
            return dps_error_set(
                err, DPS_ERROR_NUMERIC,
                "the path %s of this machine computes other scores than %s: row %zu, score %zu: "
                "%.17g, expected %.17g; predict elsewhere, or with another run.simd",
                dps_name_of(dps_simd_names, simd),
                model->self_test_rows > 0 ? "the machine that trained the model" : "plain C",
                k / (size_t)model->models, k % (size_t)model->models, found[k], expected[k]);
        }
    }
    return DPS_OK;
}

static dps_status verify(const dps_model *model, const dps_run *run, double *found, double *plain,
                         dps_text *out, dps_error *err)
{
    const double *expected = model->self_test_rows > 0 ? model->self_test : plain;
    if (model->self_test_rows != 0 && model->self_test_rows != DPS_SELF_TEST_ROWS) {
        return dps_error_set(err, DPS_ERROR_DATA,
                             "the self-test has %ld rows, this dpsvm draws %d: verify with the "
                             "version that trained it",
                             (long)model->self_test_rows, DPS_SELF_TEST_ROWS);
    }
    DPS_TRY(score_on(model, DPS_SIMD_PORTABLE, run, plain, err));
    dps_text_format(out, "self-test   %d rows x %ld scores, compared with %s\n", DPS_SELF_TEST_ROWS,
                    (long)model->models,
                    model->self_test_rows > 0 ? "those in the model" : "plain C");
    for (int simd = DPS_SIMD_PORTABLE; simd <= DPS_SIMD_AVX512; simd++) {
        if (dps_cpu_has((dps_simd)simd)) {
            DPS_TRY(score_on(model, (dps_simd)simd, run, found, err));
            DPS_TRY(compare(model, (dps_simd)simd, found, expected, err));
            dps_text_format(out, "%-11s the same bits\n", dps_simd_names[simd]);
        }
    }
    return DPS_OK;
}

dps_status dps_self_test_verify(const dps_model *model, const dps_run *run, dps_text *out,
                                dps_error *err)
{
    double *scores;
    DPS_NEED(scores, 2 * count_of(model), "the self-test", err);
    const dps_status status = verify(model, run, scores, scores + count_of(model), out, err);
    dps_free(scores);
    return status;
}
