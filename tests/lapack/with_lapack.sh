#!/bin/sh
# The tests that factor matrices where the machine has this LAPACK and BLAS, chosen by the loader's path.
#
#   sh tests/lapack/with_lapack.sh NAME PROGRAM...
#
# NAME: a folder of LIBRARIES, into which ./dev.sh test unpacks packages without installing them. Skipped (77) where it
# is absent. PROGRAM: test programs; after them the golden values of whole trainings.
. "$SOURCE/tests/cli/check.sh"
name=$1
shift
folder=$LIBRARIES/$name
[ -d "$folder" ] || { echo "skipped: no $folder; ./dev.sh test unpacks it where there is apt-get" >&2; exit 77; }

rows 9 400 5 > train.svm
run 0 "$DPSVM" train train.svm --solver.type=newton --map.features=400 -o own.dpsvm -q

# Debian keeps libblas.so.3 and liblapack.so.3 in a folder a package. The reference comes last: BLIS is a BLAS only.
first=$(find "$folder" -name 'lib*.so.3' -path '*[ks]-*/*' -exec dirname {} + | sort -u | tr '\n' ':')
rest=$(find "$folder" -name 'lib*.so.3' ! -path '*[ks]-*/*' -exec dirname {} + | sort -u | tr '\n' ':')
LD_LIBRARY_PATH=$first${rest%:}
export LD_LIBRARY_PATH

# By the word of the loader: training loads none and gives the bytes that it gives without; `version`, to say what `bench`
# compares with, loads this library and no other.
LD_DEBUG=libs run 0 "$DPSVM" train train.svm --solver.type=newton --map.features=400 -o model.dpsvm
same own.dpsvm model.dpsvm
! grep -E 'calling init: .*/lib(blas|lapack|openblas|blis)[^/]*$' err || fail 'training loads a BLAS'
LD_DEBUG=libs run 0 "$DPSVM" version
grep -E 'calling init: .*/lib(blas|lapack|openblas|blis)[^/]*$' err | sed 's/.*init: //' | sort -u > loaded
grep -q "^$folder/" loaded || fail "not loaded: $folder; but $(cat loaded)"
grep -v "^$folder/" loaded && fail "loaded beside it: $(grep -v "^$folder/" loaded | tr '\n' ' ')"

for program in "$@"; do
    run 0 "$program"
done
mkdir golden
(cd golden && sh "$SOURCE/tests/cli/test_golden.sh") > out 2> err || fail "golden values with $name"
finish
