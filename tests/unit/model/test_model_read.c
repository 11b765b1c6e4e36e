/* The loader: what was written comes back exactly; everything else is refused by name. */
#include "model_sample.h"

#include <sys/stat.h>
#include <unistd.h>

static const char path[] = "test_model_read.model";

/* Bytes of a saved sample. */
static char *saved(int32_t classes, size_t *size)
{
    dps_model model;
    dps_error err;
    sample_model(&model, classes);
    assert_int_equal(dps_model_save(&model, path, &err), DPS_OK);
    dps_model_release(&model);
    return sample_bytes(path, size);
}

static void refused(const char *bytes, size_t size, const char *says)
{
    sample_refused(path, bytes, size, says);
}

static void refused_altered(const char *from, const char *to, const char *says)
{
    size_t size, new_size;
    char *bytes = saved(3, &size);
    char *changed = sample_altered(bytes, size, from, to, &new_size);
    refused(changed, new_size, says);
    free(changed);
    free(bytes);
}

static void round_trip_is_exact(void **state)
{
    (void)state;
    for (int32_t classes = 2; classes <= 3; classes++) {
        dps_model model, read;
        dps_error err;
        size_t size, again;
        char *first = saved(classes, &size);
        sample_model(&model, classes);
        assert_int_equal(dps_model_load(&read, path, &err), DPS_OK);
        assert_int_equal(read.models, model.models);
        assert_int_equal(read.weights_per_model, model.weights_per_model);
        assert_memory_equal(read.weight, model.weight,
                            (size_t)model.models * model.weights_per_model * sizeof(double));
        assert_memory_equal(read.scaler.index, model.scaler.index, 3 * sizeof(int32_t));
        assert_memory_equal(read.scaler.shift, model.scaler.shift, 3 * sizeof(double));
        assert_memory_equal(read.scaler.factor, model.scaler.factor, 3 * sizeof(double));
        assert_int_equal(read.recipe.seed, model.recipe.seed);
        assert_int_equal(read.recipe.exact_degree, DPS_EXACT_NONE);
        assert_true(isnan(read.recipe.base_gamma));
        for (int32_t k = 0; k < classes; k++) {
            assert_string_equal(read.classes.text[k], model.classes.text[k]);
        }
        assert_true(read.classes.number[0] == -1.5 && isnan(read.classes.number[1]));
        /* every field: the file written from what was read is the same file */
        assert_int_equal(dps_model_save(&read, path, &err), DPS_OK);
        char *second = sample_bytes(path, &again);
        assert_int_equal(size, again);
        assert_memory_equal(first, second, size);
        free(first);
        free(second);
        dps_model_release(&read);
        dps_model_release(&model);
    }
}

static void every_flipped_byte_is_refused(void **state)
{
    dps_model model;
    dps_error err;
    size_t size;
    (void)state;
    char *bytes = saved(3, &size);
    for (size_t i = 0; i < size; i++) {
        const char flips[] = {(char)(bytes[i] ^ 1), (char)~bytes[i]};
        for (size_t k = 0; k < sizeof flips; k++) {
            sample_poke(path, i, &flips[k], 1);
            if (dps_model_load(&model, path, &err) != DPS_ERROR_DATA) {
                fail_msg("byte %zu changed from %d to %d was taken", i, bytes[i], flips[k]);
            }
        }
        sample_poke(path, i, &bytes[i], 1);
    }
    free(bytes);
}

static void every_truncation_is_refused(void **state)
{
    dps_model model;
    dps_error err;
    size_t size;
    (void)state;
    char *bytes = saved(2, &size);
    for (size_t length = size; length-- > 0;) {
        assert_int_equal(truncate(path, (off_t)length), 0);
        if (dps_model_load(&model, path, &err) != DPS_ERROR_DATA) {
            fail_msg("%zu of %zu bytes were taken", length, size);
        }
    }
    refused(bytes, size - 1, "incomplete");
    refused(bytes, 0, "not a dpsvm model");
    char *longer = malloc(size + 1);
    memcpy(longer, bytes, size);
    longer[size] = 'x';
    refused(longer, size + 1, "expected");
    free(longer);
    free(bytes);
}

static void a_number_of_bytes_below_one_is_refused(void **state)
{
    size_t size;
    (void)state;
    char *bytes = saved(2, &size);
    for (char *digit = strstr(bytes, "bytes = ") + 8; *digit != '\n'; digit++) {
        *digit = '0';
    }
    refused(bytes, size, "the number of bytes in the second line is not a number");
    free(bytes);
}

/* Rows in the unit ball, or all of them zero. */
static void small_radii_are_taken(void **state)
{
    static const struct {
        const char *text;
        double value;
    } radius[] = {{"data.radius1 = 0.5", 0.5}, {"data.radius1 = 0", 0.0}};
    size_t size, new_size;
    (void)state;
    char *bytes = saved(3, &size);
    for (size_t k = 0; k < sizeof radius / sizeof *radius; k++) {
        dps_model model;
        dps_error err;
        char *changed =
            sample_altered(bytes, size, "data.radius1 = 1.25", radius[k].text, &new_size);
        assert_int_equal(sample_load(path, changed, new_size, &model, &err), DPS_OK);
        assert_true(model.scaler.radius1 == radius[k].value);
        dps_model_release(&model);
        free(changed);
    }
    free(bytes);
}

/* Header bytes changed one at a time with size and checksum made right again: refused or taken, but
 * never a crash (run it under the sanitizers). */
static void any_header_byte_may_change_without_harm(void **state)
{
    static const char replacement[] = "\n=9-";
    size_t size;
    (void)state;
    char *bytes = saved(3, &size);
    size_t end = (size_t)(strstr(bytes, "\n\n") - bytes);
    for (size_t i = 0; i < end; i++) {
        char good = bytes[i];
        for (size_t r = 0; r < sizeof replacement - 1; r++) {
            dps_model model;
            dps_error err;
            bytes[i] = replacement[r];
            uint64_t sum = dps_checksum_of(bytes, size - DPS_MODEL_SEAL);
            for (size_t k = 0; k < 8; k++) {
                bytes[size - 8 + k] = (char)(unsigned char)(sum >> (8 * k));
            }
            sample_poke(path, i, &bytes[i], 1);
            sample_poke(path, size - 8, bytes + size - 8, 8);
            dps_status status = dps_model_load(&model, path, &err);
            assert_true(status == DPS_OK || status == DPS_ERROR_DATA);
            dps_model_release(&model);
        }
        bytes[i] = good;
        sample_poke(path, i, &bytes[i], 1);
    }
    free(bytes);
}

static void wrong_version_is_refused_with_both_numbers(void **state)
{
    size_t size;
    (void)state;
    char *bytes = saved(2, &size);
    bytes[strlen("dpsvm model ")] = '7';
    refused(bytes, size, "version 7");
    refused(bytes, size, "version 1");
    bytes[strlen("dpsvm model ")] = 'x';
    refused(bytes, size, "version");
    bytes[0] = 'D';
    refused(bytes, size, "not a dpsvm model");
    free(bytes);
}

/* As some transfers of text leave it: said, and not taken for damage. */
static void lines_that_end_in_cr_lf_are_told_apart(void **state)
{
    size_t size, used = 0;
    (void)state;
    char *bytes = saved(2, &size), *longer = malloc(2 * size);
    assert_non_null(longer);
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == '\n') {
            longer[used++] = '\r';
        }
        longer[used++] = bytes[i];
    }
    refused(longer, used, "CR LF");
    free(longer);
    free(bytes);
}

static void changed_weight_is_a_checksum_mismatch(void **state)
{
    size_t size;
    (void)state;
    char *bytes = saved(2, &size);
    bytes[size - 12] ^= 4;
    refused(bytes, size, "checksum");
    free(bytes);
}

static void unknown_missing_and_repeated_keys_are_refused(void **state)
{
    (void)state;
    refused_altered("map.p = ", "map.q = ", "unknown key map.q");
    refused_altered("map.p = 2.5\n", "", "expected map.p");
    refused_altered("map.p = 2.5\n", "map.p = 2.5\nmap.p = 2.5\n", "twice");
    refused_altered("class.2 = ", "class.3 = ", "expected class.2");
    refused_altered("random_scheme = 1\n", "", "expected random_scheme");
    refused_altered("map.p = 2.5\n", "\n", "the header ends before map.p");
}

static void a_task_and_its_classes_go_together(void **state)
{
    (void)state;
    refused_altered("task = classification", "task = regression", "regression cannot have");
}

static void a_model_of_regression_has_one_vector_and_no_classes(void **state)
{
    (void)state;
    dps_model model, found;
    dps_error err;
    sample_model(&model, 2);
    dps_class_table_release(&model.classes);
    model.task = DPS_TASK_REGRESSION;
    model.epsilon = 0.25;
    assert_int_equal(dps_model_save(&model, "test_model_read_task.model", &err), DPS_OK);
    assert_int_equal(dps_model_load(&found, "test_model_read_task.model", &err), DPS_OK);
    assert_int_equal(found.task, DPS_TASK_REGRESSION);
    assert_int_equal(found.classes.count, 0);
    assert_int_equal(found.models, 1);
    assert_true(found.epsilon == 0.25);
    assert_memory_equal(found.weight, model.weight, model.weights_per_model * sizeof(double));
    unlink("test_model_read_task.model");
    dps_model_release(&found);
    size_t size;
    model.probability = DPS_PROBABILITY_SIGMOID;
    model.sigmoid = dps_alloc(1, sizeof *model.sigmoid);
    assert_int_equal(dps_model_save(&model, path, &err), DPS_OK);
    char *bytes = sample_bytes(path, &size);
    refused(bytes, size, "a model of regression has none");
    free(bytes);
    dps_model_release(&model);
}

static void values_out_of_range_are_refused(void **state)
{
    (void)state;
    refused_altered("data.columns = 3", "data.columns : 3", "data.columns");
    refused_altered("data.columns = 3", "data.columns = -1", "data.columns");
    refused_altered("data.columns = 3", "data.columns = 2147483647", "data.columns");
    refused_altered("kernel.degree = 10", "kernel.degree = 1001", "kernel.degree");
    refused_altered("kernel.type = maclaurin", "kernel.type = tanh", "kernel.type");
    refused_altered("kernel.type = maclaurin", "kernel.type = exponential", "kernel.sigma");
    refused_altered("map.features = 3", "map.features = 3.5", "map.features");
    refused_altered("map.features = 3", "map.features = 99999999999", "map.features");
    refused_altered("map.factor = 0.3", "map.factor = nan", "map.factor");
    refused_altered("map.factor = 0.3", "map.factor = inf", "map.factor");
    refused_altered("map.factor = 0.3", "map.factor = none", "map.factor");
    refused_altered("map.collapse = on", "map.collapse = yes", "map.collapse");
    refused_altered("map.type = maclaurin", "map.type = macl", "map.type");
    refused_altered("kernel.coefficients = 0.1", "kernel.coefficients = -0.1", "coefficients");
    refused_altered("map.mean_norm2 = 0.7", "map.mean_norm2 = none", "map.mean_norm2");
    refused_altered("kernel.domain_scale = 1", "kernel.domain_scale = none", "domain_scale");
    refused_altered("solver.type = newton", "solver.type = a name too long for it", "solver.type");
    refused_altered("class.1 = two words", "class.1 = ", "class.1");
    refused_altered("class.1 = two words", "class.1 = two\\q", "class.1");
    refused_altered("class.0 = -1.5", "class.0 = zz", "order");
    refused_altered("data.dense = on", "data.dense = off", "data.dense");
}

static void sizes_are_held_against_the_file_before_allocating(void **state)
{
    (void)state;
    refused_altered("classes = 3", "classes = 2000000000", "do not fit");
    refused_altered("data.columns = 3", "data.columns = 2000000000", "do not add up");
    refused_altered("map.width = 4", "map.width = 2000000000", "do not add up");
    refused_altered("map.width = 4", "map.width = 5", "do not add up");
    refused_altered("solver.bias = 1", "solver.bias = 0", "do not add up");
}

/* Arrays with a good checksum but numbers that cannot be. */
static void impossible_numbers_are_refused(void **state)
{
    size_t size;
    (void)state;
    char *bytes = saved(2, &size);
    size_t arrays = (size_t)(strstr(bytes, "\n\n") - bytes) + 2;
    static const struct {
        size_t number;
        const char *value, *says;
    } cases[] = {
        {0, "\0\0\0\0\0\0\xf0\xbf", "indices"},  /* -1 */
        {0, "\0\0\0\0\0\0\xe0\x3f", "indices"},  /* 0.5 */
        {2, "\0\0\0\0\0\0\x14\x40", "indices"},  /* 5, twice */
        {3, "\0\0\0\0\0\0\xf8\x7f", "shifts"},   /* nan */
        {6, "\0\0\0\0\0\0\xf0\x7f", "factors"},  /* inf */
        {11, "\0\0\0\0\0\0\xf0\xff", "weights"}, /* -inf */
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        char good[8], *place = bytes + arrays + 8 * cases[c].number;
        memcpy(good, place, 8);
        memcpy(place, cases[c].value, 8);
        uint64_t sum = dps_checksum_of(bytes, size - DPS_MODEL_SEAL);
        for (size_t k = 0; k < 8; k++) {
            bytes[size - 8 + k] = (char)(unsigned char)(sum >> (8 * k));
        }
        refused(bytes, size, cases[c].says);
        memcpy(place, good, 8);
    }
    free(bytes);
}

static void tables_that_do_not_make_sense_are_refused(void **state)
{
    (void)state;
    refused_altered("data.table = 4", "data.table = 3", "empty line");
    refused_altered("data.table = 4", "data.table = 5", "column.4");
    refused_altered("data.table = 4", "data.table = 2000000000", "do not fit");
    refused_altered("column.1 = number x 1", "column.1 = numbers x 1", "what the column is");
    refused_altered("column.1 = number x 1", "column.1 = number", "name");
    refused_altered("column.1.fill = 0.1", "column.1.fill = nan", "not a finite number");
    refused_altered("column.1.fill = 0.1\n", "", "column.1.fill");
    refused_altered("column.2.values = 2", "column.2.values = -1", "number of values");
    refused_altered("column.2.values = 2", "column.2.values = 2000000000", "do not fit");
    refused_altered("column.2.values = 2", "column.2.values = 3", "column.2.value.2");
    refused_altered("column.2.value.0 = 7", "column.2.value.0 = zz", "not in order");
    refused_altered("column.2.value.0 = 7", "column.2.value.0 = ", "empty");
}

static void a_file_that_cannot_be_read_is_an_io_error(void **state)
{
    dps_model model;
    dps_error err;
    (void)state;
    assert_int_equal(dps_model_load(&model, "no_such_file.model", &err), DPS_ERROR_IO);
    assert_string_equal(err.file, "no_such_file.model");
    assert_int_equal(dps_model_load(&model, ".", &err), DPS_ERROR_IO);
    assert_int_equal(dps_model_load(&model, "/dev/null", &err), DPS_ERROR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip_is_exact),
        cmocka_unit_test(every_flipped_byte_is_refused),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(a_number_of_bytes_below_one_is_refused),
        cmocka_unit_test(small_radii_are_taken),
        cmocka_unit_test(any_header_byte_may_change_without_harm),
        cmocka_unit_test(wrong_version_is_refused_with_both_numbers),
        cmocka_unit_test(lines_that_end_in_cr_lf_are_told_apart),
        cmocka_unit_test(changed_weight_is_a_checksum_mismatch),
        cmocka_unit_test(unknown_missing_and_repeated_keys_are_refused),
        cmocka_unit_test(a_task_and_its_classes_go_together),
        cmocka_unit_test(a_model_of_regression_has_one_vector_and_no_classes),
        cmocka_unit_test(values_out_of_range_are_refused),
        cmocka_unit_test(sizes_are_held_against_the_file_before_allocating),
        cmocka_unit_test(impossible_numbers_are_refused),
        cmocka_unit_test(tables_that_do_not_make_sense_are_refused),
        cmocka_unit_test(a_file_that_cannot_be_read_is_an_io_error),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
