/* Task: orthogonal vectors from Gaussian ones, w_k = |g_k| q_k, q = Gram-Schmidt of g
 * (docs/algorithms.md, equation 26).
 *
 * Source: Yu, Suresh, Choromanski, Holtmann-Rice & Kumar 2016, orthogonal random features. A
 * Gaussian vector's length and direction are independent, and q_k depends on directions only: so
 * each w_k alone is N(0, I), and lengths need no second draw.
 *
 * Method: modified Gram-Schmidt in double, coordinates in order, with + - * / and sqrt only;
 * vectors lie side by side, so that one pass of inner products with the k-th serves all later ones.
 * Cost: 2 count^2 columns flops. Lost orthogonality is eps times the condition of g, about columns
 * eps.
 *
 * Why not LAPACK's QR: the map is drawn again wherever a model predicts, and must have the same
 * bits. */
#include "orthogonal.h"
#include <math.h>

/* dot[j] = <v_k, v_j> for j = k .. count - 1. */
static void products_with(const double *vector, int32_t columns, int32_t count, int32_t k,
                          double *dot)
{
    for (int32_t j = k; j < count; j++) {
        dot[j] = 0.0;
    }
    for (int32_t c = 0; c < columns; c++) {
        const double *row = vector + (size_t)c * (size_t)count;
        const double own = row[k];
        for (int32_t j = k; j < count; j++) {
            dot[j] += own * row[j];
        }
    }
}

void dps_make_orthogonal(double *vector, int32_t columns, int32_t count, double *work)
{
    double *dot = work, *length = work + count;
    for (int32_t j = 0; j < count; j++) {
        length[j] = 0.0;
    }
    for (int32_t c = 0; c < columns; c++) {
        for (int32_t j = 0; j < count; j++) {
            const double x = vector[(size_t)c * (size_t)count + (size_t)j];
            length[j] += x * x;
        }
    }
    for (int32_t k = 0; k < count; k++) {
        products_with(vector, columns, count, k, dot);
        const double norm2 = dot[k], scale = sqrt(length[k] / norm2);
        for (int32_t j = k + 1; j < count; j++) {
            dot[j] /= norm2;
        }
        for (int32_t c = 0; c < columns; c++) {
            double *row = vector + (size_t)c * (size_t)count;
            const double own = row[k];
            for (int32_t j = k + 1; j < count; j++) {
                row[j] -= own * dot[j];
            }
            row[k] = own * scale;
        }
    }
}
