#!/bin/sh
# What comes back: predictions as csv, for one class, by a threshold in probability; a coprocess that is answered row by
# row; a reader that goes away.
. "$SOURCE/tests/cli/check.sh"

awk 'BEGIN { srand(4); print "name,a,b,kind"; for (i = 0; i < 300; i++) { a = rand(); b = rand()
    printf "r%d,%.3f,%.3f,%s\n", i, a, b, (a + 0.3 * rand() > 0.6 ? "\"good, really\"" : "bad") } }' > t.csv
run 0 "$DPSVM" train t.csv --kernel.type=linear --data.id_column=name --solver.probability=on -o p.model -q
run 0 "$DPSVM" train t.csv --kernel.type=linear --data.id_column=name -o s.model -q

# csv: a header, quoted where it must be; what it holds is what the text forms hold.
run 0 "$DPSVM" predict p.model t.csv --format csv -q
[ "$(head -1 out)" = 'id,label,probability_bad,"probability_good, really"' ] || fail "header: $(head -1 out)"
lines 301 out
sed 1d out > body
grep -q '^r7,' body || fail 'no id'
run 0 "$DPSVM" predict p.model t.csv --proba -q
sed 's/^[^\t]*\t//; s/ /,/' out > chances
sed 's/^[^,]*,\("[^"]*"\|[^,]*\),//' body > figures
same chances figures
run 0 "$DPSVM" predict s.model t.csv --format csv -q
[ "$(head -1 out)" = 'id,label,score_bad,"score_good, really"' ] || fail "header: $(head -1 out)"
run 0 "$DPSVM" predict p.model t.csv --format csv --scores -q
head -1 out | grep -q 'score_bad' || fail 'no scores where they were asked for'
refused 2 'expected text or csv' "$DPSVM" predict p.model t.csv --format json -q

# One class, and a threshold in probability.
run 0 "$DPSVM" predict p.model t.csv --proba --positive bad -q
sed 's/^[^\t]*\t//' out > one
cut -d, -f1 figures > first
same one first
run 0 "$DPSVM" predict p.model t.csv --format csv --proba --positive bad --threshold 0.9 -q
awk -F, 'NR > 1 { n++; p = $NF; bad = /,bad,/; if (bad != (p > 0.9)) wrong++ } END { exit !(n == 300 && !wrong) }' out ||
    fail 'the threshold is not one of the probability'
refused 2 'no such class.*bad' "$DPSVM" predict p.model t.csv --positive worse -q
refused 2 'no probabilities' "$DPSVM" predict s.model t.csv --proba --threshold 0.5 -q
# The same label by its score: predicted where it is above.
run 0 "$DPSVM" predict s.model t.csv --positive bad --threshold 0.2 -q
cut -f2 out > labels
run 0 "$DPSVM" predict s.model t.csv --scores --positive bad -q
cut -f2 out | awk '{ print ($1 > 0.2) ? "bad" : "good, really" }' > wanted
same labels wanted

# A coprocess: the answer to a row is there before the next row is asked.
rows 9 60 3 > train.svm
run 0 "$DPSVM" train train.svm --map.features=20 -o m.model -q
{ echo 1:0.5; head -n 11 train.svm; } > asked.svm # a first row too short to tell packed bytes
run 0 "$DPSVM" predict m.model asked.svm -q
cp out all
step='predict --flush'
mkfifo ask answer
"$DPSVM" predict m.model - --flush -q < ask > answer 2> err &
reader=$!
exec 7> ask 8< answer
n=0
while read -r row && [ $n -lt 12 ]; do
    printf '%s\n' "$row" >&7
    label=''
    # a line within a few seconds, or the program waits for more rows
    if command -v timeout > /dev/null; then
        label=$(timeout 20 head -n 1 <&8) || label=''
    else
        read -r label <&8
    fi
    n=$((n + 1))
    [ "$label" = "$(sed -n ${n}p all)" ] || { fail "row $n was answered by '$label'"; break; }
done < asked.svm
exec 7>&- 8<&-
wait $reader
[ "$n" -eq 12 ] || fail 'not every row was answered'

# A threshold chosen by a metric on labelled rows: none of several others is better, and evaluate with it says the same.
awk 'BEGIN { srand(8); for (i = 0; i < 400; i++) { a = rand(); print (a + rand() > 1.5 ? 1 : -1) " 1:" a " 2:" rand() } }' > rare.svm
run 0 "$DPSVM" train rare.svm --kernel.type=linear --solver.probability=on -o rare.model -q
f1() { sed -n 's/^1  *[0-9]*  *[0-9.]*  *[0-9.]*  *\([0-9.]*\)$/\1/p' out; }
run 0 "$DPSVM" evaluate rare.model rare.svm --threshold f1 -q
best=$(f1)
cut=$(sed -n 's/^threshold: \([-0-9.e]*\) for 1.*in probability 0\.[0-9]*$/\1/p' out)
[ -n "$cut" ] || fail 'no threshold was told'
run 0 "$DPSVM" evaluate rare.model rare.svm --threshold "$cut" -q
[ "$(f1)" = "$best" ] || fail "F1 $(f1) by the threshold that gave $best"
for other in -1 -0.8 -0.6 -0.4 -0.2 0 0.2; do
    run 0 "$DPSVM" evaluate rare.model rare.svm --threshold $other -q
    awk -v a="$(f1)" -v b="$best" 'BEGIN { exit !(a + 0 <= b + 0) }' || fail "$other is better than the threshold chosen"
done
refused 2 'accuracy, f1 or balanced' "$DPSVM" evaluate rare.model rare.svm --threshold recall -q

# Pictures: what they hold, and that they are well-formed.
picture() {
    [ "$(head -c 4 "$1")" = '<svg' ] && tail -1 "$1" | grep -q '</svg>' || fail "$1 is no picture"
    if command -v python3 > /dev/null; then
        python3 -c "import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])" "$1" 2> err || fail "$1 is not well-formed"
    fi
    shift
    for word in "$@"; do grep -q "$word" seen.svg || fail "no $word in the picture"; done
}
run 0 "$DPSVM" evaluate rare.model rare.svm --plot seen.svg -q
picture seen.svg ROC precision calibration confusion
awk 'BEGIN { srand(3); for (i = 0; i < 90; i++) print "<" i % 3 "> 1:" i % 3 + rand() " 2:" rand() }' > three.svm
run 0 "$DPSVM" train three.svm --kernel.type=linear -o three.model -q
run 0 "$DPSVM" evaluate three.model three.svm --plot seen.svg -q
picture seen.svg confusion '&lt;1&gt;'
refused 2 'two classes' "$DPSVM" evaluate three.model three.svm --threshold f1 -q
run 0 "$DPSVM" tune rare.svm --tune.solver.C=0.1,1,10 --tune.map.features=10,20 --plot seen.svg -q -o x.model
picture seen.svg 'solver\.C' 'map\.features'
[ "$(grep -c '<rect' seen.svg)" -eq 7 ] || fail 'not a square a setting'
run 0 "$DPSVM" tune rare.svm --kernel.type=linear --tune.solver.C=0.1,1,10 --plot seen.svg -q -o x.model --tune.journal=j2
picture seen.svg 'solver\.C'
[ "$(grep -c '<circle' seen.svg)" -eq 3 ] || fail 'not a dot a setting'
refused 2 'output\.plot: .*two values' "$DPSVM" tune rare.svm --kernel.type=linear --plot seen.svg -q
refused 2 'evaluate does' "$DPSVM" predict rare.model rare.svm --output.plot=seen.svg -q

# What a model reads of a table: columns, code book, fills.
awk 'BEGIN { srand(2); print "town,age,kind"; for (i = 0; i < 60; i++)
    print (i % 3 == 0 ? "Ulm" : i % 3 == 1 ? "Bonn" : "Kiel") "," (i % 10 ? 20 + i % 7 : "") "," i % 2 }' > own.csv
run 0 "$DPSVM" train own.csv --data.label_column=kind --data.missing=mean --kernel.type=linear -o own.model -q
run 0 "$DPSVM" info own.model
grep -Eq '^column 1 +town: onehot of Bonn, Kiel, Ulm' out || fail 'no code book'
grep -Eq '^column 2 +age: number, missing values are 2[0-9]' out || fail 'no fill'
grep -Eq '^column 3 +kind: label' out || fail 'no label'
run 0 "$DPSVM" info own.model --json
for word in '"values":' '"Kiel"' '"fill":' '"role":'; do
    grep -q "$word" out || fail "no $word in the JSON"
done

# What a column is worth to a model that is not linear: those that the class is made of, and not the others; the figures
# are the same on any number of threads.
awk 'BEGIN { srand(12); print "a,b,town,noise,class"; for (i = 0; i < 900; i++) { a = rand() - 0.5; b = rand() - 0.5
    t = int(3 * rand()); print a "," b "," (t == 0 ? "Ulm" : t == 1 ? "Bonn" : "Kiel") "," rand() "," (a * b > 0 || t == 0 ? "in" : "out") } }' > parts.csv
run 0 "$DPSVM" train parts.csv --data.label_column=class --kernel.type=rbf --map.features=300 --solver.C=10 -o parts.model -q
run 0 "$DPSVM" evaluate parts.model parts.csv --importance --report parts.json -q
drop() { awk -v c="$1" '/^importance/ { on = 1 } on && $1 == c { print $2, $4 }' out; }
for column in a b town; do
    # shellcheck disable=SC2046  # words
    set -- $(drop $column)
    awk -v d="${1:-0}" -v e="${2:-1}" 'BEGIN { exit !(d > 0.1 && d > 4 * e && e > 0) }' || fail "$column: $*"
done
# shellcheck disable=SC2046  # words
set -- $(drop noise)
awk -v d="${1:-1}" -v e="${2:-0}" 'BEGIN { exit !(d < 0.05) }' || fail "noise: $*"
[ "$(sed -n '/^importance/,$p' out | wc -l)" -eq 5 ] || fail 'not a line a column'
grep -q '"importance"' parts.json || fail 'not in the report'
cp out two
run 0 "$DPSVM" evaluate parts.model parts.csv --importance --run.threads=1 -q
same two out
refused 2 'info --weights' "$DPSVM" evaluate rare.model rare.svm --importance -q
refused 2 'name a file' "$DPSVM" evaluate parts.model - --importance -q
awk 'BEGIN { srand(5); for (i = 0; i < 300; i++) { x = rand() - 0.5; print 10 * x * x " 1:" x " 2:" rand() } }' > square.svm
run 0 "$DPSVM" train square.svm --solver.task=regression --kernel.type=polynomial --kernel.degree=2 -o square.model -q
run 0 "$DPSVM" evaluate square.model square.svm --importance -q
grep -q '^importance (rise of RMSE' out || fail 'regression has no importance'
awk '/^feature 1 / { a = $3 } /^feature 2 / { b = $3 } END { exit !(a > 10 * b) }' out || fail 'feature 1 is not what the square is made of'

# A picture replaces neither rows nor a model nor another output.
cp rare.svm rows.svg
cp rare.model model.svg
refused 2 'plot' "$DPSVM" evaluate rare.model rows.svg --plot rows.svg -q
refused 2 'plot' "$DPSVM" evaluate model.svg rare.svm --plot model.svg -q
refused 2 'plot' "$DPSVM" evaluate rare.model rare.svm --plot a.svg --report a.svg -q
refused 2 'plot' "$DPSVM" tune rows.svg --tune.solver.C=1,2 --plot rows.svg -q -o x.model
refused 2 'plot' "$DPSVM" tune rare.svm --tune.solver.C=1,2 --plot x.svg -q -o x.svg
same rows.svg rare.svm
same model.svg rare.model

# One cut for all of an evaluation: a threshold moves what columns are worth; it is in the report, chosen or given.
figures() { sed -n 's/^accuracy: \([0-9.]*\) %.*/\1/p; s/^importance.*/importance/p; s/^[a-z].* \([0-9.-]*\) +- .*/\1/p' out; }
run 0 "$DPSVM" train parts.csv --data.label_column=last --kernel.type=rbf --solver.probability=on --solver.calibration=isotonic -o iso.model -q
run 0 "$DPSVM" evaluate iso.model parts.csv --importance -q
figures > usual
run 0 "$DPSVM" evaluate iso.model parts.csv --importance --threshold 0.9 --proba --report cut.json -q
figures > moved
cmp -s usual moved && fail 'importance ignores the threshold'
grep -q '"threshold_probability":.*0.9' cut.json || fail 'a threshold that was given is not in the report'
for metric in accuracy f1 balanced; do # what is named gives the figures back
    run 0 "$DPSVM" evaluate iso.model parts.csv --threshold $metric -q
    grep -v '^threshold' out > wanted
    cut=$(sed -n 's/^threshold: \([-0-9.e]*\) .*/\1/p' out)
    chance=$(sed -n 's/.*in probability \([0-9.e-]*\)$/\1/p' out)
    run 0 "$DPSVM" evaluate iso.model parts.csv --threshold "$cut" -q
    grep -v '^threshold' out > found
    same found wanted
    if [ -n "$chance" ]; then
        run 0 "$DPSVM" evaluate iso.model parts.csv --proba --threshold "$chance" -q
        grep -v '^threshold' out > found
        same found wanted
    fi
done
grep '^-1' rare.svm > alone.svm
refused 3 'no row is of the positive class' "$DPSVM" evaluate rare.model alone.svm --threshold f1 -q
run 0 "$DPSVM" evaluate rare.model alone.svm --plot alone.svg -q
grep -q nan alone.svg && fail 'a picture of one class says nan'
refused 2 '0 to 1' "$DPSVM" predict rare.model rare.svm --proba --threshold 7 -q
refused 2 'give one' "$DPSVM" info rare.model --json --verify -q

# What a model cannot give is said before its rows are read.
refused 2 'info --weights' "$DPSVM" evaluate rare.model alone.svm --importance -q
[ ! -s out ] || fail 'figures before the refusal'

# A picture of numbers: a dot a row, predicted against true on one scale, whose diagonal is drawn, and residuals against
# predicted; of many rows evenly spaced ones; no nan of one row.
run 0 "$DPSVM" predict square.model square.svm -q
awk 'NR == FNR { y[FNR] = $1; next } { print y[FNR], $1 }' square.svm out > pairs
run 0 "$DPSVM" evaluate square.model square.svm --plot seen.svg -q
picture seen.svg 'predicted: R2 0\.9' 'residual.*RMSE 0\.1'
sed -n 's/^<circle cx="\([-0-9.]*\)" cy="\([-0-9.]*\)" r="2".*/\1 \2/p' seen.svg > dots
lines 600 dots
sed -n 's/^<path d="M\([0-9.]*\),\([0-9.]*\) L\([0-9.]*\),\([0-9.]*\)".*/\1 \2 \3 \4/p' seen.svg > ends
awk 'function off(a, b) { d = a - b; return d < 0 ? -d : d }
    FILENAME == "pairs" { y[FNR] = $1; p[FNR] = $2; if (FNR == 1 || $1 < y[lo]) lo = FNR; if (FNR == 1 || $1 > y[hi]) hi = FNR; next }
    FILENAME == "ends" { x0[FNR] = $1; y0[FNR] = $2; x1[FNR] = $3; y1[FNR] = $4; next }
    { cx[FNR] = $1; cy[FNR] = $2 }
    END { s = (cx[hi] - cx[lo]) / (y[hi] - y[lo]); low = y[lo] - (cx[lo] - x0[1]) / s # value at the left corner
        for (i = 1; i <= 300; i++) {
            if (off(cx[i], x0[1] + s * (y[i] - low)) > 0.3 || off(cy[i], y0[1] - s * (p[i] - low)) > 0.3) wrong++
            r = 300 + i; e[i] = y[i] - p[i]; if (off(y0[2], cy[r]) > 20) { up = (y0[2] - cy[r]) / e[i] } }
        for (i = 1; i <= 300; i++) if (off(y0[2] - cy[300 + i], up * e[i]) > 0.5) wrong++
        exit !(!wrong && s > 0 && up > 0 && off(x1[1] - x0[1], y0[1] - y1[1]) < 0.2 && off(y0[2], y1[2]) < 0.2) }' pairs ends dots ||
    fail 'dots and lines are not where the numbers are'
awk '{ for (k = 0; k < 13; k++) print }' square.svm > many.svm
run 0 "$DPSVM" evaluate square.model many.svm --plot seen.svg -q
picture seen.svg '3000 of 3900 rows'
[ "$(grep -c '<circle.* r="2"/' seen.svg)" -eq 6000 ] || fail 'not a dot a row of 3000'
head -n 1 square.svm > single.svm
run 0 "$DPSVM" evaluate square.model single.svm --plot seen.svg -q
grep -Eq 'nan|inf' seen.svg && fail 'a picture of one row says nan'

# Flags that change nothing of what is written are told once, before the rows are read; those that do are not.
# idle WHAT COMMAND...: WHAT of the flags is told (the rows do not exist); "": none is
idle() {
    what=$1
    shift
    run 1 "$@" gone.svm
    says '^dpsvm: gone\.svm'
    if [ -n "$what" ]; then
        says "^dpsvm: warning: set without effect: $what"
    else
        ! grep -q 'without effect' err || fail 'a flag in use is told as one without effect'
    fi
}
idle '--threshold \(--scores' "$DPSVM" predict rare.model --scores --threshold 0.3
idle '--threshold \(--proba' "$DPSVM" predict rare.model --proba --positive 1 --threshold 0.3
idle '--positive \(.*column of --scores' "$DPSVM" predict rare.model --positive 1
idle '--positive \(' "$DPSVM" predict three.model --positive '<1>'
idle '--scores \(the model predicts numbers' "$DPSVM" predict square.model --scores
idle '--flush \(x\.txt appears when it is whole' "$DPSVM" predict rare.model --flush -o x.txt
idle '--positive \(.*, --proba \(' "$DPSVM" evaluate rare.model --positive 1 --proba
idle '--proba \(' "$DPSVM" evaluate rare.model --threshold f1 --proba
mkfifo pipe.out
exec 9<> pipe.out
for used in '--positive -1 --scores' '--positive -1 --threshold 0.2' '--positive -1 --format csv' '--threshold 0.2 --format csv --scores' \
    '--proba --threshold 0.2 --format csv' '--flush' '--flush -o /dev/null' '--flush -o pipe.out'; do
    idle '' "$DPSVM" predict rare.model $used
done
exec 9>&-
idle '' "$DPSVM" evaluate rare.model --positive -1 --threshold f1
idle '' "$DPSVM" evaluate rare.model --positive -1 --proba --threshold 0.3
# Options about columns of rows that have none, as train refuses them.
for option in label_column=1 id_column=1 missing_words=x; do
    refused 2 "data\.${option%=*} = .*no columns in libsvm text" "$DPSVM" predict rare.model rare.svm --data.$option -q
done
finish
