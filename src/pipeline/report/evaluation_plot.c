/* Task: what `dpsvm evaluate` found as an SVG picture, panel beside panel. The curves have a point
 * a row, thinned to MOST_POINTS; calibration is by tenths of the probability, a dot as high as the
 * share of the class among the rows there. Regression: a dot a row, of more than MOST_DOTS rows
 * evenly spaced ones. */
#include "evaluation_plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "allocation.h"
#include "output_file.h"
#include "svg_plot.h"

enum { LEFT = 70, TOP = 46, SIDE = 300, GAP = 80, BELOW = 70, MOST_POINTS = 400, MOST_DOTS = 3000 };
enum { TENTHS = 10 };
static const char *const colour = "#0072b2";

typedef struct figure {
    const dps_evaluation *e;
    dps_text out;
    int panels;
} figure;

static int by_score(const void *a, const void *b)
{
    const dps_scored *x = a, *y = b;
    return (x->score < y->score) - (x->score > y->score);
}

static void place_panel(figure *f, dps_axis *x, dps_axis *y)
{
    x->begin = LEFT + f->panels++ * (SIDE + GAP);
    x->end = x->begin + SIDE;
    y->begin = TOP + SIDE;
    y->end = TOP;
}

/* Axes from 0 to 1 of the next panel. */
static void next_panel(figure *f, dps_axis *x, dps_axis *y)
{
    *x = *y = (dps_axis){.low = 0, .high = 1};
    place_panel(f, x, y);
}

static void add_title(figure *f, const dps_axis *x, const char *title)
{
    dps_text_format(&f->out, "<text x=\"%.1f\" y=\"%d\">%s</text>\n", x->begin, TOP - 8, title);
}

/* The rows in falling order of the score for class 1: ROC, and precision against recall. */
static void add_curves(figure *f, const dps_scored *row, int64_t rows, double *at)
{
    double positives = 0, negatives = 0, found = 0, taken = 0;
    const double each = fmax(1.0, (double)rows / MOST_POINTS);
    double *recall = at, *false_share = at + MOST_POINTS + 2,
           *precision = at + 2 * (MOST_POINTS + 2);
    int64_t count = 0;
    dps_axis x, y;
    for (int64_t i = 0; i < rows; i++) {
        positives += row[i].label == 1 ? row[i].weight : 0;
        negatives += row[i].label == 0 ? row[i].weight : 0;
    }
    for (int64_t i = 0; i <= rows; i++) {
        const bool cut = i == 0 || i == rows || row[i - 1].score != row[i].score;
        if (cut && ((double)i >= (double)count * each || i == rows) && count < MOST_POINTS + 2) {
            recall[count] = found / positives;
            false_share[count] = taken / negatives;
            precision[count++] = found + taken > 0 ? found / (found + taken) : NAN;
        }
        if (i < rows && row[i].label >= 0) {
            *(row[i].label == 1 ? &found : &taken) += row[i].weight;
        }
    }
    next_panel(f, &x, &y);
    dps_svg_panel(&f->out, &x, &y, "share of the other class taken for it");
    dps_text_format(&f->out, "<text x=\"%.1f\" y=\"%d\">ROC of %lld rows, AUC %.4f</text>\n",
                    x.begin, TOP - 8, (long long)rows, f->e->metrics.auc);
    dps_svg_curve(&f->out, &x, &y, false_share, recall, count, colour, 1.5);
    next_panel(f, &x, &y);
    dps_svg_panel(&f->out, &x, &y, "recall");
    add_title(f, &x, "precision");
    dps_svg_curve(&f->out, &x, &y, recall, precision, count, "#d55e00", 1.5);
}

static void add_calibration(figure *f, const dps_scored *row, int64_t rows)
{
    double said[TENTHS] = {0}, were[TENTHS] = {0}, weight[TENTHS] = {0};
    const double corner[] = {0, 1};
    dps_axis x, y;
    for (int64_t i = 0; i < rows; i++) {
        if (row[i].label >= 0) {
            const double right = exp(-row[i].loss), p = row[i].label == 1 ? right : 1 - right;
            const int k = p >= 1 ? TENTHS - 1 : (int)(p * TENTHS);
            said[k] += row[i].weight * p;
            were[k] += row[i].label == 1 ? row[i].weight : 0;
            weight[k] += row[i].weight;
        }
    }
    for (int k = 0; k < TENTHS; k++) {
        said[k] /= weight[k]; /* NAN where there is no row: passed over */
        were[k] /= weight[k];
    }
    next_panel(f, &x, &y);
    dps_svg_panel(&f->out, &x, &y, "probability that was said");
    add_title(f, &x, "calibration: share that it was");
    dps_svg_curve(&f->out, &x, &y, corner, corner, 2, "#bbbbbb", 1);
    dps_svg_curve(&f->out, &x, &y, said, were, TENTHS, "#009e73", 1.5);
}

static void add_label(figure *f, double x, double y, const char *anchor, const char *label)
{
    dps_text_format(&f->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    dps_svg_text(&f->out, label, 12);
    dps_text_add(&f->out, "</text>\n");
}

/* A square a pair of classes, the darker the larger its share of the true class. */
static void add_confusion(figure *f)
{
    const dps_metrics *m = &f->e->metrics;
    const int32_t classes = m->classes;
    const double side = (double)SIDE / classes;
    dps_axis x, y;
    next_panel(f, &x, &y);
    for (int32_t k = 0; k < classes; k++) {
        for (int32_t j = 0; j < classes; j++) {
            const double count = m->confusion[(size_t)k * (size_t)classes + (size_t)j];
            const double rows = m->of_class[k].rows, share = rows > 0 ? count / rows : 0;
            const double left = x.begin + j * side, top = y.end + k * side;
            dps_text_format(&f->out,
                            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                            "fill=\"%s\" fill-opacity=\"%.3f\" stroke=\"#dddddd\"/>\n",
                            left, top, side, side, colour, share);
            if (classes <= 10) {
                dps_text_format(&f->out,
                                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" "
                                "fill=\"%s\">%.6g</text>\n",
                                left + side / 2, top + side / 2 + 4,
                                share > 0.5 ? "white" : "black", count);
            }
        }
        add_label(f, x.begin - 6, y.end + (k + 0.5) * side + 4, "end", f->e->classes.text[k]);
        add_label(f, x.begin + (k + 0.5) * side, y.begin + 16, "middle", f->e->classes.text[k]);
    }
    add_title(f, &x, "confusion: true class down, predicted across");
}

/* ---- regression ------------------------------------------------------------------------------ */

typedef struct dots {
    double *across, *up;
    int64_t count, rows;
} dots;

static void begin_panel(figure *f, dps_axis *x, dps_axis *y, const char *title)
{
    dps_axis_close(x);
    dps_axis_close(y);
    place_panel(f, x, y);
    dps_svg_panel(&f->out, x, y, title);
}

/* Both axes have one range, so that the diagonal is where both are equal. */
static void add_predictions(figure *f, const dots *d)
{
    const double r2 = dps_residuals_r2(&f->e->rows.residuals);
    char shown[24] = "";
    dps_axis x = dps_axis_empty(false), y;
    for (int64_t i = 0; i < d->count; i++) {
        dps_axis_take(&x, d->across[i]);
        dps_axis_take(&x, d->up[i]);
    }
    y = x;
    begin_panel(f, &x, &y, "true");
    if (!isnan(r2)) {
        snprintf(shown, sizeof shown, "R2 %.4g, ", r2);
    }
    dps_text_format(&f->out, "<text x=\"%.1f\" y=\"%d\">predicted: %s%lld of %lld rows</text>\n",
                    x.begin, TOP - 8, shown, (long long)d->count, (long long)d->rows);
    const double corner[] = {x.low, x.high};
    dps_svg_curve(&f->out, &x, &y, corner, corner, 2, "#bbbbbb", 1);
    dps_svg_dots(&f->out, &x, &y, d->across, d->up, d->count, colour);
}

static void add_residuals(figure *f, const dots *d)
{
    dps_axis x = dps_axis_empty(false), y = x;
    dps_axis_take(&y, 0);
    for (int64_t i = 0; i < d->count; i++) {
        dps_axis_take(&x, d->across[i]);
        dps_axis_take(&y, d->up[i]);
    }
    begin_panel(f, &x, &y, "predicted");
    dps_text_format(&f->out,
                    "<text x=\"%.1f\" y=\"%d\">residual, true minus predicted: RMSE %.4g</text>\n",
                    x.begin, TOP - 8, dps_residuals_rmse(&f->e->rows.residuals));
    const double ends[] = {x.low, x.high}, zero[] = {0, 0};
    dps_svg_curve(&f->out, &x, &y, ends, zero, 2, "#bbbbbb", 1);
    dps_svg_dots(&f->out, &x, &y, d->across, d->up, d->count, "#d55e00");
}

static dps_status draw_numbers(figure *f, dps_error *err)
{
    const dps_scored *row = f->e->scored;
    dots d = {.rows = f->e->scored_count};
    d.count = d.rows < MOST_DOTS ? d.rows : MOST_DOTS;
    DPS_NEED(d.across, 2 * (size_t)d.count, "the picture", err);
    d.up = d.across + d.count;
    for (int64_t k = 0; k < d.count; k++) {
        const dps_scored *drawn = &row[k * d.rows / d.count];
        d.across[k] = drawn->loss + drawn->score;
        d.up[k] = drawn->score;
    }
    add_predictions(f, &d);
    for (int64_t k = 0; k < d.count; k++) {
        d.up[k] = row[k * d.rows / d.count].loss;
        d.across[k] = row[k * d.rows / d.count].score;
    }
    add_residuals(f, &d);
    dps_free(d.across);
    return DPS_OK;
}

/* ---- the picture ----------------------------------------------------------------------------- */

/* Of two classes, with rows of both. */
static bool has_curves(const dps_evaluation *e)
{
    return e->classes.count == 2 && !isnan(e->metrics.auc);
}

static dps_status draw_classes(figure *f, dps_error *err)
{
    const dps_evaluation *e = f->e;
    const int64_t rows = e->scored_count;
    if (has_curves(e)) {
        dps_scored *row;
        double *at;
        DPS_NEED(row, (size_t)rows, "the picture", err);
        memcpy(row, e->scored, (size_t)rows * sizeof *row);
        qsort(row, (size_t)rows, sizeof *row, by_score);
        at = dps_alloc(3 * (MOST_POINTS + 2), sizeof *at);
        if (at != NULL) {
            add_curves(f, row, rows, at);
        }
        f->out.failed = f->out.failed || at == NULL;
        dps_free(at);
        dps_free(row);
        if (e->has_chances) {
            add_calibration(f, e->scored, rows);
        }
    }
    add_confusion(f);
    return DPS_OK;
}

dps_status dps_evaluation_plot(const dps_evaluation *e, const char *path, dps_error *err)
{
    figure f = {.e = e};
    const bool numbers = e->rows.classes == 0;
    const int panels = numbers ? 2 : (has_curves(e) ? 2 + e->has_chances : 0) + 1;
    dps_svg_begin(&f.out, LEFT + panels * (SIDE + GAP), TOP + SIDE + BELOW);
    const dps_status status = numbers ? draw_numbers(&f, err) : draw_classes(&f, err);
    dps_svg_end(&f.out);
    if (status != DPS_OK) {
        dps_text_release(&f.out);
        return status;
    }
    return dps_output_text(&f.out, path, "the picture", err);
}
