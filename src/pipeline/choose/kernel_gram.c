/* Task: K_ij = exp(-gamma |x_i - x_j|^2), which the inner products of an RBF map's rows estimate,
 * 4096 features to about 0.01 an entry. A trial on few rows takes the kernel itself: n^2 d / 2 once
 * and n^2 / 2 exponentials a width, where mapped rows cost 4096 n d, and their products 4096 n^2 /
 * 2. The exponential is our own, with the same bits everywhere. */
#include "kernel_gram.h"

#include <assert.h>
#include "allocation.h"
#include "probability.h"
#include "row_sample.h"

static dps_status find_distances(const dps_row_source *rows, uint64_t seed, const dps_run *run,
                                 double **distance, dps_error *err)
{
    const size_t n = (size_t)rows->rows;
    dps_row_sample sample;
    assert(rows->total_rows == 0 && n <= DPS_SAMPLE_ROWS);
    DPS_NEED(*distance, n * (n - 1) / 2 + 1, "pairwise distances", err);
    DPS_TRY(dps_row_sample_init(&sample, rows, seed, rows->rows, run, err));
    const dps_status status = dps_row_sample_pairs(&sample, false, run, *distance, err);
    dps_row_sample_release(&sample);
    return status;
}

dps_status dps_kernel_gram(const dps_row_source *rows, const dps_map_recipe *recipe, double bias,
                           double **distance, const dps_run *run, double *gram, dps_error *err)
{
    const size_t n = (size_t)rows->rows;
    if (*distance == NULL) {
        DPS_TRY(find_distances(rows, recipe->seed, run, distance, err));
    }
    for (size_t j = 0, at = 0; j < n; j++) {
        for (size_t i = 0; i < j; i++, at++) {
            const double d = (*distance)[at];
            gram[i * n + j] = gram[j * n + i] =
                dps_exp_below_zero(-recipe->base_gamma * (d * d)) + bias * bias;
        }
        gram[j * n + j] = 1 + bias * bias;
    }
    return DPS_OK;
}
