#!/bin/sh
# dpsvm bench: one JSON object a measure, each with a rate and a share of its reference; unknown rooms are refused.
set -eu

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

"$DPSVM" bench data --run.threads=1 -q > lines
[ "$(wc -l < lines)" -eq 3 ] || fail "expected three kinds of text, found $(wc -l < lines) lines"
grep -c '"room":"data".*"threads":1,.*"rate":[0-9].*"reference":"memchr".*"share":[0-9]' lines | grep -qx 3 ||
    fail "a line lacks room, rate or share: $(cat lines)"

# The table of threads: a head of two lines, six stages with one and two threads.
"$DPSVM" bench scale --run.threads=2 -q > table
[ "$(wc -l < table)" -eq 14 ] || fail "expected six stages with two numbers of threads: $(cat table)"
# a busy machine may make differences of times negative
for stage in read scale map 'newton step' 'dcd pass' 'sgd epoch'; do
    for threads in 1 2; do
        grep -q "^| $stage  *|  *$threads | *[-0-9.]* | *[-0-9.]* | *[-0-9.]* | *[-0-9]* % |" table ||
            fail "no line of $stage with $threads threads: $(cat table)"
    done
done
! ls "${TMPDIR:-/tmp}"/dpsvm-scale-* 2>/dev/null || fail 'a file of the table of threads was left behind'

status=0
"$DPSVM" bench kitchen > out 2> err || status=$?
[ "$status" -eq 2 ] || fail "an unknown room ended with $status"
[ ! -s out ] || fail "an unknown room wrote to standard output"
grep -q 'kitchen.*data, features, linalg, solver or scale' err || fail "said: $(cat err)"

# check says how many threads newton deserves, train does not; more columns and rows deserve more.
awk 'BEGIN { for (i = 0; i < 4000; i++) print i % 2 ? 1 : -1, "1:" i % 7, "2:" i % 5 }' > rows.svm
for features in 30 600; do
    "$DPSVM" check rows.svm --map.features=$features > plan 2> err
    grep '^# threads: more than .* will not pay in newton.s steps$' plan > said.$features || fail "check said: $(cat plan)"
done
grep -q 'more than one' said.30 || fail "few columns: $(cat said.30)"
grep -q 'more than [0-9]' said.600 || fail "many columns: $(cat said.600)"
"$DPSVM" train rows.svm --map.features=30 --output.model=m > out 2>&1
! grep -q 'will not pay' out || fail "train spoke of threads: $(cat out)"
