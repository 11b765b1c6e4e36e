/* Output files that are complete or absent.
 *
 * A regular file is written under a temporary name in its own folder (so that the rename is within
 * one file system), made durable with fsync and renamed over the old one. The temporary file is
 * created with O_EXCL and the mode the user's umask gives, or the mode of the file it replaces. A
 * symbolic link is followed first: its target is replaced, the link stays. Devices and pipes cannot
 * be replaced and are written as they are. */
#include "output_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "allocation.h"
#include "file_bytes.h"
#include "number.h"

#define BUFFER_BYTES ((size_t)256 << 10)
#define PATH_ROOM    4096
#define MOST_LINKS   40

struct dps_output_file {
    int fd;
    bool direct; /* no temporary file: standard output, a device or a pipe */
    char *buffer;
    size_t used;
    char shown[PATH_ROOM];     /* as the user wrote it */
    char path[PATH_ROOM];      /* with links resolved */
    char temporary[PATH_ROOM]; /* empty when direct */
};

static const char *shown_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard output" : path;
}

static dps_status cannot_write(dps_error *err, const char *path, int error)
{
    const char *remedy =
        error == ENOSPC || error == EDQUOT ? "free some space or choose another place"
        : error == EFBIG ? "raise the limit of file sizes (ulimit -f) or choose another place"
        : error == EACCES || error == EPERM || error == EROFS ? "choose a place you may write to"
        : error == ENOENT                                     ? "create its folder first"
                                                              : "choose another place";
    return dps_error_at(err, error == EPIPE ? DPS_ERROR_CLOSED : DPS_ERROR_IO, path, 0, 0,
                        "cannot write: %s; %s", strerror(error), remedy);
}

/* Length of the folder part of path, with its slash; 0 when there is none. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* Number of the open descriptor that a path names, or -1. What such a link leads to need not have a
 * name in the file system (a pipe, a socket), and a file behind it is to be written on where it
 * stands: the descriptor itself is what is meant. */
static int descriptor_of(const char *path)
{
    static const struct {
        const char *name;
        int descriptor;
    } streams[] = {
        {"-", STDOUT_FILENO}, {"/dev/stdout", STDOUT_FILENO}, {"/dev/stderr", STDERR_FILENO}};
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"};
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) {
        if (strcmp(path, streams[i].name) == 0) {
            return streams[i].descriptor;
        }
    }
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        const size_t length = strlen(folders[i]);
        int64_t number;
        if (strncmp(path, folders[i], length) == 0 &&
            dps_text_to_int64(path + length, strlen(path + length), &number) && number >= 0 &&
            number <= INT_MAX) {
            return (int)number;
        }
    }
    return -1;
}

/* Whether there is something that can be written to but not replaced by a renamed file. */
static bool is_device(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

/* Follows symbolic links from `path` to the name of the file itself, which need not exist, of a
 * device or of a descriptor. Returns 0 or an errno. */
static int resolve(const char *path, char out[PATH_ROOM])
{
    char link[PATH_ROOM];
    if (strlen(path) >= PATH_ROOM) {
        return ENAMETOOLONG;
    }
    strcpy(out, path);
    for (int i = 0; i < MOST_LINKS; i++) {
        if (descriptor_of(out) >= 0) {
            return 0;
        }
        const ssize_t length = readlink(out, link, sizeof link - 1);
        if (length < 0) {
            return errno == EINVAL || errno == ENOENT ? 0
                                                      : errno; /* no link, or nothing there yet */
        }
        if (strncmp(out, "/proc/", 6) == 0 && is_device(out)) {
            return 0; /* a pipe of another process: the link is its only name */
        }
        link[length] = '\0';
        const size_t folder = link[0] == '/' ? 0 : folder_length(out);
        if (folder + (size_t)length >= PATH_ROOM) {
            return ENAMETOOLONG;
        }
        memcpy(out + folder, link, (size_t)length + 1);
    }
    return ELOOP;
}

/* What the names of temporary files of `name` on this machine begin with. The name is cut so that
 * all of it stays within the 255 bytes of most file systems. */
static void temporary_prefix(const char *name, char prefix[256])
{
    char host[32] = "";
    if (gethostname(host, sizeof host) != 0 || host[0] == '\0') {
        strcpy(host, "localhost");
    }
    host[sizeof host - 1] = '\0';
    snprintf(prefix, 256, ".%.180s.tmp-%s-", name, host);
}

/* Creates a new file beside `path`; its name goes to `temporary`. Returns the descriptor, or -1
 * with errno. */
static int create_temporary(const char *path, mode_t mode, char temporary[PATH_ROOM])
{
    const size_t folder = folder_length(path);
    char prefix[256];
    temporary_prefix(path + folder, prefix);
    for (int i = 0; i < 100; i++) {
        const int length = snprintf(temporary, PATH_ROOM, "%.*s%s%ld-%d", (int)folder, path, prefix,
                                    (long)getpid(), i);
        if (length < 0 || length >= PATH_ROOM) {
            errno = ENAMETOOLONG;
            return -1;
        }
        const int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd >= 0 || errno != EEXIST) {
            return fd;
        }
    }
    errno = EEXIST;
    return -1;
}

/* Opens for writing what `resolved` names: a temporary file beside it, or itself when it is no
 * regular file (temporary then empty). Returns the descriptor, or -1 with errno. */
static int open_place(const char *resolved, char temporary[PATH_ROOM])
{
    struct stat old;
    const int descriptor = descriptor_of(resolved);
    temporary[0] = '\0';
    if (descriptor >= 0) {
        return fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    }
    if (stat(resolved, &old) != 0) {
        if (errno != ENOENT) {
            return -1;
        }
        if (resolved[0] == '\0' || resolved[strlen(resolved) - 1] == '/') {
            errno = resolved[0] == '\0' ? ENOENT : EISDIR;
            return -1;
        }
        return create_temporary(resolved, 0666, temporary);
    }
    if (S_ISDIR(old.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (!S_ISREG(old.st_mode)) {
        return open(resolved, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    }
    if (access(resolved, W_OK) != 0) { /* write-protected: the rename would not ask */
        return -1;
    }
    /* nobody else opens it before it has the old one's mode */
    const int fd = create_temporary(resolved, 0600, temporary);
    if (fd >= 0 && fchmod(fd, old.st_mode & 07777) != 0) {
        const int error = errno;
        close(fd);
        unlink(temporary);
        errno = error;
        return -1;
    }
    return fd;
}

dps_status dps_output_probe(const char *path, const char *option, dps_error *err)
{
    char resolved[PATH_ROOM];
    char temporary[PATH_ROOM];
    if (path[0] == '\0') {
        return dps_error_set(err, DPS_ERROR_IO, "%s is empty: name a file", option);
    }
    int error = resolve(path, resolved);
    if (error == 0) {
        /* opening a pipe or a device could block or be seen by its reader: only ask */
        if (descriptor_of(resolved) >= 0) {
            const int flags = fcntl(descriptor_of(resolved), F_GETFL);
            error = flags == -1 ? errno : (flags & O_ACCMODE) == O_RDONLY ? EBADF : 0;
        } else if (is_device(resolved)) {
            error = access(resolved, W_OK) == 0 ? 0 : errno;
        } else {
            const int fd = open_place(resolved, temporary);
            error = fd < 0 ? errno : 0;
            if (fd >= 0) {
                close(fd);
                unlink(temporary);
            }
        }
    }
    if (error == 0) {
        return DPS_OK;
    }
    return dps_error_at(err, DPS_ERROR_IO, path, 0, 0, "cannot be written: %s; change %s, or %s",
                        strerror(error), option,
                        error == ENOENT  ? "create its folder"
                        : error == EBADF ? "open it for writing (as 3> FILE does)"
                                         : "the permissions of its folder");
}

bool dps_output_is_direct(const char *path)
{
    char resolved[PATH_ROOM];
    return resolve(path, resolved) == 0 && (descriptor_of(resolved) >= 0 || is_device(resolved));
}

/* One place: a file under two names, one name of a file that is not there yet, or one descriptor.
 */
static bool same_place(const char *a, const char *b)
{
    struct stat one, two;
    char first[PATH_ROOM], second[PATH_ROOM];
    if (resolve(a, first) != 0 || resolve(b, second) != 0) {
        return false;
    }
    if (descriptor_of(first) >= 0 || descriptor_of(second) >= 0) {
        return descriptor_of(first) == descriptor_of(second);
    }
    if (stat(first, &one) == 0 && stat(second, &two) == 0) {
        return S_ISREG(one.st_mode) && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
    }
    return strcmp(first, second) == 0;
}

dps_status dps_output_apart(const char *path, const char *option, const char *other,
                            const char *other_option, dps_error *err)
{
    if (path[0] == '\0' || !same_place(path, other)) {
        return DPS_OK;
    }
    return dps_error_set(err, DPS_ERROR_CONFIG, "%s and %s are both %s: name another file for %s",
                         other_option, option, shown_name(path), option);
}

dps_status dps_output_open(dps_output_file **file, const char *path, dps_error *err)
{
    *file = NULL;
    dps_output_file *made = dps_alloc(1, sizeof *made);
    char *buffer = dps_alloc(BUFFER_BYTES, 1);
    if (made == NULL || buffer == NULL) {
        dps_free(buffer);
        dps_free(made);
        return dps_out_of_memory(err, BUFFER_BYTES, 1, "an output buffer");
    }
    made->buffer = buffer;
    int error = resolve(path, made->path);
    if (error == 0) {
        strcpy(made->shown, shown_name(path));
        made->fd = open_place(made->path, made->temporary);
        error = made->fd < 0 ? errno : 0;
    }
    if (error != 0) {
        dps_free(buffer);
        dps_free(made);
        return cannot_write(err, shown_name(path), error);
    }
    made->direct = made->temporary[0] == '\0';
    if (!made->direct) {
        dps_output_clean(path);
    }
    *file = made;
    return DPS_OK;
}

static dps_status write_all(dps_output_file *file, const char *bytes, size_t length, dps_error *err)
{
    const int error = dps_write_all(file->fd, bytes, length);
    return error == 0 ? DPS_OK : cannot_write(err, file->shown, error);
}

dps_status dps_output_flush(dps_output_file *file, dps_error *err)
{
    const size_t used = file->used;
    file->used = 0;
    return write_all(file, file->buffer, used, err);
}

dps_status dps_output_write(dps_output_file *file, const void *bytes, size_t length, dps_error *err)
{
    if (length > BUFFER_BYTES - file->used) {
        DPS_TRY(dps_output_flush(file, err));
    }
    if (length >= BUFFER_BYTES) {
        return write_all(file, bytes, length, err);
    }
    if (length > 0) {
        memcpy(file->buffer + file->used, bytes, length);
        file->used += length;
    }
    return DPS_OK;
}

void dps_output_clean(const char *path)
{
    char resolved[PATH_ROOM], folder[PATH_ROOM], prefix[256];
    if (path[0] == '\0' || resolve(path, resolved) != 0) {
        return;
    }
    const size_t length = folder_length(resolved);
    snprintf(folder, sizeof folder, "%.*s", (int)length, resolved);
    temporary_prefix(resolved + length, prefix);
    DIR *list = opendir(length > 0 ? folder : ".");
    for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
        char *end = NULL;
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0) {
            continue;
        }
        const long process = strtol(entry->d_name + strlen(prefix), &end, 10);
        if (*end == '-' && process > 0 && kill((pid_t)process, 0) != 0 && errno == ESRCH) {
            (void)unlinkat(dirfd(list), entry->d_name, 0);
        }
    }
    if (list != NULL) {
        closedir(list);
    }
}

/* Makes the new name durable. Not every file system can sync a folder, and by now the file is in
 * its place: no error. */
static void sync_folder(const char *path)
{
    char folder[PATH_ROOM];
    const size_t length = folder_length(path);
    snprintf(folder, sizeof folder, "%.*s", (int)length, path);
    const int fd = open(length > 0 ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
}

dps_status dps_output_commit(dps_output_file *file, dps_error *err)
{
    dps_status status = dps_output_flush(file, err);
    if (status != DPS_OK) {
        goto done;
    }
    const int unsafe = file->direct ? 0 : dps_sync_all(file->fd);
    if (unsafe != 0) {
        status = cannot_write(err, file->shown, unsafe);
        goto done;
    }
    const int closed = close(file->fd);
    file->fd = -1;
    if (closed != 0 || (!file->direct && rename(file->temporary, file->path) != 0)) {
        status = cannot_write(err, file->shown, errno);
        goto done;
    }
    if (!file->direct) {
        file->temporary[0] = '\0';
        sync_folder(file->path);
    }
done:
    dps_output_abandon(file);
    return status;
}

void dps_output_abandon(dps_output_file *file)
{
    if (file == NULL) {
        return;
    }
    if (file->fd >= 0) {
        close(file->fd);
    }
    if (file->temporary[0] != '\0') {
        unlink(file->temporary);
    }
    dps_free(file->buffer);
    dps_free(file);
}

dps_status dps_output_text(dps_text *text, const char *path, const char *what, dps_error *err)
{
    dps_output_file *file = NULL;
    dps_status status = text->failed ? dps_out_of_memory(err, text->length, 1, what)
                                     : dps_output_open(&file, path, err);
    DPS_THEN(status,
             dps_output_write(file, text->data == NULL ? "" : text->data, text->length, err));
    if (status == DPS_OK) {
        status = dps_output_commit(file, err);
    } else {
        dps_output_abandon(file);
    }
    dps_text_release(text);
    return status;
}
