#!/bin/sh
# A budget of time: run.time_limit without a checkpoint ends the automatic search, or tune, after a finished trial; what
# was chosen so far is printed and in the report as an INI, trains the same model, and what was not tried is told.
. "$SOURCE/tests/cli/check.sh"

awk 'BEGIN { srand(6); for (i = 0; i < 3000; i++) { a = rand() - 0.5; b = rand() - 0.5
    printf "%d 1:%.4f 2:%.4f 3:%.4f\n", (a * b > 0 ? 1 : -1), a, b, rand() } }' > xor.svm

run 0 "$DPSVM" train xor.svm -o cut.model --run.time_limit=0.0001 --report cut.json
says 'warning: run\.time_limit ended the search after 1 trials; not tried: .*rbf.*laplacian'
says '^solver: .*converged'
{ printf '[data]\ntrain = xor.svm\n'; sed -n '/^to train the same model again/,/^[^ t]/s/^  //p' err; } > cut.ini
run 0 "$DPSVM" train cut.ini -o again.model -q
same cut.model again.model
grep -q '"ended_by_time_limit":[[:space:]]*true' cut.json || fail 'the report does not say that the search was ended'
grep -q '"not_tried":[[:space:]]*".*rbf' cut.json || fail 'the report does not say what was not tried'
sed -n 's/^.*"ini":[[:space:]]*"\(.*\)",*$/\1/p' cut.json | sed 's/\\n/\n/g' > told.ini
{ printf '[data]\ntrain = xor.svm\n'; cat told.ini; } > cut.ini
run 0 "$DPSVM" train cut.ini -o again.model -q
same cut.model again.model

# Time enough: as without a limit.
run 0 "$DPSVM" train xor.svm -o free.model -q
run 0 "$DPSVM" train xor.svm -o rich.model --run.time_limit=3600
same free.model rich.model
! grep -q 'ended the search' err || fail 'a search that was not ended'

# tune: the settings that were measured, an INI of the best, no model; the same command goes on.
search='--tune.solver.C=1 --tune.map.features=20,40,60,80 --tune.folds=3 --tune.choice=best'
run 0 "$DPSVM" tune xor.svm $search -o tuned.model --run.time_limit=0.0001 --report tune.json
says 'run\.time_limit ended the search: 9 of 12 paths'
[ ! -e tuned.model ] || fail 'a model of a search that was not ended'
grep -q '^features = 20$' best.ini || fail 'the INI is not that of the setting measured'
grep -q '"units_not_tried":[[:space:]]*9' tune.json || fail 'the report does not say what was not tried'
run 0 "$DPSVM" train best.ini -o best.model -q
run 0 "$DPSVM" tune xor.svm $search -o tuned.model --run.time_limit=3600
says '3 read from journals, 9 computed'
[ -e tuned.model ] || fail 'no model of the whole search'

# Without a search a run that ends early must be saved.
refused 2 'run\.time_limit.*run\.checkpoint' "$DPSVM" train xor.svm --kernel.type=rbf --run.time_limit=5 -q
finish
