/* Task: mean error against D, D' and time as an SVG picture: three panels with logarithmic axes
 * and one legend. Of many maps, the configured one, the paper's and the best at the largest D are
 * drawn, so that the lines can be told apart. */
#include "kernel_study_plot.h"

#include <math.h>
#include "svg_plot.h"

enum { DRAWN = 8, PANELS = 3 };
enum { LEFT = 70, TOP = 50, PANEL_WIDTH = 330, PANEL_HEIGHT = 300, GAP = 45 };

static const char *const colour[DRAWN] = {"#000000", "#d55e00", "#0072b2", "#009e73",
                                          "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f"};

static double x_of(const dps_study *study, const dps_study_point *point, int panel, int32_t k)
{
    return panel == 0 ? study->request.size[k] : panel == 1 ? point->width : 1e6 * point->seconds;
}

static double y_of(const dps_study_point *point)
{
    return point->error[DPS_STUDY_MEAN].mean;
}

static bool is_drawn(const dps_study_point *point, double x)
{
    return point->made && x > 0 && y_of(point) > 0;
}

/* The curves drawn: configured, the paper's (the first two), then by error at their last point. */
static int32_t choose(const dps_study *study, int32_t chosen[DRAWN])
{
    int32_t count = 0;
    const int32_t last = study->request.sizes - 1;
    for (; count < 2 && count < study->curves; count++) {
        chosen[count] = count;
    }
    while (count < DRAWN) {
        int32_t best = -1;
        for (int32_t c = 2; c < study->curves; c++) {
            bool taken = !study->curve[c].point[last].made;
            for (int32_t i = 2; i < count; i++) {
                taken = taken || chosen[i] == c;
            }
            if (!taken && (best < 0 || y_of(&study->curve[c].point[last]) <
                                           y_of(&study->curve[best].point[last]))) {
                best = c;
            }
        }
        if (best < 0) {
            break;
        }
        chosen[count++] = best;
    }
    return count;
}

/* panel < 0: of the errors. */
static dps_axis range_of(const dps_study *study, const int32_t *chosen, int32_t count, int panel)
{
    dps_axis a = dps_axis_empty(true);
    for (int32_t i = 0; i < count; i++) {
        for (int32_t k = 0; k < study->request.sizes; k++) {
            const dps_study_point *point = &study->curve[chosen[i]].point[k];
            const double x = x_of(study, point, panel < 0 ? 0 : panel, k);
            if (is_drawn(point, x)) {
                dps_axis_take(&a, panel < 0 ? y_of(point) : x);
            }
        }
    }
    dps_axis_close(&a);
    return a;
}

static void add_curve(const dps_study *study, int32_t c, int panel, const dps_axis *x,
                      const dps_axis *y, const char *stroke, dps_text *out)
{
    double at_x[DPS_STUDY_MOST_SIZES], at_y[DPS_STUDY_MOST_SIZES];
    for (int32_t k = 0; k < study->request.sizes; k++) {
        const dps_study_point *point = &study->curve[c].point[k];
        at_x[k] = x_of(study, point, panel, k);
        at_y[k] = is_drawn(point, at_x[k]) ? y_of(point) : NAN;
    }
    dps_svg_curve(out, x, y, at_x, at_y, study->request.sizes, stroke, c == 0 ? 3 : 1.5);
}

static void add_panel(const dps_study *study, const int32_t *chosen, int32_t count, int panel,
                      dps_text *out)
{
    static const char *const title[PANELS] = {"D, random features", "D', columns",
                                              "microseconds a row, one thread"};
    const double left = LEFT + panel * (PANEL_WIDTH + GAP), bottom = TOP + PANEL_HEIGHT;
    dps_axis x = range_of(study, chosen, count, panel), y = range_of(study, chosen, count, -1);
    x.begin = left;
    x.end = left + PANEL_WIDTH;
    y.begin = bottom;
    y.end = TOP;
    dps_svg_panel(out, &x, &y, title[panel]);
    for (int32_t i = count - 1; i >= 0; i--) { /* the configured map on top */
        add_curve(study, chosen[i], panel, &x, &y, colour[i], out);
    }
}

static void add_legend(const dps_study *study, const int32_t *chosen, int32_t count, dps_text *out)
{
    for (int32_t i = 0; i < count; i++) {
        const int x = LEFT + (i % 3) * (PANEL_WIDTH + GAP),
                  y = TOP + PANEL_HEIGHT + 60 + i / 3 * 20;
        dps_text_format(out,
                        "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\" "
                        "stroke-width=\"%s\"/>\n<text x=\"%d\" y=\"%d\">%s</text>\n",
                        x, y, x + 26, y, colour[i], chosen[i] == 0 ? "3" : "1.5", x + 32, y + 4,
                        study->curve[chosen[i]].name);
    }
}

void dps_study_svg(const dps_study *study, dps_text *out)
{
    int32_t chosen[DRAWN];
    const int32_t count = choose(study, chosen);
    const int width = LEFT + PANELS * (PANEL_WIDTH + GAP), rows = (count + 2) / 3;
    const int height = TOP + PANEL_HEIGHT + 60 + rows * 20;
    dps_svg_begin(out, width, height);
    dps_text_format(out,
                    "<text x=\"%d\" y=\"22\" font-size=\"15\">Mean error of the kernel %s on pairs "
                    "of %ld rows, d = %ld, %ld runs</text>\n",
                    LEFT, study->recipe.kernel.kernel->name, (long)study->request.rows,
                    (long)study->columns, (long)study->request.runs);
    dps_text_format(out, "<text x=\"%d\" y=\"42\">mean |error|</text>\n", LEFT - 50);
    for (int panel = 0; panel < PANELS; panel++) {
        add_panel(study, chosen, count, panel, out);
    }
    add_legend(study, chosen, count, out);
    dps_svg_end(out);
}
