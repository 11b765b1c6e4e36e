/* Input files as one sequence of chunks cut at line ends.
 *
 * A chunk is what was left behind the last line end of the chunk before, then bytes read until the
 * aimed size; it is cut behind its last line end, and grows where there is none. Every kind of
 * input (file, pipe, fifo, standard input) goes the same way. The first bytes of a file tell
 * compressed content, which is unpacked (byte_stream.c), npy matrices, which are cut between rows,
 * and content that is refused (file_kind.c); other rubbish is found by the parser, which
 * knows the line. */
#include "source.h"

#include <string.h>

#include "allocation.h"
#include "arff_header.h"
#include "byte_stream.h"
#include "file_kind.h"
#include "npy.h"
#include "number.h"
#include "source_files.h"
#include "source_part.h"

#define CHUNK_BYTES ((size_t)256 << 10)
/* Where lines are long, more of them are looked at: so many, as far as this, and
 * a line's limit, holds them. */
#define LOOK_LINES ((size_t)32)
#define LOOK_MOST  ((size_t)32 << 20)
#define LINE_LIMIT ((size_t)1 << 30)
#define MARK_BYTES 3 /* UTF-8 byte order mark */

struct dps_source {
    dps_source_files files;
    size_t next;             /* file to open next */
    dps_byte_stream *stream; /* of the file being read, or NULL */
    bool at_start;
    char *look; /* bytes read ahead by dps_source_look, and a line end behind them */
    size_t look_length, look_at, look_capacity;
    bool look_whole; /* they are all of the file */
    char *carry;     /* bytes behind the last line end handed out */
    size_t carry_length, carry_capacity;
    size_t chunk_bytes, line_limit;
    size_t header_bytes, record_bytes; /* of the npy file being read; 0: text */
    int64_t file_rows;                 /* promised by it */
    int64_t file_bytes;                /* up to which it was handed out */
    int64_t part_begin, part_end;      /* of all bytes: what is read at all */
    dps_file_part part;                /* of the file being read */
    dps_source_head head;
    const void *head_context;
    size_t head_bytes; /* of the text file being read */
    const volatile sig_atomic_t *stop;
    int64_t size;
    bool eager;
};

dps_status dps_source_open(dps_source **source, const char *const *paths, size_t count,
                           dps_error *err)
{
    *source = NULL;
    if (count == 0) {
        return dps_error_set(err, DPS_ERROR_CONFIG, "no data file is given; set data.train");
    }
    dps_source *s;
    DPS_NEED(s, 1, "reading data", err);
    s->chunk_bytes = CHUNK_BYTES;
    s->line_limit = LINE_LIMIT;
    s->part_end = s->part.end = DPS_NO_END;
    s->files.all_files = s->files.sized = true;
    dps_status status = DPS_OK;
    for (size_t i = 0; i < count && status == DPS_OK; i++) {
        status = dps_source_files_add(&s->files, paths[i], err);
    }
    if (status != DPS_OK) {
        dps_source_close(s);
        return status;
    }
    s->size = s->files.sized ? s->files.size : 0;
    *source = s;
    return DPS_OK;
}

/* Reads until the buffer holds `wanted` bytes or the file ends. */
static dps_status read_up_to(dps_source *source, char *buffer, size_t wanted, size_t *length,
                             bool *end, dps_error *err)
{
    if (buffer != source->look) {
        const size_t ahead = source->look_length - source->look_at;
        const size_t taken = ahead < wanted - *length ? ahead : wanted - *length;
        if (taken > 0) {
            memcpy(buffer + *length, source->look + source->look_at, taken);
        }
        source->look_at += taken;
        *length += taken;
    }
    while (*length < wanted && !(source->eager && memchr(buffer, '\n', *length) != NULL)) {
        size_t got;
        dps_status status =
            dps_byte_stream_read(source->stream, buffer + *length, wanted - *length, &got, err);
        if (status != DPS_OK || got == 0) {
            *end = true;
            return status;
        }
        *length += got;
    }
    return DPS_OK;
}

static bool has_mark(const void *bytes, size_t length)
{
    return length >= MARK_BYTES && memcmp(bytes, "\xef\xbb\xbf", MARK_BYTES) == 0;
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
    return dps_error_at(err, DPS_ERROR_DATA, dps_shown_name(source->files.path[source->next - 1]),
                        0, 0,
                        "a line is longer than %s; is this a text file with one row a line? "
                        "(run.memory limits the length of a line)",
                        limit);
}

/* Keeps bytes[0..length) for the next chunk. */
static dps_status keep_rest(dps_source *source, const char *bytes, size_t length, dps_error *err)
{
    DPS_NEED_MORE(source->carry, source->carry_capacity, length, "a line of text", err);
    memcpy(source->carry, bytes, length);
    source->carry_length = length;
    return DPS_OK;
}

/* Behind the header of ARFF in the bytes read ahead; their end where it goes on; else their start.
 */
static const char *behind_header(const dps_source *source)
{
    const size_t mark = has_mark(source->look, source->look_length) ? MARK_BYTES : 0;
    const char *text = source->look + mark;
    const size_t length = source->look_length - mark;
    if (!dps_arff_is(text, length)) {
        return source->look;
    }
    const size_t header = dps_arff_header_bytes(text, length);
    return text + (header > 0 ? header : length);
}

/* Whether the buffer of bytes read ahead holds enough lines. */
static bool looked_enough(const dps_source *source)
{
    const char *begin = behind_header(source), *p = begin;
    const char *end = source->look + source->look_length;
    size_t lines = 0;
    while (lines < LOOK_LINES && (p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
        lines++;
        p++;
    }
    if (source->eager && lines > 0) {
        return true;
    }
    const size_t most = source->line_limit < LOOK_MOST ? source->line_limit : LOOK_MOST;
    return lines == LOOK_LINES ||
           ((lines > 0 || begin > source->look) && source->look_length >= most);
}

/* Fills the buffer of bytes read ahead: at least DPS_LOOK_BYTES and a line, or all of the file. */
static dps_status look_ahead(dps_source *source, dps_error *err)
{
    bool end = false;
    source->look_length = 0;
    source->look_at = 0;
    for (size_t wanted = DPS_LOOK_BYTES;; wanted *= 2) {
        DPS_NEED_MORE(source->look, source->look_capacity, wanted + 1, "the start of the input",
                      err);
        dps_status status =
            read_up_to(source, source->look, wanted, &source->look_length, &end, err);
        source->look[source->look_length] = '\n';
        source->look_whole = end;
        if (status != DPS_OK || end || dps_npy_is(source->look, source->look_length) ||
            looked_enough(source)) {
            return status;
        }
        if (source->look_length >= source->line_limit) {
            return too_long(source, err);
        }
    }
}

/* Rows of an npy file are cut at multiples of their bytes. */
static dps_status find_records(dps_source *source, const char *path, dps_error *err)
{
    dps_npy npy;
    const char *why;
    source->header_bytes = 0;
    source->record_bytes = 0;
    source->file_bytes = 0;
    if (!dps_npy_is(source->look, source->look_length)) {
        return DPS_OK;
    }
    if (!dps_npy_read_header(source->look, source->look_length, &npy, &why)) {
        return dps_error_at(err, DPS_ERROR_DATA, dps_shown_name(path), 1, 0, "%s", why);
    }
    source->header_bytes = npy.header_bytes;
    source->record_bytes = npy.row_bytes;
    source->file_rows = npy.rows;
    return DPS_OK;
}

/* What stands before the first row of the text file that was opened. The last line of a file ends
 * there, with a line end or without. */
static void find_head(dps_source *source)
{
    const size_t mark = has_mark(source->look, source->look_length) ? MARK_BYTES : 0;
    const size_t length = source->look_length;
    source->head_bytes = 0;
    if (source->head != NULL && source->record_bytes == 0 && length > mark) {
        const bool ends = source->look_whole && source->look[length - 1] != '\n';
        const size_t head =
            source->head(source->head_context, source->look + mark, length - mark + ends);
        source->head_bytes = head == 0 ? 0 : mark + head > length ? length : mark + head;
    }
}

static dps_status open_next(dps_source *source, dps_error *err)
{
    const char *path = source->files.path[source->next];
    int fd;
    DPS_TRY(dps_open_path(path, &fd, err));
    source->at_start = true;
    source->next++;
    DPS_TRY(dps_byte_stream_open(&source->stream, fd, dps_shown_name(path), source->stop, err));
    DPS_TRY(look_ahead(source, err));
    DPS_TRY(dps_file_kind_check(dps_shown_name(path), source->look, source->look_length, err));
    DPS_TRY(find_records(source, path, err));
    find_head(source);
    return DPS_OK;
}

static void close_file(dps_source *source)
{
    dps_byte_stream_close(source->stream);
    source->stream = NULL;
}

/* Bytes to hand out of `filled`: whole lines or whole records; known: bytes without a line end.
 * end: there are no more; a last line needs no line end, a header no record. */
static size_t whole_part(const dps_source *source, const char *bytes, size_t known, size_t filled,
                         bool end)
{
    if (end && (source->record_bytes == 0 || source->part.end != DPS_NO_END)) {
        return filled; /* of a part of npy rows: the parser refuses what is left */
    }
    if (source->record_bytes == 0) {
        const size_t cut = whole_lines(bytes + known, filled - known);
        return cut > 0 ? known + cut : 0;
    }
    const size_t begin = source->at_start ? source->header_bytes : 0;
    const size_t records = filled < begin ? 0 : (filled - begin) / source->record_bytes;
    return records > 0 || (end && filled >= begin) ? begin + records * source->record_bytes : 0;
}

/* At the end of an npy file, behind which `rest` bytes are left: as many rows as its header says?
 * Asked when all rows have been handed out, whose own errors come first. */
static dps_status check_records(const dps_source *source, size_t rest, dps_error *err)
{
    const double bytes = (double)source->file_bytes + (double)rest;
    const double expected =
        (double)source->header_bytes + (double)source->file_rows * (double)source->record_bytes;
    if (source->part.end != DPS_NO_END || source->record_bytes == 0 || bytes == expected) {
        return DPS_OK;
    }
    return dps_error_at(err, DPS_ERROR_DATA, dps_shown_name(source->files.path[source->next - 1]),
                        0, 0,
                        "the header promises %lld rows, %.0f bytes in all, but there are %.0f "
                        "bytes: copy or write the file again",
                        (long long)source->file_rows, expected, bytes);
}

/* Next piece of the open file; *length 0: the file is at its end. */
static dps_status next_piece(dps_source *source, void **buffer, size_t *length, dps_error *err)
{
    size_t capacity = 0, filled = 0, cut = 0;
    bool end = false;
    size_t wanted = source->chunk_bytes;
    if (source->at_start && wanted <= source->head_bytes) {
        wanted = source->head_bytes + 1;
    }
    if (wanted <= source->carry_length) {
        wanted = source->carry_length + 1;
    }
    if (source->file_bytes >= source->part.end) {
        return DPS_OK;
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
        DPS_TRY(read_up_to(source, *buffer, wanted, &filled, &end, err));
        cut = whole_part(source, *buffer, known, filled, end);
        if (cut > 0 || end) {
            break;
        }
        if (filled >= source->line_limit) {
            return too_long(source, err);
        }
    }
    cut = dps_file_part_cut(source->part, source->file_bytes, *buffer, cut, source->record_bytes);
    *length = cut;
    source->file_bytes += (int64_t)cut;
    DPS_TRY(cut == 0 ? check_records(source, filled, err) : DPS_OK);
    return keep_rest(source, (const char *)*buffer + cut, filled - cut, err);
}

/* Next chunk of the open file; chunk->length 0: the file is at its end. */
static dps_status next_of_file(dps_source *source, dps_chunk *chunk, dps_error *err)
{
    const char *path = source->files.path[source->next - 1];
    void *buffer = NULL;
    size_t length = 0;
    dps_status status = next_piece(source, &buffer, &length, err);
    if (status != DPS_OK || length == 0) {
        dps_free(buffer);
        return status;
    }
    const bool mark = source->at_start && has_mark(buffer, length);
    const size_t skip = mark ? MARK_BYTES : 0;
    *chunk = (dps_chunk){.bytes = (const char *)buffer + skip,
                         .length = length - skip,
                         .file = dps_shown_name(path),
                         .file_index = (int32_t)(source->next - 1),
                         .first_of_file = source->at_start,
                         .owned = buffer};
    source->at_start = false;
    return DPS_OK;
}

/* Passes over files that are none of the part's. */
static void skip_files(dps_source *source)
{
    while (source->next < source->files.count &&
           dps_source_files_part(&source->files, source->part_begin, source->part_end, source->next)
                   .end == 0) {
        source->next++;
    }
}

/* Goes to the part's first line in the file that was opened. */
static dps_status enter_part(dps_source *source, dps_error *err)
{
    source->part = dps_source_files_part(&source->files, source->part_begin, source->part_end,
                                         source->next - 1);
    if (source->record_bytes > 0) {
        source->part =
            dps_file_part_records(source->part, source->header_bytes, source->record_bytes);
    }
    if (source->head_bytes > 0) {
        source->part = dps_file_part_records(source->part, source->head_bytes, 1);
    }
    if (source->part.begin == 0) {
        return DPS_OK;
    }
    source->at_start = false;
    source->look_length = source->look_at = 0;
    source->file_bytes = source->part.begin - (source->record_bytes == 0);
    dps_status status = dps_byte_stream_seek(source->stream, source->file_bytes, err);
    for (bool inside = source->record_bytes == 0; inside && status == DPS_OK;) {
        char bytes[4096];
        size_t got = 0;
        status = dps_byte_stream_read(source->stream, bytes, sizeof bytes, &got, err);
        const char *line_end = memchr(bytes, '\n', got);
        inside = got > 0 && line_end == NULL;
        source->file_bytes += line_end == NULL ? (int64_t)got : line_end - bytes + 1;
        if (line_end != NULL && status == DPS_OK) {
            status = dps_byte_stream_seek(source->stream, source->file_bytes, err);
        }
    }
    return status;
}

dps_status dps_source_take_part(dps_source *source, int part, int parts, dps_error *err)
{
    if (!source->files.all_files) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "several processes cannot share standard input or a pipe: write the "
                             "rows to a file and name it, or start one process");
    }
    if (source->size == 0) { /* compressed, or empty */
        source->next = part == 0 ? source->next : source->files.count;
        if (part > 0) {
            close_file(source);
            source->look_length = 0;
        }
        return DPS_OK;
    }
    source->part_begin = (int64_t)((double)source->size * part / parts);
    source->part_end =
        part + 1 == parts ? source->size : (int64_t)((double)source->size * (part + 1) / parts);
    return source->stream == NULL ? DPS_OK : enter_part(source, err);
}

void dps_source_set_eager(dps_source *source)
{
    source->eager = true;
}

int32_t dps_source_file_count(const dps_source *source)
{
    return (int32_t)source->files.count;
}

const char *dps_source_file(const dps_source *source, int32_t file_index)
{
    return (size_t)file_index < source->files.count ? dps_shown_name(source->files.path[file_index])
                                                    : NULL;
}

dps_status dps_source_look(dps_source *source, dps_chunk *chunk, dps_error *err)
{
    memset(chunk, 0, sizeof *chunk);
    while (source->look_length == 0 && source->next < source->files.count) {
        close_file(source);
        DPS_TRY(open_next(source, err));
    }
    if (source->look_length > 0) {
        const size_t skip = has_mark(source->look, source->look_length) ? MARK_BYTES : 0;
        *chunk = (dps_chunk){.bytes = source->look + skip,
                             .length = source->look_length - skip,
                             .file = dps_shown_name(source->files.path[source->next - 1]),
                             .file_index = (int32_t)(source->next - 1),
                             .first_of_file = true};
    }
    return DPS_OK;
}

dps_status dps_source_next(dps_source *source, dps_chunk *chunk, bool *end, dps_error *err)
{
    memset(chunk, 0, sizeof *chunk);
    *end = false;
    for (;;) {
        dps_status status = DPS_OK;
        if (source->stream == NULL) {
            skip_files(source);
            if (source->next == source->files.count) {
                *end = true;
                return DPS_OK;
            }
            status = open_next(source, err);
            DPS_THEN(status, enter_part(source, err));
        }
        DPS_THEN(status, next_of_file(source, chunk, err));
        if (status != DPS_OK || chunk->length > 0) {
            return status;
        }
        dps_chunk_release(chunk); /* a file of nothing but a byte order mark */
        close_file(source);
    }
}

void dps_chunk_release(dps_chunk *chunk)
{
    dps_free(chunk->owned);
    memset(chunk, 0, sizeof *chunk);
}

int64_t dps_source_size(const dps_source *source)
{
    return source->part_end == DPS_NO_END ? source->size : source->part_end - source->part_begin;
}

void dps_source_set_chunk(dps_source *source, size_t bytes)
{
    source->chunk_bytes = bytes > 0 ? bytes : 1;
}

size_t dps_source_chunk(const dps_source *source)
{
    return source->chunk_bytes;
}

void dps_source_set_head(dps_source *source, dps_source_head head, const void *context)
{
    source->head = head;
    source->head_context = context;
    if (source->stream != NULL) {
        find_head(source);
    }
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
    close_file(source);
    dps_source_files_release(&source->files);
    dps_free(source->carry);
    dps_free(source->look);
    dps_free(source);
}
