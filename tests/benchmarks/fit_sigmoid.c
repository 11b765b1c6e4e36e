/* The sigmoid of calibration.h on given scores, for parity_sklearn.py:
 *   fit_sigmoid < LINES > "A B"     a line a row: decision value, then 1 (positive) or 0
 * p = 1 / (1 + exp(A score + B)). */
#include <stdbool.h>
#include <stdio.h>
#include "calibration.h"

enum { MOST_ROWS = 100000 };

int main(void)
{
    static double score[MOST_ROWS];
    static bool positive[MOST_ROWS];
    int64_t rows = 0;
    int label;
    while (rows < MOST_ROWS && scanf("%lf %d", &score[rows], &label) == 2) {
        positive[rows++] = label == 1;
    }
    if (rows == 0 || !feof(stdin)) {
        fprintf(stderr, "fit_sigmoid: expected lines of a score and 0 or 1, at most %d\n",
                MOST_ROWS);
        return 1;
    }
    const dps_sigmoid fitted = dps_sigmoid_fit(score, positive, NULL, rows);
    printf("%.17g %.17g\n", fitted.A, fitted.B);
    return 0;
}
