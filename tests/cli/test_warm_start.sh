#!/bin/sh
# solver.warm_start: training goes on from the weights of a model, with its features.
. "$SOURCE/tests/cli/check.sh"

rows 21 700 4 > first.svm
rows 22 500 4 > second.svm
steps() { sed -n 's/^solver: .* converged after \([0-9]*\) .*/\1/p' err; }
objective() { sed -n 's/^objective: \([0-9.]*\),.*/\1/p' err; }

# the same rows: newton is done at once, at the same objective
run 0 "$DPSVM" train first.svm --kernel.type=polynomial --map.features=60 --map.seed=5 --solver.C=3 --output.model=m
cold=$(objective)
run 0 "$DPSVM" train first.svm --solver.warm_start=m --output.model=again
says '^warm start: from m, of 700 rows; features, scaling and classes are its own$'
[ "$(steps)" -eq 0 ] || fail "newton took $(steps) steps from the optimum"
[ "$(objective)" = "$cold" ] || fail "objective $(objective) instead of $cold"
run 0 "$DPSVM" predict m second.svm --scores -o m.scores
run 0 "$DPSVM" predict again second.svm --scores -o again.scores
same m.scores again.scores

# what is not set is the model's, also what was automatic: the header says so
header() { grep -a "^$1" "$2"; }
run 0 "$DPSVM" train second.svm --solver.warm_start=m --output.model=n
header 'map\.\|kernel\.\|data\.\(scaling\|normalize\|row_factor\)\|solver.\(C\|bias\|loss\)' m | grep -v radius > a
header 'map\.\|kernel\.\|data\.\(scaling\|normalize\|row_factor\)\|solver.\(C\|bias\|loss\)' n | grep -v radius > b
same a b

# sgd begins where newton ended: nearer after one epoch than from nothing
for start in '' --solver.warm_start=m; do
    run 0 "$DPSVM" train first.svm --kernel.type=polynomial --map.features=60 --map.seed=5 --solver.C=3 --solver.type=sgd \
        --solver.max_iterations=1 ${start:+"$start"} --output.model=s --output.curve="curve$start.csv"
done
awk -F, 'FNR == 2 { P[++n] = $4 } END { exit !(P[2] < 0.7 * P[1]) }' curve.csv curve--solver.warm_start=m.csv ||
    fail 'sgd does not begin at the weights'

# any loss goes on; logistic and its probabilities
run 0 "$DPSVM" train second.svm --solver.warm_start=m --solver.loss=logistic --output.model=l
run 0 "$DPSVM" predict l second.svm --proba -o proba
# the result is that of the new rows alone: the optimum does not depend on the start
run 0 "$DPSVM" train second.svm --solver.warm_start=m --solver.tolerance=1e-9 --output.model=warm
warm=$(objective)
run 0 "$DPSVM" train second.svm --solver.warm_start=again --solver.tolerance=1e-9 --run.threads=3 --output.model=threads
same warm threads
awk -v a="$warm" -v b="$(objective)" 'BEGIN { d = a / b - 1; exit d > 1e-6 || d < -1e-6 }' || fail 'another optimum'

# a checkpoint is of the model that the work began at
set -- first.svm --solver.type=sgd --solver.tolerance=1e-13 --solver.max_iterations=40 --run.checkpoint=state -q
cp m begun
run 75 "$DPSVM" train "$@" --solver.warm_start=begun --run.time_limit=1e-6 --output.model=stopped
refused 2 'solver.warm_start was begun, now n' "$DPSVM" train "$@" --solver.warm_start=n --output.model=stopped
cp n begun
refused 2 'state: .*is of other data' "$DPSVM" train "$@" --solver.warm_start=begun --output.model=stopped
cp m begun
run 0 "$DPSVM" train "$@" --solver.warm_start=begun --output.model=resumed
run 0 "$DPSVM" train "$@" --solver.warm_start=begun --output.model=whole
same whole resumed

# options that agree are fine, others are refused by name
run 0 "$DPSVM" train second.svm --solver.warm_start=m --kernel.type=polynomial --kernel.degree=10 --map.features=60 --map.seed=5 \
    --data.scaling=max_abs --solver.bias=1 --kernel.sigma=auto --solver.C=10
for option in map.seed=6 map.features=61 map.projection=gaussian map.p=3 map.scale=none map.h01=off kernel.degree=3 \
    kernel.type=linear kernel.gamma=2 data.scaling=standard data.normalize=unit solver.bias=0; do
    refused 2 "${option%=*}: the model of solver\.warm_start has" \
        "$DPSVM" train second.svm --solver.warm_start=m --$option -q
done
refused 2 'solver\.task: the model of solver\.warm_start is of classification' \
    "$DPSVM" train second.svm --solver.warm_start=m --solver.task=regression -q
refused 2 'solver\.type: dcd moves multipliers' "$DPSVM" train second.svm --solver.warm_start=m --solver.type=dcd -q
refused 1 'none\.model' "$DPSVM" train second.svm --solver.warm_start=none.model -q
refused 3 'second\.svm' "$DPSVM" train second.svm --solver.warm_start=second.svm -q
refused 2 'warm_start.*tune without' "$DPSVM" tune second.svm --solver.warm_start=m --tune.solver.C=1,2 -q
sed 's/^+1/7/' second.svm > other.svm
refused 2 'label 7, which is no class of the model' "$DPSVM" train other.svm --solver.warm_start=m -q

# bent columns are the model's as well
for scaling in log rank; do
    run 0 "$DPSVM" train first.svm --data.scaling=$scaling --map.features=60 --output.model=bent
    run 0 "$DPSVM" info bent --json
    sed -n '/"columns"/,/]$/p' out > a
    run 0 "$DPSVM" train second.svm --solver.warm_start=bent --output.model=on
    run 0 "$DPSVM" info on --json
    sed -n '/"columns"/,/]$/p' out > b
    same a b
    refused 2 'data\.scaling: the model of solver\.warm_start has' \
        "$DPSVM" train second.svm --solver.warm_start=bent --data.scaling=max_abs -q
done

# in place
cp m place
run 0 "$DPSVM" train second.svm --solver.warm_start=place --output.model=place
same place n

# tables: columns by name, new ones left out, code books the model's; a class without new rows stays
awk 'BEGIN { print "y,colour,size"; s = 5; for (i = 0; i < 600; i++) { s = (s * 16807) % 2147483647
    c = i % 3; print substr("abc", c + 1, 1) "," (c == 0 ? "red" : c == 1 ? "blue" : "green") "," s / 2147483647 } }' > t1.csv
awk 'BEGIN { print "new,size,y,colour"; s = 6; for (i = 0; i < 200; i++) { s = (s * 16807) % 2147483647
    c = i % 2; print i "," s / 2147483647 "," substr("ab", c + 1, 1) "," (c == 0 ? "red" : "blue") } }' > t2.csv
run 0 "$DPSVM" train t1.csv --kernel.type=polynomial --kernel.degree=2 --output.model=t1
run 0 "$DPSVM" train t2.csv --solver.warm_start=t1 --data.validation=0.25 --solver.class_weight=balanced --output.model=t2 --output.curve=t.csv
says '^validation accuracy: 100'
header 'class\.\|column\.' t1 > a
header 'class\.\|column\.' t2 > b
same a b
run 0 "$DPSVM" predict t2 t1.csv -o labels
lines 600 labels

# regression, and wide rows, where newton has no place: sgd
run 0 "$DPSVM" train first.svm --solver.task=regression --kernel.type=polynomial --solver.epsilon=0.2 --output.model=r
run 0 "$DPSVM" train second.svm --solver.warm_start=r --output.model=r2
header 'task\|solver.epsilon' r > a
header 'task\|solver.epsilon' r2 > b
same a b
awk 'BEGIN { s = 9; for (i = 0; i < 400; i++) { line = ""
    for (j = 0; j < 25; j++) { line = line " " 240 * j + s % 240 + 1 ":1"; s = (s * 16807) % 2147483647 }
    print (i % 2 ? 1 : -1) line " " 6001 + i % 2 ":1" } }' > wide.svm
run 0 "$DPSVM" train wide.svm --kernel.type=linear --output.model=w
run 0 "$DPSVM" train wide.svm --solver.warm_start=w --output.model=w2
says 'sgd ended at a gap of .* interior point'

finish
