#!/bin/sh
# dpsvm kernel MODEL FILE: the kernel of a model's map, with the metric that it has learnt, and its error, against closed
# forms computed anew from T, the rows and what `dpsvm transform` writes.
. "$SOURCE/tests/cli/check.sh"

awk '{ split($2, a, ":"); split($3, b, ":"); print $1, "1:" a[2] / 2, "2:" b[2] / 2, "3:" (NR % 7) / 9 }' \
    "$SOURCE/data/spirals.train" > all.svm
head -40 all.svm > some.svm
awk '{ print $0, 4 + NR % 40 ":0.25", 50 + NR % 90 ":0.5" }' all.svm > sparse.svm
tail -40 sparse.svm > some_sparse.svm
awk '{ print $0, 4 + NR % 290 ":0.5", 300 + NR % 11 ":0.25" }' all.svm > wide.svm
tail -40 wide.svm > some_wide.svm

# agrees KIND ROWS WORDS...: a model of these words; the errors of its map on the rows of some_ROWS.svm.
agrees() {
    kind=$1 rows=$2
    shift 2
    run 0 "$DPSVM" train "$rows.svm" --data.scaling=none --data.normalize=none --output.model=m -q "$@"
    small=some.svm
    [ "$rows" = all ] || small=some_$rows.svm
    run 0 "$DPSVM" kernel m $small --report report.json -q
    run 0 "$DPSVM" transform m $small --format csv -o mapped.csv -q
    run 0 python3 -B "$SOURCE/tests/cli/kernel_error.py" report.json $small mapped.csv "$kind"
    [ ! -s out ] || sed 's/^/      /' out >&2
}
metric="--map.refine=metric --map.refine_steps=6 --map.refine_holdout=0"
agrees rbf all $metric --map.type=fourier --map.features=64
agrees rbf all $metric --map.type=fourier --map.features=64 --map.h01=off --map.scale=none
agrees laplacian all $metric --map.type=fourier --map.base=laplacian --map.h01=off --map.features=64
agrees cubic all $metric --kernel.type=polynomial --kernel.degree=3 --map.features=50
agrees exp all $metric --kernel.type=exponential --kernel.sigma=20 --map.features=40 --map.projection=gaussian --map.h01=off
agrees exp_rbf all $metric --kernel.type=exponential --map.type=compositional --map.features=40
agrees rbf sparse $metric --map.type=fourier --map.features=30
agrees cubic wide $metric --kernel.type=polynomial --kernel.degree=3 --map.features=30
grep -q '"diagonal":.*true' report.json || fail 'T of wide rows is not diagonal'
agrees cubic all --kernel.type=polynomial --kernel.degree=3 --map.features=50
grep -q '"metric":.*null' report.json || fail 'a model without a metric has one'
agrees rbf all --map.type=fourier --map.features=20 --map.refine=projections --map.refine_steps=0
agrees linear all --map.type=none

# what is said; other seeds and the map without T beside the model's own; the same for threads and instruction sets
run 0 "$DPSVM" train all.svm --map.type=fourier --map.features=64 --map.refine=metric --solver.C=10 --output.model=m -q
run 0 "$DPSVM" kernel m some.svm
grep -Eq '^kernel: rbf, .* \+ a <x, y>, a = [0-9.]+, of x T and y T' out || fail 'the kernel is not said'
grep -Eq '^metric: T of 3 x 3, learnt in [1-9][0-9]* steps on 800 rows: [12].*directions of 3.*alignment .* 0\.' out || fail 'nor the metric'
grep -Eq '^columns by length .*: feature [12] [0-9.]+, feature [12] [0-9.]+, feature 3 [0-9.]+$' out || fail 'nor the columns'
set -- kernel m some.svm --sizes 16,1024 --runs 20 --format csv -q
run 0 "$DPSVM" "$@"
cut -d, -f1-3,5-13,16- out > first
lines 8 out # the head, the model's own, three sizes of each of the others
[ "$(grep -c '^"model",64,67,' out)" -eq 1 ] || fail "the model's own map is not there once"
awk -F, '{ error[$1 "," $2] = $6 } END {
    for (k = split("\"other seeds\",\"as drawn\"", name, ","); k > 0; k--) {
        few = error[name[k] ",16"]; many = error[name[k] ",1024"]
        if (!(many > 0 && many < few / 5)) exit 1 } }' out || fail 'sixty-four times the features leave a fifth of the error'
run 0 "$DPSVM" "$@" --run.threads=2 --run.simd=portable
cut -d, -f1-3,5-13,16- out > second
same first second
cut -d' ' -f2- some.svm | awk '{ print 9, $0 }' > foreign.svm # labels do not count
run 0 "$DPSVM" kernel m foreign.svm --sizes 16,1024 --runs 20 --format csv -q
cut -d, -f1-3,5-13,16- out > second
same first second
head -15 some.svm > one.svm
tail -25 some.svm > two.svm
run 0 "$DPSVM" kernel m one.svm two.svm --sizes 16,1024 --runs 20 --format csv -q
cut -d, -f1-3,5-13,16- out > second
same first second
run 0 "$DPSVM" kernel m - --format json --plot plot.svg -q < some.svm
grep -q '"model":.*"m"' out && grep -q '"alignment_with_drawn":' out || fail 'the metric is not in the JSON'
grep -q 'nan\|inf' plot.svg && fail 'the plot has coordinates that are not numbers'
run 0 "$DPSVM" train all.svm --map.type=none --output.model=line -q
run 0 "$DPSVM" kernel line some.svm --plot plot.svg -q
grep -q 'nan\|inf' plot.svg && fail 'the plot of a map without features has coordinates that are not numbers'

# a table without its label's column
awk 'BEGIN { print "x,y,side" } { split($2, a, ":"); split($3, b, ":"); print a[2] "," b[2] "," $1 }' all.svm > table.csv
run 0 "$DPSVM" train table.csv --data.label_column=side --map.type=fourier --map.features=20 --map.refine=metric \
    --map.refine_holdout=0 --map.refine_steps=3 --output.model=t -q
cut -d, -f1,2 table.csv > bare.csv
run 0 "$DPSVM" kernel t bare.csv
grep -Eq '^columns by length .*: [xy] [0-9.]+, [xy] [0-9.]+$' out || fail 'columns have no names'

# refused, before rows are read
run 0 "$DPSVM" train all.svm --map.type=fourier --map.features=20 --map.refine=projections --map.refine_holdout=0 \
    --map.refine_steps=3 --output.model=p -q
refused 2 'p: map.refine = projections .* no kernel in closed form .* Train with map.refine = metric' "$DPSVM" kernel p missing.svm -q
refused 2 'kernel looks at maps as they are drawn.*MODEL FILE' "$DPSVM" kernel all.svm --map.refine=metric --map.type=fourier -q
refused 2 '--compare draws other maps' "$DPSVM" kernel m missing.svm --compare -q
refused 2 '--sizes: D = 15: .*even number' "$DPSVM" kernel m missing.svm --sizes 15 -q
refused 2 '--sizes: .* draws no features' "$DPSVM" kernel line missing.svm --sizes 15 -q
refused 2 'kernel does not take --map.features: it is part of the model' "$DPSVM" kernel m missing.svm --map.features=10 -q
refused 2 'kernel does not take --data.train: name the rows as FILE' "$DPSVM" kernel m missing.svm --data.train=all.svm -q
refused 2 'data.unknown.*leave the option out' "$DPSVM" kernel m missing.svm --data.unknown=error -q
refused 2 'plot' "$DPSVM" kernel m some.svm --plot some.svm -q
refused 2 'report' "$DPSVM" kernel m some.svm --report m -q
refused 1 'missing.svm' "$DPSVM" kernel m missing.svm -q
refused 3 'all.svm' "$DPSVM" kernel all.svm some.svm -q

finish
