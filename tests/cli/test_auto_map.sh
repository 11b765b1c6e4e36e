#!/bin/sh
# map.measure = auto and map.features = auto: the map by validation.
. "$SOURCE/tests/cli/check.sh"

head -n 800 "$SOURCE/data/parity.train" > parity.svm
rows 5 300 3 > easy.svm
fewer="--tune.folds=3 --map.measure=coefficient"


# chosen: the line of the table in ./err that is chosen
chosen() {
    grep ' chosen' err
}

# D: a curve of doubled values; the model is the one that the chosen D gives, byte for byte, on any number of threads.
run 0 "$DPSVM" train parity.svm -o auto.model $fewer --map.features=auto --report=curve.json
sed -n '/"features_search"/,/"seeds"/p' curve.json > features
[ "$(grep -c '"width"' features)" -eq "$(grep -c '^  D = ' err)" ] || fail 'the report does not hold the curve of D'
[ "$(grep -c '"chosen":[[:space:]]*true' features)" -eq 1 ] || fail 'the report does not say which D was chosen'
grep -q '"measure_search":[[:space:]]*null' curve.json || fail 'a measure that was not searched is reported'
says '^features by 3-fold cross-validation on 800 rows in .* s: accuracy and standard error:$'
says '^  ended: '
grep "^  D = " err | awk '{ if ($3 != 64 * 2 ^ (NR - 1) || $6 < 1 || $8 != "+-") exit 1 }' || fail 'the curve is not one of D = 64, 128, ...'
[ "$(grep -c ' best' err)" -ge 1 ] || fail 'no best D'
[ "$(grep -c ' chosen' err)" -eq 1 ] || fail 'not one chosen D'
D=$(chosen | awk '{ print $3 }')
[ "$D" -ge 256 ] || fail "D = $D for products of four inputs"
run 0 "$DPSVM" info auto.model
grep -q "D = $D," out || fail "the model does not hold the chosen D = $D"
run 0 "$DPSVM" train parity.svm -o given.model $fewer --map.features="$D" -q
same auto.model given.model
for threads in 1 2; do
    run 0 "$DPSVM" train parity.svm -o t.model $fewer --map.features=auto -q --run.threads=$threads
    same auto.model t.model
done
run 0 "$DPSVM" train easy.svm -o easy.model $fewer --map.features=auto
chosen | grep -q 'D = 64 ' || fail 'rows told apart by one input got more than 64 features'
says 'ended: no gain'

# Measure: four lines, the named one's bytes.
name_measure() { # options that name the measure of the chosen line
    case $(chosen) in
    *'p = 1.3'*) echo '--map.measure=geometric --map.p=1.3' ;;
    *'p = 2'*) echo '--map.measure=geometric --map.p=2' ;;
    *coefficient*) echo '--map.measure=coefficient' ;;
    *variance*) echo '--map.measure=variance' ;;
    *) fail 'no measure was chosen' ;;
    esac
}
for data in parity.svm easy.svm; do
    run 0 "$DPSVM" train $data -o auto.model --map.features=100 --map.measure=auto
    says '^measure at D = 100 by 5-fold cross-validation on .* rows in '
    for measure in 'geometric, p = 2' 'geometric, p = 1.3' coefficient variance; do
        says "^  $measure  .*[0-9] [+]- [0-9]"
    done
    [ "$(grep -c ' chosen' err)" -eq 1 ] || fail 'not one chosen measure'
    named=$(name_measure)
    for threads in 1 2; do
        run 0 "$DPSVM" train $data -o given.model --map.features=100 $named -q --run.threads=$threads
        same auto.model given.model
    done
done
case $named in *p=2) ;; *) fail "$named where all do as well: the first is geometric, p = 2" ;; esac

# All three: measure, then D, then C, each in the table before the next; compressed rows, weights and labels to fit.
awk '{ print $1, 1 + NR % 2 }' easy.svm | cut -d' ' -f2 > weights.txt
awk '{ split($2, a, ":"); $1 = a[2] * a[2]; print $0, 90000 ":" 0.01 }' easy.svm > squares.svm
run 0 "$DPSVM" train squares.svm -o all.model --tune.folds=3 --kernel.degree=2 --solver.task=regression --data.weights=weights.txt \
    --map.measure=auto --map.features=auto --solver.C=auto
grep -E '^(measure|features|C) ' err | cut -d' ' -f1 > order
printf 'measure\nfeatures\nC\n' > expected
same order expected
says '^measure at D = 512 .*rmse'

# The rows looked at are few of many.
rows 7 9000 2 > many.svm
run 0 "$DPSVM" train many.svm -o many.model --tune.holdout=0.3 --map.features=auto --kernel.degree=2
says '^features by held-out rows on 4096 rows'

# A map of 64 features that are all 0 is passed over; memory never ends the growth of D.
run 0 "$DPSVM" train easy.svm -o h.model --tune.folds=3 --kernel.type=homogeneous --kernel.degree=9 --map.features=auto
grep -q '^  D = 64 ' err && fail '64 features of the geometric measure hold none of degree 9, but are in the table'
run 1 "$DPSVM" train parity.svm -o m.model $fewer --map.features=auto --run.memory=30M
says 'run.memory is .* raise run.memory'

# check finds the same D.
run 0 "$DPSVM" check --data.train=easy.svm $fewer --map.features=auto
grep -q 'D = 64' out err || fail 'check does not say the D'

# What has nothing to choose, or nothing to choose by.
refused 2 'map.measure.*no degrees' "$DPSVM" train easy.svm --map.type=fourier --map.measure=auto -q
refused 2 'map.features.*linear' "$DPSVM" train easy.svm --kernel.type=linear --map.features=auto -q
refused 2 'map.p.*map.measure' "$DPSVM" train easy.svm --map.measure=auto --map.p=3 -q
refused 2 'map.features.*dpsvm kernel' "$DPSVM" kernel --data.train=easy.svm --map.features=auto -q
refused 2 'map.measure.*dpsvm tune' "$DPSVM" tune --data.train=easy.svm --map.measure=auto --tune.solver.C=1,2 -q
printf '1 1:1\n-1 1:-1\n1 1:2\n' > three.svm
refused 2 'tune.folds' "$DPSVM" train three.svm --map.features=auto -q
finish
