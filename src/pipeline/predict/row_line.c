/* Task: where a row stands, for an error. Blocks keep no line numbers, as blank lines, comments and
 * headers are rare: so the line is the fewest lines of the chunk that hold so many rows, found by
 * bisection. Cost: the chunk is parsed log2(lines) times again, by who has an error to report. */
#include "row_line.h"

#include <string.h>

/* Bytes of the chunk's first `count` lines. */
static size_t line_bytes(const dps_chunk *chunk, int64_t count)
{
    const char *at = chunk->bytes, *end = chunk->bytes + chunk->length;
    for (; count > 0 && at < end; count--) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        at = line_end == NULL ? end : line_end + 1;
    }
    return (size_t)(at - chunk->bytes);
}

int64_t dps_line_of_row(const dps_input *input, const dps_chunk *chunk, const dps_row_block *block,
                        int64_t row)
{
    dps_chunk part = *chunk;
    dps_row_block again = {0};
    int64_t fewer = 0, enough = block->lines;
    if (block->lines == block->rows) {
        return row;
    }
    while (enough - fewer > 1) {
        const int64_t middle = fewer + (enough - fewer) / 2;
        dps_error ignored;
        part.length = line_bytes(chunk, middle);
        const bool ok = input->format->parse(&input->read, &part, &again, &ignored) == DPS_OK;
        if (ok && again.rows >= row) {
            enough = middle;
        } else {
            fewer = middle;
        }
    }
    dps_row_block_release(&again);
    return enough;
}
