/* Task: probabilities from decision values: a sigmoid 1 / (1 + exp(A s + B)) or an isotonic
 * function a model, of several classes divided by their sum (Zadrozny & Elkan 2002). By + - * /
 * only, the exponential included, so that they have the same bits everywhere. */
#include "probability.h"

#include <math.h>
#include <string.h>

/* 2^n exp(r), |r| <= ln(2)/2, Taylor to r^13 (the next term
 * is below 4e-18). */
double dps_exp_below_zero(double x)
{
    const double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;
    if (!(x > -708.0)) {
        return 0.0;
    }
    const double n = rint(x * 0x1.71547652b82fep+0);
    const double r = (x - n * ln2_high) - n * ln2_low;
    double sum = 1.0;
    for (int k = 13; k > 0; k--) {
        sum = 1.0 + sum * r / k;
    }
    const uint64_t bits = (uint64_t)(1023 + (int64_t)n) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return sum * power;
}

double dps_sigmoid_value(const dps_sigmoid *sigmoid, double score)
{
    const double f = sigmoid->A * score + sigmoid->B;
    const double e = dps_exp_below_zero(f >= 0 ? -f : f);
    return f >= 0 ? e / (1 + e) : 1 / (1 + e);
}

double dps_isotonic_value(const dps_isotonic *isotonic, double score)
{
    const double *s = isotonic->score, *p = isotonic->p;
    int32_t low = 0, high = isotonic->count - 1;
    if (!(score > s[low])) {
        return p[low];
    }
    if (score >= s[high]) {
        return p[high];
    }
    while (high - low > 1) { /* s[low] <= score < s[high] */
        const int32_t middle = low + (high - low) / 2;
        if (score >= s[middle]) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return p[low] + (p[high] - p[low]) * ((score - s[low]) / (s[high] - s[low]));
}

static double share_of(const dps_sigmoid *sigmoid, const dps_isotonic *isotonic, int32_t k,
                       double score)
{
    return isotonic != NULL ? dps_isotonic_value(&isotonic[k], score)
                            : dps_sigmoid_value(&sigmoid[k], score);
}

/* isotonic NULL: sigmoid counts. */
static void shares(const dps_sigmoid *sigmoid, const dps_isotonic *isotonic, int32_t classes,
                   const double *score, size_t step, double *p)
{
    if (classes == 2) {
        p[1] = share_of(sigmoid, isotonic, 0, score[0]);
        p[0] = 1 - p[1];
        return;
    }
    double sum = 0;
    for (int32_t k = 0; k < classes; k++) {
        p[k] = share_of(sigmoid, isotonic, k, score[(size_t)k * step]);
        sum += p[k];
    }
    for (int32_t k = 0; k < classes; k++) {
        p[k] = sum > 0 ? p[k] / sum : 1.0 / classes;
    }
}

void dps_model_probabilities(const dps_model *model, const double *score, size_t step, double *p)
{
    shares(model->sigmoid, model->isotonic, model->classes.count, score, step, p);
}

void dps_probabilities(const dps_sigmoid *sigmoid, int32_t classes, const double *score,
                       size_t step, double *p)
{
    shares(sigmoid, NULL, classes, score, step, p);
}

double dps_probability_loss(double p)
{
    return -log(fmax(p, 1e-15));
}
