#!/bin/sh
# What docs/security.md promises about files, other users of a machine and models from strangers, where no unit test can.
. "$SOURCE/tests/cli/check.sh"

mode() {
    stat -c %a "$1"
}

rows 61 200 4 > rows.svm
train="train rows.svm -q --map.features=20 --output.baseline=off -o m.model"

# Modes: of the umask, and of the file that is replaced.
(umask 077 && run 0 "$DPSVM" $train)
[ "$(mode m.model)" = 600 ] || fail "umask 077 gives mode $(mode m.model)"
chmod 640 m.model
(umask 022 && run 0 "$DPSVM" $train)
[ "$(mode m.model)" = 640 ] || fail "a file of mode 640 is replaced by one of mode $(mode m.model)"

# A link at the temporary name that this process will choose is not followed.
echo precious > victim
rm m.model
step='a link planted at the temporary name'
sh -c 'ln -s victim ".m.model.tmp-$(hostname)-$$-0"; exec "$@"' sh "$DPSVM" $train 2> err || fail 'train failed'
[ "$(cat victim)" = precious ] || fail 'the planted link was followed'
[ -f m.model ] && [ ! -L m.model ] || fail 'no model'
rm -f .m.model.tmp-*

# Nothing stays in TMPDIR, and scratch files have no names while the run lasts.
mkdir room
"$MAKE_ROWS" 20000 20 > many.svm 2> err || rows 7 20000 4 > many.svm
TMPDIR=$PWD/room "$DPSVM" train many.svm -q --run.threads=1 --run.memory=16M --kernel.type=linear --output.baseline=off -o big.model 2> err &
process=$!
seen=
while kill -0 $process 2> /dev/null; do
    seen=$seen$(ls -A room)
    sleep 0.02
done
wait $process || fail 'training out of core failed'
[ -z "$seen$(ls -A room)" ] || fail "names in TMPDIR: $seen"

# A self-test: the same bits here; other bits are told; without it the file is as it was.
run 0 "$DPSVM" $train
cp m.model plain.model
head -1 m.model | grep -q '^dpsvm model 1$' || fail 'a model without a self-test has another version'
run 0 "$DPSVM" info --verify m.model
grep -q 'compared with plain C' out || fail 'a model without a self-test is not compared with plain C'
run 0 "$DPSVM" $train --output.self_test=on
head -1 m.model | grep -q '^dpsvm model 5$' || fail 'a model with a self-test is not of version 5'
run 0 "$DPSVM" info --verify m.model
for path in $(simd_paths); do
    grep -q "^$path *the same bits" out || fail "no word of $path"
done
run 0 "$DPSVM" predict plain.model rows.svm --scores -q
cp out plain.scores
run 0 "$DPSVM" predict m.model rows.svm --scores -q
same plain.scores out
finish
