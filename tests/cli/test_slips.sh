#!/bin/sh
# Slips of a first day: options and files in the wrong place, empty files, full disks, far values. What is said names the
# slip and the way out, and a good file is never harmed.
. "$SOURCE/tests/cli/check.sh"

rows 61 60 3 > train.svm
run 0 "$DPSVM" train train.svm --map.features=20 -o good.model -q
cp good.model kept.model

# Options to search that do not exist, and values they do not take.
tune() { refused 2 "$1" "$DPSVM" tune train.svm "$2" -q; }
tune "tune\.map\.feature: unknown key 'feature' in \[map\]; did you mean 'features'" --tune.map.feature=10,20
tune "tune\.solver\.c: unknown key 'c' in \[solver\]; did you mean 'C'" --tune.solver.c=1,10
tune "tune\.solvr\.C: unknown section \[solvr\]; did you mean \[solver\]" --tune.solvr.C=1,10
tune 'tune\.solver\.C: abc: expected auto or a number' --tune.solver.C=1,abc
tune 'tune\.tune\.x: there is no such option' --tune.tune.x=1
printf '[data]\ntrain = train.svm\n[tune]\nmap.featurs = 10 20\n' > typo.ini
refused 2 "typo\.ini:4: tune\.map\.featurs: unknown key 'featurs' in \[map\]; did you mean 'features'" "$DPSVM" tune typo.ini

# Model and data in each other's place.
refused 3 'train\.svm: not a dpsvm model .*named before the data' "$DPSVM" predict train.svm good.model
refused 3 'good\.model:1: the file is a dpsvm model; .*the file with the rows' "$DPSVM" train good.model -o x.model -q
refused 3 'good\.model:1: the file is a dpsvm model' "$DPSVM" predict good.model good.model

# A test file without rows: the model is made, and the summary is that of the training rows.
: > empty.svm
run 0 "$DPSVM" train train.svm --map.features=20 --data.test=empty.svm
says 'warning: data\.test has no labels'
says '^classes on the training rows'
run 0 "$DPSVM" predict good.model empty.svm
silent

# A value far beyond those of training.
printf '1 1:1e308\n' > far.svm
refused 3 'far\.svm:1: row 1: feature 1 .*far beyond the values of the training rows' "$DPSVM" predict good.model far.svm -q
printf '1 1:1e300 2:1\n-1 1:-1e300 2:2\n' > long.svm
refused 3 'data\.scaling = max_abs' "$DPSVM" train long.svm --data.scaling=none -o x.model -q

# A disk that is full: no half of a file is left, and what was there stays.
if [ -c /dev/full ]; then
    step='predict to a full disk'
    "$DPSVM" predict good.model train.svm -q > /dev/full 2> err
    [ $? -eq 1 ] || fail 'status is not 1'
    says 'standard output: cannot write: No space left'
fi
step='a limit on the size of files'
(
    trap '' XFSZ
    ulimit -f 1
    exec "$DPSVM" train train.svm --map.features=500 -o good.model -q
) 2> err
[ $? -eq 1 ] || fail 'status is not 1'
says 'good\.model: cannot write: .*choose another place'
same kept.model good.model
for left in .*good* *.tmp*; do
    [ ! -e "$left" ] || fail "left behind: $left"
done

# A reader that goes away early.
step='predict into head'
awk 'BEGIN { for (i = 0; i < 200000; i++) print "1 1:0.5" }' > long.svm
{ "$DPSVM" predict good.model long.svm --scores -q 2> err; echo $? > status; } | head -1 > out
lines 1 out
[ "$(cat status)" -eq 141 ] || fail "status $(cat status)"
[ ! -s err ] || fail 'a reader that goes away is no reason to speak'
finish
