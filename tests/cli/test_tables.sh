#!/bin/sh
# Tables as other programs and people write them: every form of a table gives the model of its plain form, or is
# refused with the place and what to do. Plain forms are checked by their figures; the others by the model's bytes.
. "$SOURCE/tests/cli/check.sh"

train() {
    run 0 "$DPSVM" train "$@" --kernel.type=linear
}

# found ROWS FEATURES CLASSES: what the last training says of its data.
found() {
    says "^data: $1 rows, $2 features, [a-z]*, $3 classes"
}

# gives MODEL FILE OPTIONS...: training on the file gives this model.
gives() {
    expected=$1
    shift
    train "$@" --output.model=other.model
    same "$expected" other.model
}

# 60 rows of label, age, load
awk -v s=3 'function u() { s = (s * 16807) % 2147483647; return s / 2147483647 }
    BEGIN { print "label,age,load"
            for (i = 0; i < 60; i++) printf "%d,%d,%.2f\n", i % 2, 20 + 40 * u() + 9 * (i % 2), 12 * u() - 3 }' > plain.csv
train plain.csv --output.model=plain.model
found 60 2 2
says '^input: csv with a header, label in column 1 \(label\) \(data.label_column not set\), 2 number columns$'

# --- words in columns of numbers --------------------------------------------------------------------------------------
for word in NA N/A '#N/A' '"NA"' NULL null None none nan -nan '<NA>' '\N' . .. - -- '?' .b missing '#DIV/0!' '#REF!' '#NAME?' \
    -1.#IND 1.#QNAN '#N/A N/A' '' NaT n.a.; do
    for line in 2 8 61; do
        awk -F, -v OFS=, -v w="$word" -v n=$line 'NR == n { $3 = w } 1' plain.csv > word.csv
        refused 3 "word\\.csv:$line:[0-9]+: column 3 \\(load\\): .*a value is missing.*data\\.missing" \
            "$DPSVM" train word.csv --kernel.type=linear -q
        train word.csv --data.missing=mean --output.model=word.model
        found 60 2 2
        awk -F, -v OFS=, -v n=$line 'NR == n { $3 = "" } 1' plain.csv > empty.csv
        gives word.model empty.csv --data.missing=mean
    done
done
# any other word is a fault of the value, wherever it stands and however few rows there are
for line in 2 8 61; do
    awk -F, -v OFS=, -v n=$line 'NR == n { $3 = "broken" } 1' plain.csv > word.csv
    refused 3 "word\\.csv:$line:[0-9]+: column 3 \\(load\\): \"broken\": not a number.*data\\.missing_words.*data\\.text_columns" \
        "$DPSVM" train word.csv --kernel.type=linear -q
    train word.csv --data.missing=mean --data.missing_words='none given, broken'
    found 60 2 2
    train word.csv --data.text_columns=load
    says '1 number column, 1 text column'
done
# also where it stands in a third of the rows, and in a column that begins with words
awk -F, -v OFS=, 'NR > 1 && NR % 3 == 0 { $3 = "unknown" } 1' plain.csv > third.csv
refused 3 'third\.csv:3:[0-9]+: column 3 \(load\): "unknown": not a number' "$DPSVM" train third.csv --kernel.type=linear -q
{ echo 'label,a,b'; awk 'BEGIN { for (i = 0; i < 40000; i++) print i % 2 ",0." i ",unknown"
    for (i = 0; i < 400000; i++) print i % 2 ",0." i "," i / 8 }'; } > late.csv
for threads in 1 3; do
    refused 3 'late\.csv:2:[0-9]+: column 3 \(b\): "unknown": not a number, but nearly all values' \
        "$DPSVM" train late.csv --kernel.type=linear -q --run.threads=$threads
done
# the pipe inside: a failure found in a part of a pipe would not count
export DPSVM
refused 3 'standard input:2:[0-9]+: column 3 \(b\): "unknown": not a number' \
    sh -c 'cat late.csv | "$DPSVM" train - --kernel.type=linear -q'
rm late.csv
# numbers that stand for a missing value; predict knows the words from the model
awk -F, -v OFS=, 'NR == 5 { $3 = "-999" } 1' plain.csv > minus.csv
awk -F, -v OFS=, 'NR == 5 { $3 = "" } 1' plain.csv > empty.csv
train minus.csv --data.missing=mean --data.missing_words=-999 --output.model=minus.model
run 0 "$DPSVM" predict minus.model minus.csv --scores -q
cp out scores
run 0 "$DPSVM" predict minus.model empty.csv --scores -q
same out scores
# a file to predict may have words of its own, besides the model's
sed '5s/-999/gone/' minus.csv > gone.csv
refused 3 'gone\.csv:5:.*"gone": not a number' "$DPSVM" predict minus.model gone.csv -q
for words in gone 'gone,-999' '-77, gone'; do
    run 0 "$DPSVM" predict minus.model gone.csv --data.missing_words="$words" --scores -q
    same out scores
    run 0 "$DPSVM" predict minus.model minus.csv --data.missing_words="$words" --scores -q
    same out scores
done
awk -F, -v OFS=, 'NR == 5 { $3 = "-77" } 1' plain.csv > other.csv
run 0 "$DPSVM" predict minus.model other.csv --data.missing_words=-77 --scores -q
same out scores
# the model's words are no texts where a file's own lines are told: all its values here are missing
awk -F, -v OFS=, 'NR > 1 { $3 = "n.d." } 1' plain.csv > nd.csv
awk -F, -v OFS=, 'NR == 5 { $3 = "n.d." } 1' plain.csv > word.csv
train word.csv --data.missing=mean --data.missing_words=n.d. --output.model=nd.model
awk -F, -v OFS=, 'NR > 1 { $3 = "" } 1' plain.csv > none.csv
run 0 "$DPSVM" predict nd.model none.csv --scores -q
cp out scores
run 0 "$DPSVM" predict nd.model nd.csv --scores -q
same out scores
# words beside numbers that are not written as C writes them
awk -F, 'NR == 1 { print "y;a;b" } NR > 1 { a = NR % 9 == 0 ? "n.d." : NR % 11 == 0 ? "NULL" : NR / 8; sub(/\./, ",", a)
     print (NR % 2 ? "p" : "q") ";" (a == "n,d." ? "n.d." : a) ";" NR * 7 % 13 }' plain.csv > commas.csv
sed 's/n\.d\.//; s/NULL//' commas.csv > blanks.csv
train commas.csv --data.missing=mean --data.missing_words=n.d. --output.model=commas.model
train blanks.csv --data.missing=mean --output.model=blanks.model
run 0 "$DPSVM" predict commas.model commas.csv --scores -q
cp out scores
run 0 "$DPSVM" predict blanks.model blanks.csv --scores -q
same out scores
# in a column of text such words are values, as they always were
awk 'BEGIN { print "y,kind,x"; split("none low -", k, " "); for (i = 0; i < 30; i++) print i % 2 "," k[i % 3 + 1] "," i / 7 }' > kinds.csv
train kinds.csv
found 30 4 2

# --- lines that are no rows -------------------------------------------------------------------------------------------
# before FILE: what stands in standard input, then the plain table
before() {
    { cat; cat plain.csv; } > "$1"
}
printf '\n' | before blank.csv
printf '  \n\n\t\n' | before blanks.csv
printf '\357\273\277\n' | before mark.csv
printf 'sep=,\n' | before sep.csv
printf '"sep=,"\r\n' | before sepq.csv
printf '# exported 12 June, 40 rows\n' | before comment.csv
printf 'Measurements of the pump\n\n' | before title.csv
printf 'Report,,\nby hand,,\n,,\n' | before report.csv
printf '60,2,no,yes\n' | before counts.csv
printf '60\n' | before count.csv
sed 's/$/\r/' plain.csv > crlf.csv
awk 'NR == 1 { print; print "-,years,kg"; next } 1' plain.csv > units.csv
awk 'NR == 1 { print; print "0,years,kg"; next } 1' plain.csv > units0.csv
awk 'NR == 1 { print; print ""; print "[],[a],[kg]"; next } 1' plain.csv > unitsb.csv
sed '1s/^/# /' plain.csv > hash.csv
sed 's/^/|/; s/$/|/; s/,/|/g' plain.csv > bars.csv
sed 's/$/,/' plain.csv > trailing.csv
sed '2,$s/$/,/' plain.csv > trailing2.csv
awk 'NR > 1 && NR % 20 == 0 { print "label,age,load" } 1' plain.csv > joined.csv
for form in blank blanks mark sep sepq comment title report counts count crlf units units0 unitsb hash joined; do
    gives plain.model $form.csv
    found 60 2 2
    run 0 "$DPSVM" predict plain.model $form.csv
    lines 60 out
    cat $form.csv | "$DPSVM" train - --kernel.type=linear --output.model=pipe.model -q || fail "$form through a pipe"
    same plain.model pipe.model
    run 0 "$DPSVM" train --data.train=$form.csv,plain.csv --kernel.type=linear --output.model=two.model
    says '^data: 120 rows, 2 features'
    run 0 "$DPSVM" train --data.train=$form.csv,$form.csv --kernel.type=linear --output.model=same.model
    same two.model same.model
done
train bars.csv
found 60 2 2
for form in trailing trailing2; do
    train $form.csv
    found 60 2 2
    says 'column 4 has no name and no value'
    run 0 "$DPSVM" predict plain.model $form.csv
    lines 60 out
done
train joined.csv
says 'note: 3 lines that repeat the names'
run 0 "$DPSVM" predict plain.model joined.csv
says 'warning: 3 lines that repeat the names'
train units.csv
says 'warning: units\.csv: line 2 holds units.*: -,years,kg$'
train comment.csv
says 'warning: comment\.csv: line 1 is no row.*: # exported 12 June, 40 rows$'
train title.csv
says '^input: csv with a header in line 3'
# numbers as names
awk -F, 'NR == 1 { print "0,1,2"; next } 1' plain.csv > numbered.csv
awk -F, 'NR == 1 { print "\"1\",\"2\",\"3\""; next } 1' plain.csv > quoted.csv
for form in numbered quoted; do
    train $form.csv --output.model=$form.model
    found 60 2 2
    run 0 "$DPSVM" predict $form.model $form.csv
    lines 60 out
done
says 'input: csv with a header'
for form in numbered quoted; do # also for a row alone, and without the label
    head -2 $form.csv | cut -d, -f2- > one.csv
    run 0 "$DPSVM" predict $form.model one.csv
    lines 1 out
done
train numbered.csv --data.header=off
says '^data: 61 rows'

# --- delimiters and decimals ------------------------------------------------------------------------------------------
tr ',' ';' < plain.csv > semicolon.csv
tr ',' '|' < plain.csv > bar.csv
tr ',' ' ' < plain.csv > blank.txt
sed 's/,/   /g; s/^/  /' plain.csv > wide.txt
tr ',' '\t' < plain.csv > tab.tsv
tr '.,' ',;' < plain.csv > decimal.csv
tr '.,' ',\t' < plain.csv > decimal.tsv
tr '.,' ', ' < plain.csv > decimal.txt
tr ',' '~' < plain.csv > tilde.csv
for form in semicolon.csv bar.csv blank.txt wide.txt tab.tsv decimal.csv decimal.tsv decimal.txt; do
    train $form --output.model=form.model
    found 60 2 2
    run 0 "$DPSVM" predict plain.model $form --scores -q
    cp out scores
    run 0 "$DPSVM" predict plain.model plain.csv --scores -q
    same out scores
    run 0 "$DPSVM" predict form.model plain.csv --scores -q
    same out scores
done
gives plain.model semicolon.csv
gives plain.model tilde.csv --data.delimiter='~'
gives plain.model bar.csv --data.delimiter=bar
train decimal.csv
says '^input: csv separated by semicolons with decimal commas with a header'
refused 2 'data\.delimiter.*expected auto, comma' "$DPSVM" train plain.csv --data.delimiter=x -q
# thousands, currencies, percents, Fortran and typeset numbers
awk 'BEGIN { print "y,price,share,x"; for (i = 0; i < 30; i++) print i % 2 "," 1000 * i + 1234.5 "," i % 7 "," (i - 9) * 10 }' > big.csv
awk -F, 'NR == 1 { print; next } { p = $2; m = int(p / 1000)
    print $1 ",\"$" m "," substr(sprintf("%.2f", p - 1000 * m + 1000), 2) "\"," $3 " %," ($4 < 0 ? "\xe2\x88\x92" (-$4 / 10) : $4 / 10) "D+01" }' big.csv > people.csv
train big.csv --output.model=big.model
run 0 "$DPSVM" predict big.model big.csv --scores -q
cp out scores
train people.csv --output.model=people.model
found 30 3 2
run 0 "$DPSVM" predict people.model people.csv --scores -q
same out scores
grep -q '^dpsvm model 3$' people.model || fail 'forms of numbers need version 3'
printf 'y,a\n0,"1,234"\n1,"2,345"\n0,"3,456"\n1,"4,567"\n' > either.csv
refused 3 'either\.csv:2:4: column 2 \(a\): "1,234": the comma may stand.*data\.decimal' "$DPSVM" train either.csv -q
train either.csv --data.decimal=point --output.model=either.model
grep -q '^column.1.form = point comma none$' either.model || fail 'thousands are not in the model'
printf 'y,a\n0,12%%\n1,7%%\n0,0.5\n1,8%%\n' > mixed.csv
refused 3 'mixed\.csv:2:3: .*sign of percent' "$DPSVM" train mixed.csv -q

# --- the label's column and columns that are no features --------------------------------------------------------------
awk -F, -v OFS=, '{ print $2, $3, NR == 1 ? "kind" : $1 ? "yes" : "no" }' plain.csv > last.csv
train last.csv --output.model=last.model
found 60 2 2
says 'label in column 3 \(kind\) \(data.label_column not set\)'
for column in last -1 3 kind; do
    gives last.model last.csv --data.label_column=$column
done
refused 2 'data\.label_column = -4: there is no such column' "$DPSVM" train last.csv --data.label_column=-4 -q
awk -F, -v OFS=, '{ print $2, $3, NR == 1 ? "kind" : $1 }' plain.csv > lastn.csv
train lastn.csv
says 'label in column 3 \(kind\)'
for names in y,heat,target target,y,class class,heat,label x,y,label y,x,Class; do
    awk -F, -v OFS=, -v names=$names 'NR == 1 { print names; next } { print $2, $3, $1 }' plain.csv > names.csv
    case $names in
    target*) place='column 1 \(target\)' ;;
    *) place='column 3' ;;
    esac
    train names.csv --solver.task=classification
    says "label in $place"
done
says 'it could also be column 1 \(y\)'

# TRUE and FALSE in front are a property: the last column, of few values, is the label
awk 'BEGIN { print "above,a,kind"; for (i = 0; i < 60; i++) print (i % 3 ? "True" : "False") "," i * 37 % 101 / 4 "," 1 + i % 4 }' > logical.csv
train logical.csv
says 'label in column 3 \(kind\)'
found 60 3 4
awk -F, -v OFS=, 'NR == 1 { print $0, "id"; next } { print $0, "P" 7 * NR }' last.csv > idlast.csv
train idlast.csv
says 'label in column 3 \(kind\)'
# ... nor do columns of TRUE and FALSE compete with a class
awk -F, -v OFS=, 'NR == 1 { print "tail,legs", $0; next } { print NR % 3 ? "TRUE" : "FALSE", NR % 5 ? "False" : "True", $0 }' last.csv > zoo.csv
train zoo.csv
says 'label in column 5 \(kind\)'
# ... and a file may be sorted by class
{ echo a,b,kind; awk 'BEGIN { for (i = 0; i < 60000; i++) print i * 7 % 1009 / 8 "," i % 999 "," (i < 40000 ? "early" : "late") }'; } > sorted.csv
train sorted.csv
says 'label in column 3 \(kind\)'
sed 's/early/0/; s/late/1/' sorted.csv > sorted01.csv
train sorted01.csv
says 'label in column 3 \(kind\)'
# numbers to predict in their country's form
train plain.csv --solver.task=regression --data.label_column=load --output.model=number.model
run 0 "$DPSVM" predict number.model plain.csv
cp out numbers
grep -o 'RMSE.*' err > rmse
train decimal.csv --solver.task=regression --data.label_column=load --output.model=comma.model
run 0 "$DPSVM" predict comma.model decimal.csv
same out numbers
grep -o 'RMSE.*' err | cmp -s - rmse || fail 'targets with decimal commas are others'
# ... also where a row is longer than what is looked at of others
awk 'BEGIN { for (i = -1; i < 40; i++) { row = ""
    for (j = 1; j <= 8000; j++) row = row (i < 0 ? "gene" j : (i * 7 + j * 13) % 97 + 100000000) ","
    print row (i < 0 ? "kind" : i % 2 ? "yes" : "no") } }' > genes.csv
train genes.csv
says 'label in column 8001 \(kind\)'
found 40 8000 2
rm genes.csv
# columns that number the rows
awk -F, -v OFS=, 'NR == 1 { print "\"\"", $0; next } { print "\"" NR - 1 "\"", $0 }' plain.csv > r.csv
awk -F, -v OFS=, 'NR == 1 { print "", $0; next } { print NR - 2, $0 }' plain.csv > pandas.csv
awk -F, -v OFS=, 'NR == 1 { print "", $0; next } { print NR * 17 % 61, $0 }' plain.csv > split.csv
awk -F, -v OFS=, 'NR == 1 { print "id", $0; next } { print NR - 1, $0 }' plain.csv > id.csv
awk -F, 'NR == 1 { print "\"label\" \"age\" \"load\""; next } { print "\"" NR - 1 "\" " $1 " " $2 " " $3 }' plain.csv > write.table
awk -F, -v OFS=, 'NR == 1 { print "Id", $0; next } { print NR * 7919 % 1009 - NR % 2, $0 }' plain.csv > ids.csv
for form in r.csv pandas.csv split.csv id.csv ids.csv write.table; do
    train $form --output.model=form.model
    found 60 2 2
    says 'note: column 1.* numbers the rows and was left out; data.keep_columns = 1'
    run 0 "$DPSVM" predict form.model $form --scores -q
    cp out scores
    run 0 "$DPSVM" predict plain.model plain.csv --scores -q
    same out scores
    train $form --data.keep_columns=1
    found 60 3 2
done

# --- columns of text --------------------------------------------------------------------------------------------------
awk -F, -v OFS=, 'NR == 1 { print $0, "name", "born"; next } { print $0, "N" NR * 7, sprintf("19%02d-%02d-11", NR, NR % 12 + 1) }' plain.csv > names.csv
train names.csv --output.model=names.model
found 60 2 2
says 'warning: column 4 \(name\) has 60 different texts in 60 rows.*data\.text_columns = 4'
says 'warning: column 5 \(born\)'
run 0 "$DPSVM" predict names.model plain.csv -q # needs none of them
train names.csv --data.text_columns=name
found 60 62 2
refused 3 'no feature is left' "$DPSVM" train names.csv --data.ignore_columns=2,3 --kernel.type=linear -q
# hundreds of values: the rare ones are one
awk 'BEGIN { print "y,x,town"; for (i = 0; i < 2000; i++) print i % 2 "," i % 7 / 3 ",t" (i < 1000 ? i % 20 : 100 + i % 250) }' > towns.csv
train towns.csv --output.model=towns.model
found 2000 22 2
says 'warning: column 3 \(town\) has 270 different texts; the 250 of them with fewer than 5 rows became one value'
grep -q '^column.2.rest = on$' towns.model || fail 'the model does not know of rare values'
sed '2,$s/,t[0-9]*$/,elsewhere/' towns.csv > elsewhere.csv
sed '2,$s/,t[0-9]*$/,t100/' towns.csv > rare.csv
run 0 "$DPSVM" predict towns.model rare.csv --scores -q
cp out scores
run 0 "$DPSVM" predict towns.model elsewhere.csv --scores -q
same out scores
train towns.csv --data.text_columns=town
found 2000 271 2

# --- labels that training did not see ---------------------------------------------------------------------------------
sed '2,$s/$/./' last.csv > full.csv
awk 'NR % 2 && NR > 1 { $0 = $0 "." } 1' last.csv > half.csv
for file in full:60 half:30; do
    count=${file#*:}
    train last.csv --data.test=${file%:*}.csv
    says "warning: data\\.test: $count of 60 labelled rows have labels that training did not see, such as \"(yes|no)\\.\""
    if grep -q 'points better than' err; then fail 'advice that rests on unknown labels'; fi
    train last.csv --data.validation=${file%:*}.csv
    says "warning: data\\.validation: $count of 60"
    for command in predict evaluate; do
        run 0 "$DPSVM" $command last.model ${file%:*}.csv
        says "warning: $count of 60 labelled rows have labels that training did not see"
    done
done

# An id in front does not say whether the label is the first or the last of two columns with few values: the first, and the
# other is named (docs/guide.md has the reason); `last` is the way on.
awk 'BEGIN { srand(6); print "id,kind,length,depth,sex"; for (i = 1; i <= 60; i++)
    printf "%d,%s,%.2f,%.2f,%s\n", i, (i % 3 ? "gentoo" : "adelie"), rand(), rand(), (rand() > 0.5 ? "male" : "female") }' > birds.csv
run 0 "$DPSVM" check birds.csv
grep -Eq 'label in column 2 \(kind\).*could also be column 5 \(sex\)' out || fail 'not both columns are named'
run 0 "$DPSVM" check birds.csv --data.label_column=last
grep -Eq 'label in column 5 \(sex\)' out || fail 'last is not the last column'
finish
