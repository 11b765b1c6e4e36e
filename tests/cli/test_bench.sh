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

status=0
"$DPSVM" bench kitchen > out 2> err || status=$?
[ "$status" -eq 2 ] || fail "an unknown room ended with $status"
[ ! -s out ] || fail "an unknown room wrote to standard output"
grep -q 'kitchen.*data, features, linalg or solver' err || fail "said: $(cat err)"
