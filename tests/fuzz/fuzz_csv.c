/* The first byte chooses between commas, or what the file shows, and tabs. */
#include "rows_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    return length == 0 ? 0 : rows_target(bytes[0] % 2 == 0 ? "csv" : "tsv", bytes + 1, length - 1);
}
