/* Task: results that survive a kill. A line is
 *     dpsvm1 KEY VALUE ... CHECK
 * KEY and CHECK in hexadecimal, CHECK the XXH3-64 of the line before it. A line is written by one
 * call and synced, so that a kill leaves at most one unfinished line, which no reader takes.
 * Several processes write files of their own (a file a shard). */
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "allocation.h"
#include "checksum.h"
#include "file_bytes.h"
#include "number.h"
#include "text.h"

#define WORD "dpsvm1"

static bool hexadecimal(const char *s, size_t length, uint64_t *value)
{
    char digits[17] = "", *end;
    if (length != 16) {
        return false;
    }
    memcpy(digits, s, length);
    errno = 0;
    *value = strtoull(digits, &end, 16);
    return *end == '\0' && errno == 0;
}

dps_status dps_journal_keep(dps_journal *journal, uint64_t key, const double *value, int32_t count,
                            dps_error *err)
{
    double *copy = dps_alloc((size_t)count, sizeof *copy);
    if (copy == NULL || !DPS_GROW(journal->entry, journal->capacity, journal->count + 1)) {
        dps_free(copy);
        return dps_out_of_memory(err, journal->count + 1, sizeof *journal->entry, "the journal");
    }
    memcpy(copy, value, (size_t)count * sizeof *copy);
    journal->entry[journal->count++] = (dps_journal_entry){key, count, copy};
    return DPS_OK;
}

/* Takes a line without its newline, if it is whole. */
static dps_status take_line(dps_journal *journal, char *line, size_t length, dps_error *err)
{
    enum { MOST = 4096 };
    double value[MOST];
    uint64_t key, check;
    int32_t count = 0;
    const size_t head = strlen(WORD) + 1;
    if (length < head + 16 + 1 + 16 || memcmp(line, WORD " ", head) != 0 ||
        !hexadecimal(line + length - 16, 16, &check) ||
        check != dps_checksum_of(line, length - 16) || !hexadecimal(line + head, 16, &key)) {
        return DPS_OK;
    }
    line[length - 17] = '\0';
    char *rest = NULL;
    for (char *item = strtok_r(line + head + 16, " ", &rest); item != NULL;
         item = strtok_r(NULL, " ", &rest)) {
        if (count == MOST || !dps_text_to_double(item, strlen(item), &value[count++])) {
            return DPS_OK;
        }
    }
    return dps_journal_keep(journal, key, value, count, err);
}

/* The whole of it: as many lines as settings were tried. */
static dps_status read_text(const char *path, dps_text *text, dps_error *err)
{
    char buffer[4096];
    size_t got = sizeof buffer;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    int error = file < 0 ? errno : 0;
    while (error == 0 && got == sizeof buffer) {
        error = dps_read_all(file, buffer, sizeof buffer, &got);
        dps_text_append(text, buffer, got);
    }
    if (file >= 0) {
        close(file);
    }
    return error == ENOENT || (error == 0 && !text->failed) ? DPS_OK
           : error == 0
               ? dps_out_of_memory(err, text->length, 1, "the journal")
               : dps_error_at(err, DPS_ERROR_IO, path, 0, 0,
                              "cannot read the journal (tune.journal): %s", strerror(error));
}

static dps_status read_file(dps_journal *journal, const char *path, dps_error *err)
{
    dps_text text = {0};
    dps_status status = read_text(path, &text, err);
    char *line = text.data, *end; /* a line that a crash left may hold zeros */
    while (status == DPS_OK && line != NULL &&
           (end = memchr(line, '\n', text.length - (size_t)(line - text.data))) != NULL) {
        status = take_line(journal, line, (size_t)(end - line), err);
        line = end + 1;
    }
    dps_text_release(&text);
    return status;
}

dps_status dps_journal_read(dps_journal *journal, const char *path, dps_error *err)
{
    glob_t found;
    dps_text pattern = {0};
    *journal = (dps_journal){0};
    for (const char *s = path; *s != '\0'; s++) {
        dps_text_format(&pattern, strchr("*?[\\", *s) != NULL ? "\\%c" : "%c", *s);
    }
    dps_text_add(&pattern, ".*");
    dps_status status = pattern.failed
                            ? dps_out_of_memory(err, strlen(path), 2, "the journal's name")
                            : read_file(journal, path, err);
    if (status == DPS_OK && glob(pattern.data, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc && status == DPS_OK; i++) {
            status = read_file(journal, found.gl_pathv[i], err);
        }
        globfree(&found);
    }
    dps_text_release(&pattern);
    if (status != DPS_OK) {
        dps_journal_close(journal);
    }
    return status;
}

static dps_status cannot_write(const char *path, int error, dps_error *err)
{
    return dps_error_at(err, DPS_ERROR_IO, path, 0, 0,
                        "cannot write the journal (tune.journal): %s", strerror(error));
}

dps_status dps_journal_append_to(dps_journal *journal, const char *path, dps_error *err)
{
    struct stat info;
    char last = '\n';
    size_t got;
    journal->path = path;
    journal->file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (journal->file < 0 || fstat(journal->file, &info) != 0) {
        return cannot_write(path, errno, err);
    }
    if (info.st_size > 0) {
        int error = lseek(journal->file, -1, SEEK_END) < 0 ? errno : 0;
        error = error == 0 ? dps_read_all(journal->file, &last, 1, &got) : error;
        error = error == 0 && last != '\n' ? dps_write_all(journal->file, "\n", 1) : error;
        return error == 0 ? DPS_OK : cannot_write(path, error, err);
    }
    return DPS_OK;
}

const dps_journal_entry *dps_journal_find(const dps_journal *journal, uint64_t key, int32_t count)
{
    for (size_t i = 0; i < journal->count; i++) {
        if (journal->entry[i].key == key && journal->entry[i].count == count) {
            return &journal->entry[i];
        }
    }
    return NULL;
}

dps_status dps_journal_add(dps_journal *journal, uint64_t key, const double *value, int32_t count,
                           dps_error *err)
{
    dps_text line = {0};
    dps_text_format(&line, WORD " %016" PRIx64 " ", key);
    for (int32_t i = 0; i < count; i++) {
        dps_text_number(&line, value[i]);
        dps_text_add(&line, " ");
    }
    if (!line.failed) {
        dps_text_format(&line, "%016" PRIx64 "\n", dps_checksum_of(line.data, line.length));
    }
    dps_status status = line.failed ? dps_out_of_memory(err, line.length, 1, "the journal")
                                    : dps_journal_keep(journal, key, value, count, err);
    if (status == DPS_OK) {
        int error = dps_write_all(journal->file, line.data, line.length);
        error = error == 0 ? dps_sync_all(journal->file) : error;
        status = error == 0 ? DPS_OK : cannot_write(journal->path, error, err);
    }
    dps_text_release(&line);
    return status;
}

void dps_journal_close(dps_journal *journal)
{
    if (journal->file > 0) {
        close(journal->file);
    }
    for (size_t i = 0; i < journal->count; i++) {
        dps_free(journal->entry[i].value);
    }
    dps_free(journal->entry);
    *journal = (dps_journal){0};
}
