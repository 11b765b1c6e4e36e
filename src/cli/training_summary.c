/* Task: the class table of a training, on the rows that say most about new ones (data.validation,
 * else data.test, else the training rows), and the advice. */
#include "training_summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
