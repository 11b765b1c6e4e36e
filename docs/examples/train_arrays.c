/* train_arrays MODEL: trains on rows in memory, says how far it is, writes the model and scores the
 * rows again on all processors. Build:
 *   cc train_arrays.c -o train_arrays $(pkg-config --cflags --libs dpsvm) */
#include <dpsvm/dpsvm.h>
#include <stdio.h>

enum { ROWS = 2000, COLUMNS = 2 };

/* Not 0 would stop the training. */
static int say_progress(void *context, const dpsvm_progress *progress)
{
    int *calls = context;
    (void)progress;
    ++*calls;
    return 0;
}

static void say(void *context, int level, const char *text)
{
    (void)context;
    if (level == DPSVM_WARNING) {
        fprintf(stderr, "warning: %s\n", text);
    }
}

static int failed(const dpsvm_error *error)
{
    fprintf(stderr, "train_arrays: %s\n", error->text);
    return 1;
}

int main(int argc, char **argv)
{
    static double x[ROWS * COLUMNS];
    static const char *label[ROWS];
    static int32_t found[ROWS];
    const char *const names[] = {"width", "height"};
    const char *const settings[] = {"map.features=100", "kernel.degree=2"};
    int calls = 0, right = 0;
    dpsvm_error error;
    dpsvm_model *model;
    dpsvm_scorer *scorer;
    if (argc != 2) {
        fprintf(stderr, "usage: train_arrays MODEL\n");
        return 2;
    }
    for (int i = 0; i < ROWS; i++) {
        x[2 * i] = i % 41 / 20.0 - 1;
        x[2 * i + 1] = i % 59 / 29.0 - 1;
        label[i] = x[2 * i] * x[2 * i] + x[2 * i + 1] * x[2 * i + 1] < 0.6 ? "inside" : "outside";
    }
    const dpsvm_rows rows = {.rows = ROWS, .columns = COLUMNS, .dense = x};
    const dpsvm_training training = {.settings = settings,
                                     .setting_count = 2,
                                     .rows = rows,
                                     .label = label,
                                     .name = names,
                                     .progress = say_progress,
                                     .message = say,
                                     .context = &calls};
    if (dpsvm_train(&model, &training, &error) != DPSVM_OK) {
        return failed(&error);
    }
    const dpsvm_answers answers = {.label = found};
    int code = dpsvm_model_save(model, argv[1], &error);
    if (code == DPSVM_OK) {
        code = dpsvm_scorer_new(&scorer, model, &error);
    }
    if (code == DPSVM_OK) {
        code = dpsvm_score_threads(scorer, 0, &rows, &answers, &error);
        dpsvm_scorer_free(scorer);
    }
    for (int i = 0; i < ROWS; i++) {
        right += code == DPSVM_OK && dpsvm_class_of(model, label[i]) == found[i];
    }
    dpsvm_model_close(model);
    if (code != DPSVM_OK) {
        return failed(&error);
    }
    printf("%d of %d rows right, %s\n", right, (int)ROWS, calls > 0 ? "watched" : "not watched");
    return 0;
}
