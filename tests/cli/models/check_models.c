/* check_models draw SEED: writes config.ini and its rows, for other tests.
 * check_models FIRST LAST STEP: for the seeds FIRST, FIRST + STEP, ... up to LAST a random training
 * (draw_config.c), whose figures are computed again from what it wrote: weights from the model file
 * (docs/model_format.md), mapped rows from `dpsvm transform`, everything else in double with loops
 * of its own (own_optimum.c). DPSVM is the program. Works in the current folder. Checked:
 *   objective  that of the report against 1/2 |w|^2 + sum C c_i loss of the weights
 *   dual       no dual value above the objective of any w (the model's, or one found here); no
 *              model farther from its optimum than the gap says; with smooth losses newton's and
 *              sgd's gap not larger than their scores prove
 *   converged  said in the report, in the model and by the exit code of --strict, exactly where the
 *              gap is at most the tolerance; what is printed for people says the same
 *   accuracy   (or RMSE) of the report against scores computed here; decision values of `predict`
 * Differences are allowed up to 1e-6 of max(|P|, C sum c_i). A training that ends with exit code 4,
 * a named numerical failure, is counted apart; one that is refused (2, 3) is drawn again. The last
 * line is "checked N, refused N, numerical N, wrong N"; a configuration that fails is printed with
 * its differences. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "draw_config.h"
#include "own_optimum.h"
#include "read_back.h"

#define SEED_STEP 1000003u
#define ALLOWED   1e-6 /* of the larger of |P| and C sum c_i */

typedef struct training {
    drawn_config drawn;
    read_model model;
    read_matrix z;
    char *report;
    double *score; /* rows x models */
    double *bulk;  /* likewise: sum of |z_j w_j|, what rounding of a score is measured by */
    double *gram;  /* rows x rows, with the bias */
    int faults;
} training;

__attribute__((format(printf, 2, 3))) static void wrong(training *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    printf("    ");
    vprintf(format, list);
    printf("\n");
    va_end(list);
    t->faults++;
}

/* Exit code of "$DPSVM" WORDS, what it says in err.txt; -1: it did not end by itself. */
static int run_program(const char *words)
{
    char command[512];
    snprintf(command, sizeof command, "timeout 120 \"$DPSVM\" %s > out.txt 2> err.txt < /dev/null",
             words);
    const int status = system(command);
    return status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static double reported(const training *t, const char *key)
{
    return report_number(t->report, "solver", key);
}

/* ---- what was written ------------------------------------------------------------------------ */

static bool read_training(training *t)
{
    size_t size = 0;
    t->report = read_file("report.json", &size);
    if (t->report == NULL || !read_model_file("trained.model", &t->model)) {
        wrong(t, "no report or no model");
        return false;
    }
    const int exit_code = run_program("transform trained.model rows.svm --format npy -o z.npy -q");
    if (exit_code != 0 || !read_npy("z.npy", &t->z)) {
        wrong(t, "transform: exit code %d", exit_code);
        return false;
    }
    if (t->z.rows != t->drawn.rows ||
        t->z.columns + (t->model.bias != 0 ? 1 : 0) != t->model.width) {
        wrong(t, "%ld rows of %ld columns for %ld weights", t->z.rows, t->z.columns,
              t->model.width);
        return false;
    }
    return true;
}

static void find_scores(training *t)
{
    const int rows = t->drawn.rows, models = t->model.models;
    const long columns = t->z.columns;
    const double bias = t->model.bias;
    for (int i = 0; i < rows; i++) {
        const float *z = t->z.value + (size_t)i * (size_t)columns;
        for (int m = 0; m < models; m++) {
            const double *w = t->model.weight + (size_t)m * (size_t)t->model.width;
            double sum = bias != 0 ? bias * w[columns] : 0, bulk = fabs(sum);
            for (long j = 0; j < columns; j++) {
                sum += z[j] * w[j];
                bulk += fabs(z[j] * w[j]);
            }
            t->score[i * models + m] = sum;
            t->bulk[i * models + m] = bulk;
        }
        for (int k = 0; k <= i; k++) {
            const float *other = t->z.value + (size_t)k * (size_t)columns;
            double sum = bias * bias;
            for (long j = 0; j < columns; j++) {
                sum += (double)z[j] * other[j];
            }
            t->gram[i * rows + k] = t->gram[k * rows + i] = sum;
        }
    }
}

/* ---- objective, dual, converged -------------------------------------------------------------- */

static void check_converged(training *t, int exit_code)
{
    const double gap = reported(t, "gap"), tolerance = t->drawn.tolerance;
    const bool converged = gap <= tolerance;
    char outcome[32];
    report_text(t->report, "solver", "outcome", outcome, sizeof outcome);
    if ((reported(t, "converged") == 1) != converged ||
        (strcmp(outcome, "converged") == 0) != converged ||
        strcmp(outcome, t->model.outcome) != 0 || exit_code != (converged ? 0 : 1)) {
        wrong(t,
              "gap %.6g, tolerance %.6g: converged is %g, outcome %s (%s in the model), exit code "
              "%d",
              gap, tolerance, reported(t, "converged"), outcome, t->model.outcome, exit_code);
    }
    if (t->model.gap != gap || t->model.objective != reported(t, "objective")) {
        wrong(t, "the model says objective %.17g, gap %.17g, the report %.17g, %.17g",
              t->model.objective, t->model.gap, reported(t, "objective"), gap);
    }
}

/* The lines for people say the same. */
static void check_printed(training *t)
{
    size_t size = 0;
    char *text = read_file("train.txt", &size);
    const char *objective = text == NULL ? NULL : strstr(text, "\nobjective: ");
    const char *accuracy = text == NULL ? NULL : strstr(text, "\naccuracy: ");
    const double said = 100 * report_number(t->report, "", "train_accuracy");
    if (objective == NULL || strtod(objective + 12, NULL) != reported(t, "objective") ||
        (t->drawn.classes > 0 &&
         (accuracy == NULL || fabs(strtod(accuracy + 11, NULL) - said) > 0.0051))) {
        wrong(t, "printed are another objective or accuracy than in the report");
    }
    if (text != NULL && strstr(text, " converged after ") != NULL &&
        reported(t, "gap") > t->drawn.tolerance) {
        wrong(t, "'converged' is printed at a gap of %g", reported(t, "gap"));
    }
    free(text);
}

/* Model m as a problem with its scores u; y, size and u have a number a row. */
static own_problem problem_of(const training *t, int m, double *y, double *size, double *u)
{
    const drawn_config *d = &t->drawn;
    const int one = t->model.models == 1 ? 1 : m; /* of two classes the second is +1 */
    for (int i = 0; i < d->rows; i++) {
        y[i] = d->classes == 0 ? d->target[i] : d->label[i] == one ? 1 : -1;
        size[i] = d->C * d->weight[i] * (d->classes == 0 ? 1 : d->class_weight[d->label[i]]);
        u[i] = t->score[i * t->model.models + m];
    }
    return (own_problem){.loss = own_loss_named(t->model.loss),
                         .rows = d->rows,
                         .y = y,
                         .size = size,
                         .gram = t->gram,
                         .epsilon = d->epsilon};
}

static void check_objective(training *t)
{
    double y[MOST_DRAWN_ROWS], size[MOST_DRAWN_ROWS], u[MOST_DRAWN_ROWS];
    const double gap = reported(t, "gap"), dual = reported(t, "dual");
    double all = 0, least = 0, weights = 0, provable = 0, farthest = -INFINITY;
    char solver[16];
    report_text(t->report, "solver", "type", solver, sizeof solver);
    for (int m = 0; m < t->model.models; m++) {
        const own_problem p = problem_of(t, m, y, size, u);
        const double *w = t->model.weight + (size_t)m * (size_t)t->model.width;
        double primal = own_losses(&p, u);
        for (long j = 0; j < t->model.width; j++) {
            primal += 0.5 * w[j] * w[j];
        }
        weights = 0; /* C sum c_i */
        for (int i = 0; i < p.rows; i++) {
            weights += size[i];
        }
        const double scale = fmax(primal, weights);
        const own_bounds best = own_optimum(&p, 1e-8 * scale, 3000);
        all += primal;
        least += fmin(primal, best.least);
        farthest = fmax(farthest, (primal - fmin(primal, best.least) - gap * primal) / scale);
        provable = fmax(provable, (primal - own_dual_of_scores(&p, u)) / primal);
    }
    const double scale = fmax(all, weights), objective = reported(t, "objective");
    if (!(fabs(objective - all) <= ALLOWED * scale)) {
        wrong(t, "objective %.12g, of the weights written %.12g: off by %.3g of %.6g", objective,
              all, fabs(objective - all) / scale, scale);
    }
    if (!(dual <= least + ALLOWED * scale)) {
        wrong(t, "dual value %.12g, but there is a w of objective %.12g: off by %.3g of %.6g", dual,
              least, (dual - least) / scale, scale);
    }
    if (!(farthest <= ALLOWED)) {
        wrong(t, "gap %.6g, but a model is farther from its optimum by %.3g", gap, farthest);
    }
    const bool smooth = strstr(t->model.loss, "squared") != NULL || t->model.loss[0] == 'l';
    const bool of_scores = strcmp(solver, "newton") == 0 || strcmp(solver, "sgd") == 0;
    if (smooth && of_scores && !((gap - provable) * all <= ALLOWED * scale)) {
        wrong(t, "gap %.6g of %s, its scores prove %.6g", gap, solver, provable);
    }
    if (t->model.models == 1 && !(fabs(gap * objective - (objective - dual)) <= 1e-9 * scale)) {
        wrong(t, "gap %.12g of objective %.12g and dual %.12g", gap, objective, dual);
    }
}

/* ---- predictions ----------------------------------------------------------------------------- */

/* Rounding that may be between a score computed here and the program's own. */
static double rounding(const training *t, int i, int m)
{
    return ALLOWED * t->bulk[i * t->model.models + m] + 1e-12;
}

/* 1: predicted right, 0: wrong, -1: within rounding. */
static int is_right(const training *t, int i)
{
    const int models = t->model.models, label = t->drawn.label[i];
    const double *s = t->score + (size_t)i * (size_t)models;
    if (models == 1) {
        return fabs(s[0]) <= rounding(t, i, 0) ? -1 : (s[0] > 0) == (label == 1);
    }
    int verdict = 1;
    for (int m = 0; m < models; m++) {
        const double ahead = s[label] - s[m];
        if (m != label && fabs(ahead) <= rounding(t, i, m) + rounding(t, i, label)) {
            verdict = verdict == 0 ? 0 : -1;
        } else if (m != label && ahead < 0) {
            verdict = 0;
        }
    }
    return verdict;
}

static void check_fit(training *t)
{
    const drawn_config *d = &t->drawn;
    double rows = 0, right = 0, open = 0; /* a row of weight w is w rows */
    double squares = 0, unsure = 0;
    for (int i = 0; i < d->rows; i++) {
        rows += d->weight[i];
        if (d->classes > 0) {
            right += is_right(t, i) == 1 ? d->weight[i] : 0;
            open += is_right(t, i) == -1 ? d->weight[i] : 0;
        } else {
            const double e = d->target[i] - t->score[i];
            squares += d->weight[i] * e * e;
            unsure = fmax(unsure, rounding(t, i, 0));
        }
    }
    if (d->classes == 0) {
        const double rmse = sqrt(squares / rows), said = report_number(t->report, "", "train_rmse");
        if (!(fabs(said - rmse) <= ALLOWED * rmse + unsure)) {
            wrong(t, "RMSE %.12g, of the weights written %.12g", said, rmse);
        }
        return;
    }
    const double said = report_number(t->report, "", "train_accuracy") * rows;
    if (!(said > right - ALLOWED * rows && said < right + open + ALLOWED * rows)) {
        wrong(t, "%g rows right, of the weights written %g to %g", said, right, right + open);
    }
}

static void check_predictions(training *t)
{
    size_t size = 0;
    const int models = t->model.models;
    double farthest = 0;
    if (run_program("predict trained.model rows.svm --scores -q -o scores.txt") != 0) {
        wrong(t, "predict fails");
        return;
    }
    char *text = read_file("scores.txt", &size), *at = text;
    for (int i = 0; at != NULL && i < t->drawn.rows; i++) {
        for (int m = 0; m < models; m++) {
            const double score = strtod(at, &at);
            farthest = fmax(farthest, fabs(score - t->score[i * models + m]) / rounding(t, i, m));
        }
    }
    if (at == NULL || strspn(at, " \t\n") != strlen(at) || !(farthest <= 1)) {
        wrong(t, "decision values of predict are off by %.3g times what rounding may be", farthest);
    }
    free(text);
}

/* ---- one training ---------------------------------------------------------------------------- */

static void release(training *t)
{
    free(t->model.bytes);
    free(t->model.weight);
    free(t->z.bytes);
    free(t->z.value);
    free(t->report);
    free(t->score);
    free(t->bulk);
    free(t->gram);
}

static void check_training(training *t, int exit_code)
{
    if ((exit_code != 0 && exit_code != 1) || rename("err.txt", "train.txt") != 0 ||
        !read_training(t)) {
        wrong(t, "exit code %d of train", exit_code);
        return;
    }
    const size_t rows = (size_t)t->drawn.rows, models = (size_t)t->model.models;
    t->score = calloc(rows * models, sizeof *t->score);
    t->bulk = calloc(rows * models, sizeof *t->bulk);
    t->gram = calloc(rows * rows, sizeof *t->gram);
    if (t->score == NULL || t->bulk == NULL || t->gram == NULL) {
        abort();
    }
    find_scores(t);
    check_converged(t, exit_code);
    check_printed(t);
    check_objective(t);
    check_fit(t);
    check_predictions(t);
}

static void print_file(const char *path)
{
    size_t size = 0;
    char *text = read_file(path, &size);
    printf("%s", text == NULL ? "" : text);
    free(text);
}

typedef struct tally {
    int checked, refused, numerical, wrong;
} tally;

static void do_seed(long seed, tally *count)
{
    training t = {0};
    remove("report.json");
    remove("trained.model");
    if (!draw_config((uint64_t)seed * SEED_STEP, &t.drawn)) {
        fprintf(stderr, "cannot write into this folder\n");
        exit(2);
    }
    const int exit_code = run_program("train config.ini --strict");
    if (exit_code == 2 || exit_code == 3) {
        count->refused++;
    } else if (exit_code == 4) {
        count->numerical++;
    } else {
        check_training(&t, exit_code);
        count->checked++;
        count->wrong += t.faults > 0;
    }
    if (exit_code == 4) {
        printf("seed %ld, exit code 4: ", seed);
        print_file("err.txt");
    }
    if (t.faults > 0 || getenv("CHECK_MODELS_SHOW") != NULL) {
        printf("seed %ld, %d rows, %d columns, %d classes, exit code %d:\n", seed, t.drawn.rows,
               t.drawn.columns, t.drawn.classes, exit_code);
        print_file("config.ini");
        print_file(t.z.value == NULL ? "err.txt" : "train.txt");
        printf("\n");
    }
    fflush(stdout);
    release(&t);
}

int main(int count, char **word)
{
    drawn_config drawn;
    if (count == 3 && strcmp(word[1], "draw") == 0) {
        return draw_config((uint64_t)atol(word[2]) * SEED_STEP, &drawn) ? 0 : 1;
    }
    if (count != 4 || getenv("DPSVM") == NULL) {
        fprintf(stderr,
                "usage: DPSVM=program check_models FIRST LAST STEP, or check_models draw SEED\n");
        return 2;
    }
    const long first = atol(word[1]), last = atol(word[2]), step = atol(word[3]);
    tally sum = {0};
    for (long seed = first; seed <= last; seed += step) {
        do_seed(seed, &sum);
    }
    printf("checked %d, refused %d, numerical %d, wrong %d\n", sum.checked, sum.refused,
           sum.numerical, sum.wrong);
    return sum.wrong > 0;
}
