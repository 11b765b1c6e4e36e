/* Task: lines and rows counted on from rank to rank. Ranks read the bytes of the input in order, so
 * that of the files before it a rank can share only its first one, which is the last of those who
 * share it: each tells its last file and how many lines of it it has read. */
#include "raw_ranks.h"

#include "allocation.h"
#include "comm.h"

typedef struct last_file {
    int64_t index, lines; /* -1: has read none */
} last_file;

/* Counts from this rank's first line of each file. */
static last_file number_own(dps_raw_rows *raw)
{
    last_file last = {-1, 0};
    for (int64_t b = 0; b < raw->blocks; b++) {
        dps_raw_block *block = &raw->block[b];
        last.lines = block->file_index == last.index ? last.lines : 0;
        last.index = block->file_index;
        block->first_line = last.lines;
        last.lines += block->lines;
    }
    return last;
}

static int64_t lines_before(const char *all, const size_t *begin, int rank, int64_t file)
{
    int64_t lines = 0;
    for (int r = 0; r < rank; r++) {
        const last_file *other = (const last_file *)(const void *)(all + begin[r]);
        lines += other->index == file ? other->lines : 0;
    }
    return lines;
}

dps_status dps_raw_rows_number_lines(dps_raw_rows *raw, const dps_run *run, dps_status status,
                                     int32_t failed_file, dps_error *error)
{
    const dps_comm *comm = run->comm;
    const size_t ranks = (size_t)dps_comm_size(comm);
    const last_file none = {-1, 0}, mine = status == DPS_OK ? number_own(raw) : none;
    char *all = NULL;
    if (comm == NULL) {
        return status;
    }
    size_t *begin = dps_alloc(ranks + 1, sizeof *begin);
    if (dps_comm_any(comm, begin == NULL)) {
        dps_free(begin);
        return dps_out_of_memory(error, ranks + 1, sizeof *begin, "the ranks");
    }
    dps_error own;
    const dps_status gathered = dps_comm_gather(comm, &mine, sizeof mine, &all, begin, &own);
    if (gathered != DPS_OK) {
        *error = own;
        status = gathered;
    } else if (status == DPS_OK) {
        const int64_t first = raw->blocks > 0 ? raw->block[0].file_index : -1;
        const int64_t lines = lines_before(all, begin, dps_comm_rank(comm), first);
        for (int64_t b = 0; b < raw->blocks && raw->block[b].file_index == first; b++) {
            raw->block[b].first_line += lines;
        }
    } else if (failed_file >= 0 && error->line > 0) {
        error->line += lines_before(all, begin, dps_comm_rank(comm), failed_file);
    }
    dps_free(all);
    dps_free(begin);
    return dps_comm_agree(comm, status, error);
}

void dps_raw_rows_count_all(dps_raw_rows *raw, const dps_run *run)
{
    raw->first_row = dps_comm_sum_before(run->comm, raw->rows);
    raw->total_rows = dps_comm_sum(run->comm, raw->rows);
    raw->total_entries = dps_comm_sum(run->comm, raw->entries);
}
