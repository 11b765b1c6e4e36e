#!/bin/sh
# evaluate: metrics of a model on labelled rows, as text and as JSON.
. "$SOURCE/tests/cli/check.sh"

rows 3 300 3 > train.svm
rows 4 200 3 > test.svm
run 0 "$DPSVM" train train.svm -o m.model -q

# Accuracy is the one that predict reports; the confusion matrix adds up to the rows.
run 0 "$DPSVM" predict m.model test.svm -o labels -q
hits=$(paste -d ' ' labels test.svm | awk '$1 + 0 == $2 + 0 { n++ } END { print n + 0 }')
run 0 "$DPSVM" evaluate m.model test.svm --report e.json -q
[ ! -s err ] || fail 'something on standard error with -q'
grep -q "^accuracy: .* ($hits of 200)$" out || fail "accuracy is not $hits of 200"
grep -q '^rows: 200$' out || fail 'rows'
grep -q '^AUC: ' out || fail 'no AUC for two classes'
sed -n '/^confusion/,$p' out | awk 'NR > 2 { n += $2 + $3; right += $(NR - 1) } END { exit n != 200 || right != '"$hits"' }' ||
    fail 'the confusion matrix does not add up'
grep -q '"command":.*"evaluate"' e.json || fail 'report'
grep -q "\"correct\":.*$hits," e.json || fail 'the report has other counts'

# Threads change nothing.
cp out first
for threads in 1 2 3; do
    run 0 "$DPSVM" evaluate m.model test.svm --run.threads=$threads -q
    same first out
done

# AUC of a perfect ranking is 1, of a reversed one 0, of a model against equal rows one half.
run 0 "$DPSVM" predict m.model test.svm --scores -o scores -q
paste -d ' ' scores test.svm | awk '{ $2 = $1 > 0 ? "+1" : "-1"; $1 = ""; print }' > perfect.svm
run 0 "$DPSVM" evaluate m.model perfect.svm -q
grep -q '^AUC: 1.0000$' out && grep -q '^accuracy: 100.00 %' out || fail 'a perfect file is not perfect'
awk '{ $1 = $1 > 0 ? "-1" : "+1"; print }' perfect.svm > reversed.svm
run 0 "$DPSVM" evaluate m.model reversed.svm -q
grep -q '^AUC: 0.0000$' out && grep -q '^accuracy: 0.00 %' out || fail 'a reversed file is not all wrong'
printf '1 1:0.5\n-1 1:0.5\n-1 1:0.5\n' > equal.svm
run 0 "$DPSVM" evaluate m.model equal.svm -q
grep -q '^AUC: 0.5000$' out || fail 'equal scores do not give one half'

# Labels that the model does not know count as wrong and are told; rows without a label are left out.
printf '1 1:2\n7 1:2\n-1 1:-2\n' > foreign.svm
run 0 "$DPSVM" evaluate m.model foreign.svm
grep -q '^accuracy: 66.67 % (2 of 3)$' out || fail 'a foreign label is not counted as wrong'
grep -q 'does not know.*: 1$' out || fail 'foreign labels are not told'
sed 's/^[^ ]* //' test.svm > bare.svm
refused 3 'label' "$DPSVM" evaluate m.model bare.svm

# Many classes: no AUC.
run 0 "$DPSVM" train "$SOURCE/data/pinwheel.train" -o p.model -q
run 0 "$DPSVM" evaluate p.model "$SOURCE/data/pinwheel.test" -q
grep -q '^AUC' out && fail 'an AUC of five classes'
grep -Eq '^5 +169 ' out || fail 'no line of class 5'

# What it does not take.
refused 2 'scores' "$DPSVM" evaluate m.model test.svm --scores
refused 2 'when training' "$DPSVM" evaluate m.model test.svm --solver.C=3
refused 2 'MODEL FILE' "$DPSVM" evaluate m.model
refused 1 'nowhere' "$DPSVM" evaluate m.model test.svm --report nowhere/e.json
finish
