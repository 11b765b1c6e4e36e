#!/bin/sh
# What kernel.type = auto and map.features = auto choose is a matter of the rows: memory and threads may end a
# search with a refusal, never with another model.
. "$SOURCE/tests/cli/check.sh"

# 12,000 rows of 3 columns: curved enough to want many features.
awk 'BEGIN { srand(7); for (i = 0; i < 12000; i++) {
    x = 2 * rand() - 1; y = 2 * rand() - 1; z = 2 * rand() - 1
    v = sin(6 * x) * cos(5 * y) + sin(7 * z * x) + 0.2 * (rand() - 0.5)
    printf("%d 1:%.6f 2:%.6f 3:%.6f\n", (v > 0 ? 1 : -1), x, y, z) } }' > rows.svm

# search MEMORY THREADS: the model of the search, or the refusal that names the remedy.
search() {
    rm -f a.model
    "$DPSVM" train rows.svm -o a.model --kernel.type=auto --solver.C=8 --run.memory="$1" --run.threads="$2" > out 2> err
    code=$?
    if [ $code -eq 0 ]; then
        same whole.model a.model
        trained=$((trained + 1))
    else
        [ $code -eq 1 ] || fail "exit $code with $1 and $2 threads"
        says 'run.memory is .*: raise run.memory, or set map.features .with kernel.type = auto'
        refusals=$((refusals + 1))
    fi
}
trained=0
refusals=0
run 0 "$DPSVM" train rows.svm -o whole.model --kernel.type=auto --solver.C=8 --run.memory=2G --run.threads=1
search 400M 8
search 30M 1
search 30M 8
[ $trained -ge 1 ] || fail '400M are enough'
[ $refusals -ge 1 ] || fail '30M are too little'

# map.features = auto grows D to what the rows say, not to what memory holds.
head -600 rows.svm > few.svm
given="--kernel.type=exponential --map.features=auto --solver.type=newton --solver.C=8 --tune.folds=2"
run 0 "$DPSVM" train few.svm -o many.model $given --run.memory=2G
features=$(sed -n 's/^  D = \([0-9]*\) .*/\1/p' err | tail -1)
[ "$features" -ge 512 ] || fail "only $features features were tried"
"$DPSVM" train few.svm -o small.model $given --run.memory=12M > out 2> err
if [ $? -eq 0 ]; then
    same many.model small.model
else
    says 'raise run.memory'
fi
finish
