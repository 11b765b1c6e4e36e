#!/bin/sh
# The ends of all ranges (extremes.py): finite certificates or a reason, for every solver and loss.
. "$SOURCE/tests/cli/check.sh"

run 0 python3 -B "$SOURCE/tests/cli/extremes.py"
[ "$failures" -eq 0 ] || cat out >&2
finish
