#!/bin/sh
# ./dev.sh experiments --quick (tests/experiments/run.py): without DPSVM_DATA the steps that need none, and what was left
# out; a second run measures nothing again; Table 1 on made rows in the form of Spambase. And data/get.sh.
. "$SOURCE/tests/cli/check.sh"
unset DPSVM_DATA
experiments="python3 -B $SOURCE/tests/experiments/run.py --dpsvm $DPSVM --quick"

run 0 $experiments --work work
grep -q 'left out: Table 1, nursery: DPSVM_DATA is not set' out || fail "does not say what it left out"
for heading in 'Figure 1' Compositional Theorems 'Left out of this run'; do
    grep -q "^## $heading" work/paper.md || fail "no section $heading"
done
[ "$(grep -c '^!\[' work/paper.md)" -eq 4 ] || fail "not four figures"
for figure in $(sed -n 's/^!\[.*](\(.*\))$/\1/p' work/paper.md); do
    python3 -c "import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])" "work/$figure" 2> err || fail "$figure is not well-formed"
done

# The estimates are unbiased: 12 kernels, 78 pairs each, 20,000 features. For normal means a deviation of 5 standard errors in one
# pair of all has a chance below 1 in 1800; the seeds are fixed.
awk -F, '$1 == "bias" { kernels++; if ($6 > 5 || $6 < -5) print $2, $3, $6 } END { if (kernels != 12) print kernels, "kernels" }' \
    work/compositional.csv > biased
[ ! -s biased ] || fail "biased: $(cat biased)"
# The error falls as D^-1/2: 100 times the features, a fifth of the error at most (H0/1, exponential).
awk -F, '$1 == "exponential" && $3 == "H0/1" { error[$2, $4] = $6 } END { for (d = 10; d <= 50; d += 40)
    if (!(error[d, 1000] < error[d, 10] / 5)) print d }' work/figure1.csv > slow
[ ! -s slow ] || fail "the error does not fall at d = $(cat slow)"
# No theorem is broken, and theorem 12 asks for more than what suffices.
awk -F'|' '/^\| 1[26] / { lines++; if ($8 + 0 < 1) print } END { if (lines < 8) print lines, "lines" }' work/paper.md > broken
[ ! -s broken ] || fail "a theorem is broken: $(cat broken)"

# Nothing is measured again.
cp work/figure1.csv work/compositional.csv work/theorems.csv .
run 0 $experiments --work work
! grep -v -e '^left out: ' -e 'paper.md$' out > again || fail "a second run measured again: $(head -n 3 again)"
for file in *.csv; do
    cmp -s "$file" "work/$file" || fail "a second run changed $file"
done

# Out of time: status 3, and the next run ends it.
run 3 $experiments --work pieces --seconds 0 theorems
run 0 $experiments --work pieces theorems
cmp -s theorems.csv pieces/theorems.csv || fail "theorems.csv differs from that of one run"
run 2 $experiments --work work kitchen
says 'unknown step kitchen'

# Table 1 on 300 made rows whose label a kernel finds and a line does not.
mkdir data
python3 -B - << 'PYTHON'
import lzma
import random

draw = random.Random(1)
with lzma.open("data/spambase.csv.xz", "wt", encoding="ascii") as file:
    for _ in range(300):
        row = [draw.choice((0.0, 1.0)) + draw.uniform(0, 0.2) for _ in range(2)] + [0.0] * 55
        file.write(",".join([*map(str, row), str(int((row[0] > 0.5) != (row[1] > 0.5)))]) + "\n")
PYTHON
run 0 env DPSVM_DATA="$PWD/data" $experiments --work table --sets spambase table1 bars
awk -F, '$1 == "spambase" && $4 == "refined" && $5 > 95 { kernel = 1 } $1 == "spambase" && $4 == "linear" && $5 < 75 { line = 1 }
    END { exit !(kernel && line) }' table/table1.csv || fail "accuracies of Table 1: $(cat table/table1.csv)"
grep -q '^| spambase | two lines, dpsvm | ' table/paper.md || fail "no row of the default"
for contender in svm-train liblinear-train xgboost; do
    command -v $contender > /dev/null || grep -q "left out: Table 1, .*no $contender" out || fail "does not say that $contender is missing"
done
run 0 env DPSVM_DATA="$PWD/data" $experiments --work table --sets nursery table1
grep -q 'left out: Table 1, nursery: no nursery.csv.xz in DPSVM_DATA' out || fail "does not name the file that lacks"

# data/get.sh: a right file, a wrong one, the rest missing.
mkdir mirror
printf 'wrong\n' > mirror/a9a
run 1 sh "$SOURCE/data/get.sh" mirror got
grep -q '^a9a: differs (SHA-256); original: https://' out || fail "a wrong file is not named"
grep -q '^nursery.csv: missing; original: https://archive.ics.uci.edu' out || fail "a missing file is not named"
[ -z "$(ls got)" ] || fail "a wrong file was taken: $(ls got)"
cp "$SOURCE/data/get.sh" mirror/get.sh
printf '%s a9a https://example.org\n' "$(sha256sum mirror/a9a | cut -d ' ' -f 1)" > mirror/sources.txt
run 0 sh mirror/get.sh mirror got
[ "$(xz -dc got/a9a.xz)" = wrong ] || fail "a right file was not taken"
run 2 sh "$SOURCE/data/get.sh"
finish
