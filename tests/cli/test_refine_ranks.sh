#!/bin/sh
# map.refine under mpirun: every rank moves the map by the same sample, so that the model has the bytes of one process,
# also after the ranks were stopped in the midst of it.
. "$SOURCE/tests/cli/check.sh"
. "$SOURCE/tests/cli/ranks.sh"

awk '{ split($2, a, ":"); split($3, b, ":"); for (k = 0; k < 11; k++) { y = (NR + k) % 23 ? $1 : -$1
    printf "%+d 1:%.4f 2:%.4f 3:%.3f\n", y, a[2] + 0.02 * sin(NR * k), b[2] + 0.02 * cos(NR * k), (NR + k) % 13 / 13 } }' \
    "$SOURCE/data/spirals.train" > long.svm
awk '{ $1 = NR % 3 + (NR % 3 && $1 > 0); print }' long.svm > three.svm
awk '{ split($2, a, ":"); split($3, b, ":"); $1 = a[2] * b[2]; print }' long.svm > number.svm
state=state.ckpt

# alike COUNT WORDS...: the model of COUNT ranks and of one process.
alike() {
    count=$1
    shift
    run 0 "$DPSVM" train "$@" --output.model=whole -q
    ranks 0 "$count" train "$@" --output.model=several
    once '^refine: '
    same whole several
}
alike 2 long.svm --map.type=fourier --map.features=40 --map.refine=projections --map.refine_steps=8
alike 3 three.svm --kernel.type=polynomial --kernel.degree=4 --map.features=30 --map.refine=metric --map.refine_steps=5
alike 4 long.svm --map.type=compositional --kernel.type=exponential --map.features=30 --map.refine=projections \
    --map.refine_steps=5 --map.refine_rows=3000 --solver.loss=logistic
alike 2 number.svm --map.type=fourier --map.features=20 --map.refine=projections --map.refine_steps=5 \
    --solver.task=regression --map.refine_holdout=0
alike 4 long.svm --map.type=fourier --map.features=20 --map.refine=metric --map.refine_steps=5 --run.threads=1 \
    --solver.class_weight=balanced

# stopped by ranks, gone on with by more of them, then by one process
set -- long.svm --map.type=fourier --map.features=40 --map.refine=projections --map.refine_steps=8 --output.model=now
run 0 "$DPSVM" train "$@" -q
mv now whole
ranks 75 2 train "$@" --run.checkpoint=$state --run.time_limit=0.001
says 'run.time_limit is reached after iteration 1 of refine'
ranks 75 3 train "$@" --run.checkpoint=$state --run.time_limit=0.001
once 'resuming refine after iteration 1 from'
run 0 "$DPSVM" train "$@" --run.checkpoint=$state
says 'resuming refine after iteration 2 from'
same whole now
[ ! -e $state ] || fail 'the checkpoint is still there'

# what does not fit is refused once, by all
awk '{ y = NR % 2 ? 1 : -1; printf "%+d", y; for (j = 1; j <= 60; j++) printf " %d:%.3f", j, sin(NR * j) + (j == 1) * y; print "" }' \
    long.svm | head -6000 > dense.svm
ranks 1 2 train dense.svm --map.refine=projections --map.type=fourier --map.features=400 --run.memory=16M --solver.type=dcd -q
once 'map\.refine needs .*run\.memory leaves'
finish
