#!/bin/sh
# solver.probability: sigmoids fitted on held-out rows, stored in the model; predict --proba.
. "$SOURCE/tests/cli/check.sh"

# shares COLUMNS FILE: numbers in [0, 1] that add up to 1 on every line.
shares() {
    awk -v n="$1" 'NF != n { exit 1 } { s = 0; for (i = 1; i <= n; i++) { if ($i < 0 || $i > 1) exit 1; s += $i }
        if (s < 1 - 1e-12 || s > 1 + 1e-12) exit 1 }' "$2" || fail "$2 does not hold $1 shares a line"
}

# Two classes whose overlap is known: y = 1 with probability 1 / (1 + exp(-4 x)), x uniform in (-1, 1).
overlap() {
    awk -v s="$1" -v n="$2" 'BEGIN { for (i = 0; i < n; i++) {
        s = (s * 16807) % 2147483647; x = 2 * s / 2147483647 - 1
        s = (s * 16807) % 2147483647; u = s / 2147483647
        printf "%s 1:%.6f\n", u < 1 / (1 + exp(-4 * x)) ? "yes" : "no", x } }'
}
overlap 11 2000 > train.svm
overlap 12 2000 > test.svm
run 0 "$DPSVM" train train.svm -o m.model --kernel.type=linear --solver.probability=on -q
run 0 "$DPSVM" predict m.model test.svm --proba -q
cp out proba
lines 2000 proba
shares 2 proba

# Columns are classes in class order (no, yes); the probability is the true one (2,000 rows: the sigmoid's two
# parameters are known to about 0.1, which moves p by less than 0.04 where it moves most).
paste -d ' ' proba test.svm | awk '{ sub(/1:/, "", $4); p = 1 / (1 + exp(-4 * $4)); d = p - $2; if (d < 0) d = -d
    if (d > 0.08) bad++ } END { exit bad > 0 }' || fail 'probabilities are far from the true ones'

# log-loss of evaluate is that of the file of probabilities.
run 0 "$DPSVM" evaluate m.model test.svm -q
loss=$(sed -n 's/^log-loss: //p' out)
paste -d ' ' proba test.svm | awk -v said="$loss" '{ s -= log($3 == "yes" ? $2 : $1) } END { d = s / NR - said
    exit d > 1e-4 || d < -1e-4 }' || fail "log-loss $loss is not that of the probabilities"

# Labels and decision values are those of the model without probabilities.
run 0 "$DPSVM" train train.svm -o bare.model --kernel.type=linear -q
run 0 "$DPSVM" predict bare.model test.svm --scores -o scores -q
run 0 "$DPSVM" predict m.model test.svm --scores -q
same scores out

# The same bits for any number of threads and instructions.
for threads in 1 3; do
    run 0 "$DPSVM" train train.svm -o t.model --kernel.type=linear --solver.probability=on -q --run.threads=$threads
    same m.model t.model
done
for simd in $(simd_paths); do
    run 0 "$DPSVM" predict m.model test.svm --proba --run.simd=$simd -q
    same proba out
done

# Several classes.
run 0 "$DPSVM" train "$SOURCE/data/pinwheel.train" -o p.model --map.features=100 --solver.probability=on -q
run 0 "$DPSVM" predict p.model "$SOURCE/data/pinwheel.test" --proba -q
cp out proba
lines 800 proba
shares 5 proba
paste -d ' ' proba "$SOURCE/data/pinwheel.test" | awk '{ b = 1; for (k = 2; k <= 5; k++) if ($k > $b) b = k; n += b == $6 }
    END { exit n < 740 }' || fail 'the most probable class is often wrong'
run 0 "$DPSVM" info p.model
grep -q 'probabilities' out || fail 'info does not tell that the model has probabilities'

# Held-out share instead of folds.
run 0 "$DPSVM" train train.svm -o h.model --kernel.type=linear --solver.probability=on --tune.holdout=0.3 -q
run 0 "$DPSVM" predict h.model test.svm --proba -q
shares 2 out

# Refused.
refused 2 'solver.probability' "$DPSVM" predict bare.model test.svm --proba
refused 2 'one of them' "$DPSVM" predict m.model test.svm --proba --scores
printf '1 1:1\n-1 1:-1\n1 1:2\n' > three.svm
refused 2 'folds' "$DPSVM" train three.svm --solver.probability=on -q -o x.model
[ ! -e x.model ] || fail 'a model was written'

# A model whose sigmoids are cut off is damaged.
head -c $(($(wc -c < m.model) - 8)) m.model > cut.model
refused 3 'incomplete' "$DPSVM" predict cut.model test.svm
finish
