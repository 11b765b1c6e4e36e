/* A cache of rows: the data of the text, and never anything from a cache with a changed byte or a
 * missing end. */
#include "unit/data/load_fixture.h"

#include "cache_format.h"
#include "checksum.h"

/* What was said about the cache. */
typedef struct heard {
    int used, made_again;
    char why[200]; /* the latter */
} heard;

static void hear(void *context, dps_level level, const char *text)
{
    heard *h = context;
    (void)level;
    h->used += strstr(text, "the rows come from") != NULL;
    const char *again = strstr(text, "is made again: ");
    if (again != NULL) {
        h->made_again++;
        snprintf(h->why, sizeof h->why, "%s", again);
    }
}

static void load_heard(const dps_load_options *options, heard *h, dps_dataset *data)
{
    const dps_log log = {.level = DPS_NORMAL, .write = hear, .context = h};
    dps_run run = run_with(2);
    dps_error err;
    run.log = &log;
    *h = (heard){0};
    if (dps_dataset_load_chunked(options, 300, &run, data, &err) != DPS_OK) {
        fail_msg("%s", err.text);
    }
}

/* Loads and wants the cache not used, but made again. */
static void expect_made_again(const dps_load_options *options, const dps_dataset *text, size_t at)
{
    heard h;
    dps_dataset data;
    load_heard(options, &h, &data);
    if (h.used != 0 || h.made_again != 1) {
        fail_msg("position %zu: used %d times, made again %d times", at, h.used, h.made_again);
    }
    assert_same_data(text, &data);
    dps_dataset_release(&data);
}

static char *read_all(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rb");
    char *bytes = malloc(1 << 20);
    assert_non_null(file);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static void write_all(const char *name, const char *bytes, size_t size)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* A file of rows, and its cache. */
typedef struct kept {
    char *name, cache[80];
    const char *path;
    dps_load_options options; /* with the cache */
    dps_dataset text;
    char *good; /* the cache's bytes */
    size_t size;
} kept;

static void make_cache(kept *k)
{
    char *rows = random_text(60, 12, 2, 3);
    dps_dataset data;
    heard h;
    k->name = make_text_file(rows);
    k->path = k->name;
    k->options = load_options(&k->path, 1, DPS_SCALE_MAX_ABS, DPS_NORMALIZE_NONE);
    snprintf(k->cache, sizeof k->cache, "%s.cache", k->name);
    load_heard(&k->options, &h, &k->text);
    k->options.cache = k->cache;
    load_heard(&k->options, &h, &data);
    assert_int_equal(h.used + h.made_again, 0);
    dps_dataset_release(&data);
    k->good = read_all(k->cache, &k->size);
    dps_free(rows);
}

static void drop_cache(kept *k)
{
    free(k->good);
    unlink(k->cache);
    dps_dataset_release(&k->text);
    drop_file(k->name);
}

static void expect_used(const kept *k)
{
    dps_dataset data;
    heard h;
    load_heard(&k->options, &h, &data);
    assert_int_equal(h.used, 1);
    assert_same_data(&k->text, &data);
    dps_dataset_release(&data);
}

static void changed_and_missing_bytes_are_noticed(void **state)
{
    (void)state;
    kept k;
    make_cache(&k);
    expect_used(&k);
    for (size_t at = 0; at < k.size; at += at < 64 || at + 64 > k.size ? 7 : 211) {
        k.good[at] ^= 0x10;
        write_all(k.cache, k.good, k.size);
        k.good[at] ^= 0x10;
        expect_made_again(&k.options, &k.text, at);
    }
    for (size_t cut = 0; cut < k.size; cut += cut < 130 ? 21 : 797) {
        write_all(k.cache, k.good, cut);
        expect_made_again(&k.options, &k.text, cut);
    }
    drop_cache(&k);
}

static void understand(const kept *k, dps_cache_tail *tail, dps_cache_content *content)
{
    memcpy(tail, k->good + k->size - sizeof *tail, sizeof *tail);
    assert_true(dps_cache_understand(k->good + tail->description, (size_t)tail->length,
                                     tail->description, content));
}

/* Writes the bytes with every checksum as they want it. */
static void write_sealed(const kept *k)
{
    dps_cache_tail tail;
    dps_cache_content content;
    dps_text out = {0};
    understand(k, &tail, &content);
    for (int64_t b = 0; b < content.blocks; b++) {
        dps_cache_block *block = &content.block[b];
        block->checksum = dps_checksum_of(k->good + block->at, (size_t)block->bytes);
    }
    dps_text_append(&out, k->good, (size_t)tail.description);
    dps_cache_describe(&content, &out);
    tail.checksum = dps_checksum_of(out.data + tail.description, (size_t)tail.length);
    tail.own_checksum = dps_checksum_of(&tail, offsetof(dps_cache_tail, own_checksum));
    dps_text_append(&out, (const char *)&tail, sizeof tail);
    assert_int_equal(out.length, k->size);
    write_all(k->cache, out.data, out.length);
    dps_text_release(&out);
    dps_cache_content_release(&content);
}

/* Whoever writes the checksums, too: the ends of a block's lists are looked at. */
static void lists_of_other_lengths_are_noticed(void **state)
{
    (void)state;
    kept k;
    dps_cache_tail tail;
    dps_cache_content content;
    dps_raw_block block;
    make_cache(&k);
    write_sealed(&k);
    expect_used(&k);
    understand(&k, &tail, &content);
    assert_true(content.blocks > 1);
    const dps_cache_block *last = &content.block[content.blocks - 1];
    (void)dps_raw_lay_out(&last->shape, k.good + last->at, &block);
    void *const ends[] = {&block.start[0], &block.start[block.rows], &block.label_begin[0],
                          &block.label_begin[block.label_count]};
    for (size_t e = 0; e < sizeof ends / sizeof ends[0]; e++) {
        *(char *)ends[e] ^= 1;
        write_sealed(&k);
        *(char *)ends[e] ^= 1;
        expect_made_again(&k.options, &k.text, e);
    }
    dps_cache_content_release(&content);
    drop_cache(&k);
}

static void another_option_is_named(void **state)
{
    (void)state;
    kept k;
    dps_dataset data;
    heard h;
    make_cache(&k);
    k.options.read.zero_based = true;
    load_heard(&k.options, &h, &data);
    assert_string_equal(h.why, "is made again: data.zero_based was off and is on");
    assert_int_equal(h.used, 0);
    dps_dataset_release(&data);
    drop_cache(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_and_missing_bytes_are_noticed),
        cmocka_unit_test(lists_of_other_lengths_are_noticed),
        cmocka_unit_test(another_option_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
