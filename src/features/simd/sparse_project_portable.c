/* Task: dps_sparse_sign_project for the baseline instruction set; formula, order of summation and
 * cost in sparse_project_body.h. */
#define SIGN_PROJECT dps_sparse_sign_project_portable
#include "sparse_project_body.h"
