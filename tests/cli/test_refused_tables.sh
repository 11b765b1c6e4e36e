#!/bin/sh
# Tables and matrices that cannot be what their options say: each is refused in one line that names file, row and column,
# and what is nearly the same is taken.
. "$SOURCE/tests/cli/check.sh"

one='\000\000\200\077' two='\000\000\000\100' zero='\000\000\000\000' nan='\000\000\300\177' minus='\000\000\200\277'
# npy FILE ROWS COLUMNS TYPE NUMBERS
npy() {
    {
        printf '\223NUMPY\001\000\166\000'
        printf '%-117s\n' "{'descr': '$4', 'fortran_order': False, 'shape': ($2, $3), }"
        # shellcheck disable=SC2059  # numbers are octal escapes
        printf "$5"
    } > "$1"
}
trained() {
    run 0 "$DPSVM" train "$@" --kernel.type=linear --output.model=model --output.baseline=off -q
}
not_trained() { # CODE SAYS WORDS...
    code=$1
    said=$2
    shift 2
    refused "$code" "$said" "$DPSVM" train "$@" --kernel.type=linear --output.model=none --output.baseline=off -q
    [ ! -e none ] || fail "a model of $*"
}

# Matrices.
numbers="$one$two$one$zero$minus$two$zero$one$one$two$two$zero"
npy good.npy 4 3 '<f4' "$numbers"
npy narrow.npy 6 2 '<f4' "$numbers"
npy integers.npy 4 3 '<i4' "$numbers"
npy no_label.npy 4 3 '<f4' "$one$two$one$nan$minus$two$zero$one$one$two$two$zero"
npy no_weight.npy 4 3 '<f4' "$one$two$one$zero$nan$two$zero$one$one$two$two$zero"
head -c 60 good.npy > cut.npy
trained good.npy
trained --data.train=good.npy,good.npy
trained good.npy --data.id_column=2
not_trained 3 'no_label.npy:2:1: the label is not a finite number' no_label.npy
not_trained 3 'narrow.npy:1:1: every npy file must have the columns and type of the first' --data.train=good.npy,narrow.npy
not_trained 3 'integers.npy:1:1: every npy file' --data.train=good.npy,integers.npy
not_trained 3 'cut.npy:1: the npy header is damaged or cut short' --data.train=good.npy,cut.npy
not_trained 3 'no_weight.npy:2:2: a weight must be a number above 0' no_weight.npy --data.weights=2
not_trained 3 'good.npy:4:3: a weight must be a number above 0' good.npy --data.weights=3
not_trained 3 'good.npy:1: column 2 is a column of text, which a matrix of numbers cannot hold' good.npy --data.text_columns=2
not_trained 2 'good.npy:1: column 2 is both data.id_column and data.weights' good.npy --data.weights=2 --data.id_column=2
not_trained 2 'good.npy:1: data.id_column = 9: .* from 1 to 3' good.npy --data.id_column=9

# Names with blanks between them instead of commas; all or none.
printf 'a,b,c,y\n1,2,5,0\n2,3,4,1\n3,1,4,0\n4,2,5,1\n' > four.csv
trained four.csv --data.label_column=y --data.ignore_columns='a  b'
run 0 "$DPSVM" info model
grep -q '^features  *1,' out || fail 'not one feature is left'
not_trained 2 'data.ignore_columns = a d: there is no such column' four.csv --data.label_column=y --data.ignore_columns='a d'

# Weights of a file: blanks around them.
printf 'a,b,y\n1,2,0\n2,3,1\n3,1,0\n4,2,1\n' > table.csv
printf '  1.5 \n\t2\n3\n 1' > weights
trained table.csv --data.label_column=y --data.weights=weights
printf '  1.5 \n\t2\n3\n x\n' > weights
not_trained 3 'weights:4: "x": expected the weight of a row' table.csv --data.label_column=y --data.weights=weights

# A mean that no double holds; columns of nothing but different texts.
printf 'a,b,y\n1e308,2,0\n1.7e308,3,1\n,1,0\n1.7e308,2,1\n' > large.csv
not_trained 3 'data.missing = mean: the mean of column 1 is too large' large.csv --data.label_column=y --data.missing=mean
awk 'BEGIN { print "a,y"; for (i = 0; i < 40; i++) print "word" i "," i % 2 }' > words.csv
not_trained 3 'no feature is left' words.csv --data.label_column=y
trained words.csv --data.label_column=y --data.text_columns=a
awk 'BEGIN { print "a,b,y"; for (i = 0; i < 40; i++) print "word" i % 25 "," i "," i % 2 }' > some.csv
run 0 "$DPSVM" train some.csv --data.label_column=y --kernel.type=linear --output.model=none
says 'a\) has 25 different texts in 40 rows, each a feature; data.ignore_columns = 1'

# Tables to predict.
trained table.csv --data.label_column=y
printf 'a,b\n1,2\n' > new.csv
refused 2 'new.csv:1: data.label_column: column 1 \(a\) is a feature of the model' "$DPSVM" predict model new.csv --data.label_column=a
refused 2 'new.csv:1: data.id_column: column 1 \(a\) is a feature of the model' "$DPSVM" predict model new.csv --data.id_column=a
echo 1,2,3,4 > new.csv
refused 3 'new.csv:1: found 4 columns; the model was trained on 3 with the label \(2 without\)' "$DPSVM" predict model new.csv
echo 1,2,1 > new.csv
refused 3 'new.csv:1: found 3 columns; the model was trained on 3' "$DPSVM" predict model new.csv --data.label_column=none
run 0 "$DPSVM" predict model new.csv -q
cp out last
echo 1,1,2 > new.csv
run 0 "$DPSVM" predict model new.csv --data.label_column=1 -q
same out last
finish
