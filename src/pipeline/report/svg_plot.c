/* Task: panels, axes and curves as SVG text. Grid lines stand at 1, 2, 5 times powers of ten: all
 * of them on a logarithmic axis of few decades (else the powers alone), at one step of that kind on
 * a linear one. */
#include "svg_plot.h"

#include <math.h>

enum { LINEAR_TICKS = 6, MOST_DOTS = 100 };

dps_axis dps_axis_empty(bool log)
{
    return (dps_axis){.low = INFINITY, .high = -INFINITY, .log = log};
}

void dps_axis_take(dps_axis *axis, double value)
{
    const double at = axis->log ? log10(value) : value;
    axis->low = fmin(axis->low, at);
    axis->high = fmax(axis->high, at);
}

void dps_axis_close(dps_axis *axis)
{
    if (!(axis->low <= axis->high)) {
        axis->low = axis->high = 0;
    }
    const bool one = axis->high == axis->low;
    const double least = axis->log ? 0.05 : one ? fmax(0.5, 0.05 * fabs(axis->low)) : 0;
    const double margin = fmax(0.04 * (axis->high - axis->low), least);
    axis->low -= margin;
    axis->high += margin;
}

double dps_axis_place(const dps_axis *axis, double value)
{
    const double at = axis->log ? log10(value) : value;
    return axis->begin + (at - axis->low) / (axis->high - axis->low) * (axis->end - axis->begin);
}

void dps_svg_begin(dps_text *out, int width, int height)
{
    dps_text_format(out,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                    "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
                    "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                    width, height, width, height);
}

void dps_svg_end(dps_text *out)
{
    dps_text_add(out, "</svg>\n");
}

static void add_tick(const dps_axis *axis, double value, bool vertical, double other_begin,
                     double other_end, dps_text *out)
{
    const double at = dps_axis_place(axis, value);
    dps_text_format(out,
                    "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n",
                    vertical ? other_begin : at, vertical ? at : other_begin,
                    vertical ? other_end : at, vertical ? at : other_end);
    dps_text_format(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%g</text>\n",
                    vertical ? other_begin - 6 : at, vertical ? at + 4 : other_begin + 16,
                    vertical ? "end" : "middle", value);
}

static void add_log_ticks(const dps_axis *axis, bool vertical, double other_begin, double other_end,
                          dps_text *out)
{
    static const double step[] = {1, 2, 5};
    const int steps = axis->high - axis->low > 3 ? 1 : 3;
    for (int power = (int)floor(axis->low); power <= (int)ceil(axis->high); power++) {
        for (int s = 0; s < steps; s++) {
            const double value = step[s] * pow(10, power);
            if (log10(value) >= axis->low && log10(value) <= axis->high) {
                add_tick(axis, value, vertical, other_begin, other_end, out);
            }
        }
    }
}

static void add_linear_ticks(const dps_axis *axis, bool vertical, double other_begin,
                             double other_end, dps_text *out)
{
    const double rough = (axis->high - axis->low) / LINEAR_TICKS;
    const double power = pow(10, floor(log10(rough))), times = rough / power;
    const double step = (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10) * power;
    for (double k = ceil(axis->low / step); k * step <= axis->high; k++) {
        add_tick(axis, k * step, vertical, other_begin, other_end, out);
    }
}

void dps_svg_panel(dps_text *out, const dps_axis *x, const dps_axis *y, const char *title)
{
    (x->log ? add_log_ticks : add_linear_ticks)(x, false, y->begin, y->end, out);
    (y->log ? add_log_ticks : add_linear_ticks)(y, true, x->begin, x->end, out);
    dps_text_format(out,
                    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
                    "stroke=\"#444444\"/>\n",
                    x->begin, y->end, x->end - x->begin, y->begin - y->end);
    dps_text_format(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
                    (x->begin + x->end) / 2, y->begin + 34, title);
}

static bool is_drawn(const dps_axis *axis, double value)
{
    return isfinite(value) && (!axis->log || value > 0);
}

void dps_svg_curve(dps_text *out, const dps_axis *x, const dps_axis *y, const double *at_x,
                   const double *at_y, int64_t count, const char *colour, double thickness)
{
    dps_text points = {0};
    for (int64_t k = 0; k < count; k++) {
        if (!is_drawn(x, at_x[k]) || !is_drawn(y, at_y[k])) {
            continue;
        }
        const double px = dps_axis_place(x, at_x[k]), py = dps_axis_place(y, at_y[k]);
        dps_text_format(&points, "%s%.1f,%.1f", points.length > 0 ? " L" : "M", px, py);
        if (count <= MOST_DOTS) {
            dps_text_format(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>\n", px,
                            py, colour);
        }
    }
    dps_text_format(out, "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%g\"/>\n",
                    points.data == NULL ? "" : points.data, colour, thickness);
    out->failed = out->failed || points.failed;
    dps_text_release(&points);
}

void dps_svg_dots(dps_text *out, const dps_axis *x, const dps_axis *y, const double *at_x,
                  const double *at_y, int64_t count, const char *colour)
{
    dps_text_format(out, "<g fill=\"%s\" fill-opacity=\"0.4\">\n", colour);
    for (int64_t k = 0; k < count; k++) {
        if (is_drawn(x, at_x[k]) && is_drawn(y, at_y[k])) {
            dps_text_format(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\"/>\n",
                            dps_axis_place(x, at_x[k]), dps_axis_place(y, at_y[k]));
        }
    }
    dps_text_add(out, "</g>\n");
}

void dps_svg_text(dps_text *out, const char *text, size_t most)
{
    for (size_t k = 0; text[k] != '\0'; k++) {
        const bool more = (text[k] & 0xC0) == 0x80; /* of a character that began before */
        if (k >= most && !more) {
            dps_text_add(out, "...");
            return;
        }
        const char letter[] = {text[k], '\0'};
        dps_text_add(out, text[k] == '<'                                ? "&lt;"
                          : text[k] == '>'                              ? "&gt;"
                          : text[k] == '&'                              ? "&amp;"
                          : (unsigned char)text[k] < (unsigned char)' ' ? "?"
                                                                        : letter);
    }
}
