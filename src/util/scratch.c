/* Blocks of memory in nameless files: O_TMPFILE, or a name that is removed at once where the file
 * system has no such files; posix_fallocate, so that a full disk is an error here and not a SIGBUS
 * at some later write; mmap with MAP_SHARED, so that dirty pages go to the file and not to swap.
 * madvise(MADV_DONTNEED) on such a mapping drops the pages from the process alone: the system's
 * page cache keeps them as long as it has room, and writes them out where it has none. A
 * fault brings in its neighbours as well, so that what is given back is rounded to their extent. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "allocation.h"
#include "number.h"

#define PATH_ROOM 4096

/* Blocks begin and end at multiples of this: a page, but at least the most that Linux brings in at
 * a fault (64 KiB around it, or the whole folio, up to 2 MiB), so that resting a part can take all
 * of that back. */
static size_t grain_bytes(void)
{
    const long page = sysconf(_SC_PAGESIZE);
    return page > (long)DPS_SCRATCH_AROUND ? (size_t)page : DPS_SCRATCH_AROUND;
}

const char *dps_scratch_folder(const dps_run *run)
{
    const char *folder = run->scratch;
    if (folder == NULL || folder[0] == '\0') {
        folder = getenv("TMPDIR");
    }
    return folder == NULL || folder[0] == '\0' ? "/tmp" : folder;
}

/* A nameless file, or -1 with errno. */
static int open_nameless(const char *folder)
{
    char path[PATH_ROOM];
    const int file = open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) {
        return file;
    }
    const int length = snprintf(path, sizeof path, "%s/.dpsvm-scratch-XXXXXX", folder);
    if (length < 0 || length >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const int named = mkostemp(path, O_CLOEXEC);
    if (named >= 0) {
        (void)unlink(path);
    }
    return named;
}

/* Takes the space of the whole file; returns 0 or an errno. */
static int take_space(int file, size_t size)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        size > limit.rlim_cur) {
        return EFBIG; /* would be SIGXFSZ */
    }
    int error;
    do {
        error = posix_fallocate(file, 0, (off_t)size);
    } while (error == EINTR);
    return error;
}

static dps_status refuse(dps_error *err, int error, size_t size, const dps_run *run)
{
    char bytes[DPS_NUMBER_MAX];
    const char *folder = dps_scratch_folder(run);
    dps_format_bytes(bytes, (double)size);
    const char *remedy =
        error == ENOSPC || error == EDQUOT
            ? "name a folder with more space in run.scratch, or raise run.memory"
        : error == ENOMEM ? "mapping it takes address space: raise ulimit -v, or run.memory"
        : error == EFBIG  ? "raise the limit on the size of files (ulimit -f), or run.memory"
                          : "name a folder that you may write to in run.scratch, or raise "
                            "run.memory";
    return dps_error_at(err, DPS_ERROR_IO, folder, 0, 0,
                        "no scratch file of %s for rows beyond run.memory: %s; %s", bytes,
                        strerror(error), remedy);
}

/* Maps the file at a multiple of the grain. MAP_FAILED with errno. */
static void *map_file(int file, size_t whole, size_t grain)
{
    char *room = mmap(NULL, whole + grain, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) {
        return MAP_FAILED;
    }
    const size_t before = (grain - (uintptr_t)room % grain) % grain;
    void *mapped =
        mmap(room + before, whole, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
    const int error = errno;
    if (mapped == MAP_FAILED) {
        (void)munmap(room, whole + grain);
        errno = error;
        return MAP_FAILED;
    }
    if (before > 0) {
        (void)munmap(room, before);
    }
    (void)munmap(room + before + whole, grain - before);
    return mapped;
}

dps_status dps_scratch_new(void **block, size_t size, const dps_run *run, dps_error *err)
{
    *block = NULL;
    const size_t grain = grain_bytes();
    if (size > PTRDIFF_MAX - 2 * grain) {
        return dps_out_of_memory(err, size, 1, "a scratch file");
    }
    const size_t whole = size > 0 ? dps_round_up(size, grain) : grain;
    const int file = open_nameless(dps_scratch_folder(run));
    int error = file >= 0 ? take_space(file, whole) : errno;
    if (error == 0) {
        void *mapped = map_file(file, whole, grain);
        error = mapped == MAP_FAILED ? errno : 0;
        *block = error == 0 ? mapped : NULL;
    }
    if (file >= 0) {
        close(file); /* the mapping holds it */
    }
    return error == 0 ? DPS_OK : refuse(err, error, whole, run);
}

void dps_scratch_free(void *block, size_t size)
{
    if (block != NULL) {
        (void)munmap(block, size > 0 ? dps_round_up(size, grain_bytes()) : grain_bytes());
    }
}

void dps_scratch_rest(const void *bytes, size_t size)
{
    const size_t grain = grain_bytes();
    const uintptr_t begin = (uintptr_t)bytes & ~(uintptr_t)(grain - 1);
    const uintptr_t end = dps_round_up((uintptr_t)bytes + size, grain);
    if (size > 0) {
        (void)madvise((void *)begin, end - begin, MADV_DONTNEED);
    }
}
