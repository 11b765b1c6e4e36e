/* Task: from the figures of a training to a sentence or two on what to try next.
 *
 * Every rule asks that a difference is more than chance: shares are compared by their standard
 * errors, sqrt(p (1 - p) / n), doubled. No rule speaks of what the figures do not show. */
#include "training_advice.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A recall near 0; a gap of accuracy worth a word. */
#define NO_RECALL   0.2
#define WIDE_GAP    0.03
#define NARROW_GAIN 0.01

static void add(dps_train_result *result, const char *format, ...) DPS_PRINTF(2, 3);

static void add(dps_train_result *result, const char *format, ...)
{
    va_list list;
    if (result->advices < DPS_MOST_ADVICE) {
        va_start(list, format);
        vsnprintf(result->advice[result->advices++], DPS_ADVICE_LENGTH, format, list);
        va_end(list);
    }
}

/* Two standard errors of a share of so many rows. */
static double doubt(double share, int64_t rows)
{
    return 2 * sqrt(fmax(share * (1 - share), 1e-6) / (double)rows);
}

/* On rows that did not train the model; NULL: there are none. */
static const dps_fit *fresh_fit(const dps_train_result *result)
{
    return result->validation.rows > 0 ? &result->validation
           : result->test.rows > 0     ? &result->test
                                       : NULL;
}

/* Classes that are hardly ever found, though they have rows. */
static void advise_on_classes(const dps_options *options, dps_train_result *result)
{
    const dps_fit *fresh = fresh_fit(result), *fit = fresh == NULL ? &result->train : fresh;
    const dps_class_table *classes = &result->model.classes;
    int32_t lost = 0, worst = -1;
    for (int32_t k = 0; k < classes->count && fit->of_class != NULL; k++) {
        const double fair = 1.0 / classes->count;
        const bool rare = (double)classes->rows[k] < 0.5 * fair * (double)result->rows;
        if (rare && fit->of_class[k].rows > 0 && fit->of_class[k].recall < NO_RECALL) {
            worst = worst < 0 || fit->of_class[k].rows > fit->of_class[worst].rows ? k : worst;
            lost++;
        }
    }
    if (lost == 0) {
        return;
    }
    const bool weighted = strcmp(options->solver_class_weight, "none") != 0;
    add(result, "class %.60s is rare and hardly found (recall %.2f)%s: %s", classes->text[worst],
        fit->of_class[worst].recall, lost > 1 ? ", others too" : "",
        weighted ? "raise its weight in solver.class_weight, or solver.C"
                 : "try solver.class_weight = balanced");
}

static void advise_on_overfitting(dps_train_result *result)
{
    const dps_fit *fresh = fresh_fit(result);
    if (fresh == NULL || isnan(fresh->accuracy)) {
        return;
    }
    const double fall = result->train.accuracy - fresh->accuracy;
    if (fall > WIDE_GAP + doubt(fresh->accuracy, fresh->rows)) {
        add(result,
            "the training rows fit %.1f points better than %s: try a smaller solver.C "
            "(solver.C = auto chooses it), or a lower kernel.degree or map.gamma",
            100 * fall, fresh == &result->validation ? "those of data.validation" : "data.test");
    }
}

static bool is_linear(const dps_train_result *result)
{
    return result->model.recipe.type == DPS_MAP_NONE;
}

/* On the rows on which both the model and the linear one were measured. */
static void advise_on_baselines(dps_train_result *result)
{
    const bool held = result->linear.validation.rows > 0;
    const dps_fit *mine = held ? &result->validation : &result->train;
    const dps_fit *linear = held ? &result->linear.validation : &result->linear.train;
    const double doubtful = doubt(result->majority_accuracy, result->rows);
    if (result->train.accuracy < result->majority_accuracy + fmax(NARROW_GAIN, doubtful)) {
        add(result,
            "no better than guessing the largest class: try solver.C = auto, "
            "solver.class_weight = balanced, data.scaling = standard%s",
            is_linear(result) ? ", or a kernel" : ", or another kernel (map.type = fourier)");
    } else if (result->linear.rows > 0 && linear->accuracy >= mine->accuracy &&
               result->auto_search.count == 0) {
        add(result,
            "a linear SVM is as good: kernel.type = linear is quicker, or try another kernel "
            "(map.type = fourier) or solver.C = auto");
    }
}

static void advise_on_solver(const dps_options *options, dps_train_result *result)
{
    if (result->converged || result->best_pass > 0 ||
        strcmp(result->model.outcome, "numerical_floor") == 0) {
        return;
    }
    const bool dense = result->model.sparse_columns == 0 && result->model.width <= 5000;
    if (dense && strcmp(result->model.solver, "newton") != 0) {
        add(result, "%s is far from its target: try solver.type = newton, or a smaller solver.C",
            result->model.solver);
    } else if (options->solver_C.choice == NULL && options->solver_C.number > 1) {
        add(result, "%s is far from its target: a smaller solver.C is easier to solve",
            result->model.solver);
    }
}

void dps_training_advise(const dps_options *options, dps_train_result *result)
{
    advise_on_solver(options, result);
    if (result->model.task == DPS_TASK_CLASSIFICATION) {
        advise_on_classes(options, result);
        advise_on_overfitting(result);
        advise_on_baselines(result);
    }
}
