/* train_rows ROWS OUT HOW SETTING...: trains on the rows of a file through arrays and writes the
 * model's bytes to OUT. HOW: letters of s (sparse; else dense), f (float), t (labels as texts; else
 * numbers), n (names), w (weights 1, 2, 3, 1, ...), c (stops at the third call back). */
#include <dpsvm/dpsvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rows_of_file.h"

static int stop_at_third(void *context, const dpsvm_progress *progress)
{
    int *calls = context;
    return ++*calls >= 3 && progress->stage != NULL;
}

static void say(void *context, int level, const char *text)
{
    (void)context;
    if (level == DPSVM_WARNING) {
        fprintf(stderr, "warning: %s\n", text);
    }
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        return 9;
    }
    const char *how = argv[3];
    rows_of_file f = read_rows(argv[1]);
    int calls = 0;
    dpsvm_training t = {.settings = (const char *const *)(argv + 4),
                        .setting_count = (size_t)argc - 4,
                        .message = say,
                        .context = &calls};
    t.rows.rows = f.rows;
    t.rows.columns = f.columns;
    if (strchr(how, 's') != NULL) {
        t.rows.start = f.start;
        t.rows.index = f.index;
        t.rows.value = f.value;
    } else if (strchr(how, 'f') != NULL) {
        t.rows.dense_float = f.dense_float;
    } else {
        t.rows.dense = f.dense;
    }
    double *target = calloc((size_t)f.rows + 1, sizeof *target);
    double *weight = calloc((size_t)f.rows + 1, sizeof *weight);
    for (int64_t i = 0; i < f.rows; i++) {
        target[i] = strtod(f.label[i], NULL);
        weight[i] = 1 + (double)(i % 3);
    }
    if (strchr(how, 't') != NULL) {
        t.label = (const char *const *)f.label;
    } else {
        t.target = target;
    }
    t.weight = strchr(how, 'w') != NULL ? weight : NULL;
    if (strchr(how, 'n') != NULL) {
        t.name = (const char *const *)f.name;
        t.label_name = f.label_name;
    }
    t.progress = strchr(how, 'c') != NULL ? stop_at_third : NULL;
    dpsvm_model *model;
    dpsvm_error error;
    void *bytes = NULL;
    size_t size = 0;
    int code = dpsvm_train(&model, &t, &error);
    if (code == DPSVM_OK) {
        code = dpsvm_model_bytes(model, &bytes, &size, &error);
    }
    FILE *out = code == DPSVM_OK ? fopen(argv[2], "wb") : NULL;
    if (out != NULL) {
        fwrite(bytes, 1, size, out);
        fclose(out);
    } else {
        fprintf(stderr, "%d, row %lld: %s\n", code, (long long)error.row, error.text);
    }
    dpsvm_bytes_free(bytes);
    dpsvm_model_close(model);
    free(target);
    free(weight);
    return code;
}
