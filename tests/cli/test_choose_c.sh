#!/bin/sh
# solver.C = auto: C by cross-validation.
. "$SOURCE/tests/cli/check.sh"

rows 5 400 3 > train.svm
run 0 "$DPSVM" train "$SOURCE/data/parity.train" -o auto.model --map.features=60 --solver.C=auto --report r.json
says '^C by 5-fold cross-validation in .* s: accuracy, mean and standard deviation over folds:$'
[ "$(grep -c '^  C = ' err)" -ge 6 ] || fail 'fewer than six values of C in the table'
[ "$(grep -c ' best' err)" -eq 1 ] || fail 'not one best C'
[ "$(grep -c ' chosen' err)" -eq 1 ] || fail 'not one chosen C'
grep '^  C = ' err | awk '{ if ($3 <= last) exit 1; last = $3 }' || fail 'the table is not in the order of C'
C=$(sed -n 's/^  C = \([^ ]*\) .*chosen.*/\1/p' err)
grep -q '"C_search":' r.json || fail 'the report has no search'
run 0 "$DPSVM" info auto.model
grep -q "C = $C," out || fail "the model does not hold the chosen C = $C"

# The model is the one that the chosen C gives, byte for byte, on any number of threads.
run 0 "$DPSVM" train "$SOURCE/data/parity.train" -o given.model --map.features=60 --solver.C="$C" -q
same auto.model given.model
for threads in 1 3; do
    run 0 "$DPSVM" train "$SOURCE/data/parity.train" -o t.model --map.features=60 --solver.C=auto -q --run.threads=$threads
    same auto.model t.model
done

# The seed of folds, the folds and a held-out share may lead to another C, but each says what it did.
run 0 "$DPSVM" train train.svm -o s.model --kernel.type=linear --solver.C=auto --tune.holdout=0.25
says '^C by held-out rows'
run 0 "$DPSVM" train train.svm -o s.model --kernel.type=linear --solver.C=auto --solver.loss=hinge --tune.metric=auc
says 'auc, mean'
run 0 "$DPSVM" train train.svm -o s.model --kernel.type=linear --solver.C=auto --tune.metric=log_loss
says 'log_loss, mean'

# Too few rows for the folds; a metric for two classes on five.
printf '1 1:1\n-1 1:-1\n1 1:2\n' > three.svm
refused 2 'tune.folds' "$DPSVM" train three.svm --solver.C=auto -q
refused 2 'tune.metric.*two classes' "$DPSVM" train "$SOURCE/data/pinwheel.train" --solver.C=auto --tune.metric=auc -q
refused 2 'solver.C.*auto' "$DPSVM" train train.svm --solver.C=automatic -q
finish
