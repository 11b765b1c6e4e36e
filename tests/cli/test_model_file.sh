#!/bin/sh
# The model's file: readable at its head, complete or absent, and refused when it is not what it says.
. "$SOURCE/tests/cli/check.sh"

rows 61 200 4 > train.svm
run 0 "$DPSVM" train train.svm --map.features=20 --output.model=m.model -q
head -2 m.model > head.txt
printf 'dpsvm model 1\nbytes = %s\n' "$(wc -c < m.model | tr -d ' ')" > expected.txt
same expected.txt head.txt
! grep -aq 'train.svm' m.model || fail 'the model holds a path'

# Trained elsewhere, at another time, under another name: the same bytes.
mkdir elsewhere
cp train.svm elsewhere/other_name.svm
(cd elsewhere && run 0 "$DPSVM" train other_name.svm --map.features=20 --output.model=x.model -q)
same m.model elsewhere/x.model

# info, for people and for programs.
run 0 "$DPSVM" info m.model
grep -q 'polynomial' out && grep -q 'classes *2: -1 +1' out || fail 'info does not describe the model'
run 0 "$DPSVM" info m.model --json
grep -q '"type":.*"polynomial"' out || fail 'info --json'

size=$(wc -c < m.model)
head -c $((size - 9)) m.model > short.model
refused 3 "short.model.*incomplete: $((size - 9)) bytes, expected $((size))" "$DPSVM" predict short.model train.svm
refused 3 'short.model.*incomplete' "$DPSVM" info short.model
refused 3 'short.model.*incomplete' "$DPSVM" transform short.model train.svm
: > empty.model
refused 3 'empty.model.*not a dpsvm model' "$DPSVM" predict empty.model train.svm
refused 3 'train.svm.*not a dpsvm model' "$DPSVM" predict train.svm train.svm
sed '1s/1$/9/' m.model > future.model
refused 3 'future.model.*version 9.*version 1' "$DPSVM" predict future.model train.svm
{ head -c $((size - 20)) m.model; printf 'X'; tail -c 19 m.model; } > flipped.model
refused 3 'flipped.model.*checksum' "$DPSVM" predict flipped.model train.svm -o labels
[ ! -e labels ] || fail 'predict left an output file'
refused 1 'no_such.model.*No such file' "$DPSVM" predict no_such.model train.svm
refused 1 'elsewhere.*regular file' "$DPSVM" predict elsewhere train.svm

# A model that could not be written leaves the old one as it was, and the failure shows before the data are read.
cp m.model before.model
refused 1 'no_such_folder' "$DPSVM" train train.svm --output.model=no_such_folder/m.model -q
printf '1 1:x\n' > bad.svm
run 3 "$DPSVM" train bad.svm --output.model=m.model -q
same before.model m.model
run 1 "$DPSVM" train train.svm --output.model=/dev/full -q
[ -z "$(find . -name '*tmp*')" ] || fail 'a temporary file was left behind'
finish
