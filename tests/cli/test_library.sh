#!/bin/sh
# What `cmake --install` puts somewhere works from wherever it is moved: the program, and the two libraries, shared and
# static, found by their headers and pkg-config, which show nothing but dpsvm_*. libdpsvm-score needs libc and libm alone.
# Every way of handing rows to them gives the bits of `dpsvm predict`; training from arrays gives the bytes of training
# from a file of the same rows.
. "$SOURCE/tests/cli/check.sh"
: "${BUILD:?set BUILD to the build folder}" "${CC:=cc}"

run 0 cmake --install "$BUILD" --prefix "$PWD/first"
rm -rf moved
mv first moved
library=$(cd moved && find "$PWD" -name 'libdpsvm.so')
[ -n "$library" ] || fail 'no libdpsvm.so is installed'
folder=$(dirname "$library")
# flags NAME [--static]: what a program is compiled with
flags() {
    step="flags of $1"
    if command -v pkg-config > /dev/null; then
        PKG_CONFIG_PATH=$folder/pkgconfig pkg-config --cflags --libs "$@" 2> err || fail "status $?"
    else
        [ -f "$folder/pkgconfig/$1.pc" ] || fail "no $1.pc beside the library"
        echo "-I$PWD/moved/include -L$folder -l$1 $(sed -n 's/^Libs.private://p' "$folder/pkgconfig/$1.pc")"
    fi
}
if command -v nm > /dev/null; then
    for name in dpsvm dpsvm-score; do
        {
            nm -D --defined-only "$folder/lib$name.so" | awk '{ print $3 }'
            nm -g --defined-only "$folder/lib$name.a" | awk 'NF == 3 { print $3 }'
        } | grep -v -e '^dpsvm_' -e '^\.gomp' > others
        [ ! -s others ] || fail "lib$name shows $(head -n 3 others | tr '\n' ' ')"
    done
    nm -D --defined-only "$folder/libdpsvm-score.so" | awk '{ print $3 }' | sort > small
    nm -D --defined-only "$folder/libdpsvm.so" | awk '{ print $3 }' | sort > large
    comm -23 small large > others
    [ ! -s others ] || fail "libdpsvm lacks $(tr '\n' ' ' < others)"
    sed -n 's/^DPSVM_API.*\(dpsvm_[a-z_]*\)(.*/\1/p' "$SOURCE/include/dpsvm/score.h" | sort > declared
    same small declared
else
    untried 'symbols of the libraries: there is no nm'
fi
ldd "$folder/libdpsvm-score.so" | awk '{ print $1 }' | grep -v -e 'linux-vdso' -e '^/.*ld-' -e '^ld-' -e '^libm\.so' \
    -e '^libc\.so' > others
[ ! -s others ] || fail "libdpsvm-score needs $(tr '\n' ' ' < others)"
echo "sizes in KB, with what they need: $(du -kL "$folder"/libdpsvm*.so "$folder"/libdpsvm*.a | sed "s|$folder/||" | tr '\t\n' ' ,') \
libdpsvm $(ldd "$folder/libdpsvm.so" | wc -l) libraries, libdpsvm-score $(ldd "$folder/libdpsvm-score.so" | wc -l)"

# compile NAME LIBRARY SOURCES AND FLAGS...
compile() {
    program=$1 with=$2
    shift 2
    # shellcheck disable=SC2046
    run 0 "$CC" -std=c99 -Wall -Wextra -Werror -pedantic "$@" -o "$program" $(flags $with)
}
programs=$SOURCE/tests/library
compile score_file dpsvm-score "$programs/score_file.c" "$programs/rows_of_file.c"
compile score_threads dpsvm -DTHREADS "$programs/score_file.c" "$programs/rows_of_file.c"
compile train_rows dpsvm "$programs/train_rows.c" "$programs/rows_of_file.c"
# the archives, without the shared ones beside them
mkdir -p archives
cp "$folder"/*.a archives
for name in dpsvm-score dpsvm; do
    needs=$(sed -n 's/^Libs.private://p' "$folder/pkgconfig/$name.pc")
    # shellcheck disable=SC2086
    run 0 "$CC" -std=c99 -Imoved/include "$programs/score_file.c" "$programs/rows_of_file.c" "archives/lib$name.a" $needs -o "static_$name"
done
LD_LIBRARY_PATH=$folder
export LD_LIBRARY_PATH

# held NAME FILE WHAT HOW...: the answers of the libraries against those of predict
held() {
    trained_on=$1.model file=$2 asked=$3
    shift 3
    flag=--$asked
    [ "$asked" = labels ] && flag=-q
    run 0 "$DPSVM" predict "$trained_on" "$file" "$flag" -q
    cp out expected
    for how in "$@"; do
        run 0 ./score_file "$trained_on" "$file" expected "$asked" "$how"
    done
    run 0 ./static_dpsvm-score "$trained_on" "$file" expected "$asked" one
    run 0 ./static_dpsvm "$trained_on" "$file" expected "$asked" one
    run 0 ./score_threads "$trained_on" "$file" expected "$asked" threads
}
train() {
    trains=$1
    shift
    run 0 "$DPSVM" train --output.model="$trains.model" -q "$@"
}

# Rows of LIBSVM text: two classes, three, numbers; dense, wide and without a map.
rows 5 2500 3 > two.svm
awk '{ $1 = $1 * 2 + ($2 > "1:0"); print }' two.svm > three.svm
awk '{ sub(/^[^ ]*/, $2 " "); sub(/^1:/, ""); print }' two.svm > numbers.svm
awk 'BEGIN { for (i = 0; i < 600; i++) { printf "%d", i % 2; for (k = 0; k < 6; k++) printf " %d:%d.%d",
    1 + k * 150 + (i * 7 + k) % 149, (i % 2) * (k % 3) + k % 2, (i * i + k) % 10; print "" } }' > wide.svm
train two --data.train=two.svm --map.features=50 --solver.loss=logistic
train three --data.train=three.svm --map.features=40 --solver.probability=on --solver.calibration=isotonic
train numbers --data.train=numbers.svm --map.features=40 --solver.task=regression
train wide --data.train=wide.svm --map.features=60
train linear --data.train=wide.svm --kernel.type=linear
train unit --data.train=two.svm --data.normalize=unit --data.scaling=standard --map.features=40
all='sparse dense one bytes text line'
for name in two three; do
    for what in labels scores proba; do
        # shellcheck disable=SC2086
        held $name $name.svm $what $all
    done
done
# shellcheck disable=SC2086
for name in numbers wide; do
    held $name $name.svm scores $all
done
# shellcheck disable=SC2086
held linear wide.svm scores $all
# shellcheck disable=SC2086
held unit two.svm labels $all

# Tables: texts one-hot and ordinal, missing values, a column that is left out, decimal commas.
awk 'BEGIN { print "id,size,colour,grade,y"; for (i = 1; i <= 900; i++) { c = i % 3 == 0 ? "red" : i % 3 == 1 ? "dark blue" : "";
    printf "%d,%s,%s,%s,%s\n", i, i % 11 == 0 ? "NA" : i % 17 "." i % 7, c, (i * i) % 11, substr("abc", (i + i % 17) % 3 + 1, 1) } }' > table.csv
sed '1!s/red/green/;2,$s/^[0-9]*/7/' table.csv > seen.csv # a text that training did not see
train onehot --data.train=table.csv --data.label_column=y --data.missing=mean --data.id_column=id --solver.probability=on
train ordinal --data.train=table.csv --data.label_column=y --data.missing=zero --data.categorical=ordinal --data.ignore_columns=id
for model in onehot ordinal; do
    run 0 "$DPSVM" predict $model.model seen.csv --scores -q
    sed 's/.*	//' out > expected
    for how in text line names; do
        run 0 ./score_file $model.model seen.csv expected scores $how
    done
done
run 0 "$DPSVM" predict onehot.model seen.csv --proba -q
sed 's/.*	//' out > expected
run 0 ./score_file onehot.model seen.csv expected proba names
# A row that cannot be read is named, with the reason of predict.
printf 'size,colour,grade\n1,red,2\n1,red,x\n' > bad.csv
run 4 ./score_file onehot.model bad.csv expected scores text
grep -q 'row 1: .*not a number' err || fail "$(cat err)"
printf 'size,grade\n1,2\n' > bad.csv
run 4 ./score_file onehot.model bad.csv expected scores text
grep -q 'needs a column "colour"' err || fail "$(cat err)"

# Training from arrays: trained NAME ROWS HOW SETTINGS...: the bytes of NAME.model
trained() {
    same_as=$1 file=$2 how=$3
    shift 3
    run 0 ./train_rows "$file" arrays.model "$how" "$@"
    same arrays.model "$same_as.model"
}
trained two two.svm st map.features=50 solver.loss=logistic
trained three three.svm s map.features=40 solver.probability=on solver.calibration=isotonic
trained numbers numbers.svm s map.features=40 solver.task=regression
trained wide wide.svm st map.features=60
trained unit two.svm st data.normalize=unit data.scaling=standard map.features=40
# Dense rows are those of a table, label last: with names and without, missing values, weights beside, kernel.type = auto.
awk 'BEGIN { print "size,colour,grade,kind"; for (i = 1; i <= 1200; i++) printf "%s,%s,%s,%s\n", i % 11 == 0 ? "" : i % 17 "." i % 7,
    i % 5 / 4, (i * i) % 13, substr("abc", (i + i % 17) % 3 + 1, 1) }' > dense.csv
sed 1d dense.csv > plain.csv
awk 'BEGIN { for (i = 0; i < 1200; i++) print 1 + i % 3 }' > weights
sed '1!s/,[^,]*$//; 1s/,kind//; 1!s/^,/5,/' dense.csv > amounts.csv
train named --data.train=dense.csv --data.label_column=kind --data.missing=mean --map.features=40
train plain --data.train=plain.csv --data.header=off --data.label_column=last --data.missing=zero --map.features=40
train weighed --data.train=dense.csv --data.label_column=kind --data.missing=mean --data.weights=weights --map.features=40
train amounts --data.train=amounts.csv --data.label_column=grade --solver.task=regression --map.features=40
head -n 500 two.svm > few.svm
train automatic --data.train=few.svm --kernel.type=auto
trained named dense.csv tn data.missing=mean map.features=40
trained plain dense.csv t data.missing=zero map.features=40
trained weighed dense.csv tnw data.missing=mean map.features=40
trained amounts amounts.csv n solver.task=regression map.features=40
trained automatic few.svm st kernel.type=auto
held named dense.csv scores dense one text line names
held named dense.csv labels dense float
run 6 ./train_rows two.svm arrays.model stc map.features=50
run 3 ./train_rows two.svm arrays.model st data.train=two.svm
grep -q 'data.train' err || fail "$(cat err)"
run 4 ./train_rows dense.csv arrays.model t
grep -q 'row 10: .*data.missing' err || fail "$(cat err)"

finish
