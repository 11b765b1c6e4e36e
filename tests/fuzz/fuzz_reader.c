/* The whole reader of training rows, on one thread in large pieces against three threads in small
 * ones, of the same bytes in one or two files: the same rows, labels and notes, or the same error
 * at the same place. First byte: size of the pieces; second: format and options; \x1d begins the
 * second file. */
#include "allocation.h"
#include "fuzz_target.h"
#include "raw_rows.h"

typedef struct outcome {
    dps_status status;
    dps_error err;
    dps_raw_rows raw;
    dps_text rows; /* every row as text */
} outcome;

static void write_rows(const dps_raw_rows *raw, dps_text *out)
{
    for (int64_t b = 0; b < raw->blocks; b++) {
        const dps_raw_block *block = &raw->block[b];
        for (int64_t i = 0; i < block->rows; i++) {
            const int32_t label = block->label[i];
            FUZZ_HOLDS(label >= -1 && label < block->label_count, "a label that does not exist");
            dps_text_format(out, "%d ", label >= 0);
            if (label >= 0) {
                const int32_t begin = block->label_begin[label];
                dps_text_append(out, block->label_bytes + begin,
                                (size_t)(block->label_begin[label + 1] - begin));
            }
            if (block->weight != NULL) {
                dps_text_format(out, " w%a", block->weight[i]);
            }
            for (uint32_t k = block->start[i]; k < block->start[i + 1]; k++) {
                FUZZ_HOLDS(k == block->start[i] || block->index[k] > block->index[k - 1],
                           "indices that do not ascend");
                dps_text_format(out, " %ld:%a", (long)block->index[k], block->value[k]);
            }
            dps_text_add(out, "\n");
        }
    }
}

static void read_rows(const char *const *paths, size_t count, const dps_read_options *options,
                      size_t chunk_bytes, int threads, outcome *o)
{
    const dps_run run = fuzz_run(threads);
    *o = (outcome){0};
    o->status = dps_raw_rows_read(&o->raw, paths, count, options, NULL, chunk_bytes, &run, &o->err);
    if (o->status == DPS_OK) {
        write_rows(&o->raw, &o->rows);
        FUZZ_HOLDS(!o->rows.failed, "memory");
    }
}

static void compare(const outcome *a, const outcome *b)
{
    FUZZ_HOLDS(a->status == b->status, "status %d (%s), in pieces %d (%s)", a->status,
               a->status == DPS_OK ? "" : a->err.text, b->status,
               b->status == DPS_OK ? "" : b->err.text);
    if (a->status != DPS_OK) {
        FUZZ_HOLDS(strcmp(a->err.text, b->err.text) == 0 && strcmp(a->err.file, b->err.file) == 0 &&
                       a->err.line == b->err.line && a->err.column == b->err.column,
                   "%s:%lld:%lld: %s\nin pieces %s:%lld:%lld: %s", a->err.file,
                   (long long)a->err.line, (long long)a->err.column, a->err.text, b->err.file,
                   (long long)b->err.line, (long long)b->err.column, b->err.text);
        return;
    }
    FUZZ_HOLDS(a->raw.rows == b->raw.rows && a->raw.entries == b->raw.entries &&
                   a->raw.repeats == b->raw.repeats && a->raw.qid_seen == b->raw.qid_seen &&
                   a->raw.unknown_texts == b->raw.unknown_texts,
               "counts differ in pieces");
    FUZZ_HOLDS(strcmp(a->raw.input.note, b->raw.input.note) == 0 &&
                   fuzz_same(&a->raw.input.notes, &b->raw.input.notes),
               "notes differ in pieces: %s, %s", a->raw.input.note, b->raw.input.note);
    FUZZ_HOLDS(fuzz_same(&a->rows, &b->rows), "rows differ in pieces:\n%.*s\nand\n%.*s",
               (int)a->rows.length, a->rows.data, (int)b->rows.length, b->rows.data);
}

static void release(outcome *o)
{
    dps_raw_rows_release(&o->raw);
    dps_text_release(&o->rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const char *const format[] = {"auto", "csv", "libsvm", "tsv"};
    char first[300], second[300];
    if (length < 2) {
        return 0;
    }
    const dps_read_options options = {.format = format[bytes[1] % 4],
                                      .zero_based = bytes[1] / 4 % 2 == 1,
                                      .labels = bytes[1] / 8 % 2 == 1 ? DPS_LABELS_OPTIONAL
                                                                      : DPS_LABELS_REQUIRED,
                                      .table = {.missing = (dps_missing)(bytes[1] / 16 % 3)}};
    const size_t piece = 1 + bytes[0];
    const char *begin = (const char *)bytes + 2;
    const char *end = (const char *)bytes + length;
    const char *cut = memchr(begin, '\x1d', length - 2);
    const char *paths[] = {fuzz_path(first, "a.rows"), fuzz_path(second, "b.rows")};
    fuzz_put(first, begin, (size_t)((cut != NULL ? cut : end) - begin));
    if (cut != NULL) {
        fuzz_put(second, cut + 1, (size_t)(end - cut - 1));
    }
    outcome one, three;
    read_rows(paths, cut != NULL ? 2 : 1, &options, 0, 1, &one);
    read_rows(paths, cut != NULL ? 2 : 1, &options, piece, 3, &three);
    compare(&one, &three);
    release(&one);
    release(&three);
    return 0;
}
