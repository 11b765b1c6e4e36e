/* All bytes of a file or none: reads and writes that go on where the system gave less than was
 * asked, or a signal came. */
#ifndef DPS_FILE_BYTES_H
#define DPS_FILE_BYTES_H

#include <stddef.h>

/* 0 or an errno. *got: fewer than `size` at the end of the file. */
int dps_read_all(int file, void *bytes, size_t size, size_t *got);
int dps_write_all(int file, const void *bytes, size_t size);
/* Waits until the file is on its disk. What cannot be synced (EINVAL: a pipe, a device) is done. */
int dps_sync_all(int file);

#endif
