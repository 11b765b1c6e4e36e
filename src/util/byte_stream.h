/* Bytes of a file or of standard input, unpacked where the content says that it is compressed (its
 * first bytes, never its name; unpack.h). */
#ifndef DPS_BYTE_STREAM_H
#define DPS_BYTE_STREAM_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include "status.h"

typedef struct dps_byte_stream dps_byte_stream;

/* Takes the open file over (on an error too). shown: its name in errors, must outlive the stream.
 * stop: reading gives up with DPS_ERROR_STOPPED soon after *stop is set, also while it waits for a
 * pipe; may be NULL. */
DPS_MUST_USE dps_status dps_byte_stream_open(dps_byte_stream **stream, int file, const char *shown,
                                             const volatile sig_atomic_t *stop, dps_error *err);
/* Up to `wanted` bytes; *got = 0: the end. */
DPS_MUST_USE dps_status dps_byte_stream_read(dps_byte_stream *stream, char *buffer, size_t wanted,
                                             size_t *got, dps_error *err);
/* Goes on from an offset of the file, which must be a regular one that is not compressed. */
DPS_MUST_USE dps_status dps_byte_stream_seek(dps_byte_stream *stream, int64_t offset,
                                             dps_error *err);
void dps_byte_stream_close(dps_byte_stream *stream);

/* Whether content that begins like this is compressed. */
bool dps_is_compressed(const void *bytes, size_t length);

#endif
