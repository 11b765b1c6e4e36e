#!/bin/sh
# python_test.sh TEST.py: with the first Python that has what the tests want.
for python in "${PYTHON:-}" /usr/bin/python3 python3; do
    [ -n "$python" ] || continue
    if "$python" -c 'import sklearn, pandas' 2> /dev/null; then
        PYTHONPATH=$SOURCE/src/python:$SOURCE/tests/python exec "$python" -B -W ignore::UserWarning "$@"
    fi
done
echo "skipped: no python3 with scikit-learn and pandas (Debian: python3-sklearn python3-pandas)"
exit 77
