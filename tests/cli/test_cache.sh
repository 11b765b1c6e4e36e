#!/bin/sh
# data.cache: the same model from the cache as from text, for every kind of input; a cache that is stale or damaged is
# never used, and says why.
. "$SOURCE/tests/cli/check.sh"

rows 7 3000 6 > a.svm
rows 8 2000 6 > b.svm
awk 'BEGIN { print "y,w,a,colour,b"; for (i = 0; i < 900; i++) { v = i * 37 % 101
     print (v > 50 ? "yes" : "no") "," i % 3 + 1 "," (i % 19 ? v / 7 : "NA") "," substr("redbluegreen", 1 + i % 4 * 3, 3) "," i * 11 % 29 } }' > t.csv
awk -F, 'NR > 1 { print $2 }' t.csv > weights
gzip -k a.svm
fast='--map.features=20 --solver.max_iterations=5'

# plain CACHE TRAIN...: text, a first run that writes the cache, a second that reads it: one model
thrice() {
    # shellcheck disable=SC2086  # words
    run 0 "$DPSVM" train "$@" $fast --output.model=text.model
    rm -f rows.cache
    # shellcheck disable=SC2086
    run 0 "$DPSVM" train "$@" $fast --output.model=first.model --data.cache=rows.cache
    says 'data\.cache: .* of rows are in .*rows\.cache'
    # shellcheck disable=SC2086
    run 0 "$DPSVM" train "$@" $fast --output.model=second.model --data.cache=rows.cache
    says 'data\.cache: the rows come from .*rows\.cache'
    same text.model first.model
    same text.model second.model
    # shellcheck disable=SC2086
    run 0 "$DPSVM" train "$@" $fast --output.model=small.model --data.cache=rows.cache --run.threads=1 --run.memory=32M
    says 'the rows come from'
    same text.model small.model
}
thrice --data.train=a.svm
thrice --data.train=a.svm,b.svm --data.validation=0.2
thrice --data.train=a.svm.gz
thrice --data.train=t.csv --data.missing=mean --data.weights=w
thrice --data.train=t.csv --data.missing=zero --data.weights=weights --data.ignore_columns=w --data.categorical=ordinal
thrice --data.train=b.svm --solver.task=regression

# what was noted about the input, and the advice on it, are those of the first run
awk 'BEGIN { print "a table of nothing"; print "id,a,b,kind"; print "-,[cm],[kg],-"
     for (i = 1; i <= 90; i++) { print i "," i % 11 / 4 "," i % 7 / 2 "," i % 3; if (i == 50) print "id,a,b,kind" } }' > notes.csv
awk 'BEGIN { for (i = 1; i <= 200; i++) print i * 7 % 25 + 1 "," i % 13 / 4 "," i % 7 / 2 }' > many.csv
for task in '' --solver.task=classification; do
    for table in notes.csv many.csv; do
        rm -f rows.cache
        for turn in first second; do
            # shellcheck disable=SC2086
            run 0 "$DPSVM" train $table $fast --output.model=m.model --data.cache=rows.cache $task
            grep -E '^(note|warning|advice)|label|guess' err | grep -v 'data\.cache' > $turn.notes
        done
        same first.notes second.notes
        [ "$table$task" = many.csv--solver.task=classification ] || [ -s first.notes ] || fail "nothing was noted about $table"
    done
done
awk 'BEGIN { for (i = 1; i <= 90; i++) print i / 8 "," i % 13 / 4 "," i % 7 / 2 }' > real.csv
rm -f rows.cache
# shellcheck disable=SC2086
refused 3 'the labels in column 1 are 90 different numbers' "$DPSVM" train real.csv $fast -q -o m.model --data.cache=rows.cache
# shellcheck disable=SC2086
refused 3 'the labels in column 1 are 90 different numbers' "$DPSVM" train real.csv $fast -q -o m.model --data.cache=rows.cache
# shellcheck disable=SC2086
run 0 "$DPSVM" train real.csv $fast --output.model=m.model --data.cache=rows.cache --solver.task=classification
says 'the rows come from'

# stale: each cause by its name
train() {
    # shellcheck disable=SC2086
    run 0 "$DPSVM" train $fast --output.model=m.model --data.cache=rows.cache "$@"
}
train a.svm
train b.svm
says 'is made again: b\.svm has changed'
train --data.train=a.svm,b.svm
says 'is made again: it is of 1 files, data\.train names 2'
train --data.train=a.svm,b.svm --data.format=libsvm
says 'is made again: data\.format was .*auto.* and is .*libsvm'
train a.svm
cp -p a.svm old.svm
sed 's/^+1 1:0/+1 1:1/' old.svm > a.svm # one length, other numbers
touch -r old.svm a.svm
cmp -s a.svm old.svm && fail "the test's change changed nothing"
train a.svm
says 'is made again: a\.svm has changed'
train a.svm
says 'the rows come from'
cp a.svm copy.svm # another file, another time, the same rows
train copy.svm
says 'the rows come from'

# damaged: made again with a warning, and the model is that of the text
size=$(wc -c < rows.cache)
cp rows.cache good.cache
cp m.model good.model
for at in 3 20 100 5000 $((size / 2)) $((size - 3000)) $((size - 60)) $((size - 30)) $((size - 3)); do
    cp good.cache rows.cache
    printf '\377' | dd of=rows.cache bs=1 seek="$at" conv=notrunc 2> /dev/null
    cmp -s rows.cache good.cache && continue
    train a.svm
    grep -q 'the rows come from' err && fail "a cache with byte $at changed was used"
    says 'rows\.cache is made again'
    same m.model good.model
    train a.svm
    says 'the rows come from'
done
for cut in 0 10 64 1000 $((size / 2)) $((size - 1)); do
    head -c "$cut" good.cache > rows.cache
    train a.svm
    says 'rows\.cache is made again: it is damaged or cut short'
    same m.model good.model
done

# refused: what is no cache is not replaced; inputs that cannot be told again
cp weights other
refused 2 'is no cache of rows and will not be replaced' "$DPSVM" train a.svm -q --data.cache=other
same weights other
# shellcheck disable=SC2016  # for the inner shell
refused 2 'no regular file' sh -c '"$0" train - -q --data.cache=rows.cache < a.svm' "$DPSVM"
refused 2 'data\.cache' "$DPSVM" train a.svm -q --data.cache=a.svm
refused 2 'data\.cache' "$DPSVM" train a.svm -q --data.cache=m.model --output.model=m.model
# a place that cannot be written costs the cache, not the model
train a.svm --data.cache=missing/rows.cache
says 'data\.cache: there will be none'
same m.model good.model

finish
