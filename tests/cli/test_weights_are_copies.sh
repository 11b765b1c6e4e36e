#!/bin/sh
# A row of weight k is the row k times, in everything that is fitted to the rows: scaling, the widths that are automatic,
# the scale of the map, the measure of degrees, balanced classes.
. "$SOURCE/tests/cli/check.sh"

awk 'BEGIN { srand(3); print "y,w,a,b,c,d"
    for (i = 0; i < 120; i++) {
        y = i % 3 == 0
        printf "%d,%d", y, 1 + int(5 * rand() * rand())
        for (j = 0; j < 4; j++) { v = 3 * j * (rand() - 0.3) + y * (j == 1); printf ",%.3f", rand() < 0.3 ? 0 : v }
        print "" } }' > weighted.csv
awk -F, 'NR == 1 { print "y,a,b,c,d" } NR > 1 { for (k = 0; k < $2; k++) print $1 "," $3 "," $4 "," $5 "," $6 }' \
    weighted.csv > copies.csv
awk -F, 'NR > 1 { print $2 }' weighted.csv > weights
cut -d, -f1,3- weighted.csv > plain.csv
awk -F, 'NR > 1 { line = $1; for (j = 3; j <= NF; j++) if ($j != 0) line = line " " j - 2 ":" $j; print line }' weighted.csv > weighted.svm
awk -F, 'NR > 1 { line = $1; for (j = 2; j <= NF; j++) if ($j != 0) line = line " " j - 1 ":" $j; print line }' copies.csv > copies.svm

objective() {
    sed -n 's/^[[:space:]]*"objective":[[:space:]]*\([0-9.e+-]*\),*$/\1/p' "$1" | head -1
}
# alike OPTION...: weights in a column, weights in a file and copies end at one objective, to 1e-6.
alike() {
    common="--data.label_column=y --solver.tolerance=1e-8 -q"
    run 0 "$DPSVM" train weighted.csv $common --data.weights=w "$@" -o w.model --report w.json
    run 0 "$DPSVM" train plain.csv $common --data.weights=weights "$@" -o f.model --report f.json
    [ "$(objective w.json)" = "$(objective f.json)" ] || fail "another objective with a file of weights: $*"
    run 0 "$DPSVM" train copies.csv $common "$@" -o c.model --report c.json
    awk -v a="$(objective w.json)" -v b="$(objective c.json)" \
        'BEGIN { d = (a - b) / b; exit !(b > 0 && d < 1e-6 && d > -1e-6) }' ||
        fail "objectives $(objective w.json) with weights, $(objective c.json) with copies: $*"
}
for scaling in max_abs min_max standard none; do
    alike --kernel.type=linear --data.scaling=$scaling
    alike --kernel.type=linear --data.scaling=$scaling --data.normalize=unit --solver.type=dcd
done
alike --kernel.type=linear --data.scaling=standard --solver.class_weight=balanced
alike --kernel.type=linear --solver.class_weight=balanced --solver.loss=logistic
alike --kernel.type=exponential --map.features=60
alike --kernel.type=exponential --map.features=60 --data.scaling=standard --solver.loss=hinge
alike --kernel.type=polynomial --kernel.degree=3 --map.features=60 --map.measure=coefficient
alike --kernel.type=polynomial --map.features=60 --map.projection=gaussian
alike --map.type=fourier --map.features=60
alike --map.type=fourier --map.features=60 --map.gamma=scale --data.scaling=standard
alike --map.type=fourier --map.base=laplacian --map.features=60
alike --map.type=compositional --kernel.type=exponential --kernel.sigma=1 --map.features=60
alike --solver.task=regression --kernel.type=exponential --map.features=60

# Means for missing values; a cache knows them by the weights that they were made with.
mkdir gaps
for name in weighted plain copies; do
    awk -F, -v OFS=, 'NR > 1 { for (j = NF - 2; j <= NF; j++) if ($j ~ /[257]$/) $j = "" } { print }' $name.csv > gaps/$name.csv
done
cp weights gaps
cd gaps || fail "no folder"
alike --kernel.type=linear --data.missing=mean
alike --kernel.type=linear --data.missing=mean --data.scaling=standard
alike --kernel.type=linear --data.missing=mean --data.cache=rows.cache
run 0 "$DPSVM" train plain.csv --data.label_column=y --data.weights=weights --data.missing=mean --kernel.type=linear \
    --data.cache=files.cache -q -o w.model
run 0 "$DPSVM" train plain.csv --data.label_column=y --data.weights=weights --data.missing=mean --kernel.type=linear \
    --data.cache=files.cache -o w.model
grep -q 'the rows come from files.cache' err || fail "a cache with a file of weights is not used: $(cat err)"
awk '{ print NR % 2 ? 9 : 1 }' ../weights > weights
run 0 "$DPSVM" train plain.csv --data.label_column=y --data.weights=weights --data.missing=mean --kernel.type=linear \
    --data.cache=files.cache -o w.model
grep -q 'files.cache is made again' err || fail "a cache outlives its weights: $(cat err)"
cd .. || fail "no folder"

# Sparse text, and without weights of 1 nothing changes.
run 0 "$DPSVM" train weighted.svm --data.weights=weights --data.scaling=standard --kernel.type=exponential --map.features=60 \
    --solver.tolerance=1e-8 -q -o w.model --report w.json
run 0 "$DPSVM" train copies.svm --data.scaling=standard --kernel.type=exponential --map.features=60 --solver.tolerance=1e-8 -q \
    -o c.model --report c.json
awk -v a="$(objective w.json)" -v b="$(objective c.json)" 'BEGIN { d = (a - b) / b; exit !(b > 0 && d < 1e-6 && d > -1e-6) }' ||
    fail "sparse: $(objective w.json) and $(objective c.json)"
sed 's/.*/1/' weights > ones
for options in '--kernel.type=exponential --data.scaling=standard' '--map.type=fourier' '--map.type=fourier --map.gamma=scale'; do
    # shellcheck disable=SC2086  # words
    run 0 "$DPSVM" train weighted.svm --data.weights=ones $options -q -o ones.model
    # shellcheck disable=SC2086
    run 0 "$DPSVM" train weighted.svm $options -q -o none.model
    run 0 "$DPSVM" predict ones.model weighted.svm --scores -q
    cp out ones.scores
    run 0 "$DPSVM" predict none.model weighted.svm --scores -q
    paste out ones.scores | awk '{ d = $1 - $2; if (d * d > 1e-10) exit 1 }' || fail "weights of 1 change scores: $options"
done

finish
