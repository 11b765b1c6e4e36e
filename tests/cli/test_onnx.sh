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

# Rows of ten columns, far beyond those of training: large, small, zero and missing features.
extremes() {
    cat "$SOURCE/data/parity.test"
    echo '+1 1:20 2:-1e-300 5:3'
    echo '-1 3:-7 10:1e-9'
    echo '+1'
    echo '+1 2:0.5 11:4'
}
extremes > rows
parity() {
    name=$1
    shift
    exported "$name" rows rows --data.train="$SOURCE/data/parity.train" --map.features=24 --map.seed=7 "$@"
}

kinds='--scores --class'
parity polynomial
kinds='--scores'
parity collapsed --kernel.degree=2 --kernel.offset=1 --map.h01=off --map.features=400
parity exponential --kernel.type=exponential --kernel.sigma=0.5 --map.measure=coefficient
for projection in gaussian hadamard complex complex_hadamard; do
    parity $projection --map.projection=$projection
done
parity exact --map.exact_degree=4 --kernel.degree=5
parity exact_alone --map.exact_degree=3 --kernel.degree=3 --map.features=0
parity crafted --map.craft=2
parity crafted_hadamard --map.craft=3 --map.projection=complex_hadamard
parity compositional --map.type=compositional --kernel.type=exponential --kernel.sigma=1 --map.gamma=0.5
for base in rbf laplacian intersection chi2; do
    parity fourier_$base --map.type=fourier --map.base=$base --data.scaling=min_max
    parity compositional_$base --map.type=compositional --map.base=$base --kernel.type=exponential --data.scaling=min_max
done
parity orthogonal --map.type=fourier --map.gamma=0.5 --map.orthogonal=on
for refine in projections metric; do
    parity refined_$refine --map.refine=$refine --map.refine_steps=5 --map.refine_holdout=0
    parity refined_fourier_$refine --map.type=fourier --map.refine=$refine --map.refine_steps=5 --map.refine_holdout=0
done
parity linear --kernel.type=linear
parity linear_unit --kernel.type=linear --data.normalize=unit
parity no_bias --solver.bias=0
for scaling in none min_max standard log rank; do
    parity scaled_$scaling --data.scaling=$scaling
    parity scaled_linear_$scaling --kernel.type=linear --data.scaling=$scaling
done
for normalize in unit none; do
    parity normalized_$normalize --data.normalize=$normalize --data.scaling=standard
done

# Tables: numbers and texts that are missing, texts that training did not see, rare ones that are one value, numbers
# that are texts; two and more classes, and a number to predict.
table() {
    awk -v seed="$1" -v unseen="$2" 'BEGIN {
        print "size,colour,grade,code,y,price"
        split("red blue green, , rare" seed, colour, / */)
        for (i = 0; i < 900; i++) {
            size = i % 13 == seed ? "" : sprintf("%d.%d", i % 17, i % 7)
            tint = i % 19 == seed ? "" : i % 3 == 0 ? "shade" i % 450 + seed : unseen != "" && i % 23 == 0 ? unseen : colour[1 + i % 3]
            printf "%s,%s,%d,%s,%s,%d.5\n", size, tint, (i * i) % 11, i % 2 ? "01" : "2", substr("abc", (i + i % 17) % 3 + 1, 1),
                i % 17 + (i * i) % 11
        }
    }' | sed 's/green,/green/'
}
table 0 '' > table.csv
table 1 'mauve' > other.csv
cut -d, -f1-4 other.csv | sed 1d > other.rows
in_table() {
    name=$1
    shift
    exported "$name" other.csv other.rows --data.train=table.csv --data.text_columns=code --data.missing=mean \
        --kernel.degree=3 --map.features=40 --data.ignore_columns=price "$@"
}
kinds='--scores --class --proba'
in_table classes --data.label_column=y --solver.probability=on
in_table ordinal --data.label_column=y --data.categorical=ordinal --solver.probability=on --solver.calibration=isotonic
in_table logistic --data.label_column=y --solver.loss=logistic --data.scaling=standard
kinds='--scores'
in_table zeros --data.label_column=y --data.missing=zero --kernel.type=linear
cut -d, -f1-3,5 other.csv | sed 1d > price.rows
exported price other.csv price.rows --data.train=table.csv --data.label_column=price --solver.task=regression \
    --data.missing=mean --kernel.degree=2 --data.ignore_columns=code
kinds='--scores --class --proba'
parity sigmoid --solver.probability=on
parity isotonic --solver.probability=on --solver.calibration=isotonic

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
