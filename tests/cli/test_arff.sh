#!/bin/sh
# ARFF (Weka) is read as the table that it is: the model is that of the same rows as CSV, to the byte; what is not read is
# refused with file, line and what to do.
. "$SOURCE/tests/cli/check.sh"

# Rows as CSV and as ARFF: numbers (one missing), a nominal column whose values are texts with blanks and quotes, one whose
# values look like numbers, dates that are all different.
awk -v s=5 'function u() { s = (s * 16807) % 2147483647; return s / 2147483647 }
    BEGIN { split("red|dark blue|it'"'"'s|NA", colour, "|")
            print "length,colour,code,day,class" > "plain.csv"
            printf "" > "rows.part"
            for (i = 0; i < 80; i++) {
                c = colour[1 + int(4 * u())]; k = i % 2; code = 1 + int(3 * u())
                length_ = i == 7 ? "?" : sprintf("%.3f", u() + k)
                day = sprintf("20%02d-01-02", i)
                printf "%s,%s,%d,%s,%s\n", length_, c == "NA" ? "\"NA\"" : c, code, day, k ? "Iris setosa" : "other" > "plain.csv"
                gsub(/'"'"'/, "\\'"'"'", c)
                printf "%s, %s,%d,\"%s\",%s\n", length_, c ~ /[ \\]/ ? "'"'"'" c "'"'"'" : c, code, day,
                    k ? "'"'"'Iris setosa'"'"'" : "other" > "rows.part"
                if (i == 40) print "\n  % a comment between rows" > "rows.part"
            } }'
header() {
    cat <<'END'
% 1. Title: a table
%

@RELATION 'a table'

@ATTRIBUTE 'length'  REAL
@Attribute colour {red, 'dark blue', "it's", NA}
@attribute code{1,2,3}
@attribute day date "yyyy-MM-dd"   % a format
@ATTRIBUTE class {'Iris setosa',other,never}
@Data
END
}
{ header; cat rows.part; } > rows.arff

train() {
    run 0 "$DPSVM" train "$@" --data.missing=mean --kernel.type=exponential --map.features=128 --data.cache=
}
train plain.csv --data.text_columns=colour,code -o plain.model
says '^data: 80 rows, [0-9]* features, [a-z]*, 2 classes'

step='the same model as from CSV'
train rows.arff -o arff.model
says '^input: arff, label in column 5 \(class\) \(data.label_column not set'
says '1 number column, [23] text columns'
says 'column 4 \(day\) has 80 different texts'
same plain.model arff.model

step='packed, from a pipe, with CRLF, without a last line end, with a byte order mark, in small pieces and many threads'
gzip -k rows.arff
sed 's/$/\r/' rows.arff > crlf.arff
printf '\357\273\277' | cat - rows.arff > mark.arff
head -c -1 rows.arff > cut.arff
for f in rows.arff.gz crlf.arff mark.arff cut.arff; do
    train "$f" -o other.model --run.threads=3
    same plain.model other.model
done
"$DPSVM" train - --data.missing=mean --kernel.type=exponential --map.features=128 -o other.model -q < rows.arff || fail "status $?"
same plain.model other.model
train rows.arff --data.format=arff -o other.model
same plain.model other.model

step='a cache of rows'
for _ in written read; do
    run 0 "$DPSVM" train rows.arff --data.missing=mean --kernel.type=exponential --map.features=128 --data.cache=rows.cache -o other.model
    same plain.model other.model
done

step='predict, evaluate, tune'
run 0 "$DPSVM" predict arff.model rows.arff -o a.pred
run 0 "$DPSVM" predict arff.model plain.csv -o b.pred
same a.pred b.pred
run 0 "$DPSVM" evaluate arff.model rows.arff
grep -Eq '80' out || fail 'not all 80 rows'
printf '[data]\ntrain = rows.arff\nmissing = mean\n[kernel]\ntype = linear\n[output]\nmodel = t.model\n[tune]\nsolver.C = 1, 2\n' > tune.ini
run 0 "$DPSVM" tune tune.ini --tune.folds=2

step='several files, each with its header'
{ header; sed -n 1,30p rows.part; } > part1.arff
{ echo '% another comment'; header | tr -d '%' | sed '/Title/d; s/ *a format$//'; sed -n '31,$p' rows.part; } > part2.arff
train --data.train=part1.arff,part2.arff -o other.model
same plain.model other.model
train --data.train='part*.arff' -o other.model
same plain.model other.model
if [ -n "${MPIEXEC:-}" ]; then
    . "$SOURCE/tests/cli/ranks.sh"
    ranks 0 3 train --data.train=part1.arff,part2.arff --data.missing=mean --kernel.type=exponential --map.features=128 -o other.model
    same plain.model other.model
fi
sed 's/other,never/other/' part2.arff > part3.arff
refused 3 'part3\.arff:[0-9]+: every file must declare the same attributes as the first' "$DPSVM" train --data.train=part1.arff,part3.arff --data.missing=mean -q
sed '/@attribute code/d' part2.arff > part3.arff
refused 3 'part3\.arff:[0-9]+: every file must declare the same attributes' "$DPSVM" train --data.train=part1.arff,part3.arff --data.missing=mean -q
refused 3 'plain\.csv:1:1: expected @relation' "$DPSVM" train --data.train=part1.arff,plain.csv --data.missing=mean -q

step='the label: the attribute named class, else the last; the option rules'
printf '@relation r\n@attribute CLASS {p,q}\n@attribute y integer\n@attribute x numeric\n@data\n' > class.arff
awk 'BEGIN { for (i = 0; i < 40; i++) printf "%s,%d,%d\n", i % 2 ? "p" : "q", i % 3, i % 7 + i % 2 }' | tee -a class.arff > class.rows
train class.arff -o other.model
says '^input: arff, label in column 1 \(CLASS\)'
sed 's/CLASS/group/' class.arff > last.arff
train last.arff -o other.model
says '^input: arff, label in column 3 \(x\)'
train last.arff --data.label_column=group -o other.model
says '^input: arff, label in column 1 \(group\), 2 number columns'

step='a header of more than 256 KiB'
awk 'BEGIN { print "@relation wide"; for (k = 0; k < 3000; k++) printf "@attribute %0120d numeric\n", k; print "@attribute class {a,b}\n@data"
             for (i = 0; i < 40; i++) { for (k = 0; k < 3000; k++) printf "%d,", (i * k) % 5; print i % 2 ? "a" : "b" } }' > wide.arff
run 0 "$DPSVM" train wide.arff --kernel.type=linear -o other.model
says '^data: 40 rows, [0-9]* features, [a-z]*, 2 classes'
says '3000 number columns'

step='what is refused'
arff() { # arff REASON TEXT: the file is refused so
    printf "$2" > bad.arff
    refused 3 "$1" "$DPSVM" train bad.arff --kernel.type=linear -q
}
top='@relation r\n@attribute x numeric\n@attribute c {p,q}\n'
arff 'bad\.arff:5:1: a row in braces.*SparseToNonSparse' "$top@data\n{0 1, 1 q}\n"
arff 'bad\.arff:6:3: column 2 \(c\): "r": none of the values that the .*header lists' "$top@data\n1,p\n2,r\n"
arff 'bad\.arff:6:1: column 1 \(x\): "low": not a number' "$top@data\n1,p\nlow,q\n"
arff 'bad\.arff:5:1: column 1 \(x\): .*a value is missing' "$top@data\n?,p\n2,q\n"
arff 'bad\.arff:6:[0-9]*: this row has only 1 column' "$top@data\n1,p\n2\n"
arff 'bad\.arff:[0-9]*: the header of an ARFF file does not end' "$top"
arff 'bad\.arff:2:14: expected numeric, real' '@relation r\n@attribute x number\n@data\n'
arff 'bad\.arff:2:14: attributes that hold tables' '@relation r\n@attribute x relational\n@data\n'
arff 'bad\.arff:2:17: the quote is not closed' "@relation r\n@attribute x {a,'b}\n@data\n"
arff "bad\\.arff:2:18: expected a comma or }" '@relation r\n@attribute x {a,b\n@data\n'
arff 'bad\.arff:3:1: expected @relation, @attribute' '@relation r\n@attribute x numeric\n1,2\n'
arff 'bad\.arff:2:1: no @attribute before @data' '@relation r\n@data\n1,2\n'

finish
