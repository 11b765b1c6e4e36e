#!/bin/sh
# output.curve and output.plot: a line and a dot a pass of the solver, with the score on data.validation.
. "$SOURCE/tests/cli/check.sh"

rows 11 600 4 > train.svm
rows 12 200 4 > held.svm

# every line: pass, solver, seconds, objective, gap, score; what is not known is empty
for solver in dcd newton sgd; do
    run 0 "$DPSVM" train train.svm --kernel.type=polynomial --data.validation=held.svm --solver.type=$solver --output.curve=$solver.csv \
        --plot=$solver.svg --report=$solver.json
    [ "$(head -1 $solver.csv)" = 'pass,solver,seconds,objective,gap,accuracy' ] || fail "$solver: the names of the columns"
    passes=$(sed -n 's/.* \(converged\|settled\) after \([0-9]*\) .*/\2/p' err)
    awk -F, -v s=$solver -v p="$passes" 'NR > 1 {
            bad = bad || NF != 6 || $2 != s && $2 != "interior" || $1 <= last || $3 < time || $4 <= 0 || $6 < 0 || $6 > 1
            bad = bad || ($2 == "sgd" ? $5 != "" : $5 < 0 || $5 == "")
            last = $1; time = $3 }
        END { exit bad || NR < 2 || last != p }' $solver.csv || fail "$solver.csv is not a curve of $passes passes"
    head -1 $solver.svg | grep -q '^<svg ' || fail 'the plot is not SVG'
    tail -1 $solver.svg | grep -q '^</svg>$' || fail 'the plot is not complete'
    grep -q 'nan\|inf' $solver.svg && fail 'the plot has coordinates that are not numbers'
    grep -q 'accuracy on data.validation' $solver.svg || fail 'the plot does not show the score'
    grep -q '"pass":[[:space:]]*1,' $solver.json || fail 'the report does not hold the curve'
done

# the last score is the accuracy that is reported, and that predict finds
run 0 "$DPSVM" train train.svm --kernel.type=polynomial --data.validation=held.svm --output.curve=c.csv --output.model=m
said=$(sed -n 's/^validation accuracy: \([0-9.]*\) %.*/\1/p' err)
awk -F, -v s="$said" 'END { d = 100 * $6 - s; exit d > 0.006 || d < -0.006 }' c.csv || fail "the curve does not end at $said %"

# a gap is a share of the objective: never above 1, from the first step on, in the curve and in run.log
for solver in newton dcd; do
    run 0 "$DPSVM" train train.svm --kernel.type=polynomial --solver.type=$solver --solver.C=1000 --output.curve=c.csv \
        --run.log=progress.jsonl --output.model=m2
    awk -F, 'NR > 1 && $5 > 1 { bad = 1 } END { exit bad || NR < 2 }' c.csv || fail "$solver: a gap above 1 in the curve"
    sed -n 's/.*"gap":\([0-9.e+-]*\),.*/\1/p' progress.jsonl | awk '$1 > 1 { bad = 1 } END { exit bad || NR < 2 }' ||
        fail "$solver: a gap above 1 in run.log"
    rm progress.jsonl
done

# looking on changes nothing
run 0 "$DPSVM" train train.svm --kernel.type=polynomial --output.model=plain
same m plain

# many classes, which newton solves together
rows 13 3000 4 | awk '{ split($2, a, ":"); split($3, b, ":"); $1 = (a[2] > 0) + 2 * (b[2] > 0) + 4 * (a[2] > b[2]); print }' > four.svm
set -- four.svm --kernel.type=polynomial --map.features=300 --solver.type=newton --data.validation=0.2
run 0 "$DPSVM" train "$@" --output.curve=c.csv --output.model=m
said=$(sed -n 's/^validation accuracy: \([0-9.]*\) %.*/\1/p' err)
awk -F, -v s="$said" 'NR > 1 { bad = bad || $1 <= last; last = $1 } END { d = 100 * $6 - s; exit bad || NR < 4 || d > 0.006 || d < -0.006 }' c.csv ||
    fail "the curve of many classes does not end at $said %"
run 0 "$DPSVM" train "$@" --output.model=plain
same m plain

# rows held out, another metric, regression; no rows held out: no score
run 0 "$DPSVM" train train.svm --kernel.type=polynomial --data.validation=0.2 --tune.metric=auc --output.curve=c.csv
[ "$(head -1 c.csv)" = 'pass,solver,seconds,objective,gap,auc' ] || fail 'the metric is not named'
run 0 "$DPSVM" train train.svm --kernel.type=polynomial --data.validation=0.2 --solver.task=regression --output.curve=c.csv
awk -F, 'END { exit !($6 > 0) }' c.csv || fail 'no RMSE in the curve'
run 0 "$DPSVM" train train.svm --kernel.type=polynomial --data.validation=held.svm --solver.task=regression --output.curve=c.csv
said=$(sed -n 's/^validation error: RMSE \([0-9.]*\),.*/\1/p' err)
awk -F, -v s="$said" 'END { d = $6 - s; exit d > 1e-5 || d < -1e-5 }' c.csv || fail "the curve of RMSE does not end at $said"
run 0 "$DPSVM" train train.svm --kernel.type=polynomial --output.curve=c.csv --plot c.svg
awk -F, 'END { exit $6 != "" }' c.csv || fail 'a score without held-out rows'
grep -q 'data.validation' c.svg && fail 'a panel without scores'

# places are tried before the work
refused 1 'output\.curve' "$DPSVM" train train.svm --kernel.type=polynomial --output.curve=no_such_folder/c.csv -q
refused 2 'output\.model and output\.curve are both' "$DPSVM" train train.svm --kernel.type=polynomial --output.curve=model.dpsvm -q
refused 2 'output\.curve and output\.plot are both' "$DPSVM" train train.svm --kernel.type=polynomial --output.curve=c.csv --plot ./c.csv -q
refused 2 'data\.train and output\.plot are both' "$DPSVM" train train.svm --kernel.type=polynomial --plot=train.svm -q
refused 2 'plot.*predict does not take it' "$DPSVM" predict m held.svm --plot p.svg

finish
