/* Checkpoints. An input is a file as it is and then once more as a pattern of one: the line
 * "@version" stands for this version's, "@options" for the lines of the options, "@end" ends the
 * header, whose length is put into the first line ("dpsvm checkpoint 1 @"), and the checksum
 * follows. A state that is taken is saved, and taken again with the same bytes. */
#include "checkpoint.h"
#include "fuzz_target.h"

static char weights[16], rows[24];
static int64_t count;

static void add_options(const dps_options *options, dps_text *out)
{
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        if (dps_option_table()[id].effect == DPS_EFFECT_MODEL) {
            dps_text_add(out, "option ");
            dps_options_value(options, (dps_option_id)id, out);
            dps_text_add(out, "\n");
        }
    }
}

static bool line_is(const char *line, size_t length, const char *text)
{
    return length == strlen(text) && memcmp(line, text, length) == 0;
}

static void make_right(const char *bytes, size_t length, const dps_options *options, dps_text *out)
{
    const char *end = bytes + length, *p = memchr(bytes, '\n', length);
    const size_t first = p == NULL ? 0 : (size_t)(p - bytes);
    dps_text header = {0};
    if (first == 0 || bytes[first - 1] != '@') {
        return;
    }
    for (p++; p < end;) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        const size_t line = stop == NULL ? (size_t)(end - p) : (size_t)(stop - p);
        const char *next = stop == NULL ? end : stop + 1;
        const bool last = line_is(p, line, "@end");
        if (line_is(p, line, "@version")) {
            dps_text_add(&header, "version = " DPSVM_VERSION "\n");
        } else if (line_is(p, line, "@options")) {
            add_options(options, &header);
        } else if (!last) {
            dps_text_append(&header, p, (size_t)(next - p));
        }
        p = next;
        if (last) {
            break;
        }
    }
    dps_text_append(out, bytes, first - 1);
    dps_text_format(out, "%zu\n", header.length);
    dps_text_append(out, header.length > 0 ? header.data : "", header.length);
    dps_text_append(out, p, (size_t)(end - p));
    const uint64_t sum = dps_checksum_of(out->data, out->length);
    dps_text_append(out, (const char *)&sum, sizeof sum);
    dps_text_release(&header);
}

static void list(dps_state *state)
{
    *state = (dps_state){.solver = "newton", .iteration = 3};
    memset(weights, 0, sizeof weights);
    memset(rows, 0, sizeof rows);
    count = 0;
    dps_state_add(state, "weights", weights, sizeof weights);
    dps_state_add_rows(state, "rows", rows, sizeof rows);
    DPS_STATE_ADD(state, "count", count);
    FUZZ_HOLDS(!state->failed, "memory");
}

/* Whether the file is taken; then it is saved again, from the state that was read. */
static bool go_on(const dps_options *options, bool save)
{
    const dps_run run = fuzz_run(1);
    dps_checkpoint *checkpoint;
    dps_state state;
    dps_error err;
    bool taken = false;
    dps_status status = dps_checkpoint_open(&checkpoint, options, 0, &run, &err);
    if (status == DPS_OK) {
        status = dps_checkpoint_data(checkpoint, 7, &err);
        const dps_run own = dps_checkpoint_run(checkpoint);
        list(&state);
        if (status == DPS_OK && dps_state_waits(&own, "newton")) {
            status = dps_state_load(&own, &state, &err);
            taken = status == DPS_OK;
            if (taken && save) {
                FUZZ_HOLDS(dps_state_offer(&own, &state, &err) == DPS_OK, "not saved: %s",
                           err.text);
            }
        }
        dps_state_release(&state);
        dps_checkpoint_close(checkpoint);
    }
    FUZZ_HOLDS(status == DPS_OK || ((status == DPS_ERROR_DATA || status == DPS_ERROR_CONFIG) &&
                                    err.text[0] != '\0'),
               "status %d: %s", status, err.text);
    return taken;
}

static void meet(const char *bytes, size_t length, const dps_options *options)
{
    char kept[sizeof weights], kept_rows[sizeof rows];
    fuzz_put(options->run_checkpoint, bytes, length);
    if (!go_on(options, true)) {
        return;
    }
    const int64_t kept_count = count;
    memcpy(kept, weights, sizeof kept);
    memcpy(kept_rows, rows, sizeof kept_rows);
    FUZZ_HOLDS(go_on(options, false), "what was saved is not taken");
    FUZZ_HOLDS(memcmp(kept, weights, sizeof kept) == 0 &&
                   memcmp(kept_rows, rows, sizeof kept_rows) == 0 && kept_count == count,
               "another state after saving");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    dps_options options;
    dps_error err;
    char path[300], text[400];
    dps_text right = {0};
    if (dps_options_init(&options, &err) != DPS_OK) {
        return 0;
    }
    snprintf(text, sizeof text, "run.checkpoint=%s", fuzz_path(path, "in.checkpoint"));
    FUZZ_HOLDS(dps_options_set_text(&options, text, &err) == DPS_OK &&
                   dps_options_set_text(&options, "run.resume=on", &err) == DPS_OK &&
                   dps_options_set_text(&options, "run.checkpoint_every=0", &err) == DPS_OK,
               "%s", err.text);
    meet((const char *)bytes, length, &options);
    make_right((const char *)bytes, length, &options, &right);
    if (right.length > 0 && !right.failed) {
        meet(right.data, right.length, &options);
    }
    dps_text_release(&right);
    dps_options_release(&options);
    return 0;
}
