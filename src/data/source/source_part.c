/* Task: cut an input into parts without reading it. A line belongs to the part where its first byte
 * is: whoever begins inside a file passes over the line that its first byte is in, and whoever ends
 * there reads on to the end of its last line. So each line is read once, and by one. */
#include "source_part.h"

#include <string.h>

dps_file_part dps_file_part_of(int64_t begin, int64_t end, int64_t before, int64_t size)
{
    const int64_t from = begin > before ? begin - before : 0;
    const int64_t to = end - before < size ? end - before : size;
    if (from >= to) {
        return (dps_file_part){0, 0};
    }
    return (dps_file_part){from, to == size ? DPS_NO_END : to};
}

static int64_t next_record(int64_t at, int64_t header, int64_t record)
{
    return at <= header ? header : header + (at - header + record - 1) / record * record;
}

dps_file_part dps_file_part_records(dps_file_part part, size_t header_bytes, size_t record_bytes)
{
    const int64_t header = (int64_t)header_bytes, record = (int64_t)record_bytes;
    if (part.end == 0) {
        return part; /* empty */
    }
    if (part.begin > 0) { /* else with the header */
        part.begin = next_record(part.begin, header, record);
    }
    if (part.end != DPS_NO_END) {
        part.end = next_record(part.end, header, record);
    }
    return part;
}

size_t dps_file_part_cut(dps_file_part part, int64_t at, const char *bytes, size_t cut,
                         size_t record_bytes)
{
    if (part.end == DPS_NO_END || part.end - at >= (int64_t)cut) {
        return cut;
    }
    if (record_bytes > 0) {
        return (size_t)(part.end - at);
    }
    const size_t last = (size_t)(part.end - at) - 1; /* a byte of the last line that starts here */
    const char *line_end = memchr(bytes + last, '\n', cut - last);
    return line_end == NULL ? cut : (size_t)(line_end - bytes) + 1;
}
