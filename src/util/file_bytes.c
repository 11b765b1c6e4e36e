/* Why by hand: the streams of the C library end with an error where a signal without SA_RESTART
 * meets them, and lose what they had buffered. */
#include "file_bytes.h"

#include <errno.h>
#include <unistd.h>

int dps_read_all(int file, void *bytes, size_t size, size_t *got)
{
    char *to = bytes;
    for (*got = 0; *got < size;) {
        const ssize_t count = read(file, to + *got, size - *got);
        if (count < 0 && errno != EINTR) {
            return errno;
        }
        if (count == 0) {
            return 0;
        }
        *got += count > 0 ? (size_t)count : 0;
    }
    return 0;
}

int dps_write_all(int file, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0) {
        const ssize_t count = write(file, from, size);
        if (count < 0 && errno != EINTR) {
            return errno;
        }
        if (count > 0) {
            from += count;
            size -= (size_t)count;
        }
    }
    return 0;
}

int dps_sync_all(int file)
{
    while (fsync(file) != 0) {
        if (errno != EINTR) {
            return errno == EINVAL ? 0 : errno;
        }
    }
    return 0;
}
