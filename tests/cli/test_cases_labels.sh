#!/bin/sh
# Labels come back as the user wrote them; classes are ordered by number, then by text, never by appearance.
. "$SOURCE/tests/cli/check.sh"

rows 21 40 3 > train.svm
rows 22 20 3 > test.svm
cat > c.ini <<'END'
[data]
train = train.svm
[kernel]
type = linear
[output]
model = c.model
END

# labelled NEGATIVE POSITIVE: trains with these spellings and predicts into ./NEGATIVE_POSITIVE.
labelled() {
    awk -v n="$1" -v p="$2" '{ $1 = $1 < 0 ? n : p; print }' train.svm > l.svm
    run 0 "$DPSVM" train c.ini --data.train=l.svm --output.model=l.model -q
    run 0 "$DPSVM" predict l.model test.svm -q
    awk -v n="$1" -v p="$2" '$1 == n { print "-1"; next } $1 == p { print "1"; next } { print "?" }' out > "$1_$2"
    agree 20 "$1_$2" test.svm
    run 0 "$DPSVM" predict l.model test.svm --scores -q
    awk '{ print ($1 > 0) ? 1 : -1 }' out > signs
    agree 20 signs test.svm
}
labelled -1 +1
labelled 0 1
labelled 1 2
labelled 1.5 1e3
labelled ham spam
labelled 7 spam
labelled été über

# +1, 1 and 1.0 are one class; the first spelling seen is the one given back.
awk 'BEGIN { split("+1 1 1.0", s) } { if ($1 > 0) $1 = s[NR % 3 + 1]; print }' train.svm > mixed.svm
run 0 "$DPSVM" train c.ini --data.train=mixed.svm -q
run 0 "$DPSVM" predict c.model test.svm -q
[ "$(sort -u out | wc -l)" -eq 2 ] || fail 'spellings of one number are several classes'

# The order of rows does not turn the sign: the larger label is the positive one.
sed 1d train.svm > a.svm
sed -n 1p train.svm >> a.svm
run 0 "$DPSVM" train c.ini --data.train=a.svm --output.model=a.model -q
run 0 "$DPSVM" train c.ini -q
run 0 "$DPSVM" predict a.model test.svm --scores -q
cp out a.scores
run 0 "$DPSVM" predict c.model test.svm --scores -q
paste a.scores out | awk '{ d = $1 - $2; if (d * d > 1e-4 * ($1 * $1 + 1e-6)) bad++ } END { exit bad > 0 }' ||
    fail 'scores depend on the order of rows'

# Four classes with gaps between their numbers, one of them negative.
awk -v s=5 'BEGIN { split("3 7 42 -5", label); for (i = 0; i < 80; i++) {
    k = i % 4; x = (k % 2) * 2 - 1; y = int(k / 2) * 2 - 1
    s = (s * 16807) % 2147483647; x += s / 2147483647 - 0.5
    s = (s * 16807) % 2147483647; y += s / 2147483647 - 0.5
    print label[k + 1], "1:" x, "2:" y } }' > four.svm
run 0 "$DPSVM" train c.ini --data.train=four.svm --output.model=four.model -q
run 0 "$DPSVM" predict four.model four.svm -q
agree 80 out four.svm
run 0 "$DPSVM" predict four.model four.svm --scores -q
awk 'NF != 4 { bad++ } END { exit bad > 0 }' out || fail 'scores are not one column a class'
# Columns in class order -5, 3, 7, 42: the largest score is the label's.
awk 'BEGIN { split("-5 3 7 42", c) } { b = 1; for (k = 2; k <= 4; k++) if ($k > $b) b = k; print c[b] }' out > best
agree 80 best four.svm

# Numbers to be predicted are not labels.
awk 'BEGIN { for (i = 0; i < 300; i++) print i / 7, "1:" i }' > target.svm
refused 3 'target\.svm.*classes' "$DPSVM" train c.ini --data.train=target.svm --output.model=t.model -q

finish
