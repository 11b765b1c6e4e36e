/* Task: a random problem and a random way to solve it: rows, labels, kernel, map, loss, solver, and
 * all that changes the objective or the way to its minimum. C is log-uniform from 1e-6 to 1e6, D
 * log-uniform from 1 to 1024 and now and then from 65,537 to 70,000, rows 2 to 300. Combinations
 * that the program refuses (odd D of pairs, ...) are left out as far as one line says it; the rest
 * is refused by the program and drawn again. */
#include "draw_config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct source {
    uint64_t state;
} source;

/* Steele, Lea & Flood, Fast Splittable Pseudorandom Number Generators (2014). */
static uint64_t next(source *s)
{
    uint64_t x = s->state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static double uniform(source *s, double low, double high)
{
    return low + (high - low) * (double)(next(s) >> 11) * 0x1p-53;
}

static double log_uniform(source *s, double low, double high)
{
    return exp(uniform(s, log(low), log(high)));
}

static int whole(source *s, int low, int high)
{
    return low + (int)(next(s) % (uint64_t)(high - low + 1));
}

/* Whole and log-uniform, both ends included. */
static int size_of(source *s, int low, int high)
{
    const int value = (int)log_uniform(s, low, high + 1.0);
    return value > high ? high : value;
}

static bool chance(source *s, double share)
{
    return uniform(s, 0, 1) < share;
}

static const char *pick(source *s, const char *const *word)
{
    int count = 0;
    while (word[count] != NULL) {
        count++;
    }
    return word[whole(s, 0, count - 1)];
}

#define PICK(s, ...) pick(s, (const char *const[]){__VA_ARGS__, NULL})

/* ---- rows ------------------------------------------------------------------------------------ */

static void draw_labels(source *s, drawn_config *d, int i, double signal)
{
    d->target[i] = 3 * signal + uniform(s, -0.5, 0.5);
    d->label[i] = 0;
    if (d->classes > 0) {
        const double place = (1 + tanh(signal + uniform(s, -0.7, 0.7))) / 2;
        const int k = (int)(place * d->classes);
        d->label[i] = k < d->classes ? k : d->classes - 1;
    }
    if (i < d->classes) { /* every class has a row */
        d->label[i] = i;
    }
}

static bool write_rows(source *s, drawn_config *d)
{
    const double size = log_uniform(s, 0.1, 10), density = chance(s, 0.5) ? 1 : uniform(s, 0.2, 1);
    const bool amounts = chance(s, 0.2), copies = chance(s, 0.2);
    FILE *file = fopen("rows.svm", "w");
    double last[64] = {0};
    for (int i = 0; file != NULL && i < d->rows; i++) {
        double x[64] = {0}, signal = 0;
        for (int j = 0; j < d->columns; j++) {
            const double value = uniform(s, amounts ? 0 : -1, 1) * size;
            const bool there = chance(s, density) || (i == 0 && j == 0);
            x[j] = there ? value : 0;
            signal += x[j] * ((j + 1) % 3 - 1) / size + (j < 2 ? x[j] * x[0] / (size * size) : 0);
        }
        if (copies && i > 0 && chance(s, 0.3)) {
            memcpy(x, last, sizeof x);
        }
        memcpy(last, x, sizeof x);
        draw_labels(s, d, i, signal);
        if (d->classes > 0) {
            fprintf(file, "%d", d->label[i]);
        } else {
            fprintf(file, "%.17g", d->target[i]);
        }
        for (int j = 0; j < d->columns; j++) {
            if (x[j] != 0) {
                fprintf(file, " %d:%.9g", j + 1, x[j]);
            }
        }
        fputc('\n', file);
    }
    return file != NULL && fclose(file) == 0;
}

/* data.weights */
static bool write_weights(source *s, drawn_config *d, FILE *ini)
{
    const bool weighted = chance(s, 0.25);
    FILE *file = weighted ? fopen("weights.txt", "w") : NULL;
    for (int i = 0; i < d->rows; i++) {
        d->weight[i] = 1;
        if (weighted) {
            d->weight[i] = log_uniform(s, 0.1, 10);
            if (file != NULL) {
                fprintf(file, "%.17g\n", d->weight[i]);
            }
        }
    }
    if (weighted) {
        fprintf(ini, "weights = weights.txt\n");
    }
    return !weighted || (file != NULL && fclose(file) == 0);
}

/* ---- options --------------------------------------------------------------------------------- */

static void draw_kernel(source *s, FILE *ini)
{
    const char *type = PICK(s, "polynomial", "polynomial", "polynomial", "homogeneous",
                            "exponential", "vovk_real", "vovk_infinite", "maclaurin");
    fprintf(ini, "[kernel]\ntype = %s\n", type);
    if (strcmp(type, "homogeneous") == 0) {
        fprintf(ini, "degree = %d\n", whole(s, 1, 4));
    } else if (strcmp(type, "polynomial") == 0 || strcmp(type, "vovk_real") == 0) {
        fprintf(ini, "degree = %d\n", whole(s, 2, 10));
    }
    if (strcmp(type, "polynomial") == 0) {
        fprintf(ini, "offset = %.6g\n", chance(s, 0.5) ? 1 : uniform(s, 0.1, 2));
    }
    if (strcmp(type, "maclaurin") == 0) {
        fprintf(ini, "coefficients = %.4g, %.4g, %.4g, %.4g\n", uniform(s, 0, 1), uniform(s, 0, 1),
                uniform(s, 0.1, 1), chance(s, 0.5) ? 0 : uniform(s, 0, 1));
    }
    if (strcmp(type, "exponential") == 0 && chance(s, 0.5)) {
        fprintf(ini, "sigma = %.4g\n", uniform(s, 0.7, 3));
    }
}

static void draw_degrees(source *s, FILE *ini, bool exact)
{
    fprintf(ini, "measure = %s\n", PICK(s, "geometric", "geometric", "coefficient", "variance"));
    fprintf(ini, "allocation = %s\n", PICK(s, "stratified", "stratified", "iid"));
    if (exact) {
        fprintf(ini, "exact_degree = %s\n", PICK(s, "h01", "h01", "auto", "none", "1", "2"));
    }
    fprintf(ini, "collapse = %s\n", PICK(s, "on", "on", "off"));
}

static void draw_map(source *s, drawn_config *d, FILE *ini)
{
    /* the last two compare amounts, of 0 or more */
    const char *base = d->amounts ? PICK(s, "rbf", "laplacian", "intersection", "chi2")
                                  : PICK(s, "rbf", "rbf", "laplacian");
    const bool radial = strcmp(base, "rbf") == 0 || strcmp(base, "laplacian") == 0;
    const int kind = d->wide ? whole(s, 1, 7) : whole(s, 0, 7); /* 0: linear, 1: fourier */
    int features = d->wide ? whole(s, 65537, 70000) : size_of(s, 1, 1024);
    if (kind == 0) {
        fprintf(ini, "[kernel]\ntype = linear\n");
        return;
    }
    if (kind >= 2) {
        draw_kernel(s, ini);
    }
    const bool pairs = kind == 1 || (kind >= 4 && chance(s, 0.2));
    features += pairs ? features & 1 : 0;
    fprintf(ini, "[map]\nfeatures = %d\nseed = %d\n", features, whole(s, 1, 1000000));
    fprintf(ini, "scale = %s\n", PICK(s, "unit", "unit", "unit", "none"));
    if (kind <= 3 && radial &&
        chance(s, 0.7)) { /* auto asks for more different rows than small data have */
        fprintf(ini, "gamma = %.6g\n", log_uniform(s, 0.05, 5));
    }
    if (kind == 1) {
        fprintf(ini, "type = fourier\nbase = %s\n", base);
        fprintf(ini, "orthogonal = %s\n",
                strcmp(base, "rbf") == 0 && chance(s, 0.5) ? "on" : "off");
    } else if (kind <= 3) {
        fprintf(ini, "type = compositional\nbase = %s\n", base);
        draw_degrees(s, ini, false);
    } else {
        fprintf(ini, "type = maclaurin\nprojection = %s\n",
                pairs ? PICK(s, "complex", "complex_hadamard")
                      : PICK(s, "rademacher", "rademacher", "gaussian", "hadamard"));
        draw_degrees(s, ini, true);
        if (chance(s, 0.1) && !pairs && !d->wide) {
            fprintf(ini, "craft = %d\n", whole(s, 2, 4));
        }
    }
}

static void draw_class_weights(source *s, drawn_config *d, FILE *ini)
{
    double rows[MOST_DRAWN_CLASSES] = {0}, all = 0; /* a row of weight w is w rows */
    const int kind = whole(s, 0, 3);                /* 0: balanced, 1: given, else none */
    for (int i = 0; i < d->rows; i++) {
        rows[d->label[i]] += d->weight[i];
        all += d->weight[i];
    }
    for (int k = 0; k < d->classes; k++) {
        d->class_weight[k] = kind == 0   ? all / (d->classes * rows[k])
                             : kind == 1 ? (double)(k + 1) * 0.75
                                         : 1;
    }
    if (kind == 0) {
        fprintf(ini, "class_weight = balanced\n");
    } else if (kind == 1) {
        fprintf(ini, "class_weight =");
        for (int k = 0; k < d->classes; k++) {
            fprintf(ini, "%s %d:%.17g", k > 0 ? "," : "", k, d->class_weight[k]);
        }
        fputc('\n', ini);
    }
}

static void draw_solver(source *s, drawn_config *d, FILE *ini)
{
    const char *solver = d->wide ? PICK(s, "auto", "auto", "dcd", "sgd", "newton")
                                 : PICK(s, "auto", "dcd", "sgd", "newton");
    d->C = log_uniform(s, 1e-6, 1e6);
    d->tolerance = chance(s, 0.5) ? 1e-3 : log_uniform(s, 1e-6, 1e-1);
    d->epsilon = 0;
    d->bias = chance(s, 0.6) ? 1 : chance(s, 0.5) ? 0 : (float)uniform(s, 0.1, 5);
    fprintf(ini, "[solver]\ntype = %s\nC = %.17g\ntolerance = %.17g\nbias = %.17g\nseed = %d\n",
            solver, d->C, d->tolerance, d->bias, whole(s, 1, 1000));
    if (chance(s, 0.2)) {
        fprintf(ini, "max_iterations = %d\n", size_of(s, 1, 100));
    }
    if (d->classes == 0) {
        d->epsilon = chance(s, 0.2) ? 0 : log_uniform(s, 1e-3, 1);
        fprintf(ini, "task = regression\nloss = %s\nepsilon = %.17g\n",
                PICK(s, "epsilon_insensitive", "squared_epsilon_insensitive"), d->epsilon);
    } else {
        fprintf(ini, "loss = %s\n", PICK(s, "hinge", "hinge", "squared_hinge", "logistic"));
        draw_class_weights(s, d, ini);
    }
}

bool draw_config(uint64_t seed, drawn_config *d)
{
    source s = {seed};
    memset(d, 0, sizeof *d);
    d->wide = chance(&s, 0.03);
    d->rows = size_of(&s, 2, MOST_DRAWN_ROWS);
    d->columns = size_of(&s, 1, 40);
    d->classes = chance(&s, 0.3) ? 0 : chance(&s, 0.75) ? 2 : whole(&s, 3, MOST_DRAWN_CLASSES);
    d->classes = d->classes > d->rows ? 2 : d->classes;
    if (!write_rows(&s, d)) {
        return false;
    }
    FILE *ini = fopen("config.ini", "w");
    if (ini == NULL) {
        return false;
    }
    fprintf(ini, "[data]\ntrain = rows.svm\n");
    d->amounts = chance(&s, 0.2);
    fprintf(ini, "scaling = %s\n",
            d->amounts ? "min_max"
                       : PICK(&s, "max_abs", "max_abs", "standard", "log", "rank", "none"));
    fprintf(ini, "normalize = %s\n", PICK(&s, "max_norm", "max_norm", "unit"));
    const bool weights = write_weights(&s, d, ini);
    draw_map(&s, d, ini);
    draw_solver(&s, d, ini);
    fprintf(ini, "[run]\nthreads = %d\n", whole(&s, 1, 2));
    if (chance(&s, 0.2)) {
        fprintf(ini, "shards = %d\n", 1 << whole(&s, 0, 2));
    }
    fprintf(ini, "[output]\nmodel = trained.model\nreport = report.json\nbaseline = off\n");
    return fclose(ini) == 0 && weights;
}
