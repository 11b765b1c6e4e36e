/* Task: fitting what turns decision values into probabilities.
 *
 *     min over A, B of  -sum_i t_i log p_i + (1 - t_i) log(1 - p_i)
 *     p_i = 1 / (1 + exp(A s_i + B))
 *     t_i = (N+ + 1) / (N+ + 2) for the positive rows,  1 / (N- + 2) for the others
 *
 * (Platt, Probabilistic Outputs for Support Vector Machines, 1999) by Newton's method with
 * backtracking, every term written so that no exponential overflows and no difference cancels (Lin,
 * Lin & Weng, A Note on Platt's Probabilistic Outputs, 2007, algorithm 1). The scores must be of
 * rows that did not train the weights; they come from cross-validation. A row of weight w counts as
 * w rows, in the sums and in N+ and N-. Several classes: one sigmoid a class, normalised (Zadrozny
 * & Elkan 2002). Cost: a few dozen passes over the scores. */
#include "calibration.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "allocation.h"
#include "isotonic.h"

typedef struct samples {
    const double *score;
    const bool *positive;
    const double *weight; /* NULL: 1 */
    int64_t rows;
    double high, low; /* targets */
} samples;

static double objective(const samples *s, double A, double B)
{
    double sum = 0;
    for (int64_t i = 0; i < s->rows; i++) {
        const double t = s->positive[i] ? s->high : s->low, f = A * s->score[i] + B;
        sum += dps_weight_of(s->weight, i) *
               (f >= 0 ? t * f + log1p(exp(-f)) : (t - 1) * f + log1p(exp(f)));
    }
    return sum;
}

typedef struct derivatives {
    double h11, h21, h22, g1, g2;
} derivatives;

static derivatives derive(const samples *s, double A, double B)
{
    const double ridge = 1e-12;
    derivatives d = {.h11 = ridge, .h22 = ridge};
    for (int64_t i = 0; i < s->rows; i++) {
        const double t = s->positive[i] ? s->high : s->low, x = s->score[i], f = A * x + B;
        const double e = exp(-fabs(f));
        const double p = f >= 0 ? e / (1 + e) : 1 / (1 + e);
        const double w = dps_weight_of(s->weight, i), pq = w * (e / ((1 + e) * (1 + e)));
        d.h11 += x * x * pq;
        d.h22 += pq;
        d.h21 += x * pq;
        d.g1 += x * (w * (t - p));
        d.g2 += w * (t - p);
    }
    return d;
}

dps_sigmoid dps_sigmoid_fit(const double *score, const bool *positive, const double *weight,
                            int64_t rows)
{
    enum { MOST_STEPS = 100 };
    double above = 0, below = 0;
    for (int64_t i = 0; i < rows; i++) {
        *(positive[i] ? &above : &below) += dps_weight_of(weight, i);
    }
    const samples s = {score, positive, weight, rows, (above + 1) / (above + 2), 1 / (below + 2)};
    dps_sigmoid fit = {0, log((below + 1) / (above + 1))};
    double value = objective(&s, fit.A, fit.B);

    for (int step = 0; step < MOST_STEPS; step++) {
        const derivatives d = derive(&s, fit.A, fit.B);
        if (fabs(d.g1) < 1e-5 && fabs(d.g2) < 1e-5) {
            break;
        }
        const double det = d.h11 * d.h22 - d.h21 * d.h21;
        const double dA = -(d.h22 * d.g1 - d.h21 * d.g2) / det;
        const double dB = -(d.h11 * d.g2 - d.h21 * d.g1) / det;
        const double slope = d.g1 * dA + d.g2 * dB;
        double t = 1;
        for (; t >= 1e-10; t /= 2) {
            const double next = objective(&s, fit.A + t * dA, fit.B + t * dB);
            if (next < value + 1e-4 * t * slope) {
                fit.A += t * dA;
                fit.B += t * dB;
                value = next;
                break;
            }
        }
        if (t < 1e-10) {
            break; /* at the floor of the arithmetic */
        }
    }
    return fit;
}

/* On the rows take[0 .. count-1], in this order. */
static dps_status fit_rows(const double *score, const int32_t *label, const double *weight,
                           int64_t rows, int32_t classes, const int64_t *take, int64_t count,
                           dps_sigmoid *sigmoid, dps_error *err)
{
    const int32_t models = classes == 2 ? 1 : classes;
    double *s = dps_alloc((size_t)count, sizeof *s);
    double *w = weight == NULL ? NULL : dps_alloc((size_t)count, sizeof *w);
    bool *positive = dps_alloc((size_t)count, sizeof *positive);
    dps_status status = DPS_OK;
    if (s == NULL || positive == NULL || (weight != NULL && w == NULL)) {
        status = dps_out_of_memory(err, (size_t)count, 2 * sizeof *s + 1, "the calibration");
        goto done;
    }
    for (int32_t k = 0; k < models; k++) {
        for (int64_t i = 0; i < count; i++) {
            const int64_t row = take == NULL ? i : take[i];
            s[i] = score[(size_t)k * (size_t)rows + (size_t)row];
            positive[i] = label[row] == (models == 1 ? 1 : k);
            if (w != NULL) {
                w[i] = weight[row];
            }
        }
        sigmoid[k] = dps_sigmoid_fit(s, positive, w, count);
    }
done:
    dps_free(s);
    dps_free(w);
    dps_free(positive);
    return status;
}

dps_status dps_calibrate(const double *score, const int32_t *label, const double *weight,
                         int64_t rows, int32_t classes, dps_sigmoid *sigmoid, dps_error *err)
{
    return fit_rows(score, label, weight, rows, classes, NULL, rows, sigmoid, err);
}

dps_status dps_calibrate_isotonic(const double *score, const int32_t *label, const double *weight,
                                  int64_t rows, dps_model *model, dps_error *err)
{
    const size_t models = (size_t)model->models;
    bool *positive = dps_alloc((size_t)rows, sizeof *positive);
    double **at = dps_alloc(2 * models, sizeof *at); /* scores and p of every model */
    dps_status status = DPS_OK;
    model->isotonic = dps_alloc(models, sizeof *model->isotonic);
    if (positive == NULL || at == NULL || model->isotonic == NULL) {
        status = dps_out_of_memory(err, (size_t)rows, 1, "the calibration");
    }
    int64_t knots = 0;
    for (size_t k = 0; k < models && status == DPS_OK; k++) {
        for (int64_t i = 0; i < rows; i++) {
            positive[i] = label[i] == (models == 1 ? 1 : (int32_t)k);
        }
        status = dps_isotonic_fit(score + k * (size_t)rows, positive, weight, rows,
                                  &model->isotonic[k].count, &at[2 * k], &at[2 * k + 1], err);
        knots += model->isotonic[k].count;
    }
    if (status == DPS_OK) {
        model->knots = (int32_t)knots;
        model->knot = dps_alloc(2 * (size_t)knots, sizeof *model->knot);
        status = model->knot == NULL
                     ? dps_out_of_memory(err, 2 * (size_t)knots, sizeof(double), "the knots")
                     : DPS_OK;
    }
    double *to = model->knot;
    for (size_t k = 0; k < models && status == DPS_OK; k++) {
        dps_isotonic *c = &model->isotonic[k];
        const size_t count = (size_t)c->count;
        memcpy(to, at[2 * k], count * sizeof *to);
        memcpy(to + count, at[2 * k + 1], count * sizeof *to);
        c->score = to;
        c->p = to + count;
        to += 2 * count;
    }
    for (size_t k = 0; k < 2 * models && at != NULL; k++) {
        dps_free(at[k]);
    }
    dps_free(at);
    dps_free(positive);
    return status;
}

dps_status dps_logistic_losses(const double *score, int64_t rows, int32_t classes,
                               dps_scored *scored, dps_error *err)
{
    const size_t models = classes == 2 ? 1 : (size_t)classes;
    dps_sigmoid *sigmoid = dps_alloc(models, sizeof *sigmoid);
    double *p = dps_alloc((size_t)classes, sizeof *p);
    if (sigmoid == NULL || p == NULL) {
        dps_free(sigmoid);
        dps_free(p);
        return dps_out_of_memory(err, (size_t)classes, sizeof *p, "the probabilities");
    }
    for (size_t k = 0; k < models; k++) {
        sigmoid[k] = dps_sigmoid_logistic();
    }
    for (int64_t i = 0; i < rows; i++) {
        dps_probabilities(sigmoid, classes, score + i, (size_t)rows, p);
        scored[i].loss = scored[i].label < 0 ? NAN : dps_probability_loss(p[scored[i].label]);
    }
    dps_free(sigmoid);
    dps_free(p);
    return DPS_OK;
}

/* ---- halves ---- */

typedef struct placed {
    int64_t row;
    int32_t label;
    const double *score; /* of the row, of its first model; the others every `rows` */
    int64_t rows;
    int32_t models;
} placed;

static int by_class_and_scores(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    int order = (x->label > y->label) - (x->label < y->label);
    for (int32_t k = 0; k < x->models && order == 0; k++) {
        const double p = x->score[k * x->rows], q = y->score[k * y->rows];
        order = (p > q) - (p < q);
    }
    return order;
}

/* Rows by class and scores, dealt to two halves in turn: order holds one half, then the other. The
 * same halves, up to rows that are equal, for every order of the rows. Returns the first's size. */
static dps_status deal_halves(const double *score, const int32_t *label, int64_t rows,
                              int32_t classes, int64_t *order, int64_t *first, dps_error *err)
{
    placed *sorted;
    DPS_NEED(sorted, (size_t)rows, "the calibration", err);
    for (int64_t i = 0; i < rows; i++) {
        sorted[i] = (placed){i, label[i], score + i, rows, classes == 2 ? 1 : classes};
    }
    qsort(sorted, (size_t)rows, sizeof *sorted, by_class_and_scores);
    *first = (rows + 1) / 2;
    for (int64_t i = 0; i < rows; i++) {
        order[i % 2 == 0 ? i / 2 : *first + i / 2] = sorted[i].row;
    }
    dps_free(sorted);
    return DPS_OK;
}

dps_status dps_calibrated_losses(const double *score, const double *weight, int64_t rows,
                                 int32_t classes, dps_scored *scored, dps_error *err)
{
    const size_t models = classes == 2 ? 1 : (size_t)classes;
    int32_t *label = dps_alloc((size_t)rows, sizeof *label);
    int64_t *order = dps_alloc((size_t)rows, sizeof *order);
    dps_sigmoid *sigmoid = dps_alloc(models, sizeof *sigmoid);
    double *p = dps_alloc((size_t)classes, sizeof *p);
    int64_t first = 0;
    dps_status status = DPS_OK;
    if (label == NULL || order == NULL || sigmoid == NULL || p == NULL) {
        status = dps_out_of_memory(err, (size_t)rows, sizeof *label, "the calibration");
        goto done;
    }
    for (int64_t i = 0; i < rows; i++) {
        label[i] = scored[i].label;
    }
    status = deal_halves(score, label, rows, classes, order, &first, err);
    for (int half = 0; half < 2 && status == DPS_OK; half++) {
        const int64_t begin = half == 0 ? 0 : first, end = half == 0 ? first : rows;
        const int64_t *fitted = half == 0 ? order + first : order;
        status = fit_rows(score, label, weight, rows, classes, fitted, rows - (end - begin),
                          sigmoid, err);
        for (int64_t k = begin; k < end && status == DPS_OK; k++) {
            const int64_t i = order[k];
            dps_probabilities(sigmoid, classes, score + i, (size_t)rows, p);
            scored[i].loss = label[i] < 0 ? NAN : dps_probability_loss(p[label[i]]);
        }
    }
done:
    dps_free(label);
    dps_free(order);
    dps_free(sigmoid);
    dps_free(p);
    return status;
}
