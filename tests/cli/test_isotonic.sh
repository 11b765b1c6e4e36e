#!/bin/sh
# solver.calibration: probabilities by a sigmoid or by isotonic regression, stored in the model.
. "$SOURCE/tests/cli/check.sh"

# shares COLUMNS FILE: numbers in (0, 1) that add up to 1 on every line.
shares() {
    awk -v n="$1" 'NF != n { exit 1 } { s = 0; for (i = 1; i <= n; i++) { if ($i <= 0 || $i >= 1) exit 1; s += $i }
        if (s < 1 - 1e-12 || s > 1 + 1e-12) exit 1 }' "$2" || fail "$2 does not hold $1 shares a line"
}

# y = 1 with probability 0.2 left of 0 and 0.8 right of it: no sigmoid of x has this form
stairs() {
    awk -v s="$1" -v n="$2" 'BEGIN { for (i = 0; i < n; i++) {
        s = (s * 16807) % 2147483647; x = 2 * s / 2147483647 - 1
        s = (s * 16807) % 2147483647; u = s / 2147483647
        printf "%d 1:%.6f\n", u < (x > 0 ? 0.8 : 0.2), x } }'
}
stairs 31 6000 > train.svm
stairs 32 4000 > test.svm
loss() { sed -n 's/^log-loss: //p' out; }
for kind in platt isotonic auto; do
    run 0 "$DPSVM" train train.svm --kernel.type=linear --solver.probability=on --solver.calibration=$kind --output.model=$kind -q
    run 0 "$DPSVM" evaluate $kind test.svm -q
    loss > $kind.loss
done
same isotonic auto
# entropy of 0.2: 0.5004; a sigmoid of x loses at least 0.01 of it
awk -v p="$(cat platt.loss)" -v i="$(cat isotonic.loss)" 'BEGIN { exit !(i < 0.52 && i < p - 0.01) }' ||
    fail "log-loss $(cat isotonic.loss) of isotonic, $(cat platt.loss) of platt"
run 0 "$DPSVM" predict isotonic test.svm --proba -o proba -q
shares 2 proba
# ascending in the score, and near 0.2 and 0.8
run 0 "$DPSVM" predict isotonic test.svm --scores -o scores -q
paste -d ' ' scores proba | sort -g | awk '{ if ($3 < last - 1e-15) exit 1; last = $3 }' || fail 'probabilities do not ascend with scores'
paste -d ' ' test.svm proba | awk '{ sub(/1:/, "", $2); x = $2 + 0; if (x > 0.2 || x < -0.2) { n++; d = $4 - (x > 0 ? 0.8 : 0.2)
    s += d < 0 ? -d : d } } END { exit !(s / n < 0.05) }' || fail 'probabilities are far from the true ones'

# few rows, or few of a class: auto takes the sigmoid
head -3000 train.svm > few.svm
run 0 "$DPSVM" train few.svm --kernel.type=linear --solver.probability=on --output.model=few -q
grep -qa '^solver.probability = sigmoid$' few || fail 'auto is not a sigmoid for few rows'

# the file: version 2 with the number of knots, version 1 for all other models; info; damage
head -1 isotonic | grep -q '^dpsvm model 2$' || fail 'an isotonic model is not of version 2'
head -1 platt | grep -q '^dpsvm model 1$' || fail 'a sigmoid model is not of version 1'
grep -qa '^solver.knots = [0-9]*$' isotonic || fail 'the number of knots is not in the header'
run 0 "$DPSVM" info isotonic
grep -q 'probabilities (isotonic' out || fail 'info does not name the calibration'
run 0 "$DPSVM" info isotonic --json
grep -q '"calibration":[[:space:]]*"isotonic"' out || fail 'info --json does not name the calibration'
head -c 1500 isotonic > cut
refused 3 'incomplete' "$DPSVM" predict cut test.svm -q

# three classes: normalised; threads change nothing
awk 'BEGIN { s = 33; for (i = 0; i < 4500; i++) { s = (s * 16807) % 2147483647; a = s / 2147483647
    s = (s * 16807) % 2147483647; print "c" i % 3 " 1:" a + 0.3 * (i % 3) " 2:" s / 2147483647 } }' > three.svm
run 0 "$DPSVM" train three.svm --kernel.type=linear --solver.probability=on --solver.calibration=isotonic --output.model=three -q
run 0 "$DPSVM" train three.svm --kernel.type=linear --solver.probability=on --solver.calibration=isotonic --output.model=threads \
    --run.threads=3 -q
same three threads
run 0 "$DPSVM" predict three three.svm --proba -o proba -q
shares 3 proba

# what has no use for it
refused 2 'calibration.*solver\.probability = on' "$DPSVM" train train.svm --solver.calibration=isotonic -q
refused 2 'calibration.*of its own' \
    "$DPSVM" train train.svm --solver.loss=logistic --solver.probability=on --solver.calibration=platt -q

finish
