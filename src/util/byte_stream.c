/* Bytes of a descriptor. Content that is compressed goes through a packed buffer and unpack.c;
 * other content is read straight into the caller's buffer. */
#include "byte_stream.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "allocation.h"
#include "unpack.h"

#define PACKED_BYTES      ((size_t)128 << 10)
#define STOP_MILLISECONDS 200

struct dps_byte_stream {
    int file;
    const char *shown;
    const volatile sig_atomic_t *stop;
    char *packed; /* read from the file, not yet used */
    size_t at, length;
    bool file_ended;
    dps_unpacker *unpacker; /* NULL: not compressed */
};

bool dps_is_compressed(const void *bytes, size_t length)
{
    return dps_packing_of(bytes, length) != DPS_PACKING_NONE;
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

static dps_status read_more(dps_byte_stream *stream, dps_error *err)
{
    size_t got = 0;
    DPS_TRY(read_file(stream, stream->packed + stream->length, PACKED_BYTES - stream->length, &got,
                      err));
    stream->length += got;
    return DPS_OK;
}

/* Reads no more than tells how the bytes are packed: a program at the other end of a pipe may wait
 * for the answer to a short row. */
static dps_status start(dps_byte_stream *stream, dps_error *err)
{
    DPS_NEED(stream->packed, PACKED_BYTES, "reading data", err);
    while (!stream->file_ended && dps_packing_may_follow(stream->packed, stream->length)) {
        DPS_TRY(read_more(stream, err));
    }
    const dps_packing kind = dps_packing_of(stream->packed, stream->length);
    return kind == DPS_PACKING_NONE ? DPS_OK
                                    : dps_unpacker_new(&stream->unpacker, kind, stream->shown, err);
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

static dps_status read_packed(dps_byte_stream *stream, char *buffer, size_t wanted, size_t *got,
                              dps_error *err)
{
    for (;;) {
        size_t used = 0;
        dps_status status =
            dps_unpack(stream->unpacker, stream->packed + stream->at, stream->length - stream->at,
                       stream->file_ended, buffer, wanted, &used, got, err);
        stream->at += used;
        if (status != DPS_OK || *got > 0) {
            return status;
        }
        if (used > 0) {
            continue;
        }
        if (stream->file_ended) {
            return DPS_OK;
        }
        /* what is left tells too little alone */
        stream->length -= stream->at;
        memmove(stream->packed, stream->packed + stream->at, stream->length);
        stream->at = 0;
        DPS_TRY(read_more(stream, err));
    }
}

dps_status dps_byte_stream_read(dps_byte_stream *stream, char *buffer, size_t wanted, size_t *got,
                                dps_error *err)
{
    *got = 0;
    if (stream->unpacker != NULL) {
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
    assert(stream->unpacker == NULL);
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
    dps_unpacker_free(stream->unpacker);
    dps_free(stream->packed);
    close(stream->file);
    dps_free(stream);
}
