#!/bin/sh
# data.validation: rows held out from training, or a file of their own.
. "$SOURCE/tests/cli/check.sh"

# two classes that overlap, sorted by class, one of them rare
awk 'BEGIN { s = 5; for (i = 0; i < 400; i++) { y = i < 300 ? 0 : 1
    s = (s * 16807) % 2147483647; a = s / 2147483647; s = (s * 16807) % 2147483647
    print y "," a + y * 0.5 "," s / 2147483647 } }' > rows.csv
run 0 "$DPSVM" train rows.csv --data.validation=0.25 --output.model=held.model --report=held.json
says '^data: 300 rows, .*\(0: 225, 1: 75\)'
says '^validation accuracy: [0-9.]+ % of 100 rows'
grep -q '"validation_rows":[[:space:]]*100,' held.json || fail 'the report does not count the rows held out'
grep -q '"validation_accuracy":[[:space:]]*0\.[0-9]' held.json || fail 'the report does not hold the accuracy'
grep -q '^trained.rows = 300' held.model || fail 'rows held out are trained on'

# threads change nothing, seeds do
run 0 "$DPSVM" train rows.csv --data.validation=0.25 --output.model=threads.model --run.threads=3
same held.model threads.model
run 0 "$DPSVM" train rows.csv --data.validation=0.25 --output.model=seed.model --solver.seed=2
if cmp -s held.model seed.model; then fail 'the seed does not change the rows held out'; fi

# a file is measured as predict measures it, and changes nothing in the model
awk 'NR % 3 == 0' rows.csv > third.csv
run 0 "$DPSVM" train rows.csv --output.model=all.model
run 0 "$DPSVM" train rows.csv --data.validation=third.csv --output.model=file.model
same all.model file.model
found=$(sed -n 's/^validation accuracy: \([0-9.]*\) % of 133 rows$/\1/p' err)
run 0 "$DPSVM" predict all.model third.csv
says "accuracy $found %"
mkdir folder
cp rows.csv third.csv folder
printf '[data]\ntrain = rows.csv\nvalidation = third.csv\n[output]\nmodel = m.model\n' > folder/run.ini
run 0 "$DPSVM" train folder/run.ini
says "^validation accuracy: $found % of 133 rows"

refused 2 'data\.validation.*fraction between 0 and 1' "$DPSVM" train rows.csv --data.validation=1.5 -q
refused 2 'data\.validation.*fraction between 0 and 1' "$DPSVM" train rows.csv --data.validation=0 -q
refused 1 'none\.csv: cannot be read' "$DPSVM" train rows.csv --data.validation=none.csv -q

finish
