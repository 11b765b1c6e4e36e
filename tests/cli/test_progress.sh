#!/bin/sh
# What is seen while work goes on: on a terminal one line in place that keeps within its width and names the stage and its
# share, the trials of a search among them; in a log a line now and then; what was read before what is done with it.
. "$SOURCE/tests/cli/check.sh"

awk 'BEGIN { srand(7); for (i = 0; i < 9000; i++) { a = rand(); b = rand(); c = rand()
    printf "%d 1:%.4f 2:%.4f 3:%.4f 4:%.4f\n", int(6 * a) + 6 * (b > c), a, b, c, rand() } }' > many.svm

# on_terminal COLUMNS COMMAND...: every state of the terminal's line, one a line, to ./seen.
on_terminal() {
    columns=$1
    shift
    step="$columns columns: $*"
    script -qec "stty cols $columns; $*" /dev/null < /dev/null > typed 2> err || fail "status $?"
    tr '\r' '\n' < typed | sed 's/.\[K//' > seen
}

if command -v script > /dev/null && command -v stty > /dev/null; then
    for columns in 40 80 200; do
        on_terminal $columns "$DPSVM" train many.svm -o x.model --solver.C=1
        grep '  [0-9]*:[0-9][0-9]' seen | grep -v '^seconds' > progress
        [ -s progress ] || fail 'no progress'
        [ "$(awk '{ if (length > n) n = length } END { print n + 0 }' progress)" -lt $columns ] || fail "a line of progress is wider than $columns columns"
        grep -Eq '^search +[0-9]+ %' progress || fail 'the search is not a stage of its own'
        awk '/^data: / { read = NR } /^search/ && !search { search = NR } END { exit !(read && read < search) }' seen ||
            fail 'what was read is not said before the search'
    done
    # which of the trials are seen, the first without a best before it, is a matter of time
    grep -Eq '^search +[0-9]+ %  trial [0-9]+ of about [0-9]+: [a-z].*[a-z0-9](; best [0-9.]+ %)?  [0-9]+:[0-9]' progress || fail 'no trial is named'
    on_terminal 100 "$DPSVM" tune many.svm --tune.map.features=100,200,300 --tune.solver.C=0.1,1 -o x.model
    grep -Eq '^tune +[0-9]+ %  setting [0-9] of 6, fold [0-9] of 5' seen || fail 'no setting of tune is named'
else
    untried 'terminals of several widths: no script(1) or stty(1)'
fi

# In a log: plain lines, no codes of a terminal; the search says where it is.
awk '{ for (k = 0; k < 4; k++) print }' many.svm > long.svm
run 0 "$DPSVM" train long.svm -o x.model --run.threads=1
! grep -q "$(printf '\033')" err || fail 'codes of a terminal in a log'
if [ "$(sed -n 's/^kernel.type = auto: searched in \([0-9]*\)\..*/\1/p' err)" -ge 2 ]; then
    says '^search +[0-9]+ %  trial'
    [ "$(grep -c '^search ' err)" -le 20 ] || fail 'too many lines of progress'
fi
awk '/^data: / { read = NR } /^kernel.type = auto/ { search = NR } END { exit !(read && read < search) }' err ||
    fail 'what was read is not said before the search'

# The plan in seconds, once the first of many settings have shown how long one takes; no need to wait for the others.
# shellcheck disable=SC2034  # fail says it
step='a plan in seconds'
"$DPSVM" tune "$SOURCE/data/spirals.train" --kernel.type=rbf --tune.solver.C="$(seq -s, 1 60)" \
    --tune.kernel.gamma="$(seq -s, 0.1 0.1 6)" --run.threads=1 -o x.model 2> log &
for _ in $(seq 300); do
    ! grep -q '^plan: ' log || break
    sleep 0.1
done
kill $!
wait $! || true
grep -Eq '^plan: about [0-9.]+ (s|min|h) for 3600 settings in 5 folds$' log || fail "no plan in seconds: $(cat log)"
[ "$(grep -c '^plan: ' log)" -eq 1 ] || fail 'the plan is said more than once'
finish
