/* Task: speed of the LIBSVM and CSV parsers, all checks on, against memchr looking for line ends in
 * the same text: the least that any reader of lines must do. */
#include "bench_private.h"

#include <stdio.h>
#include <string.h>
#include "allocation.h"
#include "csv_parser.h"
#include "libsvm_parser.h"
#include "random.h"

#define TEXT_BYTES ((size_t)1 << 20) /* beyond a 256 KiB chunk only few are at work at a time */
#define CHUNK      ((size_t)1 << 18)

/* Kinds of rows: dense short decimals (Covertype, IJCNN1) and indicators (Adult). */
#define CSV_ENTRIES 22
typedef struct text_kind {
    const char *name;
    int entries, step;
    bool ones, csv;
} text_kind;
static const text_kind kinds[] = {{"libsvm text, decimals", 22, 1, false, false},
                                  {"libsvm text, indicators", 14, 9, true, false},
                                  {"csv text, decimals", CSV_ENTRIES, 1, false, true}};

typedef struct parse_context {
    char *text;
    size_t length;
    dps_row_block *block; /* one a thread */
    dps_layout *layout;   /* of CSV: a label, then numbers; NULL: LIBSVM */
    dps_error error;      /* of a parse that failed, which it cannot */
} parse_context;

static size_t write_row(const text_kind *kind, uint32_t row, char *out)
{
    size_t at = (size_t)sprintf(out, "%s", row % 3 == 0 ? "-1" : "+1");
    for (int j = 0; j < kind->entries; j++) {
        uint32_t bits[4];
        dps_random_block(1, DPS_STREAM_SAMPLE, row, 1, (uint32_t)j, bits);
        const int index = 1 + j * kind->step + (int)(bits[1] % (uint32_t)kind->step);
        if (kind->csv) {
            at += (size_t)sprintf(out + at, ",0.%06u", 1 + bits[0] % 999999);
        } else if (kind->ones) {
            at += (size_t)sprintf(out + at, " %d:1", index);
        } else {
            at += (size_t)sprintf(out + at, " %d:0.%06u", index, 1 + bits[0] % 999999);
        }
    }
    out[at++] = '\n';
    return at;
}

/* Every thread parses the whole text, chunk after chunk; chunks end at line ends. */
static void parse(void *context, int thread)
{
    parse_context *c = context;
    const dps_read_options options = {.format = c->layout != NULL ? "csv" : "libsvm",
                                      .labels = DPS_LABELS_REQUIRED,
                                      .layout = c->layout};
    for (size_t at = 0; at < c->length;) {
        size_t end = at + CHUNK < c->length ? at + CHUNK : c->length;
        const char *last = memchr(c->text + end - 1, '\n', c->length - end + 1);
        end = (size_t)(last - c->text) + 1;
        const dps_chunk chunk = {.bytes = c->text + at, .length = end - at, .file = "bench"};
        dps_error local;
        if ((c->layout != NULL ? dps_csv_parse : dps_libsvm_parse)(
                &options, &chunk, &c->block[thread], &local) != DPS_OK) {
#pragma omp critical(dps_bench_parse)
            c->error = local;
        }
        at = end;
    }
}

static void find_lines(void *context, DPS_UNUSED int thread)
{
    const parse_context *c = context;
    size_t at = 0;
    while (at < c->length) {
        const char *end = memchr(c->text + at, '\n', c->length - at);
        at = (size_t)(end - c->text) + 1;
    }
}

static dps_status measure_kind(const dps_bench_session *session, const text_kind *kind,
                               parse_context *c, dps_error *err)
{
    dps_status status = DPS_OK;
    dps_field field[CSV_ENTRIES + 1] = {{.role = DPS_COLUMN_LABEL, .slot = -1}};
    for (int32_t j = 1; j <= CSV_ENTRIES; j++) {
        field[j] = (dps_field){.role = DPS_COLUMN_NUMBER, .column = j, .slot = j - 1};
    }
    const dps_table table = {0};
    dps_layout layout = {.table = &table,
                         .delimiter = ',',
                         .training = true,
                         .ascending = true,
                         .fields = CSV_ENTRIES + 1,
                         .field = field,
                         .slots = CSV_ENTRIES};
    c->layout = kind->csv ? &layout : NULL;
    c->length = 0;
    for (uint32_t row = 0; c->length + 1024 < TEXT_BYTES; row++) {
        c->length += write_row(kind, row, c->text + c->length);
    }
    const dps_bench_work work = {parse, c, (double)c->length};
    const dps_bench_work reference = {find_lines, c, (double)c->length};
    for (int threads = 1; threads != 0 && status == DPS_OK;
         threads = dps_bench_next_threads(session->run, threads)) {
        const dps_bench_measure measure = {"data",        kind->name, "entries_a_row",
                                           kind->entries, NULL,       threads,
                                           "MB/s",        "memchr",   1e-6};
        status = dps_bench_compare(session, &measure, &work, &reference, err);
    }
    c->layout = NULL;
    if (status == DPS_OK && c->error.status != DPS_OK) {
        *err = c->error;
        status = c->error.status;
    }
    return status;
}

dps_status dps_bench_data(const dps_bench_session *session, dps_error *err)
{
    const size_t threads = (size_t)session->run->threads;
    parse_context c = {.text = dps_alloc(TEXT_BYTES, 1),
                       .block = dps_alloc(threads, sizeof *c.block)};
    dps_status status = DPS_OK;
    if (c.text == NULL || c.block == NULL) {
        status = dps_out_of_memory(err, TEXT_BYTES, 1, "a text to parse");
    }
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0] && status == DPS_OK; k++) {
        status = measure_kind(session, &kinds[k], &c, err);
    }
    for (size_t k = 0; c.block != NULL && k < threads; k++) {
        dps_row_block_release(&c.block[k]);
    }
    dps_free(c.block);
    dps_free(c.text);
    return status;
}
