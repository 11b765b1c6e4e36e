#!/bin/sh
# dpsvm under mpirun: one program of several processes. What it writes has the bytes that one process writes; one of
# them speaks; all leave with one exit code, whoever failed.
. "$SOURCE/tests/cli/check.sh"
. "$SOURCE/tests/cli/ranks.sh"

rows 1 20000 9 > big.svm
rows 2 1500 9 > train.svm
rows 3 700 9 | sed 's/^[^ ]* //' > bare.svm
: > empty.svm
gzip -k big.svm
run 0 "$DPSVM" train train.svm --map.features=120 --output.model=m --solver.probability=on -q

# Labels, scores and probabilities; files that are empty, compressed, without labels, or a pipe.
n=1
for columns in "" --scores --proba; do
    n=$((n % 3 + 1))
    # shellcheck disable=SC2086  # a word or none
    run 0 "$DPSVM" predict m big.svm empty.svm bare.svm $columns -o one -q
    # shellcheck disable=SC2086
    ranks 0 $((n + 1)) predict m big.svm empty.svm bare.svm $columns -o several -q
    same one several
done
run 0 "$DPSVM" predict m big.svm -o one
cut -d ';' -f 2 err > one.said
ranks 0 2 predict m big.svm.gz -o several
same one several
says "$(sed 's/[()]/./g' one.said)"
head -n 400 train.svm > few.svm # mpiexec of MPICH gives up beyond what a pipe holds
run 0 "$DPSVM" predict m few.svm -o one -q
run 0 sh -c "$MPIRUN -n 2 \"$DPSVM\" predict m - -q < few.svm"
same one out

# Mapped rows, also where their number must be known first; metrics.
for format in libsvm csv npy; do
    run 0 "$DPSVM" transform m train.svm --format $format -o one -q
    ranks 0 2 transform m train.svm --format $format -o several -q
    same one several
done
run 0 "$DPSVM" evaluate m big.svm train.svm
mv out one
ranks 0 3 evaluate m big.svm train.svm
same one out
awk '{ $1 = $2; sub(/.*:/, "", $1); print }' big.svm > numbers.svm
run 0 "$DPSVM" train numbers.svm --solver.task=regression --map.features=50 --output.model=r -q
run 0 "$DPSVM" evaluate r numbers.svm --plot one.svg
mv out one
ranks 0 3 evaluate r numbers.svm --plot several.svg
same one.svg several.svg
same one out

# The first fault of the input, with its place in the whole, said once; what comes before it is written.
awk 'NR == 15000 { print "1 1:x"; next } NR == 16000 { print "1 y"; next } { print }' big.svm > bad.svm
run 3 "$DPSVM" predict m train.svm bad.svm
mv out one
grep '^dpsvm: bad' err > one.said
ranks 3 3 predict m train.svm bad.svm
same one out
grep '^dpsvm: [a-z]*\.svm' err > several.said
same one.said several.said
ranks 3 2 predict m bare.svm bad.svm -o several
[ ! -e several.new ] || fail "a file is left behind"
ranks 1 2 predict nowhere big.svm
once '^dpsvm: nowhere: cannot read the model'
ranks 2 2 predict m big.svm --data.train=x
once '^dpsvm: predict does not take'
ranks 2 2 predict m big.svm --scores --proba
once '^dpsvm: --scores and --proba'
ranks 1 2 predict m big.svm -o no/folder
once '^dpsvm: no/folder: '
ranks 1 2 predict m big.svm -o /dev/full
once 'No space left on device'

# tune: ranks share the search; the same table, choice and model, and rounds of halving too. A search that was ended by
# a signal goes on from the journals, also with another number of ranks.
cat > search.ini <<'INI'
[data]
train = train.svm
[map]
features = 60
[solver]
type = dcd
[tune]
solver.C = 0.01, 1
kernel.degree = 2, 3, 4
folds = 3
INI
for method in grid halving; do
    run 0 "$DPSVM" tune search.ini --tune.method=$method --tune.journal=j1.$method
    for file in out tune.csv best.ini model.dpsvm; do
        mv $file alone.$file
    done
    ranks 0 2 tune search.ini --tune.method=$method --tune.journal=j2.$method
    for file in out tune.csv best.ini model.dpsvm; do
        same alone.$file $file
    done
    once '^tune: .* 0 read from journals'
done
run 0 "$DPSVM" tune search.ini --tune.journal=j2.grid
says '^tune: .*, 0 computed'
ranks 1 2 tune search.ini --tune.journal=refused --data.validation=nowhere -q
once '^dpsvm: nowhere: cannot be read'
for file in refused*; do
    [ ! -e "$file" ] || fail "a refusal left $file"
done
sed 's/^solver.C.*/solver.C = 0.001, 1000/' search.ini > left_out.ini
ranks 0 2 tune left_out.ini --tune.kernel.type=polynomial,vovk_infinite --kernel.domain_scale=1 --data.normalize=none
grep -q 'left out: ' err || fail "a setting that another rank left out is not told"

# Commands that work in one process do so, and the others are silent.
run 0 "$DPSVM" version
mv out one
ranks 0 3 version
same one out
ranks 0 2 help train
[ "$(grep -c '^usage:' out)" -eq 1 ] || fail "help twice"
ranks 0 2 check train.svm
once '^note: [A-Z_]*_SIZE = 2: check works in one process'
[ "$(grep -c '^\[data\]' out)" -eq 1 ] || fail "check twice"
ranks 2 2 nonsense
once '^dpsvm: unknown command nonsense'

# Ranks that were told different things.
run 2 sh -c "$MPIRUN -n 2 sh -c '\"$DPSVM\" predict m big.svm -o out.\${OMPI_COMM_WORLD_RANK:-\$PMI_RANK}'"
once 'the command line of rank 1 is not that of rank 0'

# A rank that dies takes the others with it.
mkfifo pipe
$MPIRUN -n 3 "$DPSVM" predict m "$PWD/pipe" > out 2> err &
launcher=$!
exec 9> pipe
head -n 5000 big.svm >&9
their_ranks() {
    for process in $(pgrep -f "predict m $PWD/pipe"); do
        [ "$(cat "/proc/$process/comm" 2> comm.err)" != dpsvm ] || echo "$process"
    done
}
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    sleep 0.3
    their_ranks > running
    [ "$(wc -l < running)" -lt 3 ] || break
done
lines 3 running
kill -9 "$(tail -n 1 running)"
wait "$launcher" && fail "a launch that lost a rank ends well"
exec 9>&-
their_ranks > running
lines 0 running

# Processors and memory are shared out.
ranks 0 2 predict m train.svm -v --run.threads=1 -o several
says '^rank'
# shellcheck disable=SC2086  # words
run 0 env OMP_NUM_THREADS=2 $MPIRUN $BIND core -n 1 "$DPSVM" train train.svm --output.model=again
says 'warning: 2 threads \(OMP_NUM_THREADS\) on 1 processor '

finish
