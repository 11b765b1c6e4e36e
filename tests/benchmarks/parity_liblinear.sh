#!/bin/sh
# Parity with LIBLINEAR (Debian package liblinear-tools), an independent answer: both programs minimise the same
# objective on plain linear features with a regularised bias of 1, so min P agrees.
#   [DPSVM=PROGRAM] [DPSVM_DATA=FOLDER] sh tests/benchmarks/parity_liblinear.sh
# Prints a table: LIBLINEAR's P from its weights (computed here, summed over classes), and how far P of dpsvm's newton and
# dcd lies from it, relative; fails where one is more than 1e-3 away. Data: data/*.train, labels as classes and as
# numbers; with DPSVM_DATA also abalone (numbers) and a9a (classes). Skipped, with status 0, without LIBLINEAR.
set -eu
here=$(dirname "$0")
root=$(cd "$here/../.." && pwd)
program=${DPSVM:-$root/build/release/dpsvm}
command -v liblinear-train > /dev/null || {
    echo "skipped: liblinear-train is not installed (Debian package liblinear-tools)"
    exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failures=0

# objective LOSS MODEL DATA: P of LIBLINEAR's weights at C = 1, epsilon = 0.1.
objective() {
    awk -v loss="$1" '
        function max0(s) { return s > 0 ? s : 0 }
        function value(u, y,   m) {
            m = y * u
            if (loss == "logistic") return m > 0 ? log(1 + exp(-m)) : -m + log(1 + exp(m))
            if (loss == "hinge") return max0(1 - m)
            if (loss == "squared_hinge") return max0(1 - m) ^ 2
            m = y > u ? y - u : u - y
            return loss == "epsilon_insensitive" ? max0(m - 0.1) : max0(m - 0.1) ^ 2
        }
        NR == FNR && !weights {
            if ($1 == "label") for (k = 2; k <= NF; k++) label[k - 1] = $k
            if ($1 == "nr_feature") features = $2
            weights = $1 == "w"
            next
        }
        NR == FNR {
            j++
            models = NF
            for (k = 1; k <= NF; k++) { w[j, k] = $k; P += $k * $k / 2 }
            next
        }
        {
            for (k = 1; k <= models; k++) {
                u = w[features + 1, k]
                for (e = 2; e <= NF; e++) { split($e, pair, ":"); u += w[pair[1], k] * pair[2] }
                P += value(u, loss ~ /epsilon/ ? $1 : ($1 + 0 == label[k] + 0 ? 1 : -1))
            }
        }
        END { printf "%.10g", P }' "$2" "$3"
}

# ours LOSS SOLVER DATA: P of dpsvm, or nothing where training fails.
ours() {
    case $1 in *epsilon*) task=regression ;; *) task=classification ;; esac
    "$program" train "$3" --kernel.type=linear --data.scaling=none --data.normalize=none --map.scale=none \
        --data.format=libsvm --solver.task=$task --solver.loss="$1" --solver.type="$2" --solver.C=1 --solver.epsilon=0.1 \
        --solver.tolerance=1e-5 --solver.max_iterations=20000 -o "$work/ours.model" --report "$work/ours.json" -q \
        2> "$work/err" || return 0
    sed -n 's/.*"objective":[^0-9]*\([0-9.e+-]*\).*/\1/p' "$work/ours.json" | head -1
}

# difference A B: |A - B| / B; "-" where A is empty.
difference() {
    [ -n "$1" ] || { printf '%s' -; return; }
    awk -v a="$1" -v b="$2" 'BEGIN { d = (a - b) / b; printf "%.1e", d < 0 ? -d : d }'
}

compare() {
    set_name=$1 file=$2
    shift 2
    for s in "$@"; do
        case $s in
        0 | 7) loss=logistic ;;
        1 | 2) loss=squared_hinge ;;
        3) loss=hinge ;;
        11 | 12) loss=squared_epsilon_insensitive ;;
        13) loss=epsilon_insensitive ;;
        esac
        liblinear-train -q -s "$s" -c 1 -B 1 -p 0.1 -e 1e-4 "$file" "$work/theirs.model" > "$work/log" 2>&1
        theirs=$(objective $loss "$work/theirs.model" "$file")
        newton=$(difference "$(ours $loss newton "$file")" "$theirs")
        dcd=$(difference "$(ours $loss dcd "$file")" "$theirs")
        bad=$(printf '%s\n' "$newton" "$dcd" | awk '$1 == "-" || !($1 <= 1e-3) { n++ } END { print n + 0 }')
        failures=$((failures + bad))
        printf '| %s | %s | %s | %s | %s | %s |%s\n' "$set_name" "$s" "$loss" "$theirs" "$newton" "$dcd" \
            "$([ "$bad" -eq 0 ] || printf ' <-- differs')"
    done
}

printf '| set | LIBLINEAR -s | loss | P of LIBLINEAR | newton differs by | dcd differs by |\n'
printf '| --- | --- | --- | --- | --- | --- |\n'
for name in parity pinwheel spirals; do
    compare $name "$root/data/$name.train" 0 7 1 2 3 11 12 13
done
for name in abalone a9a; do
    [ -n "${DPSVM_DATA:-}" ] && [ -f "$DPSVM_DATA/$name.xz" ] || continue
    xz -dc "$DPSVM_DATA/$name.xz" > "$work/$name"
    if [ $name = abalone ]; then
        compare $name "$work/$name" 11 12 13
    else
        compare $name "$work/$name" 0 7 1 2 3
    fi
done
[ "$failures" -eq 0 ] || { echo "$failures differences above 1e-3" >&2; exit 1; }
