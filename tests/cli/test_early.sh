#!/bin/sh
# What can be known before the work is said before it: options that do not go together before any rows are read, with file
# and line; test and validation files of other columns, or with a bad first row, before the training; options without
# effect once, by name. Messages name the way on.
. "$SOURCE/tests/cli/check.sh"

rows 81 200 4 > train.svm

# early PATTERN SECTION KEY=VALUE...: refused with the place in the INI, before rows are read (there are none: the data
# file does not exist).
early() {
    pattern=$1
    shift
    { printf '[data]\ntrain = missing.svm\n'; printf '%s\n' "$@"; } > early.ini
    run 2 "$DPSVM" train early.ini -q
    says "early\.ini:[0-9]+: .*$pattern"
}
early 'map\.h01 = on.*map\.base = dot' '[map]' 'type = compositional' 'h01 = on'
early 'exact_degree >= 1.*map\.base = dot' '[map]' 'type = compositional' 'exact_degree = 1'
early 'map\.orthogonal' '[map]' 'type = fourier' 'base = laplacian' 'orthogonal = on'
early 'map\.features: .*complex.*even.*11' '[map]' 'projection = complex' 'features = 11'
early 'map\.features: .*fourier.*even.*11' '[map]' 'type = fourier' 'features = 11'
early 'map\.base = dot' '[map]' 'type = fourier' 'base = dot'
early 'map\.truncate' '[map]' 'type = fourier' 'truncate = 0.1'
early 'map\.refine' '[map]' 'type = none' 'refine = metric'
early 'kernel\.coefficients' '[kernel]' 'type = maclaurin' 'coefficients = 0, 0'
early 'map\.seed: .*early' '[data]' 'validation = 0.1' '[solver]' 'type = sgd' 'early_stopping = 3' '[map]' 'seed = 1..3'

# Files that are measured at the end are looked at before the beginning.
awk -v n=300 'BEGIN { print "a,b,c,y"; for (i = 0; i < n; i++) print i % 7 "," (i * i) % 11 "," i % 5 "," (i % 2 ? "yes" : "no") }' > t.csv
printf 'a,b,y\n1,2,yes\n' > fewer.csv
printf 'a,b,c,y\n1,2,3,yes\n1,2,three,no\n' > bad.csv
for option in data.test data.validation; do
    run 3 "$DPSVM" train t.csv --data.label_column=y --$option=bad.csv -o never.model
    says '^dpsvm: bad\.csv:3'
    ! grep -Eq '^(kernel|solver|search)' err || fail 'told after the work'
    run 3 "$DPSVM" train t.csv --data.label_column=y --$option=fewer.csv -o never.model
    says '^dpsvm: fewer\.csv:1'
    [ ! -e never.model ] || fail 'a model was written'
done

# Options without effect: one warning, each by its name with the reason; none for what is at its default or in use.
run 0 "$DPSVM" train train.svm --kernel.type=linear --kernel.degree=3 --map.features=100 --map.p=3 --solver.epsilon=2 -o x.model
[ "$(grep -c 'warning: set without effect' err)" -eq 1 ] || fail 'not one warning'
for name in 'kernel\.degree \(kernel\.type = linear' 'map\.features \(map\.type = none' 'map\.p ' 'solver\.epsilon \(solver\.task'; do
    says "set without effect: .*$name"
done
run 0 "$DPSVM" train train.svm --kernel.type=rbf --kernel.sigma=2 --map.gamma=1 --map.features=20 -o x.model
says 'set without effect: kernel\.sigma \(kernel\.type = rbf\)$'
for used in --map.p=3 --kernel.degree=4 --map.features=40 --kernel.degree=10 --kernel.type=polynomial; do
    run 0 "$DPSVM" train train.svm $used -o x.model
    ! grep -q 'without effect' err || fail "a warning of $used"
done
run 0 "$DPSVM" train train.svm --solver.C=3 --tune.folds=4 -o x.model
! grep -q 'without effect' err || fail 'a warning of what the search uses'

# A model copied as text.
sed "s/\$/$(printf '\r')/" x.model > crlf.model
refused 3 'crlf\.model:1: .*CR LF.*binary' "$DPSVM" info crlf.model
# A table taken for LIBSVM text; labels that a weight could have meant; a picture of another form.
refused 3 't\.csv:1.*separated by commas is not LIBSVM text' "$DPSVM" train t.csv --data.format=libsvm -q
refused 2 'pos:4; the labels are -1, \+1' "$DPSVM" train train.svm --solver.class_weight=pos:4 -q
for ending in png pdf; do
    refused 2 "output\.plot: .*\.$ending.*\.svg" "$DPSVM" train train.svm --plot curve.$ending
done
finish
