#!/bin/sh
# Training needs no BLAS: none is loaded, and models of newton have the same bytes on every SIMD path and whatever
# core of it the environment asks for, at D' below and above 256 and where H is nearly singular. tests/lapack does the
# same with one library after the other.
. "$SOURCE/tests/cli/check.sh"

# 1,500 rows in two overlapping classes, columns 7 and 8 nearly the same.
rows 51 1500 6 | awk '{ $1 = NR % 9 == 0 ? -$1 : $1; f = $2; sub(/.*:/, "", f); print $0, "7:" f, "8:" f * 1.00001 }' > all.svm

# fits COMMAND...: the three fits under that command have the bytes that they had first.
fits() {
    for fit in "--map.features=100" "--map.features=420 --solver.tolerance=1e-6" \
        "--map.features=60 --solver.C=1e7 --solver.loss=hinge --solver.max_iterations=60"; do
        name=$(echo "$fit" | tr -c 'a-z0-9\n' _)
        # shellcheck disable=SC2086  # words of options
        run 0 "$@" "$DPSVM" train all.svm --solver.type=newton $fit $simd --output.model=now.model -q
        if [ -e "$name.model" ]; then
            same "$name.model" now.model
        else
            mv now.model "$name.model"
        fi
    done
}

simd=
fits env
for path in $(simd_paths); do
    simd=--run.simd=$path
    fits env
done
simd=
for core in Haswell SkylakeX Prescott; do
    fits env OPENBLAS_CORETYPE=$core
done

# The loader is asked for none.
run 0 env LD_DEBUG=libs "$DPSVM" train all.svm --solver.type=newton --map.features=100 --output.model=now.model -q
if grep -q 'find library=libc' err; then
    ! grep -Eiq 'find library=lib[a-z]*(blas|lapack|blis|mkl)' err || fail 'training loads a BLAS'
else
    untried 'which libraries training loads: this loader does not say it (LD_DEBUG=libs)'
fi

finish
