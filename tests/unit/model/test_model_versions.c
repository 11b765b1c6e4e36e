/* What newer versions of the format hold: forms and words of columns, bent columns, isotonic functions. They come back
 * exactly, make the version that they need, and are refused where they are no functions. */
#include "model_sample.h"

#include <unistd.h>

static const char path[] = "test_model_versions.model";

/* Isotonic functions of 2 knots for the first model, 3 for the second, 1 for the third. */
static void add_knots(dps_model *model)
{
    static const double knot[] = {-1, 2, 0.25, 0.75, -3, 0, 1e10, 0.5, 0.5, 1, 7, 0.125};
    static const int32_t count[] = {2, 3, 1};
    dps_free(model->sigmoid);
    model->sigmoid = NULL;
    model->probability = DPS_PROBABILITY_ISOTONIC;
    model->knots = 6;
    model->knot = dps_alloc(12, sizeof *model->knot);
    model->isotonic = dps_alloc(3, sizeof *model->isotonic);
    assert_non_null(model->knot);
    assert_non_null(model->isotonic);
    memcpy(model->knot, knot, sizeof knot);
    double *at = model->knot;
    for (int k = 0; k < 3; k++) {
        model->isotonic[k] = (dps_isotonic){count[k], at, at + count[k]};
        at += 2 * count[k];
    }
}

static void forms_words_and_rare_texts_come_back_and_make_version_3(void **state)
{
    (void)state;
    for (int what = 0; what < 4; what++) { /* each alone, and all together */
        dps_model model, read;
        dps_error err;
        size_t size, again;
        sample_model(&model, 3);
        if (what != 1 && what != 2) {
            model.table.column[1].form = (dps_number_form){',', '\'', '%'};
        }
        model.table.column[2].rest = what == 1 || what == 3;
        model.table.missing_words = what >= 2 ? sample_label("none given, -999, \xc3\xa9") : NULL;
        assert_int_equal(dps_model_save(&model, path, &err), DPS_OK);
        char *first = sample_bytes(path, &size);
        assert_memory_equal(first, "dpsvm model 3\n", 14);
        assert_int_equal(dps_model_load(&read, path, &err), DPS_OK);
        assert_memory_equal(&read.table.column[1].form, &model.table.column[1].form,
                            sizeof(dps_number_form));
        assert_int_equal(read.table.column[2].rest, model.table.column[2].rest);
        if (what >= 2) {
            assert_string_equal(read.table.missing_words, model.table.missing_words);
        } else {
            assert_null(read.table.missing_words);
        }
        assert_int_equal(dps_model_save(&read, path, &err), DPS_OK);
        char *second = sample_bytes(path, &again);
        assert_int_equal(size, again);
        assert_memory_equal(first, second, size);
        if (what == 3) {
            static const char *const bad[][2] = {
                {"column.1.form = comma apostrophe percent", "column.1.form = comma apostrophe"},
                {"column.1.form = comma apostrophe percent", "column.1.form = none none none"},
                {"column.1.form = comma apostrophe percent", "column.1.form = comma percent none"},
                {"column.2.rest = on", "column.2.rest = no"},
                {"table.missing_words = n", "table.missing_words = \\x0"}};
            for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
                size_t length;
                char *changed = sample_altered(first, size, bad[k][0], bad[k][1], &length);
                sample_refused(path, changed, length, "");
                free(changed);
            }
        }
        free(first);
        free(second);
        dps_model_release(&read);
        dps_model_release(&model);
    }
}

/* The sample's three columns bent: units, or 2 + 1 + 3 knots. */
static void bend(dps_model *model, dps_scaling scaling)
{
    static const double knot[] = {-1e300, 0.1, 7, 0, 5e-324, 3},
                        level[] = {-1, 1, 0, -0.5, 0.5, 0.5};
    static const int32_t begin[] = {0, 2, 3, 6};
    dps_scaler *scaler = &model->scaler;
    scaler->scaling = scaling;
    if (scaling == DPS_SCALE_LOG) {
        scaler->unit = dps_alloc(3, sizeof(double));
        scaler->unit[0] = 1.0 / 3;
        scaler->unit[1] = 5e-324;
        scaler->unit[2] = 1e300;
        return;
    }
    scaler->knots = 6;
    scaler->begin = dps_alloc(4, sizeof(int32_t));
    scaler->knot = dps_alloc(6, sizeof(double));
    scaler->level = dps_alloc(6, sizeof(double));
    memcpy(scaler->begin, begin, sizeof begin);
    memcpy(scaler->knot, knot, sizeof knot);
    memcpy(scaler->level, level, sizeof level);
}

static void bent_columns_come_back_and_make_version_4(void **state)
{
    (void)state;
    for (int scaling = DPS_SCALE_LOG; scaling <= DPS_SCALE_RANK; scaling++) {
        dps_model model, read;
        dps_error err;
        size_t size, again, length;
        sample_model(&model, 2);
        bend(&model, (dps_scaling)scaling);
        assert_int_equal(dps_model_save(&model, path, &err), DPS_OK);
        char *first = sample_bytes(path, &size);
        assert_memory_equal(first, "dpsvm model 4\n", 14);
        assert_int_equal(dps_model_load(&read, path, &err), DPS_OK);
        if (scaling == DPS_SCALE_LOG) {
            assert_memory_equal(read.scaler.unit, model.scaler.unit, 3 * sizeof(double));
        } else {
            assert_memory_equal(read.scaler.begin, model.scaler.begin, 4 * sizeof(int32_t));
            assert_memory_equal(read.scaler.knot, model.scaler.knot, 6 * sizeof(double));
            assert_memory_equal(read.scaler.level, model.scaler.level, 6 * sizeof(double));
        }
        assert_int_equal(dps_model_save(&read, path, &err), DPS_OK);
        char *second = sample_bytes(path, &again);
        assert_int_equal(size, again);
        assert_memory_equal(first, second, size);
        char *changed = sample_altered(first, size, scaling == DPS_SCALE_LOG ? "= log" : "= rank",
                                       "= max_abs", &length);
        sample_refused(path, changed, length, "version");
        free(changed);
        changed = sample_altered(first, size, "data.dense = on", "data.dense = off", &length);
        sample_refused(path, changed, length, scaling == DPS_SCALE_LOG ? "shift" : "data.knots");
        free(changed);
        free(first);
        free(second);
        dps_model_release(&read);
        dps_model_release(&model);
    }
}

static void bends_that_make_no_function_are_refused(void **state)
{
    (void)state;
    /* what of the scaler, place in it, value, what the error says */
    enum { UNIT, KNOT, LEVEL, BEGIN, KNOTS };
    static const struct {
        int what, place;
        double value;
        const char *says;
    } fault[] = {{UNIT, 0, 0, "not above 0"},        {UNIT, 2, -1, "not above 0"},
                 {KNOT, 1, -1e300, "do not ascend"}, {KNOT, 5, 0, "do not ascend"},
                 {LEVEL, 0, -1.5, "do not ascend"},  {LEVEL, 2, 1.25, "do not ascend"},
                 {LEVEL, 4, -0.75, "do not ascend"}, {BEGIN, 1, 0, "data.knots"},
                 {BEGIN, 3, 5, "data.knots"},        {KNOTS, 0, 2, "data.knots"}};
    for (size_t k = 0; k < sizeof fault / sizeof fault[0]; k++) {
        dps_model model, read;
        dps_error err;
        sample_model(&model, 2);
        bend(&model, fault[k].what == UNIT ? DPS_SCALE_LOG : DPS_SCALE_RANK);
        dps_scaler *scaler = &model.scaler;
        if (fault[k].what == BEGIN) {
            scaler->begin[fault[k].place] = (int32_t)fault[k].value;
        } else if (fault[k].what == KNOTS) {
            scaler->knots = (int32_t)fault[k].value;
        } else {
            double *array = fault[k].what == UNIT   ? scaler->unit
                            : fault[k].what == KNOT ? scaler->knot
                                                    : scaler->level;
            array[fault[k].place] = fault[k].value;
        }
        assert_int_equal(dps_model_save(&model, path, &err), DPS_OK);
        assert_int_equal(dps_model_load(&read, path, &err), DPS_ERROR_DATA);
        assert_non_null(strstr(err.text, fault[k].says));
        dps_model_release(&model);
    }
}

static void isotonic_functions_come_back_and_make_version_2(void **state)
{
    (void)state;
    dps_model model, read;
    dps_error err;
    size_t size;
    sample_model(&model, 3);
    add_knots(&model);
    assert_int_equal(dps_model_save(&model, path, &err), DPS_OK);
    char *bytes = sample_bytes(path, &size);
    assert_memory_equal(bytes, "dpsvm model 2\n", 14);
    free(bytes);
    assert_int_equal(dps_model_load(&read, path, &err), DPS_OK);
    assert_int_equal(read.probability, DPS_PROBABILITY_ISOTONIC);
    assert_null(read.sigmoid);
    assert_int_equal(read.knots, 6);
    for (int k = 0; k < 3; k++) {
        const size_t length = (size_t)model.isotonic[k].count * sizeof(double);
        assert_int_equal(read.isotonic[k].count, model.isotonic[k].count);
        assert_memory_equal(read.isotonic[k].score, model.isotonic[k].score, length);
        assert_memory_equal(read.isotonic[k].p, model.isotonic[k].p, length);
    }
    dps_model_release(&read);
    dps_model_release(&model);
}

static void knots_that_make_no_function_are_refused(void **state)
{
    (void)state;
    /* place in knot, value: scores equal, p descending, p above 1, p below 0 */
    static const struct {
        int place;
        double value;
    } fault[] = {{1, -1}, {3, 0.125}, {9, 1.5}, {2, -0.5}, {11, 2}, {8, 0.25}};
    for (size_t k = 0; k < sizeof fault / sizeof fault[0]; k++) {
        dps_model model, read;
        dps_error err;
        sample_model(&model, 3);
        add_knots(&model);
        model.knot[fault[k].place] = fault[k].value;
        assert_int_equal(dps_model_save(&model, path, &err), DPS_OK);
        assert_int_equal(dps_model_load(&read, path, &err), DPS_ERROR_DATA);
        assert_non_null(strstr(err.text, "do not ascend within 0 to 1"));
        dps_model_release(&model);
    }
    for (int32_t count = 0; count < 6; count++) { /* 2 is right */
        dps_model model, read;
        dps_error err;
        sample_model(&model, 3);
        add_knots(&model);
        model.isotonic[0].count = count;
        assert_int_equal(dps_model_save(&model, path, &err), DPS_OK);
        assert_int_equal(dps_model_load(&read, path, &err), count == 2 ? DPS_OK : DPS_ERROR_DATA);
        if (count == 2) {
            dps_model_release(&read);
        } else {
            assert_non_null(strstr(err.text, "solver.knots"));
        }
        dps_model_release(&model);
    }
}

/* A reader of an older format would not know a newer field, and would miss none of its own. */
static void fields_come_with_the_version_that_brought_them(void **state)
{
    static const struct {
        const char *key;
        int since;
    } newer[] = {{"solver.knots", 2},   {"data.knots", 4},           {"map.refine", 4},
                 {"map.moved", 4},      {"trained.refine_steps", 4}, {"trained.refine_rows", 4},
                 {"self_test.rows", 5}, {"trained.outcome", 1},      {"data.scaling", 1}};
    (void)state;
    for (int version = 1; version <= DPS_MODEL_VERSION; version++) {
        dps_model model;
        dps_error err;
        size_t size;
        sample_model(&model, 3);
        if (version == 2) {
            add_knots(&model);
        }
        model.table.column[2].rest = version == 3;
        model.recipe.refine = version == 4 ? DPS_REFINE_METRIC : DPS_REFINE_NONE;
        if (version == 5) {
            model.self_test_rows = 2;
            model.self_test = dps_alloc(6, sizeof *model.self_test);
        }
        assert_int_equal(dps_model_version_of(&model), version);
        assert_int_equal(dps_model_save(&model, path, &err), DPS_OK);
        char *bytes = sample_bytes(path, &size);
        for (size_t k = 0; k < sizeof newer / sizeof newer[0]; k++) {
            char line[60];
            snprintf(line, sizeof line, "\n%s = ", newer[k].key);
            if ((strstr(bytes, line) != NULL) != (version >= newer[k].since)) {
                fail_msg("version %d: %s", version, newer[k].key);
            }
        }
        free(bytes);
        dps_model_release(&model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_words_and_rare_texts_come_back_and_make_version_3),
        cmocka_unit_test(bent_columns_come_back_and_make_version_4),
        cmocka_unit_test(bends_that_make_no_function_are_refused),
        cmocka_unit_test(isotonic_functions_come_back_and_make_version_2),
        cmocka_unit_test(knots_that_make_no_function_are_refused),
        cmocka_unit_test(fields_come_with_the_version_that_brought_them),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
