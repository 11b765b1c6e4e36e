/* Task: the curve of a training as a table and as an SVG picture: a line of panels for each of
 * objective, gap and score, against passes on the left and seconds on the right. */
#include "curve_report.h"

#include <math.h>
#include "allocation.h"
#include "number.h"
#include "output_file.h"
#include "svg_plot.h"

enum { FIGURES = 3 };
enum { LEFT = 90, TOP = 46, PANEL_WIDTH = 400, PANEL_HEIGHT = 190, GAP_X = 80, GAP_Y = 60 };

dps_status dps_curve_write_csv(const dps_curve *curve, const char *path, dps_error *err)
{
    dps_text out = {0};
    dps_text_format(&out, "pass,solver,seconds,objective,gap,%s\n",
                    dps_name_of(dps_metric_names, curve->metric));
    for (int64_t k = 0; k < curve->count; k++) {
        const dps_curve_point *point = &curve->point[k];
        dps_text_format(&out, "%lld,%s", (long long)point->pass, point->solver);
        dps_text_field(&out, floor(point->seconds * 1e6 + 0.5) / 1e6);
        dps_text_field(&out, point->objective);
        dps_text_field(&out, point->gap);
        dps_text_field(&out, point->score);
        dps_text_add(&out, "\n");
    }
    return dps_output_text(&out, path, "the learning curve", err);
}

/* ---- picture --------------------------------------------------------------------------------- */

static double figure_of(const dps_curve_point *point, int figure)
{
    return figure == 0 ? point->objective : figure == 1 ? point->gap : point->score;
}

static bool has_figure(const dps_curve *curve, int figure)
{
    for (int64_t k = 0; k < curve->count; k++) {
        if (isfinite(figure_of(&curve->point[k], figure))) {
            return true;
        }
    }
    return false;
}

/* Logarithmic where all values are positive and reach over more than a decade. */
static dps_axis figure_axis(const double *value, int64_t count)
{
    double least = INFINITY, most = -INFINITY;
    for (int64_t k = 0; k < count; k++) {
        least = isfinite(value[k]) ? fmin(least, value[k]) : least;
        most = isfinite(value[k]) ? fmax(most, value[k]) : most;
    }
    dps_axis axis = dps_axis_empty(least > 0 && most > 10 * least);
    dps_axis_take(&axis, least);
    dps_axis_take(&axis, most);
    dps_axis_close(&axis);
    return axis;
}

/* The figure against passes (side 0) or seconds (side 1), `line` panels down. at: 2 x count. */
static void add_panel(const dps_curve *curve, int figure, int side, int line, double *at,
                      dps_text *out)
{
    static const char *const colour[FIGURES] = {"#0072b2", "#d55e00", "#009e73"};
    const char *const name[FIGURES] = {"objective", "relative duality gap",
                                       dps_name_of(dps_metric_names, curve->metric)};
    double *at_x = at, *at_y = at + curve->count;
    dps_axis x = dps_axis_empty(false);
    for (int64_t k = 0; k < curve->count; k++) {
        const dps_curve_point *point = &curve->point[k];
        at_x[k] = side == 0 ? (double)point->pass : point->seconds;
        at_y[k] = figure_of(point, figure);
        dps_axis_take(&x, at_x[k]);
    }
    dps_axis_close(&x);
    dps_axis y = figure_axis(at_y, curve->count);
    x.begin = LEFT + side * (PANEL_WIDTH + GAP_X);
    x.end = x.begin + PANEL_WIDTH;
    y.end = TOP + line * (PANEL_HEIGHT + GAP_Y);
    y.begin = y.end + PANEL_HEIGHT;
    dps_svg_panel(out, &x, &y, side == 0 ? "passes" : "seconds");
    dps_text_format(out, "<text x=\"%.1f\" y=\"%.1f\">%s%s</text>\n", x.begin, y.end - 6,
                    name[figure], figure == 2 ? " on data.validation" : "");
    dps_svg_curve(out, &x, &y, at_x, at_y, curve->count, colour[figure], 1.5);
}

dps_status dps_curve_write_svg(const dps_curve *curve, const char *path, dps_error *err)
{
    dps_text out = {0};
    int lines = 0;
    double *at;
    DPS_NEED(at, 2 * (size_t)curve->count, "the picture", err);
    for (int figure = 0; figure < FIGURES; figure++) {
        lines += has_figure(curve, figure);
    }
    dps_svg_begin(&out, LEFT + 2 * PANEL_WIDTH + GAP_X + 30, TOP + lines * (PANEL_HEIGHT + GAP_Y));
    dps_text_format(&out, "<text x=\"%d\" y=\"20\" font-size=\"15\">Training, %lld passes</text>\n",
                    LEFT, curve->count > 0 ? (long long)curve->point[curve->count - 1].pass : 0LL);
    for (int figure = 0, line = 0; figure < FIGURES; figure++) {
        if (has_figure(curve, figure)) {
            add_panel(curve, figure, 0, line, at, &out);
            add_panel(curve, figure, 1, line, at, &out);
            line++;
        }
    }
    dps_svg_end(&out);
    dps_free(at);
    return dps_output_text(&out, path, "the learning curve", err);
}

dps_status dps_curve_write(const dps_curve *curve, const dps_options *options, dps_error *err)
{
    const char *csv = options->output_curve, *svg = options->output_plot;
    if (csv[0] != '\0') {
        DPS_TRY(dps_curve_write_csv(curve, csv, err));
    }
    return svg[0] == '\0' ? DPS_OK : dps_curve_write_svg(curve, svg, err);
}
