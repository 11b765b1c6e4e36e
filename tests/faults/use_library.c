/* Task: a program of libdpsvm for the injected faults (faults.py): trains, opens, predicts; says
 * the library's own error and ends with its status. */
#include <dpsvm/dpsvm.h>
#include <stdio.h>

int main(void)
{
    const char *settings[] = {"data.train=rows.svm", "map.features=20", "output.model=out.model",
                              "run.threads=1"};
    const dpsvm_training training = {.settings = settings, .setting_count = 4};
    const int64_t start[] = {0, 3, 5};
    const int32_t index[] = {0, 1, 2, 0, 2};
    const double value[] = {1.25, 0.5, -0.25, -1, 0.125};
    const dpsvm_rows rows = {.rows = 2, .start = start, .index = index, .value = value};
    double scores[2];
    const dpsvm_answers answers = {.score = scores};
    dpsvm_error error = {0};
    dpsvm_model *model = NULL;
    dpsvm_scorer *scorer = NULL;
    int status = dpsvm_train(&model, &training, &error);
    if (status == DPSVM_OK) {
        dpsvm_model_close(model);
        status = dpsvm_model_open(&model, "out.model", &error);
    }
    if (status == DPSVM_OK) {
        status = dpsvm_scorer_new(&scorer, model, &error);
    }
    if (status == DPSVM_OK) {
        status = dpsvm_score(scorer, &rows, &answers, &error);
    }
    dpsvm_scorer_free(scorer);
    dpsvm_model_close(model);
    if (status != DPSVM_OK) {
        fprintf(stderr, "dpsvm: %s\n", error.text);
        return status == DPSVM_DATA ? 3 : 1;
    }
    printf("%.17g %.17g\n", scores[0], scores[1]);
    return 0;
}
