#!/bin/sh
# Measurements (./dev.sh bench; the paper's own experiments are ./dev.sh experiments):  DPSVM_DATA=FOLDER sh tests/benchmarks/run.sh [TABLE ...]
#   optimum wide            tables of docs/evidence/experiments.md
#   default                 the table "Without settings" of docs/evidence/experiments.md; LIBSVM's grid takes hours
#   parity                  the same answers as LIBLINEAR and scikit-learn (docs/evidence/experiments.md); needs no DPSVM_DATA
#   scaling                 accuracy by data.scaling, the table in section 2 of docs/guide.md
#   maps                    docs/evidence/map_accuracy.md: about an hour, smallest D first
#   hadamard                docs/evidence/kernel_error.md
#   tables                  199 tables of Debian's packages are read as documented (tables.sh); needs no DPSVM_DATA
#   strangers               docs/evidence/strangers.md: the default on 43 sets against tuned SVMs; the peers take hours the first time. Without
#                           DPSVM_DATA Abalone, USPS and Sector are left out; DPSVM_NOTE: a sentence for the page
#   many_rows               docs/evidence/performance.md: ten million rows out of core (2 GB of disk)
#   refine_small            docs/evidence/refine_small.md: moving maps on few rows, after strangers
#   refine                  docs/evidence/refine.md: maps that move against drawn ones, LIBSVM and XGBoost
#   libraries               training with other BLAS libraries, and with another version (DPSVM_BEFORE): docs/evidence/performance.md
#   library                 the scoring library against predict and LIBLINEAR: docs/evidence/library.md; needs no DPSVM_DATA
#   descent                 dcd and sgd on one and two threads, and counted to 64 (docs/evidence/performance.md); DPSVM_BEFORE: an earlier build
#   speed solver stages rooms queue threads ranks busy   tables of docs/evidence/performance.md, in DPSVM_BENCH_OUT (build/bench): Markdown, CSV, SVG
# default, parity, speed, solver and strangers install LIBLINEAR, LIBSVM, scikit-learn and XGBoost where they are missing. A run
# that was stopped goes on where it was. Without DPSVM_DATA what needs data is skipped, with status 0.
set -eu
here=$(dirname "$0")
root=$(cd "$here/../.." && pwd)
program=${DPSVM:-$root/build/release/dpsvm}
out=${DPSVM_BENCH_OUT:-$root/build/bench}
tables=${*:-optimum wide parity rooms stages queue speed solver}

# install_peers [PYTHON-MODULE...]: those too; also=PROGRAM: a program of a package of its name
also=
install_peers() {
    packages=
    for need in ${also:+"$also:$also"} liblinear-train:liblinear-tools svm-train:libsvm-tools gnuplot:gnuplot-nox time:time python3:python3; do
        command -v "${need%%:*}" > /dev/null || packages="$packages ${need##*:}"
    done
    /usr/bin/python3 -c 'import sklearn' 2> /dev/null || packages="$packages python3-sklearn"
    for module in "$@"; do
        /usr/bin/python3 -c "import $module" 2> /dev/null || packages="$packages python3-$module"
    done
    [ -n "$packages" ] || return 0
    as_root=
    [ "$(id -u)" -eq 0 ] || as_root='sudo -n'
    echo "Installing$packages"
    # shellcheck disable=SC2086  # words of the command
    { $as_root apt-get update || true; $as_root apt-get install -y --no-install-recommends $packages; } \
        > "$out/install.log" 2>&1 < /dev/null || {
        echo "cannot install them; please run: apt-get install$packages" >&2
        exit 1
    }
}

command -v python3 > /dev/null || {
    echo "the benchmark scripts need python3 (Debian package python3)" >&2
    exit 1
}
mkdir -p "$out"
for table in $tables; do
    printf '\n%s\n\n' "$table"
    case $table in
    rooms)
        "$program" bench | tee "$out/rooms.jsonl"
        continue
        ;;
    stages)
        install_peers
        python3 "$here/stages.py" --dpsvm "$program"
        continue
        ;;
    parity)
        install_peers
        sh "$here/parity_liblinear.sh"
        printf '\n'
        sh "$here/parity_sklearn.sh"
        continue
        ;;
    busy)
        install_peers
        if [ -n "${DPSVM_DATA:-}" ] && [ ! -f "$root/build/benchmarks/nursery.train" ]; then
            python3 "$here/prepare.py" nursery ijcnn1
        fi
        python3 "$here/busy.py" --dpsvm "$program"
        continue
        ;;
    refine_small)
        python3 "$here/refine_small.py" --dpsvm "$program" --work "$out/strangers" --note "${DPSVM_NOTE:-}"
        continue
        ;;
    many_rows)
        install_peers numpy
        /usr/bin/python3 "$here/many_rows.py" --dpsvm "$program" --work "$out/many_rows"
        continue
        ;;
    tables)
        DPSVM=$program sh "$here/tables.sh" "$out/tables"
        continue
        ;;
    strangers)
        install_peers xgboost
        python3 "$here/strangers.py" --dpsvm "$program" --note "${DPSVM_NOTE:-}"
        continue
        ;;
    threads)
        python3 "$here/threads.py"
        continue
        ;;
    queue)
        python3 "$here/tile_queue.py"
        continue
        ;;
    library)
        install_peers
        python3 "$here/library.py" --dpsvm "$program" --build "$(dirname "$program")" --out "$out/library"
        continue
        ;;
    descent)
        python3 "$here/descent.py" --dpsvm "$program"
        continue
        ;;
    ranks)
        python3 "$here/ranks.py" --dpsvm "$program"
        python3 "$here/ranks_model.py"
        continue
        ;;
    optimum | wide | default | maps | scaling | hadamard | libraries | speed | solver | refine) ;;
    *)
        echo "unknown table $table: optimum, wide, default, parity, maps, scaling, hadamard, libraries, strangers, refine, refine_small, many_rows, rooms, stages, queue, threads, descent, ranks, busy, speed or solver" >&2
        exit 2
        ;;
    esac
    if [ -z "${DPSVM_DATA:-}" ]; then
        echo "skipped: set DPSVM_DATA to the folder with the raw data sets (docs/evidence/experiments.md)"
        continue
    fi
    [ -f "$root/build/benchmarks/reuters.test" ] || python3 "$here/prepare.py"
    case $table in
    optimum) python3 "$here/same_optimum.py" --dpsvm "$program" ;;
    wide) python3 "$here/wide_sparse.py" --dpsvm "$program" ;;
    default)
        install_peers
        python3 "$here/default_table.py" --dpsvm "$program"
        ;;
    maps) python3 "$here/map_accuracy.py" --dpsvm "$program" ;;
    scaling) python3 "$here/scaling.py" --dpsvm "$program" ;;
    libraries) python3 "$here/libraries.py" --dpsvm "$program" ;;
    hadamard) python3 "$here/hadamard_error.py" --dpsvm "$program" ;;
    speed)
        install_peers
        python3 "$here/speed.py" --dpsvm "$program"
        ;;
    refine)
        also=xgboost
        install_peers
        [ -f "$root/build/benchmarks/pendigits.test" ] || python3 "$here/prepare.py" letter pendigits
        python3 "$here/refine.py" --dpsvm "$program" --note "${DPSVM_NOTE:-}"
        ;;
    solver)
        install_peers
        python3 "$here/solver_only.py" --dpsvm "$program"
        ;;
    esac
done
