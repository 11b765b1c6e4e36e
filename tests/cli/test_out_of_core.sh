#!/bin/sh
# Rows beyond run.memory: the same model bytes with every solver, peak memory near the budget, nothing left in
# run.scratch, and a scratch folder that does not do is named. With DPSVM_LARGE=1 also 5 and 20 million rows.
. "$SOURCE/tests/cli/check.sh"
: "${MAKE_ROWS:?}"

mkdir room
# peak FILE: bytes, from the summary's line of a JSON report
peak() {
    sed -n 's/^[[:space:]]*"peak_memory[a-z_]*":[[:space:]]*\([0-9.e+]*\),*$/\1/p' "$1" | head -1
}
# below FILE MEGABYTES
below() {
    awk -v p="$(peak "$1")" -v m="$2" 'BEGIN { exit !(p > 0 && p < m * 1e6) }' || fail "$1: peak of $(peak "$1"), expected below $2 MB"
}

"$MAKE_ROWS" 200000 10 1 > rows.svm
"$MAKE_ROWS" 200000 10 1 csv > rows.csv
for solver in newton dcd sgd; do
    run 0 "$DPSVM" train rows.svm --map.features=40 --solver.type=$solver --solver.max_iterations=3 --output.model=in.model
    grep -q 'out of core' err && fail "out of core with all of the memory"
    run 0 "$DPSVM" train rows.svm --map.features=40 --solver.type=$solver --solver.max_iterations=3 --output.model=out.model \
        --run.memory=20M --run.scratch=room --report=out.json
    says 'out of core: the rows as read take about .*, run\.memory is 21 MB: they lie in scratch files in .*room'
    same in.model out.model
    below out.json 45
    [ -z "$(ls -A room)" ] || fail "something is left in run.scratch"
done
run 0 "$DPSVM" train rows.csv --map.features=40 --solver.type=newton --output.model=in.model --data.validation=0.1
run 0 "$DPSVM" train rows.csv --map.features=40 --solver.type=newton --output.model=out.model --data.validation=0.1 \
    --run.memory=20M --data.cache=rows.cache
same in.model out.model
run 0 "$DPSVM" train rows.csv --map.features=40 --solver.type=newton --output.model=cached.model --data.validation=0.1 \
    --run.memory=20M --data.cache=rows.cache --report=cached.json
says 'the rows come from'
same in.model cached.model
below cached.json 45
refused 1 'run\.scratch' "$DPSVM" train rows.svm -q --run.memory=20M --run.scratch=missing
refused 1 'labels and buffers alone' "$DPSVM" train rows.svm -q --run.threads=1 --run.memory=3M

if [ "${DPSVM_LARGE:-0}" = 1 ]; then
    "$MAKE_ROWS" 5000000 20 1 > large.svm
    for solver in newton dcd sgd; do
        run 0 "$DPSVM" train large.svm --map.features=100 --solver.type=$solver --solver.max_iterations=2 --run.memory=512M --report=large.json
        below large.json 600
    done
    rm large.svm
    "$MAKE_ROWS" 20000000 10 1 > huge.svm
    run 0 "$DPSVM" train huge.svm --map.features=50 --solver.type=newton --solver.max_iterations=3 --run.memory=900M --report=huge.json
    below huge.json 1000
    rm huge.svm
else
    echo "5 and 20 million rows are left out: DPSVM_LARGE=1 tries them" >&2
fi
finish
