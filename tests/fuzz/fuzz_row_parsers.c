/* libFuzzer entry for the row parsers; not part of the normal build. By hand, with clang:
 *
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -fopenmp -D_POSIX_C_SOURCE=200809L \
 *         -D_DEFAULT_SOURCE -DDPSVM_VERSION='""' \
 *         $(find src/util src/data src/linalg -type d | sed 's/^/-I/') \
 *         tests/fuzz/fuzz_row_parsers.c src/data/parse/[a-z]*.c src/data/source/[a-z]*.c \
 *         $(ls src/util/[a-z]*.c | grep -v /comm.c) -lm -lz -lzstd -o fuzz_row_parsers
 *     ./fuzz_row_parsers -max_len=4096 -max_total_time=600
 *
 * What it finds becomes a seed of tests/contract/data/test_parser_mutations.c. */
#include <stdint.h>
#include <stdio.h>
#include "parse_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static dps_row_block block; /* kept, as the program keeps it */
    for (const char *const *name = dps_format_names(); *name != NULL; name++) {
        const char *fault =
            parse_fault(dps_format_find(*name), &block, (const char *)bytes, length);
        if (fault != NULL) {
            fprintf(stderr, "%s: %s\n", *name, fault);
            abort();
        }
    }
    return 0;
}
