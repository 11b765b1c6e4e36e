#!/bin/sh
# Weights of rows: a row of weight 2 counts as two rows, from a column or from a file, with every solver.
. "$SOURCE/tests/cli/check.sh"

awk 'BEGIN { print "y,w,a,b"; for (i = 0; i < 60; i++) { y = i * 7 % 3 ? 1 : -1
     print y "," i % 2 + 1 "," y * 2 + i * 37 % 50 / 10 "," i * 11 % 100 / 20 } }' > rows.csv
awk -F, 'NR == 1 { print "y,a,b"; next } { for (k = 0; k < $2; k++) print $1 "," $3 "," $4 }' rows.csv > twice.csv
cut -d, -f1,3,4 rows.csv > plain.csv
awk -F, 'NR > 1 { print $2 }' rows.csv > weights
awk -F, 'NR > 1 { print $1 " 1:" $3 " 2:" $4 }' rows.csv > rows.svm
settings='--kernel.type=linear --map.scale=none --solver.tolerance=1e-7 --solver.max_iterations=100000'

# objective FILE: of the report
objective() {
    sed -n 's/^[[:space:]]*"objective":[[:space:]]*\([0-9.e+-]*\),*$/\1/p' "$1" | head -1
}
# near A B: equal but for the gap both runs may leave (1e-7 of the objective each)
near() {
    awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(a > 0 && d * d < 1e-12 * a * a) }' || fail "objectives $1 and $2 differ"
}

for solver in newton dcd; do
    for class_weight in none balanced; do
        # shellcheck disable=SC2086  # words
        run 0 "$DPSVM" train rows.csv $settings --solver.type=$solver --data.weights=w --output.model=w.model \
            --solver.class_weight=$class_weight --report=w.json
        says 'weights in column 2 \(w\)'
        # shellcheck disable=SC2086
        run 0 "$DPSVM" train twice.csv $settings --solver.type=$solver --output.model=twice.model --report=twice.json \
            --solver.class_weight=$class_weight
        near "$(objective w.json)" "$(objective twice.json)"
        # shellcheck disable=SC2086
        run 0 "$DPSVM" train plain.csv $settings --solver.type=$solver --output.model=file.model --report=file.json \
            --data.weights=weights --solver.class_weight=$class_weight
        says 'weights in weights'
        near "$(objective file.json)" "$(objective w.json)"
        # shellcheck disable=SC2086
        run 0 "$DPSVM" train rows.svm $settings --solver.type=$solver --output.model=svm.model --report=svm.json \
            --data.weights=weights --solver.class_weight=$class_weight
        near "$(objective svm.json)" "$(objective w.json)"
    done
done
# shellcheck disable=SC2086
run 0 "$DPSVM" train plain.csv $settings --output.model=plain.model --report=plain.json
awk -v a="$(objective plain.json)" -v b="$(objective w.json)" 'BEGIN { exit !(b > 1.1 * a) }' || fail 'weights change nothing'

# A relative file is looked for beside the INI; at prediction the column is no feature.
mkdir folder
cp plain.csv weights folder
printf '[data]\ntrain = plain.csv\nweights = weights\n[output]\nmodel = m.model\n' > folder/run.ini
run 0 "$DPSVM" train folder/run.ini
says 'weights in folder/weights'
run 0 "$DPSVM" predict w.model rows.csv -q
cp out with
run 0 "$DPSVM" predict w.model plain.csv -q
same out with

head -5 weights > few
refused 3 'few: 5 weights for 60 rows' "$DPSVM" train plain.csv --data.weights=few -q
sed '4s/.*/-1/' weights > negative
refused 3 'negative:4: "-1": expected the weight of a row' "$DPSVM" train plain.csv --data.weights=negative -q
sed '4s/,[12],/,0,/' rows.csv > zero.csv
refused 3 'zero\.csv:4:.*column 2 \(w\): "0": a weight must be' "$DPSVM" train zero.csv --data.weights=w -q
refused 2 'data\.weights = nothing: there is no such column' "$DPSVM" train plain.csv --data.weights=nothing -q
refused 2 'data\.weights = nothing: there are no columns in libsvm text, and no such file' \
    "$DPSVM" train rows.svm --data.weights=nothing -q
refused 2 'column 1 \(y\) is both data\.label_column and data\.weights' \
    "$DPSVM" train rows.csv --data.weights=y --data.label_column=y -q

finish
