/* score_file MODEL ROWS EXPECTED labels|scores|proba HOW: scores rows by libdpsvm-score, or where it
 * is compiled with THREADS by libdpsvm, and holds the answers against what `dpsvm predict` wrote into
 * EXPECTED: labels letter for letter, numbers bit for bit. HOW: sparse, dense, float, one (a row a
 * call), bytes (the model from memory), text (all lines in one call), line (a line a call), names (CSV:
 * a row of named values, in another order), threads. */
#define _POSIX_C_SOURCE 200809L
#ifdef THREADS
#include <dpsvm/dpsvm.h>
#else
#include <dpsvm/score.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rows_of_file.h"

static void ended(int code, const dpsvm_error *error)
{
    if (code != DPSVM_OK) {
        fprintf(stderr, "%d, row %lld: %s\n", code, (long long)error->row, error->text);
        exit(code);
    }
}

static dpsvm_answers answers_at(const dpsvm_answers *all, const dpsvm_model *model, int64_t row)
{
    dpsvm_answers at = *all;
    at.label = all->label != NULL ? all->label + row : NULL;
    at.score = all->score != NULL ? all->score + row * dpsvm_score_count(model) : NULL;
    at.probability =
        all->probability != NULL ? all->probability + row * dpsvm_class_count(model) : NULL;
    return at;
}

static dpsvm_rows numbers(const rows_of_file *f, const char *how)
{
    dpsvm_rows rows = {.rows = f->rows, .columns = f->columns};
    if (strcmp(how, "dense") == 0 || f->name != NULL) {
        rows.dense = f->dense;
    } else if (strcmp(how, "float") == 0) {
        rows.dense_float = f->dense_float;
    } else {
        rows.start = f->start;
        rows.index = f->index;
        rows.value = f->value;
    }
    return rows;
}

static void one_by_one(dpsvm_scorer *scorer, const dpsvm_model *model, const rows_of_file *f,
                       const dpsvm_answers *all)
{
    dpsvm_error error;
    for (int64_t i = 0; i < f->rows; i++) {
        dpsvm_rows row = numbers(f, "one");
        row.rows = 1;
        row.start = row.start != NULL ? row.start + i : NULL;
        row.dense = row.dense != NULL ? row.dense + i * f->columns : NULL;
        const dpsvm_answers at = answers_at(all, model, i);
        ended(dpsvm_score(scorer, &row, &at, &error), &error);
    }
}

/* All lines, or one a call; the first is a header where the model's columns have names. */
static int64_t lines(dpsvm_scorer *scorer, const dpsvm_model *model, const rows_of_file *f,
                     int each, const dpsvm_answers *all)
{
    dpsvm_error error;
    int64_t found = 0;
    const char *p = f->text;
    if (strchr(f->text, ':') == NULL) {
        dpsvm_column first;
        const size_t length = strcspn(p, "\n");
        ended(dpsvm_column_get(model, 0, &first), &error);
        if (first.name != NULL) {
            char *header = strndup(p, length);
            ended(dpsvm_scorer_text(scorer, "csv", 0, header, &error), &error);
            free(header);
        }
        p += length + 1;
    }
    if (!each) {
        ended(dpsvm_score_text(scorer, p, strlen(p), 1 << 30, all, &found, &error), &error);
        return found;
    }
    while (*p != '\0') {
        const size_t length = strcspn(p, "\n");
        const dpsvm_answers at = answers_at(all, model, found);
        int64_t rows;
        ended(dpsvm_score_text(scorer, p, length, 1, &at, &rows, &error), &error);
        found += rows;
        p += length + (p[length] == '\n');
    }
    return found;
}

static int64_t named(dpsvm_scorer *scorer, const dpsvm_model *model, const rows_of_file *f,
                     const dpsvm_answers *all)
{
    enum { MOST = 100 };
    dpsvm_error error;
    const char *turned[MOST];
    char *field[MOST], *text = strdup(f->text), *save;
    char *line = strtok_r(text, "\n", &save);
    const int32_t count = cut_fields(line, field, MOST);
    int64_t found = 0;
    for (int32_t k = 0; k < count; k++) {
        turned[k] = field[count - 1 - k];
    }
    ended(dpsvm_scorer_names(scorer, count, turned, &error), &error);
    while ((line = strtok_r(NULL, "\n", &save)) != NULL) {
        const dpsvm_answers at = answers_at(all, model, found);
        cut_fields(line, field, MOST);
        for (int32_t k = 0; k < count; k++) {
            turned[k] = *field[count - 1 - k] == '\0' ? NULL : field[count - 1 - k];
        }
        ended(dpsvm_score_values(scorer, count, turned, &at, &error), &error);
        found++;
    }
    free(text);
    return found;
}

static int differs(const char *word, double value)
{
    char *end;
    const double expected = strtod(word, &end);
    return *end != '\0' || memcmp(&expected, &value, sizeof value) != 0;
}

static int compare(const char *path, const dpsvm_model *model, const dpsvm_answers *all,
                   int64_t rows)
{
    size_t length;
    char *text = read_text(path, &length), *save;
    const int64_t a_row = all->label != NULL   ? 1
                          : all->score != NULL ? dpsvm_score_count(model)
                                               : dpsvm_class_count(model);
    int64_t k = 0;
    for (char *w = strtok_r(text, " \n", &save); w != NULL; w = strtok_r(NULL, " \n", &save), k++) {
        if (k >= rows * a_row ||
            (all->label != NULL
                 ? strcmp(w, dpsvm_class_label(model, all->label[k])) != 0
                 : differs(w, all->score != NULL ? all->score[k] : all->probability[k]))) {
            fprintf(stderr, "answer %lld: expected %s\n", (long long)k, w);
            return 1;
        }
    }
    return k != rows * a_row;
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        return 9;
    }
    dpsvm_error error;
    dpsvm_model *model;
    dpsvm_scorer *scorer;
    const char *what = argv[4], *how = argv[5];
    rows_of_file f = read_rows(argv[2]);
    if (strcmp(how, "bytes") == 0) {
        size_t size;
        char *bytes = read_text(argv[1], &size);
        ended(dpsvm_model_read(&model, bytes, size, &error), &error);
        free(bytes);
    } else {
        ended(dpsvm_model_open(&model, argv[1], &error), &error);
    }
    ended(dpsvm_scorer_new(&scorer, model, &error), &error);
    const size_t room = f.length + 2;
    const size_t classes = (size_t)dpsvm_class_count(model) + 1;
    dpsvm_answers all = {0};
    if (strcmp(what, "labels") == 0) {
        all.label = calloc(room, sizeof *all.label);
    } else if (strcmp(what, "scores") == 0) {
        all.score = calloc(room * classes, sizeof *all.score);
    } else {
        all.probability = calloc(room * classes, sizeof *all.probability);
    }
    int64_t rows = f.rows;
    if (strcmp(how, "one") == 0) {
        one_by_one(scorer, model, &f, &all);
    } else if (strcmp(how, "text") == 0 || strcmp(how, "line") == 0) {
        rows = lines(scorer, model, &f, strcmp(how, "line") == 0, &all);
    } else if (strcmp(how, "names") == 0) {
        rows = named(scorer, model, &f, &all);
#ifdef THREADS
    } else if (strcmp(how, "threads") == 0) {
        const dpsvm_rows x = numbers(&f, how);
        ended(dpsvm_score_threads(scorer, 3, &x, &all, &error), &error);
#endif
    } else {
        const dpsvm_rows x = numbers(&f, how);
        ended(dpsvm_score(scorer, &x, &all, &error), &error);
    }
    const int wrong = compare(argv[3], model, &all, rows);
    dpsvm_scorer_free(scorer);
    dpsvm_model_close(model);
    return wrong;
}
