#!/bin/sh
# tune: settings compared by cross-validation, resumable, in shards.
. "$SOURCE/tests/cli/check.sh"

cat > c.ini <<END
[data]
train = $SOURCE/data/parity.train
[map]
features = 40
[solver]
tolerance = 1e-2
[tune]
folds = 3
solver.C = 2^-4..2^4:4
map.features = 20, 40
kernel.degree = 6,
    10
[output]
model = m.model
END
run 0 "$DPSVM" tune c.ini --report r.json
says '^tune: 12 settings, 12 paths over C and folds: 0 read from journals, 12 computed'
grep -q '^accuracy (cross-validation)' out || fail 'no heading'
lines 13 out
grep -q 'best' out && grep -q 'chosen' out || fail 'no choice'
head -1 tune.csv | grep -q '^map.features,kernel.degree,solver.C,accuracy,standard_deviation,standard_error,fold_1,fold_2,fold_3,' ||
    fail 'heading of tune.csv'
lines 13 tune.csv
[ "$(grep -c 'chosen' tune.csv)" -eq 1 ] || fail 'not one chosen setting'
grep -q '"units_computed":.*12' r.json || fail 'report'
cp tune.csv first.csv

# Scalings as values, of every kind.
run 0 "$DPSVM" tune "$SOURCE/data/parity.train" --tune.data.scaling=max_abs,standard,log,rank --map.features=40 --tune.folds=3 \
    --output.model=scaled.model --tune.table=scaled.csv --tune.journal=scaled.journal --tune.ini=scaled.ini
[ "$(grep -c '^\(max_abs\|standard\|log\|rank\),' scaled.csv)" -eq 4 ] || fail 'scalings are no settings'

# Mean and errors are those of the folds.
awk -F, 'NR > 1 { m = ($7 + $8 + $9) / 3; s = sqrt((($7 - m)^2 + ($8 - m)^2 + ($9 - m)^2) / 2)
    if ((m - $4)^2 > 1e-20 || (s - $5)^2 > 1e-20 || (s / sqrt(3) - $6)^2 > 1e-20) exit 1 }' tune.csv ||
    fail 'mean and errors are not those of the folds'

# The config that is left trains the model that is left.
run 0 "$DPSVM" train best.ini --output.model=again.model -q
same m.model again.model

# Once more: nothing is computed, the same table.
run 0 "$DPSVM" tune c.ini
says ': 12 read from journals, 0 computed'
same first.csv tune.csv

# Any number of threads gives the same table.
for threads in 1 3; do
    run 0 "$DPSVM" tune c.ini -q --run.threads=$threads --tune.journal=threads$threads.journal
    same first.csv tune.csv
done

# Killed in the middle, the search goes on; a line cut by the kill or damaged is computed again.
cp tune.journal whole.journal
head -5 whole.journal > tune.journal
sed -n 6p whole.journal | head -c 30 >> tune.journal
run 0 "$DPSVM" tune c.ini
says ': 5 read from journals, 7 computed'
same first.csv tune.csv
sed '2s/0\./0.9/' whole.journal > tune.journal
run 0 "$DPSVM" tune c.ini
says ': 11 read from journals, 1 computed'
same first.csv tune.csv
rm -f tune.journal tune.csv
"$DPSVM" tune c.ini -q > out 2> err &
pid=$!
while kill -0 $pid 2> /dev/null && [ "$(cat tune.journal 2> /dev/null | wc -l)" -lt 2 ]; do sleep 0.05; done
kill -9 $pid 2> /dev/null
wait $pid 2> /dev/null
run 0 "$DPSVM" tune c.ini
grep -Eq ': ([2-9]|1[0-2]) read from journals' err || fail 'nothing was kept of the killed search'
same first.csv tune.csv

# Other rows: other results.
sed '1s/^-1/+1/; 1t; 1s/^+1/-1/' "$SOURCE/data/parity.train" > other.train
run 0 "$DPSVM" tune c.ini --data.train=other.train
says ': 0 read from journals, 12 computed'

# Shards: each its own journal; collect wants all of them, and makes the same table and model.
rm -f tune.journal tune.csv m.model
run 0 "$DPSVM" tune c.ini --shard 1/3
says 'shard 1 of 3 is done'
silent
[ ! -e tune.csv ] && [ ! -e m.model ] || fail 'a shard wrote a table or a model'
refused 2 '8 of 12 results' "$DPSVM" tune c.ini --collect -q
run 0 env SLURM_ARRAY_TASK_ID=11 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_MAX=12 SLURM_ARRAY_TASK_COUNT=3 "$DPSVM" tune c.ini
says 'shard 2 of 3 is done'
run 0 "$DPSVM" tune c.ini --shard=3/3 -q
run 0 "$DPSVM" tune c.ini --collect
says ': 12 read from journals, 0 computed'
same first.csv tune.csv
same m.model again.model

# Random: as many settings as the budget, the same ones for the same seed.
run 0 "$DPSVM" tune c.ini -q --tune.method=random --tune.budget=5
lines 6 tune.csv
cp tune.csv random.csv
run 0 "$DPSVM" tune c.ini -q --tune.method=random --tune.budget=5 --tune.journal=another.journal
same random.csv tune.csv

# Halving: everything on few rows, a third on all of them (7,200 rows are 19 tiles: every third first).
for _ in 1 2 3 4 5 6; do cat "$SOURCE/data/parity.train"; done > many.train
run 0 "$DPSVM" tune many.train --map.features=20 --solver.tolerance=1e-2 --tune.folds=3 --tune.solver.C=2^-4..2^4:1 \
    --tune.method=halving --tune.journal=halving.journal --output.model=h.model
lines 10 tune.csv
[ "$(grep -c 'dropped' tune.csv)" -eq 6 ] || fail 'halving did not drop six of nine settings'
grep 'chosen' tune.csv | grep -q ',1,' || fail 'the chosen setting was not measured on all rows'

# Other metrics and a held-out share.
for metric in f1 auc log_loss; do
    run 0 "$DPSVM" tune c.ini -q --tune.metric=$metric --tune.holdout=0.3
    grep -q "^$metric (held-out rows)" out || fail "no table by $metric"
done

# Regression: by the root of the mean squared error, the smallest first.
awk 'BEGIN { s = 7; for (i = 0; i < 300; i++) { s = (s * 16807) % 2147483647; x = s / 1073741824 - 1
    printf "%.5f 1:%.5f\n", 100 * x * x, x } }' > square.svm
run 0 "$DPSVM" tune square.svm -q --solver.task=regression --map.features=10 --tune.solver.C=0.001,1,1000 \
    --tune.journal=square.journal
grep -q '^rmse (cross-validation)' out || fail 'regression is not compared by rmse'
sed -n 2p out | grep -q 'best' || fail 'the smallest rmse is not the first'
sed -n 4p out | grep -q 'solver.C = 0.001$' || fail 'C = 0.001 does not fit worst'
refused 2 'rmse|classes' "$DPSVM" tune square.svm -q --tune.solver.C=1,2 --tune.metric=rmse
refused 2 'task' "$DPSVM" tune square.svm -q --tune.solver.task=classification,regression

# A setting that does not work is left out and told, the others go on.
run 0 "$DPSVM" tune c.ini --map.projection=complex --tune.map.features=21,20 --tune.kernel.degree=10 --tune.solver.C=1
says 'warning: left out: map.features = 21.*even number'
grep '^21,' tune.csv | grep -q ',,,' || fail 'a setting that does not work has scores'
grep '^20,' tune.csv | grep -q 'best chosen' || fail 'the setting that works was not chosen'
rows 5 150 3 > families.svm
run 0 "$DPSVM" tune families.svm --map.features=20 --tune.map.h01=on,off --map.exact_degree=1 --tune.journal=h.journal
says 'left out: map\.h01 = off.*\(1 of 2 settings\)'
refused 2 'in the setting.*none of the others' "$DPSVM" tune families.svm -q --tune.map.h01=on,off --map.exact_degree=3

# Sparse rows: a journal is of these rows, and not of others.
awk '{ for (i = 2; i <= NF; i++) { split($i, p, ":"); $i = (p[1] + 8 * (NR % 40)) ":" p[2] } print }' families.svm > sparse.svm
set -- --kernel.type=linear --tune.solver.C=1,10 --tune.journal=sparse.journal
run 0 "$DPSVM" tune sparse.svm "$@"
says ': 0 read from journals, 5 computed'
run 0 "$DPSVM" tune sparse.svm "$@"
says ': 5 read from journals, 0 computed'
sed '7s/\(.*\):.*/\1:0.123/' sparse.svm > other.svm
run 0 "$DPSVM" tune other.svm "$@"
says ': 0 read from journals, 5 computed'

# Refused before anything is read.
refused 2 'solver.C' "$DPSVM" tune "$SOURCE/data/parity.train" -q --solver.C=auto --tune.map.features=10,20
refused 2 "unknown key 'c'.*did you mean 'C'" "$DPSVM" tune c.ini -q --tune.solver.c=1,2
refused 2 'can be searched' "$DPSVM" tune c.ini -q --tune.run.threads=1,2
refused 2 'solver.warm_start.*begin with nothing' "$DPSVM" tune c.ini -q --tune.solver.warm_start=a.model
refused 2 'folds' "$DPSVM" tune c.ini -q --tune.solver.seed=1,2
run 0 "$DPSVM" tune families.svm -q --map.features=20 --tune.solver.C=1,1 --tune.journal=twice.journal
[ "$(wc -l < tune.csv)" -eq 2 ] || fail 'a value twice is not one setting'
refused 2 'range' "$DPSVM" tune c.ini -q --tune.solver.C=2^5..2^1
refused 2 'above 0' "$DPSVM" tune c.ini -q --tune.solver.C=1,-1
refused 2 'i/n' "$DPSVM" tune c.ini -q --shard=4/3
refused 2 'one of them' "$DPSVM" tune c.ini -q --shard=1/3 --collect
refused 2 'halving' "$DPSVM" tune c.ini -q --shard=1/3 --tune.method=halving

# What the training behind the search reads and writes, tried before it.
echo '1 1:x' > bad.svm
for word in data.validation=nowhere data.test=nowhere data.validation=bad.svm data.test=bad.svm output.curve=nowhere/curve \
    output.report=nowhere/report output.plot=nowhere/plot output.model=nowhere/model; do
    echo old > tune.csv
    code=1
    [ "${word#*bad}" = "$word" ] || code=3
    refused $code 'nowhere|bad.svm:1' "$DPSVM" tune families.svm -q --map.features=20 --tune.solver.C=1,2 \
        --tune.journal=last.journal --$word
    [ "$(cat tune.csv)" = old ] || fail "searched before $word was tried"
done
refused 2 'more than once' "$DPSVM" tune c.ini -q --data.train=-
refused 2 'two classes' "$DPSVM" tune "$SOURCE/data/pinwheel.train" -q --tune.solver.C=1,2 --tune.metric=auc
# Several kernels in one search: what does not go together is left out and counted, what repeats for want of effect is
# measured once, and the best at the end of the values is told.
run 0 "$DPSVM" tune families.svm --tune.kernel.type=linear,polynomial,rbf --tune.kernel.degree=2,3 --map.features=20 \
    --tune.kernel.gamma=0.5,1 --tune.solver.C=0.01,0.1,1 --tune.map.orthogonal=off,on --tune.journal=families.journal
says 'left out: .*map\.orthogonal = on.*\([0-9]+ of 72 settings\)'
says '^tune: [0-9]+ of 72 settings repeat others'
[ "$(grep -c ',repeats$' tune.csv)" -eq 18 ] || fail "$(grep -c ',repeats$' tune.csv) settings repeat others"
! grep -Eiq '(^|,)-?(nan|inf)(,|$)' tune.csv || fail 'a setting that was not measured has no figures'
[ "$(grep -c '^rbf,\|,rbf,' tune.csv)" -gt 0 ] || fail 'no rbf in the table'
run 0 "$DPSVM" tune families.svm --kernel.type=linear --tune.solver.C=1e-6,1e-5,1e-4 --tune.choice=best --tune.journal=edge.journal
says '^next: the best solver\.C = 1e-.* is the (largest|smallest) that was tried'

# Nothing to search: the number of plain cross-validation, and no model.
rm -f plain.model
run 0 "$DPSVM" tune families.svm --kernel.type=linear --tune.folds=4 -o plain.model --tune.journal=plain.journal
grep -Eq '^accuracy by 4-fold cross-validation: [01]\.[0-9]+ \+- [0-9.]+$' out || fail 'no number of cross-validation'
[ ! -e plain.model ] || fail 'a model without a search'
run 0 "$DPSVM" tune families.svm --tune.folds=2 -o plain.model --tune.journal=auto.journal
says 'kernel\.type = auto is polynomial' # train would search
run 0 "$DPSVM" tune families.svm --kernel.type=rbf --map.features=20 --solver.type=newton --tune.solver.batch=1,64 -o x.model --tune.journal=same.journal
grep -Eq '^ *[01]\.[0-9]+ .*solver\.batch' out && [ "$(grep -c 'solver\.batch' out)" -gt 1 ] && fail 'an option without effect was measured twice'
finish
