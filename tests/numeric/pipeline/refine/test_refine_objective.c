/* F = min over w of P(w; V) and its gradient, against P written out in double over a map in double:
 * at the w that was found, differences by every variable; and F itself along its gradient. */
#include "refine_objective.h"
#include "unit/features/moving_map.h"

enum { MOST_ROWS = 1100, COLUMNS = 5, FEATURES = 14, MOST_COLUMNS = 64, CLASSES = 3 };
#define BIAS    1.0
#define EPSILON 0.1
#define C_VALUE 2.0

typedef struct objective_case {
    const char *name;
    dps_map_type type;
    dps_base base;
    int32_t exact_degree;
    dps_projection projection;
} objective_case;

static const objective_case maps[] = {
    {"fourier", DPS_MAP_FOURIER, DPS_BASE_RBF, DPS_EXACT_NONE, DPS_PROJECTION_RADEMACHER},
    {"fourier and the rows", DPS_MAP_FOURIER, DPS_BASE_RBF, 1, DPS_PROJECTION_RADEMACHER},
    {"signs, H0/1", DPS_MAP_MACLAURIN, DPS_BASE_DOT, 1, DPS_PROJECTION_RADEMACHER},
    {"gaussian", DPS_MAP_MACLAURIN, DPS_BASE_DOT, DPS_EXACT_NONE, DPS_PROJECTION_GAUSSIAN},
    {"compositional rbf", DPS_MAP_COMPOSITIONAL, DPS_BASE_RBF, 0, DPS_PROJECTION_RADEMACHER},
};
enum { MAPS = sizeof maps / sizeof maps[0] };

/* Three classes: their loss on few rows, squares on more (docs/algorithms.md, section 14). */
static const struct {
    const char *loss;
    int32_t classes;
    bool weighted;
    int32_t rows;
} tasks[] = {{"squared_hinge", 2, false, 500},
             {"hinge", 2, true, 500},
             {"squared_hinge", 3, true, 500},
             {"squared_hinge", 3, false, MOST_ROWS},
             {"logistic", 2, true, 500},
             {"logistic", 3, false, 500},
             {"logistic", 3, true, MOST_ROWS},
             {"squared_epsilon_insensitive", 2, true, 500},
             {"epsilon_insensitive", 2, false, 500}};
enum { TASKS = sizeof tasks / sizeof tasks[0] };

typedef struct bench {
    fixture_rows rows;
    size_t count; /* of them */
    int32_t label[MOST_ROWS];
    double target[MOST_ROWS], weight[MOST_ROWS], class_weight[CLASSES];
    dps_labelled_rows labelled;
    dps_run run;
    dps_map *map;
    dps_refine_objective o;
    double *theta, *g;
    moving_column list[MOST_COLUMNS];
    int32_t moving;
} bench;

static double *doubles(size_t count)
{
    double *v = dps_alloc(count, sizeof *v);
    assert_non_null(v);
    return v;
}

static void make_rows(bench *b, int32_t classes, bool dense)
{
    b->rows = fixture_rows_new((int64_t)b->count, COLUMNS, 0.9, 1.5, 61);
    for (size_t i = 0; i < b->count; i++) {
        const float *x = b->rows.dense + i * b->rows.stride;
        const double noise = dps_random_normal(5, DPS_STREAM_SAMPLE, 1, 0, (uint32_t)i);
        b->target[i] = 2.0 * (double)x[0] * (double)x[1] + sin(3.0 * (double)x[2]) + 0.2 * noise;
        b->label[i] = (b->target[i] > 0.0) + (classes > 2 && b->target[i] > 0.6);
        b->weight[i] = i % 7 == 0 ? 0.0 : 0.5 + (double)(i % 3);
    }
    for (int32_t k = 0; k < CLASSES; k++) {
        b->class_weight[k] = 1.0 + 0.5 * k;
    }
    b->labelled = (dps_labelled_rows){.x = fixture_source(&b->rows, dense), .dense = dense};
}

static bench *bench_new(const objective_case *c, dps_refine refine, size_t task, dps_simd simd,
                        bool dense)
{
    bench *b = dps_alloc(1, sizeof *b);
    const dps_loss *loss = dps_loss_find(tasks[task].loss);
    const bool fourier = c->type == DPS_MAP_FOURIER;
    dps_map_recipe recipe = fixture_recipe(fourier ? "linear" : "exponential", FEATURES);
    assert_non_null(b);
    b->count = (size_t)tasks[task].rows;
    make_rows(b, tasks[task].classes, dense);
    b->labelled.label = b->label;
    b->labelled.target = loss->regression ? b->target : NULL;
    b->labelled.weight = tasks[task].weighted ? b->weight : NULL;
    b->run = fixture_run(1);
    b->run.simd = simd;
    recipe.type = c->type;
    recipe.base = c->base;
    recipe.projection = c->projection;
    recipe.exact_degree = c->exact_degree;
    recipe.factor = 0.7;
    recipe.refine = refine;
    assert_int_equal(dps_map_new(&b->map, &recipe, COLUMNS, &b->run, NULL), DPS_OK);
    b->o = (dps_refine_objective){.run = &b->run,
                                  .metric = refine == DPS_REFINE_METRIC,
                                  .map = b->map,
                                  .bias = BIAS,
                                  .budget = (size_t)1 << 28,
                                  .problem = {.classes = tasks[task].classes,
                                              .class_weight = b->class_weight,
                                              .loss = dps_loss_smooth(loss),
                                              .epsilon = EPSILON,
                                              .C = C_VALUE},
                                  .settings = {.tolerance = 1e-9, .max_iterations = 200}};
    b->theta = doubles(dps_refine_variables(b->map, b->o.metric, COLUMNS));
    b->g = doubles(dps_refine_variables(b->map, b->o.metric, COLUMNS));
    assert_int_equal(dps_refine_objective_init(&b->o, &b->labelled, NULL), DPS_OK);
    b->moving = list_columns(b->map, b->list);
    dps_refine_objective_start(&b->o, b->theta);
    return b;
}

static void bench_free(bench *b)
{
    dps_refine_objective_release(&b->o);
    dps_map_free(b->map);
    fixture_rows_free(&b->rows);
    dps_free(b->theta);
    dps_free(b->g);
    dps_free(b);
}

static double value_of(bench *b)
{
    double f;
    dps_error err = {0};
    if (dps_refine_objective_value(&b->o, b->theta, &f, b->g, &err) != DPS_OK) {
        fail_msg("objective: %s", err.text);
    }
    return f;
}

/* ---- in double -------------------------------------------------------------------------------*/

/* V = unit L^-T theta; of a metric T, then V = T start. */
static void projections_of(const bench *b, const double *theta, double *v)
{
    const dps_refine_objective *o = &b->o;
    const size_t e = COLUMNS + 1, f = o->columns, factors = (size_t)o->factors;
    double *m = doubles(o->n);
    for (size_t i = o->rows; i-- > 0;) {
        for (size_t j = 0; j < f; j++) {
            double sum = o->unit * theta[i * f + j];
            for (size_t k = i + 1; k < o->rows; k++) {
                sum -= o->whitener[k * e + i] * m[k * f + j];
            }
            m[i * f + j] = sum / o->whitener[i * e + i];
        }
    }
    for (size_t i = 0; i < e; i++) {
        for (size_t j = 0; j < factors; j++) {
            double sum = o->metric && i == COLUMNS ? (double)o->start[i * factors + j] : 0.0;
            for (size_t k = 0; o->metric && i < COLUMNS && k < COLUMNS; k++) {
                sum += m[i * f + k] * (double)o->start[k * factors + j];
            }
            v[i * factors + j] = o->metric ? sum : m[i * f + j];
        }
    }
    dps_free(m);
}

static double loss_of(const dps_problem *p, double u, double y)
{
    if (p->classes > 2 && p->source->rows > 1024) {
        return (y - u) * (y - u);
    }
    if (p->loss->regression) {
        return pow(fmax(0.0, fabs(y - u) - p->epsilon), 2.0);
    }
    return strcmp(p->loss->name, "logistic") == 0 ? log(1.0 + exp(-y * u))
                                                  : pow(fmax(0.0, 1.0 - y * u), 2.0);
}

/* (sum over models of P(w; V)) / (C sum of weights, over models); z: rows x width, whose moving
 * columns are made anew. */
static double objective(const bench *b, const double *theta, float *z)
{
    const dps_refine_objective *o = &b->o;
    const dps_problem *p = &o->problem;
    const size_t width = (size_t)dps_map_width(b->map);
    const int32_t models = dps_problem_models(p);
    double *v = doubles((COLUMNS + 1) * (size_t)o->factors), sum = 0.0, weights = 0.0;
    projections_of(b, theta, v);
    for (size_t i = 0; i < b->count; i++) {
        double row[MOST_COLUMNS + 1];
        for (size_t j = 0; j < width; j++) {
            row[j] = z[i * width + j];
        }
        row[width] = BIAS;
        for (int32_t c = 0; c < b->moving; c++) {
            row[b->list[c].column] =
                column_value(b->map, &b->list[c], v, b->rows.dense + i * b->rows.stride, -1, 0.0);
        }
        const double weight = (p->loss->regression ? 1.0 : b->class_weight[b->label[i]]) *
                              (p->row_weight != NULL ? b->weight[i] : 1.0);
        weights += weight * models;
        for (int32_t k = 0; k < models; k++) {
            const double *w = o->solution.w + (size_t)k * o->solution.length;
            const double y = p->loss->regression                   ? b->target[i]
                             : b->label[i] == (models > 1 ? k : 1) ? 1.0
                                                                   : -1.0;
            double u = 0.0;
            for (size_t j = 0; j <= width; j++) {
                u += w[j] * row[j];
            }
            sum += weight * loss_of(p, u, y);
        }
    }
    for (int32_t k = 0; k < models; k++) {
        for (size_t j = 0; j <= width; j++) {
            sum += 0.5 * pow(o->solution.w[(size_t)k * o->solution.length + j], 2.0) / C_VALUE;
        }
    }
    dps_free(v);
    return sum / weights;
}

static float *mapped_rows(const bench *b)
{
    const size_t width = (size_t)dps_map_width(b->map);
    float *z = dps_alloc(b->count * width, sizeof *z);
    void *scratch = dps_alloc(dps_map_scratch_bytes(b->map), 1);
    for (int64_t t = 0; t < dps_tile_count((int64_t)b->count); t++) {
        const dps_row_tile tile = fixture_tile(&b->rows, t, true);
        assert_int_equal(dps_map_apply(b->map, b->run.simd, &tile,
                                       z + (size_t)t * DPS_TILE_ROWS * width, width, scratch, NULL),
                         DPS_OK);
    }
    dps_free(scratch);
    return z;
}

/* ---- tests -----------------------------------------------------------------------------------*/

static double norm(const double *v, size_t n)
{
    double sum = 0.0;
    for (size_t k = 0; k < n; k++) {
        sum += v[k] * v[k];
    }
    return sqrt(sum);
}

/* |g - differences| over |g|: floats of V, of z and of dP / dz err by 2^-24 of their size each, and
 * rows near a kink of a squared loss fall on its other side there. */
static void check_gradient(size_t m, dps_refine refine, size_t task, double *worst)
{
    const double step = 1e-5;
    bench *b = bench_new(&maps[m], refine, task, dps_cpu_best(), true);
    const double f = value_of(b);
    float *z = mapped_rows(b);
    double *theta = doubles(b->o.n), *off = doubles(b->o.n);
    memcpy(theta, b->theta, b->o.n * sizeof *theta);
    /* the value of squares comes of a Gram matrix, whose chains are of floats */
    assert_true(fabs(objective(b, theta, z) - f) <= 5e-6 * f);
    for (size_t k = 0; k < b->o.n; k++) {
        theta[k] = b->theta[k] + step;
        const double up = objective(b, theta, z);
        theta[k] = b->theta[k] - step;
        off[k] = b->g[k] - (up - objective(b, theta, z)) / (2.0 * step);
        theta[k] = b->theta[k];
    }
    const double error = norm(off, b->o.n) / norm(b->g, b->o.n);
    print_message("%s, %s, %s of %d, F = %.4f: gradient off by %.2g\n", maps[m].name,
                  dps_name_of(dps_refine_names, refine), tasks[task].loss, tasks[task].classes, f,
                  error);
    *worst = fmax(*worst, error);
    dps_free(z);
    dps_free(theta);
    dps_free(off);
    bench_free(b);
}

static void the_gradient_is_the_differences_of_the_objective(void **state)
{
    (void)state;
    double worst = 0.0;
    for (size_t m = 0; m < MAPS; m++) {
        for (size_t task = 0; task < TASKS; task++) {
            check_gradient(m, DPS_REFINE_PROJECTIONS, task, &worst);
            check_gradient(m, DPS_REFINE_METRIC, task, &worst);
        }
    }
    print_message("worst %.2g\n", worst);
    assert_true(worst <= 1e-6);
}

/* The envelope theorem: F where w follows has the slope that is found with w held. */
static void the_objective_falls_as_its_gradient_says(void **state)
{
    (void)state;
    for (size_t m = 0; m < MAPS; m++) {
        for (size_t task = 0; task < TASKS; task++) {
            bench *b = bench_new(&maps[m], DPS_REFINE_PROJECTIONS, task, dps_cpu_best(), true);
            value_of(b);
            const double steepness = norm(b->g, b->o.n), step = 3e-3;
            double *direction = doubles(b->o.n), f[2];
            for (size_t k = 0; k < b->o.n; k++) {
                direction[k] = b->g[k] / steepness;
                b->theta[k] += step * direction[k];
            }
            f[0] = value_of(b);
            for (size_t k = 0; k < b->o.n; k++) {
                b->theta[k] -= 2.0 * step * direction[k];
            }
            f[1] = value_of(b);
            const double slope = (f[0] - f[1]) / (2.0 * step);
            assert_true(fabs(slope - steepness) <= 2e-3 * steepness);
            dps_free(direction);
            bench_free(b);
        }
    }
}

/* L L^T = M + its mean diagonal on the diagonal. */
static void the_variables_are_whitened_by_the_second_moments(void **state)
{
    (void)state;
    enum { E = COLUMNS + 1 };
    bench *b = bench_new(&maps[0], DPS_REFINE_PROJECTIONS, 0, dps_cpu_best(), true);
    double moment[E][E] = {{0.0}}, trace = 0.0;
    for (size_t n = 0; n < b->count; n++) {
        double x[E];
        for (size_t i = 0; i < E; i++) {
            x[i] = i < COLUMNS ? b->rows.dense[n * b->rows.stride + i] : 1.0;
        }
        for (size_t i = 0; i < E; i++) {
            for (size_t j = 0; j < E; j++) {
                moment[i][j] += x[i] * x[j] / (double)b->count;
            }
            trace += x[i] * x[i] / (double)b->count;
        }
    }
    for (size_t i = 0; i < E; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (size_t k = 0; k <= j; k++) {
                sum += b->o.whitener[i * E + k] * b->o.whitener[j * E + k];
            }
            assert_true(fabs(sum - moment[i][j] - (i == j ? trace / E : 0.0)) <= 1e-6);
        }
    }
    bench_free(b);
}

/* The start is the map as drawn, whatever the coordinates. */
static void the_start_is_the_map_as_drawn(void **state)
{
    (void)state;
    for (size_t m = 0; m < MAPS; m++) {
        for (int refine = DPS_REFINE_PROJECTIONS; refine <= DPS_REFINE_METRIC; refine++) {
            bench *b = bench_new(&maps[m], (dps_refine)refine, 0, dps_cpu_best(), true);
            float *drawn = mapped_rows(b);
            value_of(b);
            float *start = mapped_rows(b);
            for (size_t k = 0; k < b->count * (size_t)dps_map_width(b->map); k++) {
                assert_true(fabs((double)start[k] - (double)drawn[k]) <= 5e-6);
            }
            dps_free(drawn);
            dps_free(start);
            bench_free(b);
        }
    }
}

static void the_same_bits_come_of_any_path_threads_and_rows(void **state)
{
    (void)state;
    for (size_t m = 0; m < MAPS; m++) {
        for (size_t task = 1; task < TASKS; task += 2) {
            bench *first =
                bench_new(&maps[m], DPS_REFINE_PROJECTIONS, task, DPS_SIMD_PORTABLE, true);
            const double f = value_of(first);
            for (int way = 1; way <= 2 * DPS_SIMD_AVX512 + 1; way++) {
                const dps_simd simd = (dps_simd)(way / 2);
                if (!dps_cpu_has(simd)) {
                    continue;
                }
                bench *b = bench_new(&maps[m], DPS_REFINE_PROJECTIONS, task, simd, way % 2 == 0);
                b->run.threads = 1 + way % 4;
                assert_true(value_of(b) == f);
                assert_memory_equal(b->g, first->g, first->o.n * sizeof *first->g);
                bench_free(b);
            }
            bench_free(first);
        }
    }
}

/* Each second row a copy of the one before it: both of weight 1, or one of 2 and one of 0, whose
 * label then means nothing. The order of sums alone differs. */
static void rows_of_weight_2_are_two_rows(void **state)
{
    (void)state;
    for (size_t m = 0; m < MAPS; m++) {
        bench *b = bench_new(&maps[m], DPS_REFINE_PROJECTIONS, 1, dps_cpu_best(), true);
        double f[2], *g = doubles(b->o.n);
        for (size_t i = 0; i < b->count; i++) {
            if (i % 2 == 1) {
                memcpy(b->rows.dense + i * b->rows.stride, b->rows.dense + (i - 1) * b->rows.stride,
                       COLUMNS * sizeof(float));
                b->label[i] = b->label[i - 1];
            }
            b->weight[i] = 1.0;
        }
        for (int k = 0; k < 2; k++) {
            assert_int_equal(dps_refine_objective_rows(&b->o, &b->labelled, NULL), DPS_OK);
            f[k] = value_of(b);
            for (size_t i = 0; k == 0 && i < b->count; i++) {
                b->weight[i] = i % 2 == 0 ? 2.0 : 0.0;
                b->label[i] = i % 2 == 0 ? b->label[i] : 1 - b->label[i];
            }
            if (k == 0) {
                memcpy(g, b->g, b->o.n * sizeof *g);
            }
        }
        assert_true(fabs(f[1] - f[0]) <= 1e-7 * f[0]);
        for (size_t k = 0; k < b->o.n; k++) {
            assert_true(fabs(b->g[k] - g[k]) <= 1e-6 * norm(g, b->o.n));
        }
        dps_free(g);
        bench_free(b);
    }
}

/* Numbers beyond the range of float are a value no step is taken to, not an error. */
static void a_map_out_of_range_is_an_infinite_objective(void **state)
{
    (void)state;
    bench *b = bench_new(&maps[2], DPS_REFINE_PROJECTIONS, 0, dps_cpu_best(), true);
    for (size_t k = 0; k < b->o.n; k++) {
        b->theta[k] *= 1e37;
    }
    assert_true(isinf(value_of(b)));
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gradient_is_the_differences_of_the_objective),
        cmocka_unit_test(the_objective_falls_as_its_gradient_says),
        cmocka_unit_test(the_variables_are_whitened_by_the_second_moments),
        cmocka_unit_test(the_start_is_the_map_as_drawn),
        cmocka_unit_test(the_same_bits_come_of_any_path_threads_and_rows),
        cmocka_unit_test(rows_of_weight_2_are_two_rows),
        cmocka_unit_test(a_map_out_of_range_is_an_infinite_objective),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
