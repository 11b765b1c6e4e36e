/* score_rows MODEL FILE: what `dpsvm predict --scores`, or with --proba as a third word
 * `predict --proba`, prints, by dps_score alone: for test_score.sh. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "allocation.h"
#include "cpu.h"
#include "input.h"
#include "number.h"
#include "predictor.h"
#include "probability.h"
#include "scaler.h"

typedef struct scoring {
    dps_model model;
    dps_predictor predictor;
    dps_input input;
    dps_row_block block;
    dps_scaled_rows rows;
    float *panel;
    void *scratch;
    double *scores, *p;
} scoring;

static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        *length = (size_t)ftell(file);
        rewind(file);
        bytes = malloc(*length + 1);
        if (bytes != NULL && fread(bytes, 1, *length, file) != *length) {
            free(bytes);
            bytes = NULL;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return bytes;
}

static void print_row(const scoring *s, int32_t i, bool probabilities)
{
    char number[DPS_NUMBER_MAX];
    const int32_t count = probabilities ? s->model.classes.count : s->model.models;
    if (probabilities) {
        dps_model_probabilities(&s->model, s->scores + i, DPS_TILE_ROWS, s->p);
    }
    for (int32_t k = 0; k < count; k++) {
        const double value =
            probabilities ? s->p[k] : s->scores[(size_t)k * DPS_TILE_ROWS + (size_t)i];
        const size_t length = (size_t)dps_format_double(number, value);
        printf("%s%.*s", k > 0 ? " " : "", (int)length, number);
    }
    printf("\n");
}

static dps_status score_tile(scoring *s, int64_t t, bool probabilities, dps_error *err)
{
    dps_row_tile tile;
    dps_z_tile z;
    dps_scaled_rows_tile(&s->rows, t, &tile);
    for (int32_t begin = 0; begin < tile.rows; begin += z.rows) {
        const dps_row_tile batch = dps_z_batch(&s->predictor.builder, &tile, begin);
        DPS_TRY(dps_z_build(&s->predictor.builder, &batch, s->panel, s->scratch, &z, err));
        dps_predictor_block_scores(&s->predictor, &z, &s->block, t * DPS_TILE_ROWS + begin,
                                   s->scores);
        for (int32_t i = 0; i < z.rows; i++) {
            print_row(s, i, probabilities);
        }
    }
    return DPS_OK;
}

static dps_status score(scoring *s, const char *model, const dps_chunk *chunk, bool probabilities,
                        dps_error *err)
{
    const dps_run run = {.threads = 1, .simd = dps_cpu_best(), .memory = (size_t)1 << 30};
    const dps_read_options read = {.format = "auto", .labels = DPS_LABELS_OPTIONAL};
    DPS_TRY(dps_model_load(&s->model, model, err));
    DPS_TRY(dps_predictor_init(&s->predictor, &s->model, &run, err));
    DPS_TRY(dps_input_open_told(&s->input, chunk, &read, &s->model.table, err));
    DPS_TRY(s->input.format->parse(&s->input.read, chunk, &s->block, err));
    DPS_TRY(dps_scale_block(&s->model.scaler, &s->block, &s->rows, err));
    s->panel = dps_alloc(dps_z_panel_bytes(&s->predictor.builder), 1);
    s->scratch = dps_alloc(s->predictor.builder.scratch_bytes, 1);
    s->scores = dps_alloc((size_t)s->model.models * DPS_TILE_ROWS, sizeof *s->scores);
    s->p = dps_alloc((size_t)s->model.classes.count, sizeof *s->p);
    if (s->panel == NULL || s->scratch == NULL || s->scores == NULL || s->p == NULL) {
        return dps_out_of_memory(err, 1, 1, "scores");
    }
    for (int64_t t = 0; t < dps_tile_count(s->rows.rows); t++) {
        DPS_TRY(score_tile(s, t, probabilities, err));
    }
    return DPS_OK;
}

int main(int count, char **word)
{
    scoring s = {0};
    dps_error err = {0};
    dps_chunk chunk = {.file = "rows", .first_of_file = true};
    char *bytes = count > 2 ? read_file(word[2], &chunk.length) : NULL;
    chunk.bytes = bytes;
    if (bytes == NULL) {
        fprintf(stderr, "usage: score_rows MODEL FILE [--proba]\n");
        return 2;
    }
    const bool probabilities = count > 3 && strcmp(word[3], "--proba") == 0;
    const dps_status status = score(&s, word[1], &chunk, probabilities, &err);
    if (status != DPS_OK) {
        fprintf(stderr, "%s\n", err.text);
    }
    dps_free(s.panel);
    dps_free(s.scratch);
    dps_free(s.scores);
    dps_free(s.p);
    dps_scaled_rows_release(&s.rows);
    dps_row_block_release(&s.block);
    dps_input_release(&s.input);
    dps_predictor_release(&s.predictor);
    dps_model_release(&s.model);
    free(bytes);
    return status == DPS_OK ? 0 : 1;
}
