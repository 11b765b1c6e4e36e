/* Task: a program of libdpsvm for the injected faults (faults.py): trains, opens, predicts; says
 * the library's own error and ends with its status. */
#include <dpsvm/dpsvm.h>
#include <stdio.h>

int main(void)
{
    const char *settings[] = {"data.train=rows.svm", "map.features=20", "output.model=out.model",
                              "run.threads=1"};
    const int64_t start[] = {0, 3, 5};
    const int32_t index[] = {0, 1, 2, 0, 2};
    const double value[] = {1.25, 0.5, -0.25, -1, 0.125};
    double scores[2];
    char error[500] = "";
    dpsvm_model *model = NULL;
    int status = (int)dpsvm_train(NULL, settings, 4, error, sizeof error);
    if (status == DPSVM_OK) {
        status = (int)dpsvm_open(&model, "out.model", error, sizeof error);
    }
    if (status == DPSVM_OK) {
        status =
            (int)dpsvm_predict(model, 2, start, index, value, NULL, scores, error, sizeof error);
    }
    dpsvm_close(model);
    if (status != DPSVM_OK) {
        fprintf(stderr, "dpsvm: %s\n", error);
        return status == DPSVM_DATA ? 3 : 1;
    }
    printf("%.17g %.17g\n", scores[0], scores[1]);
    return 0;
}
