/* Task: what `dpsvm evaluate` found, as text and as JSON. */
#include "evaluation_report.h"

#include <math.h>
#include <string.h>
#include "json_report.h"
#include "number.h"

enum { MATRIX_CLASSES = 20 }; /* more are in the report only */

/* ---- text ------------------------------------------------------------------------------------ */

static void add_figure(dps_text *out, const char *name, double value)
{
    if (!isnan(value)) {
        dps_text_format(out, "%s: %.4f\n", name, value);
    }
}

static void add_share(dps_text *out, double value)
{
    if (isnan(value)) {
        dps_text_add(out, "          -");
    } else {
        dps_text_format(out, "  %9.4f", value);
    }
}

static int widest_label(const dps_class_table *classes)
{
    size_t widest = 5;
    for (int32_t k = 0; k < classes->count; k++) {
        const size_t length = strlen(classes->text[k]);
        widest = length > widest ? length : widest;
    }
    return widest > 30 ? 30 : (int)widest;
}

static void add_class_table(const dps_evaluation *e, int width, dps_text *out)
{
    dps_text_format(out, "\n%-*s  %10s  %9s  %9s  %9s\n", width, "class", "rows", "precision",
                    "recall", "F1");
    for (int32_t k = 0; k < e->classes.count; k++) {
        const dps_class_metrics *c = &e->metrics.of_class[k];
        dps_text_format(out, "%-*s  %10.12g", width, e->classes.text[k], c->rows);
        add_share(out, c->precision);
        add_share(out, c->recall);
        add_share(out, c->f1);
        dps_text_add(out, "\n");
    }
}

static void add_matrix(const dps_evaluation *e, int width, dps_text *out)
{
    const int32_t classes = e->classes.count;
    if (classes > MATRIX_CLASSES) {
        dps_text_format(out, "\nThe confusion matrix of %ld classes is in the report (--report).\n",
                        (long)classes);
        return;
    }
    dps_text_format(out, "\nconfusion matrix (lines: true class, columns: predicted)\n%-*s", width,
                    "");
    for (int32_t k = 0; k < classes; k++) {
        dps_text_format(out, "  %10s", e->classes.text[k]);
    }
    dps_text_add(out, "\n");
    for (int32_t k = 0; k < classes + (e->metrics.foreign > 0); k++) {
        dps_text_format(out, "%-*s", width, k < classes ? e->classes.text[k] : "other");
        for (int32_t j = 0; j < classes; j++) {
            dps_text_format(out, "  %10.12g",
                            e->metrics.confusion[(size_t)k * (size_t)classes + (size_t)j]);
        }
        dps_text_add(out, "\n");
    }
}

static void add_residuals(const dps_residuals *r, dps_text *out)
{
    dps_text_format(out, "rows: %lld\n", (long long)r->rows);
    dps_text_format(out, "RMSE: %.6g\n", dps_residuals_rmse(r));
    dps_text_format(out, "MAE: %.6g\n", dps_residuals_mae(r));
    add_figure(out, "R2", dps_residuals_r2(r));
}

static void add_threshold(const dps_evaluation *e, dps_text *out)
{
    const bool value = !isnan(e->threshold), chance = !isnan(e->chance);
    char cut[DPS_NUMBER_MAX];
    if (!value && !chance) {
        return;
    }
    dps_format_double(cut, value ? e->threshold : e->chance);
    dps_text_format(out, "threshold: %s%s for %s", value ? "" : "a probability of ", cut,
                    e->classes.text[e->positive]);
    dps_text_add(out, e->chosen ? ", the best on these rows" : "");
    if (value && chance) {
        dps_format_double(cut, e->chance);
        dps_text_format(out, "; in probability %s", cut);
    }
    dps_text_add(out, "\n");
}

void dps_evaluation_text(const dps_evaluation *e, dps_text *out)
{
    const dps_metrics *m = &e->metrics;
    if (e->rows.classes == 0) {
        add_residuals(&e->rows.residuals, out);
        return;
    }
    const int width = widest_label(&e->classes);
    add_threshold(e, out);
    dps_text_format(out, "rows: %lld\n", (long long)m->rows);
    if (m->foreign > 0) {
        dps_text_format(out,
                        "rows of classes that the model does not know (counted as wrong): %lld\n",
                        (long long)m->foreign);
    }
    dps_text_format(out, "accuracy: %.2f %% (%.12g of %.12g)\n", 100 * m->accuracy, m->correct,
                    m->weight);
    if (!isnan(m->balanced_accuracy)) {
        dps_text_format(out, "balanced accuracy: %.2f %%\n", 100 * m->balanced_accuracy);
    }
    add_figure(out, "macro F1", m->macro_f1);
    add_figure(out, "AUC", m->auc);
    add_figure(out, "log-loss", m->log_loss);
    add_class_table(e, width, out);
    add_matrix(e, width, out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void add_json_metrics(cJSON *root, const dps_metrics *m)
{
    dps_json_number(root, "foreign_labels", (double)m->foreign);
    dps_json_number(root, "correct", m->correct);
    dps_json_number(root, "accuracy", m->accuracy);
    dps_json_number(root, "balanced_accuracy", m->balanced_accuracy);
    dps_json_number(root, "macro_f1", m->macro_f1);
    dps_json_number(root, "auc", m->auc);
    dps_json_number(root, "log_loss", m->log_loss);
}

static void add_json_classes(cJSON *root, const dps_evaluation *e)
{
    const size_t classes = (size_t)e->classes.count;
    cJSON *array = dps_json_array(root, "classes", true);
    cJSON *matrix = dps_json_array(root, "confusion", true);
    for (size_t k = 0; k < classes; k++) {
        dps_json_class(array, e->classes.text[k], &e->metrics.of_class[k]);
    }
    for (size_t k = 0; k < classes + (e->metrics.foreign > 0); k++) {
        dps_json_append(matrix,
                        cJSON_CreateDoubleArray(e->metrics.confusion + k * classes, (int)classes));
    }
}

static void add_json_importance(cJSON *root, const dps_importance *importance)
{
    cJSON *object = dps_json_object(root, "importance", importance != NULL);
    if (object == NULL) {
        return;
    }
    dps_json_string(object, "of", importance->regression ? "rmse" : "accuracy");
    dps_json_number(object, "rows", (double)importance->rows);
    dps_json_number(object, "repeats", importance->repeats);
    cJSON *columns = dps_json_array(object, "columns", true);
    for (int32_t k = 0; k < importance->count; k++) {
        cJSON *row = dps_json_row(columns);
        dps_json_string(row, "column", importance->item[k].name);
        dps_json_number(row, "drop", importance->item[k].drop);
        dps_json_number(row, "standard_error", importance->item[k].error);
    }
}

enum { LINES = 50, NAME_WIDTH = 40 };

void dps_importance_text(const dps_importance *importance, dps_text *out)
{
    dps_text_format(out,
                    "\nimportance (%s of %s when a column's values are dealt anew, mean of %ld "
                    "times, on %lld rows)\n",
                    importance->regression ? "rise" : "drop",
                    importance->regression ? "RMSE" : "accuracy", (long)importance->repeats,
                    (long long)importance->rows);
    for (int32_t k = 0; k < importance->count && k < LINES; k++) {
        const dps_importance_item *item = &importance->item[k];
        dps_text_format(
            out, importance->regression ? "%-*.*s  %10.6g +- %.2g\n" : "%-*.*s  %9.4f +- %.4f\n",
            NAME_WIDTH, NAME_WIDTH, item->name, item->drop, item->error);
    }
    if (importance->count > LINES) {
        dps_text_format(out, "... %ld columns, all of them in the report\n",
                        (long)importance->count);
    }
}

dps_status dps_report_evaluation(const dps_evaluation *e, const dps_importance *importance,
                                 const dps_run *run, const char *path, dps_error *err)
{
    cJSON *root = dps_json_report("evaluate");
    dps_json_number(root, "rows", (double)e->rows.rows);
    dps_json_number(root, "labelled", (double)e->rows.labelled);
    if (e->rows.classes == 0) {
        dps_json_residuals(root, "", &e->rows.residuals);
    } else {
        if (!isnan(e->threshold) || !isnan(e->chance)) {
            dps_json_number(root, "threshold", e->threshold);
            dps_json_number(root, "threshold_probability", e->chance);
            dps_json_string(root, "positive", e->classes.text[e->positive]);
        }
        add_json_metrics(root, &e->metrics);
        add_json_classes(root, e);
    }
    add_json_importance(root, importance);
    dps_json_number(root, "outside_radius", (double)e->rows.outside);
    dps_json_number(root, "unknown_values", (double)e->rows.unknown);
    dps_json_stages(root, e->rows.stage, e->rows.seconds);
    dps_json_machine(root, run);
    return dps_json_write(root, path, err);
}
