/* Task: what tune found: a table for people, a JSON report. */
#include "tune_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "allocation.h"
#include "json_report.h"
#include "number.h"
#include "tune_table.h"

enum { MOST_LINES = 20 }; /* of the table for people */

/* ---- for people ------------------------------------------------------------------------------ */

static int by_rank(const void *a, const void *b)
{
    const dps_tune_point *x = *(const dps_tune_point *const *)a;
    const dps_tune_point *y = *(const dps_tune_point *const *)b;
    if (x->dropped != y->dropped) {
        return x->dropped ? 1 : -1;
    }
    if (isnan(x->spread.mean) != isnan(y->spread.mean)) {
        return isnan(x->spread.mean) ? 1 : -1;
    }
    if (x->spread.mean != y->spread.mean && !isnan(x->spread.mean)) {
        return x->spread.mean > y->spread.mean ? -1 : 1;
    }
    return (x->index > y->index) - (x->index < y->index);
}

static void add_line(const dps_tune_result *result, const dps_tune_point *point, dps_text *out)
{
    const char *note = dps_tune_mark(point);
    if (isnan(point->spread.mean)) {
        dps_text_add(out, "       -           ");
    } else {
        dps_text_format(out, result->metric == DPS_METRIC_RMSE ? "  %8.6g" : "  %8.4f",
                        point->spread.mean);
        if (isnan(point->spread.error)) {
            dps_text_add(out, "            ");
        } else {
            dps_text_format(out, result->metric == DPS_METRIC_RMSE ? " +- %-8.3g" : " +- %-8.4f",
                            point->spread.error);
        }
    }
    dps_tune_point_text(&result->space, point, out);
    dps_text_format(out, "%s%s\n", note[0] != '\0' ? "  " : "", note);
}

/* The chosen setting with every seed of tune.map.seed. */
typedef struct seed_spread {
    int32_t seeds; /* with a score; below 2: there is no spread */
    double mean, deviation, least, most;
} seed_spread;

static bool is_chosen_but_for_seed(const dps_tune_space *space, const dps_tune_point *chosen,
                                   const dps_tune_point *point)
{
    for (size_t i = 0; i < space->items; i++) {
        if (space->item[i]->id != DPS_OPT_map_seed &&
            strcmp(dps_tune_value(space, point, i), dps_tune_value(space, chosen, i)) != 0) {
            return false;
        }
    }
    return !isnan(point->spread.mean) && !point->dropped;
}

static seed_spread spread_of_seeds(const dps_tune_result *result)
{
    const dps_tune_space *space = &result->space;
    seed_spread s = {.least = INFINITY, .most = -INFINITY};
    double squares = 0;
    for (int64_t p = 0; p < space->count && result->chosen != NULL; p++) {
        const double x = space->point[p].spread.mean;
        if (is_chosen_but_for_seed(space, result->chosen, &space->point[p])) {
            const double before = x - s.mean; /* Welford 1962 */
            s.mean += before / ++s.seeds;
            squares += before * (x - s.mean);
            s.least = fmin(s.least, x);
            s.most = fmax(s.most, x);
        }
    }
    s.deviation = s.seeds > 1 ? sqrt(squares / (s.seeds - 1)) : NAN;
    return s;
}

static void add_seeds(const dps_tune_result *result, dps_text *out)
{
    const seed_spread s = spread_of_seeds(result);
    if (s.seeds > 1) {
        dps_text_format(out,
                        "the chosen setting with %ld seeds of the map: mean %.6g, deviation %.3g, "
                        "from %.6g to %.6g\n",
                        (long)s.seeds, s.mean, s.deviation, s.least, s.most);
    }
}

static void json_seeds(const dps_tune_result *result, cJSON *root)
{
    const seed_spread s = spread_of_seeds(result);
    cJSON *object = dps_json_object(root, "seeds", s.seeds > 1);
    if (object == NULL) {
        return;
    }
    dps_json_number(object, "count", s.seeds);
    dps_json_number(object, "mean", s.mean);
    dps_json_number(object, "deviation", s.deviation);
    dps_json_number(object, "least", s.least);
    dps_json_number(object, "most", s.most);
}

/* Nothing was searched: one number. */
static void add_single(const dps_tune_result *result, dps_text *out)
{
    const dps_spread *s = &result->space.point[0].spread;
    if (result->folds > 1) {
        dps_text_format(out, "%s by %ld-fold cross-validation: ",
                        dps_name_of(dps_metric_names, result->metric), (long)result->folds);
    } else {
        dps_text_format(out,
                        "%s on held-out rows: ", dps_name_of(dps_metric_names, result->metric));
    }
    dps_text_format(out, result->metric == DPS_METRIC_RMSE ? "%.6g" : "%.4f", s->mean);
    if (!isnan(s->error)) {
        dps_text_format(out, result->metric == DPS_METRIC_RMSE ? " +- %.3g" : " +- %.4f", s->error);
    }
    dps_text_add(out, "\n");
}

/* Whether the value is the least (-1) or most (1) of the item's three or more numbers, and not
 * where the option ends. */
static int edge_of(const dps_search_item *item, const char *value)
{
    const dps_option_info *info = &dps_option_table()[item->id];
    double at, other;
    bool least = true, most = true;
    if (item->value.count < 3 || !dps_text_to_double(value, strlen(value), &at)) {
        return 0;
    }
    for (size_t k = 0; k < item->value.count; k++) {
        const char *text = item->value.item[k];
        if (!dps_text_to_double(text, strlen(text), &other)) {
            return 0;
        }
        least = least && at <= other;
        most = most && at >= other;
    }
    return least && at > info->low ? -1 : most && at < info->high ? 1 : 0;
}

void dps_tune_edges(const dps_tune_result *result, dps_text *out)
{
    const dps_tune_space *space = &result->space;
    const dps_tune_point *best = NULL;
    for (int64_t p = 0; p < space->count; p++) {
        best = space->point[p].best ? &space->point[p] : best;
    }
    for (size_t i = 0; i < space->items && best != NULL; i++) {
        const char *value = dps_tune_value(space, best, i);
        const int edge = edge_of(space->item[i], value);
        if (edge != 0 && space->item[i]->id != DPS_OPT_map_seed) {
            dps_text_format(out, "next: the best %s = %s is the %s that was tried: go on %s it\n",
                            dps_option_table()[space->item[i]->id].name, value,
                            edge < 0 ? "smallest" : "largest", edge < 0 ? "below" : "above");
        }
    }
}

void dps_tune_text(const dps_tune_result *result, dps_text *out)
{
    const dps_tune_space *space = &result->space;
    const bool upwards = dps_metric_sign(result->metric) < 0;
    const dps_tune_point **order = dps_alloc((size_t)space->count, sizeof *order);
    if (order == NULL) {
        out->failed = true;
        return;
    }
    size_t count = 0;
    for (int64_t p = 0; p < space->count; p++) {
        const bool measured = !space->point[p].left_out && !space->point[p].repeats;
        order[count] = &space->point[p];
        count += measured;
    }
    qsort(order, count, sizeof *order, by_rank);
    size_t good = 0;
    while (good < count && !order[good]->dropped && !isnan(order[good]->spread.mean)) {
        good++;
    }
    if (space->items == 0) {
        add_single(result, out);
        dps_free(order);
        return;
    }
    dps_text_format(out, "%s (%s), mean +- standard error, the best first:\n",
                    dps_name_of(dps_metric_names, result->metric),
                    result->folds > 1 ? "cross-validation" : "held-out rows");
    for (size_t p = 0; p < count; p++) {
        /* a loss: the good ones from their other end */
        const dps_tune_point *point = upwards && p < good ? order[good - 1 - p] : order[p];
        if (p < MOST_LINES || point->chosen) {
            add_line(result, point, out);
        } else if (p == MOST_LINES) {
            dps_text_format(out, "  ... %zu settings, all of them in the table\n", count);
        }
    }
    dps_free(order);
    add_seeds(result, out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_point(cJSON *array, const dps_tune_result *result, const dps_tune_point *point)
{
    cJSON *object = dps_json_row(array);
    cJSON *values = dps_json_object(object, "options", true);
    cJSON *folds = dps_json_array(object, "folds", true);
    for (size_t i = 0; i < result->space.items; i++) {
        dps_json_string(values, dps_option_table()[result->space.item[i]->id].name,
                        dps_tune_value(&result->space, point, i));
    }
    for (int32_t f = 0; f < result->folds; f++) {
        dps_json_append(folds, isnan(point->score[f]) ? cJSON_CreateNull()
                                                      : cJSON_CreateNumber(point->score[f]));
    }
    dps_json_number(object, "mean", point->spread.mean);
    dps_json_number(object, "deviation", point->spread.deviation);
    dps_json_number(object, "standard_error", point->spread.error);
    dps_json_number(object, "share_of_rows", 1.0 / (double)point->every);
    dps_json_flag(object, "dropped", point->dropped);
    dps_json_flag(object, "best", point->best);
    dps_json_flag(object, "chosen", point->chosen);
}

dps_status dps_report_tune(const dps_tune_result *result, const dps_run *run, const char *path,
                           dps_error *err)
{
    cJSON *root = dps_json_report("tune");
    dps_json_string(root, "metric", dps_name_of(dps_metric_names, result->metric));
    dps_json_number(root, "folds", result->folds);
    dps_json_number(root, "left_out", (double)result->space.left_out);
    dps_json_number(root, "repeats", (double)result->space.repeats);
    dps_json_number(root, "units", (double)result->units);
    dps_json_number(root, "units_found", (double)result->found);
    dps_json_number(root, "units_computed", (double)result->computed);
    dps_json_number(root, "units_not_tried", (double)result->untried);
    cJSON *array = dps_json_array(root, "settings", true);
    for (int64_t p = 0; p < result->space.count; p++) {
        json_point(array, result, &result->space.point[p]);
    }
    json_seeds(result, root);
    dps_json_number(root, "seconds", result->seconds);
    dps_json_machine(root, run);
    return dps_json_write(root, path, err);
}
