#!/bin/sh
# Tables of ./dev.sh bench (tests/benchmarks/run.sh): each that wants data is skipped with a reason and status 0 without
# DPSVM_DATA, before anything is installed or measured; a name that is none is refused.
. "$SOURCE/tests/cli/check.sh"
unset DPSVM_DATA
bench="env DPSVM=$DPSVM DPSVM_BENCH_OUT=$PWD/out.bench sh $SOURCE/tests/benchmarks/run.sh"

for table in optimum wide default maps scaling hadamard libraries speed solver refine; do
    run 0 $bench "$table"
    grep -q "skipped: set DPSVM_DATA" out || fail "$table does not say that it is skipped"
    [ -z "$(ls out.bench)" ] || fail "$table left files though it was skipped"
    grep -q "^#.* $table " "$SOURCE/tests/benchmarks/run.sh" || fail "the head of run.sh does not name $table"
done

run 2 $bench kitchen
says "unknown table kitchen"

# A script on its own, where no set was prepared: every set is named, and none is measured.
run 0 env DPSVM_BENCH_OUT="$PWD/out.bench" python3 "$SOURCE/tests/benchmarks/refine.py" \
    --dpsvm "$DPSVM" --data "$PWD/none" --page "$PWD/page"
for name in nursery spambase cod-rna adult ijcnn1 covertype letter pendigits; do
    says "skipped: $name"
done
[ ! -e page ] || fail "a page without measurements"
finish
