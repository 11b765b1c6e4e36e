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
run 0 "$DPSVM" predict m.model train.svm -q
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
done < train.svm
exec 7>&- 8<&-
wait $reader
[ "$n" -eq 12 ] || fail 'not every row was answered'
finish
