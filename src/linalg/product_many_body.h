/* Products of a tile with several vectors, for inclusion by product_body.h. All of floats, in one
 * order (products.h): a score has 16 lanes, each a chain of fused multiply-adds, then added as a
 * tree; a sum is one chain over the rows.
 *
 * DOT_ROWS x DOT_COLUMNS scores stay in registers, and GROUP_ROWS rows of a tile while they are
 * added to every vector's sums. */

enum {
    WIDE = 16,
    WIDE_PARTS = WIDE / float_lanes,
    DOT_ROWS = VECTOR_BYTES >= 64 ? 6 : 1,
    DOT_COLUMNS = 4,
    GROUP_ROWS = 8
};

typedef float half_vector __attribute__((vector_size(32)));
typedef float quarter_vector __attribute__((vector_size(16)));

static inline float add_lanes(const float_vector sum[WIDE_PARTS])
{
    half_vector half[2];
    quarter_vector quarter[2];
    memcpy(half, sum, sizeof half);
    half[0] += half[1];
    memcpy(quarter, half, sizeof quarter);
    quarter[0] += quarter[1];
    return (quarter[0][0] + quarter[0][2]) + (quarter[0][1] + quarter[0][3]);
}

__attribute__((always_inline)) static inline void dot_tile(size_t columns, const float *z,
                                                           size_t ldz, const float *w, size_t ldw,
                                                           float *u, size_t ldu, int rows,
                                                           int count)
{
    float_vector sum[DOT_ROWS][DOT_COLUMNS][WIDE_PARTS] = {{{{0}}}};
    for (size_t j = 0; j < columns; j += WIDE) {
        UNROLL
        for (int h = 0; h < WIDE_PARTS; h++) {
            const size_t at = j + (size_t)h * float_lanes;
            float_vector right[DOT_COLUMNS];
            UNROLL
            for (int k = 0; k < count; k++) {
                memcpy(&right[k], w + (size_t)k * ldw + at, sizeof right[k]);
            }
            UNROLL
            for (int r = 0; r < rows; r++) {
                float_vector left;
                memcpy(&left, z + (size_t)r * ldz + at, sizeof left);
                UNROLL
                for (int k = 0; k < count; k++) {
                    sum[r][k][h] = madd_float(left, right[k], sum[r][k][h]);
                }
            }
        }
    }
    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < count; k++) {
            u[(size_t)k * ldu + (size_t)r] = add_lanes(sum[r][k]);
        }
    }
}

static void scores(size_t rows, size_t columns, const float *z, size_t ldz, size_t count,
                   const float *w, size_t ldw, float *u, size_t ldu)
{
    for (size_t i = 0; i < rows;) {
        const size_t step = rows - i < DOT_ROWS ? 1 : DOT_ROWS;
        for (size_t k = 0; k < count; k += DOT_COLUMNS) {
            const float *left = z + i * ldz, *right = w + k * ldw;
            float *to = u + k * ldu + i;
            const size_t together = count - k < DOT_COLUMNS ? count - k : DOT_COLUMNS;
            switch (together + (step == DOT_ROWS ? DOT_COLUMNS : 0)) {
            case 1:
                dot_tile(columns, left, ldz, right, ldw, to, ldu, 1, 1);
                break;
            case 2:
                dot_tile(columns, left, ldz, right, ldw, to, ldu, 1, 2);
                break;
            case 3:
                dot_tile(columns, left, ldz, right, ldw, to, ldu, 1, 3);
                break;
            case 4:
                dot_tile(columns, left, ldz, right, ldw, to, ldu, 1, 4);
                break;
            case 5:
                dot_tile(columns, left, ldz, right, ldw, to, ldu, DOT_ROWS, 1);
                break;
            case 6:
                dot_tile(columns, left, ldz, right, ldw, to, ldu, DOT_ROWS, 2);
                break;
            case 7:
                dot_tile(columns, left, ldz, right, ldw, to, ldu, DOT_ROWS, 3);
                break;
            default:
                dot_tile(columns, left, ldz, right, ldw, to, ldu, DOT_ROWS, DOT_COLUMNS);
                break;
            }
        }
        i += step;
    }
}

/* `rows` rows of z into the sums of all vectors. */
__attribute__((always_inline)) static inline void add_group(int rows, size_t columns,
                                                            const float *z, size_t ldz,
                                                            size_t count, const float *c,
                                                            size_t ldc, float *sum)
{
    for (size_t j = 0; j < columns; j += float_lanes) {
        float_vector left[GROUP_ROWS];
        UNROLL
        for (int r = 0; r < rows; r++) {
            memcpy(&left[r], z + (size_t)r * ldz + j, sizeof left[r]);
        }
        for (size_t k = 0; k < count; k++) {
            float_vector own;
            memcpy(&own, sum + k * columns + j, sizeof own);
            UNROLL
            for (int r = 0; r < rows; r++) {
                own = madd_float(float_spread(c[k * ldc + (size_t)r]), left[r], own);
            }
            memcpy(sum + k * columns + j, &own, sizeof own);
        }
    }
}

static void add_rows(size_t rows, size_t columns, const float *z, size_t ldz, size_t count,
                     const float *c, size_t ldc, float *sum)
{
    size_t i = 0;
    for (; i + GROUP_ROWS <= rows; i += GROUP_ROWS) {
        add_group(GROUP_ROWS, columns, z + i * ldz, ldz, count, c + i, ldc, sum);
    }
    for (; i < rows; i++) {
        add_group(1, columns, z + i * ldz, ldz, count, c + i, ldc, sum);
    }
}
