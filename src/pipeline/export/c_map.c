/* Task: the map as arrays of C, as it was drawn: what scorer.c.in computes with. Cost: a look at
 * every number. */
#include <stdio.h>
#include <string.h>
#include "c_array.h"
#include "c_writer_private.h"

/* Its projections are numbers of their own. */
static bool is_real(const dps_block *block)
{
    return block->kind == DPS_BLOCK_GAUSSIANS || block->kind == DPS_BLOCK_AFFINE ||
           block->kind == DPS_BLOCK_COSINES || block->kind == DPS_BLOCK_LINEAR;
}

bool dps_c_has_kind(const dps_c_writer *w, dps_block_kind kind)
{
    for (int32_t b = 0; b < w->view.layout->block_count; b++) {
        if (w->view.layout->block[b].kind == kind) {
            return true;
        }
    }
    return false;
}

bool dps_c_has_real(const dps_c_writer *w)
{
    for (int32_t b = 0; b < w->view.layout->block_count; b++) {
        if (is_real(&w->view.layout->block[b])) {
            return true;
        }
    }
    return false;
}

static void add_exact(const dps_c_writer *w, dps_text *out)
{
    const dps_exact *exact = w->view.exact;
    if (exact->constant) {
        dps_text_format(out, "static const float exact_constant = %af;\n",
                        (double)exact->constant_value);
    }
    if (exact->linear) {
        dps_text_format(out, "static const float exact_linear = %af;\n",
                        (double)exact->linear_weight);
    }
    if (exact->degree < 2) {
        return;
    }
    dps_text_format(out, "enum { EXACT_DEGREE = %ld };\n", (long)exact->degree);
    dps_c_array carried = dps_c_array_begin(out, "int", "exact_carried");
    for (int32_t n = 0; n <= exact->degree; n++) {
        dps_c_array_int(&carried, n >= 2 && exact->weight[n] != NULL);
    }
    dps_c_array_end(&carried);
    dps_c_array last = dps_c_array_begin(out, "int", "exact_last");
    for (int32_t n = 2; n < exact->degree; n++) {
        for (size_t i = 0; i < exact->count[n]; i++) {
            dps_c_array_int(&last, exact->last[n][i]);
        }
    }
    dps_c_array_end(&last);
    dps_c_array weight = dps_c_array_begin(out, "float", "exact_weight");
    for (int32_t n = 2; n <= exact->degree; n++) {
        for (size_t i = 0; exact->weight[n] != NULL && i < exact->count[n]; i++) {
            dps_c_array_float(&weight, exact->weight[n][i]);
        }
    }
    dps_c_array_end(&weight);
}

static const char *kind_name(dps_block_kind kind)
{
    switch (kind) {
    case DPS_BLOCK_ZERO:
    case DPS_BLOCK_CONSTANT:
        return "CONSTANT";
    case DPS_BLOCK_SIGNS:
        return "SIGNS";
    case DPS_BLOCK_HADAMARD:
        return "TRANSFORMED";
    case DPS_BLOCK_ADDITIVE:
        return "ADDITIVE";
    case DPS_BLOCK_COSINES:
        return "COSINES";
    case DPS_BLOCK_GAUSSIANS:
    case DPS_BLOCK_AFFINE:
    case DPS_BLOCK_LINEAR:
        break;
    }
    return "LINEAR";
}

/* Where each block's numbers begin in the arrays that come after it. */
static void add_block_table(const dps_c_writer *w, dps_text *out)
{
    const dps_map_layout *layout = w->view.layout;
    const size_t d = (size_t)w->features, words = (d + 31) / 32;
    size_t signs = 0, reals = 0, phases = 0, picks = 0;
    dps_text_format(out,
                    "enum { CONSTANT, SIGNS, LINEAR, COSINES, ADDITIVE, TRANSFORMED };\n"
                    "enum { BLOCKS = %ld };\n"
                    "/* Columns first, first + 1, ... of one degree; where its numbers begin. "
                    "*/\n"
                    "struct block {\n    int kind, degree, first, columns;\n"
                    "    float weight;\n    long at, phase_at;\n};\n"
                    "static const struct block block[BLOCKS] = {\n",
                    (long)layout->block_count);
    for (int32_t b = 0; b < layout->block_count; b++) {
        const dps_block *block = &layout->block[b];
        const size_t factors = (size_t)block->columns * (size_t)block->degree;
        const bool zero = block->kind == DPS_BLOCK_ZERO;
        const bool signs_here = block->kind == DPS_BLOCK_SIGNS;
        const bool additive = block->kind == DPS_BLOCK_ADDITIVE;
        const bool phase = dps_block_has_phases(block);
        dps_text_format(out, "    {%s, %ld, %ld, %ld, %af, %zu, %lld},\n", kind_name(block->kind),
                        (long)block->degree, (long)block->first, (long)block->columns,
                        zero ? 0.0 : (double)(float)block->weight,
                        signs_here ? signs
                        : additive ? picks
                                   : reals,
                        phase ? (long long)phases : -1LL);
        signs += signs_here ? factors * words : 0;
        picks += additive ? factors : 0;
        reals += is_real(block) ? factors * d : 0;
        phases += phase ? factors : 0;
    }
    dps_text_add(out, "};\n");
}

static void add_signs(const dps_c_writer *w, dps_text *out)
{
    const dps_map_layout *layout = w->view.layout;
    const int32_t words = (w->features + 31) / 32;
    dps_text_format(out,
                    "enum { WORDS = %ld };\n"
                    "/* column, factor, coordinates: a bit each, set where it enters with a minus "
                    "*/\n",
                    (long)words);
    dps_c_array array = dps_c_array_begin(out, "uint32_t", "sign_word");
    for (int32_t b = 0; b < layout->block_count; b++) {
        const dps_block *block = &layout->block[b];
        for (int32_t c = 0; block->kind == DPS_BLOCK_SIGNS && c < block->columns; c++) {
            for (int32_t f = 0; f < block->degree; f++) {
                for (int32_t k = 0; k < words; k++) {
                    dps_c_array_word(&array, dps_map_view_signs(w->map, b, c, f, k));
                }
            }
        }
    }
    dps_c_array_end(&array);
}

static void add_reals(const dps_c_writer *w, dps_text *out)
{
    const dps_map_layout *layout = w->view.layout;
    dps_text_add(out, "/* column, factor, coordinate */\n");
    dps_c_array array = dps_c_array_begin(out, "float", "frequency");
    for (int32_t b = 0; b < layout->block_count; b++) {
        const dps_block *block = &layout->block[b];
        for (int32_t c = 0; is_real(block) && c < block->columns; c++) {
            for (int32_t f = 0; f < block->degree; f++) {
                for (int32_t j = 0; j < w->features; j++) {
                    dps_c_array_float(&array, dps_map_view_coefficient(w->map, b, c, f, j));
                }
            }
        }
    }
    dps_c_array_end(&array);
    if (layout->phases == 0) {
        return;
    }
    dps_text_add(out, "/* column, factor */\n");
    dps_c_array phase = dps_c_array_begin(out, "float", "phase");
    for (int32_t b = 0; b < layout->block_count; b++) {
        const dps_block *block = &layout->block[b];
        for (int32_t c = 0; dps_block_has_phases(block) && c < block->columns; c++) {
            for (int32_t f = 0; f < block->degree; f++) {
                dps_c_array_float(&phase, dps_map_view_offset(w->map, b, c, f));
            }
        }
    }
    dps_c_array_end(&phase);
}

/* One array of all additive blocks. */
static void add_scalars(const dps_c_writer *w, const char *name, int which, dps_text *out)
{
    const dps_map_layout *layout = w->view.layout;
    dps_c_array array = dps_c_array_begin(out, which == 0 ? "int" : "float", name);
    for (int32_t b = 0; b < layout->block_count; b++) {
        if (layout->block[b].kind != DPS_BLOCK_ADDITIVE) {
            continue;
        }
        const dps_additive_panels panels = dps_map_view_additive(w->map, b);
        const size_t count = (size_t)panels.degree * (size_t)panels.features;
        for (size_t i = 0; i < count; i++) {
            if (which == 0) {
                dps_c_array_int(&array, panels.coordinate[i]);
            } else {
                dps_c_array_float(&array, which == 1 ? panels.frequency[i] : panels.phase[i]);
            }
        }
    }
    dps_c_array_end(&array);
}

/* Arrays of Hadamard blocks (hadamard.h), their names with `prefix` before them. */
static void add_hadamard(const dps_hadamard_panels *p, const char *name, dps_text *out)
{
    size_t factors = 0, units = 0, picks = 0;
    for (int32_t k = 0; k < p->blocks; k++) {
        for (int32_t f = 0; f < p->depth[k]; f++) {
            picks += (size_t)p->active[factors++];
        }
        units += (size_t)p->units[k];
    }
    const size_t words = factors * (p->pairs ? 2 : 1) * dps_hadamard_words(p->columns);
    const struct {
        const char *name;
        const int32_t *value;
        size_t count;
    } ints[] = {{"depth", p->depth, (size_t)p->blocks},
                {"units", p->units, (size_t)p->blocks},
                {"active", p->active, factors},
                {"pick", p->pick, picks},
                {"column", p->column, units}};
    char own[32];
    for (size_t i = 0; i < sizeof ints / sizeof ints[0]; i++) {
        snprintf(own, sizeof own, "%s_%s", name, ints[i].name);
        dps_c_ints(out, own, ints[i].value, ints[i].count);
    }
    snprintf(own, sizeof own, "%s_word", name);
    dps_c_words(out, own, p->word, words);
    snprintf(own, sizeof own, "%s_weight", name);
    dps_c_floats(out, own, p->weight, units);
    dps_text_format(out,
                    "static const struct hadamard %s = {%ld, %ld, %ld, %d, %s_depth, %s_units, "
                    "%s_active,\n    %s_pick, %s_column, %s_word, %s_weight, %af};\n",
                    name, (long)p->columns, (long)p->size, (long)p->blocks, p->pairs ? 1 : 0, name,
                    name, name, name, name, name, name, (double)p->input_scale_inverse);
}

static void add_transforms(const dps_c_writer *w, dps_text *out)
{
    if (w->view.hadamard == NULL && w->view.mixing == NULL) {
        return;
    }
    dps_text_add(out, "/* Transforms of `size` numbers; columns of a row go in. Blocks of units, "
                      "of which the first\n * `active` ones have the next factor and take the "
                      "outputs `pick`, to the columns `column`. */\n"
                      "struct hadamard {\n    int columns, size, blocks, pairs;\n"
                      "    const int *depth, *units, *active, *pick, *column;\n"
                      "    const uint32_t *word;\n    const float *weight;\n"
                      "    float input_inverse;\n};\n");
    if (w->view.hadamard != NULL) {
        add_hadamard(w->view.hadamard, "transforms", out);
    }
    if (w->view.mixing != NULL) {
        add_hadamard(w->view.mixing, "mixing", out);
    }
}

void dps_c_add_map(const dps_c_writer *w, dps_text *out)
{
    const dps_map_view *view = &w->view;
    dps_text_add(out, "\n/* ---- the map ---- */\n\n");
    if (dps_c_has_kind(w, DPS_BLOCK_SIGNS) || view->exact->degree >= 2) {
        dps_text_format(out, "static const float input_inverse = %af;\n",
                        (double)view->input_inverse);
    }
    if (dps_c_has_kind(w, DPS_BLOCK_COSINES) || dps_c_has_kind(w, DPS_BLOCK_ADDITIVE)) {
        dps_text_format(out, "static const float amplitude = %af;\n", (double)view->amplitude);
    }
    add_exact(w, out);
    if (view->layout->block_count > 0) {
        add_block_table(w, out);
    }
    if (dps_c_has_kind(w, DPS_BLOCK_SIGNS)) {
        add_signs(w, out);
    }
    if (dps_c_has_real(w)) {
        add_reals(w, out);
    }
    if (dps_c_has_kind(w, DPS_BLOCK_ADDITIVE)) {
        dps_text_add(out, "/* factor, column */\n");
        add_scalars(w, "coordinate", 0, out);
        add_scalars(w, "scalar_frequency", 1, out);
        add_scalars(w, "scalar_phase", 2, out);
    }
    add_transforms(w, out);
}
