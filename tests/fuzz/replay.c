/* Runs a target on every file that is named, and on those in the folders that are named: with any
 * compiler, without libFuzzer. A finding ends the process. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static long done;

static int run_file(const char *path)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    if (file == NULL || stat(path, &info) != 0) {
        fprintf(stderr, "cannot read %s\n", path);
        return 1;
    }
    /* of exactly its size, so that a sanitizer sees every read beyond it */
    const size_t size = (size_t)info.st_size;
    uint8_t *bytes = malloc(size > 0 ? size : 1);
    if (bytes == NULL || fread(bytes, 1, size, file) != size) {
        fprintf(stderr, "cannot read all of %s\n", path);
        return 1;
    }
    fclose(file);
    fprintf(stderr, "%s\n", path); /* the last line before a finding */
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    done++;
    return 0;
}

static int run_folder(const char *path)
{
    DIR *folder = opendir(path);
    int status = folder == NULL;
    for (struct dirent *entry; status == 0 && (entry = readdir(folder)) != NULL;) {
        char name[4096];
        if (entry->d_name[0] != '.') {
            snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
            status = run_file(name);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return status;
}

int main(int count, char **word)
{
    int status = 0;
    for (int k = 1; k < count && status == 0; k++) {
        struct stat info;
        status = stat(word[k], &info) == 0 && S_ISDIR(info.st_mode) ? run_folder(word[k])
                                                                    : run_file(word[k]);
    }
    printf("%ld inputs\n", done);
    return status != 0 || done == 0;
}
