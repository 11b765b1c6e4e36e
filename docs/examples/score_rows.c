/* score_rows MODEL: says what a model is, then scores lines of standard input as they come, without
 * an allocation a line. Build:
 *   cc score_rows.c -o score_rows $(pkg-config --cflags --libs dpsvm-score) */
#include <dpsvm/score.h>
#include <stdio.h>
#include <string.h>

static int failed(const dpsvm_error *error)
{
    fprintf(stderr, "score_rows: %s\n", error->text);
    return 1;
}

static void describe(const dpsvm_model *model)
{
    char kernel[32];
    if (dpsvm_model_fact(model, "kernel.type", kernel, sizeof kernel) > 0) {
        fprintf(stderr, "kernel %s, ", kernel);
    }
    fprintf(stderr, "%ld columns, %ld classes\n", (long)dpsvm_column_count(model),
            (long)dpsvm_class_count(model));
}

int main(int argc, char **argv)
{
    enum { MOST_CLASSES = 100 };
    dpsvm_error error;
    dpsvm_model *model;
    dpsvm_scorer *scorer;
    static char line[1 << 16];
    if (argc != 2) {
        fprintf(stderr, "usage: score_rows MODEL < ROWS\n");
        return 2;
    }
    if (dpsvm_model_open(&model, argv[1], &error) != DPSVM_OK) {
        return failed(&error);
    }
    if (dpsvm_scorer_new(&scorer, model, &error) != DPSVM_OK) {
        dpsvm_model_close(model);
        return failed(&error);
    }
    describe(model);
    int status = 0;
    while (status == 0 && fgets(line, sizeof line, stdin) != NULL) {
        int32_t class = 0;
        double score[MOST_CLASSES];
        const dpsvm_answers answers = {
            .label = &class, .score = dpsvm_score_count(model) <= MOST_CLASSES ? score : NULL};
        int64_t rows;
        if (dpsvm_score_text(scorer, line, strlen(line), 1, &answers, &rows, &error) != DPSVM_OK) {
            status = failed(&error);
        } else if (rows == 1 && dpsvm_model_task(model) == DPSVM_NUMBERS) {
            printf("%.17g\n", score[0]);
        } else if (rows == 1) {
            printf("%s\n", dpsvm_class_label(model, class));
        }
    }
    dpsvm_scorer_free(scorer);
    dpsvm_model_close(model);
    return status;
}
