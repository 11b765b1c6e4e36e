#!/bin/sh
# Results on standard output, everything else on standard error, and the exit code tells how it went.
. "$SOURCE/tests/cli/check.sh"

rows 71 40 3 > train.svm
rows 72 12 3 > test.svm
sed 's/^[^ ]* //' test.svm > bare.svm

# train writes no result; it says what it uses and how it went.
run 0 "$DPSVM" train train.svm --data.test=test.svm --run.threads=1
silent
says '1 thread \(run\.threads\)'
says 'memory .* \('
says 'converged after [0-9]+ '
says 'gap .*target'
says 'accuracy: .* training rows .*largest class'
says 'test accuracy: .* 12 rows'
says 'seconds: parse [0-9.]+ \([0-9]+ MB/s\)'
says 'model: model\.dpsvm'

# Predictions are alone on standard output, however the rows come.
run 0 "$DPSVM" predict model.dpsvm test.svm
lines 12 out
grep -Evq '^[-+]1$' out && fail 'more than labels on standard output'
says 'accuracy [0-9.]+ % \([0-9]+ of 12'
cp out labels
run 0 "$DPSVM" predict model.dpsvm test.svm -o labels2 --data.zero_based=off
silent
same labels labels2
run 0 "$DPSVM" predict model.dpsvm - < test.svm
same labels out
step='pipe'
cat test.svm | "$DPSVM" predict model.dpsvm /dev/stdin -q > out 2> err || fail "status $?"
same labels out
[ ! -s err ] || fail '-q says something'
head -5 test.svm > t1.svm
tail -7 test.svm > t2.svm
run 0 "$DPSVM" predict model.dpsvm t1.svm t2.svm
same labels out
run 0 "$DPSVM" predict model.dpsvm bare.svm
same labels out
grep -q accuracy err && fail 'an accuracy without labels'
run 0 "$DPSVM" predict model.dpsvm test.svm --scores
lines 12 out

# transform has no accuracy to tell.
run 0 "$DPSVM" transform model.dpsvm test.svm --format csv
lines 12 out
grep -q accuracy err && fail 'an accuracy of transform'
refused 2 'libsvm, csv or npy' "$DPSVM" transform model.dpsvm test.svm --format xml

# Places that cannot be written are found before anything is read: the input would block.
mkfifo never
mkdir folder
for place in folder no/such/file; do
    refused 1 "$place.*output\.model" timeout 20 "$DPSVM" train never -o $place
    refused 1 "$place.*output\.report" timeout 20 "$DPSVM" train never --report $place
    refused 1 "$place" timeout 20 "$DPSVM" predict model.dpsvm never -o $place
    refused 1 "$place.*output\.report" timeout 20 "$DPSVM" predict model.dpsvm never --report $place
done

# A device that is full, a stream that is closed, a reader that has gone.
if [ -w /dev/full ]; then
    for words in 'predict model.dpsvm test.svm -q' 'predict model.dpsvm test.svm -q -o /dev/full' 'info model.dpsvm' 'help' \
        'version' 'check train.svm -q' 'transform model.dpsvm test.svm -q'; do
        step="$words > /dev/full"
        "$DPSVM" $words > /dev/full 2> err
        [ $? -eq 1 ] || fail 'a full device is not an error'
        [ "$(wc -l < err)" -eq 1 ] || fail 'expected one line'
    done
fi
step='closed standard output'
"$DPSVM" info model.dpsvm >&- 2> err
[ $? -eq 1 ] || fail 'no error'
"$DPSVM" train train.svm -o closed.dpsvm 2>&- >&- <&- || fail "status $?"
same model.dpsvm closed.dpsvm

# Exit codes of failures.
refused 1 'absent\.svm' "$DPSVM" train absent.svm
refused 1 'absent\.svm' "$DPSVM" predict model.dpsvm absent.svm
refused 1 'absent\.dpsvm' "$DPSVM" predict absent.dpsvm test.svm
printf '+1 1:2\n-1 1:x\n' > bad.svm
refused 3 'bad\.svm:2:' "$DPSVM" train bad.svm -q
refused 3 'test\.svm' "$DPSVM" info test.svm
run 1 "$DPSVM" train train.svm --solver.type=dcd --solver.tolerance=1e-9 --solver.max_iterations=1 --strict -o strict.dpsvm
says 'warning: .*limit.* = 1, after 1 .*gap'
[ -s strict.dpsvm ] || fail 'no model with --strict'
run 0 "$DPSVM" train train.svm --solver.type=dcd --solver.tolerance=1e-9 --solver.max_iterations=1 -o strict.dpsvm
run 0 "$DPSVM" train train.svm --strict -q

# Converged is what the gap says: an sgd whose objective has settled is not, for --strict and the report either.
rows 9 1500 3 > many.svm # fewer than 1025 would be ended by the interior point method
run 1 "$DPSVM" train many.svm --kernel.type=polynomial --map.features=50 --solver.type=sgd --solver.tolerance=1e-2 --strict --output.report=settled.json -o settled.dpsvm
says 'warning: sgd settled after .* gap'
! grep -q 'converged' err || fail 'calls an sgd that has settled converged'
grep -q '"outcome":[[:space:]]*"settled"' settled.json || fail 'the report does not say settled'
grep -q '"converged":[[:space:]]*false' settled.json || fail 'the report says converged'
grep -q '^trained.outcome = settled$' settled.dpsvm || fail 'the model does not say settled'

# A signal ends the work soon, with its exit code and without a model. (sgd never reaches this tolerance.)
for signal in TERM:143 INT:130; do
    step="SIG${signal%:*}"
    : > err
    "$DPSVM" train train.svm --solver.type=sgd --solver.tolerance=1e-300 --solver.max_iterations=1000000000 \
        -o stopped.dpsvm > out 2> err &
    trainer=$!
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        grep -q 'options:' err && break
        sleep 0.5
    done
    sleep 0.5
    kill -s "${signal%:*}" $trainer
    wait $trainer
    status=$?
    [ $status -eq "${signal#*:}" ] || fail "status $status"
    says 'stopped.*signal'
    [ ! -e stopped.dpsvm ] || fail 'a model was written'
done

finish
