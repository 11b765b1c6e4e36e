/* Rows of text scored by small models of every kind of map and scaling, which this process trains
 * first: a row's scores have the same bits on every SIMD path, alone or among others, and from the
 * C API. The first byte chooses the model. */
#include <dpsvm/dpsvm.h>
#include "allocation.h"
#include "block_scores.h"
#include "cpu.h"
#include "fuzz_target.h"
#include "input.h"

static const char numbers[] = "1 1:0.5 2:-1 3:2\n-1 1:-0.25 3:1\n1 2:0.75\n-1 2:-0.5 3:-1 4:3\n"
                              "1 1:1.5 4:1\n-1 1:-1 2:-1\n1 1:2 2:1 3:0.5\n-1 3:-2 4:0.125\n";
static const char table[] = "class,x,colour,y\na,1,red,0.5\nb,2,green,-1\nc,,red,2\na,1.5,blue,1\n"
                            "b,2.5,green,-2\nc,0.5,red,2.5\na,1,blue,\nb,3,green,-1.5\n"
                            "c,0.25,blue,3\na,1.25,red,0.75\n";

/* Rows, then options. */
static const struct {
    const char *rows, *option[6];
} kinds[] = {
    {numbers, {"kernel.type=linear"}},
    {table, {"kernel.type=linear", "data.scaling=standard"}},
    {numbers, {"kernel.type=polynomial", "map.features=24"}},
    {table, {"kernel.type=exponential", "map.features=24", "map.projection=gaussian"}},
    {numbers, {"kernel.type=polynomial", "map.features=24", "map.projection=hadamard"}},
    {numbers, {"kernel.type=polynomial", "map.features=24", "map.projection=complex"}},
    {table, {"kernel.type=polynomial", "map.features=24", "map.projection=complex_hadamard"}},
    {numbers, {"kernel.type=polynomial", "map.features=24", "map.exact_degree=2"}},
    {table, {"kernel.type=rbf", "map.features=24", "data.scaling=rank"}},
    {numbers, {"kernel.type=laplacian", "map.features=24", "data.normalize=unit"}},
    {table, {"kernel.type=chi2", "map.features=24", "data.scaling=min_max"}},
    {numbers, {"kernel.type=intersection", "map.features=24", "data.scaling=min_max"}},
    {table, {"kernel.type=exponential", "map.type=compositional", "map.features=24"}},
    {numbers, {"kernel.type=linear", "data.scaling=log", "data.normalize=none"}},
    {numbers, {"kernel.type=linear", "solver.task=regression"}},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

typedef struct trained {
    dps_model model;
    dps_predictor predictor[3]; /* by path; those that this processor has */
    dpsvm_model *open;          /* of the C API */
    dpsvm_scorer *scorer;
} trained;

static trained all[KINDS];

static void train(size_t k)
{
    char data[300], model[300], text[2][320];
    dpsvm_error error;
    const char *settings[10] = {text[0], text[1], "run.threads=1", "solver.C=1",
                                "data.missing=mean"};
    size_t count = 5;
    dps_error err;
    fuzz_put(fuzz_path(data, "train.rows"), kinds[k].rows, strlen(kinds[k].rows));
    snprintf(text[0], sizeof text[0], "data.train=%s", data);
    snprintf(text[1], sizeof text[1], "output.model=%s", fuzz_path(model, "of.model"));
    for (size_t i = 0; i < 6 && kinds[k].option[i] != NULL; i++) {
        settings[count++] = kinds[k].option[i];
    }
    const dpsvm_training training = {.settings = settings, .setting_count = count};
    FUZZ_HOLDS(dpsvm_train(&all[k].open, &training, &error) == DPSVM_OK, "training %zu: %s", k,
               error.text);
    FUZZ_HOLDS(dps_model_load(&all[k].model, model, &err) == DPS_OK, "%s", err.text);
    FUZZ_HOLDS(dpsvm_scorer_new(&all[k].scorer, all[k].open, &error) == DPSVM_OK, "%s", error.text);
    for (int simd = DPS_SIMD_PORTABLE; simd <= DPS_SIMD_AVX512; simd++) {
        dps_run run = fuzz_run(1);
        run.simd = (dps_simd)simd;
        FUZZ_HOLDS(!dps_cpu_has(run.simd) ||
                       dps_predictor_init(&all[k].predictor[simd], &all[k].model, &run, &err) ==
                           DPS_OK,
                   "%s", err.text);
    }
}

static void train_all(void)
{
    static bool done;
    for (size_t k = 0; k < KINDS && !done; k++) {
        train(k);
    }
    done = true;
}

/* scores of the block on a path; false: an error. */
static bool score(const trained *t, int simd, const dps_row_block *block, double *scores,
                  dps_error *err)
{
    dps_block_work work;
    dps_status status = dps_block_work_init(&work, &t->predictor[simd], err);
    if (status == DPS_OK) {
        status = dps_block_scores(&t->predictor[simd], &work, block, 0, scores, err);
    }
    dps_block_work_release(&work);
    return status == DPS_OK;
}

/* All models' scores of row i against those of row j. */
static void same_row(const trained *t, const double *a, int64_t i, const double *b, int64_t j,
                     const char *what)
{
    for (int32_t k = 0; k < t->model.models; k++) {
        const double x = a[k * DPS_TILE_ROWS + i], y = b[k * DPS_TILE_ROWS + j];
        FUZZ_HOLDS(memcmp(&x, &y, sizeof x) == 0, "row %lld, score %ld: %a among others, %a %s",
                   (long long)i, (long)k, x, y, what);
    }
}

static void same_paths(const trained *t, const dps_row_block *block, const double *scores,
                       double *other)
{
    dps_error err;
    for (int simd = DPS_SIMD_AVX2; simd <= DPS_SIMD_AVX512; simd++) {
        if (dps_cpu_has((dps_simd)simd)) {
            FUZZ_HOLDS(score(t, simd, block, other, &err), "%s: %s", dps_simd_names[simd],
                       err.text);
            for (int64_t i = 0; i < block->rows; i++) {
                same_row(t, scores, i, other, i, dps_simd_names[simd]);
            }
        }
    }
}

static void same_api(const trained *t, const dps_row_block *block, const double *scores)
{
    dpsvm_error error;
    double *other = malloc((size_t)block->rows * (size_t)t->model.models * sizeof *other);
    const dpsvm_rows rows = {
        .rows = block->rows, .start = block->start, .index = block->index, .value = block->value};
    const dpsvm_answers answers = {.score = other};
    FUZZ_HOLDS(other != NULL && dpsvm_score(t->scorer, &rows, &answers, &error) == DPSVM_OK,
               "C API: %s", error.text);
    for (int64_t i = 0; i < block->rows; i++) {
        for (int32_t k = 0; k < t->model.models; k++) {
            FUZZ_HOLDS(memcmp(&scores[k * DPS_TILE_ROWS + i], &other[i * t->model.models + k],
                              sizeof *other) == 0,
                       "row %lld: another score from the C API", (long long)i);
        }
    }
    free(other);
}

/* Line after line, each a piece of its own, the first with what stands before the rows. */
static void same_alone(const trained *t, const dps_input *input, const dps_chunk *whole,
                       const dps_row_block *block, const double *scores, double *other)
{
    static dps_row_block single;
    dps_error err;
    const char *p = whole->bytes, *end = p + whole->length;
    const size_t head =
        input->format->columns ? dps_layout_head(&input->layout, whole->bytes, whole->length) : 0;
    int64_t row = 0;
    for (bool first = true; p < end; first = false) {
        const char *from = first && head > 0 ? p + head - 1 : p;
        const char *stop = memchr(from, '\n', (size_t)(end - from));
        stop = stop != NULL && first && head > 0 && stop + 1 < end
                   ? memchr(stop + 1, '\n', (size_t)(end - stop - 1))
                   : stop;
        const char *next = stop == NULL ? end : stop + 1;
        const dps_chunk line = {
            .bytes = p, .length = (size_t)(next - p), .file = "rows", .first_of_file = first};
        FUZZ_HOLDS(input->format->parse(&input->read, &line, &single, &err) == DPS_OK,
                   "refused alone: %s", err.text);
        FUZZ_HOLDS(score(t, DPS_SIMD_PORTABLE, &single, other, &err), "alone: %s", err.text);
        for (int64_t i = 0; i < single.rows; i++, row++) {
            FUZZ_HOLDS(row < block->rows, "more rows alone");
            same_row(t, scores, row, other, i, "alone");
        }
        p = next;
    }
    FUZZ_HOLDS(row == block->rows, "%lld rows, alone %lld", (long long)block->rows, (long long)row);
}

static void score_text(const trained *t, const dps_chunk *chunk)
{
    static dps_row_block block;
    const dps_read_options read = {.format = "auto", .labels = DPS_LABELS_OPTIONAL};
    dps_input input;
    dps_error err;
    double *scores = malloc(2 * (size_t)t->model.models * DPS_TILE_ROWS * sizeof *scores);
    double *other = scores + (size_t)t->model.models * DPS_TILE_ROWS;
    if (scores == NULL ||
        dps_input_open_told(&input, chunk, &read, &t->model.table, &err) != DPS_OK) {
        free(scores);
        return;
    }
    if (strcmp(input.format->name, "npy") != 0 && /* has no lines */
        input.format->parse(&input.read, chunk, &block, &err) == DPS_OK &&
        block.rows <= DPS_TILE_ROWS && score(t, DPS_SIMD_PORTABLE, &block, scores, &err)) {
        same_paths(t, &block, scores, other);
        same_api(t, &block, scores);
        same_alone(t, &input, chunk, &block, scores, other);
    }
    dps_input_release(&input);
    free(scores);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    train_all();
    if (length < 2) {
        return 0;
    }
    char *exact = malloc(length - 1); /* of exactly its size, for the sanitizer */
    if (exact == NULL) {
        return 0;
    }
    memcpy(exact, bytes + 1, length - 1);
    score_text(
        &all[bytes[0] % KINDS],
        &(dps_chunk){.bytes = exact, .length = length - 1, .file = "rows", .first_of_file = true});
    free(exact);
    return 0;
}
