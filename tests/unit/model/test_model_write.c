/* A model's file: header a person can read, equal bytes for equal models, nothing half-written. */
#include "model_sample.h"

#include <unistd.h>

static const char path[] = "test_model_write.model";

static void header_starts_with_format_and_size(void **state)
{
    dps_model model;
    dps_error err;
    size_t size;
    char expected[64];
    (void)state;
    sample_model(&model, 2);
    assert_int_equal(dps_model_save(&model, path, &err), DPS_OK);
    char *bytes = sample_bytes(path, &size);
    snprintf(expected, sizeof expected, "dpsvm model 1\nbytes = %zu\n", size);
    assert_memory_equal(bytes, expected, strlen(expected));
    assert_non_null(strstr(bytes, "\nkernel.coefficients = 0.1 0 1e-300\n"));
    assert_non_null(strstr(bytes, "\nmap.gamma = none\n"));
    assert_non_null(strstr(bytes, "\nclass.1 = two words\n\n"));
    free(bytes);
    dps_model_release(&model);
}

static void arrays_follow_the_empty_line_in_little_endian(void **state)
{
    dps_model model;
    dps_error err;
    size_t size;
    (void)state;
    sample_model(&model, 2);
    assert_int_equal(dps_model_save(&model, path, &err), DPS_OK);
    char *bytes = sample_bytes(path, &size);
    const char *arrays = strstr(bytes, "\n\n") + 2;
    assert_int_equal(bytes + size - arrays, 8 * (3 * 3 + 5) + DPS_MODEL_SEAL);
    /* index: 0, 5, 2e9; 5.0 is 0x4014000000000000 */
    assert_memory_equal(arrays, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x14\x40", 16);
    free(bytes);
    dps_model_release(&model);
}

static void last_bytes_are_xxh3_of_the_rest(void **state)
{
    dps_model model;
    dps_error err;
    size_t size;
    uint64_t seal = 0;
    (void)state;
    sample_model(&model, 3);
    assert_int_equal(dps_model_save(&model, path, &err), DPS_OK);
    char *bytes = sample_bytes(path, &size);
    for (size_t k = 0; k < 8; k++) {
        seal |= (uint64_t)(unsigned char)bytes[size - 8 + k] << (8 * k);
    }
    assert_true(seal == dps_checksum_of(bytes, size - 8));
    free(bytes);
    dps_model_release(&model);
}

static void equal_models_are_equal_bytes(void **state)
{
    dps_model model;
    dps_error err;
    size_t size, again;
    (void)state;
    sample_model(&model, 3);
    assert_int_equal(dps_model_save(&model, path, &err), DPS_OK);
    char *first = sample_bytes(path, &size);
    assert_int_equal(dps_model_save(&model, "test_model_write_again.model", &err), DPS_OK);
    char *second = sample_bytes("test_model_write_again.model", &again);
    assert_int_equal(size, again);
    assert_memory_equal(first, second, size);
    unlink("test_model_write_again.model");
    free(first);
    free(second);
    dps_model_release(&model);
}

/* The library hands a model over as bytes (dpsvm_model_bytes). */
static void bytes_in_memory_are_those_of_the_file(void **state)
{
    dps_model model;
    dps_error err;
    dps_text text = {0};
    size_t size;
    (void)state;
    sample_model(&model, 3);
    assert_int_equal(dps_model_save(&model, path, &err), DPS_OK);
    assert_int_equal(dps_model_write_bytes(&model, &text, &err), DPS_OK);
    char *bytes = sample_bytes(path, &size);
    assert_int_equal(text.length, size);
    assert_memory_equal(text.data, bytes, size);
    free(bytes);
    dps_text_release(&text);
    dps_model_release(&model);
}

static void failed_write_leaves_the_old_file(void **state)
{
    dps_model model;
    dps_error err;
    (void)state;
    sample_model(&model, 2);
    assert_int_equal(dps_model_save(&model, "no_such_folder/x.model", &err), DPS_ERROR_IO);
    assert_string_equal(err.file, "no_such_folder/x.model");
    assert_int_equal(dps_model_save(&model, "/dev/full", &err), DPS_ERROR_IO);
    dps_model_release(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_starts_with_format_and_size),
        cmocka_unit_test(arrays_follow_the_empty_line_in_little_endian),
        cmocka_unit_test(last_bytes_are_xxh3_of_the_rest),
        cmocka_unit_test(equal_models_are_equal_bytes),
        cmocka_unit_test(bytes_in_memory_are_those_of_the_file),
        cmocka_unit_test(failed_write_leaves_the_old_file),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
