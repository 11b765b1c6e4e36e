#!/bin/sh
# The tables of docs/experiments.md (./dev.sh bench):  DPSVM_DATA=FOLDER sh tests/benchmarks/run.sh [paper optimum wide]
# Without DPSVM_DATA it says so and ends with status 0.
set -eu
here=$(dirname "$0")
root=$(cd "$here/../.." && pwd)
program=${DPSVM:-$root/build/release/dpsvm}
if [ -z "${DPSVM_DATA:-}" ]; then
    echo "skipped: set DPSVM_DATA to the folder with the raw data sets (docs/experiments.md)"
    exit 0
fi
command -v python3 > /dev/null || {
    echo "the benchmark scripts need python3 (Debian package python3)" >&2
    exit 1
}
[ -f "$root/build/benchmarks/reuters.test" ] || python3 "$here/prepare.py"
for table in ${*:-paper optimum wide}; do
    printf '\n%s\n\n' "$table"
    case $table in
    paper) python3 "$here/paper_table.py" --dpsvm "$program" ;;
    optimum) python3 "$here/same_optimum.py" --dpsvm "$program" ;;
    wide) python3 "$here/wide_sparse.py" --dpsvm "$program" ;;
    *)
        echo "unknown table $table: paper, optimum or wide" >&2
        exit 2
        ;;
    esac
done
