/* The description in a cache of rows: everything but the rows (docs/data_cache.md). */
#ifndef DPS_CACHE_FORMAT_H
#define DPS_CACHE_FORMAT_H

#include "cache_identity.h"
#include "raw_rows.h"
#include "raw_store.h"

#define DPS_CACHE_MAGIC      "dpsvm row cache\n"
#define DPS_CACHE_MAGIC_SIZE 16
#define DPS_CACHE_VERSION    3
#define DPS_CACHE_ORDER      0x01020304 /* written in the machine's order of bytes */

/* At the start of the file. */
typedef struct dps_cache_head {
    char magic[DPS_CACHE_MAGIC_SIZE];
    uint32_t version, order;
    uint64_t reserved[5]; /* 0 */
} dps_cache_head;

/* At its end. */
typedef struct dps_cache_tail {
    uint64_t file_bytes;                    /* head and tail included */
    uint64_t description, length, checksum; /* where it is, its bytes, its XXH3-64 */
    uint64_t head_checksum;
    uint64_t own_checksum; /* of the fields above */
    char magic[DPS_CACHE_MAGIC_SIZE];
} dps_cache_tail;

/* A block's arrays as they lie in the file: those of dps_raw_lay_out. */
typedef struct dps_cache_block {
    dps_raw_shape shape;
    int64_t lines, first_line;
    int32_t file_index;
    uint64_t at, bytes, checksum;
} dps_cache_block;

typedef struct dps_cache_content {
    dps_cache_identity identity;
    bool weights, label_guessed;
    char note[1024], label[256]; /* dps_input's, as are */
    char *notes;                 /* these; NULL: none */
    int64_t qid_seen, repeats, unknown_texts, text_bytes;
    dps_table table;
    dps_cache_block *block;
    int64_t blocks;
} dps_cache_content;

/* Appends the description; out->failed: no memory. The
 * content stays as it is. */
void dps_cache_describe(dps_cache_content *content, dps_text *out);
/* Reads it back. rows_end: where the blocks end in the file. False: it does not hold together, or
 * memory ran out. */
DPS_MUST_USE bool dps_cache_understand(const char *description, size_t length, uint64_t rows_end,
                                       dps_cache_content *content);
void dps_cache_content_release(dps_cache_content *content);

#endif
