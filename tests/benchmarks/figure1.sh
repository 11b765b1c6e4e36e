#!/bin/sh
# Figure 1 of Kar & Karnick 2012, with our maps beside it: docs/evidence/figures/figure1*.svg, and the tables of
# docs/evidence/kernel_error.md on standard output. About half a minute of one core. Usage: DPSVM=path/to/dpsvm sh tests/benchmarks/figure1.sh [FOLDER]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
: "${DPSVM:?set DPSVM to the program}"
exec python3 "$here/figure1.py" "$DPSVM" "${1:-$here/../../docs/evidence/figures}"
