/* `dpsvm kernel`: how far <z(x), z(y)> is from K(x, y) on the user's rows, for a list of D, next to
 * what theory promises; with other maps of the same kernel. Errors are on the kernel's own scale.
 */
#ifndef DPS_KERNEL_STUDY_H
#define DPS_KERNEL_STUDY_H

#include "bounds.h"
#include "feature_name.h"
#include "options.h"
#include "run.h"

enum { DPS_STUDY_MOST_SIZES = 64, DPS_STUDY_MOST_RUNS = 1000, DPS_STUDY_MOST_ROWS = DPS_TILE_ROWS };

typedef struct dps_study_request {
    int32_t sizes;
    int32_t size[DPS_STUDY_MOST_SIZES]; /* D, ascending; sizes 0: the default list */
    int32_t runs;                       /* seeds: map.seed, map.seed + 1, ... */
    int32_t rows;                       /* sampled; at most DPS_STUDY_MOST_ROWS */
    bool compare;
    double epsilon; /* NAN: a tenth of the mean of K(x, x) */
    double delta;
} dps_study_request;

typedef enum dps_study_error {
    DPS_STUDY_MEAN,      /* mean |error| over all entries of the sampled kernel matrix */
    DPS_STUDY_LARGEST,   /* largest |error| */
    DPS_STUDY_RMS,       /* root of the mean square */
    DPS_STUDY_FROBENIUS, /* |error matrix| / |kernel matrix|; the zero map has 1 */
    DPS_STUDY_ERRORS
} dps_study_error;

/* Mean over runs and half the width of its 95 % confidence interval (NAN with one run). */
typedef struct dps_estimate {
    double mean, half;
} dps_estimate;

typedef struct dps_study_point {
    bool made;       /* false: the map does not exist at this D */
    double width;    /* D', mean over runs */
    double seconds;  /* to map a row with one thread, the quickest run */
    double coverage; /* as dps_map_facts */
    dps_estimate error[DPS_STUDY_ERRORS];
    int32_t zero_maps;   /* runs whose features are all 0 */
    double rms_not_zero; /* mean root-mean-square error of the other runs; NAN: there are none */
    int32_t max_degree;
    int64_t degree_count[DPS_MAX_DEGREE + 1]; /* of the first run */
} dps_study_point;

typedef struct dps_study_curve {
    char name[96];
    char reason[256];       /* why points are missing, or "" */
    dps_study_point *point; /* [size] */
} dps_study_curve;

/* The metric T of a model whose rows are taken as x T (map.refine = metric). */
typedef struct dps_study_metric {
    int32_t columns;                   /* d; 0: there is none */
    float *t;                          /* as recipe.moved */
    char (*feature)[DPS_FEATURE_NAME]; /* of each column */
    double *length;                    /* of each row of T: how far the column moves x T */
    double directions;                 /* tr(M)^2 / tr(M^2), M = T T^T: d for the identity */
    double alignment;                  /* of the kernel with the one of T = I, in norm: 1 alike */
    int64_t steps, rows;               /* that moved it */
} dps_study_metric;

typedef struct dps_study {
    dps_study_request request; /* all values resolved */
    const char *model;         /* borrowed name of the file; NULL: of a configuration */
    dps_study_metric metric;
    int64_t data_rows;
    int32_t columns;
    double radius1, radius2, mean_diagonal; /* of a model: of the sampled rows, x T */
    dps_map_recipe recipe;                  /* configured, or the model's */
    bool has_bounds;
    dps_bound_terms terms;
    int32_t curves;
    dps_study_curve *curve; /* the first is the configured map, or the model's */
    double seconds;
} dps_study;

DPS_MUST_USE dps_status dps_kernel_study(const dps_options *options,
                                         const dps_study_request *request, const dps_run *run,
                                         dps_study *study, dps_error *err);
void dps_study_release(dps_study *study); /* accepts a zeroed struct */

/* Mean error of a curve where its width, or its time, is that of the configured map at size k:
 * between its points in logarithms; NAN outside them. */
double dps_study_at_equal_width(const dps_study *study, int32_t curve, int32_t k);
double dps_study_at_equal_time(const dps_study *study, int32_t curve, int32_t k);

#endif
