/* Compressed content, unpacked a piece at a time: gzip, zstd, and, where the build has their
 * libraries, bzip2 and xz (lzma too). What the format's own tool unpacks is unpacked: members,
 * frames or streams one after the other, skippable frames, padding, large windows. */
#ifndef DPS_UNPACK_H
#define DPS_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include "status.h"

typedef enum dps_packing {
    DPS_PACKING_NONE,
    DPS_PACKING_GZIP,
    DPS_PACKING_ZSTD,
    DPS_PACKING_BZIP2,
    DPS_PACKING_XZ
} dps_packing;

/* Bytes that tell a packing. */
#define DPS_PACKING_BYTES 13

/* By the first bytes, never by a name. */
dps_packing dps_packing_of(const void *bytes, size_t length);

/* Whether more bytes after these could tell a packing; false from DPS_PACKING_BYTES on. */
bool dps_packing_may_follow(const void *bytes, size_t length);

typedef struct dps_unpacker dps_unpacker;

/* shown: the file's name in errors, must outlive the unpacker. An error where this build lacks the
 * library. */
DPS_MUST_USE dps_status dps_unpacker_new(dps_unpacker **unpacker, dps_packing kind,
                                         const char *shown, dps_error *err);
/* Unpacks from in[0..length) into out[0..room): *used and *made bytes. last: the file has no more
 * packed bytes than these. Nothing used and nothing made: more packed bytes are needed, or, if
 * last, the end. A file that is cut short or damaged is an error. */
DPS_MUST_USE dps_status dps_unpack(dps_unpacker *unpacker, const char *in, size_t length, bool last,
                                   char *out, size_t room, size_t *used, size_t *made,
                                   dps_error *err);
void dps_unpacker_free(dps_unpacker *unpacker); /* accepts NULL */

/* Names of the packings that this build unpacks, for people. */
const char *dps_packing_names(void);

#endif
