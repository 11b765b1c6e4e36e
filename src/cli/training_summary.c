/* Task: the figures of a training, its class table, on the rows that say most about new ones
 * (data.validation, else data.test, else the training rows), and the advice. */
#include "training_summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- figures --------------------------------------------------------------------------------- */

static void say_held_residuals(const dps_run *run, const char *what, const dps_residuals *r)
{
    if (r->rows > 0) {
        dps_log_text(run, DPS_NORMAL, "%s error: RMSE %.6g, MAE %.6g, R2 %.4f on %lld rows", what,
                     dps_residuals_rmse(r), dps_residuals_mae(r), dps_residuals_r2(r),
                     (long long)r->rows);
    }
}

/* "; a linear SVM of 2688 of them: 71.30 %", or nothing. */
static void add_linear(const dps_linear_baseline *linear, int64_t rows, bool trained, dps_text *out)
{
    const dps_fit *fit = trained ? &linear->train : &linear->validation;
    if (linear->rows == 0 || fit->rows == 0) {
        return;
    }
    dps_text_add(out, trained ? "; a linear SVM" : " (a linear SVM");
    if (linear->rows < rows) {
        dps_text_format(out, " of %lld %s", (long long)linear->rows,
                        trained ? "of them" : "training rows");
    }
    if (isnan(fit->accuracy)) {
        dps_text_format(out, ": RMSE %.6g", dps_residuals_rmse(&fit->residuals));
    } else {
        dps_text_format(out, ": %.2f %%", 100 * fit->accuracy);
    }
    dps_text_add(out, trained ? "" : ")");
}

static void say_text(const dps_run *run, dps_text *text)
{
    if (!text->failed) {
        dps_log_text(run, DPS_NORMAL, "%s", text->data);
    }
    dps_text_release(text);
}

static void say_residuals(const dps_run *run, const dps_train_result *result)
{
    const dps_residuals *train = &result->fit.train.residuals;
    dps_text text = {0};
    dps_text_format(&text,
                    "error: RMSE %.6g, MAE %.6g, R2 %.4f on the %lld training rows (always "
                    "guessing their mean: RMSE %.6g",
                    dps_residuals_rmse(train), dps_residuals_mae(train), dps_residuals_r2(train),
                    (long long)train->rows, sqrt(train->spread / train->weight));
    add_linear(&result->linear, result->model.rows, true, &text);
    dps_text_add(&text, ")");
    say_text(run, &text);
    say_held_residuals(run, "validation", &result->fit.validation.residuals);
    say_held_residuals(run, "test", &result->fit.test.residuals);
}

void dps_say_accuracy(const dps_run *run, const dps_train_result *result)
{
    const dps_fits *fit = &result->fit;
    dps_text text = {0};
    if (result->model.task == DPS_TASK_REGRESSION) {
        say_residuals(run, result);
        return;
    }
    dps_text_format(&text,
                    "accuracy: %.2f %% of the %lld training rows (always guessing the largest "
                    "class: %.2f %%",
                    100.0 * fit->train.accuracy, (long long)result->model.rows,
                    100.0 * result->data.majority_accuracy);
    add_linear(&result->linear, result->model.rows, true, &text);
    dps_text_add(&text, ")");
    say_text(run, &text);
    if (!isnan(fit->validation.accuracy)) {
        dps_text_format(&text, "validation accuracy: %.2f %% of %lld rows",
                        100.0 * fit->validation.accuracy, (long long)fit->validation.rows);
        add_linear(&result->linear, result->model.rows, false, &text);
        say_text(run, &text);
    }
    if (!isnan(fit->test.accuracy)) {
        dps_log_text(run, DPS_NORMAL, "test accuracy: %.2f %% of %lld rows",
                     100.0 * fit->test.accuracy, (long long)fit->test.rows);
    }
}

/* ---- classes --------------------------------------------------------------------------------- */

enum { MOST_CLASSES = 10, LABEL_WIDTH = 30 };

typedef struct line {
    int32_t class;
    double recall;
} line;

static int by_recall(const void *a, const void *b)
{
    const line *x = a, *y = b;
    return x->recall != y->recall ? (x->recall < y->recall ? -1 : 1) : x->class - y->class;
}

static int by_class(const void *a, const void *b)
{
    const line *x = a, *y = b;
    return x->class - y->class;
}

/* The classes that occur; of more than MOST_CLASSES those of least recall. In class order. */
static int32_t choose_classes(const dps_fit *fit, int32_t classes, line *chosen)
{
    int32_t count = 0;
    for (int32_t k = 0; k < classes; k++) {
        if (fit->of_class[k].rows > 0) {
            chosen[count++] = (line){k, fit->of_class[k].recall};
        }
    }
    if (count > MOST_CLASSES) {
        qsort(chosen, (size_t)count, sizeof *chosen, by_recall);
        count = MOST_CLASSES;
        qsort(chosen, (size_t)count, sizeof *chosen, by_class);
    }
    return count;
}

static void share(double value, char text[16])
{
    if (isnan(value)) {
        strcpy(text, "-");
    } else {
        snprintf(text, 16, "%.4f", value);
    }
}

static void say_class(const dps_run *run, const char *label, int width, const dps_class_metrics *c)
{
    char precision[16], recall[16], f1[16];
    share(c->precision, precision);
    share(c->recall, recall);
    share(c->f1, f1);
    dps_log_text(run, DPS_NORMAL, "  %-*.*s  %10.12g  %9s  %9s  %9s", width, LABEL_WIDTH, label,
                 c->rows, precision, recall, f1);
}

static int widest(const dps_class_table *classes, const line *chosen, int32_t count)
{
    size_t width = strlen("class");
    for (int32_t k = 0; k < count; k++) {
        const size_t length = strlen(classes->text[chosen[k].class]);
        width = length > width ? length : width;
    }
    return width > LABEL_WIDTH ? LABEL_WIDTH : (int)width;
}

void dps_say_classes(const dps_run *run, const dps_class_table *classes, const dps_fits *fits)
{
    const dps_fit *fit = dps_fits_freshest(fits);
    line *chosen = calloc((size_t)classes->count + 1, sizeof *chosen);
    if (fit->of_class != NULL && chosen != NULL) {
        const int32_t count = choose_classes(fit, classes->count, chosen);
        const int width = widest(classes, chosen, count);
        dps_log_text(run, DPS_NORMAL, "classes on %s:%s",
                     fit == &fits->validation ? "the validation rows"
                     : fit == &fits->test     ? "the test rows"
                                              : "the training rows",
                     count < classes->count && count == MOST_CLASSES
                         ? " (those found least; all of them are in the report)"
                         : "");
        dps_log_text(run, DPS_NORMAL, "  %-*s  %10s  %9s  %9s  %9s", width, "class", "rows",
                     "precision", "recall", "F1");
        for (int32_t k = 0; k < count; k++) {
            const int32_t c = chosen[k].class;
            say_class(run, classes->text[c], width, &fit->of_class[c]);
        }
    }
    free(chosen);
}

void dps_say_seeds(const dps_run *run, const dps_seed_spread *seeds, bool regression)
{
    static const char *const rows[] = {"training", "validation", "test"};
    const double unit = regression ? 1 : 100;
    for (int which = 0; which < 3 && seeds->count > 1; which++) {
        double mean = 0, squares = 0, least = INFINITY, most = -INFINITY;
        for (int32_t k = 0; k < seeds->count; k++) {
            const double x = unit * seeds->trial[k].figure[which];
            mean += x / seeds->count;
            least = fmin(least, x);
            most = fmax(most, x);
        }
        for (int32_t k = 0; k < seeds->count; k++) {
            const double d = unit * seeds->trial[k].figure[which] - mean;
            squares += d * d;
        }
        if (!isnan(mean)) {
            dps_log_text(run, DPS_NORMAL,
                         regression ? "%ld seeds of the map, %s rows: RMSE %.6g, deviation %.3g, "
                                      "from %.6g to %.6g"
                                    : "%ld seeds of the map, %s rows: accuracy %.2f %%, deviation "
                                      "%.2f, from %.2f to %.2f",
                         (long)seeds->count, rows[which], mean, sqrt(squares / (seeds->count - 1)),
                         least, most);
        }
    }
}

void dps_say_advice(const dps_run *run, const dps_advice *advice)
{
    for (int32_t k = 0; k < advice->count; k++) {
        dps_log_text(run, DPS_NORMAL, "next: %s", advice->text[k]);
    }
}
