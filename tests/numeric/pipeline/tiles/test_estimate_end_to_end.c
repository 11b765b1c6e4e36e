/* The whole map as an estimator of its kernel (Kar & Karnick 2012, Lemma 7 and section 5):
 *   E <Z(x), Z(y)> = K(x, y),   error ~ D^(-1/2).
 * Kernel values are computed here from their closed forms, independently of src/features.
 *
 * Unbiasedness: mean error over SEEDS seeds within 5 standard errors, for each of the pairs. For a
 * normal mean that is a false alarm of 6e-7 a pair, about 1e-4 in all. The products have heavier
 * tails, but the seeds are fixed and all draws have the same bits everywhere, so that a pass stays
 * a pass. Slope: least squares of ln RMSE on ln D over D = 64 ... 4096, RMSE over seeds and pairs;
 * it must be -0.5 +- 0.05. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "allocation.h"
#include "cpu.h"
#include "feature_stream.h"

enum { SEEDS = 200, POINTS = 6, COLUMNS = 4, PAIRS = POINTS * (POINTS + 1) / 2, SIZES = 7 };
static const double base_gamma = 0.7;

/* Norms up to 1, signs mixed, and one point near another. */
static const float points[POINTS][COLUMNS] = {{0.5f, -0.5f, 0.5f, 0.5f}, {0.45f, -0.4f, 0.5f, 0.4f},
                                              {-0.3f, 0.6f, 0.2f, 0},    {0.7f, 0, 0, 0.7f},
                                              {0, 0.3f, -0.9f, 0.1f},    {0.2f, 0.2f, 0.1f, -0.3f}};

typedef struct estimator {
    const char *name;
    dps_map_type type;
    const char *kernel;
    int32_t degree;
    double (*value)(double t, double c);
} estimator;

static double cube(double t, double c)
{
    (void)c;
    return (1 + t) * (1 + t) * (1 + t);
}
static double vovk_real_4(double t, double c)
{
    (void)c;
    return 1 + t + t * t + t * t * t;
}
static double exponential(double t, double c)
{
    (void)c;
    return exp(t);
}
static double vovk_infinite(double t, double c)
{
    return 1 / (1 - t / c);
}

static const estimator estimators[] = {
    {"polynomial 3", DPS_MAP_MACLAURIN, "polynomial", 3, cube},
    {"vovk_real 4", DPS_MAP_MACLAURIN, "vovk_real", 4, vovk_real_4},
    {"exponential", DPS_MAP_MACLAURIN, "exponential", 10, exponential},
    {"vovk_infinite", DPS_MAP_MACLAURIN, "vovk_infinite", 10, vovk_infinite},
    {"exponential of rbf", DPS_MAP_COMPOSITIONAL, "exponential", 10, exponential},
    {"polynomial 3 of rbf", DPS_MAP_COMPOSITIONAL, "polynomial", 3, cube},
};
enum { ESTIMATORS = sizeof estimators / sizeof estimators[0] };

static dps_status get_points(const void *context, int64_t t, dps_row_tile *tile, dps_error *err)
{
    (void)t;
    (void)err;
    *tile = (dps_row_tile){.rows = POINTS, .columns = COLUMNS, .dense = context, .stride = DPS_PAD};
    return DPS_OK;
}

/* The columns of one seed's map for all points, through the same door as training. */
static void gram(const estimator *e, int32_t features, uint64_t seed, dps_allocation allocation,
                 double out[PAIRS], double *domain_scale)
{
    float *padded = dps_alloc((size_t)DPS_TILE_ROWS * DPS_PAD, sizeof *padded);
    const dps_row_source rows = {
        .rows = POINTS, .columns = COLUMNS, .context = padded, .get = get_points};
    const dps_run run = {.threads = 1, .simd = dps_cpu_best(), .memory = (size_t)1 << 30};
    dps_map_recipe recipe;
    dps_map_request asked = {.type = e->type,
                             .features = features,
                             .seed = seed,
                             .p = 2,
                             .allocation = allocation,
                             .exact_degree = DPS_EXACT_AUTO,
                             .collapse = true,
                             .scale = DPS_MAP_SCALE_NONE,
                             .base = DPS_BASE_RBF,
                             .base_gamma = base_gamma};
    asked.kernel = (dps_kernel_params){.kernel = dps_kernel_find(e->kernel),
                                       .degree = e->degree,
                                       .offset = 1,
                                       .gamma = 1,
                                       .sigma = 1,
                                       .domain_scale = NAN};
    static dps_map_facts facts;
    dps_map *map = NULL;
    dps_feature_stream *stream = NULL;
    dps_z_tile z;
    dps_error err;

    for (int i = 0; i < POINTS; i++) {
        memcpy(padded + i * DPS_PAD, points[i], sizeof points[i]);
    }
    if (dps_map_plan(&asked, &rows, 2, 1, true, &run, &recipe, &facts, &err) != DPS_OK ||
        dps_map_new(&map, &recipe, COLUMNS, &run, &err) != DPS_OK ||
        dps_feature_stream_new(&stream, &rows, map, 0, (size_t)1 << 30, &run, &err) != DPS_OK) {
        fail_msg("%s: %s", e->name, err.text);
    }
    const dps_tile_source *source = dps_feature_stream_source(stream);
    assert_int_equal(source->get(source->context, 0, NULL, NULL, &z, &err), DPS_OK);
    for (int i = 0, pair = 0; i < POINTS; i++) {
        for (int j = 0; j <= i; j++, pair++) {
            out[pair] = 0;
            for (int32_t k = 0; k < z.width; k++) {
                out[pair] += (double)z.z[(size_t)i * z.stride + (size_t)k] *
                             (double)z.z[(size_t)j * z.stride + (size_t)k];
            }
        }
    }
    *domain_scale = recipe.kernel.domain_scale;
    dps_feature_stream_free(stream);
    dps_map_free(map);
    dps_free(padded);
}

static void exact(const estimator *e, double domain_scale, double out[PAIRS])
{
    for (int i = 0, pair = 0; i < POINTS; i++) {
        for (int j = 0; j <= i; j++, pair++) {
            double dot = 0, distance = 0;
            for (int k = 0; k < COLUMNS; k++) {
                double a = points[i][k], b = points[j][k];
                dot += a * b;
                distance += (a - b) * (a - b);
            }
            out[pair] = e->value(
                e->type == DPS_MAP_COMPOSITIONAL ? exp(-base_gamma * distance) : dot, domain_scale);
        }
    }
}

/* Largest |mean error| / standard error over the pairs; *rmse over seeds and pairs. */
static double errors(const estimator *e, int32_t features, dps_allocation allocation, double *rmse)
{
    double sum[PAIRS] = {0}, square[PAIRS] = {0}, estimate[PAIRS], kernel[PAIRS];
    double worst = 0, total = 0, c = 1;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        gram(e, features, seed, allocation, estimate, &c);
        exact(e, c, kernel);
        for (int pair = 0; pair < PAIRS; pair++) {
            double error = estimate[pair] - kernel[pair];
            sum[pair] += error;
            square[pair] += error * error;
        }
    }
    for (int pair = 0; pair < PAIRS; pair++) {
        double mean = sum[pair] / SEEDS;
        double variance = (square[pair] - SEEDS * mean * mean) / (SEEDS - 1);
        double t = fabs(mean) / (sqrt(variance / SEEDS) + 1e-6 * fabs(kernel[pair]));
        worst = t > worst ? t : worst;
        total += square[pair];
    }
    *rmse = sqrt(total / (SEEDS * PAIRS));
    return worst;
}

static void iid_maps_are_unbiased(void **state)
{
    (void)state;
    for (int k = 0; k < ESTIMATORS; k++) {
        double rmse, worst = errors(&estimators[k], 256, DPS_ALLOCATION_IID, &rmse);
        print_message("%-20s worst mean error %.2f standard errors, rmse %.4f\n",
                      estimators[k].name, worst, rmse);
        assert_true(worst <= 5);
    }
}

static void stratified_maps_are_unbiased_and_their_error_falls_as_root_of_features(void **state)
{
    (void)state;
    for (int k = 0; k < ESTIMATORS; k++) {
        const estimator *e = &estimators[k];
        double x_mean = 0, y_mean = 0, xy = 0, xx = 0, x[SIZES], y[SIZES], worst = 0;
        for (int s = 0; s < SIZES; s++) {
            double rmse, t = errors(e, 64 << s, DPS_ALLOCATION_STRATIFIED, &rmse);
            worst = t > worst ? t : worst;
            x[s] = log(64 << s);
            y[s] = log(rmse);
            x_mean += x[s] / SIZES;
            y_mean += y[s] / SIZES;
        }
        for (int s = 0; s < SIZES; s++) {
            xy += (x[s] - x_mean) * (y[s] - y_mean);
            xx += (x[s] - x_mean) * (x[s] - x_mean);
        }
        print_message("%-20s worst mean error %.2f standard errors, slope %.3f, rmse %.4f at 64\n",
                      e->name, worst, xy / xx, exp(y[0]));
        assert_true(worst <= 5);
        assert_true(fabs(xy / xx + 0.5) <= 0.05);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iid_maps_are_unbiased),
        cmocka_unit_test(stratified_maps_are_unbiased_and_their_error_falls_as_root_of_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
