#!/bin/sh
# A row of weight k is the row k times, in everything that is fitted to the rows (means for missing values, scaling, the
# widths that are automatic, the scale of the map, the measure of degrees, balanced classes), and in every figure.
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
# figures FILE: the quality figures of a report, one a line.
figures() {
    grep -oE '"(train_|validation_|test_|majority_)?(accuracy|balanced_accuracy|macro_f1|auc|log_loss|rmse|mae|r2)": *[^,]*' "$1"
    from=classes
    grep -q '"class_metrics"' "$1" && from=class_metrics
    sed -n "/\"$from\"/,\$p" "$1" | grep -oE '"(label|rows|predicted|correct|precision|recall|f1)": *[^,]*'
}
# agree A B WHAT: the figures of two reports, to 1e-6.
agree() {
    figures "$1" > a.figures
    figures "$2" > b.figures
    [ "$(wc -l < a.figures)" -ge 5 ] || fail "few figures: $3"
    paste a.figures b.figures | awk '{ d = $2 - $4; if ($1 != $3 || d > 1e-6 || d < -1e-6) { print; bad = 1 } } END { exit bad }' >&2 ||
        fail "other figures with weights than with copies: $3"
}
# alike OPTION...: weights in a column, weights in a file and copies end at one objective, to 1e-6, with the same figures.
alike() {
    common="--data.label_column=y --solver.tolerance=1e-8 -q"
    run 0 "$DPSVM" train weighted.csv $common --data.weights=w "$@" -o w.model --report w.json
    run 0 "$DPSVM" train plain.csv $common --data.weights=weights "$@" -o f.model --report f.json
    [ "$(objective w.json)" = "$(objective f.json)" ] || fail "another objective with a file of weights: $*"
    run 0 "$DPSVM" train copies.csv $common "$@" -o c.model --report c.json
    awk -v a="$(objective w.json)" -v b="$(objective c.json)" \
        'BEGIN { d = (a - b) / b; exit !(b > 0 && d < 1e-6 && d > -1e-6) }' ||
        fail "objectives $(objective w.json) with weights, $(objective c.json) with copies: $*"
    agree w.json c.json "$*"
    agree f.json c.json "$*"
}
for scaling in max_abs min_max standard log rank none; do
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

# One model on rows with weights, and on copies: evaluate, data.test and a file in data.validation.
for options in '--solver.loss=logistic' '--solver.task=regression'; do
    # shellcheck disable=SC2086  # words
    run 0 "$DPSVM" train weighted.csv --data.label_column=y --data.weights=w --kernel.type=linear $options -q -o w.model \
        --data.test=weighted.csv --data.validation=weighted.csv --report w.json
    # shellcheck disable=SC2086
    run 0 "$DPSVM" train weighted.csv --data.label_column=y --data.weights=w --kernel.type=linear $options -q -o w.model \
        --data.test=copies.csv --data.validation=copies.csv --report c.json
    agree w.json c.json "data.test $options"
    run 0 "$DPSVM" evaluate w.model weighted.csv --report w.json
    cp out weighted.text
    run 0 "$DPSVM" evaluate w.model copies.csv --report c.json
    cp out copies.text
    figures w.json > a.figures
    figures c.json > b.figures
    paste a.figures b.figures | awk '{ d = $2 - $4; if ($1 != $3 || d > 1e-6 || d < -1e-6) exit 1 }' ||
        fail "evaluate has other figures with weights than with copies: $options"
    sed 1d weighted.text > a.text
    sed 1d copies.text > b.text
    cmp -s a.text b.text || fail "evaluate prints other figures with weights than with copies: $options"
    sed '2s/,[0-9]*,/,x,/' weighted.csv > bad.csv
    run 3 "$DPSVM" evaluate w.model bad.csv
    grep -q 'bad.csv:2:' err || fail "a bad weight is not named: $(cat err)"
    run 3 "$DPSVM" predict w.model bad.csv
    run 0 "$DPSVM" predict w.model bad.csv --data.label_column=none # nothing to weigh
    # predict says the same figure as evaluate, and as copies give
    run 0 "$DPSVM" predict w.model weighted.csv --report w.json
    grep -E 'accuracy|RMSE' err | sed 's/.* s; //; s/(.*//' > a.text
    run 0 "$DPSVM" predict w.model copies.csv --report c.json
    grep -E 'accuracy|RMSE' err | sed 's/.* s; //; s/(.*//' > b.text
    cmp -s a.text b.text || fail "predict prints other figures with weights than with copies: $options"
    # a model that knows of no weights: those that the command line names
    # shellcheck disable=SC2086
    run 0 "$DPSVM" train copies.csv --data.label_column=y --kernel.type=linear $options -q -o c.model
    run 0 "$DPSVM" evaluate c.model weighted.csv --data.weights=w
    sed 1d out > a.text
    run 0 "$DPSVM" evaluate c.model copies.csv
    sed 1d out > b.text
    cmp -s a.text b.text || fail "evaluate --data.weights prints other figures than copies: $options"
    refused 2 'data.weights = v: there is no such column' "$DPSVM" evaluate c.model weighted.csv --data.weights=v -q
    refused 2 'data.weights: column .* is a feature of the model' "$DPSVM" evaluate c.model weighted.csv --data.weights=a -q
    refused 2 'data.weights = w: there are no columns in libsvm' "$DPSVM" evaluate c.model weighted.svm --data.weights=w -q
done

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
