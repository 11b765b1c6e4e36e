/* Model files: as the input is, and with the number of bytes and the checksum made right, so that
 * what is behind them is reached. A model that is taken can be described, is written and read back
 * to the same bytes, and gives the same bits on every SIMD path as in plain C. */
#include "cpu.h"
#include "describe.h"
#include "describe_weights.h"
#include "fuzz_target.h"
#include "model_fields.h"
#include "self_test.h"

/* The file with its second line and its last bytes made right. */
static void make_right(const char *bytes, size_t length, dps_text *out)
{
    const char *end = bytes + length;
    const char *first = memchr(bytes, '\n', length);
    const char *second = first == NULL ? NULL : memchr(first + 1, '\n', (size_t)(end - first - 1));
    if (second == NULL || end - second - 1 < DPS_MODEL_SEAL) {
        return;
    }
    const size_t magic = (size_t)(first + 1 - bytes), rest = (size_t)(end - second - 1);
    char line[64];
    size_t line_length = 0, before;
    do { /* the line counts itself */
        before = line_length;
        line_length =
            (size_t)snprintf(line, sizeof line, "bytes = %zu\n", magic + line_length + rest);
    } while (line_length != before);
    dps_text_append(out, bytes, magic);
    dps_text_append(out, line, line_length);
    dps_text_append(out, second + 1, rest - DPS_MODEL_SEAL);
    const uint64_t sum = dps_checksum_of(out->data, out->length);
    for (int k = 0; k < DPS_MODEL_SEAL; k++) {
        const char byte = (char)(unsigned char)(sum >> (8 * k));
        dps_text_append(out, &byte, 1);
    }
}

static void save(const dps_model *model, const char *path, dps_text *bytes)
{
    dps_error err;
    FUZZ_HOLDS(dps_model_save(model, path, &err) == DPS_OK, "not written: %s", err.text);
    fuzz_get(path, bytes);
}

static void write_read_write(const dps_model *model)
{
    dps_model again;
    dps_error err;
    char path[300];
    dps_text first = {0}, second = {0};
    save(model, fuzz_path(path, "again.model"), &first);
    FUZZ_HOLDS(dps_model_load(&again, path, &err) == DPS_OK, "not read back: %s", err.text);
    save(&again, path, &second);
    FUZZ_HOLDS(fuzz_same(&first, &second), "other bytes after write, read, write");
    dps_text_release(&first);
    dps_text_release(&second);
    dps_model_release(&again);
}

/* What predicting takes is bounded by the model; time here by leaving out large ones. */
static void score(dps_model *model)
{
    enum { most_width = 256, most_columns = 64, most_classes = 8 };
    const dps_run run = fuzz_run(1);
    dps_error err;
    dps_text said = {0};
    if (model->width > most_width || model->recipe.features > most_width ||
        model->scaler.columns > most_columns || model->models > most_classes) {
        return;
    }
    model->self_test_rows = 0; /* its own scores may be anything */
    dps_free(model->self_test);
    model->self_test = NULL;
    const dps_status status = dps_self_test_verify(model, &run, &said, &err);
    FUZZ_HOLDS(status == DPS_OK ||
                   (err.text[0] != '\0' && strstr(err.text, "other scores") == NULL),
               "%s", err.text);
    dps_text_release(&said);
}

static void describe(const dps_model *model)
{
    dps_error err;
    for (int k = 0; k < 3; k++) {
        dps_text text = {0};
        const dps_status status = k < 2 ? dps_describe_model(model, "in.model", k == 1, &text, &err)
                                        : dps_describe_weights(model, "in.model", &text, &err);
        FUZZ_HOLDS(status == DPS_OK || (k == 2 && status == DPS_ERROR_CONFIG) ||
                       (k == 2 && status == DPS_ERROR_DATA),
                   "not described: %s", err.text);
        for (size_t i = 0; i < text.length; i++) {
            FUZZ_HOLDS((unsigned char)text.data[i] >= 32 || text.data[i] == '\n' ||
                           text.data[i] == '\t',
                       "a control byte in the description");
        }
        dps_text_release(&text);
    }
}

static void meet(const char *bytes, size_t length)
{
    dps_model model;
    dps_error err;
    char path[300];
    fuzz_put(fuzz_path(path, "in.model"), bytes, length);
    const dps_status status = dps_model_load(&model, path, &err);
    if (status != DPS_OK) {
        FUZZ_HOLDS(status == DPS_ERROR_DATA && err.text[0] != '\0', "status %d: %s", status,
                   err.text);
        return;
    }
    describe(&model);
    write_read_write(&model);
    score(&model);
    dps_model_release(&model);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    dps_text right = {0};
    meet((const char *)bytes, length);
    make_right((const char *)bytes, length, &right);
    if (right.length > 0 && !right.failed) {
        meet(right.data, right.length);
    }
    dps_text_release(&right);
    return 0;
}
