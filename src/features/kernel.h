/* Dot-product kernels K(x, y) = f(<x, y>), f(t) = sum_n a_n t^n with a_n >= 0 (Schoenberg 1942; Kar
 * & Karnick 2012, section 3.2 and Theorem 1), as a table: a new kernel is one row of kernels.def
 * and its file.
 *
 * With kernel.gamma g and domain scale c the series used is f(g t / c): a_n (g/c)^n. */
#ifndef DPS_KERNEL_H
#define DPS_KERNEL_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "names.h"
#include "status.h"

#define DPS_MAX_COEFFICIENTS 64
/* Degrees beyond this are never drawn: the inverse of any measure's distribution is cut there. */
#define DPS_MAX_DEGREE 1000

typedef struct dps_kernel dps_kernel; /* a row of the table */

/* NAN, of a request only (recipe.h): auto. Planning takes the mean pairwise distance of training
 * rows for sigma, and for domain_scale 1 or, where the series has a radius of convergence, what
 * keeps the rows within it. */
typedef struct dps_kernel_params {
    const dps_kernel *kernel;
#define PARAM(key, type, kind, symbol, low, high, automatic, common, smoother) type key;
#include "kernel_params.def"
#undef PARAM
    int32_t coefficient_count;                /* maclaurin */
    double coefficient[DPS_MAX_COEFFICIENTS]; /* a_0, a_1, ... */
} dps_kernel_params;

enum {
#define PARAM(key, type, kind, symbol, low, high, automatic, common, smoother) DPS_KERNEL_##key,
#include "kernel_params.def"
#undef PARAM
    DPS_KERNEL_PARAMS
};
#define DPS_USES(key) (1u << DPS_KERNEL_##key)

/* kernel_params.def as data. */
typedef struct dps_kernel_param {
    const char *key, *symbol;
    size_t offset; /* into dps_kernel_params */
    double low, high;
    bool whole, automatic, common; /* whole: an int32_t, else a double */
    int smoother;
} dps_kernel_param;
extern const dps_kernel_param dps_kernel_param_table[DPS_KERNEL_PARAMS];

struct dps_kernel {
    const char *name;
    const char *formula; /* "(t + r)^q", for help and reports */
    unsigned uses;       /* DPS_USES(key) of its parameters, or'ed */
    bool listed;         /* its coefficients are the user's list */
    /* a_n t^n of the bare kernel (gamma = c = 1), 0 beyond the last degree; t multiplies factor by
     * factor, so that 1/n! and t^n cannot leave double's range one by one. */
    double (*term)(const dps_kernel_params *p, int32_t n, double t);
    /* f(t) of the bare kernel in closed form; INFINITY beyond the radius. */
    double (*value)(const dps_kernel_params *p, double t);
    double (*derivative)(const dps_kernel_params *p, double t);
    int32_t (*last_degree)(const dps_kernel_params *p); /* NULL: infinite series */
    double radius; /* of convergence; INFINITY for entire series */
};

#define KERNEL(name) extern const dps_kernel dps_kernel_##name;
#include "kernels.def"
#undef KERNEL
extern const char *const dps_kernel_names[];         /* NULL-terminated */
const dps_kernel *dps_kernel_find(const char *name); /* NULL: none */

/* A parameter's value, and to set it. */
double dps_kernel_get(const dps_kernel_params *p, const dps_kernel_param *param);
void dps_kernel_set(dps_kernel_params *p, const dps_kernel_param *param, double value);
/* Whether the kernel has this parameter. */
bool dps_kernel_uses(const dps_kernel *kernel, const dps_kernel_param *param);

/* Ranges and signs: negative coefficients and the like, by name. NAN passes. Only + - * /
 * enter coefficients and terms (they reach the features, whose bits are the same on every
 * machine); value and derivative may use libm. */
DPS_MUST_USE dps_status dps_kernel_check(const dps_kernel_params *p, dps_error *err);

/* The series with gamma and domain scale applied. */
double dps_kernel_coefficient(const dps_kernel_params *p, int32_t n);
double dps_kernel_term(const dps_kernel_params *p, int32_t n, double t); /* a_n t^n */
double dps_kernel_value(const dps_kernel_params *p, double t);
double dps_kernel_derivative(const dps_kernel_params *p, double t);
int32_t dps_kernel_last_degree(const dps_kernel_params *p); /* -1: infinite series */
/* In the variable t of K, so times c / gamma. */
double dps_kernel_radius(const dps_kernel_params *p);

#endif
