#!/bin/sh
# tune.ini of `dpsvm tune` trains the model that tune trained, byte for byte, over random configurations (fixed seeds):
# kernels, maps, losses, solvers, weights and scalings as models/draw_config.c draws them, and on top of them what only
# a search or held-out rows make count.
. "$SOURCE/tests/cli/check.sh"

# draw COUNT: a number from 0 to COUNT - 1, the next of this seed.
draw() {
    state=$(((state * 16807) % 2147483647))
    drawn=$((state / 64 % $1))
}

# Options of held-out rows and searches, for the INI at hand.
extras() {
    state=$((seed * 7919 + 1))
    draw 3; case $drawn in 0) echo '[tune]'; draw 4; echo "folds = $((drawn + 2))" ;; 1) echo '[tune]'; echo 'holdout = 0.3' ;; esac
    draw 3; case $drawn in 0) echo '[tune]'; echo "solver.C = 0.01, 1, 30" ;;
    1) echo '[tune]'; echo 'solver.bias = 0.5, 2'; echo 'solver.C = 0.5' ;;
    2) echo '[tune]'; echo 'solver.tolerance = 1e-2, 1e-4' ;; esac
    draw 2; [ $drawn -eq 1 ] || { echo '[tune]'; echo 'choice = best'; }
    grep -q '^task' config.ini || {
        draw 2; [ $drawn -eq 1 ] && ! grep -q '^loss = logistic' config.ini && {
            echo '[solver]'; echo 'probability = on'
            draw 2; [ $drawn -eq 1 ] && echo 'calibration = isotonic'; }
        draw 2; [ $drawn -eq 1 ] && { echo '[tune]'; echo 'metric = f1'; }
    }
    draw 3; [ $drawn -eq 1 ] && { echo '[data]'; echo 'validation = 0.25'; }
    draw 4; [ $drawn -eq 1 ] && { echo '[data]'; echo 'validation = rows.svm'; }
    grep -q '^type = sgd' config.ini && { draw 2; [ $drawn -eq 1 ] && { echo '[solver]'; echo 'early_stopping = 2'; }; }
    grep -q '^shards' config.ini || { draw 2; [ $drawn -eq 1 ] && { echo '[run]'; echo 'shards = 4'; }; }
    draw 3; [ $drawn -eq 1 ] && { echo '[data]'; echo 'zero_based = on'; }
    draw 3; [ $drawn -eq 1 ] && { echo '[run]'; echo 'memory = 200M'; }
    return 0
}

goal=24
[ "${DPSVM_LONG:-0}" = 0 ] || goal=200
compared=0
refused=0
seed=0
while [ "$compared" -lt $goal ] && [ $seed -lt $((3 * goal)) ]; do
    seed=$((seed + 1))
    step="seed $seed"
    rm -rf work
    mkdir work work/elsewhere
    (cd work && "$CHECK_MODELS" draw $((seed + 5000)))
    grep -Eq '^features = [0-9]{5}' work/config.ini && continue # too long for a search
    (cd work && extras >> config.ini)
    # one config in three is left in another folder, whose paths are relative to it
    place=best.ini
    [ $((seed % 3)) -ne 0 ] || place=work/elsewhere/best.ini
    "$DPSVM" tune work/config.ini -q --tune.ini=$place --tune.table=work/t.csv --tune.journal=work/t.journal > out 2> err
    status=$?
    if [ $status -eq 2 ] || [ $status -eq 3 ]; then
        refused=$((refused + 1))
        continue
    fi
    [ $status -eq 0 ] || { fail "tune ends with $status"; cat work/config.ini >&2; continue; }
    compared=$((compared + 1))
    run 0 "$DPSVM" train $place -q --output.model=again.model
    same work/trained.model again.model
    cmp -s work/trained.model again.model || cat work/config.ini $place >&2
done
step=''
[ "$compared" -eq $goal ] || fail "only $compared configurations were compared, $refused were refused"
finish
