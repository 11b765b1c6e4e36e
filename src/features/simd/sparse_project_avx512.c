/* Task: dps_sparse_sign_project for AVX-512; formula, order of summation and cost in
 * sparse_project_body.h. */
#define SIGN_PROJECT dps_sparse_sign_project_avx512
#include "sparse_project_body.h"
