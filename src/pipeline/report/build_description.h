/* `dpsvm version`. */
#ifndef DPS_BUILD_DESCRIPTION_H
#define DPS_BUILD_DESCRIPTION_H

#include "text.h"

/* What this program was built with and runs on, a line each: compiler, the BLAS that bench compares
 * with, SIMD path, OpenMP, MPI. Reads and allocates nothing else. */
void dps_build_description(dps_text *out);

#endif
