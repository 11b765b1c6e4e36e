#!/bin/sh
# solver.loss = logistic: two classes and more, probabilities of its own.
. "$SOURCE/tests/cli/check.sh"

rows 3 600 3 > train.svm
rows 4 300 3 > test.svm
log=--solver.loss=logistic

# auto is newton; probabilities need no solver.probability.
run 0 "$DPSVM" train train.svm $log --map.features=50 -o m.model --report t.json
says 'solver: newton converged'
run 0 "$DPSVM" info m.model
grep -q 'probabilities' out || fail 'info does not name probabilities'
run 0 "$DPSVM" predict m.model test.svm -o labels -q
agree 280 labels test.svm

# p = 1 / (1 + exp(-score)) of the second class; rows sum to 1; the log-loss is that of these numbers.
run 0 "$DPSVM" predict m.model test.svm --scores -o scores -q
run 0 "$DPSVM" predict m.model test.svm --proba -o proba -q
paste -d ' ' scores proba | awk '{ p = 1 / (1 + exp(-$1)); d = p - $3; t = $2 + $3 - 1
    if (d * d > 1e-24 || t * t > 1e-30) bad++ } END { exit bad > 0 || NR != 300 }' ||
    fail 'probabilities are not the logistic function of the scores'
own=$(paste -d ' ' proba test.svm | awk '{ s -= log($3 > 0 ? $2 : $1) } END { printf "%.4f", s / NR }')
run 0 "$DPSVM" evaluate m.model test.svm -q
grep -q "^log-loss: $own\$" out || fail "log-loss is not $own"

# More classes: one against the rest, normalised.
run 0 "$DPSVM" train "$SOURCE/data/pinwheel.train" $log --solver.C=10 -o p.model -q
run 0 "$DPSVM" predict p.model "$SOURCE/data/pinwheel.test" --proba -o proba -q
awk '{ t = 0; for (k = 1; k <= NF; k++) t += $k; t -= 1; if (NF != 5 || t * t > 1e-24) bad++ } END { exit bad > 0 }' proba ||
    fail 'probabilities of five classes do not sum to 1'
run 0 "$DPSVM" evaluate p.model "$SOURCE/data/pinwheel.test" -q
sed -n 's/^accuracy: \([0-9.]*\).*/\1/p' out | awk '{ exit !($1 > 90) }' || fail 'accuracy of the pinwheel'

# newton, dcd and sgd find the same objective.
objective() {
    sed -n 's/.*"objective":[^0-9]*\([0-9.e+-]*\).*/\1/p' "$1" | head -1
}
for solver in dcd sgd; do
    run 0 "$DPSVM" train train.svm $log --map.features=50 --solver.type=$solver -o s.model -q --report s.json
    awk -v a="$(objective s.json)" -v b="$(objective t.json)" 'BEGIN { exit !(a >= b * 0.999 && a <= b * 1.01) }' ||
        fail "objectives $(objective s.json) of $solver and $(objective t.json) of newton"
done

# Class weights, and threads that change nothing.
run 0 "$DPSVM" train train.svm $log --solver.class_weight=-1:5 -o w.model -q
run 0 "$DPSVM" predict w.model test.svm -o weighted -q
[ "$(grep -c '^-1' weighted)" -ge "$(grep -c '^-1' labels)" ] || fail 'a heavier class is predicted less often'
for threads in 1 2 3; do
    run 0 "$DPSVM" train train.svm $log --map.features=50 --run.threads=$threads -o m$threads.model -q
    same m.model m$threads.model
done
finish
