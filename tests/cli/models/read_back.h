/* What a training left: its model, its report, the mapped rows, read by the documented formats. */
#ifndef READ_BACK_H
#define READ_BACK_H

#include <stdbool.h>
#include <stddef.h>

/* Whole file with a zero byte behind it; NULL: cannot be read. The caller's to free. */
char *read_file(const char *path, size_t *size);

typedef struct read_model {
    int models;
    long width;     /* weights of a model, the bias' included */
    double bias;    /* value of its column; 0: there is none */
    double *weight; /* models x width; into `bytes` */
    double objective, gap;
    char outcome[32], loss[40];
    char *bytes;
} read_model;

/* docs/model_format.md; false with a line on standard error. */
bool read_model_file(const char *path, read_model *model);

typedef struct read_matrix {
    long rows, columns;
    float *value; /* rows x columns; into `bytes` */
    char *bytes;
} read_matrix;

/* NumPy format 1.0, '<f4', in C order. */
bool read_npy(const char *path, read_matrix *matrix);

/* The number (true is 1, null NaN) or the text of `key` within the object `object` ("": the top) of
 * a report. */
double report_number(const char *report, const char *object, const char *key);
bool report_text(const char *report, const char *object, const char *key, char *text, size_t size);

#endif
