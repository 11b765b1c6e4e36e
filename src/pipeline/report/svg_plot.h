/* What the pictures of a run share: panels with axes, lines and a frame, as SVG text. */
#ifndef DPS_SVG_PLOT_H
#define DPS_SVG_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include "text.h"

/* value -> position; a logarithmic axis has its ends in log10. */
typedef struct dps_axis {
    double low, high;
    double begin, end; /* in pixels */
    bool log;
} dps_axis;

/* An axis that holds nothing yet. */
dps_axis dps_axis_empty(bool log);
/* Widens the axis to hold the value, which must be positive on a logarithmic axis. */
void dps_axis_take(dps_axis *axis, double value);
/* Room at both ends. After the last value. */
void dps_axis_close(dps_axis *axis);
double dps_axis_place(const dps_axis *axis, double value);

/* The user's words, of at most so many bytes, with what is markup escaped. */
void dps_svg_text(dps_text *out, const char *text, size_t most);
void dps_svg_begin(dps_text *out, int width, int height);
void dps_svg_end(dps_text *out);
/* Frame, grid lines and numbers of both axes (y->begin is the bottom), and what x counts. */
void dps_svg_panel(dps_text *out, const dps_axis *x, const dps_axis *y, const char *title);
/* Points joined by a line, a dot at each; those that are NAN, or not positive on a logarithmic
 * axis, are passed over. */
void dps_svg_curve(dps_text *out, const dps_axis *x, const dps_axis *y, const double *at_x,
                   const double *at_y, int64_t count, const char *colour, double thickness);
/* A faint dot each, so that many on one place are darker. */
void dps_svg_dots(dps_text *out, const dps_axis *x, const dps_axis *y, const double *at_x,
                  const double *at_y, int64_t count, const char *colour);

#endif
