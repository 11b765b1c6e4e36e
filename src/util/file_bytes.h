/* All bytes of a file or none: reads and writes that go on where the system gave less than was
 * asked, or a signal came. */
#ifndef DPS_FILE_BYTES_H
#define DPS_FILE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* 0 or an errno. *got: fewer than `size` at the end of the file. */
int dps_read_all(int file, void *bytes, size_t size, size_t *got);
int dps_write_all(int file, const void *bytes, size_t size);
/* Waits until the file is on its disk. What cannot be synced (EINVAL: a pipe, a device) is done. */
int dps_sync_all(int file);

/* Of a stream, whose error is left to ferror: fewer than `size` at its end or after an error. */
size_t dps_stream_read(FILE *stream, void *bytes, size_t size);
/* A line of less than `size` bytes, without its newline; false: none, or it is longer. */
bool dps_stream_line(FILE *stream, char *line, size_t size);

#endif
