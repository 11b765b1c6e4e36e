#!/bin/sh
# kernel.type = auto, the default: a file and nothing else.
. "$SOURCE/tests/cli/check.sh"

# circle ROWS SEED: the label is whether a point lies inside a circle; slope: on which side of a line it lies.
circle() {
    awk -v n="$1" -v seed="$2" 'BEGIN { srand(seed)
        for (i = 0; i < n; i++) { x = 2 * rand() - 1; y = 2 * rand() - 1
            label = x * x + y * y < 0.6 ? 1 : -1
            printf "%d 1:%.6f 2:%.6f\n", label, x, y } }'
}
slope() {
    awk -v n="$1" -v seed="$2" 'BEGIN { srand(seed)
        for (i = 0; i < n; i++) { x = 2 * rand() - 1; y = 2 * rand() - 1; z = rand()
            label = x + 0.5 * y + 0.1 * (rand() - 0.5) > 0 ? 1 : -1
            printf "%d 1:%.6f 2:%.6f 3:%.6f\n", label, x, y, z } }'
}
circle 400 1 > circle.svm
circle 400 2 > circle.test
slope 400 1 > line.svm
slope 400 2 > line.test

# explicit: the INI lines that the search in ./err gives, below a [data] of their own.
explicit() {
    printf '[data]\ntrain = %s\n' "$1"
    sed '1,/^to train the same model again/d; /^  /!Q; s/^  //' err | awk '
        /^\[/ { section = $0; if (section != "[data]") print; next } { print }'
}

# correct MODEL ROWS LEAST
correct() {
    run 0 "$DPSVM" predict "$1" "$2" -q
    agree "$3" out "$2"
}

# A two-line configuration: a kernel where none would fail, a line where a line is right.
printf '[data]\ntrain = circle.svm\n' > circle.ini
run 0 "$DPSVM" train circle.ini -o circle.model
says '^kernel.type = auto: searched in '
says '^ accuracy by 5-fold cross-validation on 400 of 400 rows:$'
[ "$(grep -c '  chosen$' err)" -eq 1 ] || fail 'not one chosen trial'
grep '  chosen$' err | grep -Eq '^  (polynomial|rbf|laplacian)' || fail 'a circle by a line'
explicit circle.svm > again.ini
correct circle.model circle.test 390
printf '[data]\ntrain = line.svm\n' > line.ini
run 0 "$DPSVM" train line.ini -o line.model
grep '  chosen$' err | grep -q '^  linear' || fail 'no line where a line is right'
correct line.model line.test 385

# The lines that it prints make the same model without a search, and so do other numbers of threads.
run 0 "$DPSVM" train again.ini -o again.model
grep -q 'searched' err && fail 'the printed settings are searched again'
same circle.model again.model
for threads in 1 2; do
    run 0 "$DPSVM" train circle.ini -o t.model -q --run.threads=$threads
    same circle.model t.model
done

# A column far from 0 beside one around it: standardised, and that is printed too.
awk '{ split($2, x, ":"); split($3, y, ":"); printf "%s 1:%.6f 2:%.6f\n", $1, x[2] + 5000, y[2] }' circle.svm > far.svm
run 0 "$DPSVM" train far.svm -o far.model
says '^  scaling = standard$'
explicit far.svm > far.ini
run 0 "$DPSVM" train far.ini -o again.model -q
same far.model again.model
run 0 "$DPSVM" train - -o stdin.model < circle.svm
grep -q 'standard' err && fail 'standard input cannot be read twice'

# What is set stays.
run 0 "$DPSVM" train circle.ini -o c.model --kernel.type=auto --solver.C=3 --map.features=40
grep -q '^  \(C\|features\) = ' err && fail 'a key that was set is among the chosen ones'
says '^solver: .*converged'
run 0 "$DPSVM" info c.model
grep -Eq 'C = 3(,|$| )' out || fail 'solver.C was not kept'
run 0 "$DPSVM" train far.svm -o s.model --data.scaling=max_abs
grep -q 'standard' err && fail 'data.scaling was not kept'
for given in --kernel.type=polynomial --kernel.degree=2 --map.features=40 --map.type=fourier --map.measure=coefficient --map.h01=off; do
    run 0 "$DPSVM" train circle.ini -o p.model $given
    grep -q 'searched' err && fail "a search in spite of $given"
done
run 0 "$DPSVM" train circle.ini -o p.model --kernel.degree=2
says '^kernel: polynomial'
run 0 "$DPSVM" train circle.ini -o p.model --map.type=fourier
says '^kernel: rbf'

# check tells what train will do; the report holds it.
run 0 "$DPSVM" check circle.ini
grep -q '^# kernel.type = auto: searched in' out || fail 'check does not tell of the search'
grep -q '^# to train the same model again' out || fail 'check does not tell the settings'
run 0 "$DPSVM" train circle.ini -o circle.model --report report.json -q
grep -q '"auto_search"' report.json || fail 'no search in the report'
grep -q '"solver.C"' report.json || fail 'no chosen C in the report'

# Other tasks and shapes.
run 0 "$DPSVM" train "$SOURCE/data/pinwheel.train" -o pinwheel.model
says '^ accuracy by held-out rows on 1200 of 1200 rows:$'
correct pinwheel.model "$SOURCE/data/pinwheel.test" 770
awk '{ split($2, x, ":"); split($3, y, ":"); printf "%.6f 1:%s 2:%s\n", x[2] * x[2] + y[2], x[2], y[2] }' circle.svm > numbers.svm
run 0 "$DPSVM" train numbers.svm -o numbers.model --solver.task=regression
says '^ rmse by 5-fold'
grep '  chosen$' err | grep -q '^  linear' && fail 'a square by a line'
awk 'BEGIN { srand(5); for (i = 0; i < 200; i++) { y = rand() < 0.5
    printf "%d", y ? 1 : -1; j = 0
    for (k = 0; k < 60; k++) { j += 1 + int(rand() * 300); printf " %d:1", j }
    printf " %d:1\n", (y ? 20001 : 20002) } }' > wide.svm
run 0 "$DPSVM" train wide.svm -o wide.model --run.memory=200M
says '^next: no kernel was tried: rows of [0-9]+ columns'
says '^  type = linear$'
grep -q '^  \(rbf\|laplacian\|polynomial\)' err && fail 'kernels tried on wide sparse rows'
# Words in rows of every length: counts as they are, in rows of unit norm, tell the class where columns over their largest
# value do not; the settings that are printed make the same model.
awk 'BEGIN { srand(9); for (i = 0; i < 400; i++) { y = i % 2; k = 0; split("", n)
    words = 20 + int(rand() * 400)
    for (w = 0; w < words; w++) n[1 + int(rand() < 0.5 ? 40 * rand() * rand() + 3 * y : 6000 * rand())]++
    printf "%d", y ? 1 : -1
    for (j = 1; j <= 6100; j++) if (n[j]) printf " %d:%d", j, n[j]
    printf "\n" } }' > words.svm
run 0 "$DPSVM" train words.svm -o words.model
says '^  linear, unit rows '
says '^  scaling = none$'
says '^  normalize = unit$'
explicit words.svm > words.ini
run 0 "$DPSVM" train words.ini -o again.model -q
same words.model again.model

# 120 rows that only a narrow kernel tells apart: as many features as that needs, whatever the rows are.
awk 'BEGIN { srand(3); for (i = 0; i < 520; i++) { x = 2 * rand() - 1; y = 2 * rand() - 1
    printf "%d 1:%.5f 2:%.5f\n", (int(2 * (x + 1)) + int(2 * (y + 1))) % 2 ? 1 : -1, x, y } }' > board.svm
head -120 board.svm > board.train
tail -400 board.svm > board.test
run 0 "$DPSVM" train board.train -o board.model
says '^  features = 4096$'
correct board.model board.test 310
head -60 circle.svm > sixty.svm
run 0 "$DPSVM" train sixty.svm -o sixty.model
says 'searched in '
head -40 circle.svm > few.svm
run 0 "$DPSVM" train few.svm -o few.model
says 'kernel.type = auto: 40 rows are too few'
says '^kernel: polynomial'

# tune and kernel search nothing of their own.
run 0 "$DPSVM" tune circle.ini --tune.solver.C=1,10 --tune.folds=2 -o tuned.model
grep -q 'searched' err && fail 'tune searches the kernel'
grep -q '^type = polynomial' best.ini || fail 'the config of tune does not name the kernel'

finish
