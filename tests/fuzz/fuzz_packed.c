/* Compressed files (gzip, zstd, bzip2, xz), told by their first bytes: the same bytes, or the same
 * error after the same bytes, in whatever pieces they are asked for. */
#include <fcntl.h>
#include "byte_stream.h"
#include "fuzz_target.h"

#define MOST ((size_t)1 << 20) /* a few bytes may stand for very many */

static dps_status read_in_pieces(const char *path, size_t piece, dps_text *out, dps_error *err)
{
    static char buffer[MOST];
    dps_byte_stream *stream;
    size_t got = 1;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    FUZZ_HOLDS(file >= 0, "opening %s", path);
    dps_status status = dps_byte_stream_open(&stream, file, "in", NULL, err);
    if (status != DPS_OK) {
        return status;
    }
    while (status == DPS_OK && got > 0 && out->length < MOST) {
        const size_t left = MOST - out->length;
        status = dps_byte_stream_read(stream, buffer, piece < left ? piece : left, &got, err);
        if (status == DPS_OK) {
            dps_text_append(out, buffer, got);
        }
    }
    dps_byte_stream_close(stream);
    FUZZ_HOLDS(!out->failed, "memory");
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    dps_error err, second_err;
    dps_text whole = {0}, pieces = {0};
    char path[300];
    if (length < 2) {
        return 0;
    }
    fuzz_put(fuzz_path(path, "in.packed"), bytes + 1, length - 1);
    const dps_status status = read_in_pieces(path, MOST, &whole, &err);
    const dps_status second = read_in_pieces(path, 1 + (size_t)bytes[0] * 16, &pieces, &second_err);
    FUZZ_HOLDS(status == second && (status == DPS_OK || strcmp(err.text, second_err.text) == 0),
               "%d %s; in pieces %d %s", status, status == DPS_OK ? "" : err.text, second,
               second == DPS_OK ? "" : second_err.text);
    FUZZ_HOLDS(status != DPS_OK || fuzz_same(&whole, &pieces), "other bytes in pieces");
    FUZZ_HOLDS(status != DPS_OK || dps_is_compressed(bytes + 1, length - 1) ||
                   (whole.length == length - 1 && memcmp(whole.data, bytes + 1, length - 1) == 0),
               "a plain file's bytes are changed");
    dps_text_release(&whole);
    dps_text_release(&pieces);
    return 0;
}
