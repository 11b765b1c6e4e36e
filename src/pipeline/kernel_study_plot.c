/* Task: mean error against D, D' and time as an SVG picture: three panels with logarithmic axes
 * and one legend. Of many maps, the configured one, the paper's and the best at the largest D are
 * drawn, so that the lines can be told apart. */
#include <math.h>
#include <stdio.h>
#include "kernel_study.h"

enum { DRAWN = 8, PANELS = 3 };
enum { LEFT = 70, TOP = 50, PANEL_WIDTH = 330, PANEL_HEIGHT = 300, GAP = 45 };

static const char *const colour[DRAWN] = {"#000000", "#d55e00", "#0072b2", "#009e73",
                                          "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f"};

/* value -> position, both ends in log10 */
typedef struct axis {
    double low, high;
    double begin, end; /* in pixels */
} axis;

static double place(const axis *a, double value)
{
    const double share = (log10(value) - a->low) / (a->high - a->low);
    return a->begin + share * (a->end - a->begin);
}

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
static axis range_of(const dps_study *study, const int32_t *chosen, int32_t count, int panel)
{
    axis a = {.low = INFINITY, .high = -INFINITY};
    for (int32_t i = 0; i < count; i++) {
        for (int32_t k = 0; k < study->request.sizes; k++) {
            const dps_study_point *point = &study->curve[chosen[i]].point[k];
            const double x = x_of(study, point, panel < 0 ? 0 : panel, k);
            if (is_drawn(point, x)) {
                const double value = log10(panel < 0 ? y_of(point) : x);
                a.low = fmin(a.low, value);
                a.high = fmax(a.high, value);
            }
        }
    }
    if (!(a.low <= a.high)) {
        a.low = a.high = 0;
    }
    const double margin = fmax(0.04 * (a.high - a.low), 0.05);
    a.low -= margin;
    a.high += margin;
    return a;
}

/* Lines and numbers at 1, 2, 5 times powers of ten; at the powers only if they are many. */
static void add_ticks(const axis *a, bool vertical, double other_begin, double other_end,
                      dps_text *out)
{
    static const double step[] = {1, 2, 5};
    const int steps = a->high - a->low > 3 ? 1 : 3;
    for (int power = (int)floor(a->low); power <= (int)ceil(a->high); power++) {
        for (int s = 0; s < steps; s++) {
            const double value = step[s] * pow(10, power), at = place(a, value);
            if (log10(value) < a->low || log10(value) > a->high) {
                continue;
            }
            dps_text_format(out,
                            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
                            "stroke=\"#dddddd\"/>\n",
                            vertical ? other_begin : at, vertical ? at : other_begin,
                            vertical ? other_end : at, vertical ? at : other_end);
            dps_text_format(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%g</text>\n",
                            vertical ? other_begin - 6 : at, vertical ? at + 4 : other_begin + 16,
                            vertical ? "end" : "middle", value);
        }
    }
}

static void add_curve(const dps_study *study, int32_t c, int panel, const axis *x, const axis *y,
                      const char *stroke, dps_text *out)
{
    dps_text points = {0};
    for (int32_t k = 0; k < study->request.sizes; k++) {
        const dps_study_point *point = &study->curve[c].point[k];
        const double value = x_of(study, point, panel, k);
        if (!is_drawn(point, value)) {
            continue;
        }
        const double at_x = place(x, value), at_y = place(y, y_of(point));
        dps_text_format(&points, "%s%.1f,%.1f", points.length > 0 ? " L" : "M", at_x, at_y);
        dps_text_format(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>\n", at_x,
                        at_y, stroke);
    }
    dps_text_format(out,
                    "<path d=\"%s\" fill=\"none\" stroke=\"%s\" "
                    "stroke-width=\"%s\"/>\n",
                    points.data == NULL ? "" : points.data, stroke, c == 0 ? "3" : "1.5");
    out->failed = out->failed || points.failed;
    dps_text_release(&points);
}

static void add_panel(const dps_study *study, const int32_t *chosen, int32_t count, int panel,
                      dps_text *out)
{
    static const char *const title[PANELS] = {"D, random features", "D', columns",
                                              "microseconds a row, one thread"};
    const double left = LEFT + panel * (PANEL_WIDTH + GAP), bottom = TOP + PANEL_HEIGHT;
    axis x = range_of(study, chosen, count, panel), y = range_of(study, chosen, count, -1);
    x.begin = left;
    x.end = left + PANEL_WIDTH;
    y.begin = bottom;
    y.end = TOP;
    add_ticks(&x, false, bottom, TOP, out);
    add_ticks(&y, true, left, x.end, out);
    dps_text_format(out,
                    "<rect x=\"%.1f\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
                    "stroke=\"#444444\"/>\n",
                    left, TOP, PANEL_WIDTH, PANEL_HEIGHT);
    dps_text_format(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
                    left + PANEL_WIDTH / 2.0, bottom + 34, title[panel]);
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
    dps_text_format(out,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                    "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
                    "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
                    "<text x=\"%d\" y=\"22\" font-size=\"15\">Mean error of the kernel %s on pairs "
                    "of %ld rows, d = %ld, %ld runs</text>\n",
                    width, height, width, height, LEFT, study->recipe.kernel.kernel->name,
                    (long)study->request.rows, (long)study->columns, (long)study->request.runs);
    dps_text_format(out, "<text x=\"%d\" y=\"42\">mean |error|</text>\n", LEFT - 50);
    for (int panel = 0; panel < PANELS; panel++) {
        add_panel(study, chosen, count, panel, out);
    }
    add_legend(study, chosen, count, out);
    dps_text_add(out, "</svg>\n");
}
