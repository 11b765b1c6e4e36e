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

/* Whether to go on: a signal came, and nothing else was wrong. */
static bool interrupted(FILE *stream)
{
    if (ferror(stream) == 0 || errno != EINTR) {
        return false;
    }
    clearerr(stream);
    return true;
}

size_t dps_stream_read(FILE *stream, void *bytes, size_t size)
{
    size_t got = 0;
    do {
        got += fread((char *)bytes + got, 1, size - got, stream);
    } while (got < size && interrupted(stream));
    return got;
}

bool dps_stream_line(FILE *stream, char *line, size_t size)
{
    for (size_t length = 0; length < size;) {
        const int c = fgetc(stream);
        if (c == '\n') {
            line[length] = '\0';
            return true;
        }
        if (c != EOF) {
            line[length++] = (char)c;
        } else if (!interrupted(stream)) {
            return false;
        }
    }
    return false;
}
