/* Products of panels of one type, for inclusion by product_body.h, which defines REAL, VECTOR (of
 * LANES of them), MADD (a b + c by vectors, one rounding) and NAME. */

enum { NAME(panel) = PARTS * NAME(lanes) };

/* Adds (or subtracts) the products of ROWS columns of a and `parts` vectors of b over all steps. */
__attribute__((always_inline)) static inline void NAME(tile)(size_t steps, bool subtract,
                                                             const REAL *a, size_t step_a,
                                                             const REAL *b, size_t step_b,
                                                             int parts, VECTOR sum[ROWS][PARTS])
{
    for (size_t k = 0; k < steps; k++) {
        VECTOR right[PARTS];
        UNROLL
        for (int h = 0; h < parts; h++) {
            memcpy(&right[h], b + k * step_b + NAME(lanes) * (size_t)h, sizeof(VECTOR));
        }
        UNROLL
        for (int r = 0; r < ROWS; r++) {
            const VECTOR left = NAME(spread)(a[k * step_a + (size_t)r]);
            UNROLL
            for (int h = 0; h < parts; h++) {
                sum[r][h] = MADD(subtract ? -left : left, right[h], sum[r][h]);
            }
        }
    }
}

__attribute__((always_inline)) static inline void
NAME(add_tile)(const dps_product_shape *shape, const REAL *a, size_t step_a, const REAL *b,
               size_t step_b, size_t row, size_t column, int parts, dps_product_target c)
{
    VECTOR sum[ROWS][PARTS];
    for (size_t r = 0; r < ROWS && row + r < shape->rows; r++) { /* the sums take a while */
        const double *to = target_row(c, row + r) + column;
        for (size_t j = 0; j < (size_t)parts * NAME(lanes); j += 8) {
            __builtin_prefetch(to + j, 1);
        }
    }
    UNROLL
    for (int r = 0; r < ROWS; r++) {
        UNROLL
        for (int h = 0; h < parts; h++) {
            sum[r][h] = (VECTOR){0};
        }
    }
    NAME(tile)(shape->steps, false, a, step_a, b, step_b, parts, sum);
    const size_t width = (size_t)parts * NAME(lanes);
    for (size_t r = 0; r < ROWS && row + r < shape->rows; r++) {
        const size_t i = row + r, all = i + shape->offset + 1;
        const size_t end = all < shape->columns ? all : shape->columns;
        double *to = target_row(c, i) + column;
        REAL from[NAME(panel)];
        memcpy(from, sum[r], width * sizeof(REAL));
        if (column + width <= end) {
            for (size_t j = 0; j < width; j++) {
                to[j] += shape->sign * (double)from[j];
            }
        } else {
            for (size_t j = 0; column + j < end; j++) {
                to[j] += shape->sign * (double)from[j];
            }
        }
    }
}

/* Column j of an operand begins at first + j / panel * size + j % panel. */
typedef struct NAME(operand) {
    const REAL *first;
    size_t size, step;
} NAME(operand);

static inline const REAL *NAME(column)(const NAME(operand) * o, size_t j)
{
    return o->first + j / NAME(panel) * o->size + j % NAME(panel);
}

/* Groups of panels of b that the second-level cache holds; under them the rows of c, so that the
 * ROWS columns of a stay in the first level from one panel to the next. */
static void NAME(product)(const dps_product_shape *shape, NAME(operand) a, NAME(operand) b,
                          dps_product_target c)
{
    const size_t bytes = NAME(panel) * sizeof(REAL) * shape->steps;
    const size_t panels = bytes < GROUP_BYTES ? GROUP_BYTES / (bytes + 1) : 1;
    const size_t group = panels * NAME(panel);
    for (size_t begin = 0; begin < shape->columns; begin += group) {
        const size_t first = begin > shape->offset ? (begin - shape->offset) / ROWS * ROWS : 0;
        for (size_t row = first; row < shape->rows; row += ROWS) {
            const size_t all = row + ROWS + shape->offset;
            const size_t most = all < shape->columns ? all : shape->columns;
            const size_t end = most < begin + group ? most : begin + group;
            const REAL *left = NAME(column)(&a, row);
            for (size_t j = begin; j < end; j += NAME(panel)) {
                const REAL *right = NAME(column)(&b, j);
                const size_t parts = (end - j + NAME(lanes) - 1) / NAME(lanes);
                switch (parts) {
                case 1:
                    NAME(add_tile)(shape, left, a.step, right, b.step, row, j, 1, c);
                    break;
                case 2:
                    NAME(add_tile)(shape, left, a.step, right, b.step, row, j, 2, c);
                    break;
                case 3:
                    NAME(add_tile)(shape, left, a.step, right, b.step, row, j, 3, c);
                    break;
                default:
                    NAME(add_tile)(shape, left, a.step, right, b.step, row, j, PARTS, c);
                    break;
                }
            }
        }
    }
}
