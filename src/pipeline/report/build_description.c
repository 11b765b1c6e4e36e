/* Task: what this build is made of, for `dpsvm version` and bug reports. */
#include "comm.h"
#include "cpu.h"
#include "peer_blas.h"
#include "build_description.h"
#include "unpack.h"

#ifdef _OPENMP
#define OPENMP_DATE _OPENMP
#else
#define OPENMP_DATE 0
#endif

/* What every processor that runs the program needs; faster instructions are looked for. */
#if defined(__x86_64__) && defined(__AVX2__)
#define BUILD_TARGET "x86-64 with AVX2 or more (compiled for one kind of processor)"
#elif defined(__x86_64__)
#define BUILD_TARGET "x86-64, any (AVX2 and AVX-512 chosen at run time)"
#elif defined(__aarch64__)
#define BUILD_TARGET "aarch64"
#else
#define BUILD_TARGET "generic"
#endif

/* DPS_NO_MPI: the value of DPSVM_WITH_MPI (src/CMakeLists.txt) of a build that ended without MPI.
 */
#ifdef DPS_NO_MPI
#define WHY_NO_MPI " (built with DPSVM_WITH_MPI=" DPS_NO_MPI ")"
#else
#define WHY_NO_MPI ""
#endif

void dps_build_description(dps_text *out)
{
    dps_error err;
    const bool peer = dps_peer_load(&err) == DPS_OK;
    dps_text_format(out, "dpsvm %s\n", DPSVM_VERSION);
    dps_text_format(out, "compiler    %s\n",
#if defined(__clang__)
                    "clang " __clang_version__
#elif defined(__GNUC__)
                    "gcc " __VERSION__
#else
                    "unknown"
#endif
    );
    dps_text_format(out, "target      %s\n", BUILD_TARGET);
    dps_text_format(out, "BLAS        not used; bench compares with %s\n",
                    peer ? dps_peer_description() : "none: there is none");
    dps_text_format(out, "SIMD        %s\n", dps_name_of(dps_simd_names, dps_cpu_best()));
    dps_text_format(out, "OpenMP      %ld\n", (long)OPENMP_DATE);
    dps_text_format(out, "MPI         %s%s\n", dps_comm_library(), WHY_NO_MPI);
    dps_text_format(out, "unpacks     %s\n", dps_packing_names());
}
