#!/bin/sh
# dpsvm train under mpirun: every rank reads a part of the files and owns some of the rows; the model file has the bytes
# that one process writes, for any number of ranks and threads, also after it was stopped in the midst.
. "$SOURCE/tests/cli/check.sh"
. "$SOURCE/tests/cli/ranks.sh"

rows 5 30000 8 | awk 'NR % 9 == 0 { sub(/ 3:[^ ]*/, "") } NR % 50 == 0 { print "# a comment" } { print }' > all.svm
awk '/^#/ { next } { $1 = NR % 3 }; { print }' all.svm > three.svm
state=state.ckpt

# whole NAME WORDS...: the model of one process; several N THREADS NAME WORDS...: the same bytes from N ranks.
whole() {
    name=$1
    shift
    run 0 "$DPSVM" train "$@" --output.model="$name" --output.report="$name".json --output.baseline=off -q
}
several() {
    count=$1
    threads=$2
    name=$3
    shift 3
    ranks 0 "$count" train "$@" --output.model=several --output.report=several.json --run.threads="$threads"
    same "$name" several
}

# Ranks and threads.
set -- all.svm --map.features=60
whole two "$@"
for count in 2 3 4 8; do
    several $count 1 two "$@"
done
several 2 2 two "$@"
says 'dpsvm .* train: 2 ranks'
once '^ranks: 2, of 14976 to 15024 rows; seconds of the quickest to the slowest'
once 'accuracy: '
several 3 2 two "$@"
several 4 2 two "$@"
several 8 2 two "$@"
# The report is that of one process, but for what a process uses and for how it is run.
for file in two several; do
    grep -Ev '"(model|seconds|bytes|[a-z_]*memory[a-z_]*|[a-z_]*per_second|threads|run\.[a-z_]*|output\.[a-z_]*)":' $file.json |
        sed '/^\t"ranks":/,/^\t}/d' > $file.said
done
grep -q '"fewest_rows":' several.json || fail "no balance of ranks in the report"
same two.said several.said

# Several classes; weights by class; rows mapped again on every pass; a hinge; probabilities of the logistic loss.
several_kinds() {
    whole kind "$@"
    several "$kinds" 1 kind "$@"
    kinds=$((kinds % 3 + 2))
}
kinds=2
several_kinds three.svm --map.features=50 --solver.class_weight=balanced
several_kinds all.svm --map.features=50 --solver.loss=hinge --solver.type=newton
several_kinds three.svm --map.features=40 --solver.loss=logistic
several_kinds --data.train=all.svm,three.svm --map.features=40 --map.measure=variance --data.scaling=standard
several_kinds all.svm --map.features=40 --map.type=fourier --kernel.type=linear
several_kinds all.svm --map.features=400 --run.memory=40M
several_kinds all.svm --map.features=40 --data.scaling=rank
several_kinds three.svm --kernel.type=linear --data.scaling=log
# Fewer rows than columns: C on the factors of the rows.
head -300 three.svm > few_three.svm
several_kinds few_three.svm --map.features=400 --solver.C=auto --solver.type=newton
# Nothing of kernel and map is named: every rank searches, all find the same.
several_kinds three.svm --kernel.type=auto --map.features=64
# Rows held out; a test file.
several_kinds all.svm --map.features=30 --data.validation=0.2 --data.test=three.svm
awk '/^#/ { next } { v = $2; sub(/.*:/, "", v); $1 = v * v }; { print }' all.svm > numbers.svm
several_kinds numbers.svm --map.features=40 --solver.task=regression --data.validation=0.3

# dcd and sgd, at equal shards; auto that is dcd; early stopping; weights to begin with.
kinds=2
several_kinds three.svm --map.features=40 --solver.type=dcd --run.shards=4 --solver.max_iterations=15
several_kinds all.svm --map.features=40 --solver.type=sgd --run.shards=8 --solver.max_iterations=4
several_kinds numbers.svm --map.features=40 --solver.task=regression --solver.loss=epsilon_insensitive --run.shards=2 \
    --solver.max_iterations=10
several_kinds all.svm --map.features=40 --solver.loss=hinge --solver.max_iterations=10
several_kinds all.svm --map.features=40 --solver.type=sgd --run.shards=4 --solver.max_iterations=4 \
    --data.validation=0.2 --solver.early_stopping=1
run 0 "$DPSVM" train all.svm --map.features=40 --output.model=begun -q
several_kinds all.svm --solver.warm_start=begun --solver.type=newton --solver.C=4
ranks 2 2 train all.svm --map.features=2600 --output.model=none -q
once 'set solver.type = dcd'

# C by cross-validation, probabilities, a learning curve.
head -n 12000 three.svm > some.svm
several_kinds some.svm --map.features=20 --solver.C=auto --tune.folds=3 --solver.probability=on
several_kinds all.svm --map.features=20 --solver.C=auto --tune.holdout=0.3 --tune.metric=auc
run 0 "$DPSVM" train some.svm --map.features=20 --data.validation=0.2 --output.curve=one.csv -q
ranks 0 3 train some.svm --map.features=20 --data.validation=0.2 --output.curve=three.csv -q
for file in one three; do
    awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /seconds/) skip = i } { $skip = ""; print }' $file.csv > $file.curve
done
same one.curve three.curve

# The map by validation on a sample of the rows.
several_kinds all.svm --map.measure=auto --map.features=auto
awk '/^#/ { next } { for (i = 2; i <= NF; i++) { split($i, p, ":"); $i = (p[1] + 8 * (NR % 10)) ":" p[2] } print }' \
    all.svm > sparse.svm
several_kinds sparse.svm --map.measure=auto --map.features=30

# A table with a header, words, missing values and weights.
awk 'BEGIN { print "w,class,a,colour,b"; s = 7
    for (i = 0; i < 20000; i++) {
        s = (s * 16807) % 2147483647; a = s / 2147483647
        s = (s * 16807) % 2147483647; b = s / 2147483647
        printf "%.2f,%s,%s,%s,%.5f\n", 1 + a, (a + 0.2 * b > 0.6 ? "yes" : "no"), (s % 11 == 0 ? "NA" : a),
            (i > 15000 && s % 5 == 0 ? "late" : substr("redtanblu", 3 * (s % 3) + 1, 3)), b
    } }' > table.csv
several_kinds table.csv --map.features=40 --data.missing=mean --data.weights=w
gzip -k table.csv
several_kinds table.csv.gz --map.features=40 --data.missing=zero --data.weights=w

# Fewer rows than units: some ranks have none, and say so.
head -n 4000 all.svm > few.svm
whole few few.svm --map.features=30
several 3 1 few few.svm --map.features=30
says 'note: 2 of 3 ranks have no rows'

# Few rows and a large C: the interior point method ends them, whichever ranks have them.
head -n 900 all.svm > fewest.svm
for shards in 1 4; do
    set -- fewest.svm --map.features=600 --kernel.gamma=10 --solver.loss=hinge --solver.C=1e7 --solver.tolerance=1e-5 \
        --run.shards=$shards
    whole ended "$@"
    grep -q '"interior"' ended.json || fail "not ended by the interior point method"
    several 2 1 ended "$@"
    several 3 2 ended "$@"
done

# The first fault of the input, with its line, said once.
awk 'NR == 11111 { print "1 2:x"; next } NR == 22222 { print "1 y"; next } { print }' all.svm > bad.svm
ranks 3 3 train --data.train=few.svm,bad.svm --kernel.type=polynomial --output.model=none -q
once 'bad.svm:11111:[0-9]+: "2:x"'
once '^dpsvm: '
[ ! -e none ] || fail "a model of bad rows"
ranks 1 2 train --data.train=few.svm,missing.svm --kernel.type=polynomial --output.model=none -q
once '^dpsvm: .*missing.svm'

# What several processes cannot do is refused, with what to do.
ranks 2 2 train --data.train=- --kernel.type=polynomial --output.model=none -q
once 'standard input or a pipe'
ranks 2 2 train --data.train=missing.svm --kernel.type=polynomial --map.seed=1..3 --output.model=none -q
once 'map\.seed: .*one seed'
ranks 2 2 train all.svm --kernel.type=polynomial --data.cache=rows.cache --output.model=none -q
once 'data\.cache is for one process'

# Checkpoints: saving changes nothing; a run that is stopped goes on, on another number of ranks.
set -- all.svm --map.features=80 --solver.loss=hinge --solver.type=newton --solver.tolerance=1e-10 \
    --solver.max_iterations=60
whole slow "$@"
several 3 1 slow "$@" --run.checkpoint=$state --run.checkpoint_every=0
[ ! -e $state ] || fail "the checkpoint is still there"
ranks 75 2 train "$@" --output.model=none --run.checkpoint=$state --run.time_limit=0.01
says 'run.time_limit is reached after iteration [0-9]+'
ranks 75 3 train "$@" --output.model=none --run.checkpoint=$state --run.time_limit=0.01
says 'resuming newton after iteration'
run 75 "$DPSVM" train "$@" --output.model=none --run.checkpoint=$state --run.time_limit=0.01
says 'resuming newton after iteration'
several 2 1 slow "$@" --run.checkpoint=$state
says 'resuming newton after iteration'
[ ! -e $state ] || fail "the checkpoint is still there"
ranks 75 2 train "$@" --output.model=none --run.checkpoint=$state --run.time_limit=0.01
ranks 2 2 train "$@" --solver.C=3 --output.model=none --run.checkpoint=$state -q
once 'solver.C was 1, now 3'
ranks 2 2 train numbers.svm "$@" --solver.C=1 --output.model=none --run.checkpoint=$state -q
rm -f $state

for kind in 'dcd 4 auto' 'sgd 4 auto' 'dcd 1 300' 'sgd 1 300'; do
    solver=${kind%% *} batch=${kind##* } shards=${kind#* }
    set -- three.svm --map.features=40 --solver.type="$solver" --run.shards="${shards% *}" --solver.batch="$batch" \
        --solver.tolerance=1e-13 --solver.max_iterations=6
    whole slow "$@"
    ranks 75 3 train "$@" --output.model=none --run.checkpoint=$state --run.time_limit=0.01
    ranks 75 2 train "$@" --output.model=none --run.checkpoint=$state --run.time_limit=0.01
    says "resuming $solver after iteration"
    several 4 1 slow "$@" --run.checkpoint=$state
done

# A signal to one of the ranks stops all of them.
one_of() { # one_of SIGNAL: to the last process of the launch
    pid=$(pgrep -n -f "^$DPSVM train all.svm --output.model=none") && kill -"$1" "$pid"
}
# shellcheck disable=SC2086  # words
$MPIRUN -n 2 "$DPSVM" train all.svm --output.model=none --map.features=300 --solver.loss=hinge --solver.type=newton \
    --solver.tolerance=1e-14 --solver.max_iterations=5000 --run.checkpoint=$state --run.checkpoint_every=0 2> err &
launcher=$!
tries=0
while [ ! -e $state ] && [ $tries -lt 300 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
one_of USR1
wait $launcher
status=$?
[ $status -eq 75 ] || fail "status $status after a signal to one rank"
says 'stopped by a signal after iteration [0-9]+ of newton; saved in state.ckpt'
finish
