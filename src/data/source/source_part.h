/* A part of an input's bytes: what one of several ranks reads. Lines, and rows of npy files, belong
 * to the part in which they start. */
#ifndef DPS_SOURCE_PART_H
#define DPS_SOURCE_PART_H

#include <stddef.h>
#include <stdint.h>

#define DPS_NO_END INT64_MAX

/* Of one file: the lines that start at offsets begin <= offset < end. end = DPS_NO_END: to its end.
 */
typedef struct dps_file_part {
    int64_t begin, end;
} dps_file_part;

/* What [begin, end) of all bytes means for a file of `size` bytes with `before` bytes in the files
 * before it; empty: begin >= end. */
dps_file_part dps_file_part_of(int64_t begin, int64_t end, int64_t before, int64_t size);
/* The same moved to the starts of records that follow a header. */
dps_file_part dps_file_part_records(dps_file_part part, size_t header_bytes, size_t record_bytes);
/* bytes[0..cut), which begin at offset `at`, without the lines that are another's. record_bytes >
 * 0: the part's end is that of a record. */
size_t dps_file_part_cut(dps_file_part part, int64_t at, const char *bytes, size_t cut,
                         size_t record_bytes);

#endif
