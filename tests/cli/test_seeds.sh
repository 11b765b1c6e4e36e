#!/bin/sh
# map.seed as a list: one model, of the first seed, and the spread of the accuracy over all of them.
. "$SOURCE/tests/cli/check.sh"

head -n 700 "$SOURCE/data/parity.train" > train.svm
head -n 300 "$SOURCE/data/parity.test" > test.svm
set -- train.svm --kernel.type=polynomial --map.features=60 --data.validation=0.2 --data.test=test.svm

run 0 "$DPSVM" train "$@" --map.seed=3,7..9 --output.model=list --report=r.json
says '^4 seeds of the map, training rows: accuracy [0-9.]+ %, deviation [0-9.]+, from [0-9.]+ to [0-9.]+$'
says '^4 seeds of the map, validation rows: accuracy'
says '^4 seeds of the map, test rows: accuracy'
line=$(sed -n 's/^4 seeds of the map, test rows: accuracy //p' err)

# each is what this seed alone gives; the model is the first one's
: > each
for seed in 3 7 8 9; do
    run 0 "$DPSVM" train "$@" --map.seed=$seed --output.model=m$seed
    grep -q 'seeds of the map' err && fail 'a spread of one seed'
    sed -n 's/^test accuracy: \([0-9.]*\) %.*/\1/p' err >> each
done
same list m3
awk '{ x[NR] = $1; m += $1 / 4 } END { least = most = x[1]; for (k = 1; k <= 4; k++) { s += (x[k] - m) ^ 2
    if (x[k] < least) least = x[k]; if (x[k] > most) most = x[k] }
    printf "%.2f %%, deviation %.2f, from %.2f to %.2f\n", m, sqrt(s / 3), least, most }' each > expected
# figures of two decimals
awk -v said="$line" '{ n = split(said, a, /[^0-9.]+/); split($0, b, /[^0-9.]+/)
    for (k = 1; k <= n; k++) { d = a[k] - b[k]; if (d > 0.011 || d < -0.011) exit 1 } }' expected || fail "said $line, expected $(cat expected)"
[ "$(grep -c '"seed":[[:space:]]*[3789],' r.json)" -ge 4 ] || fail 'the report does not hold the seeds'

# threads change nothing; order decides whose model it is; the options line is short
run 0 "$DPSVM" train "$@" --map.seed=3,7..9 --run.threads=3 --output.model=threads
[ "$line" = "$(sed -n 's/^4 seeds of the map, test rows: accuracy //p' err)" ] || fail 'threads change the spread'
says 'map\.seed = 3, 7\.\.9'
run 0 "$DPSVM" train "$@" --map.seed=7,3 --output.model=first
same first m7

# regression, and settings that a search found
run 0 "$DPSVM" train train.svm --solver.task=regression --kernel.type=polynomial --map.features=60 --map.seed=1..2
says '^2 seeds of the map, training rows: RMSE [0-9.]+, deviation [0-9.e-]+, from [0-9.]+ to [0-9.]+$'

# a search that would take a refined map of these rows leaves it out where several seeds are compared
awk 'BEGIN { srand(7); for (i = 0; i < 2000; i++) {
    x = 2 * rand() - 1; y = 2 * rand() - 1; z = 2 * rand() - 1
    v = sin(3 * x) * cos(2 * y) + sin(3 * z * x) + 0.05 * (rand() - 0.5)
    printf("%d 1:%.6f 2:%.6f 3:%.6f\n", (v > 0 ? 1 : -1), x, y, z) } }' > curved.svm
run 0 "$DPSVM" train curved.svm
says 'refined.*chosen'
run 0 "$DPSVM" train curved.svm --map.seed=1,2
says '^2 seeds of the map'

# tune: the spread of the setting that is kept
run 0 "$DPSVM" tune train.svm --kernel.type=polynomial --map.features=60 --tune.map.seed=1..4 --tune.solver.C=0.1,1 \
    --tune.folds=3 --report=tune.json
grep -Eq '^the chosen setting with 4 seeds of the map: mean 0\.[0-9]+, deviation [0-9.e-]+, from 0\.[0-9]+ to 0\.[0-9]+$' out ||
    fail 'tune does not tell the spread over seeds'
grep -q '"count":[[:space:]]*4' tune.json || fail 'the report of tune does not hold the spread'
run 0 "$DPSVM" tune train.svm --kernel.type=polynomial --map.features=60 --tune.solver.C=0.1,1 --tune.folds=3 --tune.journal=j
grep -q 'seeds of the map' out && fail 'a spread of one seed'

refused 2 'map\.seed.*1\.\.5' "$DPSVM" train train.svm --map.seed=5..1 -q
refused 2 'map\.seed.*given twice' "$DPSVM" train train.svm --map.seed=1,1..2 -q
refused 2 'map\.seed.*at most 100' "$DPSVM" train train.svm --map.seed=1..101 -q
refused 2 'map\.seed' "$DPSVM" train train.svm --map.seed= -q
refused 2 'map\.seed.*draws nothing' "$DPSVM" train train.svm --kernel.type=linear --map.seed=1..2 -q
refused 2 'map\.seed.*tune\.map\.seed' "$DPSVM" tune train.svm --map.seed=1..2 --tune.solver.C=1,2 -q
refused 2 'map\.seed.*of one seed' "$DPSVM" train train.svm --solver.warm_start=m3 --map.seed=3,4 -q

finish
