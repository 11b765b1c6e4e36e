/* Files of weights: as many numbers above 0 as lines, or an error. */
#include "fuzz_target.h"
#include "weights_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    const dps_run run = fuzz_run(1);
    dps_error err;
    char path[300];
    int64_t lines = 0;
    for (size_t i = 0; i < length; i++) {
        lines += bytes[i] == '\n' || i + 1 == length;
    }
    double *weight = malloc((size_t)(lines > 0 ? lines : 1) * sizeof *weight);
    fuzz_put(fuzz_path(path, "in.weights"), bytes, length);
    const dps_status status = dps_weights_file_read(path, 0, lines, lines, &run, weight, &err);
    for (int64_t i = 0; i < lines && status == DPS_OK; i++) {
        FUZZ_HOLDS(isfinite(weight[i]) && weight[i] > 0, "weight %lld is %g", (long long)i,
                   weight[i]);
    }
    FUZZ_HOLDS(status == DPS_OK || err.text[0] != '\0', "an empty message");
    free(weight);
    return 0;
}
