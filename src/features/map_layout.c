/* Task: from a recipe and the input's width, the blocks of columns of the map, its size
 * and its work. Columns: the exact ones (exact.h), then the D random features by degree,
 * descending, ties by feature number; with map.collapse
 *
 *   degree 0:         D_0 columns of value w become one of value sqrt(D_0) w,
 *   a_N = 0:          no column,
 *   degree 1, D_1 > d: rank <= d columns (collapse.h; signs only: the features of an RBF of degree
 *                     1 are no linear functions of x, and S^T S of Gaussians has no whole numbers).
 *
 * Random column of degree n: weight sqrt(a_n s^(2n) / q(n)) factor / sqrt(D) times n projections of
 * x / s, s = input_scale (docs/algorithms.md, equations 4, 12 and 13). D counts every drawn
 * feature, also those without a column. */
#include "map_layout.h"
#include <assert.h>
#include <math.h>
#include "allocation.h"
#include "collapse.h"
#include "hadamard.h"
#include "number.h"
#include "projection.h"

static dps_block_kind kind_of(const dps_map_recipe *recipe, const dps_map_layout *layout,
                              int32_t degree, double weight)
{
    if (degree == 0) {
        return weight > 0.0 ? DPS_BLOCK_CONSTANT : DPS_BLOCK_ZERO;
    }
    if (!(weight > 0.0)) {
        return DPS_BLOCK_ZERO;
    }
    if (!dps_recipe_is_dot(recipe)) {
        return dps_recipe_is_additive(recipe) ? DPS_BLOCK_ADDITIVE : DPS_BLOCK_COSINES;
    }
    if (recipe->refine != DPS_REFINE_NONE) {
        return DPS_BLOCK_AFFINE;
    }
    if (recipe->projection == DPS_PROJECTION_GAUSSIAN) {
        return DPS_BLOCK_GAUSSIANS;
    }
    if (dps_projects_hadamard(recipe)) {
        return DPS_BLOCK_HADAMARD;
    }
    const bool wider = layout->degree_count[degree] > layout->columns;
    return degree == 1 && recipe->collapse && wider ? DPS_BLOCK_LINEAR : DPS_BLOCK_SIGNS;
}

/* sqrt(2) / sqrt(2)^degree: D/2 complex features whose n factors are (s + i t) / sqrt(2). */
static double pair_weight(int32_t degree)
{
    double weight = 1.0;
    int32_t n = degree;
    for (; n > 2; n -= 2) {
        weight *= 0.5;
    }
    return n == 2 ? weight * sqrt(0.5) : weight;
}

static dps_status add_degree(dps_map_layout *layout, const dps_map_recipe *recipe,
                             const dps_degree_law *law, int32_t degree, int32_t begin,
                             dps_error *err)
{
    const int32_t count = (int32_t)layout->degree_count[degree];
    const double scale = recipe->factor / sqrt(recipe->features);
    const double weight = dps_degree_weight(law, recipe, degree, recipe->input_scale) * scale;
    dps_block block = {.kind = kind_of(recipe, layout, degree, weight),
                       .degree = degree,
                       .columns = count,
                       .feature_begin = begin,
                       .weight = weight};
    if (block.kind == DPS_BLOCK_ZERO && recipe->collapse) {
        return DPS_OK;
    }
    if (block.kind == DPS_BLOCK_CONSTANT && recipe->collapse) {
        block.columns = 1;
        block.weight *= sqrt(count);
    }
    if (block.kind == DPS_BLOCK_LINEAR) {
        block.columns = layout->columns; /* until the rank is known */
        block.weight = dps_degree_weight(law, recipe, 1, 1.0) * scale;
    } else if (degree > 0 && dps_projects_pairs(recipe)) {
        block.weight *= pair_weight(degree);
    }
    if (!isfinite((float)block.weight)) {
        return dps_error_set(err, DPS_ERROR_NUMERIC,
                             "the weight of a feature of degree %d is %g, beyond the range of "
                             "float; shrink the rows (data.normalize), take map.scale = unit or "
                             "lower kernel.degree",
                             degree, block.weight);
    }
    layout->block[layout->block_count++] = block;
    return DPS_OK;
}

/* Looked at now and then, because drawing hundreds of millions of degrees takes seconds. */
static bool stopped(const dps_run *run, int32_t i)
{
    return i % 65536 == 0 && dps_run_stopped(run);
}

/* Draws all degrees and sorts the features by them (counting sort). */
static dps_status sort_features(dps_map_layout *layout, const dps_map_recipe *recipe,
                                const dps_degree_law *law, const dps_run *run, dps_error *err)
{
    for (int32_t i = 0; i < recipe->features; i++) {
        layout->degree_count[dps_degree_of_feature(law, recipe, i)]++;
        if (stopped(run, i)) {
            return dps_error_set(err, DPS_ERROR_STOPPED, "stopped while drawing the map");
        }
    }
    int32_t next[DPS_MAX_DEGREE + 1];
    int32_t at = 0;
    for (int32_t n = DPS_MAX_DEGREE; n >= 0; n--) {
        next[n] = at;
        at += (int32_t)layout->degree_count[n];
    }
    for (int32_t i = 0; i < recipe->features; i++) {
        layout->feature[next[dps_degree_of_feature(law, recipe, i)]++] = i;
        if (stopped(run, i)) {
            return dps_error_set(err, DPS_ERROR_STOPPED, "stopped while drawing the map");
        }
    }
    return DPS_OK;
}

static dps_status add_random_blocks(dps_map_layout *layout, const dps_map_recipe *recipe,
                                    const dps_run *run, dps_error *err)
{
    dps_degree_law law;
    DPS_TRY(dps_degree_law_init(&law, recipe, err));
    DPS_TRY(sort_features(layout, recipe, &law, run, err));
    dps_status status = DPS_OK;
    int32_t begin = 0;
    for (int32_t n = DPS_MAX_DEGREE; status == DPS_OK && n >= 0; n--) {
        if (layout->degree_count[n] > 0) {
            status = add_degree(layout, recipe, &law, n, begin, err);
            begin += (int32_t)layout->degree_count[n];
        }
    }
    return status;
}

/* D/2 frequencies, a cosine and a sine each: sqrt(2/D) (docs/algorithms.md, equation 17). */
static void add_fourier_block(dps_map_layout *layout, const dps_map_recipe *recipe)
{
    for (int32_t i = 0; i < recipe->features; i++) {
        layout->feature[i] = i;
    }
    layout->block[layout->block_count++] =
        (dps_block){.kind = dps_recipe_is_additive(recipe) ? DPS_BLOCK_ADDITIVE : DPS_BLOCK_COSINES,
                    .degree = 1,
                    .columns = recipe->features,
                    .weight = sqrt(2.0 / recipe->features) * recipe->factor};
}

/* Blocks of features share transforms, as many as the highest degree of a feature in them: at most
 * the highest of all. */
static bool add_hadamard_size(dps_map_layout *layout, const dps_map_recipe *recipe)
{
    enum { gather_flops = 4 };
    const int32_t parts = dps_projects_pairs(recipe) ? 2 : 1, d = layout->columns;
    int32_t depth = 0;
    for (int32_t b = 0; b < layout->block_count; b++) {
        const dps_block *block = &layout->block[b];
        if (block->kind == DPS_BLOCK_HADAMARD) {
            depth = depth > block->degree ? depth : block->degree;
            layout->picks += (size_t)(block->columns / parts) * (size_t)block->degree;
            layout->flops_per_row += (double)block->columns * block->degree * gather_flops;
        }
    }
    const double size = dps_hadamard_size(d);
    const size_t transforms =
        (size_t)dps_hadamard_blocks(d, recipe->features / parts) * (size_t)(depth * parts);
    layout->flops_per_row += (double)transforms * size * (log2(size) + 2.0);
    return dps_size_mul(transforms, dps_hadamard_words(d), &layout->hadamard_words);
}

/* map.refine = metric moves what the map carries exactly, too: x T. */
static void add_rows_block(dps_map_layout *layout, const dps_map_recipe *recipe)
{
    const double coefficient = dps_kernel_coefficient(&recipe->kernel, 1);
    if (recipe->refine == DPS_REFINE_METRIC && recipe->exact_degree >= 1 && coefficient > 0.0) {
        layout->block[layout->block_count++] =
            (dps_block){.kind = DPS_BLOCK_AFFINE,
                        .degree = 1,
                        .columns = layout->columns,
                        .feature_begin = -1,
                        .weight = sqrt(coefficient) * recipe->factor};
    }
}

/* Adds what `block` takes; false on overflow. */
static bool add_size(dps_map_layout *layout, const dps_block *block)
{
    enum { cosine_flops = 20, gather_flops = 4, logarithm_flops = 40 };
    const size_t d = (size_t)layout->columns;
    const size_t panels = ((size_t)block->columns + DPS_PANEL - 1) / DPS_PANEL;
    const double products = (double)block->columns * block->degree;
    size_t lanes, entries; /* panels x factors x DPS_PANEL, and times what each holds */
    if (block->kind == DPS_BLOCK_ZERO || block->kind == DPS_BLOCK_CONSTANT ||
        block->kind == DPS_BLOCK_HADAMARD) {
        return true;
    }
    if (block->kind == DPS_BLOCK_ADDITIVE) {
        layout->flops_per_row +=
            products * (cosine_flops + gather_flops) + (double)d * logarithm_flops;
        const size_t each = (size_t)block->columns * (size_t)block->degree;
        layout->picks += each;
        layout->frequencies += each;
        layout->phases += each;
        return true;
    }
    if (!dps_size_mul(panels * DPS_PANEL, (size_t)block->degree, &lanes) ||
        !dps_size_mul(lanes, block->kind == DPS_BLOCK_SIGNS ? (d + 31) / 32 : d, &entries)) {
        return false;
    }
    layout->panels += panels;
    layout->flops_per_row += 2.0 * products * (double)d;
    if (block->kind == DPS_BLOCK_SIGNS) {
        return dps_size_add(layout->sign_words, entries, &layout->sign_words);
    }
    if (block->kind == DPS_BLOCK_COSINES) {
        layout->flops_per_row += products * cosine_flops;
    }
    if (dps_block_has_phases(block)) {
        layout->phases += lanes;
    }
    return dps_size_add(layout->frequencies, entries, &layout->frequencies);
}

static bool add_sizes(dps_map_layout *layout, const dps_map_recipe *recipe)
{
    layout->panels = layout->sign_words = layout->frequencies = layout->phases = 0;
    layout->picks = 0;
    layout->flops_per_row = layout->exact.flops_per_row;
    for (int32_t b = 0; b < layout->block_count; b++) {
        if (!add_size(layout, &layout->block[b])) {
            return false;
        }
    }
    if (dps_projects_hadamard(recipe) && !add_hadamard_size(layout, recipe)) {
        return false;
    }
    const size_t panel = sizeof(int32_t) + 2 * sizeof(size_t) + DPS_PANEL * sizeof(float);
    size_t numbers, bytes;
    if (!dps_size_add(layout->sign_words, layout->frequencies, &numbers) ||
        !dps_size_add(numbers, layout->picks, &numbers) ||
        !dps_size_add(numbers, layout->hadamard_words, &numbers) ||
        !dps_size_add(numbers, layout->phases + (size_t)recipe->features, &numbers) ||
        !dps_size_mul(numbers, sizeof(float), &bytes)) {
        return false;
    }
    return dps_size_add(bytes, layout->exact.bytes + layout->panels * panel, &layout->map_bytes);
}

static dps_status refuse_memory(const dps_map_layout *layout, const dps_map_recipe *recipe,
                                double need, const dps_run *run, dps_error *err)
{
    char needs[DPS_NUMBER_MAX], budget[DPS_NUMBER_MAX];
    dps_format_bytes(needs, need);
    dps_format_bytes(budget, (double)run->memory);
    return dps_error_set(err, DPS_ERROR_MEMORY,
                         "the map of %d random features and %zu exact columns on %d input columns "
                         "needs %s, run.memory allows %s; %s%sraise run.memory",
                         recipe->features, layout->exact.width, layout->columns, needs, budget,
                         recipe->features > 0 ? "lower map.features or " : "",
                         recipe->exact_degree > 1 ? "lower map.exact_degree or "
                         : recipe->orthogonal     ? "set map.orthogonal = off or "
                                                  : "");
}

/* Building the exact part takes about six times its final size for a moment; the features
 * of a few rows must fit beside the map. */
static dps_status check_memory(const dps_map_layout *layout, const dps_map_recipe *recipe,
                               const dps_run *run, dps_error *err)
{
    double width = (double)layout->exact.width;
    for (int32_t b = 0; b < layout->block_count; b++) {
        width += layout->block[b].columns;
    }
    const double frequencies = recipe->features / 2.0; /* made orthogonal d at a time, in double */
    const double orthogonal =
        recipe->orthogonal
            ? 8.0 * layout->columns * fmin(frequencies, (double)layout->columns * run->threads)
            : 0.0;
    const double need = orthogonal + (double)layout->map_bytes + 5.0 * (double)layout->exact.bytes +
                        width * dps_batch_rows((size_t)width) * sizeof(float);
    return need <= (double)run->memory && width <= INT32_MAX
               ? DPS_OK
               : refuse_memory(layout, recipe, need, run, err);
}

static dps_status collapse(dps_map_layout *layout, const dps_map_recipe *recipe, const dps_run *run,
                           dps_error *err)
{
    for (int32_t b = 0; b < layout->block_count; b++) {
        dps_block *block = &layout->block[b];
        if (block->kind == DPS_BLOCK_LINEAR) {
            return dps_collapse_linear(recipe->seed, layout->feature + block->feature_begin,
                                       (int32_t)layout->degree_count[1], layout->columns, run,
                                       &layout->linear_factor, &block->columns, err);
        }
    }
    return DPS_OK;
}

/* Whether the exact columns and so many random ones, mixed down to `features` where that is less,
 * can be what a file says. */
static bool is_width(const dps_map_layout *layout, const dps_map_recipe *recipe, int32_t features,
                     int64_t low, int64_t high, int64_t dense)
{
    const bool crafts = features < recipe->features;
    const int64_t exact = (int64_t)layout->exact.width;
    const int64_t least = crafts && low > features ? features : low;
    const int64_t most = crafts && high > features ? features : high;
    return dense >= exact + least && dense <= exact + most;
}

/* Before degree 1 is merged its columns are 1 to d. */
static dps_status check_widths(const dps_map_layout *layout, const dps_map_recipe *recipe,
                               int32_t features, const dps_map_widths *expected, dps_error *err)
{
    const bool passes = recipe->sparse_linear && recipe->exact_degree >= 1;
    int64_t low = 0, high = 0;
    for (int32_t b = 0; b < layout->block_count; b++) {
        const dps_block *block = &layout->block[b];
        const bool merges = block->kind == DPS_BLOCK_LINEAR && layout->linear_factor == NULL;
        low += merges ? 1 : block->columns;
        high += block->columns;
    }
    if (expected == NULL || (is_width(layout, recipe, features, low, high, expected->dense) &&
                             expected->sparse == (passes ? layout->columns : 0))) {
        return DPS_OK;
    }
    return dps_error_set(err, DPS_ERROR_DATA,
                         "the model holds weights for %ld + %ld columns, but its map has %lld + "
                         "%ld: the file is damaged",
                         (long)expected->dense, (long)expected->sparse,
                         (long long)high + (long long)layout->exact.width,
                         (long)(passes ? layout->columns : 0));
}

/* features: D, columns to mix down to. */
static void place_columns(dps_map_layout *layout, const dps_map_recipe *recipe, int32_t features)
{
    layout->width = (int32_t)layout->exact.width;
    if (recipe->sparse_linear && recipe->exact_degree >= 1) {
        layout->sparse_columns = layout->columns;
        layout->sparse_scale = sqrt(dps_kernel_coefficient(&recipe->kernel, 1)) * recipe->factor;
    }
    layout->empty = layout->width == 0 && layout->sparse_columns == 0;
    layout->rows_at = INT32_MAX;
    for (int32_t b = 0; b < layout->block_count; b++) {
        layout->block[b].first = layout->random;
        layout->rows_at = layout->block[b].feature_begin < 0 ? layout->random : layout->rows_at;
        layout->random += layout->block[b].columns;
        layout->empty = layout->empty && layout->block[b].kind == DPS_BLOCK_ZERO;
    }
    layout->crafted = layout->random > features && features < recipe->features;
    layout->width += layout->crafted ? features : layout->random;
    if (layout->crafted) {
        const double size = dps_hadamard_size(layout->random);
        layout->flops_per_row += size * (log2(size) + 2.0) + 4.0 * features;
        layout->map_bytes += dps_hadamard_words(layout->random) * sizeof(uint32_t) +
                             (size_t)features * sizeof(int32_t);
    }
}

/* recipe: with all features that are drawn; features: D. */
static dps_status fill(dps_map_layout *layout, const dps_map_recipe *recipe, int32_t features,
                       const dps_map_widths *expected, const dps_run *run, dps_error *err)
{
    DPS_TRY(dps_exact_measure(&layout->exact, recipe, layout->columns, err));
    if (recipe->features > 0 && recipe->type == DPS_MAP_FOURIER) {
        add_fourier_block(layout, recipe);
    } else if (recipe->features > 0) {
        DPS_TRY(add_random_blocks(layout, recipe, run, err));
    }
    add_rows_block(layout, recipe);
    DPS_TRY(check_widths(layout, recipe, features, expected, err));
    if (!add_sizes(layout, recipe)) {
        return dps_error_set(err, DPS_ERROR_MEMORY,
                             "the map's size overflows; lower map.features or map.exact_degree");
    }
    DPS_TRY(check_memory(layout, recipe, run, err));
    DPS_TRY(collapse(layout, recipe, run, err));
    DPS_TRY(check_widths(layout, recipe, features, expected, err));
    if (add_sizes(layout, recipe)) {
        place_columns(layout, recipe, features);
    }
    return DPS_OK;
}

dps_status dps_map_layout_init(dps_map_layout *layout, const dps_map_recipe *recipe,
                               int32_t columns, const dps_map_widths *expected, const dps_run *run,
                               dps_error *err)
{
    assert(columns > 0 && recipe->features >= 0);
    *layout = (dps_map_layout){.columns = columns};
    dps_map_recipe drawn = *recipe;
    drawn.features = (int32_t)dps_recipe_drawn(recipe);
    const size_t features = (size_t)drawn.features;
    if ((double)features * sizeof(*layout->feature) > (double)run->memory) {
        return refuse_memory(layout, &drawn, (double)features * sizeof(*layout->feature), run, err);
    }
    layout->block = dps_alloc(DPS_MAX_DEGREE + 2, sizeof(*layout->block));
    layout->feature = dps_alloc(features, sizeof(*layout->feature));
    dps_status status = DPS_OK;
    if (layout->block == NULL || layout->feature == NULL) {
        status = dps_out_of_memory(err, features, sizeof(*layout->feature), "degrees of features");
    } else {
        status = fill(layout, &drawn, recipe->features, expected, run, err);
    }
    if (status != DPS_OK) {
        dps_map_layout_release(layout);
    }
    return status;
}

void dps_map_layout_release(dps_map_layout *layout)
{
    dps_free(layout->block);
    dps_free(layout->feature);
    dps_free(layout->linear_factor);
    *layout = (dps_map_layout){0};
}
