#define _POSIX_C_SOURCE 200809L
#include "rows_of_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 2000 };

static void *need(void *memory)
{
    if (memory == NULL) {
        fprintf(stderr, "no memory\n");
        exit(9);
    }
    return memory;
}

char *read_text(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(9);
    }
    *length = (size_t)ftell(file);
    rewind(file);
    char *text = need(malloc(*length + 1));
    if (fread(text, 1, *length, file) != *length) {
        exit(9);
    }
    text[*length] = '\0';
    fclose(file);
    return text;
}

int32_t cut_fields(char *line, char **field, int32_t most)
{
    int32_t count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *p = line; p != NULL && count < most;) {
        field[count++] = p;
        p = strchr(p, ',');
        if (p != NULL) {
            *p++ = '\0';
        }
    }
    return count;
}

static void take_libsvm(rows_of_file *f, char *line)
{
    int64_t at = f->start[f->rows];
    char *save, *word = strtok_r(line, " \r\n", &save);
    f->label[f->rows] = strdup("");
    if (word != NULL && strchr(word, ':') == NULL) {
        free(f->label[f->rows]);
        f->label[f->rows] = strdup(word);
        word = strtok_r(NULL, " \r\n", &save);
    }
    for (; word != NULL; word = strtok_r(NULL, " \r\n", &save)) {
        char *colon;
        f->index[at] = (int32_t)strtol(word, &colon, 10) - 1;
        f->value[at] = strtod(colon + 1, NULL);
        f->columns = f->index[at] >= f->columns ? f->index[at] + 1 : f->columns;
        at++;
    }
    f->start[++f->rows] = at;
}

static void make_dense(rows_of_file *f)
{
    const size_t columns = (size_t)f->columns;
    f->dense = need(calloc((size_t)f->rows * columns + 1, sizeof *f->dense));
    for (int64_t i = 0; i < f->rows; i++) {
        for (int64_t e = f->start[i]; e < f->start[i + 1]; e++) {
            f->dense[(size_t)i * columns + (size_t)f->index[e]] = f->value[e];
        }
    }
}

static void take_csv(rows_of_file *f, char *line)
{
    char *field[MOST_FIELDS];
    const int32_t count = cut_fields(line, field, MOST_FIELDS) - 1;
    if (f->columns == 0) {
        f->columns = count;
        f->name = need(calloc((size_t)count, sizeof *f->name));
        for (int32_t j = 0; j < count; j++) {
            f->name[j] = strdup(field[j]);
        }
        f->label_name = strdup(field[count]);
        return;
    }
    const size_t begin = (size_t)f->rows * (size_t)count;
    f->dense = need(realloc(f->dense, (begin + (size_t)count) * sizeof *f->dense));
    for (int32_t j = 0; j < count; j++) {
        const int missing = *field[j] == '\0' || strcmp(field[j], "NA") == 0;
        f->dense[begin + (size_t)j] = missing ? (double)NAN : strtod(field[j], NULL);
    }
    f->label[f->rows++] = strdup(field[count]);
}

rows_of_file read_rows(const char *path)
{
    rows_of_file f = {0};
    const int csv = strstr(path, ".csv") != NULL;
    f.text = read_text(path, &f.length);
    f.start = need(calloc(f.length + 2, sizeof *f.start));
    f.index = need(calloc(f.length + 2, sizeof *f.index));
    f.value = need(calloc(f.length + 2, sizeof *f.value));
    f.label = need(calloc(f.length + 2, sizeof *f.label));
    char *copy = strdup(f.text);
    for (char *line = copy; *line != '\0';) {
        char *next = strchr(line, '\n');
        next = next != NULL ? next + 1 : line + strlen(line);
        char *own = strndup(line, (size_t)(next - line));
        if (csv) {
            take_csv(&f, own);
        } else {
            take_libsvm(&f, own);
        }
        free(own);
        line = next;
    }
    free(copy);
    if (!csv) {
        make_dense(&f);
    }
    const size_t numbers = (size_t)f.rows * (size_t)f.columns;
    f.dense_float = need(calloc(numbers + 1, sizeof *f.dense_float));
    for (size_t k = 0; k < numbers; k++) {
        f.dense_float[k] = (float)f.dense[k];
    }
    return f;
}
