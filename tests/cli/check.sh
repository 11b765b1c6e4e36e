#!/bin/sh
# Read by the scripts of this folder (". $SOURCE/tests/cli/check.sh"). They get DPSVM, the program, and SOURCE, the
# top of the source tree, from ctest, and work in a fresh folder of their own.
set -u
: "${DPSVM:?set DPSVM to the program}" "${SOURCE:?set SOURCE to the top of the source tree}"
LC_ALL=C
export LC_ALL
failures=0
step=""
rm -rf scratch
mkdir scratch
cd scratch || exit 1

fail() {
    failures=$((failures + 1))
    printf 'FAIL: %s\n' "$*" >&2
    [ -n "$step" ] && printf '      %s\n' "$step" >&2
    [ -s err ] && sed 's/^/      stderr: /' err | head -5 >&2
    return 0
}

# run STATUS COMMAND...: standard output goes to ./out, standard error to ./err.
run() {
    wanted=$1
    shift
    step="$*"
    "$@" > out 2> err
    status=$?
    [ "$status" -eq "$wanted" ] || fail "status $status, expected $wanted"
}

# says PATTERN: a line of standard error matches the extended pattern.
says() {
    grep -Eq -e "$1" err || fail "standard error does not say: $1"
}

# silent: nothing on standard output.
silent() {
    [ ! -s out ] || fail "standard output is not empty"
}

# refused STATUS PATTERN COMMAND...: ends with STATUS, says one line, which matches, and prints nothing else.
refused() {
    expected=$2
    wanted_status=$1
    shift 2
    run "$wanted_status" "$@"
    silent
    [ "$(wc -l < err)" -eq 1 ] || fail "expected one line on standard error, found $(wc -l < err)"
    says "$expected"
}

# same FILE FILE
same() {
    cmp -s "$1" "$2" || fail "$1 and $2 differ"
}

# lines COUNT FILE
lines() {
    [ "$(wc -l < "$2")" -eq "$1" ] || fail "$2 has $(wc -l < "$2") lines, expected $1"
}

# agree LEAST FILE LABELLED: at least LEAST predictions in FILE equal the first word of the lines of LABELLED.
agree() {
    hits=$(awk 'NR == FNR { p[FNR] = $1 + 0; next } p[FNR] == $1 + 0 { n++ } END { print n + 0 }' "$2" "$3")
    [ "$hits" -ge "$1" ] || fail "$hits right in $2, expected at least $1"
}

# rows SEED COUNT FEATURES: rows of two classes, -1 and +1 in turns, told apart by feature 1.
rows() {
    awk -v s="$1" -v n="$2" -v d="$3" 'BEGIN { for (i = 0; i < n; i++) {
        y = i % 2 ? 1 : -1
        line = sprintf("%+d", y)
        for (j = 1; j <= d; j++) {
            s = (s * 16807) % 2147483647
            line = line sprintf(" %d:%.4f", j, s / 2147483647 - 0.5 + (j == 1 ? y : 0))
        }
        print line } }'
}

# simd_paths: those that this processor has, by what `dpsvm version` calls the best.
simd_paths() {
    best=$("$DPSVM" version | sed -n 's/^SIMD *//p')
    case $best in
    portable) echo portable ;;
    avx2) echo portable avx2 ;;
    *) echo portable avx2 "$best" ;;
    esac
}

# untried WHAT AND WHY: a part of the script that is left out here; ./dev.sh test lists it at its end.
untried() {
    printf 'not tried: %s\n' "$*" >&2
}

finish() {
    [ "$failures" -eq 0 ] || exit 1
    exit 0
}
