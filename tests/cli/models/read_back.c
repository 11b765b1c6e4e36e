/* Task: model files, NumPy matrices and reports by their documented formats, with no code of the
 * program's own. Numbers are little-endian, as on the machines that run the tests. */
#include "read_back.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    if (file == NULL) {
        return NULL;
    }
    if (fseek(file, 0, SEEK_END) == 0) {
        const long length = ftell(file);
        rewind(file);
        bytes = length < 0 ? NULL : malloc((size_t)length + 1);
        if (bytes != NULL && fread(bytes, 1, (size_t)length, file) == (size_t)length) {
            bytes[length] = '\0';
            *size = (size_t)length;
        } else {
            free(bytes);
            bytes = NULL;
        }
    }
    fclose(file);
    return bytes;
}

/* ---- the model ------------------------------------------------------------------------------- */

/* Value of "key = value" in the header, or NULL. */
static const char *header_line(const char *header, const char *key)
{
    const size_t length = strlen(key);
    for (const char *line = header; line != NULL && *line != '\n';) {
        if (strncmp(line, key, length) == 0 && strncmp(line + length, " = ", 3) == 0) {
            return line + length + 3;
        }
        line = strchr(line, '\n');
        line = line == NULL ? NULL : line + 1;
    }
    return NULL;
}

static double header_number(const char *header, const char *key)
{
    const char *value = header_line(header, key);
    return value == NULL ? NAN : strtod(value, NULL);
}

static void header_text(const char *header, const char *key, char *text, size_t size)
{
    const char *value = header_line(header, key);
    snprintf(text, size, "%.*s", value == NULL ? 0 : (int)strcspn(value, "\n"), value);
}

/* Numbers before the weights: index, shift and factor of every column; a unit (log), or knots and
 * levels and how many there are (rank). */
static size_t numbers_before_weights(const char *header)
{
    char scaling[16];
    const double columns = header_number(header, "data.columns");
    const double knots = header_number(header, "data.knots"); /* none before version 4 */
    header_text(header, "data.scaling", scaling, sizeof scaling);
    const bool bent = strcmp(scaling, "log") == 0 || strcmp(scaling, "rank") == 0;
    return (size_t)((bent ? 4 : 3) * columns + (isnan(knots) ? 0 : 2 * knots));
}

bool read_model_file(const char *path, read_model *model)
{
    size_t size = 0;
    memset(model, 0, sizeof *model);
    model->bytes = read_file(path, &size);
    char *arrays = model->bytes == NULL ? NULL : strstr(model->bytes, "\n\n");
    if (arrays == NULL || strncmp(model->bytes, "dpsvm model ", 12) != 0) {
        fprintf(stderr, "%s is no model\n", path);
        return false;
    }
    const char *header = model->bytes;
    const double classes = header_number(header, "classes");
    model->bias = header_number(header, "solver.bias");
    model->models = classes > 2 ? (int)classes : 1;
    model->width = (long)(header_number(header, "map.width") +
                          header_number(header, "map.sparse_columns") + (model->bias != 0 ? 1 : 0));
    model->objective = header_number(header, "trained.objective");
    model->gap = header_number(header, "trained.gap");
    header_text(header, "trained.outcome", model->outcome, sizeof model->outcome);
    header_text(header, "solver.loss", model->loss, sizeof model->loss);
    arrays += 2;
    const size_t before = numbers_before_weights(header) * sizeof(double);
    const size_t weights = (size_t)model->models * (size_t)model->width * sizeof(double);
    if ((size_t)(arrays - header) + before + weights + 8 > size) {
        fprintf(stderr, "%s is too short for its header\n", path);
        return false;
    }
    model->weight = malloc(weights + 1);
    if (model->weight != NULL) {
        memcpy(model->weight, arrays + before, weights);
    }
    return model->weight != NULL;
}

/* ---- the matrix ------------------------------------------------------------------------------ */

bool read_npy(const char *path, read_matrix *matrix)
{
    size_t size = 0;
    memset(matrix, 0, sizeof *matrix);
    matrix->bytes = read_file(path, &size);
    if (matrix->bytes == NULL || size < 10 || memcmp(matrix->bytes, "\x93NUMPY\x01\x00", 8) != 0) {
        fprintf(stderr, "%s is no NumPy matrix\n", path);
        return false;
    }
    const unsigned char *length = (const unsigned char *)matrix->bytes + 8;
    const size_t begin = 10 + (size_t)(length[0] | length[1] << 8);
    const char *shape = strstr(matrix->bytes + 10, "'shape': (");
    if (shape == NULL ||
        sscanf(shape, "'shape': (%ld, %ld)", &matrix->rows, &matrix->columns) != 2 ||
        strstr(matrix->bytes + 10, "'<f4'") == NULL ||
        begin + (size_t)matrix->rows * (size_t)matrix->columns * 4 != size) {
        fprintf(stderr, "%s has another header than expected\n", path);
        return false;
    }
    matrix->value = malloc(size - begin + 1);
    if (matrix->value != NULL) {
        memcpy(matrix->value, matrix->bytes + begin, size - begin);
    }
    return matrix->value != NULL;
}

/* ---- the report ------------------------------------------------------------------------------ */

/* Past the value at `at`. */
static const char *skip_value(const char *at)
{
    int depth = 0;
    for (; *at != '\0'; at++) {
        if (*at == '"') {
            for (at++; *at != '"' && *at != '\0'; at++) {
                at += *at == '\\';
            }
        } else if (*at == '{' || *at == '[') {
            depth++;
        } else if (*at == '}' || *at == ']') {
            if (depth-- == 0) {
                return at;
            }
        } else if (*at == ',' && depth == 0) {
            return at;
        }
    }
    return at;
}

/* The value of `key` in the object that opens at `at`. */
static const char *find_key(const char *at, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\"", key);
    at = at == NULL ? NULL : strchr(at, '{');
    while (at != NULL && (*at == '{' || *at == ',')) {
        at++;
        at += strspn(at, " \t\r\n");
        const bool here = strncmp(at, quoted, strlen(quoted)) == 0;
        at = strchr(at, ':');
        if (at == NULL) {
            return NULL;
        }
        at++;
        at += strspn(at, " \t\r\n");
        if (here) {
            return at;
        }
        at = skip_value(at);
    }
    return NULL;
}

static const char *report_value(const char *report, const char *object, const char *key)
{
    return find_key(*object == '\0' ? report : find_key(report, object), key);
}

double report_number(const char *report, const char *object, const char *key)
{
    const char *value = report_value(report, object, key);
    return value == NULL || *value == 'n' ? NAN
           : *value == 't'                ? 1
           : *value == 'f'                ? 0
                                          : strtod(value, NULL);
}

bool report_text(const char *report, const char *object, const char *key, char *text, size_t size)
{
    const char *value = report_value(report, object, key);
    if (value == NULL || *value != '"') {
        *text = '\0';
        return false;
    }
    snprintf(text, size, "%.*s", (int)strcspn(value + 1, "\""), value + 1);
    return true;
}
