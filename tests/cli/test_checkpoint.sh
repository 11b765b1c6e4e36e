#!/bin/sh
# Checkpoints: a run that is stopped by a signal or its time limit, or killed at any moment, goes on to the bytes of
# the model that it would have written; what does not belong to it is refused; nothing is left behind.
. "$SOURCE/tests/cli/check.sh"

rows 81 6000 12 | awk '{ $1 = NR % 7 == 0 ? -$1 : $1; print }' > all.svm
awk '{ $1 = NR % 3; print }' all.svm > three.svm
state=state.ckpt

# leftovers MOST: temporary files in this folder.
leftovers() {
    left=$(find . -name '.*.tmp-*' | wc -l)
    [ "$left" -le "$1" ] || fail "$left temporary files left"
}

# Whole runs: slow enough to be stopped, as no tolerance is reached within the limit of passes.
for solver in newton dcd sgd; do
    case $solver in
    newton) set -- --solver.loss=hinge --solver.tolerance=1e-10 --map.features=150 --solver.max_iterations=60 ;;
    dcd) set -- --solver.tolerance=1e-14 --map.features=150 --solver.max_iterations=40 ;;
    sgd) set -- --solver.tolerance=1e-14 --map.features=150 --solver.max_iterations=25 ;;
    esac
    file=all.svm
    [ $solver = sgd ] && file=three.svm
    run 0 "$DPSVM" train $file --solver.type=$solver "$@" --output.model=$solver.whole
    # saving changes nothing, and what was saved is gone in the end
    run 0 "$DPSVM" train $file --solver.type=$solver "$@" --output.model=$solver.saved --run.checkpoint=$state \
        --run.checkpoint_every=0
    same $solver.whole $solver.saved
    [ ! -e $state ] || fail "$solver: the checkpoint is still there"
    # the time limit: every run makes at least one pass
    count=0
    status=75
    while [ "$status" -eq 75 ] && [ $count -lt 5 ]; do
        "$DPSVM" train $file --solver.type=$solver "$@" --output.model=$solver.limit --run.checkpoint=$state \
            --run.time_limit=0.001 2> err
        status=$?
        count=$((count + 1))
        [ -e $state ] || fail "$solver: no checkpoint after status $status"
    done
    [ "$status" -eq 75 ] || fail "$solver: status $status at the time limit"
    says 'run.time_limit is reached'
    [ ! -e $solver.limit ] || fail "$solver: a model of a run that was not complete"
    run 0 "$DPSVM" train $file --solver.type=$solver "$@" --output.model=$solver.limit --run.checkpoint=$state \
        --run.threads=1
    says 'resuming .* after iteration [1-9]'
    same $solver.whole $solver.limit
done

# Signals. The delay ends when the checkpoint is there.
long() {
    "$DPSVM" train all.svm --solver.type=dcd --solver.tolerance=1e-14 --map.features=300 --solver.max_iterations=4000 \
        --output.model=long.model --run.checkpoint=$state --run.checkpoint_every=0 "$@"
}
wait_for() {
    tries=0
    while [ ! -e "$1" ] && [ $tries -lt 300 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    [ -e "$1" ] || fail "$1 did not come"
}
for signal in TERM INT USR1 USR2 HUP XCPU; do
    step="signal $signal"
    rm -f $state
    # sh lets background jobs ignore INT: env gives it back
    env --default-signal=INT "$DPSVM" train all.svm --solver.type=dcd --solver.tolerance=1e-14 --map.features=300 \
        --solver.max_iterations=4000 --output.model=long.model --run.checkpoint=$state --run.checkpoint_every=0 2> err &
    process=$!
    wait_for $state
    kill -$signal $process
    wait $process
    status=$?
    [ $status -eq 75 ] || fail "status $status after $signal"
    says 'stopped by a signal after iteration [0-9]+ of dcd; saved in state.ckpt: the same command goes on'
done
step="without a checkpoint"
"$DPSVM" train all.svm --solver.type=dcd --solver.tolerance=1e-14 --solver.C=1e6 --map.features=300 \
    --solver.max_iterations=100000 --output.model=long.model 2> err &
process=$!
sleep 1
kill -TERM $process
wait $process
status=$?
[ $status -eq 143 ] || fail "status $status without a checkpoint"
# how batch systems announce one end: what they send after the first signal does not end the saving
for signals in 'USR2 TERM' 'INT TERM' 'XCPU XCPU' 'HUP HUP' 'USR1 USR1'; do
    step="signals $signals"
    rm -f ended.ckpt
    env --default-signal=INT "$DPSVM" train all.svm --solver.type=dcd --solver.tolerance=1e-14 --map.features=300 \
        --solver.max_iterations=4000 --output.model=long.model --run.checkpoint=ended.ckpt --run.checkpoint_every=0 2> err &
    process=$!
    wait_for ended.ckpt
    kill -STOP $process # both are there when it looks
    kill -${signals% *} $process
    sleep 0.2
    kill -${signals#* } $process
    kill -CONT $process
    wait $process
    status=$?
    [ $status -eq 75 ] || fail "status $status"
done
step="a limit on processor time"
rm -f ended.ckpt
(
    ulimit -St 1
    exec "$DPSVM" train all.svm --solver.type=sgd --solver.tolerance=1e-300 --map.features=300 \
        --solver.max_iterations=100000000 --output.model=long.model --run.checkpoint=ended.ckpt 2> err
)
status=$?
[ $status -eq 75 ] || fail "status $status"
[ -s ended.ckpt ] || fail "nothing was saved"
step="nohup"
nohup "$DPSVM" train all.svm --solver.type=sgd --solver.tolerance=1e-300 --map.features=300 --solver.max_iterations=300 \
    --output.model=nohup.model --run.checkpoint=nohup.ckpt --run.checkpoint_every=0 > out 2> err &
process=$!
wait_for nohup.ckpt
kill -HUP $process
wait $process
status=$?
[ $status -eq 0 ] || fail "status $status"
[ -s nohup.model ] || fail "no model"
step=""

# What does not belong: the reason and the remedy in one line, and the file is left alone. $state is of `long`.
cp $state kept
# says_last STATUS PATTERN COMMAND...
says_last() {
    wanted_status=$1
    pattern=$2
    shift 2
    run "$wanted_status" "$@"
    silent
    says "$pattern"
    same $state kept
}
says_last 2 'solver.C was 1, now 2; remove it or set run.resume = off' long --solver.C=2
says_last 2 'map.seed was 1, now 7' long --map.seed=7
sed 's/ 3:[^ ]*/ 3:0.5/' all.svm > other.svm
says_last 2 'is of other data' long --data.train=other.svm
awk '{ $1 = NR == 5 ? -$1 : $1; print }' all.svm > other.svm
says_last 2 'is of other data' long --data.train=other.svm
size=$(wc -c < kept)
for at in 5 30 200 $((size / 2)) $((size - 3)); do
    head -c $at kept > $state
    run 3 long
    says 'the checkpoint is .*damaged'
done
other=X # than the byte that is there
[ "$(head -c $((size / 2 + 1)) kept | tail -c 1 | tr -d '\000')" = X ] && other=Y
{ head -c $((size / 2)) kept; printf %s $other; tail -c +$((size / 2 + 2)) kept; } > $state
run 3 long
says 'its checksum does not fit'
echo hello > $state
run 3 long
says 'is no checkpoint of dpsvm'
LC_ALL=C sed '1s/^dpsvm checkpoint [0-9]*/dpsvm checkpoint 99/' kept > $state
run 2 long
says 'has a format that this version does not know'
rm $state
run 1 long --run.resume=on
says 'run.resume = on, but there is no checkpoint'
refused 2 'run.time_limit.*name a file' "$DPSVM" train all.svm --kernel.type=polynomial --run.time_limit=5 -q
refused 2 'run.checkpoint and output.model are both' "$DPSVM" train all.svm --run.checkpoint=model.dpsvm -q
refused 2 'data.train and run.checkpoint are both' "$DPSVM" train all.svm --run.checkpoint=all.svm -q
# another SIMD path goes on as well; off: from the start
cp kept $state
run 75 long --run.time_limit=0.001 --run.simd=portable
says 'resuming dcd'
run 75 long --run.time_limit=0.001 --run.resume=off
says 'reached after iteration [1-9] of dcd'
rm -f $state

# Killed at random moments, 50 times; each next start finds a whole state or none.
set -- train all.svm --solver.type=newton --solver.loss=hinge --solver.tolerance=1e-10 --map.features=150 \
    --solver.max_iterations=60 --output.model=killed.model --run.checkpoint=$state --run.checkpoint_every=0
count=0
resumed=0
deaths=0
while [ $count -lt 50 ]; do
    "$DPSVM" "$@" 2> err &
    process=$!
    sleep "0.$(awk -v k=$count 'BEGIN { srand(k + 20120421); printf "%02d", 2 + rand() * 9 }')"
    kill -9 $process 2> kill.err
    wait $process 2> kill.err
    status=$?
    [ $status -eq 137 ] || [ $status -eq 0 ] || fail "status $status at kill $count"
    [ $status -eq 0 ] || deaths=$((deaths + 1))
    grep -q resuming err && resumed=$((resumed + 1))
    if grep '^dpsvm: ' err | grep -qv '^dpsvm: warning: '; then
        fail "an error at kill $count"
    fi
    leftovers 2 # of the model and of the checkpoint
    [ ! -e killed.model ] || same newton.whole killed.model
    count=$((count + 1))
done
run 0 "$DPSVM" "$@"
same newton.whole killed.model
leftovers 0
[ ! -e $state ] || fail "the checkpoint is still there"
[ $deaths -ge 20 ] && [ $resumed -gt 0 ] || fail "only $deaths of 50 were killed at work, $resumed went on from a checkpoint"

finish
