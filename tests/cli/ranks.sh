#!/bin/sh
# Read by the scripts that start several ranks, after check.sh. From ctest: MPIEXEC, the launcher of the MPI that the
# program was built with; empty: built without, and the script is skipped.
if [ -z "${MPIEXEC:-}" ]; then
    echo "skipped: built without MPI"
    exit 77
fi
# As root in a container, and more ranks than processors; ranks that wait leave the processor to others.
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_mpi_yield_when_idle=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_mpi_yield_when_idle
# shellcheck disable=SC2034  # for the scripts that read this
case $("$MPIEXEC" --version 2>&1) in
*OpenRTE* | *"Open MPI"*)
    MPIRUN="$MPIEXEC --oversubscribe"
    BIND=--bind-to
    ;;
*)
    MPIRUN=$MPIEXEC
    BIND=-bind-to
    ;;
esac

# ranks STATUS N WORDS...: dpsvm on N ranks; output as with run.
ranks() {
    wanted_rank_status=$1
    number=$2
    shift 2
    # shellcheck disable=SC2086  # words
    run "$wanted_rank_status" $MPIRUN -n "$number" "$DPSVM" "$@"
}

# once PATTERN: exactly one line of standard error matches.
once() {
    [ "$(grep -Ec -e "$1" err)" -eq 1 ] || fail "standard error says $(grep -Ec -e "$1" err) times: $1"
}
