/* One weight a line, in the order of the rows; blanks around it are passed over. A blank line is a
 * fault, because every line stands for a row. */
#include "weights_file.h"

#include <math.h>
#include <string.h>

#include "number.h"
#include "source.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Lines of a chunk from row *row on; weight: of rows [first, first + rows). */
static dps_status read_lines(const dps_chunk *chunk, int64_t first, int64_t rows, double *weight,
                             int64_t *row, dps_error *err)
{
    const char *p = chunk->bytes, *end = p + chunk->length;
    while (p < end) {
        const char *line_end = memchr(p, '\n', (size_t)(end - p));
        line_end = line_end != NULL ? line_end : end;
        const char *last = line_end;
        while (p < last && is_blank(*p)) {
            p++;
        }
        while (last > p && is_blank(last[-1])) {
            last--;
        }
        double value;
        if (!dps_text_to_double(p, (size_t)(last - p), &value) || !isfinite(value) ||
            !(value > 0.0)) {
            return dps_error_at(err, DPS_ERROR_DATA, chunk->file, *row + 1, 0,
                                "\"%s\": expected the weight of a row, a number above 0",
                                DPS_QUOTE(p, (size_t)(last - p), 40));
        }
        if (*row >= first && *row < first + rows) {
            weight[*row - first] = value;
        }
        (*row)++;
        p = line_end + 1;
    }
    return DPS_OK;
}

dps_status dps_weights_file_read(const char *path, int64_t first, int64_t rows, int64_t total,
                                 const dps_run *run, double *weight, dps_error *err)
{
    dps_source *source;
    int64_t row = 0;
    bool end = false;
    dps_status status = dps_source_open(&source, &path, 1, err);
    if (status == DPS_OK) {
        dps_source_set_stop(source, run->stop);
    }
    while (status == DPS_OK && !end) {
        dps_chunk chunk;
        status = dps_source_next(source, &chunk, &end, err);
        if (status == DPS_OK && !end) {
            status = read_lines(&chunk, first, rows, weight, &row, err);
        }
        dps_chunk_release(&chunk);
    }
    dps_source_close(source);
    if (status == DPS_OK && row != total) {
        status = dps_error_at(err, DPS_ERROR_DATA, path, 0, 0,
                              "%lld weights for %lld rows (data.weights)", (long long)row,
                              (long long)total);
    }
    return status;
}
