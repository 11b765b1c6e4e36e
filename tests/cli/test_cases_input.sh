#!/bin/sh
# LIBSVM text as people really have it: two files that mean the same give the same model, byte for byte.
. "$SOURCE/tests/cli/check.sh"

rows 11 40 4 > plain.svm
cat > plain.ini <<'END'
[data]
train = plain.svm
[map]
features = 50
[output]
model = plain.model
END
run 0 "$DPSVM" train plain.ini -q

# equal FILE: training on it gives the model of plain.svm.
equal() {
    run 0 "$DPSVM" train plain.ini --data.train="$1" --output.model="$1.model" -q
    same plain.model "$1.model"
}

sed 's/$/\r/' plain.svm > crlf.svm
equal crlf.svm
{ printf '\357\273\277'; cat plain.svm; } > bom.svm
equal bom.svm
awk '{ print; if (NR % 7 == 0) print ""; if (NR % 9 == 0) print "   \t" }' plain.svm > blank.svm
equal blank.svm
awk 'NR == 3 { print "# a line of remarks 9:9" } { print $0 "  # row " NR " 77:1" }' plain.svm > comment.svm
equal comment.svm
sed 's/ /\t  /g; s/$/ \t/' plain.svm > blanks.svm
equal blanks.svm
awk '{ print $1, $5, $3, $2, $4 }' plain.svm > unsorted.svm
equal unsorted.svm
awk '{ print $1, "qid:" NR, $2, $3, $4, $5 }' plain.svm > qid.svm
equal qid.svm
printf '%s' "$(cat plain.svm)" > no_newline.svm
equal no_newline.svm
awk '{ print $0 " 900:0" }' plain.svm > zeros.svm
equal zeros.svm
sed 's/:0\./:+00./; s/:-0\./:-0000./; s/\([0-9]\)$/\1e0/' plain.svm > spelling.svm
equal spelling.svm

# Indices from 0 are an error that says how to allow them, and then mean the same.
awk '{ line = $1; for (k = 2; k <= NF; k++) { split($k, p, ":"); line = line " " p[1] - 1 ":" p[2] } print line }' \
    plain.svm > zero.svm
refused 3 'zero\.svm:1:.*data\.zero_based' "$DPSVM" train plain.ini --data.train=zero.svm --output.model=zero.model -q
equal_zero() {
    run 0 "$DPSVM" train plain.ini --data.train=zero.svm --data.zero_based=on --output.model=zero.model -q
    run 0 "$DPSVM" predict zero.model zero.svm --data.zero_based=on -q
    cp out zero.labels
    run 0 "$DPSVM" predict plain.model plain.svm -q
    same out zero.labels
}
equal_zero

# Several files are one; so are a pipe and a file.
head -13 plain.svm > a.svm
sed -n 14,30p plain.svm > b.svm
sed -n '31,$p' plain.svm > c.svm
run 0 "$DPSVM" train plain.ini --data.train=a.svm,b.svm,c.svm --output.model=abc.model -q
same plain.model abc.model
step='train from a pipe'
"$DPSVM" train plain.ini --data.train=- --output.model=pipe.model -q < plain.svm > out 2> err || fail "status $?"
same plain.model pipe.model

# A row without pairs is the zero row, in training and in prediction.
{ cat plain.svm; printf -- '-1\n1\n'; } > empty_rows.svm
run 0 "$DPSVM" train plain.ini --data.train=empty_rows.svm --output.model=e.model --output.report=e.json -q
grep -Eq '"rows":[[:space:]]*42' e.json || fail 'a label without pairs does not count as a row'

# One huge index among few rows costs no memory: only columns that occur are numbered.
awk 'NR == 5 { $0 = $0 " 2000000000:1" } { print }' plain.svm > huge.svm
step='train huge.svm in 2 GB of address space'
(
    ulimit -v 2000000
    "$DPSVM" train plain.ini --data.train=huge.svm --output.model=huge.model --run.threads=1 -q
) > out 2> err || fail "status $?"
[ "$(wc -c < huge.model)" -lt 100000 ] || fail 'huge.model is huge'

# The message is one line, however many lines are wrong, and quotes what it found.
awk 'BEGIN { for (i = 0; i < 5000; i++) print "1 x:" i }' > many.svm
refused 3 'many\.svm:1:[0-9]+.*x:' "$DPSVM" train plain.ini --data.train=many.svm --output.model=many.model -q
printf '1 1:\033[31mred\n' > escape.svm
refused 3 'escape\.svm:1:' "$DPSVM" train plain.ini --data.train=escape.svm --output.model=many.model -q
[ "$(tr -d '\n\t\040-\377' < err | wc -c)" -eq 0 ] || fail 'control characters of the data reach the terminal'

finish
