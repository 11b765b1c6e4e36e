/* Task: dps_additive_row for AVX-512; formula, order and cost in additive_body.h. */
#define ADDITIVE_ROW dps_additive_row_avx512
#include "additive_body.h"
