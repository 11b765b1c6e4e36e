/* Task: product_body.h for AVX-512: 24 of the 32 registers hold sums. */
#define VECTOR_BYTES 64
#include <math.h>
#include "vectors_x86.h"

enum { ROWS = 8, PARTS = 3 };
#define KERNELS    dps_product_avx512
#define madd_exact madd_double
#include "product_body.h"
