#!/bin/sh
# solver.task = regression: numbers in, numbers out, by every solver, with the errors of numbers.
. "$SOURCE/tests/cli/check.sh"

# numbers SEED COUNT: y = 50 + 8 x1 - 5 x2 + 3 x1 x2 + noise in [-1/4, 1/4], four features in [-1, 1].
numbers() {
    awk -v s="$1" -v n="$2" '
        function draw() { s = (s * 16807) % 2147483647; return 2 * s / 2147483647 - 1 }
        BEGIN { for (i = 0; i < n; i++) {
            a = draw(); b = draw()
            printf "%.4f 1:%.5f 2:%.5f 3:%.5f 4:%.5f\n", 50 + 8 * a - 5 * b + 3 * a * b + draw() / 4, a, b, draw(), draw()
        } }'
}
numbers 5 600 > train.svm
numbers 9 300 > test.svm
task=--solver.task=regression

# figure NAME FILE: the value of "NAME: value" in the text of evaluate.
figure() {
    sed -n "s/^$1: //p" "$2"
}
# near A B RELATIVE
near() {
    awk -v a="$1" -v b="$2" -v r="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d <= r * (b < 0 ? -b : b)) }' ||
        fail "$1 is not within $3 of $2"
}

# Train, predict, evaluate: RMSE, MAE and R2 are those of the printed numbers, everywhere the same.
run 0 "$DPSVM" train train.svm $task --solver.C=100 --data.test=test.svm -o m.model --report t.json
says 'targets from '
says 'error: RMSE .*R2 0\.99'
says 'test error: RMSE .* on 300 rows'
grep -q '"task":.*"regression"' t.json && grep -q '"loss":.*"squared_epsilon_insensitive"' t.json ||
    fail 'the report names neither task nor default loss'
grep -q '"train_accuracy":.*null' t.json || fail 'an accuracy of numbers'
run 0 "$DPSVM" predict m.model test.svm -o numbers.txt --report p.json
says 'RMSE .*MAE .*R2 '
lines 300 numbers.txt
paste -d ' ' numbers.txt test.svm | awk '
    { r = $2 - $1; q += r * r; a += r < 0 ? -r : r; m += $2; y[NR] = $2 }
    END { m /= NR; for (i = 1; i <= NR; i++) v += (y[i] - m) ^ 2
          printf "RMSE: %.6g\nMAE: %.6g\nR2: %.4f\n", sqrt(q / NR), a / NR, 1 - q / v }' > own
run 0 "$DPSVM" evaluate m.model test.svm --report e.json -q
for name in RMSE MAE R2; do
    near "$(figure $name out)" "$(figure $name own)" 2e-5
done
near "$(sed -n 's/.*"test_rmse":[^0-9]*\([0-9.e-]*\).*/\1/p' t.json)" "$(figure RMSE own)" 2e-5
near "$(sed -n 's/.*"rmse":[^0-9]*\([0-9.e-]*\).*/\1/p' p.json)" "$(figure RMSE own)" 2e-5
near "$(sed -n 's/.*"r2":[^0-9]*\([0-9.e-]*\).*/\1/p' e.json)" "$(figure R2 own)" 2e-4
awk -v r="$(figure RMSE out)" 'BEGIN { exit !(r < 0.4) }' || fail "RMSE $(figure RMSE out) on held-out rows"

# Digits that read back, no other output; rows without labels; threads change nothing; scores are the numbers.
sed 's/^[^ ]* //' test.svm > bare.svm
run 0 "$DPSVM" predict m.model bare.svm -o bare.txt -q
same bare.txt numbers.txt
run 0 "$DPSVM" predict m.model test.svm --scores --run.threads=3 -o scores.txt -q
same scores.txt numbers.txt
for threads in 1 2 3; do
    run 0 "$DPSVM" evaluate m.model test.svm --run.threads=$threads -q --report e$threads.json
    grep -E '"(rmse|mae|r2)"' e$threads.json > figures$threads
    same figures1 figures$threads
    run 0 "$DPSVM" train train.svm $task --solver.C=100 --run.threads=$threads -o m$threads.model -q
    same m.model m$threads.model
done

# What a model says about itself.
run 0 "$DPSVM" info m.model
grep -q '^task  *regression, epsilon 0.1$' out || fail 'info does not name the task'
run 0 "$DPSVM" info m.model --json
grep -q '"task":.*"regression"' out || fail 'info --json does not name the task'

# Every solver and loss reaches the same objective; sgd nearly.
objective() {
    sed -n 's/.*"objective":[^0-9]*\([0-9.e+-]*\).*/\1/p' "$1" | head -1
}
for loss in squared_epsilon_insensitive epsilon_insensitive; do
    for solver in newton dcd sgd; do
        run 0 "$DPSVM" train train.svm $task --solver.loss=$loss --solver.type=$solver --map.features=50 \
            --solver.epsilon=0.5 --solver.tolerance=1e-5 --solver.max_iterations=20000 -o s.model -q --report $solver.json
    done
    near "$(objective dcd.json)" "$(objective newton.json)" 3e-5
    near "$(objective sgd.json)" "$(objective newton.json)" 1e-2
done

# C by cross-validation of the RMSE.
run 0 "$DPSVM" train train.svm $task --map.features=30 --solver.C=auto -o c.model --report c.json
says 'C by 5-fold cross-validation .*rmse'
grep -q '"metric":.*"rmse"' c.json || fail 'the report does not name rmse'

# A search compares by the RMSE too, and halves the rows with their targets.
for method in grid halving; do
    run 0 "$DPSVM" tune train.svm $task --map.features=20 --tune.solver.C=1,100 --tune.folds=3 --tune.method=$method \
        -o tuned.model
    says '^error: RMSE .*on the 600 training rows'
    grep -q '^rmse (cross-validation)' out || fail "tune --tune.method=$method does not compare by the RMSE"
    run 0 "$DPSVM" evaluate tuned.model test.svm -q
    awk -v r="$(figure R2 out)" 'BEGIN { exit !(r > 0.98) }' || fail "R2 $(figure R2 out) of the tuned model"
    rm -f tune.csv best.ini tuned.model ./*journal*
done

# Rows held out are numbers as well.
run 0 "$DPSVM" train train.svm $task --solver.C=100 --data.validation=0.25 -o v.model
says 'validation error: RMSE .*R2 0\.9[0-9]* on 150 rows'

# A table, where the label is a column with a name.
awk '{ printf "%s", $1; for (j = 2; j <= 5; j++) { split($j, p, ":"); printf ",%s", p[2] } print "" }' train.svm > body.csv
{ echo y,a,b,c,d; cat body.csv; } > train.csv
run 0 "$DPSVM" train train.csv $task --solver.C=100 -o table.model -q
run 0 "$DPSVM" evaluate table.model train.csv -q
awk -v r="$(figure R2 out)" 'BEGIN { exit !(r > 0.99) }' || fail "R2 $(figure R2 out) of the table"

# All targets equal: no R2, and no division by nothing.
sed 's/^[^ ]*/7/' train.svm > equal.svm
run 0 "$DPSVM" train equal.svm $task --solver.C=1000 -o equal.model
run 0 "$DPSVM" evaluate equal.model equal.svm -q
grep -q '^R2' out && fail 'R2 of equal targets'

# What is refused, and why.
{ head -3 train.svm; echo 'tall 1:1'; } > word.svm
{ head -3 train.svm; echo 'inf 1:1'; } > infinite.svm
refused 3 'word.svm:4: expected a finite number .*tall' "$DPSVM" train word.svm $task -o x.model -q
refused 3 'infinite.svm' "$DPSVM" train infinite.svm $task -o x.model -q
run 3 "$DPSVM" predict m.model word.svm -q
says 'word.svm:4: expected a finite number .*tall'
refused 3 'no row has a label' "$DPSVM" evaluate m.model bare.svm -q
refused 2 'class_weight.*no classes' "$DPSVM" train train.svm $task --solver.class_weight=balanced -o x.model -q
refused 2 'probability.*numbers' "$DPSVM" train train.svm $task --solver.probability=on -o x.model -q
refused 2 'hinge is a loss of classes' "$DPSVM" train train.svm $task --solver.loss=hinge -o x.model -q
refused 2 'epsilon_insensitive is a loss of regression' "$DPSVM" train train.svm --solver.loss=epsilon_insensitive -o x.model -q
refused 2 'accuracy is a metric of classes' "$DPSVM" train train.svm $task --solver.C=auto --tune.metric=accuracy -o x.model -q
refused 2 'rmse is a metric of regression' "$DPSVM" train train.svm --tune.metric=rmse -o x.model -q
refused 2 'no probabilities' "$DPSVM" predict m.model test.svm --proba -q
refused 3 'solver.task = regression' "$DPSVM" train train.svm -o x.model -q
[ ! -e x.model ] || fail 'a refused run wrote a model'
finish
