#!/bin/sh
# What training says and does in the situations that trip people up.
. "$SOURCE/tests/cli/check.sh"

cat > c.ini <<'END'
[data]
train = train.svm
[output]
model = c.model
report = c.json
END
number() { # number KEY: the first number with that key in c.json
    sed -n "s/.*\"$1\":[[:space:]]*\([-+.0-9e]*\).*/\1/p" c.json | head -1
}
rows 31 60 3 > train.svm

# The iteration limit is reported, with the gap, and is not called convergence; --strict is not in yet.
for solver in dcd sgd newton; do
    run 0 "$DPSVM" train c.ini --solver.type=$solver --solver.max_iterations=1 --solver.tolerance=1e-9 --solver.C=1000
    says '[Ww]arning.*(limit|converge)'
    run 0 "$DPSVM" train c.ini --solver.type=$solver --solver.tolerance=1e-2
    ! grep -Eiq 'warning.*(limit|converge)' err || fail 'warns although converged'
done

# Columns of very different size are scaled by default.
awk '{ split($2, p, ":"); print $1, "1:" p[2] * 1e-6, "2:" 1e7 + NR * 13 % 97, "3:5000" }' train.svm > unscaled.svm
run 0 "$DPSVM" train c.ini --data.train=unscaled.svm --data.scaling=standard -q
run 0 "$DPSVM" predict c.model unscaled.svm -q
agree 58 out unscaled.svm

# Columns of very different size with scaling off: the range, its columns and the option are named; not with scaling on.
run 0 "$DPSVM" train c.ini --data.train=unscaled.svm --data.scaling=none --kernel.type=linear
says 'warning: data.scaling = none.*\(feature 1\) to 1.*\(feature 2\).*max_abs'
! grep -q 'converged' err || fail 'claims convergence on columns it warned of'
run 0 "$DPSVM" train c.ini --data.train=unscaled.svm --kernel.type=linear
! grep -q 'data.scaling' err || fail 'warns of scaling although it is on'
run 0 "$DPSVM" train c.ini --data.scaling=none
! grep -q 'data.scaling = none, but' err || fail 'warns of columns of one size'

# A width far from the rows' distances is named; the automatic one and moderate ones are not.
for base in rbf laplacian; do
    for gamma in 1e4 1e-7; do
        run 0 "$DPSVM" train c.ini --map.type=fourier --kernel.type=linear --map.base=$base --map.gamma=$gamma
        says 'warning: map.gamma = .* does not fit.*data.scaling'
    done
    for gamma in auto 1 30; do
        run 0 "$DPSVM" train c.ini --map.type=fourier --kernel.type=linear --map.base=$base --map.gamma=$gamma
        ! grep -q 'warning: map.gamma' err || fail "warns of gamma = $gamma"
    done
done

# A gamma meant in units of the input is named when rows are divided by a large norm, and only then.
awk '{ for (k = 2; k <= NF; k++) { split($k, p, ":"); $k = p[1] ":" p[2] * 1000 } print }' train.svm > thousands.svm
gamma() { run 0 "$DPSVM" train c.ini --data.train="$1" --map.type=fourier --kernel.type=linear "$2" "$3"; }
gamma thousands.svm --data.scaling=none --map.gamma=1
says 'warning: map.gamma = 1 is taken on rows divided by [0-9.]+.*in units of the input.*data.normalize = none'
gamma thousands.svm --data.scaling=max_abs --map.gamma=1
! grep -q 'in units of the input' err || fail 'warns of units although columns are scaled'
gamma thousands.svm --data.scaling=none --map.gamma=auto
! grep -q 'in units of the input' err || fail 'warns of the units of an automatic gamma'
gamma train.svm --data.scaling=none --map.gamma=1
! grep -q 'in units of the input' err || fail 'warns of units that nearly agree'

# The limit is the option's number, whatever warm starts on samples of the rows add.
rows 34 20000 3 > many.svm
run 0 "$DPSVM" train c.ini --data.train=many.svm --kernel.type=linear --solver.type=newton --solver.C=1000 \
    --solver.max_iterations=1 --solver.tolerance=1e-9
says 'warning: newton reached its limit, solver.max_iterations = 1, after [0-9]+ steps \(those on samples'

# A class with fewer rows than folds is named with both numbers.
awk 'NR <= 2 { sub(/^[^ ]*/, "7") } { print }' train.svm > rare.svm
run 0 "$DPSVM" tune c.ini --data.train=rare.svm --kernel.type=linear --tune.solver.C=1,10 --tune.folds=5
says 'warning: class 7 has 2 rows, fewer than the 5 folds'
[ "$(grep -c 'class 7 has 2 rows' err)" -eq 1 ] || fail 'says it more than once'

# Huge values: refused, or finite all the way.
for value in 1e30 1e38 1e300; do
    awk -v v=$value '{ print $0 " 4:" (NR % 2 ? v : "-" v) }' train.svm > huge.svm
    for scaling in max_abs log rank none; do
        "$DPSVM" train c.ini --data.train=huge.svm --data.scaling=$scaling -q > out 2> err
        status=$?
        step="train with values of $value and scaling $scaling"
        case $status in
        0) ! grep -Eiq '[^a-z](nan|inf)[^a-z]' c.json || fail 'nan or inf in the report' ;;
        3 | 4) [ "$(wc -l < err)" -eq 1 ] || fail 'not one line of error' ;;
        *) fail "status $status" ;;
        esac
    done
done

# A file sorted by class trains as well as a shuffled one.
rows 32 2000 4 | awk '{ split($2, p, ":"); $2 = "1:" p[2] / 2; print }' > shuffled.svm
sort -n -s -k1,1 shuffled.svm > sorted.svm
for solver in dcd sgd newton; do
    run 0 "$DPSVM" train c.ini --data.train=shuffled.svm --solver.type=$solver -q
    a=$(number objective)
    run 0 "$DPSVM" train c.ini --data.train=sorted.svm --solver.type=$solver -q
    awk -v a="$a" -v b="$(number objective)" 'BEGIN { d = a - b; exit !(a > 0 && d * d < 4e-4 * a * a) }' ||
        fail "$solver: objective $a shuffled, $(number objective) sorted by class"
done

# An intercept by default: all inputs positive, the classes on both sides of a threshold far from 0.
awk 'BEGIN { for (i = 0; i < 8; i++) print (i < 4 ? -1 : 1), "1:" 10 + i }' > threshold.svm
run 0 "$DPSVM" train c.ini --data.train=threshold.svm --kernel.type=linear --solver.C=1000 -q
run 0 "$DPSVM" predict c.model threshold.svm -q
agree 8 out threshold.svm

# Constant and duplicate columns are normal.
awk '{ split($2, p, ":"); print $0 " 4:7 5:" p[2] " 6:" p[2] }' train.svm > duplicate.svm
for scaling in max_abs min_max standard log rank none; do
    run 0 "$DPSVM" train c.ini --data.train=duplicate.svm --data.scaling=$scaling -q
    run 0 "$DPSVM" predict c.model duplicate.svm -q
    agree 60 out duplicate.svm
done

# Parity needs the map: a linear model guesses.
ini="$SOURCE/configs/parity.ini"
run 0 "$DPSVM" train "$ini" --kernel.type=linear --output.model=p.model -q
run 0 "$DPSVM" predict p.model "$SOURCE/data/parity.test" -q
hits=$(awk 'NR == FNR { p[FNR] = $1; next } p[FNR] + 0 == $1 + 0 { n++ } END { print n }' out "$SOURCE/data/parity.test")
[ "$hits" -lt 480 ] || fail "a linear model gets $hits of 800 right"
for seed in 1 2 3; do
    run 0 "$DPSVM" train "$ini" --map.seed=$seed --output.model=p.model -q
    run 0 "$DPSVM" predict p.model "$SOURCE/data/parity.test" -q
    agree 740 out "$SOURCE/data/parity.test"
done

# The random Fourier map without a gamma works; one that makes all rows alike or none is at least no error.
run 0 "$DPSVM" train "$SOURCE/configs/spirals.ini" --kernel.type=linear --map.type=fourier --map.gamma=auto \
    --output.model=f.model -q

# The training accuracy in the report is that of predicting the training rows with the written model.
rows 33 300 3 | awk '{ split($2, p, ":"); $2 = "1:" p[2] / 4; print }' > hard.svm
run 0 "$DPSVM" train c.ini --data.train=hard.svm --data.scaling=standard -q
run 0 "$DPSVM" predict c.model hard.svm -q
awk -v reported="$(number train_accuracy)" 'NR == FNR { p[FNR] = $1; next } { n++; if (p[FNR] + 0 == $1 + 0) hit++ }
    END { d = hit / n - reported; exit !(d * d < 1e-12) }' out hard.svm ||
    fail "the report's training accuracy $(number train_accuracy) is not that of the written model"

# Needs more memory than allowed: refused at once, with what is needed and the option.
refused 1 'run\.memory|map\.features' "$DPSVM" train c.ini --map.features=1000000 --run.memory=100M -q
# ... and trained within the limit of the shell, which stands for that of a batch system, or refused with numbers.
if (ulimit -v 2000000) 2> /dev/null; then
    step='two million features in 2 GB of address space'
    (
        ulimit -v 2000000
        "$DPSVM" train c.ini --map.features=2000000 --map.projection=hadamard --run.threads=1 -q
    ) > out 2> err
    case $? in
    0) ;;
    1) says 'needs (about )?[0-9.]+ GB.*[0-9.]+ GB.*map\.features' ;;
    *) fail 'neither trained nor refused' ;;
    esac
fi

finish
