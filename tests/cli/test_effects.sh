#!/bin/sh
# Every row of src/config/options.def is held to its column "effect": another value of a MODEL option gives another
# model (or, where the case says so, a refusal), another value of any other option the same bytes.
. "$SOURCE/tests/cli/check.sh"

# effect OPTION: the word of its row.
effect() {
    sed -n "s/^OPTION(${1%.*}, ${1#*.}, [A-Z_]*, \([A-Z]*\),.*/\1/p" "$SOURCE/src/config/options.def"
}

head -200 "$SOURCE/data/spirals.train" > rows.svm
awk 'BEGIN { print "no,name,y,a,b,w,c"
    for (i = 0; i < 120; i++) {
        s = (i * 7919) % 120 / 60 - 1; t = (i * 104729 + 31) % 120 / 60 - 1
        printf "%d,n%d,%s,%.4f,%s,%d,%s\n", i + 1, i % 7, (s * t > 0 ? "yes" : "no"), s, (i % 11 ? sprintf("%.4f", t) : ""), 1 + i % 3, (i % 2 ? "u" : "v")
    } }' > rows.csv
svm="--data.train=rows.svm --map.features=30"
csv="--data.train=rows.csv --data.label_column=y --data.missing=mean --map.features=20"
sgd="$svm --solver.type=sgd --solver.max_iterations=5"
regression="$svm --solver.task=regression --solver.C=0.1"
run 0 "$DPSVM" train $svm -q --output.model=start.model --solver.C=7

# trains FILE WORDS...: the model, or a file that says it was refused: for what it asks for (2) or its data (3).
trains() {
    model=$1
    shift
    "$DPSVM" train -q --output.baseline=off --output.model="$model" "$@" > out 2> err
    status=$?
    case $status in
    0) ;;
    2 | 3) echo refused > "$model" ;;
    *) fail "status $status" ;;
    esac
}

count=0
expected=no # a refusal of the second training
# case_of OPTION VALUE WORDS...: the same training with and without OPTION=VALUE, against what the row says.
# shellcheck disable=SC2086  # words
case_of() {
    option=$1
    value=$2
    shift 2
    step="$option=$value $*"
    count=$((count + 1))
    echo "$option" >> seen
    rm -f first.model second.model
    trains first.model "$@"
    grep -q '^refused' first.model && fail 'the first of two models was refused'
    if [ "$option" = output.model ]; then
        "$DPSVM" train -q --output.baseline=off "$@" --output.model="$value" > out 2> err
        mv "$value" second.model
    else
        trains second.model "$@" "--$option=$value"
    fi
    if cmp -s first.model second.model; then found=same; else found=other; fi
    if grep -q '^refused' second.model; then refusal=yes; else refusal=no; fi
    [ "$refusal" = "$expected" ] || fail "$option=$value is refused: $refusal, expected $expected"
    case $(effect "$option") in
    MODEL | ROWS) [ $found = other ] || fail "$option changes the model, says its row; here it does not" ;;
    SAME | TUNE | RUN) [ $found = same ] || fail "$option changes the model, which its row denies" ;;
    *) fail "$option has no row" ;;
    esac
}

# refusal_of OPTION VALUE WORDS...: the same, where OPTION=VALUE is refused: these rows cannot be read so.
refusal_of() {
    expected=yes
    case_of "$@"
    expected=no
}

tail -150 "$SOURCE/data/spirals.train" > other.svm
case_of data.train other.svm $svm
case_of data.test other.svm $svm
case_of data.validation 0.3 $svm
refusal_of data.format libsvm $csv
refusal_of data.header off $csv
refusal_of data.delimiter semicolon $csv
refusal_of data.decimal comma $csv
case_of data.label_column c $csv
case_of data.id_column a $csv
case_of data.ignore_columns a $csv
case_of data.text_columns w $csv
case_of data.keep_columns no $csv
case_of data.weights w $csv
case_of data.categorical ordinal $csv
case_of data.missing zero $csv
case_of data.missing_words u $csv
case_of data.zero_based on $svm
case_of data.cache rows.cache $svm
case_of data.unknown error $svm
case_of data.scaling standard $svm
case_of data.normalize unit $svm
case_of kernel.type exponential $svm
case_of kernel.degree 3 $svm
case_of kernel.offset 0.5 $svm
case_of kernel.gamma 2 $svm
case_of kernel.sigma 3 $svm --kernel.type=exponential
case_of kernel.coefficients 1,0,1 $svm --kernel.type=maclaurin --kernel.coefficients=1,1,1
case_of kernel.domain_scale 9 $svm --kernel.type=vovk_infinite
case_of map.type none $svm
case_of map.features 31 $svm
case_of map.seed 2 $svm
case_of map.measure coefficient $svm
case_of map.p 3 $svm
case_of map.allocation iid $svm
case_of map.projection gaussian $svm
case_of map.h01 off $svm
case_of map.exact_degree 2 $svm
case_of map.truncate 100 $svm
case_of map.truncate_mode subset $svm --map.truncate=100
case_of map.craft 2 $svm
case_of map.collapse off $svm
case_of map.scale none $svm
case_of map.base laplacian $svm --map.type=fourier
case_of map.gamma 2 $svm --map.type=fourier
case_of map.orthogonal on $svm --map.type=fourier
refined="$svm --map.type=fourier --map.refine=projections"
case_of map.refine projections $svm
case_of map.refine metric $svm
case_of map.refine_steps 3 $refined --map.refine_holdout=0
case_of map.refine_rows 100 $refined --map.refine_holdout=0
case_of map.refine_holdout 0.5 $refined
case_of solver.type dcd $svm
case_of solver.task regression $svm
case_of solver.loss hinge $svm
case_of solver.epsilon 0.2 $regression
case_of solver.C 2 $svm
case_of solver.tolerance 1e-6 $svm --solver.type=dcd
case_of solver.max_iterations 6 $sgd
case_of solver.early_stopping 1 $sgd --data.validation=0.3
case_of solver.warm_start start.model $svm --solver.type=sgd
case_of solver.bias 2 $svm
case_of solver.class_weight -1:2 $svm
case_of solver.probability on $svm
case_of solver.calibration isotonic $svm --solver.probability=on
case_of solver.seed 2 $sgd
case_of tune.folds 3 $svm --solver.probability=on
case_of tune.holdout 0.3 $svm --solver.probability=on
case_of tune.metric auc $svm --solver.C=auto
case_of tune.method random $svm
case_of tune.budget 3 $svm
case_of tune.choice best $svm
case_of tune.table t.csv $svm
case_of tune.journal t.journal $svm
case_of tune.ini t.ini $svm
case_of run.threads 3 $sgd
case_of run.memory 40M $sgd
case_of run.scratch . $sgd
case_of run.shards 4 $sgd
case_of solver.batch 64 $sgd
case_of run.simd portable $svm
case_of run.checkpoint check.point $sgd
case_of run.checkpoint_every 0 $sgd --run.checkpoint=check.point
case_of run.resume off $sgd --run.checkpoint=check.point
case_of run.time_limit 1000 $sgd --run.checkpoint=check.point
case_of run.log log.json $sgd
case_of run.verbosity debug $svm
case_of output.model other.model $svm
case_of output.report report.json $svm
case_of output.curve curve.csv $sgd
case_of output.plot curve.svg $sgd
# few rows and a large C: looking on changes neither the path nor its ending
case_of output.curve curve.csv --data.train=rows.svm --map.features=300 --solver.loss=hinge --solver.C=1e9
case_of output.plot curve.svg --data.train=rows.svm --map.features=300 --solver.loss=hinge --solver.C=1e9
case_of output.baseline auto $svm
case_of output.self_test on $svm

# No row is left out.
step=''
sed -n 's/^OPTION(\([a-z]*\), \([A-Za-z0-9_]*\),.*/\1.\2/p' "$SOURCE/src/config/options.def" | while read -r option; do
    grep -Fqx "$option" seen || echo "$option"
done > unseen
[ ! -s unseen ] || fail "no case for: $(tr '\n' ' ' < unseen)"
[ "$count" -gt 70 ] || fail 'the cases were not run'
finish
