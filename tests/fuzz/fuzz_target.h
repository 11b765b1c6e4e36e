/* What the targets of this folder share. A target takes any bytes as an input and ends the process
 * where something does not hold that should hold for every input. */
#ifndef DPS_FUZZ_TARGET_H
#define DPS_FUZZ_TARGET_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "checksum.h"
#include "run.h"
#include "text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* The input is a finding: what was expected of it. */
#define FUZZ_HOLDS(condition, ...)                                                                 \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "finding: " __VA_ARGS__);                                              \
            fprintf(stderr, "\n");                                                                 \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static inline dps_run fuzz_run(int threads)
{
    return (dps_run){.threads = threads, .simd = DPS_SIMD_PORTABLE, .memory = (size_t)128 << 20};
}

static char fuzz_folder_[256];

static inline void fuzz_remove_folder_(void)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", fuzz_folder_);
    if (system(command) != 0) {
        fprintf(stderr, "cannot remove %s\n", fuzz_folder_);
    }
}

/* Where the readers that want a path find the input: a folder of this process in TMPDIR. */
static inline const char *fuzz_folder(void)
{
    if (fuzz_folder_[0] == '\0') {
        const char *parent = getenv("TMPDIR");
        snprintf(fuzz_folder_, sizeof fuzz_folder_, "%.200s/dpsvm-fuzz-XXXXXX",
                 parent != NULL ? parent : "/tmp");
        FUZZ_HOLDS(mkdtemp(fuzz_folder_) != NULL && atexit(fuzz_remove_folder_) == 0,
                   "a folder in TMPDIR");
    }
    return fuzz_folder_;
}

/* The name of a file there. */
static inline const char *fuzz_path(char path[300], const char *name)
{
    snprintf(path, 300, "%s/%.30s", fuzz_folder(), name);
    return path;
}

static inline void fuzz_put(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    FUZZ_HOLDS(file != NULL && fwrite(bytes, 1, length, file) == length && fclose(file) == 0,
               "writing %s", path);
}

/* The whole file. */
static inline void fuzz_get(const char *path, dps_text *text)
{
    char buffer[4096];
    size_t got;
    FILE *file = fopen(path, "rb");
    FUZZ_HOLDS(file != NULL, "reading %s", path);
    while ((got = fread(buffer, 1, sizeof buffer, file)) > 0) {
        dps_text_append(text, buffer, got);
    }
    fclose(file);
    FUZZ_HOLDS(!text->failed, "memory for %s", path);
}

/* A text ends with NUL. NULL: the input holds one. */
static inline char *fuzz_string(const uint8_t *bytes, size_t length)
{
    char *string = memchr(bytes, 0, length) == NULL ? malloc(length + 1) : NULL;
    if (string != NULL) {
        memcpy(string, bytes, length);
        string[length] = '\0';
    }
    return string;
}

static inline bool fuzz_same(const dps_text *a, const dps_text *b)
{
    return a->length == b->length && (a->length == 0 || memcmp(a->data, b->data, a->length) == 0);
}

#endif
