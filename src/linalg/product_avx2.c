/* Task: product_body.h for AVX2: 12 of the 16 registers hold sums. */
#define VECTOR_BYTES 32
#include <math.h>
#include "vectors_x86.h"

enum { ROWS = 4, PARTS = 3 };
#define KERNELS    dps_product_avx2
#define madd_exact madd_double
#include "product_body.h"
