/* Streaming decompression: gzip (RFC 1952, several members one after the other, as from `cat`) with
 * zlib, zstd (RFC 8878, frames likewise) with libzstd. Memory: one packed buffer and the library's
 * window. Content that is not compressed is read straight into the caller's buffer. */
#include "byte_stream.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "allocation.h"

#define PACKED_BYTES      ((size_t)128 << 10)
#define MAGIC_BYTES       4
#define STOP_MILLISECONDS 200

typedef enum packing { PLAIN, GZIP, ZSTD } packing;

struct dps_byte_stream {
    int file;
    const char *shown;
    const volatile sig_atomic_t *stop;
    packing kind;
    char *packed; /* read from the file, not yet used */
    size_t at, length;
    bool file_ended;
    bool inside; /* of a member or frame */
    z_stream gzip;
    ZSTD_DStream *zstd;
};

static packing kind_of(const unsigned char *bytes, size_t length)
{
    if (length >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b) {
        return GZIP;
    }
    if (length >= 4 && bytes[0] == 0x28 && bytes[1] == 0xb5 && bytes[2] == 0x2f &&
        bytes[3] == 0xfd) {
        return ZSTD;
    }
    return PLAIN;
}

bool dps_is_compressed(const void *bytes, size_t length)
{
    return kind_of(bytes, length) != PLAIN;
}

static bool is_stopped(const dps_byte_stream *stream)
{
    return stream->stop != NULL && __atomic_load_n(stream->stop, __ATOMIC_RELAXED) != 0;
}

/* Waits until there is something to read, the end included. False: stopped meanwhile. A signal may
 * be delivered to another thread, so that waiting has to look for itself. */
static bool wait_for_bytes(const dps_byte_stream *stream)
{
    struct pollfd waiting = {.fd = stream->file, .events = POLLIN};
    while (!is_stopped(stream)) {
        const int ready = poll(&waiting, 1, STOP_MILLISECONDS);
        if (ready > 0 || (ready < 0 && errno != EINTR)) {
            return true; /* read() tells what is wrong */
        }
    }
    return false;
}

static dps_status read_file(dps_byte_stream *stream, char *buffer, size_t wanted, size_t *got,
                            dps_error *err)
{
    ssize_t count = -1;
    while (count < 0) {
        if (!wait_for_bytes(stream)) {
            return dps_error_at(err, DPS_ERROR_STOPPED, stream->shown, 0, 0,
                                "stopped by a signal while reading");
        }
        count = read(stream->file, buffer, wanted);
        if (count < 0 && errno != EINTR) {
            break;
        }
    }
    if (count >= 0) {
        *got = (size_t)count;
        stream->file_ended |= count == 0 && wanted > 0;
        return DPS_OK;
    }
    char reason[128];
    if (strerror_r(errno, reason, sizeof reason) != 0) {
        reason[0] = '\0';
    }
    return dps_error_at(err, DPS_ERROR_IO, stream->shown, 0, 0, "reading failed: %s", reason);
}

/* Reads until `wanted` packed bytes are there or the file ends. */
static dps_status fill_packed(dps_byte_stream *stream, size_t wanted, dps_error *err)
{
    while (stream->length < wanted && !stream->file_ended) {
        size_t got = 0;
        dps_status status = read_file(stream, stream->packed + stream->length,
                                      PACKED_BYTES - stream->length, &got, err);
        if (status != DPS_OK) {
            return status;
        }
        stream->length += got;
    }
    return DPS_OK;
}

static dps_status damaged(const dps_byte_stream *stream, const char *why, dps_error *err)
{
    return dps_error_at(err, DPS_ERROR_DATA, stream->shown, 0, 0,
                        "the %s data are %s; copy or pack the file again",
                        stream->kind == GZIP ? "gzip" : "zstd", why);
}

static dps_status start(dps_byte_stream *stream, dps_error *err)
{
    stream->packed = dps_alloc(PACKED_BYTES, 1);
    if (stream->packed == NULL) {
        return dps_out_of_memory(err, PACKED_BYTES, 1, "reading data");
    }
    dps_status status = fill_packed(stream, MAGIC_BYTES, err);
    if (status != DPS_OK) {
        return status;
    }
    stream->kind = kind_of((const unsigned char *)stream->packed, stream->length);
    bool ok = true;
    if (stream->kind == GZIP) {
        const int window = 15, with_gzip_header = 16;
        ok = inflateInit2(&stream->gzip, window + with_gzip_header) == Z_OK;
    } else if (stream->kind == ZSTD) {
        stream->zstd = ZSTD_createDStream();
        ok = stream->zstd != NULL && !ZSTD_isError(ZSTD_initDStream(stream->zstd));
    }
    if (!ok) {
        stream->kind = PLAIN; /* nothing of zlib's to give back */
        return dps_out_of_memory(err, 1, PACKED_BYTES, "unpacking data");
    }
    return DPS_OK;
}

dps_status dps_byte_stream_open(dps_byte_stream **stream, int file, const char *shown,
                                const volatile sig_atomic_t *stop, dps_error *err)
{
    *stream = NULL;
    dps_byte_stream *s = dps_alloc(1, sizeof *s);
    if (s == NULL) {
        close(file);
        return dps_out_of_memory(err, 1, sizeof *s, "reading data");
    }
    s->file = file;
    s->shown = shown;
    s->stop = stop;
    dps_status status = start(s, err);
    if (status != DPS_OK) {
        dps_byte_stream_close(s);
        return status;
    }
    *stream = s;
    return DPS_OK;
}

/* One step of unpacking from the packed bytes at hand. */
static dps_status unpack_gzip(dps_byte_stream *stream, char *buffer, size_t wanted, size_t *got,
                              dps_error *err)
{
    z_stream *z = &stream->gzip;
    const size_t most = (size_t)1 << 30;
    z->next_in = (Bytef *)stream->packed + stream->at;
    z->avail_in = (uInt)(stream->length - stream->at);
    z->next_out = (Bytef *)buffer;
    z->avail_out = (uInt)(wanted < most ? wanted : most);
    const uInt room = z->avail_out;
    stream->inside = true;
    const int result = inflate(z, Z_NO_FLUSH);
    stream->at = stream->length - z->avail_in;
    *got = room - z->avail_out;
    if (result == Z_STREAM_END) {
        stream->inside = false;
        return inflateReset(z) == Z_OK ? DPS_OK : damaged(stream, "damaged", err);
    }
    if (result == Z_MEM_ERROR) {
        return dps_out_of_memory(err, 1, PACKED_BYTES, "unpacking data");
    }
    return result == Z_OK || result == Z_BUF_ERROR ? DPS_OK : damaged(stream, "damaged", err);
}

static dps_status unpack_zstd(dps_byte_stream *stream, char *buffer, size_t wanted, size_t *got,
                              dps_error *err)
{
    ZSTD_inBuffer in = {stream->packed, stream->length, stream->at};
    ZSTD_outBuffer out = {buffer, wanted, 0};
    const size_t result = ZSTD_decompressStream(stream->zstd, &out, &in);
    stream->at = in.pos;
    *got = out.pos;
    if (ZSTD_isError(result)) {
        return damaged(stream, "damaged", err);
    }
    stream->inside = result != 0;
    return DPS_OK;
}

static dps_status read_packed(dps_byte_stream *stream, char *buffer, size_t wanted, size_t *got,
                              dps_error *err)
{
    for (;;) {
        dps_status status = DPS_OK;
        if (stream->inside || stream->at < stream->length) { /* the library may hold bytes back */
            status = stream->kind == GZIP ? unpack_gzip(stream, buffer, wanted, got, err)
                                          : unpack_zstd(stream, buffer, wanted, got, err);
        }
        if (status != DPS_OK || *got > 0) {
            return status;
        }
        if (stream->at < stream->length) {
            continue; /* the next member or frame */
        }
        stream->at = 0;
        stream->length = 0;
        status = fill_packed(stream, 1, err);
        if (status != DPS_OK) {
            return status;
        }
        if (stream->length == 0) {
            return stream->inside ? damaged(stream, "cut short", err) : DPS_OK;
        }
    }
}

dps_status dps_byte_stream_read(dps_byte_stream *stream, char *buffer, size_t wanted, size_t *got,
                                dps_error *err)
{
    *got = 0;
    if (stream->kind != PLAIN) {
        return wanted > 0 ? read_packed(stream, buffer, wanted, got, err) : DPS_OK;
    }
    const size_t ahead = stream->length - stream->at;
    if (ahead > 0) {
        *got = ahead < wanted ? ahead : wanted;
        memcpy(buffer, stream->packed + stream->at, *got);
        stream->at += *got;
        return DPS_OK;
    }
    return stream->file_ended ? DPS_OK : read_file(stream, buffer, wanted, got, err);
}

dps_status dps_byte_stream_seek(dps_byte_stream *stream, int64_t offset, dps_error *err)
{
    assert(stream->kind == PLAIN);
    if (lseek(stream->file, (off_t)offset, SEEK_SET) < 0) {
        return dps_error_at(err, DPS_ERROR_IO, stream->shown, 0, 0,
                            "cannot be read from byte %lld on", (long long)offset);
    }
    stream->at = stream->length = 0;
    stream->file_ended = false;
    return DPS_OK;
}

void dps_byte_stream_close(dps_byte_stream *stream)
{
    if (stream == NULL) {
        return;
    }
    if (stream->kind == GZIP) {
        inflateEnd(&stream->gzip);
    }
    ZSTD_freeDStream(stream->zstd);
    dps_free(stream->packed);
    close(stream->file);
    dps_free(stream);
}
