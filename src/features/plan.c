/* Task: from a request and the training rows to a recipe: every automatic value becomes a number,
 * combinations that mean nothing are refused, and the facts are gathered that `check` and the log
 * show. Behind this file no value is automatic.
 *
 *   sigma         mean distance of 2,000 seeded rows (Kar & Karnick 2012, section 6)
 *   base_gamma    1 / (2 median^2) of those distances, or 1 / (d var)
 *   domain_scale  for a series of finite radius (equation 3)
 *   factor        1 / sqrt(mean K(x, x)) (equation 13); the linear kernel and the rows
 *                 themselves count as f(t) = gamma t, a Fourier map as K(x, x) = 1
 *   input_scale   smallest power of two >= R2
 *   weights       of degrees for map.measure = variance (plan_variance.c)
 *   coverage      share of f(largest k(x, x)) in degrees that are exact or have D q(n) >= 1
 *                 (equation 19)
 *
 * Equations: docs/algorithms.md. Cost: two passes over the rows, and the heuristics' pairs. */
#include <math.h>
#include "allocation.h"
#include "comm.h"
#include "degrees.h"
#include "map_layout.h"
#include "ordered_sum.h"
#include "plan_options.h"
#include "plan_variance.h"
#include "recipe.h"
#include "row_sample.h"

/* --- statistics of the rows --------------------------------------------------------------- */

typedef struct row_statistics {
    const dps_row_source *rows;
    const dps_map_recipe *recipe;
    bool kernel;      /* second pass: f is summed */
    double *largest;  /* per tile: max of m, equation 3 */
    double *smallest; /* per tile: smallest coordinate, at most 0 */
} row_statistics;

typedef struct row_powers {
    double first, second, fourth; /* sum x_j, sum x_j^2, sum x_j^4 */
    double smallest;
} row_powers;

/* Zeros add nothing, so that dense and compressed rows give the same sums. */
static row_powers powers_of(const dps_row_tile *tile, int32_t i)
{
    const bool dense = tile->dense != NULL;
    const float *x = dense ? tile->dense + (size_t)i * tile->stride : tile->value + tile->start[i];
    const int64_t count = dense ? tile->columns : tile->start[i + 1] - tile->start[i];
    row_powers sum = {0};
    for (int64_t k = 0; k < count; k++) {
        const double square = (double)x[k] * x[k];
        sum.first += x[k];
        sum.second += square;
        sum.fourth += square * square;
        sum.smallest = fmin(sum.smallest, x[k]);
    }
    return sum;
}

/* m of one row, equation 3; an RBF's does not depend on rows. */
static double moment_of(const dps_map_recipe *recipe, int32_t columns, const row_powers *powers)
{
    if (dps_recipe_is_additive(recipe)) {
        return 1.5 * columns * powers->second;
    }
    const double fewer = recipe->projection == DPS_PROJECTION_GAUSSIAN ? 0.0 : 2.0 * powers->fourth;
    return 3.0 * powers->second * powers->second - fewer;
}

static dps_status add_tile(void *context, int64_t t, double *sum, void *scratch, dps_error *err)
{
    const row_statistics *statistics = context;
    const dps_map_recipe *recipe = statistics->recipe;
    (void)scratch;
    dps_row_tile tile;
    DPS_TRY(statistics->rows->get(statistics->rows->context, t, &tile, err));
    double largest = 0.0, smallest = 0.0;
    const double *weight = statistics->rows->weight;
    weight = weight == NULL ? NULL : weight + t * DPS_TILE_ROWS;
    for (int32_t i = 0; i < tile.rows; i++) {
        const row_powers powers = powers_of(&tile, i);
        const double argument = dps_recipe_is_additive(recipe) ? powers.first : powers.second;
        const double value =
            statistics->kernel ? dps_kernel_value(&recipe->kernel, argument) : argument;
        if (weight == NULL) {
            sum[0] += value;
        } else {
            sum[0] += weight[i] * value;
            sum[1] += weight[i];
        }
        largest = fmax(largest, moment_of(recipe, tile.columns, &powers));
        smallest = fmin(smallest, powers.smallest);
    }
    statistics->largest[t] = largest;
    statistics->smallest[t] = smallest;
    return DPS_OK;
}

/* Over the training rows. argument: |x|^2, or k(x, x) of an additive base. */
typedef struct row_facts {
    double mean;     /* of the argument, or of f(argument) */
    double largest;  /* m of equation 3 */
    double smallest; /* coordinate */
} row_facts;

static dps_status row_means(const dps_row_source *rows, const dps_map_recipe *recipe, bool kernel,
                            const dps_run *run, row_facts *found, dps_error *err)
{
    const dps_comm *comm = rows->total_rows > 0 ? run->comm : NULL;
    const int64_t tiles = dps_tile_count(rows->rows);
    row_statistics statistics = {.rows = rows, .recipe = recipe, .kernel = kernel};
    DPS_NEED_ON_ALL(comm, statistics.largest, 2 * (size_t)tiles, "statistics of the rows", err);
    statistics.smallest = statistics.largest + tiles;
    const size_t elements = rows->weight == NULL ? 1 : 2; /* the sum, and what the rows weigh */
    const double flops = 7.0 * DPS_TILE_ROWS * (double)rows->columns;
    const int64_t all_tiles = dps_tile_count(dps_rows_of_all(rows));
    const dps_ordered_sum sum = {.tiles = tiles,
                                 .first_tile = dps_tile_count(rows->first_row),
                                 .total_tiles = dps_tile_count(rows->total_rows),
                                 .slots = dps_slot_count(all_tiles, elements, flops),
                                 .elements = elements,
                                 .add = add_tile,
                                 .context = &statistics};
    double total[2] = {0.0, 0.0};
    const dps_status status = dps_ordered_sum_run(&sum, run, total, err);
    if (status == DPS_OK) {
        const double all = rows->weight == NULL ? (double)dps_rows_of_all(rows) : total[1];
        *found = (row_facts){.mean = total[0] / all};
        for (int64_t t = 0; t < tiles; t++) {
            found->largest = fmax(found->largest, statistics.largest[t]);
            found->smallest = fmin(found->smallest, statistics.smallest[t]);
        }
        found->largest = dps_comm_max(comm, found->largest);
        found->smallest = -dps_comm_max(comm, -found->smallest);
    }
    dps_free(statistics.largest);
    return status;
}

/* --- automatic values --------------------------------------------------------------------- */

static dps_status resolve_widths(dps_map_recipe *recipe, bool by_variance,
                                 const dps_row_source *rows, const dps_run *run, dps_error *err)
{
    const bool sigma =
        (recipe->kernel.kernel->uses & DPS_USES(sigma)) != 0 && isnan(recipe->kernel.sigma);
    const bool laplacian = recipe->base == DPS_BASE_LAPLACIAN;
    const bool gamma = dps_recipe_is_shift(recipe) && isnan(recipe->base_gamma);
    /* What this map does not use is stored as 1, so that a recipe has numbers only. */
    if (!sigma && isnan(recipe->kernel.sigma)) {
        recipe->kernel.sigma = 1.0;
    }
    if (!gamma && isnan(recipe->base_gamma)) {
        recipe->base_gamma = 1.0;
    }
    if (!sigma && !gamma) {
        return DPS_OK;
    }
    dps_row_sample sample;
    const int64_t most = recipe->refine == DPS_REFINE_NONE ? DPS_SAMPLE_ROWS : DPS_ROUGH_ROWS;
    dps_status status = dps_row_sample_init(&sample, rows, recipe->seed, most, run, err);
    if (status != DPS_OK) {
        return status;
    }
    double mean = 0.0, median = 0.0;
    if (sigma) {
        status = dps_row_sample_distances(&sample, false, run, &mean, &median, err);
    }
    if (status == DPS_OK && gamma && !by_variance && (!sigma || laplacian)) {
        double unused;
        status = dps_row_sample_distances(&sample, laplacian, run, sigma ? &unused : &mean, &median,
                                          err);
    }
    const double variance = dps_row_sample_variance(&sample);
    dps_row_sample_release(&sample);
    if (status != DPS_OK) {
        return status;
    }
    if (sigma && !(mean > 0.0)) {
        return dps_refuse_map(
            err, "kernel.sigma = auto is the mean distance between rows, but all sampled "
                 "rows are equal; set kernel.sigma");
    }
    if (gamma && by_variance && !(variance > 0.0)) {
        return dps_refuse_map(err,
                              "map.gamma = scale is 1 / (d variance), but all sampled values are "
                              "equal; set map.gamma");
    }
    if (gamma && !by_variance && !(median > 0.0)) {
        return dps_refuse_map(
            err, mean > 0.0 ? "map.gamma = auto is taken from the median distance between "
                              "rows, but more than half of the sampled pairs are equal; set "
                              "map.gamma"
                            : "map.gamma = auto is taken from the median distance between "
                              "rows, but all sampled rows are equal; set map.gamma");
    }
    if (sigma) {
        recipe->kernel.sigma = mean;
    }
    if (gamma) {
        recipe->base_gamma = by_variance ? 1.0 / (rows->columns * variance)
                             : laplacian ? 1.0 / median
                                         : 1.0 / (2.0 * median * median);
    }
    return DPS_OK;
}

/* c = 1.1 max(largest argument, root of the features' second moment) / rho: equation 3. */
static void resolve_domain_scale(dps_map_recipe *recipe, double largest)
{
    dps_kernel_params *kernel = &recipe->kernel;
    if (!isnan(kernel->domain_scale)) {
        return;
    }
    kernel->domain_scale = 1.0;
    const double rho = dps_kernel_radius(kernel);
    if (!isfinite(rho)) {
        return;
    }
    const bool flat = !dps_recipe_is_dot(recipe) && !dps_recipe_is_additive(recipe);
    const double moment = flat ? 1.5 : largest;
    const double spread = recipe->measure == DPS_MEASURE_GEOMETRIC ? sqrt(recipe->p * moment)
                          : recipe->mean_norm2 > 0.0               ? moment / recipe->mean_norm2
                                                                   : 0.0;
    const double c = 1.1 * fmax(recipe->largest_argument, spread) / rho;
    kernel->domain_scale = c > 0.0 ? c : 1.0;
}

static dps_status check_domain(const dps_map_recipe *recipe, dps_error *err)
{
    const double largest = recipe->largest_argument;
    const double rho = dps_kernel_radius(&recipe->kernel);
    if (largest < rho) {
        return DPS_OK;
    }
    return dps_error_set(err, DPS_ERROR_CONFIG,
                         "kernel.domain_scale = %g: the series of kernel.type = %s converges below "
                         "%g, the rows reach %g; take kernel.domain_scale = auto or a number above "
                         "%g",
                         recipe->kernel.domain_scale, recipe->kernel.kernel->name, rho, largest,
                         recipe->kernel.domain_scale * largest / rho);
}

static bool has_degree_up_to(const dps_map_recipe *recipe, int32_t k)
{
    for (int32_t n = 0; n <= k; n++) {
        if (dps_kernel_coefficient(&recipe->kernel, n) > 0.0) {
            return true;
        }
    }
    return false;
}

/* exact_degree = auto: the largest k of no more than D exact columns. */
static void resolve_widest(dps_map_recipe *recipe, int32_t columns)
{
    const int32_t last = dps_recipe_is_dot(recipe) ? DPS_MAX_EXACT_DEGREE : 0;
    int32_t widest = DPS_EXACT_NONE;
    recipe->sparse_linear = false; /* its columns count */
    for (int32_t k = 0; k <= last; k++) {
        dps_exact_size size;
        dps_error too_wide;
        recipe->exact_degree = k;
        if (dps_exact_measure(&size, recipe, columns, &too_wide) != DPS_OK ||
            size.width > (size_t)recipe->features) {
            break;
        }
        widest = k;
    }
    recipe->exact_degree = has_degree_up_to(recipe, widest) ? widest : DPS_EXACT_NONE;
}

/* A refined Fourier map has the rows beside its cosines, at the mean norm of 1 that they have. */
static void resolve_linear_columns(dps_map_recipe *recipe, double mean_norm2)
{
    const bool linear = recipe->refine != DPS_REFINE_NONE && mean_norm2 > 0.0 &&
                        (recipe->exact_degree == DPS_EXACT_AUTO || recipe->exact_degree == 1);
    recipe->exact_degree = linear ? 1 : DPS_EXACT_NONE;
    recipe->kernel.gamma = linear ? 1.0 / mean_norm2 : 1.0;
}

static dps_status resolve_exact(dps_map_recipe *recipe, int32_t columns, double mean_norm2,
                                dps_error *err)
{
    const int32_t wanted = recipe->exact_degree;
    if (recipe->type == DPS_MAP_FOURIER) {
        resolve_linear_columns(recipe, mean_norm2);
        return DPS_OK;
    }
    if (recipe->type == DPS_MAP_NONE) {
        recipe->exact_degree = 1;
        recipe->features = 0;
        return DPS_OK;
    }
    if (wanted == DPS_EXACT_AUTO) {
        const bool low = dps_kernel_coefficient(&recipe->kernel, 0) > 0.0 ||
                         dps_kernel_coefficient(&recipe->kernel, 1) > 0.0;
        recipe->exact_degree = low && dps_recipe_is_dot(recipe) ? 1 : DPS_EXACT_NONE;
    } else if (wanted == DPS_EXACT_WIDEST) {
        resolve_widest(recipe, columns);
    } else if (wanted >= 0 && !has_degree_up_to(recipe, wanted)) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "%s: kernel.type = %s has no term of degree %d or less to carry "
                             "exactly; leave it at auto",
                             wanted == 1 ? "map.h01 = on or map.exact_degree = 1"
                                         : "map.exact_degree",
                             recipe->kernel.kernel->name, wanted);
    }
    if (!dps_degrees_remain(recipe)) {
        if (recipe->truncate > 0.0 && recipe->exact_degree == DPS_EXACT_NONE) {
            return dps_error_set(err, DPS_ERROR_CONFIG,
                                 "map.truncate = %g drops every degree: K(x, x) reaches %g; lower "
                                 "it",
                                 recipe->truncate,
                                 dps_kernel_value(&recipe->kernel, recipe->largest_argument));
        }
        recipe->features = 0;
    }
    return DPS_OK;
}

static dps_status resolve_scale(dps_map_recipe *recipe, const dps_row_source *rows, double radius2,
                                const dps_run *run, dps_map_facts *facts, dps_error *err)
{
    if (!dps_recipe_is_dot(recipe) && !dps_recipe_is_additive(recipe)) {
        facts->mean_diagonal = recipe->type == DPS_MAP_FOURIER
                                   ? (recipe->exact_degree == 1 ? 2.0 : 1.0)
                                   : dps_kernel_value(&recipe->kernel, 1.0); /* k(x, x) = 1 */
    } else {
        row_facts found;
        DPS_TRY(row_means(rows, recipe, true, run, &found, err));
        facts->mean_diagonal = found.mean;
    }
    if (!isfinite(facts->mean_diagonal)) {
        return dps_error_set(err, DPS_ERROR_NUMERIC,
                             "K(x, x) overflows for rows of squared norm up to %g; shrink the rows "
                             "(data.normalize = max_norm) or kernel.gamma, or raise kernel.sigma",
                             recipe->largest_argument);
    }
    recipe->factor = 1.0;
    if (recipe->scale == DPS_MAP_SCALE_UNIT) {
        if (!(facts->mean_diagonal > 0.0)) {
            return dps_error_set(err, DPS_ERROR_NUMERIC,
                                 "the mean of K(x, x) over the training rows is %g, which "
                                 "map.scale = unit divides by: all rows are 0, or K(x, x) "
                                 "underflows (data.normalize = unit helps)",
                                 facts->mean_diagonal);
        }
        recipe->factor = 1.0 / sqrt(facts->mean_diagonal);
    }
    int exponent = 0;
    recipe->input_scale = 1.0;
    if (dps_recipe_is_dot(recipe) && radius2 > 0.0) {
        const double mantissa = frexp(radius2, &exponent);
        recipe->input_scale = ldexp(1.0, mantissa == 0.5 ? exponent - 1 : exponent);
    }
    return DPS_OK;
}

/* --- facts -------------------------------------------------------------------------------- */

static dps_status measure_coverage(const dps_map_recipe *recipe, dps_map_facts *facts,
                                   dps_error *err)
{
    facts->coverage = 1.0;
    if (recipe->type == DPS_MAP_FOURIER || recipe->type == DPS_MAP_NONE) {
        return DPS_OK;
    }
    bool kept[DPS_MAX_DEGREE + 1];
    dps_degree_law law = {0};
    facts->residual = dps_degrees_truncate(recipe, kept);
    if (recipe->features > 0) {
        DPS_TRY(dps_degree_law_init(&law, recipe, err));
    }
    const double t = recipe->largest_argument;
    double covered = 0.0, total = 0.0;
    for (int32_t n = 0; n <= DPS_MAX_DEGREE; n++) {
        const double term = dps_kernel_term(&recipe->kernel, n, t);
        total += term;
        if (dps_degree_is_exact(recipe, n) || (double)dps_recipe_drawn(recipe) * law.q[n] >= 1.0) {
            covered += term;
        }
    }
    facts->coverage = total > 0.0 ? covered / total : 1.0;
    return DPS_OK;
}

static dps_status fill_facts(const dps_map_recipe *recipe, int32_t columns, const dps_run *run,
                             dps_map_facts *facts, dps_error *err)
{
    dps_map_layout layout;
    DPS_TRY(dps_map_layout_init(&layout, recipe, columns, NULL, run, err));
    facts->max_degree_drawn = -1;
    for (int32_t n = 0; n <= DPS_MAX_DEGREE; n++) {
        facts->degree_count[n] = layout.degree_count[n];
        facts->max_degree_drawn = layout.degree_count[n] > 0 ? n : facts->max_degree_drawn;
    }
    const int32_t rows = layout.rows_at < layout.random ? layout.columns : 0; /* of a metric */
    facts->exact_columns = (int32_t)layout.exact.width + layout.sparse_columns + rows;
    facts->random_columns = layout.width - (int32_t)layout.exact.width - rows;
    facts->width = layout.width;
    facts->sparse_columns = layout.sparse_columns;
    facts->flops_per_row = layout.flops_per_row;
    facts->map_bytes = layout.map_bytes;
    const bool empty = layout.empty;
    dps_map_layout_release(&layout);
    if (empty) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "D' = 0: none of the %d random features has a degree that "
                             "kernel.type = %s has; raise map.features, take map.measure = "
                             "coefficient or lower kernel.degree",
                             recipe->features, recipe->kernel.kernel->name);
    }
    return DPS_OK;
}

dps_status dps_map_facts_of(const dps_map_recipe *recipe, double radius1, double radius2,
                            int32_t columns, const dps_run *run, dps_map_facts *facts,
                            dps_error *err)
{
    *facts = (dps_map_facts){.mean_norm2 = recipe->mean_norm2,
                             .radius1 = radius1,
                             .radius2 = radius2,
                             .mean_diagonal = 1.0 / (recipe->factor * recipe->factor),
                             .max_degree_drawn = -1};
    DPS_TRY(measure_coverage(recipe, facts, err));
    return fill_facts(recipe, columns, run, facts, err);
}

static void warn_of_coverage(const dps_map_facts *facts, const dps_run *run)
{
    if (facts->coverage < 0.9) {
        dps_log_text(run, DPS_WARNING,
                     "the map covers %.0f %% of the kernel: degrees that carry the rest of f(R2^2) "
                     "are drawn less than once; data.normalize = unit, a larger kernel.sigma, "
                     "map.measure = coefficient or more map.features may help",
                     100.0 * facts->coverage);
    }
}

dps_status dps_map_plan(const dps_map_request *request, const dps_row_source *rows, double radius1,
                        double radius2, bool dense_rows, const dps_run *run, dps_map_recipe *recipe,
                        dps_map_facts *facts, dps_error *err)
{
    *recipe = dps_recipe_asked(request);
    *facts = (dps_map_facts){.radius1 = radius1, .radius2 = radius2, .max_degree_drawn = -1};
    DPS_TRY(dps_check_map_options(recipe, err));
    if (dps_rows_of_all(rows) < 1 || rows->columns < 1) {
        return dps_error_set(err, DPS_ERROR_DATA,
                             "the training data have no value other than 0 (rows: %lld, columns: "
                             "%d)",
                             (long long)dps_rows_of_all(rows), rows->columns);
    }
    if (recipe->refine != DPS_REFINE_NONE && rows->columns > DPS_REFINE_COLUMNS) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "map.refine is for rows of at most %d columns, found %d: leave it out",
                             DPS_REFINE_COLUMNS, rows->columns);
    }
    row_facts found;
    DPS_TRY(row_means(rows, recipe, false, run, &found, err));
    const bool additive = dps_recipe_is_additive(recipe);
    if (additive && found.smallest < 0.0) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "map.base = %s compares amounts, which may not be negative, found %g "
                             "after scaling; set data.scaling = min_max",
                             dps_name_of(dps_base_names, recipe->base), found.smallest);
    }
    const bool flat = dps_recipe_is_shift(recipe);
    facts->mean_norm2 = found.mean;
    recipe->mean_norm2 = flat ? 1.0 : found.mean;
    recipe->largest_argument = flat ? 1.0 : additive ? radius1 : radius2 * radius2;
    DPS_TRY(resolve_widths(recipe, request->base_gamma_scale, rows, run, err));
    resolve_domain_scale(recipe, found.largest);
    DPS_TRY(check_domain(recipe, err));
    DPS_TRY(resolve_exact(recipe, rows->columns, facts->mean_norm2, err));
    if (recipe->features > 0 && recipe->measure == DPS_MEASURE_VARIANCE &&
        recipe->type != DPS_MAP_FOURIER) {
        DPS_TRY(dps_plan_variance_weights(recipe, rows, run, err));
    }
    DPS_TRY(resolve_scale(recipe, rows, radius2, run, facts, err));
    recipe->sparse_linear = !dense_rows && rows->columns > DPS_SPARSE_COLUMNS &&
                            recipe->exact_degree >= 1 &&
                            dps_kernel_coefficient(&recipe->kernel, 1) > 0.0;
    DPS_TRY(measure_coverage(recipe, facts, err));
    DPS_TRY(fill_facts(recipe, rows->columns, run, facts, err));
    warn_of_coverage(facts, run);
    return DPS_OK;
}
