#!/bin/sh
# Several files and patterns, compressed files and npy matrices: the same rows in another wrapping give the same model.
. "$SOURCE/tests/cli/check.sh"

awk 'BEGIN { for (i = 0; i < 90; i++) { y = i % 2 ? 1 : -1; print y "," (y * 20 + i * 37 % 50) "," i * 11 % 100 "," i % 5 } }' \
    > rows.csv
train() {
    run 0 "$DPSVM" train "$@" --map.features=30
}
train rows.csv --output.model=rows.model
run 0 "$DPSVM" predict rows.model rows.csv -q
cp out labels

# equal MODEL FILE: MODEL is that of rows.csv, and FILE is predicted as rows.csv is.
equal() {
    same rows.model "$1"
    run 0 "$DPSVM" predict rows.model "$2" -q
    same out labels
}

# --- several files and patterns ---------------------------------------------------------------------------------------
mkdir parts
head -30 rows.csv > parts/part-1.csv
sed -n 31,60p rows.csv > parts/part-2.csv
sed -n '61,$p' rows.csv > parts/part-3.csv
: > parts/part-0.csv
echo 'not a row at all' > parts/other
train --data.train='parts/part-*.csv' --output.model=pattern.model
equal pattern.model 'parts/part-*.csv'
train --data.train='parts/part-[01].csv, parts/part-2.csv, parts/part-3.csv' --output.model=mixed.model
same rows.model mixed.model
refused 1 'none-\*: no file matches this pattern' "$DPSVM" train --data.train='none-*' -q
cp rows.csv 'odd[1].csv'
train --data.train='odd[1].csv' --output.model=odd.model
equal odd.model 'odd[1].csv'

# --- compressed files, whatever they are called -----------------------------------------------------------------------
# packed TOOL
packed() {
    command -v "$1" > /dev/null || { untried "files packed with $1: no $1"; return 0; }
    "$1" -c < rows.csv > "$1.csv"
    train "$1.csv" --output.model="$1.model"
    equal "$1.model" "$1.csv"
    "$1" -c < parts/part-1.csv > joined
    "$1" -c < parts/part-2.csv >> joined
    "$1" -c < parts/part-3.csv >> joined
    train joined --output.model=joined.model
    equal joined.model joined
    run 0 sh -c '"$0" predict rows.model - -q < joined' "$DPSVM"
    same out labels
    head -c $(($(wc -c < "$1.csv") - 5)) "$1.csv" > cut
    refused 3 "cut: the $1 data are cut short" "$DPSVM" train cut -q
}
packed gzip
packed zstd

# --- npy matrices -----------------------------------------------------------------------------------------------------
# matrix ROWS COLUMNS DESCR ORDER: header of an npy file, 128 bytes
matrix() {
    printf '\223NUMPY\001\000v\000'
    printf '%-117s\n' "{'descr': '$3', 'fortran_order': $4, 'shape': ($1, $2), }"
}
# values: one byte each
values() {
    # shellcheck disable=SC2059  # the octal numbers are the format
    printf "$(tr ',' '\n' | awk '{ v = $1 < 0 ? $1 + 256 : $1
        printf "\\%d%d%d", int(v / 64), int(v / 8) % 8, v % 8 }')"
}
{ matrix 90 4 '|i1' False; values < rows.csv; } > rows.npy
train rows.npy --output.model=npy.model
says '^input: npy, label in column 1'
equal npy.model rows.npy
cut -d, -f2- rows.csv > bare.csv
{ matrix 90 3 '|i1' False; values < bare.csv; } > bare.npy
run 0 "$DPSVM" predict rows.model bare.npy -q
same out labels
gzip -c < rows.npy > packed.npy
train packed.npy --output.model=packed.model
equal packed.model packed.npy
cut -d, -f2,3,4,1 rows.csv | awk -F, '{ print $2 "," $3 "," $4 "," $1 }' > last.csv
{ matrix 90 4 '|i1' False; values < last.csv; } > last.npy
train last.npy --data.label_column=4 --output.model=last.model
run 0 "$DPSVM" predict last.model last.npy -q
same out labels
{ matrix 90 4 '|i1' True; values < rows.csv; } > fortran.npy
refused 3 'fortran\.npy:1:.*ascontiguousarray' "$DPSVM" train fortran.npy -q
{ matrix 90 4 '>f4' False; values < rows.csv; } > big.npy
refused 3 'big-endian' "$DPSVM" train big.npy -q
{ matrix 90 4 '<c8' False; values < rows.csv; } > complex.npy
refused 3 'float32, float64, integers or booleans' "$DPSVM" train complex.npy -q
head -c 400 rows.npy > short.npy
refused 3 'short\.npy: the header promises 90 rows, 488 bytes in all, but there are 400 bytes' "$DPSVM" train short.npy -q
{ matrix 2 3 '<f4' False; printf '\0\0\200\077\0\0\200\077\0\0\200\077\0\0\0\0\0\0\200\077\0\0\300\177'; } > nan.npy
refused 3 'nan\.npy:2:3: a value is missing \(NaN\).*data\.missing' "$DPSVM" train nan.npy -q
train nan.npy --data.missing=mean

finish
