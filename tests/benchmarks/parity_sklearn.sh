#!/bin/sh
# Parity with scikit-learn (Debian package python3-sklearn), an independent answer:
#   [DPSVM=PROGRAM] [FIT_SIGMOID=PROGRAM] sh tests/benchmarks/parity_sklearn.sh
# Metrics of evaluate, probabilities, objectives and scaled columns on the same rows, as a Markdown table; fails where a
# difference is above its bound (parity_sklearn.py). Skipped, with status 0, without scikit-learn.
set -eu
here=$(dirname "$0")
root=$(cd "$here/../.." && pwd)
for python in python3 /usr/bin/python3; do
    "$python" -c 'import sklearn' 2> /dev/null || continue
    # shellcheck disable=SC2093  # what follows is for a system where no python has it
    exec "$python" "$here/parity_sklearn.py" --dpsvm "${DPSVM:-$root/build/release/dpsvm}" \
        --fit-sigmoid "${FIT_SIGMOID:-$root/build/release/tests/fit_sigmoid}" "$root/data"
done
echo "skipped: scikit-learn is not installed (Debian package python3-sklearn)"
