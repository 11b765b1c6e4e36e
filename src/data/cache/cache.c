/* A cache of rows (docs/data_cache.md): head, the arrays of each block, a description, tail. Blocks
 * are read by all threads into the same slabs as parsed ones, each checked by its own checksum, so
 * that loading is a read and a hash of the bytes. The file is written under a temporary name and
 * renamed: jobs that share it see all of an old one or all of a new one. */
#include "cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "allocation.h"
#include "cache_format.h"
#include "checksum.h"
#include "comm.h"
#include "number.h"
#include "output_file.h"
#include "raw_ranks.h"
#include "source.h"

struct dps_cache {
    char *path;
    dps_source *source; /* for its list of files */
    dps_cache_identity now;
};

/* What stands in the cache's place. */
typedef enum cache_state {
    CACHE_NONE,
    CACHE_UNKNOWN, /* it cannot be looked at */
    CACHE_FOREIGN,
    CACHE_DAMAGED,
    CACHE_STALE,
    CACHE_GOOD
} cache_state;

/* ---- reading --------------------------------------------------------------------------------- */

/* Exactly bytes[size] from `at` on. */
static bool read_at(int file, void *bytes, size_t size, uint64_t at)
{
    for (size_t done = 0; done < size;) {
        const ssize_t got = pread(file, (char *)bytes + done, size - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

/* Head and tail of the open file, and whether they hold together. */
static cache_state read_ends(int file, uint64_t size, dps_cache_head *head, dps_cache_tail *tail)
{
    memset(head, 0, sizeof *head);
    memset(tail, 0, sizeof *tail);
    if (size == 0) {
        return CACHE_DAMAGED; /* a writer that had no time */
    }
    const bool has_head = read_at(file, head, sizeof *head, 0);
    const bool has_tail =
        size >= sizeof *tail && read_at(file, tail, sizeof *tail, size - sizeof *tail);
    const size_t known = size < DPS_CACHE_MAGIC_SIZE ? (size_t)size : DPS_CACHE_MAGIC_SIZE;
    if (size < sizeof *head && !read_at(file, head, known, 0)) {
        return CACHE_DAMAGED;
    }
    const bool begins = memcmp(head->magic, DPS_CACHE_MAGIC, known) == 0;
    const bool ends = memcmp(tail->magic, DPS_CACHE_MAGIC, DPS_CACHE_MAGIC_SIZE) == 0;
    if (!begins && !ends) {
        return CACHE_FOREIGN;
    }
    if (begins && has_head &&
        (head->version != DPS_CACHE_VERSION || head->order != DPS_CACHE_ORDER) && ends) {
        return CACHE_STALE;
    }
    const bool whole =
        begins && ends && has_tail && size >= sizeof *head + sizeof *tail &&
        tail->own_checksum == dps_checksum_of(tail, offsetof(dps_cache_tail, own_checksum)) &&
        tail->head_checksum == dps_checksum_of(head, sizeof *head) && tail->file_bytes == size &&
        tail->description >= sizeof *head && tail->length <= size &&
        tail->description == size - sizeof *tail - tail->length;
    return whole ? CACHE_GOOD : CACHE_DAMAGED;
}

static cache_state read_description(int file, const dps_cache_tail *tail,
                                    dps_cache_content *content)
{
    char *bytes = dps_alloc((size_t)tail->length, 1);
    const bool ok = bytes != NULL &&
                    read_at(file, bytes, (size_t)tail->length, tail->description) &&
                    dps_checksum_of(bytes, (size_t)tail->length) == tail->checksum &&
                    dps_cache_understand(bytes, (size_t)tail->length, tail->description, content);
    dps_free(bytes);
    return ok ? CACHE_GOOD : CACHE_DAMAGED;
}

/* Opens the file and reads all but the rows; *file is -1 where there is nothing to read. why[size]:
 * what is wrong. */
static cache_state look(const char *path, int *file, dps_cache_content *content, char *why,
                        size_t size)
{
    struct stat info;
    dps_cache_head head;
    dps_cache_tail tail;
    memset(content, 0, sizeof *content);
    *file = open(path, O_RDONLY | O_CLOEXEC);
    if (*file < 0) {
        return CACHE_NONE;
    }
    if (fstat(*file, &info) != 0) {
        snprintf(why, size, "cannot be read: %s", strerror(errno));
        return CACHE_UNKNOWN;
    }
    if (!S_ISREG(info.st_mode)) {
        return CACHE_FOREIGN;
    }
    cache_state state = read_ends(*file, (uint64_t)info.st_size, &head, &tail);
    if (state == CACHE_STALE) {
        snprintf(why, size, "it is of another %s",
                 head.order != DPS_CACHE_ORDER ? "kind of machine" : "version of the format");
    }
    if (state == CACHE_GOOD) {
        state = read_description(*file, &tail, content);
    }
    if (state == CACHE_DAMAGED) {
        snprintf(why, size, "it is damaged or cut short");
    }
    return state;
}

/* Whether a block's arrays fit together. */
static bool plausible(const dps_raw_block *block, const dps_raw_shape *shape)
{
    return block->start[0] == 0 && block->start[block->rows] == shape->entries &&
           block->label_begin[0] == 0 &&
           (size_t)block->label_begin[block->label_count] == shape->label_bytes;
}

/* Reads the blocks into raw; false: they are damaged. */
static bool read_blocks(int file, const dps_cache_content *content, const dps_run *run,
                        dps_raw_rows *raw, dps_status *status, dps_error *err)
{
    bool damaged = false, stopped = false;
    *status = DPS_OK;
    for (int64_t b = 0; b < content->blocks && *status == DPS_OK; b++) {
        const dps_cache_block *from = &content->block[b];
        dps_raw_block to = {.lines = from->lines,
                            .first_line = from->first_line,
                            .file = dps_source_file(raw->input.source, from->file_index),
                            .file_index = from->file_index};
        *status = dps_raw_store_block(raw, b, &from->shape, &to, run, err);
    }
    if (*status != DPS_OK) {
        return true;
    }
#pragma omp parallel for num_threads(dps_run_threads(run, content->blocks)) schedule(dynamic, 1)   \
    reduction(||                                                                                   \
              : damaged, stopped)
    for (int64_t b = 0; b < content->blocks; b++) {
        const dps_cache_block *from = &content->block[b];
        const dps_raw_block *to = &raw->block[b];
        stopped = stopped || dps_run_stopped(run);
        if (!damaged && !stopped) {
            damaged = !read_at(file, to->value, (size_t)from->bytes, from->at) ||
                      dps_checksum_of(to->value, (size_t)from->bytes) != from->checksum ||
                      !plausible(to, &from->shape);
            dps_raw_block_rest(to);
        }
    }
    if (*status == DPS_OK && stopped) {
        *status = dps_error_set(err, DPS_ERROR_STOPPED, "stopped by a signal while reading");
    }
    return !damaged;
}

/* Rows beyond the budget go out of core. */
static void foresee(const dps_cache_content *content, const dps_run *run, dps_raw_rows *raw)
{
    double bytes = 0, beside = 0;
    for (int64_t b = 0; b < content->blocks; b++) {
        bytes += (double)content->block[b].bytes;
        beside += (double)content->block[b].shape.rows * (sizeof(int32_t) + 2 * sizeof(double));
    }
    if (bytes + beside + (double)run->threads * (1 << 20) > (double)run->memory) {
        dps_raw_go_out_of_core(raw, bytes, run);
    }
}

/* All rows of the cache into raw; *state: damaged where they are. */
static dps_status load(dps_cache *cache, int file, dps_cache_content *content, const dps_run *run,
                       dps_raw_rows *raw, cache_state *state, dps_error *err)
{
    dps_status status;
    memset(raw, 0, sizeof *raw);
    DPS_NEED(raw->input.made, 1, "columns", err);
    *raw->input.made = content->table;
    memset(&content->table, 0, sizeof content->table);
    raw->input.source = cache->source;
    raw->input.layout.has_weight = content->weights;
    raw->input.layout.label_guessed = content->label_guessed;
    snprintf(raw->input.note, sizeof raw->input.note, "%s", content->note);
    snprintf(raw->input.label, sizeof raw->input.label, "%s", content->label);
    dps_text_add(&raw->input.notes, content->notes == NULL ? "" : content->notes);
    raw->qid_seen = content->qid_seen;
    raw->repeats = content->repeats;
    raw->unknown_texts = content->unknown_texts;
    raw->bytes = content->text_bytes;
    foresee(content, run, raw);
    const bool whole = read_blocks(file, content, run, raw, &status, err);
    if (status == DPS_OK && whole && raw->input.notes.failed) {
        status = dps_out_of_memory(err, 1, raw->input.notes.length, "notes on the input");
    }
    if (status == DPS_OK && whole) {
        dps_raw_rows_count(raw);
        dps_raw_rows_count_all(raw, run);
        cache->source = NULL; /* raw's now */
        return DPS_OK;
    }
    raw->input.source = NULL;
    dps_raw_rows_release(raw);
    *state = CACHE_DAMAGED;
    return status;
}

/* ---- opening --------------------------------------------------------------------------------- */

static void say_why(const dps_cache *cache, cache_state state, const char *why, const dps_run *run)
{
    if (state == CACHE_STALE) {
        dps_log_text(run, DPS_NORMAL, "data.cache: %s is made again: %s", cache->path, why);
    } else if (state == CACHE_DAMAGED) {
        dps_log_text(run, DPS_WARNING, "data.cache: %s is made again: %s", cache->path, why);
    } else if (state == CACHE_GOOD) {
        dps_log_text(run, DPS_NORMAL, "data.cache: the rows come from %s", cache->path);
    }
}

static dps_status use(dps_cache *cache, const dps_read_options *options, const dps_run *run,
                      dps_raw_rows *raw, bool *found, dps_error *err)
{
    int file;
    char why[600] = "";
    dps_cache_content content;
    cache_state state = look(cache->path, &file, &content, why, sizeof why);
    dps_status status = DPS_OK;
    if (state == CACHE_UNKNOWN) {
        status = dps_error_at(err, DPS_ERROR_IO, cache->path, 0, 0, "data.cache: %s", why);
    }
    if (state == CACHE_FOREIGN) {
        status = dps_error_at(err, DPS_ERROR_CONFIG, cache->path, 0, 0,
                              "data.cache: is no cache of rows and will not be replaced; name "
                              "another file, or remove it");
    }
    if (state == CACHE_GOOD) {
        bool same;
        status = dps_cache_identity_match(&content.identity, &cache->now, cache->source, run, &same,
                                          why, sizeof why, err);
        state = status == DPS_OK && same ? CACHE_GOOD : CACHE_STALE;
    }
    if (status == DPS_OK && state == CACHE_GOOD) {
        status = load(cache, file, &content, run, raw, &state, err);
        snprintf(why, sizeof why, "its rows are damaged");
    }
    if (status == DPS_OK) {
        say_why(cache, state, why, run);
        *found = state == CACHE_GOOD;
    }
    if (status == DPS_OK && *found) {
        raw->input.read = *options;
        raw->input.read.layout = NULL; /* the rows have been read */
        dps_input_say(&raw->input, run);
    }
    dps_cache_content_release(&content);
    if (file >= 0) {
        close(file);
    }
    return status;
}

dps_status dps_cache_open(dps_cache **out, const char *path, const char *const *paths, size_t count,
                          const dps_read_options *options, const dps_run *run, dps_raw_rows *raw,
                          bool *found, dps_error *err)
{
    *found = false;
    *out = NULL;
    if (dps_comm_size(run->comm) > 1) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "data.cache is for one process; leave it empty under MPI, where every "
                             "rank reads its part of the files");
    }
    dps_cache *cache = dps_alloc(1, sizeof *cache);
    if (cache == NULL || (cache->path = dps_alloc(strlen(path) + 1, 1)) == NULL) {
        dps_free(cache);
        return dps_out_of_memory(err, 1, sizeof *cache, "the cache of rows");
    }
    strcpy(cache->path, path);
    dps_status status = dps_source_open(&cache->source, paths, count, err);
    DPS_THEN(status, dps_cache_identity_init(&cache->now, cache->source, options, err));
    DPS_THEN(status, use(cache, options, run, raw, found, err));
    if (status == DPS_OK && !*found) { /* before the rows are read: what is read later is newer */
        status = dps_cache_identity_hash(&cache->now, cache->source, run, err);
    }
    if (status != DPS_OK) {
        dps_cache_close(cache);
        return status;
    }
    *out = cache;
    return DPS_OK;
}

void dps_cache_close(dps_cache *cache)
{
    if (cache != NULL) {
        dps_source_close(cache->source);
        dps_cache_identity_release(&cache->now);
        dps_free(cache->path);
        dps_free(cache);
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The block's arrays, as they shall lie in the file, in a growing buffer. False: no memory. */
static bool pack(const dps_raw_block *block, const dps_raw_shape *shape, void **buffer,
                 size_t *capacity, size_t *bytes)
{
    dps_raw_block to = {0};
    *bytes = dps_raw_lay_out(shape, NULL, &to);
    if (!dps_grow(buffer, capacity, *bytes, 1)) {
        return false;
    }
    memset(*buffer, 0, *bytes); /* the gaps */
    (void)dps_raw_lay_out(shape, *buffer, &to);
    const size_t rows = (size_t)shape->rows;
    if (shape->entries > 0) {
        memcpy(to.value, block->value, shape->entries * sizeof *to.value);
        memcpy(to.index, block->index, shape->entries * sizeof *to.index);
    }
    if (rows > 0) {
        memcpy(to.label, block->label, rows * sizeof *to.label);
    }
    memcpy(to.start, block->start, (rows + 1) * sizeof *to.start);
    memcpy(to.label_begin, block->label_begin,
           ((size_t)shape->labels + 1) * sizeof *to.label_begin);
    if (shape->label_bytes > 0) {
        memcpy(to.label_bytes, block->label_bytes, shape->label_bytes);
    }
    if (shape->weights && rows > 0) {
        memcpy(to.weight, block->weight, rows * sizeof *to.weight);
    }
    return true;
}

static dps_raw_shape shape_of(const dps_raw_block *block)
{
    return (dps_raw_shape){.rows = block->rows,
                           .entries = block->start[block->rows],
                           .labels = block->label_count,
                           .label_bytes = (size_t)block->label_begin[block->label_count],
                           .weights = block->weight != NULL};
}

/* Writes the blocks behind the head and notes them; *at: where the next one begins. */
static dps_status write_blocks(dps_output_file *file, const dps_raw_rows *raw, const dps_run *run,
                               dps_cache_content *content, uint64_t *at, dps_error *err)
{
    void *buffer = NULL;
    size_t capacity = 0;
    dps_status status = DPS_OK;
    for (int64_t b = 0; b < raw->blocks && status == DPS_OK; b++) {
        const dps_raw_block *block = &raw->block[b];
        dps_cache_block *to = &content->block[b];
        size_t bytes;
        *to = (dps_cache_block){.shape = shape_of(block),
                                .lines = block->lines,
                                .first_line = block->first_line,
                                .file_index = block->file_index,
                                .at = *at};
        if (!pack(block, &to->shape, &buffer, &capacity, &bytes)) {
            status = dps_out_of_memory(err, 1, bytes, "the cache of rows");
        } else if (dps_run_stopped(run)) {
            status = dps_error_set(err, DPS_ERROR_STOPPED, "stopped by a signal while reading");
        } else {
            to->bytes = bytes;
            to->checksum = dps_checksum_of(buffer, bytes);
            status = dps_output_write(file, buffer, bytes, err);
        }
        dps_raw_block_rest(block);
        *at += bytes;
    }
    dps_free(buffer);
    return status;
}

static dps_status write_end(dps_output_file *file, dps_cache_content *content,
                            const dps_cache_head *head, uint64_t at, dps_error *err)
{
    dps_text text = {0};
    dps_cache_describe(content, &text);
    if (text.failed) {
        const dps_status failed = dps_out_of_memory(err, 1, text.length, "the cache of rows");
        dps_text_release(&text);
        return failed;
    }
    dps_cache_tail tail = {.file_bytes = at + text.length + sizeof tail,
                           .description = at,
                           .length = text.length,
                           .checksum = dps_checksum_of(text.data, text.length),
                           .head_checksum = dps_checksum_of(head, sizeof *head)};
    tail.own_checksum = dps_checksum_of(&tail, offsetof(dps_cache_tail, own_checksum));
    memcpy(tail.magic, DPS_CACHE_MAGIC, DPS_CACHE_MAGIC_SIZE);
    dps_status status = dps_output_write(file, text.data, text.length, err);
    dps_text_release(&text);
    return status == DPS_OK ? dps_output_write(file, &tail, sizeof tail, err) : status;
}

static dps_status write_file(const dps_cache *cache, const dps_raw_rows *raw, const dps_run *run,
                             uint64_t *size, dps_error *err)
{
    dps_output_file *file;
    dps_cache_head head = {.version = DPS_CACHE_VERSION, .order = DPS_CACHE_ORDER};
    memcpy(head.magic, DPS_CACHE_MAGIC, DPS_CACHE_MAGIC_SIZE);
    dps_cache_content content = {.identity = cache->now, /* borrowed, as the table */
                                 .weights = raw->input.layout.has_weight,
                                 .label_guessed = raw->input.layout.label_guessed,
                                 .notes = raw->input.notes.data, /* borrowed too */
                                 .qid_seen = raw->qid_seen,
                                 .repeats = raw->repeats,
                                 .unknown_texts = raw->unknown_texts,
                                 .text_bytes = raw->bytes,
                                 .table = *raw->input.made,
                                 .block = dps_alloc((size_t)raw->blocks, sizeof *content.block),
                                 .blocks = raw->blocks};
    snprintf(content.note, sizeof content.note, "%s", raw->input.note);
    snprintf(content.label, sizeof content.label, "%s", raw->input.label);
    if (content.block == NULL) {
        return dps_out_of_memory(err, (size_t)raw->blocks, sizeof *content.block,
                                 "the cache of rows");
    }
    dps_status status = dps_output_open(&file, cache->path, err);
    if (status == DPS_OK) {
        *size = sizeof head;
        status = dps_output_write(file, &head, sizeof head, err);
        DPS_THEN(status, write_blocks(file, raw, run, &content, size, err));
        DPS_THEN(status, write_end(file, &content, &head, *size, err));
        if (status == DPS_OK) {
            status = dps_output_commit(file, err);
        } else {
            dps_output_abandon(file);
        }
    }
    dps_free(content.block);
    return status;
}

dps_status dps_cache_write(const dps_cache *cache, const dps_raw_rows *raw, const dps_run *run,
                           dps_error *err)
{
    uint64_t size = 0;
    dps_error failure;
    char text[2200], bytes[DPS_NUMBER_MAX];
    const dps_status status = write_file(cache, raw, run, &size, &failure);
    if (status == DPS_ERROR_STOPPED) {
        if (err != NULL) {
            *err = failure;
        }
        return status;
    }
    if (status != DPS_OK) {
        dps_error_format(&failure, text, sizeof text);
        dps_log_text(run, DPS_WARNING, "data.cache: there will be none: %s", text);
        return DPS_OK;
    }
    dps_format_bytes(bytes, (double)size);
    dps_log_text(run, DPS_NORMAL, "data.cache: %s of rows are in %s for the next run", bytes,
                 cache->path);
    return DPS_OK;
}
