#include "rows_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    return rows_target("arff", bytes, length);
}
