#!/bin/sh
# What train says when it is done: baselines, a table of the classes, advice; the same in the report.
. "$SOURCE/tests/cli/check.sh"

# number FILE KEY: the first value of "KEY" in a report
number() {
    sed -n "s/.*\"$2\":[[:space:]]*\([0-9.eE+-]*\),*\$/\1/p" "$1" | head -1
}

# x1 x2 > 0 decides: no line does, the map does
awk 'BEGIN { s = 3; for (i = 0; i < 1500; i++) { s = (s * 16807) % 2147483647; a = s / 2147483647 - 0.5
    s = (s * 16807) % 2147483647; b = s / 2147483647 - 0.5
    print (a * b > 0 ? "same" : "apart") "," a "," b } }' > cross.csv
run 0 "$DPSVM" train cross.csv --kernel.type=polynomial --data.validation=0.2 --report=r.json --output.model=m
says '^accuracy: 9[0-9.]+ % of the 1200 training rows \(always guessing the largest class: 5[0-9.]+ %; a linear SVM: [3-6][0-9.]+ %\)$'
says '^validation accuracy: 9[0-9.]+ % of 300 rows \(a linear SVM: [3-6][0-9.]+ %\)$'
says '^classes on the validation rows:$'
says '^  class +rows  precision +recall +F1$'
grep -q '^next:' err && fail 'advice for a good model'

# the table is that of evaluate, on the training rows where there are no others
run 0 "$DPSVM" train cross.csv --kernel.type=polynomial --report=all.json --output.model=all
says '^classes on the training rows:$'
awk '$1 == "same" || $1 == "apart" { print $1, $2, $3, $4, $5 }' err > train.table
run 0 "$DPSVM" evaluate all cross.csv
awk '($1 == "same" || $1 == "apart") && NF == 5 { print }' out | awk '{ print $1, $2, $3, $4, $5 }' > evaluate.table
same train.table evaluate.table
lines 2 train.table

# the linear baseline is the linear SVM: with all rows it has the same accuracy
run 0 "$DPSVM" train cross.csv --kernel.type=linear --solver.tolerance=0.02 --solver.type=newton --output.model=line --report=line.json
[ "$(number all.json train_accuracy)" != "$(number line.json train_accuracy)" ] || fail 'the map is no better than a line'
linear=$(sed -n 's/.*a linear SVM: \([0-9.]*\) %.*/\1/p' err)
[ -z "$linear" ] || fail 'a linear model is compared with itself'
awk -v a="$(sed -n '/"linear_baseline"/,/}/s/.*"train_accuracy":[[:space:]]*\([0-9.]*\),*$/\1/p' all.json)" \
    -v b="$(number line.json train_accuracy)" 'BEGIN { exit a == "" || a - b > 0.005 || b - a > 0.005 }' ||
    fail 'the baseline is not the linear SVM'

# it changes nothing, and can be left out
run 0 "$DPSVM" train cross.csv --kernel.type=polynomial --output.baseline=off --output.model=off --report=off.json
same all off
says '\(always guessing the largest class: 5[0-9.]+ %\)$'
grep -q '"linear_baseline":[[:space:]]*null' off.json || fail 'a baseline that was switched off is reported'
run 0 "$DPSVM" train cross.csv --kernel.type=polynomial --run.threads=3 --output.model=off --report=threads.json
[ "$(number threads.json train_accuracy)" = "$(number all.json train_accuracy)" ] || fail 'threads change the accuracy'
sed -n '/"linear_baseline"/,/accuracy"/p' all.json > a
sed -n '/"linear_baseline"/,/accuracy"/p' threads.json > b
same a b

# a file's classes
head -300 cross.csv > test.csv
run 0 "$DPSVM" train cross.csv --kernel.type=polynomial --data.test=test.csv --report=t.json
says '^classes on the test rows:$'
sed -n '/"test":/,/]/p' t.json | grep -q '"recall"' || fail 'the report has no classes of the test rows'

# one class in twenty, told apart by little: never found, and the advice mends it
awk 'BEGIN { s = 8; for (i = 0; i < 1000; i++) { y = i % 20 == 0
    s = (s * 16807) % 2147483647; a = s / 2147483647; s = (s * 16807) % 2147483647
    print y "," a + 0.4 * y "," s / 2147483647 } }' > rare.csv
run 0 "$DPSVM" train rare.csv --kernel.type=polynomial --solver.C=0.1 --report=rare.json
says '^next: class 1 is rare and hardly found \(recall 0\.[01].\): try solver\.class_weight = balanced$'
grep -q 'class 1 is rare' rare.json || fail 'the report holds no advice'
run 0 "$DPSVM" train rare.csv --kernel.type=polynomial --solver.C=0.1 --solver.class_weight=balanced
grep -q 'is rare' err && fail 'the advice did not help'
grep -q '^next: no better' err && fail 'a model of weighted classes is measured by its accuracy'

# nothing found at all: told with what is set
run 0 "$DPSVM" train rare.csv --kernel.type=polynomial --solver.C=1e-4
says '^next: no better than guessing the largest class on the training rows \(mean recall 0\.50\): try solver\.C = auto \(now 0\.0001\), solver\.class_weight = balanced \(now none\), data\.scaling = standard \(now max_abs\), another kernel \(map\.type = fourier; now kernel\.type = polynomial\)$'

# a perfect classifier of one row in 200 is not called guessing
awk 'BEGIN { s = 8; for (i = 0; i < 1000; i++) { y = i % 200 == 0
    s = (s * 16807) % 2147483647; print y "," s / 2147483647 + 3 * y } }' > perfect.csv
run 0 "$DPSVM" train perfect.csv --kernel.type=polynomial --solver.C=1000
says '^accuracy: 100.00 % .*guessing the largest class: 99.50 %'
grep -q '^next: no better' err && fail 'a perfect classifier is called guessing'

# labels of no sense, C too large: train and validation part
awk 'BEGIN { s = 9; for (i = 0; i < 800; i++) { line = ""
    for (j = 0; j < 8; j++) { s = (s * 16807) % 2147483647; line = line "," s / 2147483647 }
    s = (s * 16807) % 2147483647; print (s % 2) line } }' > noise.csv
run 0 "$DPSVM" train noise.csv --kernel.type=polynomial --data.validation=0.3 --solver.C=1000 --map.features=800
says '^next: the training rows fit [0-9.]+ points better than those of data\.validation: try a smaller solver\.C'

# not converged: what is easier
run 0 "$DPSVM" train noise.csv --kernel.type=polynomial --solver.type=dcd --solver.C=1000 --solver.max_iterations=3
says '^next: dcd is far from its target: try solver\.type = newton'

# many classes: those found least; regression: RMSE of the line
awk 'BEGIN { s = 4; for (i = 0; i < 900; i++) { k = i % 15; s = (s * 16807) % 2147483647; a = s / 2147483647
    s = (s * 16807) % 2147483647; print "k" k "," k % 4 + a "," int(k / 4) + s / 2147483647 } }' > many.csv
run 0 "$DPSVM" train many.csv --kernel.type=polynomial
says '^classes on the training rows: \(those found least; all of them are in the report\)$'
[ "$(grep -c '^  k[0-9]' err)" -eq 10 ] || fail 'not ten classes'
run 0 "$DPSVM" train many.csv --kernel.type=polynomial --data.label_column=2 --data.ignore_columns=1 --solver.task=regression
says '\(always guessing their mean: RMSE [0-9.]+; a linear SVM: RMSE [0-9.]+\)$'
grep -q '^classes' err && fail 'classes of a regression'

finish
