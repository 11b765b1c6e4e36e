/* Task: `dpsvm transform`: the mapped rows as text or as a NumPy matrix, without the solver's bias.
 * Columns: those of the map's panel, then the sparse block (wide sparse rows), counted from 1 in
 * libsvm. Values are float, in digits that read back as the same float.
 *   libsvm  label first if the row has one; zeros left out
 *   csv     no header line; the label, if there are any, is the last column
 *   npy     version 1.0, '<f4', C order, no labels. Its header needs the number of rows, so the
 *           input is read twice: once to count, once to map; therefore not from a pipe. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "comm.h"
#include "number.h"
#include "transform.h"
#include "prediction_steps.h"
#include "row_stream.h"

const char *const dps_transform_format_names[] = {"libsvm", "csv", "npy", NULL};

/* The value of column j >= width of row i; *entry walks over the row's sparse entries. */
static float sparse_value(const dps_z_tile *z, int32_t i, int32_t column, int64_t *entry)
{
    if (*entry < z->start[i + 1] && z->column[*entry] == column) {
        return (float)((double)z->value[(*entry)++] * z->sparse_scale);
    }
    return 0;
}

static void add_float(dps_text *out, float value)
{
    char number[DPS_NUMBER_MAX];
    dps_text_append(out, number, dps_format_float(number, value));
}

static void add_pair(dps_text *out, size_t index, float value)
{
    char number[DPS_NUMBER_MAX];
    int length = snprintf(number, sizeof number, "%zu:", index);
    dps_text_append(out, number, (size_t)length);
    add_float(out, value);
}

static void render_libsvm(const dps_stream_rows *rows, dps_text *out)
{
    const dps_model *model = rows->model;
    const dps_z_tile *z = rows->z;
    for (int32_t i = 0; i < z->rows && !dps_run_stopped(rows->run); i++) {
        size_t begin = out->length, length;
        const char *label = dps_stream_label(rows, i, &length);
        const float *panel = z->z + (size_t)i * z->stride;
        dps_text_append(out, label, length);
        for (int32_t j = 0; j < model->width; j++) {
            if (panel[j] != 0) {
                dps_text_append(out, " ", out->length > begin ? 1 : 0);
                add_pair(out, (size_t)j + 1, panel[j]);
            }
        }
        for (int64_t e = z->start == NULL ? 0 : z->start[i];
             z->start != NULL && e < z->start[i + 1]; e++) {
            dps_text_append(out, " ", out->length > begin ? 1 : 0);
            add_pair(out, (size_t)model->width + (size_t)z->column[e] + 1,
                     (float)((double)z->value[e] * z->sparse_scale));
        }
        if (out->length == begin) {
            dps_text_add(out, "1:0"); /* an empty line would be no row */
        }
        dps_text_append(out, "\n", 1);
    }
}

static void render_csv(const dps_stream_rows *rows, dps_text *out)
{
    const dps_model *model = rows->model;
    const dps_z_tile *z = rows->z;
    for (int32_t i = 0; i < z->rows && !dps_run_stopped(rows->run); i++) {
        size_t begin = out->length, length;
        const char *label = dps_stream_label(rows, i, &length);
        int64_t entry = z->start == NULL ? 0 : z->start[i];
        for (int32_t j = 0; j < model->width; j++) {
            dps_text_append(out, ",", out->length > begin ? 1 : 0);
            add_float(out, z->z[(size_t)i * z->stride + (size_t)j]);
        }
        for (int32_t j = 0; j < model->sparse_columns; j++) {
            dps_text_append(out, ",", out->length > begin ? 1 : 0);
            add_float(out, sparse_value(z, i, j, &entry));
        }
        if (length > 0) {
            dps_text_append(out, ",", out->length > begin ? 1 : 0);
            dps_text_csv(out, label, length);
        }
        dps_text_append(out, "\n", 1);
    }
}

static void add_binary(dps_text *out, float value)
{
    uint32_t bits;
    char bytes[4];
    memcpy(&bits, &value, sizeof bits);
    for (int k = 0; k < 4; k++) {
        bytes[k] = (char)(unsigned char)(bits >> (8 * k));
    }
    dps_text_append(out, bytes, sizeof bytes);
}

static void render_npy(const dps_stream_rows *rows, dps_text *out)
{
    const dps_model *model = rows->model;
    const dps_z_tile *z = rows->z;
    for (int32_t i = 0; i < z->rows && !dps_run_stopped(rows->run); i++) {
        int64_t entry = z->start == NULL ? 0 : z->start[i];
        for (int32_t j = 0; j < model->width; j++) {
            add_binary(out, z->z[(size_t)i * z->stride + (size_t)j]);
        }
        for (int32_t j = 0; j < model->sparse_columns; j++) {
            add_binary(out, sparse_value(z, i, j, &entry));
        }
    }
}

/* Magic, version 1.0, length of the rest (two bytes, little-endian), a dictionary padded with
 * blanks so that the data start at a multiple of 64 (NumPy's numpy.lib.format). */
static dps_status write_npy_header(dps_output_file *file, int64_t rows, int64_t columns,
                                   dps_error *err)
{
    enum { SIZE = 128, START = 10 };
    char header[SIZE + 1];
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)(SIZE - START);
    header[9] = 0;
    int length = snprintf(header + START, SIZE - START,
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (%lld, %lld), }",
                          (long long)rows, (long long)columns);
    header[START + length] = ' ';
    header[SIZE - 1] = '\n';
    return dps_output_write(file, header, SIZE, err);
}

/* Rows of the input, which must be files that can be read twice. */
static dps_status count_rows(const dps_predict_request *request, const dps_predictor *predictor,
                             const dps_run *run, int64_t *rows, dps_error *err)
{
    dps_stream_sink sink = {.count_only = true};
    dps_predict_result counted;
    dps_status status = DPS_OK;
    for (size_t k = 0; k < request->path_count; k++) {
        struct stat info; /* what cannot be looked at cannot be opened either, which says why */
        const bool there = stat(request->paths[k], &info) == 0;
        if (strcmp(request->paths[k], "-") == 0 || (there && !S_ISREG(info.st_mode))) {
            status = dps_error_set(err, DPS_ERROR_CONFIG,
                                   "format npy reads its input twice (its header holds the number "
                                   "of rows), so it takes files only: name a file, or use csv");
        }
    }
    memset(&counted, 0, sizeof counted);
    status = dps_comm_agree(run->comm, status, err);
    DPS_THEN(status, dps_row_stream_run(request, predictor, &sink, run, &counted, err));
    *rows = counted.rows;
    return status;
}

static dps_status write_rows(dps_prediction *p, void *context, dps_error *err)
{
    const dps_transform_format format = *(const dps_transform_format *)context;
    const dps_model *model = &p->model;
    const dps_predict_result *result = p->result;
    int64_t rows = 0;

    DPS_TRY(dps_prediction_open(p, err));
    const dps_stream_sink sink = {.render = format == DPS_TRANSFORM_LIBSVM ? render_libsvm
                                            : format == DPS_TRANSFORM_CSV  ? render_csv
                                                                           : render_npy,
                                  .file = p->file};
    if (format == DPS_TRANSFORM_NPY) {
        dps_status status = count_rows(p->request, &p->predictor, p->run, &rows, err);
        if (status == DPS_OK && p->file != NULL) {
            status =
                write_npy_header(p->file, rows, (int64_t)model->width + model->sparse_columns, err);
        }
        DPS_TRY(dps_comm_agree(p->run->comm, status, err));
    }
    DPS_TRY(dps_row_stream_run(p->request, &p->predictor, &sink, p->run, p->result, err));
    if (format == DPS_TRANSFORM_NPY && rows != result->rows) {
        return dps_error_set(err, DPS_ERROR_IO,
                             "the input changed while it was read: %lld rows, "
                             "then %lld",
                             (long long)rows, (long long)result->rows);
    }
    if (format == DPS_TRANSFORM_CSV && result->labelled > 0 && result->labelled < result->rows) {
        return dps_error_set(err, DPS_ERROR_DATA,
                             "%lld of %lld rows have a label: csv needs one on every row or on "
                             "none; use libsvm",
                             (long long)result->labelled, (long long)result->rows);
    }
    return DPS_OK;
}

dps_status dps_transform(const dps_predict_request *request, dps_transform_format format,
                         const dps_run *run, dps_predict_result *result, dps_error *err)
{
    return dps_prediction_run(request, run, write_rows, &format, result, err);
}
