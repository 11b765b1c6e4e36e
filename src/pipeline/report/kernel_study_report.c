/* Task: a study of maps as a table for people, as CSV and as JSON. */
#include "kernel_study_report.h"

#include <math.h>
#include <stdio.h>
#include "allocation.h"
#include "explain.h"
#include "json_report.h"
#include "map_projections.h"
#include "number.h"

static const char *error_name(dps_study_error error)
{
    static const char *const name[] = {"mean", "max", "rms", "relative_frobenius"};
    return name[error];
}

/* --- for people ---------------------------------------------------------------------------- */

static void add_estimate(dps_text *out, dps_estimate estimate)
{
    char text[64];
    if (isnan(estimate.half)) {
        snprintf(text, sizeof text, "%.4g", estimate.mean);
    } else {
        snprintf(text, sizeof text, "%.4g +-%.2g", estimate.mean, estimate.half);
    }
    dps_text_format(out, "  %-18s", text);
}

static void add_or_dash(dps_text *out, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.4g", value);
    dps_text_format(out, "  %10s", isnan(value) ? "-" : text);
}

enum { SHOWN_COLUMNS = 10 };

/* The columns that the metric stretches most, the largest first. */
static void add_longest(const dps_study_metric *metric, dps_text *out)
{
    double before = INFINITY;
    int32_t at = -1;
    for (int32_t said = 0; said < SHOWN_COLUMNS && said < metric->columns; said++) {
        int32_t next = -1;
        for (int32_t j = 0; j < metric->columns; j++) {
            const double length = metric->length[j];
            const bool later = length < before || (length == before && j > at);
            if (later && (next < 0 || length > metric->length[next])) {
                next = j;
            }
        }
        at = next;
        before = metric->length[next];
        dps_text_format(out, "%s%s %.4g", said > 0 ? ", " : "", metric->feature[next], before);
    }
    dps_text_add(out, metric->columns > SHOWN_COLUMNS ? ", ...\n" : "\n");
}

static void add_metric(const dps_study_metric *metric, dps_text *out)
{
    if (metric->columns == 0) {
        return;
    }
    const long d = metric->columns;
    dps_text_format(out, "metric: T of %ld x %ld", d, d);
    dps_text_format(
        out, ", %slearnt in %lld steps on %lld rows: ", d > DPS_FULL_METRIC ? "diagonal, " : "",
        (long long)metric->steps, (long long)metric->rows);
    dps_text_format(out,
                    "%.3g directions of %ld (tr(M)^2 / tr(M^2), M = T T^T); alignment with the "
                    "kernel as drawn %.4f\ncolumns by length of their row of T: ",
                    metric->directions, d, metric->alignment);
    add_longest(metric, out);
}

static void add_head(const dps_study *study, dps_text *out)
{
    const bool moved = study->metric.columns > 0;
    if (study->model != NULL) {
        dps_text_format(out, "model: %s\n", study->model);
    }
    dps_text_add(out, "kernel: ");
    dps_explain_kernel(&study->recipe, out);
    dps_text_add(out, moved ? ", of x T and y T in the place of x and y\nmap: " : "\nmap: ");
    dps_explain_map(&study->recipe, out);
    dps_text_add(out, "\n");
    add_metric(&study->metric, out);
    dps_text_format(out,
                    "rows: all pairs of %ld of %lld, d = %ld, R1 = %.4g, R2 = %.4g, mean K(x, x) "
                    "= %.4g%s; %ld runs, +- is a 95 %% confidence interval over them\n",
                    (long)study->request.rows, (long long)study->data_rows, (long)study->columns,
                    study->radius1, study->radius2, study->mean_diagonal, moved ? " (of x T)" : "",
                    (long)study->request.runs);
}

static void add_degrees(const dps_study_point *point, dps_text *out)
{
    int said = 0;
    for (int32_t n = 0; n <= DPS_MAX_DEGREE; n++) {
        if (point->degree_count[n] > 0 && said++ < 12) {
            dps_text_format(out, "%s%ld:%lld", said > 1 ? " " : "", (long)n,
                            (long long)point->degree_count[n]);
        }
    }
    dps_text_format(out, said > 12 ? " .. %ld\n" : "\n", (long)point->max_degree);
}

/* title: NULL, or what the curve is. */
static void add_curve(const dps_study *study, int32_t c, const char *title, dps_text *out)
{
    dps_text_add(out, "\n");
    if (title != NULL) {
        dps_text_format(out, "%s: %s\n", study->curve[c].name, title);
    }
    dps_text_format(out, "%8s  %8s  %10s  %-18s  %-18s  %-18s  %-18s  %8s  degrees drawn\n", "D",
                    "D'", "us a row", "mean error", "largest", "rms", "rel. Frobenius", "coverage");
    for (int32_t k = 0; k < study->request.sizes; k++) {
        const dps_study_point *point = &study->curve[c].point[k];
        if (!point->made) {
            continue;
        }
        dps_text_format(out, "%8ld  %8.0f  %10.3g", (long)study->request.size[k], point->width,
                        1e6 * point->seconds);
        for (int e = 0; e < DPS_STUDY_ERRORS; e++) {
            add_estimate(out, point->error[e]);
        }
        dps_text_format(out, "  %6.1f %%  ", 100 * point->coverage);
        add_degrees(point, out);
    }
}

static void add_curves(const dps_study *study, dps_text *out)
{
    static const char *const title[] = {"the map of the model itself",
                                        "maps drawn anew, with the kernel of the model",
                                        "maps and kernel without the metric (T = I)"};
    for (int32_t c = 0; study->model != NULL && c < study->curves; c++) {
        const bool drawn = c > 0 && c == study->curves - 1 && study->metric.columns > 0;
        add_curve(study, c, title[drawn ? 2 : c], out);
    }
    if (study->model == NULL) {
        add_curve(study, 0, NULL, out);
    }
}

/* "2.3e4", or "10^1234.5" beyond double's range. */
static void power_text(double log_value, char text[32])
{
    const double digits = log_value / log(10.0);
    if (fabs(digits) < 300) {
        snprintf(text, 32, "%.3g", exp(log_value));
    } else {
        snprintf(text, 32, "10^%.1f", digits);
    }
}

static void add_bound(const dps_study *study, dps_bound_kind kind, dps_text *out)
{
    const dps_study_request *request = &study->request;
    char wanted[32];
    const int32_t last = request->size[request->sizes - 1];
    const dps_bound bound =
        dps_bound_at(&study->terms, kind, request->epsilon, request->delta, last);
    if (!bound.exists) {
        return;
    }
    dps_text_format(out, "  %-22s ", dps_bound_name(kind));
    if (isinf(bound.log_features)) {
        dps_text_add(out, study->terms.residual >= request->epsilon
                              ? "says nothing here: the residual of dropped degrees is not below "
                                "eps\n"
                              : "says nothing here: f diverges at p R^2\n");
        return;
    }
    power_text(bound.log_features, wanted);
    if (bound.log_probability >= 0) {
        dps_text_format(out, "says nothing up to D = %ld (it exceeds 1)", (long)last);
    } else {
        char probability[32];
        power_text(bound.log_probability, probability);
        dps_text_format(out, "%s at D = %ld", probability, (long)last);
    }
    dps_text_format(out, "; asks for D = %s\n", wanted);
}

static void add_bounds(const dps_study *study, dps_text *out)
{
    if (!study->has_bounds) {
        return;
    }
    dps_text_format(out, "\nbounds on P[error > eps], eps = %.4g, and the D for P <= %.4g:\n",
                    study->request.epsilon, study->request.delta);
    if (isnan(study->terms.log_c)) {
        dps_text_add(out, "  none is known for this base\n");
    }
    for (int kind = 0; kind <= DPS_BOUND_COMPOSED_CORRECTED; kind++) {
        add_bound(study, (dps_bound_kind)kind, out);
    }
    if (study->terms.composed && isnan(study->terms.log_l) && !isnan(study->terms.log_c)) {
        dps_text_add(out, "  no uniform bound: frequencies of this base have no mean\n");
    }
    if (study->terms.residual > 0) {
        dps_text_format(out, "  dropped degrees take their residual, %.4g, from eps\n",
                        study->terms.residual);
    }
    if (study->terms.differs) {
        dps_text_add(out, "  they are of the paper's map (geometric measure, independent degrees, "
                          "signs), not of this one\n");
    }
    if (study->metric.columns > 0) {
        dps_text_add(out, "  they are of maps drawn after T is known, as other seeds are: the "
                          "model's own had a part in it\n");
    }
}

static void add_comparison(const dps_study *study, int32_t k, dps_text *out)
{
    dps_text_format(out, "\nD = %ld\n%-38s %8s  %10s  %-18s  %-18s  %10s  %10s\n",
                    (long)study->request.size[k], "map", "D'", "us a row", "mean error",
                    "rel. Frobenius", "equal D'", "equal time");
    for (int32_t c = 0; c < study->curves; c++) {
        const dps_study_point *point = &study->curve[c].point[k];
        if (!point->made) {
            continue;
        }
        dps_text_format(out, "%-38s %8.0f  %10.3g", study->curve[c].name, point->width,
                        1e6 * point->seconds);
        add_estimate(out, point->error[DPS_STUDY_MEAN]);
        add_estimate(out, point->error[DPS_STUDY_FROBENIUS]);
        add_or_dash(out, dps_study_at_equal_width(study, c, k));
        add_or_dash(out, dps_study_at_equal_time(study, c, k));
        dps_text_add(out, "\n");
    }
}

void dps_study_table(const dps_study *study, dps_text *out)
{
    add_head(study, out);
    add_curves(study, out);
    add_bounds(study, out);
    if (!study->request.compare) {
        return;
    }
    dps_text_add(out,
                 "\nequal D', equal time: mean error where the map has the D', or the time, of "
                 "the configured one, between measured D; - outside them\n");
    for (int32_t k = 0; k < study->request.sizes; k++) {
        add_comparison(study, k, out);
    }
    for (int32_t c = 0; c < study->curves; c++) {
        if (study->curve[c].reason[0] != '\0') {
            dps_text_format(out, "\nleft out: %s: %s", study->curve[c].name,
                            study->curve[c].reason);
        }
    }
    dps_text_add(out, "\n");
}

/* --- CSV ----------------------------------------------------------------------------------- */

static void add_line(const dps_study *study, int32_t c, int32_t k, dps_text *out)
{
    const dps_study_curve *curve = &study->curve[c];
    const dps_study_point *point = &curve->point[k];
    dps_text_format(out, "\"%s\",%ld", curve->name, (long)study->request.size[k]);
    dps_text_field(out, point->width);
    dps_text_field(out, point->seconds);
    dps_text_field(out, point->coverage);
    for (int e = 0; e < DPS_STUDY_ERRORS; e++) {
        dps_text_field(out, point->error[e].mean);
        dps_text_field(out, point->error[e].half);
    }
    dps_text_field(out, dps_study_at_equal_width(study, c, k));
    dps_text_field(out, dps_study_at_equal_time(study, c, k));
    dps_text_field(out, point->zero_maps);
    dps_text_field(out, point->rms_not_zero);
    dps_text_add(out, "\n");
}

void dps_study_csv(const dps_study *study, dps_text *out)
{
    dps_text_add(out, "map,D,width,seconds_per_row,coverage");
    for (int e = 0; e < DPS_STUDY_ERRORS; e++) {
        const char *name = error_name((dps_study_error)e);
        dps_text_format(out, ",%s,%s_ci", name, name);
    }
    dps_text_add(out, ",mean_at_equal_width,mean_at_equal_time,zero_maps,rms_not_zero\n");
    for (int32_t c = 0; c < study->curves; c++) {
        for (int32_t k = 0; k < study->request.sizes; k++) {
            if (study->curve[c].point[k].made) {
                add_line(study, c, k, out);
            }
        }
    }
}

/* --- JSON ---------------------------------------------------------------------------------- */

static void add_point(const dps_study *study, int32_t c, int32_t k, cJSON *points)
{
    const dps_study_point *point = &study->curve[c].point[k];
    cJSON *object = dps_json_row(points);
    dps_json_number(object, "D", study->request.size[k]);
    dps_json_number(object, "width", point->width);
    dps_json_number(object, "seconds_per_row", point->seconds);
    dps_json_number(object, "coverage", point->coverage);
    for (int e = 0; e < DPS_STUDY_ERRORS; e++) {
        cJSON *error = dps_json_object(object, error_name((dps_study_error)e), true);
        dps_json_number(error, "mean", point->error[e].mean);
        dps_json_number(error, "half_width", point->error[e].half);
    }
    dps_json_number(object, "mean_at_equal_width", dps_study_at_equal_width(study, c, k));
    dps_json_number(object, "mean_at_equal_time", dps_study_at_equal_time(study, c, k));
    dps_json_number(object, "zero_maps", point->zero_maps);
    dps_json_number(object, "rms_not_zero", point->rms_not_zero);
    dps_json_degrees(object, "degrees", point->degree_count);
}

static void add_json_bounds(const dps_study *study, cJSON *root)
{
    const dps_study_request *request = &study->request;
    cJSON *bounds = dps_json_array(root, "bounds", true);
    for (int kind = 0; study->has_bounds && kind <= DPS_BOUND_COMPOSED_CORRECTED; kind++) {
        for (int32_t k = 0; k < request->sizes; k++) {
            const dps_bound bound =
                dps_bound_at(&study->terms, (dps_bound_kind)kind, request->epsilon, request->delta,
                             request->size[k]);
            if (!bound.exists) {
                continue;
            }
            cJSON *object = dps_json_row(bounds);
            dps_json_string(object, "bound", dps_bound_name((dps_bound_kind)kind));
            dps_json_number(object, "D", request->size[k]);
            dps_json_number(object, "log10_probability", bound.log_probability / log(10.0));
            dps_json_number(object, "log10_D_wanted", bound.log_features / log(10.0));
            dps_json_flag(object, "says_nothing", bound.log_probability >= 0);
        }
    }
    dps_json_flag(root, "bounds_are_of_the_papers_map_only", study->terms.differs);
}

/* T whole: a list a row, or its diagonal. */
static void add_json_metric(const dps_study_metric *metric, cJSON *root)
{
    cJSON *object = dps_json_object(root, "metric", metric->columns > 0);
    if (metric->columns == 0) {
        return;
    }
    const int32_t d = metric->columns;
    const bool full = d <= DPS_FULL_METRIC;
    dps_json_number(object, "steps", (double)metric->steps);
    dps_json_number(object, "rows", (double)metric->rows);
    dps_json_number(object, "directions", metric->directions);
    dps_json_number(object, "alignment_with_drawn", metric->alignment);
    dps_json_flag(object, "diagonal", !full);
    cJSON *columns = dps_json_array(object, "columns", true);
    for (int32_t j = 0; j < d; j++) {
        cJSON *column = dps_json_row(columns);
        dps_json_string(column, "feature", metric->feature[j]);
        dps_json_number(column, "length", metric->length[j]);
        cJSON *t = dps_json_array(column, "t", true);
        const int32_t numbers = full ? d : 1;
        for (int32_t k = 0; k < numbers; k++) {
            dps_json_append(t,
                            cJSON_CreateNumber(metric->t[(size_t)j * (size_t)numbers + (size_t)k]));
        }
    }
}

void dps_study_json(const dps_study *study, const dps_run *run, dps_text *out)
{
    cJSON *root = cJSON_CreateObject();
    dps_json_string(root, "command", "kernel");
    dps_json_string(root, "model", study->model);
    dps_json_kernel(root, &study->recipe.kernel);
    (void)dps_json_map(root, &study->recipe, NULL);
    add_json_metric(&study->metric, root);
    dps_json_number(root, "data_rows", (double)study->data_rows);
    dps_json_number(root, "sampled_rows", study->request.rows);
    dps_json_number(root, "columns", study->columns);
    dps_json_number(root, "runs", study->request.runs);
    dps_json_number(root, "radius1", study->radius1);
    dps_json_number(root, "radius2", study->radius2);
    dps_json_number(root, "mean_diagonal", study->mean_diagonal);
    dps_json_number(root, "epsilon", study->request.epsilon);
    dps_json_number(root, "delta", study->request.delta);
    dps_json_number(root, "residual", study->terms.residual);
    add_json_bounds(study, root);
    cJSON *maps = dps_json_array(root, "maps", true);
    for (int32_t c = 0; c < study->curves; c++) {
        cJSON *map = dps_json_row(maps);
        dps_json_string(map, "name", study->curve[c].name);
        dps_json_string(map, "left_out",
                        study->curve[c].reason[0] == '\0' ? NULL : study->curve[c].reason);
        cJSON *points = dps_json_array(map, "points", true);
        for (int32_t k = 0; k < study->request.sizes; k++) {
            if (study->curve[c].point[k].made) {
                add_point(study, c, k, points);
            }
        }
    }
    dps_json_machine(root, run);
    dps_json_number(root, "seconds", study->seconds);
    dps_json_text(root, out);
}
