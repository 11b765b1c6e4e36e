#!/bin/sh
# faults.py with what the build says; skipped where it cannot run.
set -u
command -v python3 > /dev/null || {
    echo 'skipped: no python3'
    exit 77
}
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_mpi_yield_when_idle=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_mpi_yield_when_idle
exec python3 -B "$SOURCE/tests/faults/faults.py" "$@" ${DPSVM_FAULT_TABLE:+--table "$DPSVM_FAULT_TABLE"}
