/* Task: limited-memory BFGS. The direction is -H g, H from the last pairs s = x' - x, y = g' - g:
 *
 *     q = g;  newest first:  a_i = <s_i, q> / <s_i, y_i>,  q -= a_i y_i
 *     q *= <s, y> / <y, y> of the newest
 *     oldest first:          b = <y_i, q> / <s_i, y_i>,    q += (a_i - b) s_i
 *
 * (Nocedal & Wright, Numerical Optimization, algorithm 7.4). Step length: 1, the first time 1 /
 * |g|; shorter by quadratic interpolation while f has not fallen by 1e-4 of what the slope
 * promises, longer while the slope along the step is still 0.9 of the first. A pair without
 * positive curvature is left out. Where no length serves the pairs are forgotten once, then it
 * ends.
 *
 * Cost of a step: 4 pairs n multiply-adds and one or two evaluations. One thread, sums by dps_dot:
 * the bits depend on the function's alone. */
#include "lbfgs.h"

#include <math.h>
#include <string.h>
#include "allocation.h"
#include "tile_kernels.h"

enum { MOST_TRIES = 8, MOST_LONGER = 4 };

#define ENOUGH      1e-4 /* of the promised decrease */
#define STILL_STEEP 0.9  /* of the first slope */

dps_status dps_lbfgs_init(dps_lbfgs *l, dps_error *err)
{
    double **const vector[] = {&l->x, &l->g, &l->direction, &l->trial, &l->trial_g};
    for (size_t k = 0; k < sizeof vector / sizeof vector[0]; k++) {
        DPS_NEED(*vector[k], l->n, "the variables of the refinement", err);
    }
    DPS_NEED(l->moved, DPS_LBFGS_PAIRS * l->n, "steps of the refinement", err);
    DPS_NEED(l->turned, DPS_LBFGS_PAIRS * l->n, "steps of the refinement", err);
    return DPS_OK;
}

void dps_lbfgs_release(dps_lbfgs *l)
{
    double *const vector[] = {l->x, l->g, l->moved, l->turned, l->direction, l->trial, l->trial_g};
    for (size_t k = 0; k < sizeof vector / sizeof vector[0]; k++) {
        dps_free(vector[k]);
    }
    *l = (dps_lbfgs){0};
}

dps_status dps_lbfgs_begin(dps_lbfgs *l, dps_error *err)
{
    l->evaluations++;
    l->ended = false;
    return l->function(l->context, l->x, &l->f, l->g, err);
}

/* The k-th newest pair, from 0. */
static size_t pair_at(const dps_lbfgs *l, int32_t k)
{
    return (size_t)((l->next - 1 - k + DPS_LBFGS_PAIRS) % DPS_LBFGS_PAIRS);
}

static void find_direction(dps_lbfgs *l)
{
    double a[DPS_LBFGS_PAIRS];
    double *q = l->direction;
    for (size_t j = 0; j < l->n; j++) {
        q[j] = -l->g[j];
    }
    for (int32_t k = 0; k < l->pairs; k++) {
        const size_t i = pair_at(l, k);
        a[k] = dps_dot(l->n, l->moved + i * l->n, q) / l->product[i];
        dps_axpy(l->n, -a[k], l->turned + i * l->n, q);
    }
    if (l->pairs > 0) {
        const size_t i = pair_at(l, 0);
        const double *y = l->turned + i * l->n;
        const double scale = l->product[i] / dps_dot(l->n, y, y);
        for (size_t j = 0; j < l->n; j++) {
            q[j] *= scale;
        }
    }
    for (int32_t k = l->pairs; k-- > 0;) {
        const size_t i = pair_at(l, k);
        const double b = dps_dot(l->n, l->turned + i * l->n, q) / l->product[i];
        dps_axpy(l->n, a[k] - b, l->moved + i * l->n, q);
    }
}

/* f and g at x + t direction, into trial and trial_g. */
static dps_status try_length(dps_lbfgs *l, double t, double *f, dps_error *err)
{
    memcpy(l->trial, l->x, l->n * sizeof(double));
    dps_axpy(l->n, t, l->direction, l->trial);
    l->evaluations++;
    return l->function(l->context, l->trial, f, l->trial_g, err);
}

/* A length that serves, tried; *served false: there is none. slope < 0. */
static dps_status search_length(dps_lbfgs *l, double t, double slope, double *f, bool *served,
                                dps_error *err)
{
    *served = false;
    for (int tries = 0, longer = 0; tries < MOST_TRIES; tries++) {
        DPS_TRY(try_length(l, t, f, err));
        const double rise = *f - l->f - slope * t; /* over the tangent */
        *served = *f <= l->f + ENOUGH * t * slope;
        if (!*served) {
            const double best = isfinite(rise) ? -slope * t * t / (2.0 * rise) : 0.0;
            t = fmin(fmax(best, 0.1 * t), 0.5 * t);
        } else if (dps_dot(l->n, l->trial_g, l->direction) < STILL_STEEP * slope &&
                   longer < MOST_LONGER) {
            t *= l->pairs > 0 ? 2.0 : 5.0;
            longer++;
        } else {
            return DPS_OK;
        }
    }
    return DPS_OK;
}

/* Goes to the trial and keeps the pair. */
static void accept(dps_lbfgs *l, double f)
{
    double *s = l->moved + (size_t)l->next * l->n, *y = l->turned + (size_t)l->next * l->n;
    for (size_t j = 0; j < l->n; j++) {
        s[j] = l->trial[j] - l->x[j];
        y[j] = l->trial_g[j] - l->g[j];
    }
    const double product = dps_dot(l->n, s, y);
    if (product > 1e-12 * dps_dot(l->n, y, y)) {
        l->product[l->next] = product;
        l->next = (l->next + 1) % DPS_LBFGS_PAIRS;
        l->pairs += l->pairs < DPS_LBFGS_PAIRS;
    }
    memcpy(l->x, l->trial, l->n * sizeof *l->x); /* whose places a list of the state knows */
    memcpy(l->g, l->trial_g, l->n * sizeof *l->g);
    l->f = f;
    l->steps++;
}

dps_status dps_lbfgs_step(dps_lbfgs *l, dps_error *err)
{
    const double steepness = sqrt(dps_dot(l->n, l->g, l->g));
    double f = l->f, slope;
    bool served = false;
    if (!(steepness > 0.0)) {
        l->ended = true;
        return DPS_OK;
    }
    find_direction(l);
    slope = dps_dot(l->n, l->g, l->direction);
    if (slope < 0.0) {
        DPS_TRY(search_length(l, l->pairs > 0 ? 1.0 : 1.0 / steepness, slope, &f, &served, err));
    }
    if (served) {
        accept(l, f);
    } else if (l->pairs > 0) {
        l->pairs = 0;
        return dps_lbfgs_step(l, err);
    } else {
        l->ended = true;
    }
    return DPS_OK;
}

void dps_lbfgs_list_state(dps_lbfgs *l, dps_state *state)
{
    const size_t bytes = l->n * sizeof(double);
    dps_state_add(state, "x", l->x, bytes);
    dps_state_add(state, "g", l->g, bytes);
    dps_state_add(state, "moved", l->moved, DPS_LBFGS_PAIRS * bytes);
    dps_state_add(state, "turned", l->turned, DPS_LBFGS_PAIRS * bytes);
    DPS_STATE_ADD(state, "f", l->f);
    DPS_STATE_ADD(state, "product", l->product);
    DPS_STATE_ADD(state, "pairs", l->pairs);
    DPS_STATE_ADD(state, "next", l->next);
    DPS_STATE_ADD(state, "steps", l->steps);
    DPS_STATE_ADD(state, "evaluations", l->evaluations);
    DPS_STATE_ADD(state, "ended", l->ended);
}
