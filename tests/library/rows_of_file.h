/* Rows of a file for the programs of tests/library, read by code of their own: LIBSVM text, or CSV of
 * numbers whose last column is the label and whose first line may be names. */
#ifndef ROWS_OF_FILE_H
#define ROWS_OF_FILE_H

#include <dpsvm/score.h>

typedef struct rows_of_file {
    char *text; /* of the file */
    size_t length;
    int64_t rows;
    int32_t columns; /* of the dense form, without the label */
    double *dense;   /* rows x columns; an empty field, NA: NaN */
    float *dense_float;
    int64_t *start;
    int32_t *index;
    double *value;
    char **label; /* of each row, "" where there is none */
    char **name;  /* of the columns, or NULL */
    char *label_name;
} rows_of_file;

/* Ends the program where the file cannot be read. */
rows_of_file read_rows(const char *path);
char *read_text(const char *path, size_t *length);
/* Cuts a line of CSV without quotes at its commas, in place; returns the number of fields. */
int32_t cut_fields(char *line, char **field, int32_t most);

#endif
