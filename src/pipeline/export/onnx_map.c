/* Task: the map as nodes of ONNX, in double. A factor of a block of features is a product of the
 * row with a matrix, of floats, or of signs in a byte each; Hadamard transforms are written out as
 * the matrices of signs that they are; cosines are sines a quarter turn on (runtimes have no cosine
 * of doubles); constant columns go into the intercept. Cost: columns x factors x d numbers. */
#include "onnx_map_private.h"

#include "allocation.h"

static const double two_pi = 6.283185307179586;

dps_status dps_onnx_columns_init(dps_onnx_columns *columns, size_t width, dps_error *err)
{
    *columns = (dps_onnx_columns){0};
    DPS_NEED(columns->constant, width, "the graph", err);
    return DPS_OK;
}

void dps_onnx_columns_release(dps_onnx_columns *columns)
{
    dps_free(columns->part);
    dps_free(columns->column);
    dps_free(columns->constant);
    *columns = (dps_onnx_columns){0};
}

/* Its columns are first, first + step, ... */
static dps_status add_part(dps_onnx_columns *z, dps_onnx_tensor part, size_t count, int32_t first,
                           int32_t step, dps_error *err)
{
    DPS_NEED_MORE(z->part, z->part_capacity, z->parts + 1, "the graph", err);
    DPS_NEED_MORE(z->column, z->column_capacity, z->count + count, "the graph", err);
    z->part[z->parts++] = part;
    for (size_t c = 0; c < count; c++) {
        z->column[z->count++] = first + step * (int32_t)c;
    }
    return DPS_OK;
}

typedef struct map_writer {
    dps_onnx_graph *graph;
    const dps_map *map;
    dps_map_view view;
    dps_onnx_tensor x, narrow; /* narrow: x over the input's scale */
    int32_t d;
    dps_error *err;
} map_writer;

static dps_onnx_tensor times(const map_writer *w, dps_onnx_tensor a, double factor)
{
    return dps_onnx_two(w->graph, "Mul", a, dps_onnx_number(w->graph, factor));
}

static dps_onnx_tensor two(const map_writer *w, const char *op, dps_onnx_tensor a,
                           dps_onnx_tensor b)
{
    return dps_onnx_two(w->graph, op, a, b);
}

/* ---- exact columns ---- */

/* Monomials of degree n from those of degree n - 1 (exact.c has their order). */
static dps_status next_monomials(const map_writer *w, int32_t n, dps_onnx_tensor *monomial)
{
    const dps_exact *exact = w->view.exact;
    const size_t parents = n == 2 ? (size_t)w->d : exact->count[n - 1];
    int32_t *index;
    DPS_NEED(index, 2 * exact->count[n], "exact monomials", w->err);
    int32_t *parent = index, *coordinate = index + exact->count[n];
    size_t at = 0;
    for (size_t i = 0; i < parents; i++) {
        for (int32_t j = n == 2 ? (int32_t)i : exact->last[n - 1][i]; j < w->d; j++, at++) {
            parent[at] = (int32_t)i;
            coordinate[at] = j;
        }
    }
    const dps_onnx_tensor before =
        dps_onnx_gather(w->graph, *monomial, dps_onnx_indices(w->graph, parent, at), 1);
    *monomial =
        two(w, "Mul", before,
            dps_onnx_gather(w->graph, w->narrow, dps_onnx_indices(w->graph, coordinate, at), 1));
    dps_free(index);
    return DPS_OK;
}

static dps_status add_exact(const map_writer *w, dps_onnx_columns *z)
{
    const dps_exact *exact = w->view.exact;
    int32_t first = 0;
    if (exact->constant) {
        z->constant[first++] = exact->constant_value;
    }
    if (exact->linear) {
        DPS_TRY(add_part(z, times(w, w->x, exact->linear_weight), (size_t)w->d, first, 1, w->err));
        first += w->d;
    }
    dps_onnx_tensor monomial = w->narrow;
    for (int32_t n = 2; n <= exact->degree; n++) {
        DPS_TRY(next_monomials(w, n, &monomial));
        if (exact->weight[n] != NULL) {
            const dps_onnx_tensor weight =
                dps_onnx_floats(w->graph, exact->weight[n], exact->count[n], 0);
            DPS_TRY(
                add_part(z, two(w, "Mul", monomial, weight), exact->count[n], first, 1, w->err));
            first += (int32_t)exact->count[n];
        }
    }
    return DPS_OK;
}

/* ---- blocks of projections ---- */

/* (a + ib) <- (a + ib)(c + id) */
static void multiply_pair(const map_writer *w, dps_onnx_tensor *a, dps_onnx_tensor *b,
                          dps_onnx_tensor c, dps_onnx_tensor d)
{
    const dps_onnx_tensor real = two(w, "Sub", two(w, "Mul", *a, c), two(w, "Mul", *b, d));
    *b = two(w, "Add", two(w, "Mul", *b, c), two(w, "Mul", *a, d));
    *a = real;
}

/* Factor f of every step-th column of block b, from column `part` on. */
static dps_status sign_factor(const map_writer *w, int32_t b, int32_t f, int32_t part, int32_t step,
                              dps_onnx_tensor *value)
{
    const dps_block *block = &w->view.layout->block[b];
    const size_t columns = (size_t)(block->columns / step);
    signed char *sign;
    DPS_NEED(sign, columns * (size_t)w->d, "signs", w->err);
    for (size_t c = 0; c < columns; c++) {
        const int32_t column = part + step * (int32_t)c;
        for (int32_t j = 0; j < w->d; j++) {
            const uint32_t bits = dps_map_view_signs(w->map, b, column, f, j / 32);
            sign[(size_t)j * columns + c] = (bits >> (j % 32) & 1u) != 0 ? -1 : 1;
        }
    }
    *value = two(w, "MatMul", w->narrow, dps_onnx_signs(w->graph, sign, (size_t)w->d, columns));
    dps_free(sign);
    return DPS_OK;
}

static dps_status add_sign_pairs(const map_writer *w, int32_t b, int32_t at, dps_onnx_columns *z)
{
    const dps_block *block = &w->view.layout->block[b];
    dps_onnx_tensor real = {0}, imaginary = {0};
    for (int32_t f = 0; f < block->degree; f++) {
        dps_onnx_tensor c, d;
        DPS_TRY(sign_factor(w, b, f, 0, 2, &c));
        DPS_TRY(sign_factor(w, b, f, 1, 2, &d));
        if (f == 0) {
            real = c;
            imaginary = d;
        } else {
            multiply_pair(w, &real, &imaginary, c, d);
        }
    }
    const size_t half = (size_t)block->columns / 2;
    DPS_TRY(add_part(z, times(w, real, (float)block->weight), half, at, 2, w->err));
    return add_part(z, times(w, imaginary, (float)block->weight), half, at + 1, 2, w->err);
}

/* amplitude cos(2 pi turns) */
static dps_onnx_tensor cosine(const map_writer *w, dps_onnx_tensor turns)
{
    const dps_onnx_tensor quarter = two(w, "Add", turns, dps_onnx_number(w->graph, 0.25));
    return times(w, dps_onnx_one(w->graph, "Sin", times(w, quarter, two_pi)), w->view.amplitude);
}

static dps_status real_factor(const map_writer *w, int32_t b, int32_t f, dps_onnx_tensor *value)
{
    const dps_block *block = &w->view.layout->block[b];
    const size_t columns = (size_t)block->columns, d = (size_t)w->d;
    float *matrix;
    DPS_NEED(matrix, columns * (d + 1), "projections", w->err);
    for (size_t c = 0; c < columns; c++) {
        for (size_t j = 0; j < d; j++) {
            matrix[j * columns + c] =
                dps_map_view_coefficient(w->map, b, (int32_t)c, f, (int32_t)j);
        }
        matrix[d * columns + c] = dps_map_view_offset(w->map, b, (int32_t)c, f);
    }
    *value = two(w, "MatMul", w->x, dps_onnx_floats(w->graph, matrix, d, columns));
    if (dps_block_has_phases(block)) {
        *value = two(w, "Add", *value, dps_onnx_floats(w->graph, matrix + d * columns, columns, 0));
    }
    if (block->kind == DPS_BLOCK_COSINES) {
        *value = cosine(w, *value);
    }
    dps_free(matrix);
    return DPS_OK;
}

static dps_status additive_factor(const map_writer *w, int32_t b, int32_t f, dps_onnx_tensor root,
                                  dps_onnx_tensor logarithm, dps_onnx_tensor *value)
{
    const dps_additive_panels p = dps_map_view_additive(w->map, b);
    const size_t columns = (size_t)p.features, at = (size_t)f * columns;
    const dps_onnx_tensor pick = dps_onnx_indices(w->graph, p.coordinate + at, columns);
    const dps_onnx_tensor frequency = dps_onnx_floats(w->graph, p.frequency + at, columns, 0);
    const dps_onnx_tensor turns =
        two(w, "Mul", dps_onnx_gather(w->graph, logarithm, pick, 1), frequency);
    const dps_onnx_tensor phase = dps_onnx_floats(w->graph, p.phase + at, columns, 0);
    *value = two(w, "Mul", cosine(w, two(w, "Add", turns, phase)),
                 dps_onnx_gather(w->graph, root, pick, 1));
    return DPS_OK;
}

/* at: the number of its first column. */
static dps_status add_products(const map_writer *w, int32_t b, int32_t at, dps_onnx_columns *z)
{
    const dps_block *block = &w->view.layout->block[b];
    dps_onnx_tensor product = {0}, value = {0}, root = {0}, logarithm = {0};
    if (block->kind == DPS_BLOCK_ADDITIVE) {
        const dps_onnx_tensor above = two(w, "Greater", w->x, dps_onnx_number(w->graph, 0));
        root = dps_onnx_one(
            w->graph, "Sqrt",
            dps_onnx_three(w->graph, "Where", above, w->x, dps_onnx_number(w->graph, 0)));
        logarithm = dps_onnx_one(
            w->graph, "Log",
            dps_onnx_three(w->graph, "Where", above, w->x, dps_onnx_number(w->graph, 1)));
    }
    for (int32_t f = 0; f < block->degree; f++) {
        DPS_TRY(block->kind == DPS_BLOCK_SIGNS ? sign_factor(w, b, f, 0, 1, &value)
                : block->kind == DPS_BLOCK_ADDITIVE
                    ? additive_factor(w, b, f, root, logarithm, &value)
                    : real_factor(w, b, f, &value));
        product = f == 0 ? value : two(w, "Mul", product, value);
    }
    return add_part(z, times(w, product, (float)block->weight), (size_t)block->columns, at, 1,
                    w->err);
}

/* ---- Hadamard projections ---- */

/* Entry j of output r of a transform with signs. */
static signed char hadamard_sign(const uint32_t *word, uint32_t r, uint32_t j)
{
    const int odd = __builtin_popcount(r & j) & 1;
    return (odd != 0) != ((word[j / 32] >> (j % 32) & 1u) != 0) ? -1 : 1;
}

/* One factor of a block of `units`, of which `active` have it; those that have not are multiplied
 * by 1 (the real part). input: what is projected. */
static dps_status hadamard_factor(const map_writer *w, const dps_hadamard_panels *p,
                                  const uint32_t *word, const int32_t *pick, int32_t units,
                                  int32_t active, bool real, dps_onnx_tensor *value)
{
    const size_t columns = (size_t)units, d = (size_t)p->columns;
    signed char *sign;
    double *rest;
    DPS_NEED(sign, columns * d, "signs", w->err);
    rest = dps_alloc(columns, sizeof *rest);
    if (rest == NULL) {
        dps_free(sign);
        return dps_out_of_memory(w->err, columns, sizeof *rest, "signs");
    }
    for (size_t u = 0; u < columns; u++) {
        rest[u] = real && u >= (size_t)active ? 1.0 : 0.0;
        for (size_t j = 0; u < (size_t)active && j < d; j++) {
            sign[j * columns + u] = hadamard_sign(word, (uint32_t)pick[u], (uint32_t)j);
        }
    }
    *value = two(w, "MatMul", w->narrow, dps_onnx_signs(w->graph, sign, d, columns));
    if (real && active < units) {
        *value = two(w, "Add", *value, dps_onnx_doubles(w->graph, rest, columns, 0));
    }
    dps_free(sign);
    dps_free(rest);
    return DPS_OK;
}

typedef struct cursor {
    const int32_t *active, *pick, *column;
    const uint32_t *word;
    const float *weight;
} cursor;

/* Columns by their own list; part 1: the imaginary ones, behind the real ones. */
static dps_status add_units(const map_writer *w, dps_onnx_tensor value, const cursor *at,
                            int32_t units, int32_t part, int32_t first, dps_onnx_columns *z)
{
    const dps_onnx_tensor weight = dps_onnx_floats(w->graph, at->weight, (size_t)units, 0);
    DPS_TRY(add_part(z, two(w, "Mul", value, weight), (size_t)units, 0, 0, w->err));
    for (int32_t u = 0; u < units; u++) {
        z->column[z->count - (size_t)(units - u)] = first + at->column[u] + part;
    }
    return DPS_OK;
}

static dps_status add_hadamard(const map_writer *w, const dps_hadamard_panels *p, int32_t first,
                               dps_onnx_columns *z)
{
    const size_t words = dps_hadamard_words(p->columns);
    cursor at = {p->active, p->pick, p->column, p->word, p->weight};
    for (int32_t k = 0; k < p->blocks; k++) {
        const int32_t units = p->units[k];
        dps_onnx_tensor real = {0}, imaginary = {0}, c, d = {0};
        for (int32_t f = 0; f < p->depth[k]; f++) {
            const int32_t active = *at.active++;
            DPS_TRY(hadamard_factor(w, p, at.word, at.pick, units, active, true, &c));
            at.word += words;
            if (p->pairs) {
                DPS_TRY(hadamard_factor(w, p, at.word, at.pick, units, active, false, &d));
                at.word += words;
            }
            if (f == 0) {
                real = c;
                imaginary = d;
            } else if (p->pairs) {
                multiply_pair(w, &real, &imaginary, c, d);
            } else {
                real = two(w, "Mul", real, c);
            }
            at.pick += active;
        }
        if (units > 0) {
            DPS_TRY(add_units(w, real, &at, units, 0, first, z));
        }
        if (units > 0 && p->pairs) {
            DPS_TRY(add_units(w, imaginary, &at, units, 1, first, z));
        }
        at.weight += units;
        at.column += units;
    }
    return DPS_OK;
}

/* ---- all random columns ---- */

static dps_status add_random(const map_writer *w, int32_t first, dps_onnx_columns *z)
{
    const dps_map_layout *layout = w->view.layout;
    for (int32_t b = 0; b < layout->block_count; b++) {
        const dps_block *block = &layout->block[b];
        const int32_t at = first + block->first;
        switch (block->kind) {
        case DPS_BLOCK_ZERO:
            break;
        case DPS_BLOCK_CONSTANT:
            for (int32_t c = 0; c < block->columns; c++) {
                z->constant[at + c] = (float)block->weight;
            }
            break;
        case DPS_BLOCK_HADAMARD: /* below */
            break;
        case DPS_BLOCK_SIGNS:
            DPS_TRY(w->view.pairs ? add_sign_pairs(w, b, at, z) : add_products(w, b, at, z));
            break;
        case DPS_BLOCK_ADDITIVE:
        case DPS_BLOCK_GAUSSIANS:
        case DPS_BLOCK_AFFINE:
        case DPS_BLOCK_COSINES:
        case DPS_BLOCK_LINEAR:
            DPS_TRY(add_products(w, b, at, z));
            break;
        }
    }
    return w->view.hadamard == NULL ? DPS_OK : add_hadamard(w, w->view.hadamard, first, z);
}

/* map.craft: D mixtures of the random columns. A row of the matrix is a column's, in whatever order
 * they come; constant ones make an offset. */
static dps_status mix(const map_writer *w, const dps_onnx_columns *random, int32_t first,
                      dps_onnx_columns *z, signed char *sign, double *offset)
{
    const dps_hadamard_panels *p = w->view.mixing;
    const size_t columns = (size_t)p->units[0];
    const cursor at = {p->active, p->pick, p->column, p->word, p->weight};
    for (size_t u = 0; u < columns; u++) {
        const uint32_t r = (uint32_t)p->pick[u];
        for (size_t i = 0; i < random->count; i++) {
            sign[i * columns + u] = hadamard_sign(p->word, r, (uint32_t)random->column[i]);
        }
        for (uint32_t j = 0; j < (uint32_t)p->columns; j++) {
            offset[u] += random->constant[j] * hadamard_sign(p->word, r, j);
        }
    }
    dps_onnx_tensor value = dps_onnx_doubles(w->graph, offset, 1, columns);
    if (random->count > 0) {
        const dps_onnx_tensor all = dps_onnx_concat(w->graph, random->part, random->parts);
        value = two(w, "Add", value,
                    two(w, "MatMul", all, dps_onnx_signs(w->graph, sign, random->count, columns)));
    }
    return add_units(w, value, &at, p->units[0], 0, first, z);
}

static dps_status add_mixtures(const map_writer *w, int32_t first, dps_onnx_columns *z)
{
    const size_t columns = (size_t)w->view.mixing->units[0];
    dps_onnx_columns random;
    dps_status status = dps_onnx_columns_init(&random, (size_t)w->view.layout->random, w->err);
    DPS_THEN(status, add_random(w, 0, &random));
    signed char *sign = dps_alloc(columns * (random.count + 1), 1);
    double *offset = dps_alloc(columns, sizeof *offset);
    if (status == DPS_OK && (sign == NULL || offset == NULL)) {
        status = dps_out_of_memory(w->err, columns, random.count, "mixing (map.craft)");
    }
    DPS_THEN(status, mix(w, &random, first, z, sign, offset));
    dps_free(sign);
    dps_free(offset);
    dps_onnx_columns_release(&random);
    return status;
}

dps_status dps_onnx_map(dps_onnx_graph *graph, const dps_map *map, dps_onnx_tensor x,
                        dps_onnx_columns *z, dps_error *err)
{
    map_writer w = {.graph = graph, .map = map, .view = dps_map_view_of(map), .x = x, .err = err};
    w.d = w.view.layout->columns;
    w.narrow = times(&w, x, w.view.input_inverse);
    DPS_TRY(add_exact(&w, z));
    return w.view.mixing != NULL ? add_mixtures(&w, w.view.exact->width, z)
                                 : add_random(&w, w.view.exact->width, z);
}
