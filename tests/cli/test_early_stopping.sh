#!/bin/sh
# solver.early_stopping: sgd ends when the validation score has stopped to grow, and the best epoch is kept.
. "$SOURCE/tests/cli/check.sh"

# a tenth of the labels is wrong, C is too large: the score soon has its best
awk 'BEGIN { s = 7; for (i = 0; i < 900; i++) { line = ""
    for (j = 1; j <= 3; j++) { s = (s * 16807) % 2147483647; x[j] = s / 2147483647 - 0.5
        line = line sprintf(" %d:%.4f", j, x[j]) }
    s = (s * 16807) % 2147483647; y = x[1] * x[2] > 0 ? 1 : -1; if (s < 214748364) y = -y
    print y line } }' > rows.svm
set -- rows.svm --kernel.type=polynomial --data.validation=0.3 --solver.type=sgd --solver.C=100 --solver.tolerance=1e-9

run 0 "$DPSVM" train "$@" --solver.early_stopping=4 --output.curve=c.csv --output.model=early --report=r.json
says '^solver: sgd was stopped after [0-9]+ epochs; the model is that of epoch [0-9]+, the best on data.validation \(accuracy 0\.[0-9]+\)'
passes=$(sed -n 's/^solver: sgd was stopped after \([0-9]*\).*/\1/p' err)
best=$(sed -n 's/^solver: .* that of epoch \([0-9]*\).*/\1/p' err)
[ "$passes" -eq $((best + 4)) ] || fail "$passes epochs are not 4 more than $best"
awk -F, -v b="$best" 'NR > 1 { if ($6 > top) { top = $6; at = $1 } } END { exit at != b }' c.csv ||
    fail "epoch $best is not the first of the best scores"
grep -q "\"best_iteration\":[[:space:]]*$best," r.json || fail 'the report does not name the best epoch'
grep -q '^trained.outcome = stopped_early$' early || fail 'the model does not say how its training ended'
said=$(awk -F, -v b="$best" '$1 == b { printf "%.2f", 100 * $6 }' c.csv)
says "^validation accuracy: $said %"

# the model is what as many epochs would have made, but for the way it ended
run 0 "$DPSVM" train "$@" --solver.max_iterations="$best" --output.model=cut
grep -av '^trained\.\|^bytes' early | head -c 2000 > a
grep -av '^trained\.\|^bytes' cut | head -c 2000 > b
same a b
run 0 "$DPSVM" predict early rows.svm --scores -o early.scores
run 0 "$DPSVM" predict cut rows.svm --scores -o cut.scores
same early.scores cut.scores

# threads change nothing
run 0 "$DPSVM" train "$@" --solver.early_stopping=4 --run.threads=3 --output.model=threads
same early threads

# stopped by a limit: the checkpoint holds the best epoch, and the end is the same
run 75 "$DPSVM" train "$@" --solver.early_stopping=4 --output.model=again --run.checkpoint=s --run.time_limit=1e-6
run 0 "$DPSVM" train "$@" --solver.early_stopping=4 --output.model=again --run.checkpoint=s
says '^resuming sgd'
same early again

# --strict: to end early is what was asked for
run 0 "$DPSVM" train "$@" --solver.early_stopping=4 --strict

# a file of data.validation: its rows count by their weights, as where the accuracy is told at the end
awk 'BEGIN { print "y,w,a,b,c" }
     { gsub(/ [0-9]*:/, ","); sub(/,/, "," NR % 7 + 1 ","); print }' rows.svm > rows.csv
sed '2,301d' rows.csv > train.csv
head -301 rows.csv > held.csv
set -- train.csv --kernel.type=polynomial --data.label_column=y --data.weights=w --data.validation=held.csv \
    --solver.type=sgd --solver.C=10 --solver.tolerance=1e-9 --solver.early_stopping=4
run 0 "$DPSVM" train "$@"
best=$(sed -n 's/.*the best on data.validation (accuracy \([0-9.]*\))$/\1/p' err)
says "^validation accuracy: $(awk -v a="$best" 'BEGIN { printf "%.2f", 100 * a }') % of 300 rows"
run 0 "$DPSVM" train "$@" --solver.task=regression
best=$(sed -n 's/.*the best on data.validation (rmse \([0-9.]*\))$/\1/p' err)
says "^validation error: RMSE $best,"

refused 2 'early_stopping.*solver\.type = sgd' "$DPSVM" train rows.svm --kernel.type=polynomial --data.validation=0.3 --solver.early_stopping=4 -q
refused 2 'early_stopping.*data\.validation' "$DPSVM" train rows.svm --kernel.type=polynomial --solver.type=sgd --solver.early_stopping=4 -q
refused 2 'early_stopping.*off or' "$DPSVM" train rows.svm --kernel.type=polynomial --solver.early_stopping=-1 -q

finish
