/* Streaming decompression with the formats' own libraries: gzip (RFC 1952) with zlib, zstd (RFC
 * 8878) with libzstd, bzip2 with libbz2, xz and lzma with liblzma. Memory: the library's window,
 * for zstd up to 2 GiB where a file was packed with --long=31.
 *
 * What follows the last member is treated as the format's tool treats it: gzip and bzip2 pass over
 * zeros and anything else that is no further member; xz and zstd (here) pass over zeros only. */
#include "unpack.h"

#include <stdint.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#ifdef DPS_WITH_BZ2
#include <bzlib.h>
#endif
#ifdef DPS_WITH_LZMA
#include <lzma.h>
#endif

#include "allocation.h"

#define MOST_AT_ONCE ((size_t)1 << 30) /* the libraries' counts are unsigned int */

typedef struct step {
    const char *in;
    size_t length;
    bool last;
    char *out;
    size_t room;
    size_t used, made;
} step;

struct dps_unpacker {
    dps_packing kind;
    const char *shown;
    bool inside;  /* of a member or frame */
    bool ignores; /* what is left is no further member */
    bool zlib_open, bz2_open, lzma_open;
    z_stream zlib;
    ZSTD_DStream *zstd;
#ifdef DPS_WITH_BZ2
    bz_stream bz2;
#endif
#ifdef DPS_WITH_LZMA
    lzma_stream lzma;
    bool lzma_ended;
#endif
};

static const struct {
    const char *name, *tool, *package;
} packings[] = {[DPS_PACKING_NONE] = {"nothing", "cat", ""},
                [DPS_PACKING_GZIP] = {"gzip", "gzip -dc", "zlib1g-dev"},
                [DPS_PACKING_ZSTD] = {"zstd", "zstd -dc --long=31", "libzstd-dev"},
                [DPS_PACKING_BZIP2] = {"bzip2", "bzip2 -dc", "libbz2-dev"},
                [DPS_PACKING_XZ] = {"xz", "xz -dc", "liblzma-dev"}};

const char *dps_packing_names(void)
{
    return "gzip, zstd"
#ifdef DPS_WITH_BZ2
           ", bzip2"
#endif
#ifdef DPS_WITH_LZMA
           ", xz"
#endif
#if !defined(DPS_WITH_BZ2) && !defined(DPS_WITH_LZMA)
           " (built without libbz2 and liblzma)"
#elif !defined(DPS_WITH_BZ2)
           " (built without libbz2)"
#elif !defined(DPS_WITH_LZMA)
           " (built without liblzma)"
#endif
        ;
}

/* --- which one -------------------------------------------------------------------------------- */

static bool is_gzip(const unsigned char *b, size_t length)
{
    return length >= 3 && b[0] == 0x1f && b[1] == 0x8b && b[2] == 8;
}

/* A frame, a skippable one (as pzstd writes first), or one of zstd 0.4 to 0.7. */
static bool is_zstd(const unsigned char *b, size_t length)
{
    return length >= 4 &&
           ((b[0] >= 0x24 && b[0] <= 0x28 && b[1] == 0xb5 && b[2] == 0x2f && b[3] == 0xfd) ||
            ((b[0] & 0xf0) == 0x50 && b[1] == 0x2a && b[2] == 0x4d && b[3] == 0x18));
}

/* "BZh", a level, and the start of a block (pi) or of the end (its root). */
static bool is_bzip2(const unsigned char *b, size_t length)
{
    return length >= 10 && memcmp(b, "BZh", 3) == 0 && b[3] >= '1' && b[3] <= '9' &&
           (memcmp(b + 4, "\x31\x41\x59\x26\x53\x59", 6) == 0 ||
            memcmp(b + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0);
}

/* xz, or lzma as xz recognises it: usual properties, a dictionary of 2^n or 3 2^n bytes, a size
 * that is unknown or below 256 GiB. */
static bool is_xz(const unsigned char *b, size_t length)
{
    if (length >= 6 && memcmp(b, "\xfd\x37zXZ\0", 6) == 0) {
        return true;
    }
    if (length < DPS_PACKING_BYTES || b[0] != 0x5d || b[1] != 0 || b[2] != 0) {
        return false;
    }
    static const unsigned char unknown[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    return memcmp(b + 5, unknown, 8) == 0 || (b[10] < 0x40 && b[11] == 0 && b[12] == 0);
}

dps_packing dps_packing_of(const void *bytes, size_t length)
{
    return is_gzip(bytes, length)    ? DPS_PACKING_GZIP
           : is_zstd(bytes, length)  ? DPS_PACKING_ZSTD
           : is_bzip2(bytes, length) ? DPS_PACKING_BZIP2
           : is_xz(bytes, length)    ? DPS_PACKING_XZ
                                     : DPS_PACKING_NONE;
}

bool dps_packing_may_follow(const void *bytes, size_t length)
{
    static const unsigned char starts[][3] = {/* first byte from, to; second */
                                              {0x1f, 0x1f, 0x8b}, {0x24, 0x28, 0xb5},
                                              {0x50, 0x5f, 0x2a}, {'B', 'B', 'Z'},
                                              {0xfd, 0xfd, 0x37}, {0x5d, 0x5d, 0x00}};
    const unsigned char *b = bytes;
    bool may = length == 0;
    for (size_t k = 0; k < sizeof starts / sizeof starts[0] && length > 0; k++) {
        may |=
            b[0] >= starts[k][0] && b[0] <= starts[k][1] && (length == 1 || b[1] == starts[k][2]);
    }
    return may && length < DPS_PACKING_BYTES;
}

/* --- errors ----------------------------------------------------------------------------------- */

static dps_status damaged(const dps_unpacker *u, const char *why, dps_error *err)
{
    return dps_error_at(err, DPS_ERROR_DATA, u->shown, 0, 0,
                        "the %s data are %s; copy or pack the file again", packings[u->kind].name,
                        why);
}

static dps_status no_memory(const dps_unpacker *u, dps_error *err)
{
    return dps_error_at(err, DPS_ERROR_MEMORY, u->shown, 0, 0,
                        "no memory for unpacking it; unpack it first: %s FILE | dpsvm ... -",
                        packings[u->kind].tool);
}

/* --- one step of each ------------------------------------------------------------------------- */

static dps_status unpack_gzip(dps_unpacker *u, step *s, dps_error *err)
{
    z_stream *z = &u->zlib;
    z->next_in = (Bytef *)(uintptr_t)s->in;
    z->avail_in = (uInt)s->length;
    z->next_out = (Bytef *)s->out;
    z->avail_out = (uInt)s->room;
    u->inside = true;
    const int result = inflate(z, Z_NO_FLUSH);
    s->used = s->length - z->avail_in;
    s->made = s->room - z->avail_out;
    if (result == Z_STREAM_END) {
        u->inside = false;
        return inflateReset(z) == Z_OK ? DPS_OK : damaged(u, "damaged", err);
    }
    return result == Z_MEM_ERROR                     ? no_memory(u, err)
           : result == Z_OK || result == Z_BUF_ERROR ? DPS_OK
                                                     : damaged(u, "damaged", err);
}

static dps_status unpack_zstd(dps_unpacker *u, step *s, dps_error *err)
{
    ZSTD_inBuffer in = {s->in, s->length, 0};
    ZSTD_outBuffer out = {s->out, s->room, 0};
    const size_t result = ZSTD_decompressStream(u->zstd, &out, &in);
    s->used = in.pos;
    s->made = out.pos;
    if (!ZSTD_isError(result)) {
        u->inside = result != 0;
        return DPS_OK;
    }
    switch (ZSTD_getErrorCode(result)) {
    case ZSTD_error_memory_allocation:
    case ZSTD_error_frameParameter_windowTooLarge:
        return no_memory(u, err);
    case ZSTD_error_dictionary_wrong:
        return dps_error_at(err, DPS_ERROR_DATA, u->shown, 0, 0,
                            "was packed with a zstd dictionary; unpack it first: zstd -dc -D "
                            "DICTIONARY FILE | dpsvm ... -");
    case ZSTD_error_prefix_unknown:
        return damaged(u, "followed by something that is no zstd frame", err);
    default:
        return damaged(u, "damaged", err);
    }
}

#ifdef DPS_WITH_BZ2
static dps_status unpack_bzip2(dps_unpacker *u, step *s, dps_error *err)
{
    bz_stream *b = &u->bz2;
    if (!u->bz2_open) {
        memset(b, 0, sizeof *b);
        if (BZ2_bzDecompressInit(b, 0, 0) != BZ_OK) {
            return no_memory(u, err);
        }
        u->bz2_open = true;
    }
    b->next_in = (char *)(uintptr_t)s->in;
    b->avail_in = (unsigned)s->length;
    b->next_out = s->out;
    b->avail_out = (unsigned)s->room;
    u->inside = true;
    const int result = BZ2_bzDecompress(b);
    s->used = s->length - b->avail_in;
    s->made = s->room - b->avail_out;
    if (result == BZ_STREAM_END) {
        u->inside = false;
        u->bz2_open = false;
        BZ2_bzDecompressEnd(b);
        return DPS_OK;
    }
    return result == BZ_OK          ? DPS_OK
           : result == BZ_MEM_ERROR ? no_memory(u, err)
                                    : damaged(u, "damaged", err);
}
#endif

#ifdef DPS_WITH_LZMA
/* liblzma itself passes from stream to stream, and has to be told of the end. */
static dps_status unpack_xz(dps_unpacker *u, step *s, dps_error *err)
{
    lzma_stream *z = &u->lzma;
    z->next_in = (const uint8_t *)s->in;
    z->avail_in = s->length;
    z->next_out = (uint8_t *)s->out;
    z->avail_out = s->room;
    const lzma_ret result =
        u->lzma_ended ? LZMA_STREAM_END : lzma_code(z, s->last ? LZMA_FINISH : LZMA_RUN);
    s->used = s->length - z->avail_in;
    s->made = s->room - z->avail_out;
    u->inside = result != LZMA_STREAM_END;
    u->lzma_ended = !u->inside;
    switch (result) {
    case LZMA_OK:
    case LZMA_STREAM_END:
        return DPS_OK;
    case LZMA_BUF_ERROR:
        return s->last && s->length == 0 ? damaged(u, "cut short", err) : DPS_OK;
    case LZMA_MEM_ERROR:
    case LZMA_MEMLIMIT_ERROR:
        return no_memory(u, err);
    case LZMA_OPTIONS_ERROR:
        return dps_error_at(err, DPS_ERROR_DATA, u->shown, 0, 0,
                            "is packed in a way that this liblzma does not know; unpack it first: "
                            "xz -dc FILE | dpsvm ... -");
    default:
        return damaged(u, "damaged", err);
    }
}
#endif

/* --- all of them ------------------------------------------------------------------------------ */

dps_status dps_unpacker_new(dps_unpacker **unpacker, dps_packing kind, const char *shown,
                            dps_error *err)
{
    *unpacker = NULL;
    dps_unpacker *u;
    DPS_NEED(u, 1, "unpacking data", err);
    u->kind = kind;
    u->shown = shown;
    bool known = true, ok = true;
    switch (kind) {
    case DPS_PACKING_GZIP: {
        const int window = 15, with_gzip_header = 16;
        ok = u->zlib_open = inflateInit2(&u->zlib, window + with_gzip_header) == Z_OK;
        break;
    }
    case DPS_PACKING_ZSTD: {
        const int widest = sizeof(size_t) == 8 ? 31 : 30; /* as zstd -d --long=31 */
        u->zstd = ZSTD_createDStream();
        ok = u->zstd != NULL && !ZSTD_isError(ZSTD_initDStream(u->zstd)) &&
             !ZSTD_isError(ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, widest));
        break;
    }
    case DPS_PACKING_BZIP2:
#ifndef DPS_WITH_BZ2
        known = false;
#endif
        break;
    case DPS_PACKING_XZ:
#ifdef DPS_WITH_LZMA
        u->lzma = (lzma_stream)LZMA_STREAM_INIT;
        ok = u->lzma_open = lzma_auto_decoder(&u->lzma, UINT64_MAX, LZMA_CONCATENATED) == LZMA_OK;
#else
        known = false;
#endif
        break;
    case DPS_PACKING_NONE:
        known = false;
    }
    dps_status status = DPS_OK;
    if (!known) {
        status = dps_error_at(err, DPS_ERROR_DATA, shown, 0, 0,
                              "is packed with %s, and this dpsvm was built without its library "
                              "(Debian: %s); unpack it: %s FILE | dpsvm ... -",
                              packings[kind].name, packings[kind].package, packings[kind].tool);
    } else if (!ok) {
        status = no_memory(u, err);
    }
    if (status != DPS_OK) {
        dps_unpacker_free(u);
        return status;
    }
    *unpacker = u;
    return DPS_OK;
}

/* Whether another member begins at s->in, as far as the bytes go. */
static bool member_begins(const dps_unpacker *u, const step *s)
{
    const char *magic = u->kind == DPS_PACKING_GZIP    ? "\x1f\x8b"
                        : u->kind == DPS_PACKING_BZIP2 ? "BZh"
                                                       : "";
    const size_t length = strlen(magic);
    return memcmp(s->in, magic, s->length < length ? s->length : length) == 0;
}

/* Zeros between and behind members. */
static size_t padding(const step *s)
{
    size_t zeros = 0;
    while (zeros < s->length && s->in[zeros] == '\0') {
        zeros++;
    }
    return zeros;
}

static dps_status take_step(dps_unpacker *u, step *s, dps_error *err)
{
    enum { BYTES_THAT_TELL = 3 };
    if (u->kind != DPS_PACKING_XZ && !u->inside && s->length == 0) {
        return DPS_OK;
    }
    if (!u->inside && !u->ignores && s->length < BYTES_THAT_TELL && !s->last) {
        return DPS_OK; /* more, please */
    }
    if (!u->inside && u->kind == DPS_PACKING_ZSTD && padding(s) > 0) {
        s->used = padding(s);
        return DPS_OK;
    }
    u->ignores = u->ignores || (!u->inside && !member_begins(u, s));
    if (u->ignores) {
        s->used = s->length;
        return DPS_OK;
    }
    switch (u->kind) {
    case DPS_PACKING_GZIP:
        return unpack_gzip(u, s, err);
    case DPS_PACKING_ZSTD:
        return unpack_zstd(u, s, err);
    case DPS_PACKING_BZIP2:
#ifdef DPS_WITH_BZ2
        return unpack_bzip2(u, s, err);
#else
        break;
#endif
    case DPS_PACKING_XZ:
#ifdef DPS_WITH_LZMA
        return unpack_xz(u, s, err);
#else
        break;
#endif
    case DPS_PACKING_NONE:
        break;
    }
    return DPS_OK;
}

dps_status dps_unpack(dps_unpacker *unpacker, const char *in, size_t length, bool last, char *out,
                      size_t room, size_t *used, size_t *made, dps_error *err)
{
    step s = {.in = in,
              .length = length < MOST_AT_ONCE ? length : MOST_AT_ONCE,
              .out = out,
              .room = room < MOST_AT_ONCE ? room : MOST_AT_ONCE};
    s.last = last && s.length == length;
    const dps_status status = take_step(unpacker, &s, err);
    *used = s.used;
    *made = s.made;
    if (status == DPS_OK && s.used == 0 && s.made == 0 && s.last && s.room > 0 &&
        unpacker->inside) {
        return damaged(unpacker, "cut short", err);
    }
    return status;
}

void dps_unpacker_free(dps_unpacker *unpacker)
{
    if (unpacker == NULL) {
        return;
    }
    if (unpacker->zlib_open) {
        inflateEnd(&unpacker->zlib);
    }
    ZSTD_freeDStream(unpacker->zstd);
#ifdef DPS_WITH_BZ2
    if (unpacker->bz2_open) {
        BZ2_bzDecompressEnd(&unpacker->bz2);
    }
#endif
#ifdef DPS_WITH_LZMA
    if (unpacker->lzma_open) {
        lzma_end(&unpacker->lzma);
    }
#endif
    dps_free(unpacker);
}
