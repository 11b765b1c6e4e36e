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
