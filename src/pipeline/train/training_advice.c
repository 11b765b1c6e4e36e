/* Task: from the figures of a training to a sentence or two on what to try next.
 *
 * Every rule asks that a difference is more than chance: shares are compared by their standard
 * errors, doubled; no rule speaks of what the figures do not show. What a model is measured by is
 * what its training aimed at: accuracy, or with solver.class_weight the mean recall of the classes.
 * A sentence names the values that the options have, and proposes none that they have already. */
#include "training_advice.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "solver.h"
#include "train.h"

/* A recall near 0; a gap of accuracy worth a word; a gain over guessing worth the name, as a share
 * of what there is to gain. */
#define NO_RECALL   0.2
#define WIDE_GAP    0.03
#define NARROW_GAIN 0.02

static void add(dps_train_result *result, const char *format, ...) DPS_PRINTF(2, 3);

static void add(dps_train_result *result, const char *format, ...)
{
    dps_advice *advice = &result->advice;
    va_list list;
    if (advice->count < DPS_MOST_ADVICE) {
        va_start(list, format);
        vsnprintf(advice->text[advice->count++], DPS_ADVICE_LENGTH, format, list);
        va_end(list);
    }
}

/* ---- what is set, and what can be tried ------------------------------------------------------ */

typedef struct proposals {
    char text[DPS_ADVICE_LENGTH];
    size_t length;
} proposals;

static void propose(proposals *p, const char *format, ...) DPS_PRINTF(2, 3);

static void propose(proposals *p, const char *format, ...)
{
    va_list list;
    if (p->length > 0) {
        p->length += (size_t)snprintf(p->text + p->length, sizeof p->text - p->length, ", ");
    }
    va_start(list, format);
    const int length = vsnprintf(p->text + p->length, sizeof p->text - p->length, format, list);
    va_end(list);
    p->length += length > 0 ? (size_t)length : 0;
    p->length = p->length < sizeof p->text ? p->length : sizeof p->text - 1;
}

/* A search of the run has chosen C; then options.solver_C may be that choice. */
static bool chose_C(const dps_options *options, const dps_train_result *result)
{
    return options->solver_C.choice != NULL || result->searches.kernel.count > 0;
}

static bool is_weighted(const dps_options *options)
{
    return strcmp(options->solver_class_weight, "none") != 0;
}

static void propose_C(const dps_options *options, const dps_train_result *result, proposals *p)
{
    if (!chose_C(options, result)) {
        propose(p, "solver.C = auto (now %g)", result->model.C);
    }
}

static void propose_kernel(const dps_train_result *result, proposals *p)
{
    const dps_map_recipe *recipe = &result->model.recipe;
    if (result->searches.kernel.count > 0) {
        return;
    }
    if (recipe->type == DPS_MAP_NONE) {
        propose(p, "a kernel (kernel.type = polynomial; now linear)");
    } else if (recipe->type == DPS_MAP_FOURIER) {
        propose(p, "another kernel (kernel.type = polynomial; now map.type = fourier)");
    } else {
        propose(p, "another kernel (map.type = fourier; now kernel.type = %s)",
                recipe->kernel.kernel->name);
    }
}

/* What makes the model smoother. */
static void propose_smoother(const dps_options *options, const dps_train_result *result,
                             proposals *p)
{
    const dps_map_recipe *recipe = &result->model.recipe;
    const dps_kernel_params *kernel = &recipe->kernel;
    propose(p, "a smaller solver.C (now %g%s)", result->model.C,
            chose_C(options, result) ? "" : "; auto chooses it");
    if (dps_recipe_is_shift(recipe)) {
        propose(p, "a smaller map.gamma (now %.3g)", recipe->base_gamma);
        return;
    }
    for (int k = 0; k < DPS_KERNEL_PARAMS; k++) {
        const dps_kernel_param *param = &dps_kernel_param_table[k];
        if (param->smoother != 0 && dps_kernel_uses(kernel->kernel, param)) {
            propose(p, "a %s kernel.%s (now %.*g)", param->smoother > 0 ? "larger" : "lower",
                    param->key, param->whole ? 10 : 3, dps_kernel_get(kernel, param));
        }
    }
}

/* ---- figures --------------------------------------------------------------------------------- */

/* Two standard errors of a share of so many rows. */
static double doubt(double share, double rows)
{
    return 2 * sqrt(fmax(share * (1 - share), 1e-6) / rows);
}

/* Two standard errors of the mean recall. */
static double balanced_doubt(const dps_fit *fit, int32_t classes)
{
    double squares = 0;
    int32_t count = 0;
    for (int32_t k = 0; k < classes; k++) {
        const dps_class_metrics *c = &fit->of_class[k];
        if (c->rows > 0) {
            squares += c->recall * (1 - c->recall) / c->rows;
            count++;
        }
    }
    return 2 * sqrt(squares) / count;
}

/* Largest share that so many of so many rows may stand for (Wilson 1927, z = 2). */
static double upper_share(double share, double n)
{
    return (share + 2 / n + 2 * sqrt(share * (1 - share) / n + 1 / (n * n))) / (1 + 4 / n);
}

static const char *rows_name(const dps_fits *fits, const dps_fit *fit)
{
    return fit == &fits->validation ? "data.validation"
           : fit == &fits->test     ? "data.test"
                                    : "the training rows";
}

/* Classes of which the fit has rows. */
static int32_t classes_of(const dps_train_result *result, const dps_fit *fit)
{
    int32_t count = 0;
    for (int32_t k = 0; k < result->model.classes.count; k++) {
        count += fit->of_class[k].rows > 0;
    }
    return count;
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* Classes that are hardly ever found, though they have rows enough to say so. */
static void advise_on_classes(const dps_options *options, dps_train_result *result)
{
    const dps_fit *fit = dps_fits_freshest(&result->fit);
    const dps_class_table *classes = &result->model.classes;
    int32_t lost = 0, worst = -1;
    for (int32_t k = 0; k < classes->count && fit->of_class != NULL; k++) {
        const dps_class_metrics *c = &fit->of_class[k];
        const double fair = 1.0 / classes->count;
        const bool rare = (double)classes->rows[k] < 0.5 * fair * (double)result->model.rows;
        if (rare && c->rows > 0 && c->recall < NO_RECALL && upper_share(c->recall, c->rows) < 0.5) {
            worst = worst < 0 || c->rows > fit->of_class[worst].rows ? k : worst;
            lost++;
        }
    }
    if (lost == 0) {
        return;
    }
    const double recall = fit->of_class[worst].recall;
    const char *others = lost > 1 ? ", others too" : "";
    if (is_weighted(options)) {
        add(result,
            "class %.60s is rare and hardly found (recall %.2f)%s: raise its weight in "
            "solver.class_weight (now %.60s), or solver.C (now %g)",
            classes->text[worst], recall, others, options->solver_class_weight, result->model.C);
    } else {
        add(result,
            "class %.60s is rare and hardly found (recall %.2f)%s: try solver.class_weight = "
            "balanced",
            classes->text[worst], recall, others);
    }
}

static void advise_on_overfitting(const dps_options *options, dps_train_result *result)
{
    const dps_fit *train = &result->fit.train, *fresh = dps_fits_freshest(&result->fit);
    if (fresh == train || fresh->of_class == NULL || isnan(fresh->accuracy) || fresh->foreign > 0) {
        return;
    }
    const bool weighted = is_weighted(options);
    const double fall =
        weighted ? train->balanced - fresh->balanced : train->accuracy - fresh->accuracy;
    const double chance = weighted ? balanced_doubt(fresh, result->model.classes.count)
                                   : doubt(fresh->accuracy, fresh->weight);
    proposals p = {.length = 0};
    if (fall > WIDE_GAP + chance) {
        propose_smoother(options, result, &p);
        add(result, "the training rows fit %.1f points better than those of %s%s: try %.200s",
            100 * fall, rows_name(&result->fit, fresh), weighted ? " (mean recall)" : "", p.text);
    }
}

/* Whether the fit is better than always guessing the largest training class: by more than chance
 * and by more than a trifle. In accuracy the two are compared row by row: `won` rows are right here
 * alone, `lost` there alone. A mean recall of guessing is 1 over the classes. */
static bool beats_guessing(const dps_train_result *result, const dps_fit *fit, bool weighted)
{
    const dps_class_table *classes = &result->model.classes;
    const int32_t count = classes_of(result, fit);
    const double n = fit->weight, chance = 1.0 / count, balanced = fit->balanced - chance;
    int32_t largest = 0;
    double right = 0;
    for (int32_t k = 0; k < classes->count; k++) {
        largest = classes->rows[k] > classes->rows[largest] ? k : largest;
        right += fit->of_class[k].correct;
    }
    const dps_class_metrics *guessed = &fit->of_class[largest];
    const double won = right - guessed->correct;
    const double lost = guessed->rows - guessed->correct;
    const double gain = (won - lost) / n, error = sqrt(won + lost - (won - lost) * gain) / n;
    const bool by_rows = gain > fmax(2 * error, NARROW_GAIN * (1 - guessed->rows / n)) && !weighted;
    const bool by_classes = count > 1 && balanced > fmax(balanced_doubt(fit, classes->count),
                                                         NARROW_GAIN * (1 - chance));
    return by_rows || by_classes;
}

static void advise_on_guessing(const dps_options *options, dps_train_result *result,
                               const dps_fit *fit)
{
    const bool chosen = result->searches.kernel.count > 0;
    proposals p = {.length = 0};
    propose_C(options, result, &p);
    if (!is_weighted(options)) {
        propose(&p, "solver.class_weight = balanced (now none)");
    }
    const dps_scaling scaling = result->model.scaler.scaling;
    if (!chosen && scaling != DPS_SCALE_STANDARD) {
        propose(&p, "data.scaling = %s (now %s)",
                dps_name_of(dps_scaling_names, DPS_SCALE_STANDARD),
                dps_name_of(dps_scaling_names, scaling));
    }
    propose_kernel(result, &p);
    if (p.length == 0) {
        propose(&p, "more rows, or columns that say more of the classes");
    }
    if (result->data.label_guessed) {
        add(result,
            "is the label's column right? data.label_column is not set, and the model is no better "
            "than guessing; the line \"input:\" names it and others that may be meant");
    }
    add(result, "no better than guessing the largest class on %s (mean recall %.2f): try %.230s",
        rows_name(&result->fit, fit), fit->balanced, p.text);
}

/* On rows that both the model and the linear one were measured on. */
static void advise_on_baselines(const dps_options *options, dps_train_result *result)
{
    const dps_fit *fit = dps_fits_freshest(&result->fit);
    const bool weighted = is_weighted(options), held = result->linear.validation.rows > 0;
    const dps_fit *mine = held ? &result->fit.validation : &result->fit.train;
    const dps_fit *linear = held ? &result->linear.validation : &result->linear.train;
    const double here = weighted ? mine->balanced : mine->accuracy;
    const double there = weighted ? linear->balanced : linear->accuracy;
    proposals p = {.length = 0};
    if (fit->of_class != NULL && classes_of(result, fit) > 1 &&
        !beats_guessing(result, fit, weighted)) {
        advise_on_guessing(options, result, fit);
    } else if (result->linear.rows > 0 && there >= here && result->searches.kernel.count == 0 &&
               result->model.recipe.type != DPS_MAP_NONE) {
        propose_kernel(result, &p);
        propose_C(options, result, &p);
        add(result,
            "a linear SVM is as good (%s %.4f, here %.4f): kernel.type = linear is quicker, or try "
            "%.200s",
            weighted ? "mean recall" : "accuracy", there, here, p.text);
    }
}

static void advise_on_solver(const dps_options *options, dps_train_result *result)
{
    if (result->model.outcome == DPS_CONVERGED || result->curve.best_pass > 0 ||
        result->model.outcome == DPS_NUMERICAL_FLOOR) {
        return;
    }
    const bool dense = result->model.sparse_columns == 0 && result->model.width <= 5000;
    if (dense && dps_solver_find(result->model.solver) != &dps_solver_newton) {
        add(result,
            "%s is far from its target: try solver.type = newton, or a smaller solver.C (now %g)",
            result->model.solver, result->model.C);
    } else if (options->solver_C.choice == NULL && result->model.C > 1) {
        add(result, "%s is far from its target: a smaller solver.C (now %g) is easier to solve",
            result->model.solver, result->model.C);
    }
}

/* Very wide rows are taken for text, and the search tries no kernel on them. */
static void advise_on_search(dps_train_result *result)
{
    const dps_auto_search *search = &result->searches.kernel;
    bool kernels = search->count == 0;
    for (int32_t k = 0; k < search->count; k++) {
        kernels = kernels || search->trial[k].kernel != DPS_AUTO_LINEAR;
    }
    if (!kernels) {
        add(result,
            "no kernel was tried: rows of %ld columns are taken for text, where a line does as "
            "well; kernel.type = polynomial with kernel.degree = 2 would try one",
            (long)result->model.scaler.columns);
    }
}

void dps_training_advise(const dps_options *options, dps_train_result *result)
{
    advise_on_search(result);
    advise_on_solver(options, result);
    if (result->model.task == DPS_TASK_CLASSIFICATION) {
        advise_on_classes(options, result);
        advise_on_overfitting(options, result);
        advise_on_baselines(options, result);
    }
}
