#!/bin/sh
# shellcheck disable=SC2034  # kinds: for `exported`
# Models of every kind of map, scaling, task and table, read by the scripts that export them, after check.sh: for each,
# `exported NAME FILE ROWS [OPTIONS...]` of the script is called, with `kinds`, what it is to be asked for.

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

# Sparse rows of so many columns that the linear part of a map is the row itself.
wide() { # wide SEED ROWS
    awk -v s="$1" -v rows="$2" 'function next_one() { s = (s * 16807) % 2147483647; return s }
        BEGIN {
            for (i = 0; i < rows; i++) {
                sum = 0
                row = ""
                for (j = 1 + next_one() % 600; j <= 5000; j += 1 + next_one() % 600) {
                    v = (next_one() % 2001 - 1000) / 256
                    sum += j % 2 ? v : -v
                    row = row " " j ":" v
                }
                print (sum > 0 ? "+1" : "-1") row
            }
        }'
}
wide 5 1500 > wide.svm
{
    wide 6 100
    wide 5 20
    echo '+1'
    echo '-1 7:1e-30 4999:90 5001:4'
} > wide.rows
wide_model() {
    name=$1
    shift
    exported "$name" wide.rows wide.rows --data.train=wide.svm "$@"
}
wide_model sparse_linear --kernel.type=linear --data.normalize=unit
wide_model sparse_map --kernel.degree=2 --map.features=24
wide_model sparse_no_bias --kernel.type=linear --data.scaling=none --solver.bias=0
wide_model sparse_exact --kernel.degree=3 --map.features=0 --map.exact_degree=1

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
