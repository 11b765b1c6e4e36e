/* Output files: complete or absent. Each test works in a folder of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "output_file.h"

static char home[1024];

static int enter_folder(void **state)
{
    char name[] = "output_test_XXXXXX";
    if (getcwd(home, sizeof home) == NULL || mkdtemp(name) == NULL || chdir(name) != 0) {
        return -1;
    }
    *state = strdup(name);
    umask(022);
    return 0;
}

static int leave_folder(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "chmod -R u+w '%s' && rm -rf '%s'", (char *)*state,
             (char *)*state);
    const int result = chdir(home) != 0 || system(command) != 0;
    free(*state);
    return result;
}

static int files_here(void)
{
    int count = 0;
    DIR *folder = opendir(".");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(folder);
    return count;
}

static void expect_content(const char *path, const char *content)
{
    char read[256] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    read[fread(read, 1, sizeof read - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(read, content);
}

static void put(const char *path, const char *content)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static dps_status write_text(const char *path, const char *text, dps_error *err)
{
    dps_output_file *file;
    dps_status status = dps_output_open(&file, path, err);
    if (status != DPS_OK) {
        assert_null(file);
        return status;
    }
    status = dps_output_write(file, text, strlen(text), err);
    if (status != DPS_OK) {
        dps_output_abandon(file);
        return status;
    }
    return dps_output_commit(file, err);
}

static mode_t mode_of(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_mode & 07777;
}

static void commit_makes_the_file_with_the_modes_umask_gives(void **state)
{
    (void)state;
    dps_error err;
    umask(027);
    assert_int_equal(write_text("model", "new", &err), DPS_OK);
    expect_content("model", "new");
    assert_int_equal(mode_of("model"), 0640);
    assert_int_equal(files_here(), 1);
}

static void old_file_stays_until_commit_and_keeps_its_mode(void **state)
{
    (void)state;
    dps_error err;
    dps_output_file *file;
    put("model", "old");
    assert_int_equal(chmod("model", 0604), 0);
    assert_int_equal(dps_output_open(&file, "model", &err), DPS_OK);
    assert_int_equal(dps_output_write(file, "new", 3, &err), DPS_OK);
    assert_int_equal(dps_output_flush(file, &err), DPS_OK);
    expect_content("model", "old");
    assert_int_equal(dps_output_commit(file, &err), DPS_OK);
    expect_content("model", "new");
    assert_int_equal(mode_of("model"), 0604);
    assert_int_equal(files_here(), 1);
}

static void abandoning_leaves_everything_as_it_was(void **state)
{
    (void)state;
    dps_error err;
    dps_output_file *file;
    put("model", "old");
    assert_int_equal(dps_output_open(&file, "model", &err), DPS_OK);
    assert_int_equal(dps_output_write(file, "new", 3, &err), DPS_OK);
    dps_output_abandon(file);
    dps_output_abandon(NULL);
    expect_content("model", "old");
    assert_int_equal(files_here(), 1);
}

static void long_output_arrives_whole_and_in_order(void **state)
{
    (void)state;
    enum { NUMBERS = 400000 };
    dps_error err;
    dps_output_file *file;
    int32_t *numbers = malloc(NUMBERS * sizeof *numbers);
    assert_non_null(numbers);
    for (int32_t i = 0; i < NUMBERS; i++) {
        numbers[i] = i;
    }
    assert_int_equal(dps_output_open(&file, "long", &err), DPS_OK);
    /* pieces shorter and longer than any buffer inside */
    for (size_t at = 0, piece = 1; at < NUMBERS; at += piece, piece = 2 * piece + 1) {
        piece = piece < NUMBERS - at ? piece : NUMBERS - at;
        assert_int_equal(dps_output_write(file, numbers + at, piece * sizeof *numbers, &err),
                         DPS_OK);
    }
    assert_int_equal(dps_output_commit(file, &err), DPS_OK);
    int32_t *back = calloc(NUMBERS + 1, sizeof *back);
    assert_non_null(back);
    FILE *stream = fopen("long", "rb");
    assert_non_null(stream);
    assert_int_equal(fread(back, sizeof *back, NUMBERS + 1, stream), NUMBERS);
    fclose(stream);
    assert_memory_equal(back, numbers, NUMBERS * sizeof *numbers);
    free(back);
    free(numbers);
}

static void links_stay_and_their_targets_are_replaced(void **state)
{
    (void)state;
    dps_error err;
    assert_int_equal(mkdir("store", 0755), 0);
    put("store/real", "old");
    assert_int_equal(symlink("real", "store/second"), 0);
    assert_int_equal(symlink("store/second", "first"), 0);
    assert_int_equal(symlink("store/absent", "dangling"), 0);
    assert_int_equal(write_text("first", "new", &err), DPS_OK);
    assert_int_equal(write_text("dangling", "made", &err), DPS_OK);
    struct stat info;
    assert_int_equal(lstat("first", &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(lstat("store/second", &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    expect_content("store/real", "new");
    expect_content("store/absent", "made");
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_int_equal(write_text("loop", "x", &err), DPS_ERROR_IO);
}

static void full_device_is_an_error_with_a_remedy(void **state)
{
    (void)state;
    dps_error err;
    if (access("/dev/full", W_OK) != 0) {
        skip();
    }
    assert_int_equal(write_text("/dev/full", "x", &err), DPS_ERROR_IO);
    assert_string_equal(err.file, "/dev/full");
    assert_non_null(strstr(err.text, strerror(ENOSPC)));
    assert_non_null(strstr(err.text, "free some space"));
}

static void *read_pipe(void *text)
{
    FILE *stream = fopen("pipe", "r");
    char *buffer = text;
    buffer[fread(buffer, 1, 63, stream)] = '\0';
    fclose(stream);
    return NULL;
}

static void pipes_are_written_directly(void **state)
{
    (void)state;
    dps_error err;
    pthread_t reader;
    char text[64] = "";
    assert_int_equal(mkfifo("pipe", 0644), 0);
    assert_int_equal(dps_output_probe("pipe", "output.model", &err), DPS_OK); /* must not block */
    assert_int_equal(pthread_create(&reader, NULL, read_pipe, text), 0);
    assert_int_equal(write_text("pipe", "through", &err), DPS_OK);
    pthread_join(reader, NULL);
    assert_string_equal(text, "through");
    struct stat info;
    assert_int_equal(lstat("pipe", &info), 0);
    assert_true(S_ISFIFO(info.st_mode));
}

static void impossible_places_are_refused_and_named(void **state)
{
    (void)state;
    static const char *const paths[] = {"absent/model", ".", "absent/", "", "file/model"};
    put("file", "");
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        dps_error err;
        assert_int_equal(write_text(paths[i], "x", &err), DPS_ERROR_IO);
        assert_string_equal(err.file, paths[i]);
        assert_int_equal(dps_output_probe(paths[i], "output.model", &err), DPS_ERROR_IO);
        assert_non_null(strstr(err.text, "output.model"));
    }
    char endless[5000];
    memset(endless, 'a', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    dps_error err;
    assert_int_equal(write_text(endless, "x", &err), DPS_ERROR_IO);
    assert_int_equal(files_here(), 1);
}

/* Gives up for good what lets root write everywhere; false if the system does not allow it. */
static bool become_ordinary(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
    return syscall(SYS_capset, &header, none) == 0;
}

static void protected_files_and_folders_are_respected(void **state)
{
    (void)state;
    put("model", "old");
    assert_int_equal(chmod("model", 0444), 0);
    assert_int_equal(mkdir("closed", 0555), 0);
    const pid_t child = fork();
    if (child == 0) {
        static const char *const protected[] = {"model", "closed/model"};
        int refusals = become_ordinary() ? 0 : 100;
        for (size_t i = 0; i < sizeof protected / sizeof protected[0]; i++) {
            dps_error err;
            refusals += write_text(protected[i], "x", &err) == DPS_ERROR_IO;
            refusals += dps_output_probe(protected[i], "output.model", &err) == DPS_ERROR_IO;
        }
        _exit(refusals);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 4);
}

static void probe_leaves_nothing_behind(void **state)
{
    (void)state;
    dps_error err;
    assert_int_equal(dps_output_probe("fresh", "output.model", &err), DPS_OK);
    assert_int_equal(files_here(), 0);
    put("model", "old");
    assert_int_equal(dps_output_probe("model", "output.model", &err), DPS_OK);
    expect_content("model", "old");
    assert_int_equal(files_here(), 1);
    assert_int_equal(dps_output_probe("-", "output.model", &err), DPS_OK);
    assert_int_equal(dps_output_probe("/dev/null", "output.model", &err), DPS_OK);
}

static void names_of_any_legal_length_work(void **state)
{
    (void)state;
    char name[256];
    dps_error err;
    memset(name, 'n', 255);
    name[255] = '\0';
    assert_int_equal(write_text(name, "x", &err), DPS_OK);
    expect_content(name, "x");
}

static void dash_is_standard_output(void **state)
{
    (void)state;
    dps_error err;
    fflush(stdout);
    const int saved = dup(STDOUT_FILENO);
    const int target = open("captured", O_WRONLY | O_CREAT, 0644);
    assert_true(saved >= 0 && target >= 0);
    dup2(target, STDOUT_FILENO);
    const dps_status status = write_text("-", "to stdout", &err);
    const bool still_open = fcntl(STDOUT_FILENO, F_GETFD) >= 0;
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(target);
    assert_int_equal(status, DPS_OK);
    assert_true(still_open);
    expect_content("captured", "to stdout");
}

static int entries_with(const char *text)
{
    int count = 0;
    DIR *list = opendir(".");
    assert_non_null(list);
    for (struct dirent *entry; (entry = readdir(list)) != NULL;) {
        count += strstr(entry->d_name, text) != NULL;
    }
    closedir(list);
    return count;
}

/* A killed process leaves its temporary file to the next that writes the same output; that of a
 * process which lives (here the parent) and those of other outputs are left alone. */
static void what_a_killed_process_left_goes_with_the_next_output(void **state)
{
    (void)state;
    dps_error err;
    dps_output_file *mine;
    assert_int_equal(dps_output_open(&mine, "out", &err), DPS_OK);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dps_output_file *lost;
        _exit(dps_output_open(&lost, "out", &err) == DPS_OK &&
                      dps_output_open(&lost, "other", &err) == DPS_OK
                  ? 0
                  : 1);
    }
    int ended;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(ended, 0);
    assert_int_equal(entries_with(".out.tmp-"), 2);
    assert_int_equal(write_text("out", "next", &err), DPS_OK);
    assert_int_equal(entries_with(".out.tmp-"), 1);
    assert_int_equal(entries_with(".other.tmp-"), 1);
    assert_int_equal(dps_output_commit(mine, &err), DPS_OK);
    assert_int_equal(entries_with(".out.tmp-"), 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(commit_makes_the_file_with_the_modes_umask_gives),
        IN_FOLDER(old_file_stays_until_commit_and_keeps_its_mode),
        IN_FOLDER(abandoning_leaves_everything_as_it_was),
        IN_FOLDER(long_output_arrives_whole_and_in_order),
        IN_FOLDER(links_stay_and_their_targets_are_replaced),
        IN_FOLDER(full_device_is_an_error_with_a_remedy),
        IN_FOLDER(pipes_are_written_directly),
        IN_FOLDER(impossible_places_are_refused_and_named),
        IN_FOLDER(protected_files_and_folders_are_respected),
        IN_FOLDER(probe_leaves_nothing_behind),
        IN_FOLDER(names_of_any_legal_length_work),
        IN_FOLDER(dash_is_standard_output),
        IN_FOLDER(what_a_killed_process_left_goes_with_the_next_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
