#!/bin/sh
# data/ is what its generator writes; every INI of configs/ works and gives the accuracy it promises.
. "$SOURCE/tests/cli/check.sh"

mkdir made
sh "$SOURCE/data/generate.sh" made || fail 'data/generate.sh'
for file in made/*; do
    same "$file" "$SOURCE/data/$(basename "$file")"
done

# accuracy NAME LEAST: least number of right predictions on data/NAME.test.
accuracy() {
    run 0 "$DPSVM" train "$SOURCE/configs/$1.ini" --output.model="$1.dpsvm"
    run 0 "$DPSVM" predict "$1.dpsvm" "$SOURCE/data/$1.test" -q
    agree "$2" out "$SOURCE/data/$1.test"
}
accuracy spirals 990
accuracy parity 780
accuracy pinwheel 780

# The paper's sets are not in the repository: the options at least fit together.
for ini in "$SOURCE"/configs/paper/*.ini; do
    run 0 "$DPSVM" check "$ini" --data.train="$SOURCE/data/parity.train" --data.test="$SOURCE/data/parity.test"
done

finish
