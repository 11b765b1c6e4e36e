/* Telling whether input files are the ones a cache was made from. A file whose size, inode and
 * times are as they were has not been written to: the time of the last change of its inode (ctime)
 * cannot be set by hand, as that of its content (mtime) can. Times are coarse, so that they prove
 * nothing about a file that was changed within seconds of the moment they were taken (the "racy"
 * entries of version control systems). Wherever they prove nothing, the whole content is hashed:
 * XXH3-64 of the hashes of pieces of 8 MiB, all threads, at the speed of the disk. The names of
 * files do not count.
 */
#include "cache_identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "allocation.h"
#include "checksum.h"
#include "source.h"

/* Raise when the same text and options give other rows than before. */
#define PARSER_VERSION 3
#define PIECE_BYTES    ((int64_t)8 << 20)
#define BUFFER_BYTES   ((size_t)1 << 20)
#define SECOND         INT64_C(1000000000)
/* A file changed so shortly before may change again without its times telling. */
#define RACY_TIME (10 * SECOND)

static const char *or_empty(const char *text)
{
    return text == NULL ? "" : text;
}

static void list_options(const dps_read_options *options, dps_text *out)
{
    const dps_table_options *table = &options->table;
    dps_text_format(out, "parser = %d\n", PARSER_VERSION);
    dps_text_format(out, "data.format = %s\n", options->format);
    dps_text_format(out, "data.zero_based = %s\n", options->zero_based ? "on" : "off");
    dps_text_format(out, "labels = %d\n", (int)options->labels);
    dps_text_format(out, "data.header = %s\n", dps_name_of(dps_switch_names, table->header));
    dps_text_format(out, "data.label_column = %s\n", or_empty(table->label_column));
    dps_text_format(out, "data.id_column = %s\n", or_empty(table->id_column));
    dps_text_format(out, "data.weights = %s\n", or_empty(table->weight_column));
    dps_text_format(out, "data.ignore_columns = %s\n", or_empty(table->ignore_columns));
    dps_text_format(out, "data.text_columns = %s\n", or_empty(table->text_columns));
    dps_text_format(out, "data.keep_columns = %s\n", or_empty(table->keep_columns));
    dps_text_format(out, "data.missing_words = %s\n", or_empty(table->missing_words));
    dps_text_format(out, "data.delimiter = %d\n", table->delimiter);
    dps_text_format(out, "data.decimal = %d\n", table->decimal);
    dps_text_format(out, "task = %d\n", table->regression);
    dps_text_format(out, "data.categorical = %s\n",
                    dps_name_of(dps_categorical_names, table->categorical));
    dps_text_format(out, "data.missing = %s\n", dps_name_of(dps_missing_names, table->missing));
    dps_text_format(out, "data.unknown = %s\n", table->unknown_is_error ? "error" : "ignore");
}

static int64_t nanoseconds(const struct timespec *time)
{
    return (int64_t)time->tv_sec * SECOND + (int64_t)time->tv_nsec;
}

static dps_status look_at(const char *path, dps_cache_file *file, dps_error *err)
{
    struct stat info;
    const bool given = strcmp(path, "standard input") == 0;
    if (!given && stat(path, &info) != 0) {
        return dps_error_at(err, DPS_ERROR_IO, path, 0, 0, "cannot be read: %s", strerror(errno));
    }
    if (given || !S_ISREG(info.st_mode)) {
        return dps_error_at(err, DPS_ERROR_CONFIG, path, 0, 0,
                            "data.cache: no regular file, so that the next run cannot tell whether "
                            "it is the same input; save it as a file, or leave data.cache empty");
    }
    *file = (dps_cache_file){.size = (int64_t)info.st_size,
                             .modified = nanoseconds(&info.st_mtim),
                             .changed = nanoseconds(&info.st_ctim),
                             .number = (uint64_t)info.st_ino};
    return DPS_OK;
}

dps_status dps_cache_identity_init(dps_cache_identity *identity, const dps_source *source,
                                   const dps_read_options *options, dps_error *err)
{
    struct timespec now;
    memset(identity, 0, sizeof *identity);
    while (dps_source_file(source, identity->files) != NULL) {
        identity->files++;
    }
    list_options(options, &identity->options);
    identity->file = dps_alloc((size_t)identity->files, sizeof *identity->file);
    identity->taken = clock_gettime(CLOCK_REALTIME, &now) == 0 ? nanoseconds(&now) : 0;
    dps_status status = identity->file != NULL && !identity->options.failed
                            ? DPS_OK
                            : dps_out_of_memory(err, (size_t)identity->files,
                                                sizeof *identity->file, "the cache of rows");
    for (int32_t f = 0; f < identity->files && status == DPS_OK; f++) {
        status = look_at(dps_source_file(source, f), &identity->file[f], err);
    }
    if (status != DPS_OK) {
        dps_cache_identity_release(identity);
    }
    return status;
}

void dps_cache_identity_release(dps_cache_identity *identity)
{
    dps_text_release(&identity->options);
    dps_free(identity->file);
    memset(identity, 0, sizeof *identity);
}

/* ---- hashing --------------------------------------------------------------------------------- */

/* Hash of up to PIECE_BYTES from `at` on; returns 0 or an errno. */
static int hash_piece(int file, int64_t at, char *buffer, dps_checksum *sum)
{
    for (int64_t done = 0; done < PIECE_BYTES;) {
        const ssize_t got = pread(file, buffer, BUFFER_BYTES, (off_t)(at + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got < 0 ? errno : 0;
        }
        const int64_t left = PIECE_BYTES - done;
        const size_t part = got < left ? (size_t)got : (size_t)left;
        dps_checksum_add(sum, buffer, part);
        done += (int64_t)part;
    }
    return 0;
}

/* Hashes of all pieces of an open file; returns 0 or an errno, the largest of all threads'. */
static int hash_pieces(int file, int64_t pieces, uint64_t *hash, const dps_run *run)
{
    int failed = 0;
#pragma omp parallel num_threads(dps_run_threads(run, pieces)) reduction(max : failed)
    {
        char *buffer = dps_alloc(BUFFER_BYTES, 1);
#pragma omp for schedule(dynamic, 1)
        for (int64_t p = 0; p < pieces; p++) {
            dps_checksum *sum = buffer == NULL ? NULL : dps_checksum_new();
            if (sum != NULL && !dps_run_stopped(run)) {
                const int error = hash_piece(file, p * PIECE_BYTES, buffer, sum);
                failed = error > failed ? error : failed;
                hash[p] = dps_checksum_value(sum);
            }
            failed = sum == NULL && ENOMEM > failed ? ENOMEM : failed;
            dps_checksum_free(sum);
        }
        dps_free(buffer);
    }
    return failed;
}

static dps_status hash_file(const char *path, dps_cache_file *file, const dps_run *run,
                            dps_error *err)
{
    const int64_t pieces = file->size / PIECE_BYTES + 1;
    uint64_t *hash;
    DPS_NEED(hash, (size_t)pieces, "the cache of rows", err);
    const int opened = open(path, O_RDONLY | O_CLOEXEC);
    const int failed = opened >= 0 ? hash_pieces(opened, pieces, hash, run) : errno;
    if (opened >= 0) {
        close(opened);
    }
    file->hash = dps_checksum_of(hash, (size_t)pieces * sizeof *hash);
    file->hashed = failed == 0;
    dps_free(hash);
    if (dps_run_stopped(run)) {
        return dps_error_set(err, DPS_ERROR_STOPPED, "stopped by a signal while reading");
    }
    return failed == 0        ? DPS_OK
           : failed == ENOMEM ? dps_out_of_memory(err, BUFFER_BYTES, 1, "the cache of rows")
                              : dps_error_at(err, DPS_ERROR_IO, path, 0, 0, "cannot be read: %s",
                                             strerror(failed));
}

dps_status dps_cache_identity_hash(dps_cache_identity *identity, const dps_source *source,
                                   const dps_run *run, dps_error *err)
{
    for (int32_t f = 0; f < identity->files; f++) {
        if (!identity->file[f].hashed) {
            DPS_TRY(hash_file(dps_source_file(source, f), &identity->file[f], run, err));
        }
    }
    return DPS_OK;
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* The first line in which the options differ: "data.header was auto, is on". False: none does. */
static bool options_differ(const char *old, const char *now, char *why, size_t size)
{
    while (*old != '\0' || *now != '\0') {
        const size_t was = strcspn(old, "\n"), is = strcspn(now, "\n");
        if (was != is || memcmp(old, now, is) != 0) {
            const size_t name = strcspn(now, " ");
            const size_t skip = name + 3; /* " = " */
            snprintf(why, size, "%.*s was %s and is %s", (int)name, now,
                     DPS_QUOTE(old + (was < skip ? was : skip), was < skip ? 0 : was - skip, 40),
                     DPS_QUOTE(now + (is < skip ? is : skip), is < skip ? 0 : is - skip, 40));
            return true;
        }
        old += was + (old[was] == '\n');
        now += is + (now[is] == '\n');
    }
    return false;
}

static bool untouched(const dps_cache_file *old, const dps_cache_file *now, int64_t taken)
{
    return old->number == now->number && old->modified == now->modified &&
           old->changed == now->changed && old->changed < taken - RACY_TIME;
}

dps_status dps_cache_identity_match(const dps_cache_identity *old, dps_cache_identity *now,
                                    const dps_source *source, const dps_run *run, bool *same,
                                    char *why, size_t size, dps_error *err)
{
    *same = false;
    if (options_differ(old->options.data, now->options.data, why, size)) {
        return DPS_OK;
    }
    if (old->files != now->files) {
        snprintf(why, size, "it is of %ld files, data.train names %ld", (long)old->files,
                 (long)now->files);
        return DPS_OK;
    }
    for (int32_t f = 0; f < now->files; f++) {
        const dps_cache_file *was = &old->file[f];
        dps_cache_file *is = &now->file[f];
        const char *path = dps_source_file(source, f);
        bool equal = was->size == is->size;
        if (equal && untouched(was, is, old->taken)) {
            is->hash = was->hash;
            is->hashed = true;
        } else if (equal) {
            DPS_TRY(hash_file(path, is, run, err));
            equal = is->hash == was->hash;
        }
        if (!equal) {
            snprintf(why, size, "%.300s has changed", path);
            return DPS_OK;
        }
    }
    *same = true;
    return DPS_OK;
}
