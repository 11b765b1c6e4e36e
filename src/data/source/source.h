/* Input bytes as chunks cut at line ends, the same from files, pipes and standard input. Plain
 * reads, no memory map: a disk error or a file cut short while it is read is then an error message
 * and not a signal, and address space stays small; the copy costs about 3 % of the parsing. */
#ifndef DPS_SOURCE_H
#define DPS_SOURCE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "status.h"

typedef struct dps_source dps_source;

/* A piece of one file that starts at a line start and ends at a line end or the end of the file. A
 * UTF-8 byte order mark at the start of a file is left out. */
typedef struct dps_chunk {
    const char *bytes;
    size_t length;
    const char *
        file; /* as the user wrote it; "-" shows as "standard input"; lives as long as the source */
    int32_t file_index;
    bool first_of_file;
    char *owned; /* buffer that dps_chunk_release frees, or NULL (borrowed bytes) */
    /* Instead of bytes: rows that are in memory already (row_arrays.h). */
    int64_t first_row, rows;
} dps_chunk;

/* Opens the files one after the other as one input; "-" is standard input; a name with * ? or [ is
 * a pattern. Every path is checked at once (exists, is not a folder). Compressed content (gzip,
 * zstd) is told by its first bytes and unpacked, an npy matrix is cut between its rows, other
 * binary content is refused. */
DPS_MUST_USE dps_status dps_source_open(dps_source **source, const char *const *paths, size_t count,
                                        dps_error *err);
/* Next chunk of about 256 KiB (a longer line makes a longer chunk); *end = true when there is none.
 * Serial: call from one thread. Chunks stay valid until released, also after later calls. */
DPS_MUST_USE dps_status dps_source_next(dps_source *source, dps_chunk *chunk, bool *end,
                                        dps_error *err);
enum { DPS_LOOK_BYTES = 256 << 10 };
/* The start of the first file that is not empty, before anything else is read: at least its first
 * DPS_LOOK_BYTES and first line (of long lines 32, up to 32 MiB), or all of it. chunk->length 0:
 * every file is empty. A view that holds until dps_source_next. */
DPS_MUST_USE dps_status dps_source_look(dps_source *source, dps_chunk *chunk, dps_error *err);
/* Bytes at the start of a file, of which bytes[0..length) are given, that stay in one piece: what
 * stands before its first row. From now on the first chunk of each file has them all, and parts of
 * a file begin behind them. context must outlive the source. */
typedef size_t (*dps_source_head)(const void *context, const char *bytes, size_t length);
void dps_source_set_head(dps_source *source, dps_source_head head, const void *context);
void dps_chunk_release(dps_chunk *chunk);
/* Total size in bytes of the regular files, or 0 if any input is not one: for progress. */
int64_t dps_source_size(const dps_source *source);
void dps_source_close(dps_source *source);

/* Sizes that the loader and the tests set; results never depend on them. */

/* Bytes a chunk aims at (default 256 KiB; at least 1). */
void dps_source_set_chunk(dps_source *source, size_t bytes);
size_t dps_source_chunk(const dps_source *source);
/* A chunk ends where nothing more has come in yet, if that is behind a line; the start that is
 * looked at is a line. To be called before anything is read. */
void dps_source_set_eager(dps_source *source);
/* Reading gives up with DPS_ERROR_STOPPED soon after *stop is set, also while it waits for a pipe.
 * May be NULL. */
void dps_source_set_stop(dps_source *source, const volatile sig_atomic_t *stop);
/* Longest line in bytes (default 1 GiB): a longer one is an error, so that an endless line cannot
 * eat all memory. */
void dps_source_set_line_limit(dps_source *source, size_t bytes);

/* From here on only the part-th of `parts` parts of about as many bytes; to be called before the
 * first dps_source_next. Compressed files are all in part 0, whose size nobody knows before it is
 * unpacked. Refused: standard input and pipes, which nobody else can look at. */
DPS_MUST_USE dps_status dps_source_take_part(dps_source *source, int part, int parts,
                                             dps_error *err);
/* Name of an input file, as in dps_chunk. */
const char *dps_source_file(const dps_source *source, int32_t file_index);
int32_t dps_source_file_count(const dps_source *source);

#endif
