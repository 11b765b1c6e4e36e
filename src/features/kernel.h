/* Dot-product kernels K(x, y) = f(<x, y>), f(t) = sum_n a_n t^n with a_n >= 0 (Schoenberg 1942; Kar
 * & Karnick 2012, Theorem 1), as a table: a new kernel is one row.
 *
 * With kernel.gamma g and domain scale c the series used is f(g t / c): a_n (g/c)^n. */
#ifndef DPS_KERNEL_H
#define DPS_KERNEL_H

#include <stdbool.h>
#include <stdint.h>
#include "status.h"

#define DPS_MAX_COEFFICIENTS 64
/* Degrees beyond this are never drawn: the inverse of any measure's distribution is cut there. */
#define DPS_MAX_DEGREE 1000

typedef struct dps_kernel dps_kernel; /* a row of the table */

/* Parameters as the user set or planning resolved them; NAN = auto, not resolved yet. */
typedef struct dps_kernel_params {
    const dps_kernel *kernel;
    int32_t degree; /* q: homogeneous, polynomial, vovk_real */
    double offset;  /* r >= 0: polynomial */
    double gamma;   /* > 0 */
    double sigma;   /* exponential: s > 0 or NAN = mean pairwise distance of training rows */
    /* c > 0 or NAN = auto: 1 for entire series; for a finite radius of convergence plan.c */
    double domain_scale;
    int32_t coefficient_count;                /* maclaurin */
    double coefficient[DPS_MAX_COEFFICIENTS]; /* a_0, a_1, ... */
} dps_kernel_params;

struct dps_kernel {
    const char *name;
    /* a_n t^n of the bare kernel (gamma = c = 1), 0 beyond the last degree; t multiplies factor by
     * factor, so that 1/n! and t^n cannot leave double's range one by one. */
    double (*term)(const dps_kernel_params *p, int32_t n, double t);
    /* f(t) of the bare kernel in closed form; INFINITY beyond the radius. */
    double (*value)(const dps_kernel_params *p, double t);
    double (*derivative)(const dps_kernel_params *p, double t);
    int32_t (*last_degree)(const dps_kernel_params *p); /* -1: infinite series */
    double (*radius)(const dps_kernel_params *p); /* of convergence; INFINITY for entire series */
    const char *formula;                          /* "(t + r)^q", for help and reports */
};

const dps_kernel *dps_kernel_find(const char *name); /* NULL: none */
const char *const *dps_kernel_names(void);           /* NULL-terminated */

/* Ranges and signs: negative coefficients and the like, by name. Unresolved autos pass. Only + - *
 * / enter coefficients and terms (they reach the features, whose bits are the same on every
 * machine); value and derivative may use libm. */
DPS_MUST_USE dps_status dps_kernel_check(const dps_kernel_params *p, dps_error *err);

/* The series with gamma and domain scale applied; all params resolved. */
double dps_kernel_coefficient(const dps_kernel_params *p, int32_t n);
double dps_kernel_term(const dps_kernel_params *p, int32_t n, double t); /* a_n t^n */
double dps_kernel_value(const dps_kernel_params *p, double t);
double dps_kernel_derivative(const dps_kernel_params *p, double t);
int32_t dps_kernel_last_degree(const dps_kernel_params *p);
/* In the variable t of K, so times c / gamma. */
double dps_kernel_radius(const dps_kernel_params *p);

#endif
