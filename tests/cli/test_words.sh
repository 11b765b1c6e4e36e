#!/bin/sh
# Words of other programs: kernels by their usual names, synonyms of options and flags of LIBSVM and LIBLINEAR, help on
# one option, and no word of the inside without its meaning.
. "$SOURCE/tests/cli/check.sh"

rows 71 120 4 > train.svm

# A kernel by its name is the map that stands for it, byte for byte.
named() {
    kernel=$1
    shift
    run 0 "$DPSVM" train train.svm --kernel.type="$kernel" -o named.model --map.features=40 --data.scaling=min_max
    says "^kernel: $canonical, K\(x, y\)"
    run 0 "$DPSVM" train train.svm --map.type=fourier "$@" -o mapped.model --map.features=40 --data.scaling=min_max
    same named.model mapped.model
}
canonical=rbf
named rbf
named gaussian
named RBF
for canonical in laplacian intersection chi2; do
    named $canonical --map.base=$canonical
done
run 0 "$DPSVM" train train.svm --kernel.type=rbf --kernel.gamma=0.5 -o named.model -q
run 0 "$DPSVM" train train.svm --map.type=fourier --map.gamma=0.5 -o mapped.model -q
same named.model mapped.model
run 0 "$DPSVM" train train.svm --kernel.type=poly --map.features=20 -o named.model
says 'kernel\.type = polynomial'
refused 2 'kernel\.type=sigmoid: .*negative eigenvalues.*rbf' "$DPSVM" train train.svm --kernel.type=sigmoid
printf '[data]\ntrain = train.svm\n[kernel]\ntype = rbf\n[map]\ntype = maclaurin\n' > two.ini
refused 2 'two\.ini:6: map\.type: .*rbf.*fourier' "$DPSVM" train two.ini -q
refused 2 'map\.base: laplacian .*rbf' "$DPSVM" train train.svm --kernel.type=rbf --map.base=laplacian -q
refused 2 'kernel\.gamma: .*map\.gamma' "$DPSVM" train train.svm --kernel.type=rbf --kernel.gamma=1 --map.gamma=2 -q

# leads WORD OPTION: as a key of an INI, as --WORD, and to help.
leads() {
    printf '[data]\ntrain = train.svm\n[solver]\n%s = 5\n' "$1" > word.ini
    refused 2 "word\.ini:4: unknown key '$1' in \[solver\].*$2" "$DPSVM" train word.ini
    refused 2 "unknown flag --$1.*$2" "$DPSVM" train train.svm "--$1=5"
    run 0 "$DPSVM" help "$1"
    grep -q "$2" out || fail "help $1 does not name $2"
}
leads D map.features
leads tol solver.tolerance
leads epochs solver.max_iterations
leads max_iter solver.max_iterations
leads n_components map.features
leads label data.label_column
leads n_jobs run.threads
leads eta solver.type
leads lambda solver.C
refused 2 'n-jobs.*run\.threads' "$DPSVM" train train.svm --n-jobs=2
for pair in -c:solver.C -s:solver.task -s:solver.loss -t:kernel.type -g:kernel.gamma -v:tune.folds -w1:solver.class_weight; do
    refused 2 "unknown flag ${pair%%:*}.*${pair#*:}" "$DPSVM" train train.svm "${pair%%:*}" 5
done
refused 2 'dpsvm tune FILE --tune\.folds' "$DPSVM" train -v 5 train.svm
run 0 "$DPSVM" train train.svm -v --map.features=20

# Every option that the list names exists.
"$DPSVM" help options > options
sed -n 's/^WORD([A-Za-z]*, "[^"]*", "\([a-z]*\)\.\([A-Za-z_]*\)".*/\1 \2/p' "$SOURCE/src/config/peer_words.def" | sort -u > named
[ "$(wc -l < named)" -gt 15 ] || fail 'the list of words was not read'
while read -r section key; do
    awk -v s="## [$section]" -v k="| \`$key\`" '/^## / { inside = $0 == s } inside && index($0, k) == 1 { found = 1 }
        END { exit !found }' options || fail "no option $section.$key"
done < named
run 0 "$DPSVM" help words
same out "$SOURCE/docs/words.md"

# Help on an option, a section, a key alone; none of it wider than 80 columns.
for topic in solver.C C data '[kernel]' '[tune]' kernel.type map.seed tol; do
    run 0 "$DPSVM" help "$topic"
    [ -s out ] || fail "no help on $topic"
    [ "$(awk '{ if (length > n) n = length } END { print n }' out)" -le 80 ] || fail "help $topic is wider than 80 columns"
done
run 0 "$DPSVM" help solver.C
grep -q '^solver\.C = 1' out || fail 'no default'
grep -q 'LIBSVM -c' out || fail 'no word of LIBSVM'
run 0 "$DPSVM" help data
[ "$(grep -c '^data\.' out)" -gt 15 ] || fail 'not the whole section'
refused 2 'did you mean solver\.C' "$DPSVM" help solvr.C

# No word of the inside: a target that the arithmetic does not reach.
run 0 "$DPSVM" train train.svm --map.features=20 --solver.tolerance=1e-300 --solver.type=newton -o floor.model
if grep -q 'ended without reaching' err; then
    says 'rounding'
    ! grep -q 'numerical_floor' err || fail 'a word of the inside'
    run 0 "$DPSVM" info floor.model
    ! grep -q 'numerical_floor' out || fail 'a word of the inside'
fi
# Help on a flag of another program, on a value, and on what is none.
run 0 "$DPSVM" help -c
grep -q 'solver\.C' out || fail 'no help on -c'
run 0 "$DPSVM" help --gamma
grep -q '^kernel\.gamma' out || fail 'no help on --gamma'
for value in rbf poly laplacian; do
    run 0 "$DPSVM" help $value
    grep -q 'is a value of kernel\.type' out || fail "no help on $value"
done
run 2 "$DPSVM" help solver.D
says 'did you mean solver\.[A-Z]\?; expected'
finish
