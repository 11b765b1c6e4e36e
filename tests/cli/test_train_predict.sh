#!/bin/sh
# From rows to predictions and mapped rows: what comes out, in which form, and that it agrees with itself.
. "$SOURCE/tests/cli/check.sh"
data="$SOURCE/data"

# Training's own accuracy is that of predict on the same rows.
run 0 "$DPSVM" train "$SOURCE/configs/pinwheel.ini" --output.model=m.model --report r.json -q
run 0 "$DPSVM" predict m.model "$data/pinwheel.train" --report p.json -o labels
lines 1200 labels
hits=$(awk 'NR == FNR { p[FNR] = $1; next } p[FNR] == $1 { n++ } END { print n }' labels "$data/pinwheel.train")
value() { sed -n "s/.*\"$2\":[[:space:]]*\([-+.0-9e]*\).*/\1/p" "$1" | head -1; }
awk -v a="$(value r.json train_accuracy)" -v h="$hits" 'BEGIN { exit !(a * 1200 - h < 1e-6 && h - a * 1200 < 1e-6) }' ||
    fail "training says $(value r.json train_accuracy), predict has $hits of 1200 right"
[ "$(value p.json correct)" = "$hits" ] || fail "predict's report says $(value p.json correct), not $hits"
run 0 "$DPSVM" predict m.model "$data/pinwheel.test" --report p.json -o labels
awk -v a="$(value r.json test_accuracy)" -v b="$(value p.json accuracy)" 'BEGIN { exit !(a > 0.5 && a == b) }' ||
    fail 'the test accuracy of train and that of predict differ'
for key in rows features exact_columns random_columns width coverage objective dual gap iterations peak_memory threads; do
    [ -n "$(value r.json $key)" ] || fail "the report has no $key"
done

# The same with wide rows, whose degree 1 is the sparse row itself beside the random columns.
awk 'BEGIN { s = 7; for (i = 0; i < 900; i++) { line = "c" i % 3; f = 1
    for (j = 0; j < 8; j++) { s = (s * 16807) % 2147483647; f += 1 + s % 2500; line = line " " f ":" (s % 7 + 1) }
    print line " " 30000 + i % 5 ":1" } }' > wide.svm
run 0 "$DPSVM" train wide.svm --kernel.degree=2 --map.features=50 --output.model=wide.model --report r.json -q
run 0 "$DPSVM" predict wide.model wide.svm --report p.json -q
[ "$(value p.json correct)" -gt 600 ] || fail "only $(value p.json correct) of 900 wide rows are right"
awk -v a="$(value r.json train_accuracy)" -v h="$(value p.json correct)" 'BEGIN { d = a * 900 - h; exit !(d * d < 1e-9) }' ||
    fail "wide rows: training says $(value r.json train_accuracy), predict has $(value p.json correct) of 900 right"
[ "$(value r.json sparse_columns)" -gt 1000 ] || fail 'no sparse columns'
[ "$(value r.json random_columns)" -gt 10 ] || fail "no random columns"

# Scores: a column a class in class order; the label is that of the largest. Two classes: one column, its sign.
run 0 "$DPSVM" predict m.model "$data/pinwheel.test" --scores -q
awk -v n="$(head -1 out | wc -w)" 'NF != n || n < 3 { exit 1 }' out || fail 'scores are not one column a class'
awk '{ k = 1; for (j = 2; j <= NF; j++) if ($j > $k) k = j; print k }' out > argmax
sort -n -u labels > classes
awk 'NR == FNR { c[NR] = $1; next } { print c[$1] }' classes argmax > from_scores
same labels from_scores
run 0 "$DPSVM" train "$data/parity.train" --output.model=two.model --map.features=200 -q
run 0 "$DPSVM" predict two.model "$data/parity.test" --scores -q
awk '{ print ($1 > 0 ? "+1" : "-1") }' out > from_scores
run 0 "$DPSVM" predict two.model "$data/parity.test" -q
same out from_scores

# Labels keep the spelling of the training data.
awk '{ $1 = $1 > 0 ? "yes" : "no"; print }' "$data/parity.train" > words.svm
run 0 "$DPSVM" train words.svm --output.model=words.model --map.features=200 -q
run 0 "$DPSVM" predict words.model "$data/parity.test" -q
sed 's/yes/+1/; s/no/-1/' out > numbers
same numbers from_scores

# Unlabelled rows: no accuracy; some without a label: a warning; features that are new: one warning or refused.
cut -d' ' -f2- "$data/parity.test" > bare.svm
run 0 "$DPSVM" predict two.model bare.svm
same out from_scores
! grep -q accuracy err || fail 'accuracy without labels'
{ cat "$data/parity.test"; head -5 bare.svm; } > mixed.svm
run 0 "$DPSVM" predict two.model mixed.svm
says '5 of 805 rows have no label'
{ printf '# a remark\n'; cat "$data/parity.test"; printf '+1 1:0.5 77:2\n'; } > new.svm
run 0 "$DPSVM" predict two.model new.svm
says '[Ww]arning.* 1 values? .*training did not see'
refused 3 'new.svm:802: row 801: feature 77' "$DPSVM" predict two.model new.svm --data.unknown=error -o kept -q
[ ! -e kept ] || fail 'a refused input left an output file'

# Errors in later chunks of a long file give the line of the file.
awk '{ r[NR] = $0 } END { for (k = 0; k < 40; k++) { print "# " k "\n"; for (i = 1; i <= NR; i++) print r[i] }
    print "+1 2:1 2:1" }' "$data/parity.test" > long.svm
refused 3 'long.svm:32081:' "$DPSVM" predict two.model long.svm -o kept -q
[ ! -e kept ] || fail 'a refused input left an output file'

# transform: the same numbers in every format, the map's columns without the bias.
width=$("$DPSVM" info two.model --json | sed -n 's/.*"width":[[:space:]]*\([0-9]*\).*/\1/p')
for format in libsvm csv npy; do
    run 0 "$DPSVM" transform two.model "$data/parity.test" --format $format -o z.$format -q
    silent
done
lines 800 z.csv
awk -F, -v w="$width" 'NF != w + 1 { exit 1 }' z.csv || fail "csv rows do not have $width columns and a label"
awk '{ printf "%s", $1; for (j = 2; j <= NF; j++) { split($j, p, ":"); printf " %s", $j } print "" }' z.libsvm > a
awk -F, '{ printf "%s", $NF; for (j = 1; j < NF; j++) if ($j != 0) printf " %d:%s", j, $j; print "" }' z.csv > b
same a b
[ "$(wc -c < z.npy)" -eq $((128 + 4 * 800 * width)) ] || fail 'the npy file has another size'
head -c 128 z.npy | grep -aq "'<f4', 'fortran_order': False, 'shape': (800, $width)" || fail 'npy header'
if command -v od > /dev/null; then
    od -A n -t f4 -v -w4 -j 128 z.npy | awk '{ print $1 + 0 }' > a
    cut -d, -f1-"$width" z.csv | tr , '\n' | awk '{ print $1 + 0 }' > b
    # od prints eight digits or so
    paste a b | awk '{ d = $1 - $2; if (d * d > 1e-12 * ($2 * $2 + 1e-30)) exit 1 }' || fail 'npy and csv differ'
fi
run 0 "$DPSVM" transform two.model bare.svm --format csv -q
awk -F, -v w="$width" 'NF != w { exit 1 }' out || fail 'csv of rows without labels'
run 0 "$DPSVM" transform two.model - --format libsvm -q < "$data/parity.test"
same z.libsvm out
refused 2 'npy' "$DPSVM" transform two.model - --format npy -q < "$data/parity.test"
refused 3 'mixed|have a label' "$DPSVM" transform two.model mixed.svm --format csv -o kept -q
[ ! -e kept ] || fail 'a refused input left an output file'

# The same for sparse rows that are the linear part themselves; a row of zeros is a row.
{
    tail -n 200 wide.svm
    echo 1
} > wide.test
for format in libsvm csv npy; do
    run 0 "$DPSVM" transform wide.model wide.test --format $format -o w.$format -q
done
width=$(head -n 1 w.csv | tr , '\n' | wc -l)
[ "$width" -gt 1000 ] || fail "only $width columns of a sparse row"
lines 201 w.libsvm
awk -F, '{ printf "%s", $NF; for (j = 1; j < NF; j++) if ($j != 0) printf " %d:%s", j, $j; print "" }' w.csv > b
same w.libsvm b
if command -v od > /dev/null; then
    od -A n -t f4 -v -w4 -j 128 w.npy | awk '{ print $1 + 0 }' > a
    cut -d, -f1-$((width - 1)) w.csv | tr , '\n' | awk '{ print $1 + 0 }' > b
    paste a b | awk 'NF != 2 { exit 1 } { d = $1 - $2; if (d * d > 1e-12 * ($2 * $2 + 1e-30)) exit 1 }' || fail 'npy and csv differ'
fi
run 0 "$DPSVM" train wide.svm --kernel.type=linear --solver.bias=0 --output.model=row.model -q
echo 3000:0 > empty.svm
run 0 "$DPSVM" transform row.model empty.svm --format libsvm -q
[ "$(cat out)" = 1:0 ] || fail "a row of zeros became $(cat out)"

# A linear SVM on the transformed rows is the SVM on the rows.
run 0 "$DPSVM" transform two.model "$data/parity.train" --format libsvm -o z.train -q
run 0 "$DPSVM" train z.train --kernel.type=linear --map.scale=none --data.scaling=none --data.normalize=none --output.model=z.model --solver.type=newton --solver.tolerance=1e-8 -q
run 0 "$DPSVM" train "$data/parity.train" --output.model=two.model --map.features=200 --solver.type=newton --solver.tolerance=1e-8 -q
run 0 "$DPSVM" predict z.model z.libsvm --scores -q
mv out z.scores
run 0 "$DPSVM" predict two.model "$data/parity.test" --scores -q
paste z.scores out | awk '{ d = $1 - $2; if (d * d > 1e-6) exit 1 }' || fail 'scores through transform differ'

# Collapsed columns change no prediction.
for name in parity pinwheel spirals; do
    for collapse in on off; do
        run 0 "$DPSVM" train "$data/$name.train" --map.features=120 --map.h01=off --map.collapse=$collapse \
            --solver.type=newton --solver.tolerance=1e-8 --output.model=$collapse.model --report $collapse.json -q
        run 0 "$DPSVM" predict $collapse.model "$data/$name.test" -o $collapse.labels -q
        run 0 "$DPSVM" predict $collapse.model "$data/$name.test" --scores -o $collapse.scores -q
    done
    same on.labels off.labels
    paste -d' ' on.scores off.scores | awk '{ for (j = 1; j <= NF / 2; j++) { d = $j - $(j + NF / 2); if (d * d > 1e-6) exit 1 } }' ||
        fail "$name: collapse changes scores"
    [ "$(value on.json width)" -lt "$(value off.json width)" ] || fail "$name: nothing was collapsed"
done

# The estimator through the program: the mean of <z(x), z(y)> over 25 seeds is K(x, y) within 5 standard errors.
# <x, y> = 0.37, |x - y|^2 = 0.86.
printf '+1 1:0.5 2:-0.5 3:0.6\n-1 1:0.3 2:0.4 3:0.7\n' > pair.svm
unbiased() { # KERNEL VALUE (an awk expression) OPTIONS...
    kernel=$1
    shift
    : > dots
    for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do
        run 0 "$DPSVM" train pair.svm "$@" --map.features=256 --map.scale=none --map.seed=$seed --data.scaling=none \
            --data.normalize=none --output.model=s.model -q --run.threads=1
        run 0 "$DPSVM" transform s.model pair.svm --format csv -q --run.threads=1
        awk -F, '{ for (j = 1; j < NF; j++) if (NR == 1) x[j] = $j; else s += x[j] * $j } END { printf "%.9g\n", s }' out >> dots
    done
    awk "{ s += \$1; q += \$1 * \$1 } END { m = s / NR; e = sqrt((q / NR - m * m) / (NR - 1)); k = $kernel
        exit !(NR == 25 && e > 0 && m - k < 5 * e && k - m < 5 * e) }" dots || fail "the mean over seeds is not $kernel"
}
unbiased '(1 + 0.37) ^ 3' --kernel.degree=3
unbiased '1 / (1 - 0.37 / 2.5)' --kernel.type=vovk_infinite --kernel.domain_scale=2.5
unbiased 'exp(exp(-0.7 * 0.86))' --map.type=compositional --kernel.type=exponential --kernel.sigma=1 --map.gamma=0.7
finish
