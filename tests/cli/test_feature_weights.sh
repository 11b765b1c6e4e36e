#!/bin/sh
# dpsvm info --weights: what the weights give for a raw row is the score that predict prints.
. "$SOURCE/tests/cli/check.sh"

# Three columns of very different size and place, one of text, a label that is no number.
awk 'BEGIN { print "kind,height,width,depth,colour"; s = 7; split("red green blue", c, " "); for (i = 0; i < 90; i++) {
    for (j = 1; j <= 3; j++) { s = (s * 16807) % 2147483647; u[j] = s / 2147483647 }
    printf "%s,%.4f,%.6f,%.2f,%s\n", (u[1] + u[2] > 1 ? "yes" : "no"), 1000 + 100 * u[1], u[2] / 1000, u[3] - 0.5, c[i % 3 + 1]
} }' > rows.csv

# weigh TABLE WEIGHTS SCORES: both sides are sums of at most 5 terms in double precision, the terms at most about 1e4
# (1000 times a weight): 1e-9 is far above 5 x 1e4 x 1.1e-16 and far below what single precision gives.
weigh() {
    awk -F, 'FILENAME == ARGV[1] { split($0, f, "\t"); w[f[2]] = f[3]; next }
        FILENAME == ARGV[2] { score[FNR] = $1; next }
        FNR == 1 { for (k = 1; k <= NF; k++) name[k] = $k; next }
        { s = w["intercept"]
          for (k = 2; k <= 4; k++) s += w[name[k]] * $k
          s += w["colour=" $5]
          d = s - score[FNR - 1]; if (d * d > 1e-18) bad++; n++ }
        END { exit !(n == 90 && !bad) }' "$2" "$3" "$1" || fail 'weights do not give the scores'
}
for scaling in none max_abs min_max standard; do
    for normalize in max_norm none; do
        run 0 "$DPSVM" train rows.csv --kernel.type=linear --data.scaling=$scaling --data.normalize=$normalize \
            --output.model=c.model -q
        run 0 "$DPSVM" predict c.model rows.csv --scores -q
        cp out scores
        run 0 "$DPSVM" info c.model --weights
        cp out weights
        lines 8 weights
        step="$scaling $normalize"
        weigh rows.csv weights scores
    done
done
grep -q "^yes	colour=green	" weights || fail 'no line for the class yes and colour=green'

# A line a class and feature; LIBSVM rows have numbers, also where the rows are kept sparse.
awk 'BEGIN { for (i = 0; i < 60; i++) printf "%d 1:%d %d:1 9000:%d\n", i % 3, i % 3 * 2 + i % 2, i % 50 * 100 + 5, i % 5 }' > wide.svm
run 0 "$DPSVM" train wide.svm --kernel.type=linear --output.model=c.model -q
run 0 "$DPSVM" info c.model --weights
cp out weights
run 0 "$DPSVM" predict c.model wide.svm --scores -q
step='sparse rows of three classes'
awk 'FILENAME == "weights" { split($0, f, "\t"); w[f[1], f[2]] = f[3]; next }
    FILENAME == "out" { for (k = 0; k < 3; k++) score[FNR, k] = $(k + 1); next }
    { for (k = 0; k < 3; k++) { s = w[k, "intercept"]
        for (j = 2; j <= NF; j++) { split($j, p, ":"); s += w[k, "feature " p[1]] * p[2] }
        d = s - score[FNR, k]; if (d * d > 1e-18) bad++; n++ } }
    END { exit !(n == 180 && !bad) }' weights out wide.svm || fail 'weights do not give the scores'

# Bent columns: weights are of the scaled column, which the header says and `info --json` lets anybody make again.
run 0 "$DPSVM" train rows.csv --kernel.type=linear --data.scaling=log --output.model=c.model -q
run 0 "$DPSVM" info c.model
grep -q "^scaling     x' = sign(x) log(1 + |x| / unit) factor, back by |x| = unit (exp" out || fail 'info does not tell the log'
run 0 "$DPSVM" info c.model --weights
cp out weights
head -1 weights | grep -q '^class	feature	weight_of_scaled$' || fail 'does not say that weights are of scaled columns'
run 0 "$DPSVM" info c.model --json
sed -n '/"columns"/,/]/s/^.*"\(feature\|unit\|factor\)":[[:space:]]*"*\([^",]*\)"*,*$/\1 \2/p' out > bends
run 0 "$DPSVM" predict c.model rows.csv --scores -q
awk -F, 'function bent(name, x,   y) { y = log(1 + (x < 0 ? -x : x) / unit[name]) * factor[name]; return x < 0 ? -y : y }
    FILENAME == "weights" { split($0, f, "\t"); w[f[2]] = f[3]; next }
    FILENAME == "bends" { split($0, f, " "); if (f[1] == "feature") at = f[2]; if (f[1] == "unit") unit[at] = f[2];
        if (f[1] == "factor") factor[at] = f[2]; next }
    FILENAME == "out" { score[FNR] = $1; next }
    FNR == 1 { for (k = 1; k <= NF; k++) name[k] = $k; next }
    { s = w["intercept"]; for (k = 2; k <= 4; k++) s += w[name[k]] * bent(name[k], $k)
      s += w["colour=" $5] * bent("colour=" $5, 1)
      d = s - score[FNR - 1]; if (d * d > 1e-10) bad++; n++ } # rows are of single precision here
    END { exit !(n == 90 && !bad) }' weights bends out rows.csv || fail 'weights of bent columns do not give the scores'
run 0 "$DPSVM" train rows.csv --kernel.type=linear --data.scaling=rank --output.model=c.model -q
run 0 "$DPSVM" info c.model
grep -q '^scaling     lines between [0-9]* knots' out || fail 'info does not tell the ranks'

# Where scores are not linear in the features there are no such weights.
run 0 "$DPSVM" train rows.csv --map.features=20 --output.model=c.model -q
refused 2 'c.model: --weights: the model has a map' "$DPSVM" info c.model --weights
run 0 "$DPSVM" train rows.csv --kernel.type=linear --data.normalize=unit --output.model=c.model -q
refused 2 'data.normalize = unit' "$DPSVM" info c.model --weights
finish
