#!/bin/sh
# run_fuzz.sh BUILD SECONDS [--keep] [TARGET...]: every target, or those named, for so many seconds from the committed
# corpus and what earlier runs in BUILD found; then merges both to the fewest and shortest inputs with the same
# coverage, and prints a table. --keep: those that reach code which no committed one reaches join the committed corpus.
# Exit code 1: there is a finding (BUILD/findings).
set -eu
build=$1
seconds=$2
shift 2
keep=off
if [ "${1:-}" = --keep ]; then
    keep=on
    shift
fi
source=$(cd "$(dirname "$0")" && pwd)
cd "$build"
if [ $# -eq 0 ]; then
    for program in tests/fuzz/fuzz_*; do
        set -- "$@" "${program##*/fuzz_}"
    done
fi
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/fuzz-XXXXXX")
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 130' INT TERM
OMP_WAIT_POLICY=passive
export TMPDIR OMP_WAIT_POLICY

# number NAME LOG: of libFuzzer's last statistics.
number() {
    sed -n "s/^stat::$1: *//p" "$2" | tail -n 1
}

printf '%-12s %12s %10s %8s %8s %8s %10s %9s\n' target executions 'a second' edges features inputs bytes findings
status=0
for target; do
    program=tests/fuzz/fuzz_$target
    committed=$source/corpus/$target
    mkdir -p corpus/"$target" findings/"$target" merged "$committed"
    log=findings/$target.log
    # a packed file may ask for a window of 4 GiB, of which it touches what it fills
    $program -max_total_time="$seconds" -max_len=4096 -timeout=120 -rss_limit_mb=2000 -malloc_limit_mb=5000 \
        -print_final_stats=1 -reload=0 \
        -dict="$source/$target.dict" -artifact_prefix="findings/$target/" corpus/"$target" "$committed" >"$log" 2>&1 || status=1
    rm -rf merged/"$target"
    mkdir merged/"$target"
    $program -merge=1 -max_len=4096 -malloc_limit_mb=5000 merged/"$target" "$committed" corpus/"$target" >"$log".merge 2>&1 || status=1
    if [ $keep = on ]; then
        $program -merge=1 -use_counters=0 -max_len=4096 -malloc_limit_mb=5000 "$committed" merged/"$target" \
            >"$log".keep 2>&1 || status=1
    fi
    # "#123 DONE cov: 45 ft: 67 ..."
    edges=$(sed -n 's/^#[0-9].* cov: \([0-9]*\) ft: \([0-9]*\) .*/\1 \2/p' "$log" | tail -n 1)
    printf '%-12s %12s %10s %8s %8s %8s %10s %9s\n' "$target" "$(number number_of_executed_units "$log")" \
        "$(number average_exec_per_sec "$log")" "${edges% *}" "${edges#* }" "$(find merged/"$target" -type f | wc -l)" \
        "$(find merged/"$target" -type f -exec cat {} + | wc -c)" "$(find findings/"$target" -type f ! -name 'slow-unit-*' | wc -l)"
done
if [ $status -ne 0 ]; then
    echo "inputs that are findings: $build/findings; what each says stands at the end of findings/TARGET.log"
fi
echo "$# targets, $seconds seconds each"
exit $status
