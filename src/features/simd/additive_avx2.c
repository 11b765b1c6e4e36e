/* Task: dps_additive_row for AVX2; formula, order and cost in additive_body.h. */
#define ADDITIVE_ROW dps_additive_row_avx2
#include "additive_body.h"
