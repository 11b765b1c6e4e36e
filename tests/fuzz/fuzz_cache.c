/* Caches of rows. An input that begins as one is looked at as it is, and once more made right: it
 * gets the identity of the files it would be of, and every checksum. Any other input is a file of
 * rows: its cache gives the rows that parsing gives. */
#include <stddef.h>
#include "cache.h"
#include "cache_format.h"
#include "fuzz_target.h"

static const dps_read_options options = {.format = "auto"};

/* Every byte of the arrays, for the sanitizer to see. */
static uint64_t touch(const dps_raw_rows *raw)
{
    uint64_t sum = 0;
    for (int64_t b = 0; b < raw->blocks; b++) {
        const dps_raw_block *block = &raw->block[b];
        const size_t rows = (size_t)block->rows, entries = block->start[block->rows];
        sum += dps_checksum_of(block->value, entries * sizeof *block->value);
        sum += dps_checksum_of(block->index, entries * sizeof *block->index);
        sum += dps_checksum_of(block->label, rows * sizeof *block->label);
        sum += dps_checksum_of(block->start, (rows + 1) * sizeof *block->start);
        sum += dps_checksum_of(block->label_bytes, (size_t)block->label_begin[block->label_count]);
        sum += block->weight != NULL ? dps_checksum_of(block->weight, rows * sizeof *block->weight)
                                     : 0;
    }
    return sum + (uint64_t)raw->rows;
}

/* Whether the cache was taken; *sum of its rows. Where it was not, rows are read and it is made. */
static bool open_cache(const char *path, const char *data, bool make, uint64_t *sum)
{
    const dps_run run = fuzz_run(1);
    dps_cache *cache;
    dps_raw_rows raw;
    dps_error err;
    bool found = false;
    dps_status status = dps_cache_open(&cache, path, &data, 1, &options, &run, &raw, &found, &err);
    FUZZ_HOLDS(status == DPS_OK || status == DPS_ERROR_CONFIG || status == DPS_ERROR_MEMORY,
               "status %d: %s", status, err.text);
    if (status != DPS_OK) {
        return false;
    }
    if (!found && make) {
        status = dps_raw_rows_read(&raw, &data, 1, &options, NULL, 0, &run, &err);
        if (status == DPS_OK) {
            FUZZ_HOLDS(dps_cache_write(cache, &raw, &run, &err) == DPS_OK, "%s", err.text);
        }
    }
    if (status == DPS_OK && (found || make)) {
        *sum = touch(&raw);
        dps_raw_rows_release(&raw);
    }
    dps_cache_close(cache);
    return status == DPS_OK && (found || make);
}

static void rows_come_back(const uint8_t *bytes, size_t length)
{
    char data[300], path[300];
    uint64_t parsed = 0, kept = 0;
    fuzz_put(fuzz_path(data, "b.rows"), bytes, length);
    unlink(fuzz_path(path, "b.cache"));
    if (open_cache(path, data, true, &parsed)) {
        FUZZ_HOLDS(open_cache(path, data, false, &kept), "the cache of these rows is not taken");
        FUZZ_HOLDS(parsed == kept, "other rows from the cache");
    }
}

/* What a cache of the file `data` would say of it. */
static void identity_of(const char *data, dps_cache_identity *identity)
{
    const dps_run run = fuzz_run(1);
    dps_source *source;
    dps_error err;
    FUZZ_HOLDS(dps_source_open(&source, &data, 1, &err) == DPS_OK &&
                   dps_cache_identity_init(identity, source, &options, &err) == DPS_OK &&
                   dps_cache_identity_hash(identity, source, &run, &err) == DPS_OK,
               "%s", err.text);
    dps_source_close(source);
}

/* The description with the identity and the checksums of the blocks; as it was where nobody
 * understands it. */
static void make_description(const char *bytes, const dps_cache_tail *tail, const char *data,
                             dps_text *out)
{
    dps_cache_content content;
    const char *description = bytes + tail->description;
    if (!dps_cache_understand(description, (size_t)tail->length, tail->description, &content)) {
        dps_text_append(out, description, (size_t)tail->length);
        return;
    }
    for (int64_t b = 0; b < content.blocks; b++) {
        dps_cache_block *block = &content.block[b];
        block->checksum = dps_checksum_of(bytes + block->at, (size_t)block->bytes);
    }
    dps_cache_identity_release(&content.identity);
    identity_of(data, &content.identity);
    dps_cache_describe(&content, out);
    dps_cache_content_release(&content);
}

static void make_right(const char *bytes, size_t length, const char *data, dps_text *out)
{
    dps_cache_tail tail;
    const size_t least = sizeof(dps_cache_head) + sizeof tail;
    if (length < least) {
        return;
    }
    memcpy(&tail, bytes + length - sizeof tail, sizeof tail);
    if (tail.description < sizeof(dps_cache_head) || tail.description > length - sizeof tail) {
        tail.description = sizeof(dps_cache_head);
    }
    tail.length = length - sizeof tail - tail.description;
    dps_text_append(out, bytes, (size_t)tail.description);
    make_description(bytes, &tail, data, out);
    tail.length = out->length - tail.description;
    tail.file_bytes = out->length + sizeof tail;
    tail.checksum = dps_checksum_of(out->data + tail.description, (size_t)tail.length);
    tail.head_checksum = dps_checksum_of(out->data, sizeof(dps_cache_head));
    tail.own_checksum = dps_checksum_of(&tail, offsetof(dps_cache_tail, own_checksum));
    memcpy(tail.magic, DPS_CACHE_MAGIC, DPS_CACHE_MAGIC_SIZE);
    dps_text_append(out, (const char *)&tail, sizeof tail);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const char text[] = "1 1:0.5 3:1\n-1 2:1\n";
    char data[300], path[300];
    uint64_t sum = 0;
    dps_text right = {0};
    if (length < DPS_CACHE_MAGIC_SIZE ||
        memcmp(bytes, DPS_CACHE_MAGIC, DPS_CACHE_MAGIC_SIZE) != 0) {
        rows_come_back(bytes, length);
        return 0;
    }
    fuzz_put(fuzz_path(data, "a.rows"), text, sizeof text - 1);
    fuzz_put(fuzz_path(path, "a.cache"), bytes, length);
    (void)open_cache(path, data, false, &sum);
    make_right((const char *)bytes, length, data, &right);
    if (right.length > 0 && !right.failed) {
        fuzz_put(path, right.data, right.length);
        (void)open_cache(path, data, false, &sum);
    }
    dps_text_release(&right);
    return 0;
}
