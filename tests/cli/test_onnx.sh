#!/bin/sh
# dpsvm export --onnx: the graph is one that python3-onnx's checker and shape inference take, and its scores, labels and
# probabilities, by the definitions of its operators (onnx_scores.py), are those of `dpsvm predict`: within 1e-12 where
# predict computes in double, else within what it rounds to float.
. "$SOURCE/tests/cli/check.sh"
python=/usr/bin/python3 # the one that Debian's packages are for
$python -c 'import numpy, onnx' 2> /dev/null || {
    echo 'skipped: no python3-onnx'
    exit 77
}

# exported NAME FILE ROWS [OPTIONS...]: trained so, the graph says of ROWS what the program says of FILE; kinds: what.
kinds='--scores'
exported() {
    name=$1
    file=$2
    rows=$3
    shift 3
    run 0 "$DPSVM" train --output.model="$name.model" -q "$@"
    run 0 "$DPSVM" export "$name.model" --onnx "$name.onnx" -q
    table=
    [ "$file" = "$rows" ] || {
        run 0 "$DPSVM" info "$name.model" --json
        cp out "$name.json"
        table="--info $name.json"
    }
    for said in $kinds; do
        # shellcheck disable=SC2046  # words
        run 0 "$DPSVM" predict "$name.model" "$file" $(echo "$said" | sed 's/--class//') -q
        cp out "$name.predict"
        case $name in
        linear | linear_unit | scaled_linear_* | zeros | wide_linear) bar=1e-12 ;;
        isotonic | ordinal) bar=2e-5 ;; # the curve is steep
        *) bar=2e-6 ;;
        esac
        run 0 $python "$SOURCE/tests/cli/onnx_scores.py" "$name.onnx" "$rows" "$name.predict" $bar $said $table
    done
}

. "$SOURCE/tests/cli/exported_models.sh"

# Wide rows, which pass through as they are.
kinds='--scores'
awk 'BEGIN { for (i = 0; i < 400; i++) { y = i % 2 ? 1 : -1; printf "%d", y
    for (j = 1 + i * 7 % 900; j <= 5000; j += 900) printf " %d:%.3f", j, y * (j % 7) + (i * j) % 13 / 9; print "" } }' > wide
exported wide wide wide --data.train=wide --kernel.degree=2 --map.features=8
exported wide_linear wide wide --data.train=wide --kernel.type=linear

# The interpreter sees a graph that says something else.
awk '{ printf "%.17g\n", $1 + 1e-9 }' linear.predict > wrong
run 1 $python "$SOURCE/tests/cli/onnx_scores.py" linear.onnx rows wrong 1e-12
says 'largest difference'

# Both files at once, standard output, and what is refused.
run 0 "$DPSVM" export polynomial.model --c both.c --onnx both.onnx
same both.onnx polynomial.onnx
run 0 "$DPSVM" export polynomial.model --onnx -
same out polynomial.onnx
refused 2 '--c and --onnx|--onnx' "$DPSVM" export polynomial.model --c same --onnx same
[ "$failures" -eq 0 ]
