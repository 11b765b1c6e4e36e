/* Task: a search as an SVG picture, through its best setting: the first two options of the most
 * values span a field of squares (down, across), the darker the better; one option gives a curve
 * with standard errors. Squares and dots stand in the order of the values, evenly: grids of powers
 * and of words are read alike. */
#include "tune_plot.h"

#include <math.h>
#include <string.h>
#include "metric.h"
#include "output_file.h"
#include "svg_plot.h"

enum { LEFT = 140, TOP = 50, CELL = 56, CURVE_HEIGHT = 260, BELOW = 70 };

typedef struct picture {
    const dps_tune_result *result;
    const dps_tune_point *best;
    size_t across, down; /* items; SIZE_MAX: none */
    double low, high;    /* of the means */
    dps_text out;
} picture;

/* The item of the most values, other than `but`; SIZE_MAX: none has two. */
static size_t widest(const dps_tune_space *space, size_t but)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < space->items; i++) {
        const size_t count = space->item[i]->value.count;
        if (i != but && count > 1 &&
            (found == SIZE_MAX || count > space->item[found]->value.count)) {
            found = i;
        }
    }
    return found;
}

/* The measured point with these values, all others as in the best; or NULL. */
static const dps_tune_point *point_at(const picture *p, const char *across, const char *down)
{
    const dps_tune_space *space = &p->result->space;
    for (int64_t k = 0; k < space->count; k++) {
        const dps_tune_point *point = &space->point[k];
        bool same = !isnan(point->spread.mean);
        for (size_t i = 0; i < space->items && same; i++) {
            const char *wanted = i == p->across ? across
                                 : i == p->down ? down
                                                : dps_tune_value(space, p->best, i);
            same = strcmp(dps_tune_value(space, point, i), wanted) == 0;
        }
        if (same) {
            return point;
        }
    }
    return NULL;
}

static void add_text(picture *p, double x, double y, const char *anchor, const char *text)
{
    dps_text_format(&p->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    dps_svg_text(&p->out, text, 20);
    dps_text_add(&p->out, "</text>\n");
}

static void add_square(picture *p, const dps_tune_point *point, size_t j, size_t k)
{
    const double left = LEFT + (double)j * CELL, top = TOP + (double)k * CELL;
    double good = point == NULL ? 0 : (point->spread.mean - p->low) / (p->high - p->low);
    if (dps_metric_sign(p->result->metric) < 0) {
        good = 1 - good;
    }
    dps_text_format(&p->out,
                    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"%s\" "
                    "fill-opacity=\"%.3f\" stroke=\"%s\"/>\n",
                    left, top, CELL, CELL, point == NULL ? "#eeeeee" : "#0072b2",
                    point == NULL ? 1.0
                    : isnan(good) ? 1.0
                                  : good,
                    point != NULL && point->best ? "#d55e00" : "#dddddd");
    if (point != NULL) {
        dps_text_format(&p->out,
                        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"10\" "
                        "fill=\"%s\">%.4g</text>\n",
                        left + CELL / 2.0, top + CELL / 2.0 + 4, good > 0.6 ? "white" : "black",
                        point->spread.mean);
    }
}

static void draw_field(picture *p)
{
    const dps_tune_space *space = &p->result->space;
    const dps_list *across = &space->item[p->across]->value, *down = &space->item[p->down]->value;
    for (size_t k = 0; k < down->count; k++) {
        for (size_t j = 0; j < across->count; j++) {
            add_square(p, point_at(p, across->item[j], down->item[k]), j, k);
        }
        add_text(p, LEFT - 8, TOP + ((double)k + 0.5) * CELL + 4, "end", down->item[k]);
    }
    const double bottom = TOP + (double)down->count * CELL;
    for (size_t j = 0; j < across->count; j++) {
        add_text(p, LEFT + ((double)j + 0.5) * CELL, bottom + 16, "middle", across->item[j]);
    }
    const dps_option_info *table = dps_option_table();
    add_text(p, LEFT, bottom + 40, "start", table[space->item[p->across]->id].name);
    add_text(p, LEFT - 8, TOP - 8, "end", table[space->item[p->down]->id].name);
}

static void draw_curve(picture *p)
{
    const dps_tune_space *space = &p->result->space;
    const dps_list *across = &space->item[p->across]->value;
    dps_axis y = dps_axis_empty(false);
    double last_x = NAN, last_y = NAN;
    dps_axis_take(&y, p->low);
    dps_axis_take(&y, p->high);
    dps_axis_close(&y);
    y.begin = TOP + CURVE_HEIGHT;
    y.end = TOP;
    for (size_t j = 0; j < across->count; j++) {
        const dps_tune_point *point = point_at(p, across->item[j], "");
        const double x = LEFT + ((double)j + 0.5) * CELL;
        add_text(p, x, TOP + CURVE_HEIGHT + 16, "middle", across->item[j]);
        if (point == NULL) {
            continue;
        }
        const double at = dps_axis_place(&y, point->spread.mean);
        const double error = isnan(point->spread.error) ? 0 : point->spread.error;
        dps_text_format(&p->out,
                        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#999999\"/>"
                        "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n",
                        x, dps_axis_place(&y, point->spread.mean - error), x,
                        dps_axis_place(&y, point->spread.mean + error), x, at,
                        point->best ? "#d55e00" : "#0072b2");
        if (!isnan(last_x)) {
            dps_text_format(&p->out,
                            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
                            "stroke=\"#0072b2\"/>\n",
                            last_x, last_y, x, at);
        }
        dps_text_format(&p->out,
                        "<text x=\"%.1f\" y=\"%.1f\" font-size=\"10\" text-anchor=\"middle\">%.4g"
                        "</text>\n",
                        x, at - 8, point->spread.mean);
        last_x = x;
        last_y = at;
    }
    add_text(p, LEFT, TOP + CURVE_HEIGHT + 40, "start",
             dps_option_table()[space->item[p->across]->id].name);
}

dps_status dps_tune_plot(const dps_tune_result *result, const char *path, dps_error *err)
{
    const dps_tune_space *space = &result->space;
    picture p = {.result = result, .low = INFINITY, .high = -INFINITY};
    for (int64_t k = 0; k < space->count; k++) {
        const dps_tune_point *point = &space->point[k];
        p.best = point->best ? point : p.best;
        if (!isnan(point->spread.mean)) {
            p.low = fmin(p.low, point->spread.mean);
            p.high = fmax(p.high, point->spread.mean);
        }
    }
    p.across = widest(space, SIZE_MAX);
    p.down = p.across == SIZE_MAX ? SIZE_MAX : widest(space, p.across);
    if (p.across == SIZE_MAX || p.best == NULL) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "--plot draws the metric over what is searched: give an option of "
                             "[tune] two values or more");
    }
    const bool field = p.down != SIZE_MAX;
    const int columns = (int)space->item[p.across]->value.count;
    const int height = field ? (int)space->item[p.down]->value.count * CELL : CURVE_HEIGHT;
    dps_svg_begin(&p.out, LEFT + columns * CELL + 40, TOP + height + BELOW);
    dps_text_format(&p.out,
                    "<text x=\"%d\" y=\"20\" font-size=\"15\">%s, other options as in the "
                    "best setting</text>\n",
                    LEFT, dps_name_of(dps_metric_names, result->metric));
    if (field) {
        draw_field(&p);
    } else {
        draw_curve(&p);
    }
    dps_svg_end(&p.out);
    return dps_output_text(&p.out, path, "the picture", err);
}
