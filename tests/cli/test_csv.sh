#!/bin/sh
# CSV and TSV: what is found in a file, what the model keeps of it, and what is refused.
. "$SOURCE/tests/cli/check.sh"

train() {
    run 0 "$DPSVM" train "$@" --map.features=50
}

# arrays MODEL: the bytes behind the header of a model, without the checksum.
arrays() {
    awk 'BEGIN { n = 0 } { n += length($0) + 1 } $0 == "" { print n; exit }' "$1" > size
    tail -c +"$(($(cat size) + 1))" "$1" | head -c -8
}

# --- CSV, TSV and LIBSVM forms of the same rows give the same arrays --------------------------------------------------
rows 7 60 4 > plain.svm
awk '{ line = $1; for (k = 2; k <= NF; k++) { split($k, p, ":"); v[p[1]] = p[2] }
       for (j = 1; j <= 4; j++) { line = line "," (j in v ? v[j] : 0); delete v[j] } print line }' plain.svm > bare.csv
{ echo 'label,alpha,"beta, b",gamma,delta'; cat bare.csv; } > named.csv
tr ',' '\t' < bare.csv > bare.tsv
train plain.svm --output.model=svm.model
says '^input: libsvm'
train bare.csv --output.model=bare.model
says '^input: csv without a header, label in column 1 \(data.label_column not set\), 4 number columns'
train named.csv --output.model=named.model --report=named.json
says '^input: csv with a header, label in column 1 \(label\)'
grep -q '"input":.*csv with a header' named.json || fail 'the report does not say what was found'
train bare.tsv --output.model=tsv.model
says '^input: tsv without a header'
arrays svm.model > svm.arrays
[ -s svm.arrays ] || fail 'no arrays found in the model'
for form in bare named tsv; do
    arrays $form.model > $form.arrays
    same svm.arrays $form.arrays
done
grep -q '^column.2 = number beta, b$' named.model || fail 'the model does not keep the names of columns'
# ... also where most values are 0, and one column has no other; for three classes and for regression
awk -v s=9 'function u() { s = (s * 16807) % 2147483647; return s / 2147483647 } BEGIN { for (i = 0; i < 120; i++) {
    pairs = i % 3; row = i % 3
    for (j = 1; j <= 30; j++) { x = j != 17 && (u() < 0.06 || j == 1 + i % 3) ? sprintf("%.5f", 1 + u()) : 0
        if (x != 0) pairs = pairs " " j ":" x
        row = row "," x }
    print pairs > "rare.svm"; print row > "rare.csv" } }'
for task in classification regression; do
    for form in svm csv; do
        train rare.$form --solver.task=$task --output.model=rare.$form.model
        grep -q '^data.dense = off' rare.$form.model || fail "rare.$form is not sparse"
        arrays rare.$form.model > rare.$form.arrays
    done
    [ -s rare.svm.arrays ] || fail 'no arrays found in the model'
    same rare.svm.arrays rare.csv.arrays
done

# Threads and the cut into several files change nothing.
train named.csv --output.model=threads.model --run.threads=3
same named.model threads.model
{ head -1 named.csv; sed -n '2,20p' named.csv; } > part1.csv
{ head -1 named.csv; sed -n '21,$p' named.csv; } > part2.csv
run 0 "$DPSVM" train --data.train=part1.csv,part2.csv --map.features=50 --output.model=parts.model
same named.model parts.model
# Files so short that the first alone would be read otherwise: as text, as numbers, with the label in the other column.
awk 'BEGIN { for (i = 0; i < 40; i++) print (i < 8 ? 0 : i % 9 / 8) "," i % 2 }' > short_bare.csv
awk 'BEGIN { print "word,x,class"; for (i = 0; i < 30; i++) print (i < 9 ? "" : i % 3 ? "red" : "blue") "," i % 7 "," i % 2 }' > short_holes.csv
awk 'BEGIN { print "@relation r\n@attribute s string\n@attribute x real\n@attribute class {0,1}\n@data"
    for (i = 0; i < 30; i++) print (i < 9 ? "5" : i % 3 ? "red" : "blue") "," i % 7 "," i % 2 }' > strings.arff
for each in short_bare.csv:0 short_holes.csv:1 strings.arff:5; do
    whole=${each%:*}
    head=${each#*:}
    for lines in 1 2 7 8; do
        head -n $((head + lines)) "$whole" > cut1
        { head -n "$head" "$whole"; tail -n +$((head + lines + 1)) "$whole" | head -n 3; } > cut2
        { head -n "$head" "$whole"; tail -n +$((head + lines + 4)) "$whole"; } > cut3
        gzip -kf cut2
        : > empty
        run 0 "$DPSVM" train "$whole" --data.missing=zero --map.features=20 --output.model=whole.model -q
        run 0 "$DPSVM" train --data.train=cut1,cut2,cut3 --data.missing=zero --map.features=20 --output.model=cut.model -q
        same whole.model cut.model
        run 0 "$DPSVM" train --data.train=empty,cut1,empty,cut2.gz,cut3 --data.missing=zero --map.features=20 --output.model=cut.model -q
        same whole.model cut.model
    done
done
sed '1s/gamma/other/' part2.csv > part3.csv
refused 3 'part3\.csv:1:.*every file must start with the same' "$DPSVM" train --data.train=part1.csv,part3.csv -q

# --- prediction -------------------------------------------------------------------------------------------------------
run 0 "$DPSVM" predict svm.model plain.svm
cp out labels
predicts() {
    run 0 "$DPSVM" predict "$@"
    same out labels
}
predicts bare.model bare.csv
says 'accuracy'
predicts named.model named.csv
cut -d, -f2- bare.csv > unlabelled.csv
predicts bare.model unlabelled.csv
says '^input: csv without a header, no label column'
if grep -q accuracy err; then fail 'an accuracy without labels'; fi
# by name: another order, more columns, no label; by place: no names
awk -F, 'NR == 1 { print "delta,extra,gamma,alpha,\"beta, b\""; next } { print $5 ",9," $4 "," $2 "," $3 }' named.csv > order.csv
predicts named.model order.csv
says '1 column that training did not see was left out'
refused 3 'order\.csv:1: column 2 \(extra\).*data\.unknown' "$DPSVM" predict named.model order.csv --data.unknown=error -q
predicts named.model bare.csv
predicts named.model unlabelled.csv
cut -d, -f1-3 bare.csv > short.csv
refused 3 'short\.csv:1: found 3 columns; the model was trained on 5 with the label' \
    "$DPSVM" predict bare.model short.csv -q
sed '1s/gamma/gama/' named.csv > wrong.csv
refused 3 'wrong\.csv:1: the model needs a column "gamma".*"gama"' "$DPSVM" predict named.model wrong.csv -q
# a model of LIBSVM text takes tables, and the other way round
predicts svm.model bare.csv
predicts bare.model plain.svm

# --- columns by name and number ---------------------------------------------------------------------------------------
awk -F, 'NR == 1 { print "id,x1,skip,class,x2,x3,x4"; next }
         { print "u-" NR "," $2 ",\"text, of NR\"," $1 "," $3 "," $4 "," $5 }' named.csv > wide.csv
train wide.csv --data.id_column=id --data.ignore_columns=3 --output.model=wide.model
says 'label in column 4 \(class\) \(data.label_column not set\), 4 number columns, 1 ignored'
arrays wide.model > wide.arrays
same svm.arrays wide.arrays
run 0 "$DPSVM" predict wide.model wide.csv -q
cut -f2 out > second
same second labels
[ "$(head -1 out | cut -f1)" = u-2 ] || fail 'ids are not passed through'
train wide.csv --data.label_column=4 --data.id_column=1 --data.ignore_columns=skip --output.model=number.model
same wide.model number.model
refused 2 'data\.label_column = clas: there is no such column.*did you mean class' \
    "$DPSVM" train wide.csv --data.label_column=clas -q
refused 2 'data\.ignore_columns = 9.*from 1 to 7' "$DPSVM" train wide.csv --data.ignore_columns=9 -q

# --- text columns -----------------------------------------------------------------------------------------------------
awk 'BEGIN { print "colour,size,y"; split("red green blue", c, " ")
             for (i = 1; i <= 30; i++) print c[i % 3 + 1] "," i % 7 "," (i % 3 == 1 ? "yes" : "no") }' > text.csv
awk -F, 'NR > 1 { print $3 " " ($1 == "blue" ? "1:1 " : $1 == "green" ? "2:1 " : "3:1 ") "4:" $2 }' text.csv > onehot.svm
awk -F, 'NR > 1 { print $3 " 1:" ($1 == "blue" ? 1 : $1 == "green" ? 2 : 3) " 2:" $2 }' text.csv > ordinal.svm
for kind in onehot ordinal; do
    train text.csv --data.categorical=$kind --output.model=$kind.model
    says 'label in column 3 \(y\).*1 number column, 1 text column'
    train $kind.svm --output.model=$kind.svm.model
    arrays $kind.model > a
    arrays $kind.svm.model > b
    same a b
    run 0 "$DPSVM" predict $kind.model text.csv -q
    cp out from_text
    run 0 "$DPSVM" predict $kind.svm.model $kind.svm -q
    same from_text out
done
grep -q '^column.0.value.0 = blue$' onehot.model || fail 'the model does not keep the code book'
sed '2,$s/^\([a-z]*\),\([0-9]\)/\2,\1/; 1s/colour,size/size,colour/' text.csv > swapped.csv
run 0 "$DPSVM" predict onehot.model swapped.csv -q
run 0 "$DPSVM" predict onehot.model text.csv -q
cp out from_text
run 0 "$DPSVM" predict onehot.model swapped.csv -q
same out from_text
sed '5s/^[a-z]*/mauve/' text.csv > mauve.csv
run 0 "$DPSVM" predict onehot.model mauve.csv
says '1 value belongs to features that training did not see'
refused 3 'mauve\.csv:5:1: column 1 \(colour\): "mauve": training did not see' \
    "$DPSVM" predict onehot.model mauve.csv --data.unknown=error -q
refused 3 'column 1 \(colour\) holds text' "$DPSVM" train text.csv --data.categorical=error -q
train text.csv --data.text_columns=size --output.model=size.model
says '0 number columns, 2 text columns'

# --- missing values ---------------------------------------------------------------------------------------------------
printf 'y,a,b\n1,2,\n0,4,1\n1,?,3\n0,NA,5\n' > gaps.csv
printf '1 1:2 2:3\n0 1:4 2:1\n1 1:3 2:3\n0 1:3 2:5\n' > mean.svm
printf '1 1:2\n0 1:4 2:1\n1 2:3\n0 2:5\n' > zero.svm
refused 3 'gaps\.csv:2:5: column 3 \(b\): a value is missing.*data\.missing' "$DPSVM" train gaps.csv -q
for kind in mean zero; do
    train gaps.csv --data.missing=$kind --output.model=$kind.model
    train $kind.svm --output.model=$kind.svm.model
    arrays $kind.model > a
    arrays $kind.svm.model > b
    same a b
    run 0 "$DPSVM" predict $kind.model gaps.csv --scores -q
    cp out scores
    run 0 "$DPSVM" predict $kind.svm.model $kind.svm --scores -q
    same out scores
done
sed 's/NA/3/; s/?/3/; s/,$/,3/' gaps.csv > full.csv
train full.csv --output.model=full.model
refused 3 'gaps\.csv:2:5:.*trained with data\.missing' "$DPSVM" predict full.model gaps.csv -q

# --- what is refused --------------------------------------------------------------------------------------------------
printf '1,2,3\n0,1\n' > ragged.csv
refused 3 'ragged\.csv:2:.*only 2 columns, 3 were expected' "$DPSVM" train ragged.csv -q
printf '1,2,3\n0,1,2,3\n' > longer.csv
refused 3 'longer\.csv:2:.*more than 3 columns' "$DPSVM" train longer.csv -q
printf 'y,a\n1,"two\nlines"\n' > broken.csv
refused 3 'broken\.csv:2:3:.*replace line breaks inside fields by blanks' "$DPSVM" train broken.csv -q
printf 'y,a,a\n1,2,3\n0,1,2\n' > twice.csv
refused 3 'two columns are named "a"' "$DPSVM" train twice.csv -q
printf 'y,a\n1,2\n0,inf\n' > inf.csv
refused 3 'inf\.csv:3:3: column 2 \(a\): "inf": not a finite number' "$DPSVM" train inf.csv -q
# text far below the first lines is a fault of the value, not another kind of column
awk 'BEGIN { print "y,a"; for (i = 0; i < 60000; i++) print i % 2 "," i / 7; print "1,oops" }' > late.csv
for threads in 1 3; do
    refused 3 'late\.csv:60002:3: column 2 \(a\): "oops": not a number.*data\.text_columns' \
        "$DPSVM" train late.csv -q --run.threads=$threads
done
# header or not is the user's to say
printf '1,2\n3,4\n1,5\n' > numbers.csv
train numbers.csv --data.header=on
says '^data: 2 rows'
train numbers.csv --data.header=off
says '^data: 3 rows'
refused 2 'training rows need a label' "$DPSVM" train numbers.csv --data.label_column=none -q

finish
