#!/bin/sh
# A class of a few rows: folds and samples that have none of it say nothing, are left out, and nothing is chosen by them.
. "$SOURCE/tests/cli/check.sh"

# rows N EVERY: every EVERY-th row is positive, and lies a little apart.
rows() {
    awk -v n="$1" -v every="$2" 'BEGIN { srand(3); for (i = 0; i < n; i++) { p = i % every == 5
        printf("%d 1:%.4f 2:%.4f 3:%.4f\n", (p ? 1 : -1), rand() + (p ? 0.6 : 0), rand() - (p ? 0.4 : 0), rand()) } }'
}
rows 200 60 > three.svm
[ "$(grep -c '^1' three.svm)" -eq 4 ] && sed -i '186s/^1/-1/' three.svm
[ "$(grep -c '^1' three.svm)" -eq 3 ] || fail 'three.svm does not have three positives'
rows 100000 6800 > many.svm
[ "$(grep -c '^1' many.svm)" -eq 15 ] || fail 'many.svm does not have 15 positives'

# measured: no mean in the tables is no number.
measured() {
    grep -i 'nan' err out && fail "a mean is no number with $*"
    return 0
}
small="--kernel.type=polynomial --kernel.degree=2 --map.features=30"
for metric in auc f1 log_loss; do
    run 0 "$DPSVM" train three.svm -o c.model $small --solver.C=auto --tune.metric=$metric --report c.json
    measured $metric
    grep -q '  chosen (smallest' err || fail "no C is chosen by $metric"
    grep -A4 '"candidates"\|"standard_error"' c.json | grep -q '"standard_error":.*null' && fail "an error is missing with $metric"
    says 'class 1 has 3 rows, fewer than the 5 folds'

    run 0 "$DPSVM" tune three.svm $small --tune.solver.C=1,100 --tune.metric=$metric -o t.model
    measured $metric
    cut -d, -f2 tune.csv | grep -q '^$' && fail "tune.csv has an empty mean of $metric"

    run 0 "$DPSVM" train three.svm -o a.model --tune.metric=$metric
    measured $metric
    says ' chosen$'

    run 0 "$DPSVM" train three.svm -o m.model --kernel.type=polynomial --kernel.degree=2 --map.measure=auto \
        --map.features=auto --tune.metric=$metric
    measured $metric
done

# One fold of five holds the only positive row: measured there. A held-out share never holds it: refused.
grep -v '^1' three.svm | head -99 > one.svm
grep '^1' three.svm | head -1 >> one.svm
run 0 "$DPSVM" train one.svm -o c.model $small --solver.C=auto --tune.metric=auc
measured one
for search in --solver.C=auto --map.features=auto '--solver.C=auto --map.measure=auto'; do
    refused 2 'tune.metric.*auc needs held-out rows of two classes' \
        "$DPSVM" train one.svm --kernel.type=polynomial $search --tune.metric=auc --tune.holdout=0.2 -q
done
refused 2 'tune.metric.*f1 needs held-out rows of two classes' \
    "$DPSVM" train one.svm --kernel.type=auto --tune.metric=f1 --tune.holdout=0.2 -q
run 2 "$DPSVM" tune one.svm $small --tune.solver.C=1,2 --tune.metric=auc --tune.holdout=0.2
says 'auc needs held-out rows of two classes'
says 'no setting of \[tune\] works'
refused 2 'solver.probability.*tune.folds' "$DPSVM" train one.svm $small --solver.probability=on --tune.holdout=0.2 -q
run 0 "$DPSVM" train one.svm $small --solver.probability=on -q -o p.model

# Rows that end the training must have a score.
grep -v '^1' three.svm | head -40 > negatives.svm
refused 2 'solver.early_stopping.*auc needs rows of two classes' "$DPSVM" train three.svm $small --solver.type=sgd \
    --solver.early_stopping=3 --tune.metric=auc --data.validation=negatives.svm -q

# 15 of 100,000: the sample that chooses has them.
run 0 "$DPSVM" train many.svm -o m.model --kernel.type=polynomial --kernel.degree=2 --map.features=auto --tune.metric=auc \
    --solver.C=1 --output.baseline=off
measured many
grep -q 'fewer than' err && fail 'the sample lost the rare class'
says '^features by 5-fold cross-validation on 4110 rows'
run 0 "$DPSVM" train many.svm -o h.model --tune.metric=auc --solver.C=1 --kernel.type=auto --map.features=64
measured many
says '^ auc by .* rows:$'

# halving thins no class away.
run 0 "$DPSVM" tune many.svm $small --tune.solver.C=0.1,1,10,100 --tune.method=halving --tune.metric=auc
measured halving
grep -q dropped tune.csv && fail 'settings were dropped by rounds on rows without the rare class'
finish
