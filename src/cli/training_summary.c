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
    dps_log_text(run, DPS_NORMAL, "  %-*.*s  %10lld  %9s  %9s  %9s", width, LABEL_WIDTH, label,
                 (long long)c->rows, precision, recall, f1);
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

void dps_say_classes(const dps_run *run, const dps_train_result *result)
{
    const bool held = result->validation.of_class != NULL && result->validation.rows > 0;
    const bool test = result->test.of_class != NULL && result->test.rows > 0;
    const dps_fit *fit = held ? &result->validation : test ? &result->test : &result->train;
    const dps_class_table *classes = &result->model.classes;
    line *chosen = calloc((size_t)classes->count + 1, sizeof *chosen);
    if (fit->of_class != NULL && chosen != NULL) {
        const int32_t count = choose_classes(fit, classes->count, chosen);
        const int width = widest(classes, chosen, count);
        dps_log_text(run, DPS_NORMAL, "classes on %s:%s",
                     held   ? "the validation rows"
                     : test ? "the test rows"
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

void dps_say_advice(const dps_run *run, const dps_train_result *result)
{
    for (int32_t k = 0; k < result->advices; k++) {
        dps_log_text(run, DPS_NORMAL, "next: %s", result->advice[k]);
    }
}
