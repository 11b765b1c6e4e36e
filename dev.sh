#!/bin/sh
# ./dev.sh COMMAND: everything a developer does with this tree, on a fresh Debian machine too. Needs only sh; what
# is missing is installed with apt-get where that is allowed, otherwise named.
#
#   demo      build, train on configs/spirals.ini, predict, print the accuracy
#   test      build with tests, run all of them, and once more unit, contract and numeric tests under the address and
#             undefined-behaviour sanitizers, unit tests under that of threads;
#             test --long: more random configurations, and what takes very long and needs more packages (compilers,
#             other processors, the rest under sanitizers, every fault, valgrind); test CTEST-OPTIONS: only those that
#             they choose (test -R golden);
#             where CI is set and root runs it: in two bare systems, as fresh does, shorter in the second, and here
#             only what could not be tried there
#   build     build the program: build/release/dpsvm
#   sanitize  all tests but the scripts under the address, undefined-behaviour and thread sanitizers
#   fuzz      [--keep] [SECONDS] [TARGET...]: targets of tests/fuzz under libFuzzer, 60 seconds each if not told
#             otherwise, and a table of them; --keep: what reached something new joins the corpus that tests replay
#   fresh     demo and test in two bare Debian systems made for them: one with nothing, one with a reference LAPACK
#   bench     measure against published figures and other programs
#   experiments  the paper's experiments and more as one page, docs/evidence/paper.md, from the data that DPSVM_DATA names;
#             goes on where it was stopped; experiments --quick: minutes, a small part; experiments STEP...: only these
#   soak      random configurations, all commands: ./dev.sh soak [RUNS] [SEED] (5000 1); tests/soak/soak.py says what is held
#   mutants   [COUNT] [SEED]: small changes of the source one by one, and whether a test notices (300 1); goes on where it
#             was stopped; tests/mutation/mutate.py says which. mutants --again [COUNT] [SEED]: those that none did
#   coverage  the lines and branches that tests reach, by room, and the list of those that they do not
#   check     what clang-format, shellcheck and clang's analyser say of the sources
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

# need PROGRAM [PACKAGE]
need() {
    command -v "$1" >/dev/null || printf ' %s' "${2:-$1}"
}

# missing_packages build|some|test|long|sanitize|fresh|quick|experiments: the Debian packages of what is not there. some:
# for tests that were chosen, without the 100 MB of Python's, which name them where they are missed.
missing_packages() {
    if [ "$1" = fresh ]; then
        need mmdebstrap
        return
    fi
    need cc gcc
    need cmake
    command -v make >/dev/null || command -v ninja >/dev/null || printf ' ninja-build'
    for need in stdlib.h:libc6-dev Random123/philox.h:librandom123-dev xxhash.h:libxxhash-dev \
        cjson/cJSON.h:libcjson-dev zlib.h:zlib1g-dev zstd.h:libzstd-dev bzlib.h:libbz2-dev lzma.h:liblzma-dev; do
        have_header "${need%%:*}" || printf ' %s' "${need##*:}"
    done
    case $1 in
    some | test | long | sanitize)
        # cmocka.h wants its reader to have included what it needs: ask for the file alone
        printf '#if !__has_include(<cmocka.h>)\n#error\n#endif\n' | cc -E -x c - >/dev/null 2>&1 ||
            printf ' libcmocka-dev'
        ;;
    esac
    case $1 in
    some | test | long) # ranks (any MPI will do), tools that scripts compare with, an older processor
        need mpicc libopenmpi-dev
        need mpirun openmpi-bin
        need c++ g++ # an example of docs/examples
        need pkg-config
        python3 -c 'import json' >/dev/null 2>&1 || printf ' python3'
        /usr/bin/python3 -c 'import onnx, numpy' >/dev/null 2>&1 || printf ' python3-onnx python3-numpy'
        need tclsh tcl
        need mandoc # manual pages and completion
        need man man-db
        need zsh
        need xz xz-utils
        need zstd
        need bzip2
        need qemu-x86_64 qemu-user
        need mount # file systems that are full
        need script bsdutils # terminals
        [ "$1" != long ] || need doxygen
        if [ "$1" != some ]; then # Debian packages
            need dpkg-buildpackage dpkg-dev
            need dh debhelper
            dpkg -s build-essential >/dev/null 2>&1 || ! command -v dpkg >/dev/null || printf ' build-essential'
        fi
        [ -e /usr/share/i18n/locales/de_DE ] || printf ' locales'
        # without it the last test says why it did not run; only root can make a system of its own
        [ "$(id -u)" -ne 0 ] || [ "${DPSVM_FRESH:-on}" = off ] || need mmdebstrap
        ;;
    quick)
        need python3
        ;;
    experiments) # and the programs that it compares with
        need python3
        need svm-train libsvm-tools
        need liblinear-train liblinear-tools
        need xgboost
        /usr/bin/python3 -c 'import sklearn' >/dev/null 2>&1 || printf ' python3-sklearn'
        ;;
    esac
    case $1 in
    test | long) # the Python module with scikit-learn, which Debian has for the system's Python
        for module in sklearn pandas; do
            /usr/bin/python3 -c "import $module" >/dev/null 2>&1 || printf ' python3-%s' $module
        done
        ;;
    esac
    case $1 in
    sanitize | long)
        need clang
        # the OpenMP runtime of clang's version, with the Archer tool
        [ -n "$(find /usr/lib/llvm-*/lib -name libarcher.so 2>/dev/null | head -n 1)" ] || printf ' libomp-dev'
        # and of its sanitizers, where that is a package of its own
        [ -n "$(find /usr/lib/llvm-*/lib -name 'libclang_rt.tsan*.a' 2>/dev/null | head -n 1)" ] ||
            [ -z "$(apt-cache search --names-only '^libclang-rt-dev$' 2>/dev/null)" ] || printf ' libclang-rt-dev'
        ;;
    esac
    if [ "$1" = check ]; then
        need clang
        need python3
        need clang-format
        need shellcheck
    fi
    if [ "$1" = long ]; then # every compiler that this system offers, and two for other processors
        for compiler in gcc-11 gcc-12 gcc-13 gcc-14 clang-13 clang-14 clang-15 clang-16 clang-17 clang-18 clang-19 \
            clang-20 clang-21 clang-22; do
            command -v $compiler >/dev/null || [ -z "$(apt-cache search --names-only "^$compiler\$" 2>/dev/null)" ] ||
                printf ' %s' $compiler
        done
        need aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
        need s390x-linux-gnu-gcc gcc-s390x-linux-gnu
        need valgrind
        need lintian
        [ -e /usr/aarch64-linux-gnu/include/stdlib.h ] || printf ' libc6-dev-arm64-cross'
        [ -e /usr/s390x-linux-gnu/include/stdlib.h ] || printf ' libc6-dev-s390x-cross'
    fi
}

# install_missing build|test|...: for all that is named, at once.
install_missing() {
    packages=$(for part in "$@"; do missing_packages "$part"; done | tr ' ' '\n' | sort -u | tr '\n' ' ')
    packages=${packages% }
    [ -n "$packages" ] || return 0
    command="apt-get install -y --no-install-recommends$packages"
    if ! command -v apt-get >/dev/null; then
        fail "this machine lacks (by the names of their Debian packages):$packages"
    elif [ "$(id -u)" -eq 0 ]; then
        as_root=
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        as_root='sudo -n'
    else
        say "Some packages are missing. Please have root run this line, then start again:"
        say "  apt-get update; $command"
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

# unpack FOLDER PACKAGE...: into build/libraries/FOLDER, where the tests of one LAPACK after the other find them
# (tests/lapack). The machine's own stays as it is. Not to be had: the test says so.
unpack() {
    folder=build/libraries/$1
    shift
    [ ! -e "$folder" ] || return 0
    command -v apt-get >/dev/null && command -v dpkg >/dev/null || return 0
    rm -rf "$folder.part"
    mkdir -p "$folder.part"
    (cd "$folder.part" && apt-get download "$@" && for file in *.deb; do dpkg -x "$file" . || exit 1; done) \
        >"$folder.log" 2>&1 </dev/null && mv "$folder.part" "$folder" || rm -rf "$folder.part"
}

unpack_libraries() {
    [ -n "$(ls /var/lib/apt/lists/*Packages* 2>/dev/null)" ] || [ "$(id -u)" -ne 0 ] ||
        apt-get update >/dev/null 2>&1 </dev/null || true
    unpack reference libblas3 liblapack3
    unpack openblas_pthread libopenblas0-pthread
    unpack openblas_openmp libopenblas0-openmp
    unpack openblas_serial libopenblas0-serial
    unpack blis libblis4-pthread libblas3 liblapack3
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

# configure PRESET
configure() {
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
}

# build PRESET [TARGET]
build() {
    configure "$1"
    folder=build/$1
    quietly "build/$1.build.log" cmake --build "$folder" --parallel "$jobs" ${2:+--target "$2"}
}

passed=0
failed=0
skips=build/skips # a line for each: which test, and why

# reasons LOG SUMMARY: from what ctest keeps of all output, a line for each test that was skipped (by the summary) and
# for each part that a test did not try ("not tried: why", a line of its own).
reasons() {
    awk -v summary="$2" '
        BEGIN { while ((getline line < summary) > 0) if (line ~ /\*\*\*Skipped/) { split(line, word, /[ .]*\*\*\*/)
            sub(/.*: /, "", word[1]); skipped[word[1]] = 1 } }
        / Testing: / { name = $3; last = "no reason given"; inside = 0 }
        /^Output:$/ { inside = 1; next }
        /^<end of output>/ { if (name in skipped) print name ": " last; inside = 0 }
        inside && sub(/^ *not tried: /, "") { print name ": " $0; next }
        inside && NF > 0 && !/^-+$/ { last = $0; sub(/^skipped: /, "", last) }' "$1"
}

# run_tests PRESET CTEST-OPTIONS...: adds to the counts.
run_tests() {
    folder=build/$1
    log=$PWD/build/$1.test.log
    shift
    show=-Q
    if [ -t 1 ]; then
        show=--progress
    else
        say "Testing (${folder#build/}), some minutes ..."
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
    reasons "$folder/Testing/Temporary/LastTest.log" "$log" >>$skips
    if [ "$lost" -gt 0 ] && [ "$show" = -Q ]; then
        grep -v -e ' Passed  ' -e '^ *Start ' -e '^\[[A-Z]*_*[A-Z]*\] $' "$log" # what the failed tests said, and the list of them
    fi
    say "$folder: $summary, $(sed -n 's/^Total Test time (real) = *//p' "$log")"
}

# What may be left out where CI is set (docs/architecture.md lists it, too): by the name of the test, and why.
may_skip='^(in the root [a-z]+, )?(slurm\.test_slurm: '\
'|cli\.test_reported_cases: '\
'|fresh\.[a-z]+: (needs root|(chroot is|mounts are) not allowed here)$'\
'|cli\.test_refused_threads: a limit on processes: needs root'\
'|packages\.debian: (installing with dpkg: needs root|a build without network: unshare -n is not allowed here)'\
'|cli\.test_packaging: a build without network: unshare -n is not allowed here'\
'|check of the sources: the layout, |analyser: the analyser of clang 14'\
'|faults\.opened: the kernel allows no seccomp filter here'\
'|unit\.util\.test_job_limits: .*a sanitizer )'

# The skips with their reasons and the closing line, which scripts may read; fails if a test did, and where CI is set
# if something was skipped that a machine of its own need not skip.
finish() {
    sed 's/^/skipped: /' $skips
    if [ -n "${CI:-}" ]; then
        unexpected=$(grep -cvE "$may_skip" $skips) || true
        if [ "$unexpected" -gt 0 ]; then
            say "Skipped, but CI is set: $unexpected"
            failed=$((failed + unexpected))
        fi
    fi
    say "$passed passed, $failed failed, $(($(wc -l <$skips))) skipped"
    [ "$failed" -eq 0 ]
}

# --- commands -----------------------------------------------------------------------------------------------------

# run_test [--long | CTEST-OPTIONS...]
run_test() {
    extent="test"
    if [ "${1:-}" = --long ]; then
        extent=long
        shift
        export DPSVM_LONG=1
    fi
    case $extent-$* in
    test-?*python* | test-?*packages*) ;;
    test-?*) extent=some ;;
    esac
    if [ $# -eq 0 ]; then
        install_missing $extent sanitize check
    else
        install_missing $extent
    fi
    unpack_libraries
    mkdir -p build
    : >$skips
    build ci
    if [ $# -gt 0 ]; then
        run_tests ci "$@"
        finish
        return
    fi
    for preset in asan-ubsan tsan; do
        build $preset
    done
    [ $extent = long ] || set -- --label-exclude "long${DPSVM_FRESH:+|fresh}"
    run_tests ci "$@"
    run_tests asan-ubsan --label-regex 'unit|contract|numeric|canary|fuzz|soak'
    run_tests tsan --label-regex 'unit|canary'
    check_sources
    if [ $extent = long ]; then
        build fuzz fuzz_targets
        step "fuzzing" build/fuzz.log sh tests/fuzz/run_fuzz.sh "$PWD/build/fuzz" 4
        run_tests tsan --label-regex 'contract|numeric'
        run_tests asan-ubsan --label-regex cli
    fi
    finish
}

run_fuzz() {
    keep=
    seconds=60
    if [ "${1:-}" = --keep ]; then
        keep=--keep
        shift
    fi
    case ${1:-} in
    [0-9]*)
        seconds=$1
        shift
        ;;
    esac
    install_missing sanitize
    build fuzz fuzz_targets
    # shellcheck disable=SC2086  # nothing, or a word
    sh tests/fuzz/run_fuzz.sh "$PWD/build/fuzz" "$seconds" $keep "$@"
}

run_sanitize() {
    install_missing sanitize
    : >$skips
    for preset in asan-ubsan tsan; do
        build $preset
    done
    for preset in asan-ubsan tsan; do
        run_tests $preset --label-exclude 'cli|long|fresh'
    done
    finish
}

# fresh_root WHICH TESTS...: as tests/fresh/fresh_root.sh; adds the counts of the root.
fresh_root() {
    log=build/fresh.$1.log
    mkdir -p build
    status=0
    say "A bare system ($1): ./dev.sh demo and ./dev.sh test${2:+ $2 $3} in it ..."
    sh tests/fresh/fresh_root.sh "$@" >"$log" 2>&1 </dev/null || status=$?
    if [ $status -eq 77 ]; then
        say "fresh.$1: $(tail -n 1 "$log")" >>$skips
        return
    fi
    grep -E '^(Accuracy on|build/[a-z-]*: |skipped: |[0-9]+ passed, )|^fresh root' "$log" | sed 's/^/  /'
    counts=$(grep -E '^[0-9]+ passed, ' "$log" | tail -n 1)
    if [ $status -ne 0 ] || [ -z "$counts" ]; then
        tail -n 60 "$log"
        failed=$((failed + 1))
    fi
    passed=$((passed + $(printf '%s' "${counts:-0}" | sed 's/ passed.*//')))
    sed -n "s/^skipped: /in the root $1, /p" "$log" | sed 's/^in the root [a-z]*, \(slurm\)/\1/' >>$skips
}

run_fresh() {
    [ "$(id -u)" -ne 0 ] || install_missing fresh
    mkdir -p build
    : >$skips
    fresh_root bare
    fresh_root reference
    finish
}

# What the first bare system has run need not run here once more, except what no bare system can run.
run_ci() {
    [ "$(id -u)" -ne 0 ] || install_missing fresh
    mkdir -p build
    : >$skips
    fresh_root bare
    if [ -s $skips ] && grep -q '^fresh.bare:' $skips; then
        run_test
        return
    fi
    fresh_root reference -R '^unit|golden|newton|row_span|linalg'
    install_missing some
    build ci
    grep -v '^slurm' $skips >$skips.left || true
    mv $skips.left $skips
    run_tests ci -L 'unit|slurm'
    finish
}

# step NAME LOG COMMAND...: one more that passed or failed; the log is shown where it failed.
step() {
    name=$1
    log=$2
    shift 2
    if "$@" >"$log" 2>&1 </dev/null; then
        passed=$((passed + 1))
        say "$name: $(tail -n 1 "$log")"
    else
        failed=$((failed + 1))
        say "$name: failed"
        cat "$log"
    fi
}

check_sources() {
    step "check of the sources" build/check.log sh tests/check/check_sources.sh
    sed -n 's/^not tried: /check of the sources: /p' build/check.log >>$skips
    step "analyser" build/analyse.log python3 -B tests/check/analyse.py build/ci/compile_commands.json
    sed -n 's/^not tried: /analyser: /p' build/analyse.log >>$skips
}

run_check() {
    install_missing build check
    mkdir -p build
    : >$skips
    configure ci
    check_sources
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

run_experiments() {
    extent=experiments
    for word in "$@"; do
        [ "$word" != --quick ] || extent=quick
    done
    install_missing $extent
    build release
    exec python3 -B tests/experiments/run.py --dpsvm "$PWD/build/release/dpsvm" "$@"
}

# run_soak [RUNS] [SEED]: goes on where it was stopped, until build/soak/SEED.state is removed.
run_soak() {
    install_missing sanitize
    command -v python3 >/dev/null || fail "python3 is missing: apt-get install python3"
    for preset in release asan-ubsan; do
        build $preset
    done
    mkdir -p build/soak
    seed=${2:-1}
    DPSVM=build/release/dpsvm DPSVM_ASAN=$PWD/build/asan-ubsan/dpsvm MPIEXEC=$(command -v mpirun || true) \
        python3 -B tests/soak/soak.py "${1:-5000}" "$seed" --jobs "$jobs" --patience 15 \
        --state "build/soak/$seed.state" --table "build/soak/$seed.md"
    say "Table: build/soak/$seed.md"
}

# run_mutants [--again] [COUNT] [SEED]: goes on where it was stopped, until build/mutants is removed.
run_mutants() {
    again=
    if [ "${1:-}" = --again ]; then
        again=--again
        shift
    fi
    install_missing some
    command -v ninja >/dev/null || fail "ninja is missing: apt-get install ninja-build"
    count=${1:-300}
    seed=${2:-1}
    # shellcheck disable=SC2086  # nothing, or a word
    python3 -B tests/mutation/mutate.py build/mutants "$count" "$seed" $again --table "build/mutants/$seed.md"
    say "Table: build/mutants/$seed.md"
}

run_coverage() {
    install_missing some
    command -v gcov >/dev/null || fail "gcov is missing: apt-get install gcc"
    : >$skips
    build coverage
    find build/coverage -name '*.gcda' -exec rm -f {} +
    GCOV_ERROR_FILE=/dev/null # counters that cannot be written, as where a test makes files small
    export GCOV_ERROR_FILE
    # counters that threads share make test_newton_ranks take minutes
    run_tests coverage -R "^(unit|contract|numeric|fuzz|python)[.]|^cli[.]test_($covering)\$" -E 'test_newton_ranks'
    python3 -B tests/coverage/coverage.py build/coverage build/coverage.md
    say "Table: build/coverage.md; what no test reached: build/coverage.txt"
    finish
}

# Scripts that look at one part each; not those that build programs or measure time.
covering='golden|train_predict|csv|arff|tables|words|input_files|bad_input|slips|packed|streams|cache|weights|model_file|kernel'\
'|checkpoint|warm_start|time_limit|early_stopping|regression|logistic|probability|isotonic|evaluate|curve|tune|output_places'\
'|progress|summary|read_back|security|config|export|feature_weights|auto_map|refine|score|onnx|bench|bench_tables|kernel_model|answers'\
'|estimator|cases_command_line|cases_input|cases_labels|cases_prediction|cases_training|seeds|out_of_core|rare_class|validation'\
'|default|help|models|choose_c|effects|search_memory|early|tune_ini|weights_are_copies|extremes|numerics|same_bits|portable'\
'|refused_tables'

run_format() {
    command -v clang-format >/dev/null || fail "clang-format is missing: apt-get install clang-format"
    find src tests include -name '*.[ch]' -exec clang-format -i {} +
}

case ${1:-} in
demo) run_demo ;;
test)
    shift
    if [ $# -eq 0 ] && [ -n "${CI:-}" ] && [ "${DPSVM_FRESH:-on}" != off ]; then
        run_ci
    else
        run_test "$@"
    fi
    ;;
build) run_build ;;
sanitize) run_sanitize ;;
fuzz)
    shift
    run_fuzz "$@"
    ;;
fresh) run_fresh ;;
bench) run_bench "$@" ;;
experiments)
    shift
    run_experiments "$@"
    ;;
soak)
    shift
    run_soak "$@"
    ;;
mutants)
    shift
    run_mutants "$@"
    ;;
coverage) run_coverage ;;
check) run_check ;;
format) run_format ;;
*)
    sed -n '2,/^set -eu/{/^set -eu/d;s/^# \{0,1\}//;p;}' "$0"
    [ "${1:-}" = help ] || [ "${1:-}" = --help ] || exit 2
    ;;
esac
