/* The files of an input: names and patterns, what kind of file each is, opening. Nothing here reads
 * rows (source.c). */
#include "source_files.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "allocation.h"
#include "byte_stream.h"
#include "unpack.h"

static bool is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0;
}

const char *dps_shown_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

static dps_status system_error(dps_error *err, const char *path, const char *what)
{
    const int error = errno;
    char reason[128], folder[1024];
    if (strerror_r(error, reason, sizeof reason) != 0) {
        reason[0] = '\0';
    }
    if (error == ENOENT && path[0] != '/' && getcwd(folder, sizeof folder) != NULL) {
        return dps_error_at(err, DPS_ERROR_IO, dps_shown_name(path), 0, 0, "%s: %s (in %s)", what,
                            reason, folder);
    }
    return dps_error_at(err, DPS_ERROR_IO, dps_shown_name(path), 0, 0, "%s: %s", what, reason);
}

/* Whether the file, read from where it stands, is compressed. */
static bool is_packed(int file)
{
    char bytes[DPS_PACKING_BYTES];
    const ssize_t got = pread(file, bytes, sizeof bytes, lseek(file, 0, SEEK_CUR));
    return got > 0 && dps_is_compressed(bytes, (size_t)got);
}

static bool path_is_packed(const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const bool packed = file >= 0 && is_packed(file);
    if (file >= 0) {
        close(file);
    }
    return packed;
}

/* *size: of a regular file; an input of unknown length sets files->sized = false. */
static dps_status check_path(dps_source_files *files, const char *path, int64_t *size,
                             dps_error *err)
{
    struct stat info;
    *size = 0;
    const bool standard = is_standard_input(path);
    if ((standard ? fstat(STDIN_FILENO, &info) : stat(path, &info)) != 0) {
        return system_error(err, path, "cannot be read");
    }
    if (S_ISDIR(info.st_mode)) {
        return dps_error_at(err, DPS_ERROR_IO, dps_shown_name(path), 0, 0,
                            "is a folder; a data file was expected");
    }
    if (!standard && access(path, R_OK) != 0) {
        return system_error(err, path, "cannot be read");
    }
    if (S_ISREG(info.st_mode) && !(standard ? is_packed(STDIN_FILENO) : path_is_packed(path))) {
        *size = (int64_t)info.st_size;
    } else {
        files->sized = false;
    }
    files->all_files = files->all_files && S_ISREG(info.st_mode) && !standard;
    return DPS_OK;
}

static dps_status add_path(dps_source_files *files, const char *path, dps_error *err)
{
    int64_t size;
    DPS_TRY(check_path(files, path, &size, err));
    for (size_t i = 0; i < files->count && is_standard_input(path); i++) {
        if (is_standard_input(files->path[i])) {
            return dps_error_at(err, DPS_ERROR_CONFIG, dps_shown_name(path), 0, 0,
                                "is given twice, but can be read only once");
        }
    }
    DPS_NEED_MORE(files->path, files->path_capacity, files->count + 1, "file names", err);
    DPS_NEED_MORE(files->bytes, files->bytes_capacity, files->count + 1, "file names", err);
    files->bytes[files->count] = size;
    files->size += size;
    files->path[files->count] = strdup(path);
    if (files->path[files->count] == NULL) {
        return dps_out_of_memory(err, strlen(path), 1, "file names");
    }
    files->count++;
    return DPS_OK;
}

dps_status dps_source_files_add(dps_source_files *files, const char *path, dps_error *err)
{
    struct stat info;
    if (is_standard_input(path) || strpbrk(path, "*?[") == NULL || stat(path, &info) == 0) {
        return add_path(files, path, err);
    }
    glob_t found;
    const int result = glob(path, 0, NULL, &found);
    if (result != 0) {
        return result == GLOB_NOSPACE
                   ? dps_out_of_memory(err, 1, 1, "file names")
                   : dps_error_at(err, DPS_ERROR_IO, path, 0, 0, "no file matches this pattern");
    }
    dps_status status = DPS_OK;
    for (size_t i = 0; i < found.gl_pathc && status == DPS_OK; i++) {
        status = add_path(files, found.gl_pathv[i], err);
    }
    globfree(&found);
    return status;
}

dps_status dps_open_path(const char *path, int *fd, dps_error *err)
{
    *fd = is_standard_input(path) ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0) {
        return system_error(err, path, "cannot be opened");
    }
    (void)posix_fadvise(*fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* fails on pipes: no matter */
    return DPS_OK;
}

dps_file_part dps_source_files_part(const dps_source_files *files, int64_t begin, int64_t end,
                                    size_t file)
{
    int64_t before = 0;
    if (end == DPS_NO_END) {
        return (dps_file_part){0, DPS_NO_END};
    }
    for (size_t i = 0; i < file; i++) {
        before += files->bytes[i];
    }
    return dps_file_part_of(begin, end, before, files->bytes[file]);
}

void dps_source_files_release(dps_source_files *files)
{
    for (size_t i = 0; files->path != NULL && i < files->count; i++) {
        free(files->path[i]);
    }
    dps_free(files->path);
    dps_free(files->bytes);
}
