/* Reading what the rows of a data set are made of: the files or their cache, and the weights of the
 * rows. */
#include "dataset_read.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "allocation.h"
#include "cache.h"
#include "comm.h"
#include "job_limits.h"
#include "row_arrays.h"
#include "weights_file.h"

const char *dps_dataset_shown_name(const dps_load_options *options)
{
    if (options->read.arrays != NULL) {
        return DPS_ARRAYS_NAME;
    }
    return strcmp(options->paths[0], "-") == 0 ? "standard input" : options->paths[0];
}

/* What the rows of a cache are made of: means of columns follow a file of weights. From
 * dps_alloc; NULL: no memory. */
static const char **cached_files(const dps_load_options *options, const dps_read_options *read,
                                 size_t *count)
{
    const bool weighted = read->table.missing == DPS_MISSING_MEAN && read->weights_file[0] != '\0';
    *count = options->path_count + weighted;
    const char **files = dps_alloc(*count, sizeof *files);
    if (files != NULL) {
        memcpy(files, options->paths, options->path_count * sizeof *files);
        if (weighted) {
            files[options->path_count] = read->weights_file;
        }
    }
    return files;
}

dps_status dps_dataset_read_rows(const dps_load_options *options, const dps_read_options *read,
                                 const dps_table *known, size_t chunk_bytes, const dps_run *run,
                                 dps_raw_rows *raw, dps_dataset *data, dps_error *err)
{
    const double begin = dps_now();
    dps_cache *cache = NULL;
    const char **files = NULL;
    size_t count;
    bool found = false;
    dps_status status = DPS_OK;
    if (known == NULL && options->cache != NULL && options->cache[0] != '\0') {
        files = cached_files(options, read, &count);
        status = files == NULL ? dps_out_of_memory(err, count, sizeof *files, "names of files")
                               : dps_cache_open(&cache, options->cache, files, count, read, run,
                                                raw, &found, err);
    }
    dps_free(files);
    if (status == DPS_OK && !found) {
        status = dps_raw_rows_read(raw, options->paths, options->path_count, read, known,
                                   chunk_bytes, run, err);
        if (status == DPS_OK && cache != NULL) {
            status = dps_cache_write(cache, raw, run, err);
        }
    }
    dps_cache_close(cache);
    data->parse_seconds = dps_now() - begin;
    if (status == DPS_OK) {
        snprintf(data->note, sizeof data->note, "%s", raw->input.note);
    }
    if (status != DPS_OK) {
        return status;
    }
    data->bytes = dps_comm_sum(run->comm, raw->bytes);
    data->nonzeros = raw->total_entries;
    data->label_guessed = raw->input.layout.label_guessed;
    if (raw->total_rows == 0) {
        status = dps_error_at(err, DPS_ERROR_DATA, dps_dataset_shown_name(options), 0, 0,
                              "%s; expected rows like: 1 3:0.5 7:1",
                              data->bytes == 0 ? "the input is empty"
                                               : "the input has no rows, only blank lines and "
                                                 "comments");
    }
    const int64_t qid_seen = dps_comm_sum(run->comm, raw->qid_seen);
    if (status == DPS_OK && qid_seen > 0) {
        dps_log_text(run, DPS_NORMAL, "note: %lld qid: entries were passed over",
                     (long long)qid_seen);
    }
    const int64_t repeats = dps_comm_sum(run->comm, raw->repeats);
    if (status == DPS_OK && repeats > 0) {
        dps_log_text(run, DPS_NORMAL,
                     "note: %lld lines that repeat the names of the columns were passed over",
                     (long long)repeats);
    }
    return status;
}

bool dps_dataset_find_weights_file(const dps_load_options *options, char *path, size_t size)
{
    const char *weights = options->weights == NULL ? "" : options->weights;
    const char *slash = options->base == NULL ? NULL : strrchr(options->base, '/');
    const int folder = slash == NULL || *weights == '/' ? 0 : (int)(slash - options->base) + 1;
    struct stat info;
    const int length =
        snprintf(path, size, "%.*s%s", folder, folder > 0 ? options->base : "", weights);
    return *weights != '\0' && length >= 0 && (size_t)length < size && stat(path, &info) == 0 &&
           !S_ISDIR(info.st_mode);
}

dps_status dps_dataset_collect_weights(dps_raw_rows *raw, const char *file, const dps_run *run,
                                       dps_dataset *data, dps_error *err)
{
    if (!raw->input.layout.has_weight && *file == '\0' && raw->file_weight == NULL) {
        return DPS_OK;
    }
    const bool read = raw->file_weight != NULL;
    data->row_weight =
        read ? raw->file_weight : dps_alloc((size_t)raw->rows, sizeof *data->row_weight);
    raw->file_weight = NULL; /* the data's now */
    if (data->row_weight == NULL) {
        return dps_out_of_memory(err, (size_t)raw->rows, sizeof *data->row_weight, "weights");
    }
    if (*file != '\0') {
        const size_t said = strlen(data->note);
        snprintf(data->note + said, sizeof data->note - said, ", weights in %s", file);
        return read ? DPS_OK
                    : dps_weights_file_read(file, raw->first_row, raw->rows, raw->total_rows, run,
                                            data->row_weight, err);
    }
    for (int64_t b = 0; !read && b < raw->blocks; b++) {
        const dps_raw_block *block = &raw->block[b];
        memcpy(data->row_weight + block->first_row, block->weight,
               (size_t)block->rows * sizeof *data->row_weight);
        dps_raw_block_rest(block);
    }
    return DPS_OK;
}
