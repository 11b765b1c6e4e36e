/* A cache of rows: the data of the text, and never anything from a cache with a changed byte or a
 * missing end. */
#include "unit/data/load_fixture.h"

/* What was said about the cache. */
typedef struct heard {
    int used, made_again;
} heard;

static void hear(void *context, dps_level level, const char *text)
{
    heard *h = context;
    (void)level;
    h->used += strstr(text, "the rows come from") != NULL;
    h->made_again += strstr(text, "is made again") != NULL;
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

static void changed_and_missing_bytes_are_noticed(void **state)
{
    (void)state;
    char *rows = random_text(60, 12, 2, 3);
    char *name = make_text_file(rows);
    char cache[80];
    const char *path = name;
    dps_load_options options = load_options(&path, 1, DPS_SCALE_MAX_ABS, DPS_NORMALIZE_NONE);
    dps_dataset text, data;
    heard h;
    snprintf(cache, sizeof cache, "%s.cache", name);
    load_heard(&options, &h, &text);
    options.cache = cache;
    load_heard(&options, &h, &data);
    assert_int_equal(h.used + h.made_again, 0);
    dps_dataset_release(&data);
    load_heard(&options, &h, &data);
    assert_int_equal(h.used, 1);
    assert_same_data(&text, &data);
    dps_dataset_release(&data);
    size_t size;
    char *good = read_all(cache, &size);
    for (size_t at = 0; at < size; at += at < 64 || at + 64 > size ? 7 : 211) {
        good[at] ^= 0x10;
        write_all(cache, good, size);
        good[at] ^= 0x10;
        expect_made_again(&options, &text, at);
    }
    for (size_t cut = 0; cut < size; cut += cut < 130 ? 21 : 797) {
        write_all(cache, good, cut);
        expect_made_again(&options, &text, cut);
    }
    free(good);
    unlink(cache);
    dps_dataset_release(&text);
    drop_file(name);
    dps_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_and_missing_bytes_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
