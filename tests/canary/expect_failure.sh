#!/bin/sh
# expect_failure.sh PROGRAM MESSAGE: succeeds if PROGRAM fails and says MESSAGE.
output=$("$1" 2>&1)
code=$?
if [ "$code" -eq 0 ]; then
    echo "$1 ended with exit code 0: the sanitizer did not see the planted bug"
    exit 1
fi
case $output in
*"$2"*) exit 0 ;;
esac
echo "$1 failed with exit code $code, but not for the planted bug; expected: $2; its output:"
echo "$output"
exit 1
