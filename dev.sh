#!/bin/sh
# ./dev.sh COMMAND: everything a developer does with this tree, on a fresh Debian machine too. Needs only sh; what
# is missing is installed with apt-get where that is allowed, otherwise named.
#
#   demo      build, train on configs/spirals.ini, predict, print the accuracy
#   test      build with tests, run all of them, and the unit and contract tests once more under sanitizers;
#             test --long: more random configurations, for some minutes longer
#   build     build the program: build/release/dpsvm
#   sanitize  all tests but the scripts under the address, undefined-behaviour and thread sanitizers
#   bench     measure against published figures and other programs
#   format    clang-format on all C files
set -eu
cd "$(dirname "$0")"

say() {
    printf '%s\n' "$*"
}

fail() {
    printf 'dev.sh: %s\n' "$*" >&2
    exit 1
}

# --- what must be installed ---------------------------------------------------------------------------------------

# have_header HEADER: the C compiler finds it.
have_header() {
    printf '#include <%s>\n' "$1" | cc -E -x c - >/dev/null 2>&1
}

# missing_packages test|build: the Debian packages of what is not there.
missing_packages() {
    command -v cc >/dev/null || printf ' gcc'
    command -v cmake >/dev/null || printf ' cmake'
    command -v make >/dev/null || command -v ninja >/dev/null || printf ' ninja-build'
    for need in stdlib.h:libc6-dev cblas.h:libopenblas-dev Random123/philox.h:librandom123-dev ini.h:libinih-dev \
        xxhash.h:libxxhash-dev cjson/cJSON.h:libcjson-dev zlib.h:zlib1g-dev zstd.h:libzstd-dev; do
        have_header "${need%%:*}" || printf ' %s' "${need##*:}"
    done
    if [ "$1" != build ]; then
        # cmocka.h wants its reader to have included what it needs: ask for the file alone
        printf '#if !__has_include(<cmocka.h>)\n#error\n#endif\n' | cc -E -x c - >/dev/null 2>&1 ||
            printf ' libcmocka-dev'
    fi
    if [ "$1" = test ]; then # ranks; without them (any MPI will do) their tests are skipped
        have_header bzlib.h || printf ' libbz2-dev' # a build without them does not unpack bzip2 and xz
        have_header lzma.h || printf ' liblzma-dev'
        command -v mpicc >/dev/null || printf ' libopenmpi-dev'
        command -v mpirun >/dev/null || printf ' openmpi-bin'
    fi
    if [ "$1" = sanitize ]; then
        command -v clang >/dev/null || printf ' clang'
        # the OpenMP runtime of clang's version, with the Archer tool
        [ -n "$(find /usr/lib/llvm-*/lib -name libarcher.so 2>/dev/null | head -n 1)" ] || printf ' libomp-dev'
    fi
}

install_missing() {
    packages=$(missing_packages "$1")
    [ -n "$packages" ] || return 0
    command="apt-get install -y --no-install-recommends$packages"
    if ! command -v apt-get >/dev/null; then
        fail "this machine lacks (by the names of their Debian packages):$packages"
    elif [ "$(id -u)" -eq 0 ]; then
        as_root=
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        as_root='sudo -n'
    else
        say "Some packages are missing. Please run, then start again:"
        say "  sudo $command"
        exit 1
    fi
    say "Installing$packages"
    mkdir -p build
    {
        # a source that cannot be reached is no reason to give up: what counts is whether the packages come
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get update || true
        # shellcheck disable=SC2086  # words of the command
        $as_root env DEBIAN_FRONTEND=noninteractive $command
    } >build/install.log 2>&1 </dev/null || {
        tail -n 20 build/install.log >&2
        fail "installing failed (whole log: build/install.log); the command was: $command"
    }
}

# --- building and testing -----------------------------------------------------------------------------------------

jobs=$(nproc 2>/dev/null || echo 2)

# quietly LOG COMMAND...: the end of the log is shown only when the command fails.
quietly() {
    log=$1
    shift
    "$@" >"$log" 2>&1 </dev/null || {
        tail -n 40 "$log" >&2
        fail "this failed: $* (whole log: $log)"
    }
}

# build PRESET [TARGET]
build() {
    folder=build/$1
    if [ -f "$folder/CMakeCache.txt" ] &&
        ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd -P)" "$folder/CMakeCache.txt"; then
        rm -rf "$folder" # the tree has moved since
    fi
    mkdir -p build
    if [ ! -f "$folder/build.ninja" ] && [ ! -f "$folder/Makefile" ]; then
        if [ -z "${CMAKE_GENERATOR:-}" ] && command -v ninja >/dev/null; then
            export CMAKE_GENERATOR=Ninja
        fi
        say "Building ($1) ..."
        quietly "build/$1.configure.log" cmake --preset "$1"
    fi
    quietly "build/$1.build.log" cmake --build "$folder" --parallel "$jobs"
}

passed=0
failed=0
skipped=0

# run_tests PRESET CTEST-OPTIONS...: adds to the three counts.
run_tests() {
    folder=build/$1
    log=$PWD/build/$1.test.log
    shift
    show=-Q
    if [ -t 1 ]; then
        show=--progress
    fi
    ctest --test-dir "$folder" --parallel "$jobs" --output-on-failure --no-tests=error $show -O "$log" "$@" \
        </dev/null || true
    summary=$(grep 'tests passed, .* failed out of' "$log") || {
        tail -n 20 "$log" >&2
        fail "no test ran in $folder (log: $log)"
    }
    total=${summary##* }
    lost=${summary%% tests failed*}
    lost=${lost##* }
    left_out=$(grep -c '\*\*\*Skipped' "$log") || true
    passed=$((passed + total - lost - left_out))
    failed=$((failed + lost))
    skipped=$((skipped + left_out))
    if [ "$lost" -gt 0 ] && [ "$show" = -Q ]; then
        grep -v -e ' Passed  ' -e '^ *Start ' -e '^\[[A-Z]*_*[A-Z]*\] $' "$log" # what the failed tests said, and the list of them
    fi
    say "$folder: $summary, $(sed -n 's/^Total Test time (real) = *//p' "$log")"
}

# The closing line, which scripts may read; fails if a test did.
finish() {
    if [ "$skipped" -gt 0 ]; then
        say "$passed passed, $failed failed, $skipped skipped"
    else
        say "$passed passed, $failed failed"
    fi
    [ "$failed" -eq 0 ]
}

# --- commands -----------------------------------------------------------------------------------------------------

run_test() {
    case ${2:-} in
    '') ;;
    --long) export DPSVM_LONG=1 ;;
    *) fail "test: expected nothing or --long, found $2" ;;
    esac
    install_missing test
    build ci
    build asan-ubsan
    run_tests ci
    run_tests asan-ubsan --label-regex 'unit|contract|canary'
    finish
}

run_sanitize() {
    install_missing sanitize
    for preset in asan-ubsan tsan; do
        build $preset
    done
    for preset in asan-ubsan tsan; do
        run_tests $preset --label-exclude cli
    done
    finish
}

run_demo() {
    install_missing build
    build release
    model=build/demo/spirals.dpsvm
    predicted=build/demo/spirals.predicted
    mkdir -p build/demo
    say "Training: build/release/dpsvm train configs/spirals.ini --output.model=$model"
    build/release/dpsvm train configs/spirals.ini --output.model=$model
    say "Predicting: build/release/dpsvm predict $model data/spirals.test -o $predicted"
    build/release/dpsvm predict $model data/spirals.test -o $predicted
    # counted here once more, by other means than the program's own
    awk 'NR == FNR { label[FNR] = $1; rows = FNR; next }
         { right += ($1 + 0 == label[FNR] + 0) }
         END { printf "Accuracy on data/spirals.test: %.2f %% (%d of %d)\n", 100 * right / rows, right, rows }' \
        data/spirals.test $predicted
    say "Model: $model ($(wc -c <$model) bytes; build/release/dpsvm info $model shows what is in it)"
    say "Predictions: $predicted"
}

run_build() {
    install_missing build
    build release
    say "build/release/dpsvm"
}

run_bench() {
    [ -f tests/benchmarks/run.sh ] || fail "there is no tests/benchmarks/run.sh in this tree"
    install_missing build
    build release
    shift
    DPSVM=$PWD/build/release/dpsvm exec sh tests/benchmarks/run.sh "$@"
}

run_format() {
    command -v clang-format >/dev/null || fail "clang-format is missing: apt-get install clang-format"
    find src tests include -name '*.[ch]' -exec clang-format -i {} +
}

case ${1:-} in
demo) run_demo ;;
test) run_test "$@" ;;
build) run_build ;;
sanitize) run_sanitize ;;
bench) run_bench "$@" ;;
format) run_format ;;
*)
    sed -n '2,/^set -eu/{/^set -eu/d;s/^# \{0,1\}//;p;}' "$0"
    [ "${1:-}" = help ] || [ "${1:-}" = --help ] || exit 2
    ;;
esac
