/* Input files as one sequence of chunks cut at line ends.
 *
 * A chunk is what was left behind the last line end of the chunk before, then bytes read until the
 * aimed size; it is cut behind its last line end, and grows where there is none. Every kind of
 * input (file, pipe, fifo, standard input) goes the same way. The first bytes of a file tell
 * compressed and binary content (magic numbers of the formats' specifications: RFC 1952 gzip, RFC
 * 8878 zstd,
 * ...); other rubbish is found by the parser, which knows the line. */
#include "source_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"
#include "number.h"

#define CHUNK_BYTES       ((size_t)256 << 10)
#define LOOK_BYTES        ((size_t)256 << 10)
#define LINE_LIMIT        ((size_t)1 << 30)
#define MAGIC_BYTES       8
#define STOP_MILLISECONDS 200

struct dps_source {
    char **path; /* as given */
    size_t count;
    size_t next; /* file to open next */
    int fd;      /* of the file being read, or -1 */
    bool at_start;
    char *look; /* bytes read ahead by dps_source_look */
    size_t look_length, look_at, look_capacity;
    char *carry; /* bytes behind the last line end handed out */
    size_t carry_length, carry_capacity;
    size_t chunk_bytes, line_limit;
    const volatile sig_atomic_t *stop;
    int64_t size;
};

static bool is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0;
}

static const char *shown_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

static dps_status system_error(dps_error *err, const char *path, const char *what)
{
    char reason[128];
    if (strerror_r(errno, reason, sizeof reason) != 0) {
        reason[0] = '\0';
    }
    return dps_error_at(err, DPS_ERROR_IO, shown_name(path), 0, 0, "%s: %s", what, reason);
}

/* Adds the size of a regular file to *size; an input of unknown length sets *known = false. */
static dps_status check_path(const char *path, int64_t *size, bool *known, dps_error *err)
{
    struct stat info;
    const bool standard = is_standard_input(path);
    if ((standard ? fstat(STDIN_FILENO, &info) : stat(path, &info)) != 0) {
        return system_error(err, path, "cannot be read");
    }
    if (S_ISDIR(info.st_mode)) {
        return dps_error_at(err, DPS_ERROR_IO, shown_name(path), 0, 0,
                            "is a folder; a data file was expected");
    }
    if (!standard && access(path, R_OK) != 0) {
        return system_error(err, path, "cannot be read");
    }
    if (S_ISREG(info.st_mode)) {
        *size += (int64_t)info.st_size;
    } else {
        *known = false;
    }
    return DPS_OK;
}

dps_status dps_source_open(dps_source **source, const char *const *paths, size_t count,
                           dps_error *err)
{
    *source = NULL;
    if (count == 0) {
        return dps_error_set(err, DPS_ERROR_CONFIG, "no data file is given; set data.train");
    }
    dps_source *s = dps_alloc(1, sizeof *s);
    if (s == NULL) {
        return dps_out_of_memory(err, 1, sizeof *s, "reading data");
    }
    s->fd = -1;
    s->chunk_bytes = CHUNK_BYTES;
    s->line_limit = LINE_LIMIT;
    s->path = dps_alloc(count, sizeof *s->path);
    dps_status status = DPS_OK;
    if (s->path == NULL) {
        status = dps_out_of_memory(err, count, sizeof *s->path, "file names");
    }
    bool known = true;
    int standard_inputs = 0;
    for (size_t i = 0; i < count && status == DPS_OK; i++) {
        status = check_path(paths[i], &s->size, &known, err);
        standard_inputs += is_standard_input(paths[i]);
        if (status == DPS_OK && standard_inputs > 1) {
            status = dps_error_at(err, DPS_ERROR_CONFIG, shown_name(paths[i]), 0, 0,
                                  "is given twice, but can be read only once");
        }
        if (status == DPS_OK && (s->path[i] = strdup(paths[i])) == NULL) {
            status = dps_out_of_memory(err, strlen(paths[i]), 1, "file names");
        }
        s->count = i + 1;
    }
    if (status != DPS_OK) {
        dps_source_close(s);
        return status;
    }
    s->size = known ? s->size : 0;
    *source = s;
    return DPS_OK;
}

static dps_status open_next(dps_source *source, dps_error *err)
{
    const char *path = source->path[source->next];
    source->fd = is_standard_input(path) ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (source->fd < 0) {
        return system_error(err, path, "cannot be opened");
    }
    (void)posix_fadvise(source->fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* fails on pipes: no matter */
    source->at_start = true;
    source->next++;
    return DPS_OK;
}

/* Waits until something can be read. A signal may be delivered to a thread that does not read, and
 * before reading begins: so the flag is looked at, too. False: asked to stop. */
static bool wait_for_input(const dps_source *source)
{
    struct pollfd input = {.fd = source->fd, .events = POLLIN};
    for (;;) {
        if (source->stop != NULL && __atomic_load_n(source->stop, __ATOMIC_RELAXED) != 0) {
            return false;
        }
        const int ready = poll(&input, 1, source->stop != NULL ? STOP_MILLISECONDS : -1);
        if (ready > 0 || (ready < 0 && errno != EINTR)) {
            return true; /* read() will say what is wrong */
        }
        if (ready < 0 && source->stop == NULL) {
            return false; /* only signals that ask to stop have handlers */
        }
    }
}

/* Reads until the buffer holds `wanted` bytes or the input ends. */
static dps_status read_up_to(dps_source *source, char *buffer, size_t wanted, size_t *length,
                             bool *end, dps_error *err)
{
    const char *path = source->path[source->next - 1];
    const size_t ahead = source->look_length - source->look_at;
    const size_t taken = ahead < wanted - *length ? ahead : wanted - *length;
    if (taken > 0 && buffer != source->look) {
        memcpy(buffer + *length, source->look + source->look_at, taken);
        source->look_at += taken;
        *length += taken;
    }
    while (*length < wanted) {
        if (!wait_for_input(source)) {
            return dps_error_at(err, DPS_ERROR_STOPPED, shown_name(path), 0, 0,
                                "stopped by a signal while reading");
        }
        const ssize_t got = read(source->fd, buffer + *length, wanted - *length);
        if (got > 0) {
            *length += (size_t)got;
        } else if (got == 0) {
            *end = true;
            return DPS_OK;
        } else if (errno != EINTR) {
            return system_error(err, path, "reading failed");
        }
    }
    return DPS_OK;
}

/* Refuses a file whose first bytes say that it is not text. */
static dps_status check_start(const char *path, const char *bytes, size_t length, dps_error *err)
{
    static const struct {
        const char *magic;
        size_t length;
        const char *what;
        const char *remedy;
    } known[] = {
        {"\x1f\x8b", 2, "gzip-compressed", "unpack it first (gzip -dc FILE | dpsvm ... -)"},
        {"\x28\xb5\x2f\xfd", 4, "zstd-compressed", "unpack it first (zstd -dc FILE | dpsvm ... -)"},
        {"\xfd"
         "7zXZ",
         5, "xz-compressed", "unpack it first (xz -dc FILE | dpsvm ... -)"},
        {"PK\x03\x04", 4, "a zip archive", "unpack it first"},
        {"\x93NUMPY", 6, "a NumPy array", "write it as LIBSVM text"},
        {"\xff\xfe", 2, "UTF-16 text", "save it as UTF-8"},
        {"\xfe\xff", 2, "UTF-16 text", "save it as UTF-8"},
        {"\x7f"
         "ELF",
         4, "a program", "give a data file"},
        {"\x89HDF", 4, "an HDF5 file", "write it as LIBSVM text"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (length >= known[i].length && memcmp(bytes, known[i].magic, known[i].length) == 0) {
            return dps_error_at(err, DPS_ERROR_DATA, shown_name(path), 1, 0,
                                "the file is %s; text was expected: %s", known[i].what,
                                known[i].remedy);
        }
    }
    return DPS_OK;
}

/* Bytes up to and with the last line end; 0: there is none. */
static size_t whole_lines(const char *bytes, size_t length)
{
    while (length > 0 && bytes[length - 1] != '\n') {
        length--;
    }
    return length;
}

static dps_status too_long(const dps_source *source, dps_error *err)
{
    char limit[DPS_NUMBER_MAX];
    dps_format_bytes(limit, (double)source->line_limit);
    return dps_error_at(err, DPS_ERROR_DATA, shown_name(source->path[source->next - 1]), 0, 0,
                        "a line is longer than %s; is this a text file with one row a line? "
                        "(run.memory limits the length of a line)",
                        limit);
}

/* Keeps bytes[0..length) for the next chunk. */
static dps_status keep_rest(dps_source *source, const char *bytes, size_t length, dps_error *err)
{
    void *carry = source->carry;
    if (!dps_grow(&carry, &source->carry_capacity, length, 1)) {
        return dps_out_of_memory(err, length, 1, "a line of text");
    }
    source->carry = carry;
    if (length > 0) {
        memcpy(source->carry, bytes, length);
    }
    source->carry_length = length;
    return DPS_OK;
}

/* Next piece of the open file; *length 0: the file is at its end. */
static dps_status next_piece(dps_source *source, void **buffer, size_t *length, dps_error *err)
{
    size_t capacity = 0, filled = 0, cut = 0;
    bool end = false;
    size_t wanted = source->chunk_bytes;
    if (wanted <= source->carry_length) {
        wanted = source->carry_length + 1;
    }
    if (source->at_start && wanted < MAGIC_BYTES) {
        wanted = MAGIC_BYTES;
    }
    for (;; wanted *= 2) {
        if (!dps_grow(buffer, &capacity, wanted, 1)) {
            return dps_out_of_memory(err, wanted, 1, "a piece of the input");
        }
        if (filled == 0 && source->carry_length > 0) {
            memcpy(*buffer, source->carry, source->carry_length);
            filled = source->carry_length;
        }
        const size_t known = filled; /* holds no line end */
        dps_status status = read_up_to(source, *buffer, wanted, &filled, &end, err);
        if (status != DPS_OK) {
            return status;
        }
        const char *bytes = *buffer;
        cut = end ? filled : whole_lines(bytes + known, filled - known);
        cut += !end && cut > 0 ? known : 0;
        if (cut > 0 || end) {
            break;
        }
        if (filled >= source->line_limit) {
            return too_long(source, err);
        }
    }
    *length = cut;
    return keep_rest(source, (const char *)*buffer + cut, filled - cut, err);
}

/* Next chunk of the open file; chunk->length 0: the file is at its end. */
static dps_status next_of_file(dps_source *source, dps_chunk *chunk, dps_error *err)
{
    const char *path = source->path[source->next - 1];
    void *buffer = NULL;
    size_t length = 0;
    dps_status status = next_piece(source, &buffer, &length, err);
    if (status == DPS_OK && source->at_start) {
        status = check_start(path, buffer, length, err);
    }
    if (status != DPS_OK || length == 0) {
        dps_free(buffer);
        return status;
    }
    const bool mark = source->at_start && length >= 3 && memcmp(buffer, "\xef\xbb\xbf", 3) == 0;
    const size_t skip = mark ? 3 : 0;
    *chunk = (dps_chunk){.bytes = (const char *)buffer + skip,
                         .length = length - skip,
                         .file = shown_name(path),
                         .file_index = (int32_t)(source->next - 1),
                         .first_of_file = source->at_start,
                         .owned = buffer};
    source->at_start = false;
    return DPS_OK;
}

/* Fills the buffer of bytes read ahead from the open file; *end: that was all of it. */
static dps_status look_ahead(dps_source *source, dps_error *err)
{
    bool end = false;
    for (size_t wanted = LOOK_BYTES;; wanted *= 2) {
        void *look = source->look;
        if (!dps_grow(&look, &source->look_capacity, wanted, 1)) {
            return dps_out_of_memory(err, wanted, 1, "the start of the input");
        }
        source->look = look;
        dps_status status =
            read_up_to(source, source->look, wanted, &source->look_length, &end, err);
        if (status != DPS_OK || end || whole_lines(source->look, source->look_length) > 0) {
            return status;
        }
        if (source->look_length >= source->line_limit) {
            return too_long(source, err);
        }
    }
}

dps_status dps_source_look(dps_source *source, dps_chunk *chunk, dps_error *err)
{
    memset(chunk, 0, sizeof *chunk);
    dps_status status = DPS_OK;
    while (status == DPS_OK && source->look_length == 0 && source->next < source->count) {
        if (source->fd >= 0) {
            close(source->fd);
            source->fd = -1;
        }
        status = open_next(source, err);
        if (status == DPS_OK) {
            status = look_ahead(source, err);
        }
    }
    if (status != DPS_OK || source->look_length == 0) {
        return status;
    }
    const char *path = source->path[source->next - 1];
    const bool mark = source->look_length >= 3 && memcmp(source->look, "\xef\xbb\xbf", 3) == 0;
    *chunk = (dps_chunk){.bytes = source->look + (mark ? 3 : 0),
                         .length = source->look_length - (mark ? 3 : 0),
                         .file = shown_name(path),
                         .file_index = (int32_t)(source->next - 1),
                         .first_of_file = true};
    return check_start(path, source->look, source->look_length, err);
}

dps_status dps_source_next(dps_source *source, dps_chunk *chunk, bool *end, dps_error *err)
{
    memset(chunk, 0, sizeof *chunk);
    *end = false;
    for (;;) {
        dps_status status = DPS_OK;
        if (source->fd < 0) {
            if (source->next == source->count) {
                *end = true;
                return DPS_OK;
            }
            status = open_next(source, err);
        }
        if (status == DPS_OK) {
            status = next_of_file(source, chunk, err);
        }
        if (status != DPS_OK || chunk->length > 0) {
            return status;
        }
        dps_chunk_release(chunk); /* a file of nothing but a byte order mark */
        close(source->fd);
        source->fd = -1;
    }
}

void dps_chunk_release(dps_chunk *chunk)
{
    dps_free(chunk->owned);
    memset(chunk, 0, sizeof *chunk);
}

int64_t dps_source_size(const dps_source *source)
{
    return source->size;
}

void dps_source_set_chunk(dps_source *source, size_t bytes)
{
    source->chunk_bytes = bytes > 0 ? bytes : 1;
}

size_t dps_source_chunk(const dps_source *source)
{
    return source->chunk_bytes;
}

void dps_source_set_stop(dps_source *source, const volatile sig_atomic_t *stop)
{
    source->stop = stop;
}

void dps_source_set_line_limit(dps_source *source, size_t bytes)
{
    source->line_limit = bytes;
}

void dps_source_close(dps_source *source)
{
    if (source == NULL) {
        return;
    }
    if (source->fd >= 0) {
        close(source->fd);
    }
    for (size_t i = 0; source->path != NULL && i < source->count; i++) {
        free(source->path[i]);
    }
    dps_free(source->path);
    dps_free(source->carry);
    dps_free(source->look);
    dps_free(source);
}
