/* Models from strangers: files whose checksum is right and whose header asks for anything. Each is
 * refused, or does what an honest model of its size may: within run.memory, soon, and ending when
 * told to. */
#include "unit/model/model_sample.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>
#include "map.h"
#include "options.h"
#include "predictor.h"
#include "random.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static const char path[] = "test_model_strangers.model";
static volatile sig_atomic_t told;
static const dps_run run = {
    .threads = 2, .simd = DPS_SIMD_PORTABLE, .memory = (size_t)64 << 20, .stop = &told};

/* A model that predicts. */
static void honest(dps_model *model, dps_map_type type)
{
    dps_error err;
    dps_map *map;
    sample_model(model, 2);
    model->random_scheme = DPS_RANDOM_SCHEME;
    model->recipe.type = type;
    model->recipe.features = 40;
    model->recipe.input_scale = 1;
    model->recipe.factor = 1;
    model->recipe.measure = DPS_MEASURE_GEOMETRIC;
    model->recipe.p = 2;
    model->recipe.base_gamma = 0.5;
    model->recipe.kernel.kernel =
        dps_kernel_find(type == DPS_MAP_FOURIER ? "linear" : "polynomial");
    model->recipe.kernel.coefficient_count = 0;
    if (dps_map_new(&map, &model->recipe, 3, &run, &err) != DPS_OK) {
        fail_msg("%s", err.text);
    }
    model->width = dps_map_width(map);
    model->sparse_columns = dps_map_sparse_columns(map);
    dps_map_free(map);
    dps_free(model->weight);
    dps_model_shape(model);
    model->weight = dps_alloc(model->weights_per_model, sizeof(double));
}

static char *honest_bytes(dps_map_type type, size_t *size)
{
    dps_model model;
    dps_error err;
    honest(&model, type);
    assert_int_equal(dps_model_save(&model, path, &err), DPS_OK);
    dps_model_release(&model);
    return sample_bytes(path, size);
}

/* Of the program alone: a sanitizer has the kernel clear the pages of its shadow, too. */
static double seconds(void)
{
    struct rusage used;
    assert_int_equal(getrusage(RUSAGE_SELF, &used), 0);
    return (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec;
}

/* Loads and gets ready to predict. */
static dps_status meet(dps_error *err)
{
    dps_model model;
    dps_predictor predictor;
    dps_status status = dps_model_load(&model, path, err);
    if (status == DPS_OK) {
        status = dps_predictor_init(&predictor, &model, &run, err);
        if (status == DPS_OK) {
            dps_predictor_release(&predictor);
        }
        dps_model_release(&model);
    }
    return status;
}

/* The file with `value` for `key`. */
static void put_altered(const char *bytes, size_t size, const char *key, const char *value)
{
    char from[300], to[300];
    size_t new_size;
    snprintf(from, sizeof from, "\n%s = ", key);
    const char *old = strstr(bytes, from);
    assert_non_null(old);
    const int length = (int)(strchr(old + 1, '\n') - old);
    snprintf(from, sizeof from, "%.*s\n", length, old);
    snprintf(to, sizeof to, "\n%s = %s\n", key, value);
    /* sample_altered looks behind the second line: leave out the first newline where it is the first */
    char *changed = sample_altered(bytes, size, from + 1, to + 1, &new_size);
    sample_put(path, changed, new_size);
    free(changed);
}

static void an_honest_model_is_taken(void **state)
{
    (void)state;
    for (int type = DPS_MAP_MACLAURIN; type <= DPS_MAP_FOURIER; type++) {
        size_t size;
        dps_error err;
        free(honest_bytes((dps_map_type)type, &size));
        if (meet(&err) != DPS_OK) {
            fail_msg("%s: %s", dps_map_type_names[type], err.text);
        }
    }
}

/* Every number of the header by absurd ones: 2 seconds, 64 MiB, no crash. */
static void no_number_of_a_header_costs_much(void **state)
{
    (void)state;
    static const char *const values[] = {"-9223372036854775808",
                                         "-2147483648",
                                         "-1",
                                         "0",
                                         "1",
                                         "63",
                                         "64",
                                         "1000",
                                         "10000000",
                                         "2147483646",
                                         "2147483647",
                                         "4294967296",
                                         "9007199254740992",
                                         "1e308",
                                         "4.9e-324",
                                         "1.7976931348623157e308",
                                         "nan",
                                         "inf",
                                         "-inf",
                                         "none",
                                         "on",
                                         "off",
                                         "",
                                         "1 2 3 4 5 6 7 8 9"};
    for (int type = DPS_MAP_MACLAURIN; type <= DPS_MAP_FOURIER; type++) {
        size_t size;
        char *bytes = honest_bytes((dps_map_type)type, &size);
        for (size_t f = 0; f < dps_model_field_count; f++) {
            if (dps_model_fields[f].since > 1) {
                continue;
            }
            for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
                dps_error err = {0};
                put_altered(bytes, size, dps_model_fields[f].key, values[v]);
                const double begun = seconds();
                const dps_status status = meet(&err);
                const double taken = seconds() - begun;
                if (taken > (SANITIZED ? 20 : 2)) {
                    fail_msg("%s = %s takes %.1f s", dps_model_fields[f].key, values[v], taken);
                }
                assert_true(status == DPS_OK || status == DPS_ERROR_DATA ||
                            status == DPS_ERROR_MEMORY || status == DPS_ERROR_NUMERIC ||
                            status == DPS_ERROR_CONFIG);
            }
        }
        free(bytes);
    }
    struct rusage used;
    assert_int_equal(getrusage(RUSAGE_SELF, &used), 0);
    if (!SANITIZED && used.ru_maxrss > 256 * 1024) {
        fail_msg("%ld KiB were used", used.ru_maxrss);
    }
}

/* The largest draws that the options' bounds allow, with run.memory as on a large machine: what the
 * widths in the file tell apart is refused before it is drawn. */
static void widths_that_do_not_match_are_refused_before_the_map_is_drawn(void **state)
{
    (void)state;
    static const char *const keys[] = {"map.features", "map.features", "map.collapse",
                                       "map.exact_degree", "data.columns"};
    static const char *const values[] = {"10000000", "38", "off", "64", "2"};
    static const char *const says[] = {"but its map has", "but its map has", "but its map has",
                                       "but its map has", "do not add up"};
    size_t size;
    char *bytes = honest_bytes(DPS_MAP_MACLAURIN, &size);
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        dps_error err = {0};
        put_altered(bytes, size, keys[k], values[k]);
        assert_int_equal(meet(&err), DPS_ERROR_DATA);
        if (strstr(err.text, says[k]) == NULL) {
            fail_msg("%s = %s: %s", keys[k], values[k], err.text);
        }
    }
    free(bytes);
}

/* 640 million degrees are drawn for columns that are merged to one: seconds, but not deaf. */
static void what_takes_long_ends_when_told_to(void **state)
{
    (void)state;
    dps_map *map;
    dps_error err;
    dps_model model;
    honest(&model, DPS_MAP_MACLAURIN);
    model.recipe.features = 10000000;
    model.recipe.craft = 64;
    const dps_run large = {.threads = 1, .memory = (size_t)1 << 40, .stop = &told};
    told = SIGTERM;
    const double begun = seconds();
    assert_int_equal(dps_map_new(&map, &model.recipe, 3, &large, &err), DPS_ERROR_STOPPED);
    assert_null(map);
    model.recipe.craft = 1;
    model.recipe.type = DPS_MAP_COMPOSITIONAL;
    model.recipe.base = DPS_BASE_CHI2;
    assert_int_equal(dps_map_new(&map, &model.recipe, 3, &large, &err), DPS_ERROR_STOPPED);
    model.recipe.type = DPS_MAP_FOURIER;
    model.recipe.base = DPS_BASE_RBF;
    model.recipe.kernel.kernel = dps_kernel_find("linear");
    assert_int_equal(dps_map_new(&map, &model.recipe, 3, &large, &err), DPS_ERROR_STOPPED);
    told = 0;
    assert_true(seconds() - begun < (SANITIZED ? 40 : 2));
    dps_model_release(&model);
    unlink(path);
}

/* What an option of the same name may not be, a model may not either. Left out: what planning finds
 * from the rows where the option says auto. */
static void a_header_has_the_bounds_of_the_options(void **state)
{
    (void)state;
    static const char *const found[] = {"kernel.gamma", "kernel.sigma", "kernel.domain_scale",
                                        "map.gamma", "solver.C"};
    int32_t compared = 0;
    for (size_t f = 0; f < dps_model_field_count; f++) {
        const dps_model_field *field = &dps_model_fields[f];
        bool by_rows = false;
        for (size_t k = 0; k < sizeof found / sizeof found[0]; k++) {
            by_rows = by_rows || strcmp(field->key, found[k]) == 0;
        }
#define OPTION(section, name, type, effect, text, least, most, choices, unit, help)                \
    if (!by_rows && strcmp(field->key, #section "." #name) == 0 && (double)(most) > 0) {           \
        compared++;                                                                                \
        if (field->high > (double)(most)) {                                                        \
            fail_msg("%s: a model may say %g, an option %g", field->key, field->high,              \
                     (double)(most));                                                              \
        }                                                                                          \
    }
#include "options.def"
#undef OPTION
    }
    assert_true(compared >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_honest_model_is_taken),
        cmocka_unit_test(no_number_of_a_header_costs_much),
        cmocka_unit_test(widths_that_do_not_match_are_refused_before_the_map_is_drawn),
        cmocka_unit_test(what_takes_long_ends_when_told_to),
        cmocka_unit_test(a_header_has_the_bounds_of_the_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
