/* library_speed MODEL ROWS [LIBLINEAR-MODEL]: nanoseconds a row of libdpsvm-score on the rows of a
 * LIBSVM file, one a call and all in one, dense, sparse and as text; with a third word of LIBLINEAR's
 * predict_values, in the same turns. The least of several turns each. For library.py. */
#define _POSIX_C_SOURCE 200809L
#include <dpsvm/score.h>
#include <linear.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "../library/rows_of_file.h"

enum { TURNS = 15, MOST_SCORES = 100 };

typedef struct bench {
    rows_of_file f;
    dpsvm_scorer *scorer;
    const char **line;
    struct model *theirs;
    struct feature_node **node;
    double *score;
    double sum;
} bench;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void ended(int code, const dpsvm_error *error)
{
    if (code != DPSVM_OK) {
        fprintf(stderr, "%s\n", error->text);
        exit(1);
    }
}

static dpsvm_rows rows_at(const bench *b, int sparse, int64_t i, int64_t count)
{
    dpsvm_rows rows = {.rows = count, .columns = b->f.columns};
    if (sparse) {
        rows.start = b->f.start + i;
        rows.index = b->f.index;
        rows.value = b->f.value;
    } else {
        rows.dense = b->f.dense + i * b->f.columns;
    }
    return rows;
}

static void one_a_call(bench *b, int sparse)
{
    dpsvm_error error;
    double score[MOST_SCORES];
    const dpsvm_answers answers = {.score = score};
    for (int64_t i = 0; i < b->f.rows; i++) {
        const dpsvm_rows row = rows_at(b, sparse, i, 1);
        ended(dpsvm_score(b->scorer, &row, &answers, &error), &error);
        b->sum += score[0];
    }
}

static void one_dense(bench *b)
{
    one_a_call(b, 0);
}

static void one_sparse(bench *b)
{
    one_a_call(b, 1);
}

static void all_sparse(bench *b)
{
    dpsvm_error error;
    const dpsvm_answers answers = {.score = b->score};
    const dpsvm_rows rows = rows_at(b, 1, 0, b->f.rows);
    ended(dpsvm_score(b->scorer, &rows, &answers, &error), &error);
}

static void all_dense(bench *b)
{
    dpsvm_error error;
    const dpsvm_answers answers = {.score = b->score};
    const dpsvm_rows rows = rows_at(b, 0, 0, b->f.rows);
    ended(dpsvm_score(b->scorer, &rows, &answers, &error), &error);
}

static void one_text(bench *b)
{
    dpsvm_error error;
    double score[MOST_SCORES];
    const dpsvm_answers answers = {.score = score};
    for (int64_t i = 0; i < b->f.rows; i++) {
        const size_t length = strcspn(b->line[i], "\n") + 1;
        ended(dpsvm_score_text(b->scorer, b->line[i], length, 1, &answers, NULL, &error), &error);
        b->sum += score[0];
    }
}

static void liblinear(bench *b)
{
    double score[MOST_SCORES];
    for (int64_t i = 0; i < b->f.rows; i++) {
        predict_values(b->theirs, b->node[i], score);
        b->sum += score[0];
    }
}

/* Their form of the rows, made beforehand. */
static void make_nodes(bench *b)
{
    const rows_of_file *f = &b->f;
    struct feature_node *node = calloc((size_t)(f->start[f->rows] + 2 * f->rows), sizeof *node);
    b->node = calloc((size_t)f->rows, sizeof *b->node);
    for (int64_t i = 0; i < f->rows; i++) {
        b->node[i] = node;
        for (int64_t e = f->start[i]; e < f->start[i + 1]; e++) {
            *node++ = (struct feature_node){f->index[e] + 1, f->value[e]};
        }
        if (b->theirs->bias > 0) {
            *node++ = (struct feature_node){b->theirs->nr_feature + 1, b->theirs->bias};
        }
        (node++)->index = -1;
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(bench *);
    } ways[] = {{"one_sparse", one_sparse}, {"one_dense", one_dense}, {"one_text", one_text},
                {"all_sparse", all_sparse}, {"all_dense", all_dense}, {"liblinear", liblinear}};
    bench b = {0};
    dpsvm_error error;
    dpsvm_model *model;
    if (argc < 3) {
        return 2;
    }
    b.f = read_rows(argv[2]);
    ended(dpsvm_model_open(&model, argv[1], &error), &error);
    ended(dpsvm_scorer_new(&b.scorer, model, &error), &error);
    b.score = calloc((size_t)b.f.rows * MOST_SCORES, sizeof *b.score);
    b.line = calloc((size_t)b.f.rows, sizeof *b.line);
    const char *p = b.f.text;
    for (int64_t i = 0; i < b.f.rows; i++) {
        b.line[i] = p;
        p += strcspn(p, "\n") + 1;
    }
    if (argc > 3) {
        b.theirs = load_model(argv[3]);
        make_nodes(&b);
    }
    double least[6];
    for (int turn = 0; turn < TURNS; turn++) {
        for (int k = 0; k < 5 + (argc > 3); k++) {
            const double begin = now();
            ways[k].run(&b);
            const double taken = (now() - begin) / (double)b.f.rows;
            least[k] = turn == 0 || taken < least[k] ? taken : least[k];
        }
    }
    for (int k = 0; k < 5 + (argc > 3); k++) {
        printf("%s %.1f\n", ways[k].name, least[k]);
    }
    dpsvm_scorer_free(b.scorer);
    dpsvm_model_close(model);
    return b.sum != b.sum;
}
