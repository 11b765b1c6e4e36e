#!/bin/sh
# Replays the cases of the folder DPSVM_CASES (a folder a case, case.txt in it says what is expected). The cases from 201
# on are checked one by one as their "expect" says; of all others the steps are run, and nothing may crash. A case that is
# not in the folder is a failure.
[ -n "${DPSVM_CASES:-}" ] || {
    echo 'skipped: name the folder of reported cases in DPSVM_CASES'
    exit 77
}
. "$SOURCE/tests/cli/check.sh"
export DPSVM
MPIRUN=${MPIEXEC:-mpirun}
export MPIRUN
top=$PWD
passed=0
[ -d "$DPSVM_CASES" ] || fail "DPSVM_CASES: there is no folder $DPSVM_CASES"

# case_of NUMBER: into a fresh copy of its folder; there is none: a failure, and false.
case_of() {
    cd "$top" || exit 1
    number=$1
    before=$failures
    folder=$(find "$DPSVM_CASES" -maxdepth 1 -type d -name "$1-*" | head -n 1)
    [ -n "$folder" ] || {
        fail "case $1 is not in $DPSVM_CASES"
        return 1
    }
    rm -rf "case$1"
    cp -r "$folder" "case$1"
    chmod -R u+w "case$1"
    cd "case$1" || exit 1
    step="case $(basename "$folder")"
}
done_case() {
    [ "$failures" -eq "$before" ] && passed=$((passed + 1))
}
# try COMMAND...: the status in $status, everything that was said in ./said.
try() {
    timeout "${limit:-120}" "$@" > said 2>&1
    status=$?
    step="case $number: $*"
    [ "$status" -lt 124 ] || [ "$status" -eq 143 ] || fail "status $status"
}
said() {
    grep -Eiq -e "$1" said || fail "it does not say: $1"
}
# refused_or PATTERN SHAPE...: an error that says PATTERN, or done with the rows, features, classes of SHAPE.
clean_error() {
    [ "$status" -ge 1 ] && [ "$status" -le 125 ] && grep -Eiq -e "$1" said
}
# shape ROWS FEATURES CLASSES ("" any): the line "data: ..." of a training.
shape() {
    grep -Eq "^data: ${1:-[0-9]+} rows, ${2:-[0-9]+} features?, .*${3:-[0-9]+} classes" said
}
ok_or_error() { # PATTERN ROWS FEATURES CLASSES
    clean_error "$1" || { [ "$status" -eq 0 ] && shape "$2" "$3" "$4"; } || fail "neither an error that says $1 nor $2 rows, $3 features, $4 classes"
}

if case_of 201; then
    try "$DPSVM" train a.ini
    shape '' 2 2 || fail 'clean: not 2 features'
    for f in null none slash na hash dot dash low quoted error; do
        try "$DPSVM" train a.ini --data.train=$f.csv --output.model=$f.model
        ok_or_error "$f.csv:8" '' 2 2
        try "$DPSVM" train a.ini --data.train=$f.csv --data.missing=mean --output.model=$f.model
        ok_or_error "$f.csv:8" '' 2 2
    done
    done_case
fi
if case_of 202; then
    for f in r p; do
        try "$DPSVM" train $f.ini
        shape '' 2 '' || said 'column 1.*ignore_columns'
    done
    try "$DPSVM" train without.ini
    shape '' 2 '' || fail 'without.ini: not 2 features'
    try "$DPSVM" train unnamed.csv --data.label_column=4 --kernel.type=linear --output.model=u.model
    ok_or_error header 90 '' ''
    done_case
fi
if case_of 204; then
    try "$DPSVM" train a.ini
    for f in blank.csv three.csv spaces.csv crlf.csv bom.csv blank.tsv; do
        try "$DPSVM" train a.ini --data.train=$f --output.model=b.model
        shape 40 2 2 || fail "$f: not 40 rows, 2 features, 2 classes"
        same a.model b.model
        "$DPSVM" predict a.model $f -q > labels 2> said
        lines 40 labels
    done
    done_case
fi
if case_of 205; then
    for f in dash zero empty bracket; do
        try "$DPSVM" train a.ini --data.train=$f.csv --output.model=b.model
        ok_or_error "$f.csv:2|units" 40 2 2
    done
    done_case
fi
if case_of 207; then
    for pair in a:test.csv b:plain_test.csv; do
        try "$DPSVM" train "${pair%:*}.ini"
        shape 40 '' 2 || said 'data\.header'
        "$DPSVM" predict "${pair%:*}.model" "${pair#*:}" -q > labels 2> said
        lines 12 labels
    done
    try "$DPSVM" train a.ini --data.train=from1.csv
    shape 40 '' 2 || said 'data\.header'
    done_case
fi
if case_of 208; then
    try "$DPSVM" train a.ini
    said patient
    said born
    said 'ignore_columns|id_column|left out'
    try "$DPSVM" train b.ini
    shape '' 1 '' || fail 'b.ini: not 1 feature'
    done_case
fi
if case_of 209; then
    for f in a b; do
        try "$DPSVM" train $f.ini
        said 'low\.|high\.'
        ! grep -q 'smaller solver.C' said || fail 'advice about C'
    done
    for command in 'predict a.model test.data' 'predict a.model half.data' 'evaluate a.model test.data'; do
        # shellcheck disable=SC2086  # words
        try "$DPSVM" $command
        said 'low\.|high\.'
    done
    done_case
fi
if case_of 210; then
    for words in 'a.ini' 'a.ini --data.train=a.npy'; do
        # shellcheck disable=SC2086
        try "$DPSVM" train $words
        clean_error 'label_column' || fail 'no error that names data.label_column'
        said 'solver\.task *= *regression'
    done
    try "$DPSVM" train b.ini
    said 'regression'
    try "$DPSVM" train r.ini
    [ "$status" -eq 0 ] || fail 'r.ini fails'
    done_case
fi
if case_of 211; then
    try "$DPSVM" train a.ini
    for f in pzstd.csv.zst other.csv.zst; do
        try "$DPSVM" train a.ini --data.train=$f --output.model=b.model
        shape 60 '' '' || fail "$f: not 60 rows"
        same a.model b.model
    done
    done_case
fi
if case_of 213; then
    try "$DPSVM" train a.ini
    ok_or_error bzip2 '(40|60)' '' ''
    try "$DPSVM" train a.ini --data.train=train.csv.bz2
    ok_or_error bzip2 '(40|60)' '' ''
    try "$DPSVM" train a.ini --data.train=train.svm --output.model=b.model
    try "$DPSVM" predict b.model train.svm.bz2
    [ "$status" -eq 0 ] || clean_error bzip2 || fail 'predict'
    done_case
fi
if case_of 215; then
    for f in a.arff b.arff a.arff.gz; do
        try "$DPSVM" train a.ini --data.train=$f
        ok_or_error ARFF 40 '' 2
    done
    done_case
fi
if case_of 217; then
    try "$DPSVM" train sep.csv --kernel.type=linear --output.model=a.model
    ok_or_error 'sep.csv:1|sep=' 40 2 2
    for f in sep comment title pipe; do
        try "$DPSVM" train a.ini --data.train=$f.csv
        ok_or_error "$f.csv:1|delimiter" 40 2 2
    done
    done_case
fi
if case_of 218; then
    for f in a b c; do
        try "$DPSVM" train $f.ini
        [ "$status" -eq 0 ] || fail "$f.ini"
    done
    try "$DPSVM" train a.ini --output.model=d.model '--solver.class_weight="damp soil":1,"red soil":4,"grey, very damp":9'
    same b.model c.model
    same b.model d.model
    cmp -s a.model b.model && fail 'weights change nothing'
    done_case
fi
if case_of 220; then
    try "$DPSVM" train a.ini
    "$DPSVM" predict a.model train.svm -q > plain 2> said
    lines 40 plain
    "$DPSVM" predict a.model train.svm -q -o /dev/stdout 2> said | cmp -s - plain || fail '/dev/stdout into a pipe'
    "$DPSVM" predict a.model train.svm -q -o /dev/stdout > file 2> said
    same file plain
    "$DPSVM" predict a.model train.svm -q -o /dev/fd/3 3>&1 > nothing 2> said | cmp -s - plain || fail '/dev/fd/3'
    mkfifo pipe
    cat pipe > file &
    "$DPSVM" predict a.model train.svm -q -o pipe 2> said
    wait
    same file plain
    done_case
fi
if case_of 221; then
    awk -v n=40000 -v d=20 'BEGIN{s=7;for(i=0;i<n;i++){t=(i%2)?1:-1;printf "%d",t;for(j=1;j<=d;j++){s=(s*16807)%2147483647;printf " %d:%.4f",j,(s/1073741824-1)+t*0.05};print ""}}' > big.svm
    for s in USR2 HUP XCPU; do
        rm -f state.ckpt
        step="case 221: $s"
        "$DPSVM" train a.ini > said 2>&1 &
        p=$!
        sleep 15
        kill -$s $p
        wait $p
        status=$?
        [ $status -eq 75 ] && [ -s state.ckpt ] || fail "status $status"
    done
    done_case
fi
if case_of 223; then
    "$DPSVM" train a.ini -q > said 2>&1
    for _ in 1 2 3 4 5 6 7 8 9 10; do cat train.svm; done > many.svm
    mkdir out_folder
    for words in 'train a.ini --output.model=out_folder/b.model' 'predict a.model many.svm --scores -o out_folder/scores'; do
        step="case 223: $words"
        # shellcheck disable=SC2086
        { (ulimit -f 1; "$DPSVM" $words; echo $? >&3) 2>&1 | cat > said; } 3> status
        [ "$(cat status)" -eq 1 ] || fail "status $(cat status)"
        said 'File too large'
        [ -z "$(ls -A out_folder)" ] || fail 'something is left behind'
    done
    done_case
fi
if case_of 225; then
    cp train.svm kept
    for words in 'a.ini' 'b.ini --report b.ini' 'c.ini --output.model=train.svm'; do
        # shellcheck disable=SC2086
        try "$DPSVM" train $words
        clean_error 'both' || fail "$words is not refused"
        [ "$(head -n 1 "${words%% *}")" = '[data]' ] || fail 'the INI is gone'
    done
    same kept train.svm
    done_case
fi
if case_of 226; then
    try "$DPSVM" train a.ini
    shape '' '' 2 || said 'label_column'
    try "$DPSVM" train b.ini
    shape '' '' 2 || fail 'b.ini: not 2 classes'
    try "$DPSVM" train c.ini
    ok_or_error label_column '' '' 2
    done_case
fi
if case_of 227; then
    for words in a.ini 'a.ini --data.train=b.csv' 'a.ini --data.train=c.csv' d.ini; do
        # shellcheck disable=SC2086
        try "$DPSVM" train $words
        ok_or_error label_column '' '' 2
        [ "$status" -ne 0 ] || grep -q '(off: .*on: ' said || fail "other classes: $(grep '^data:' said)"
    done
    done_case
fi
if case_of 228; then
    for k in lin std rbf exp; do
        for f in a b; do
            try "$DPSVM" train ${k}_$f.ini --output.report=$f.json
            "$DPSVM" predict ${k}_$f.model a.csv -q > labels_$f 2> said
            sed -n 's/^[[:space:]]*"objective":[[:space:]]*\([0-9.e+-]*\),*$/\1/p' $f.json | head -n 1 > objective_$f
        done
        same labels_a labels_b
        paste objective_a objective_b | awk '{ d = ($1 - $2) / $2; exit !($2 > 0 && d < 1e-6 && d > -1e-6) }' ||
            fail "$k: objectives $(cat objective_a) and $(cat objective_b)"
    done
    done_case
fi

if case_of 224; then
    limit=600 try "$DPSVM" train a.ini
    [ "$status" -eq 0 ] || fail "status $status"
    right=$(sed -n 's/^test accuracy: \([0-9]*\)\.[0-9]* % of 200 rows.*/\1/p' said)
    [ "${right:-0}" -ge 80 ] || fail "${right:-?} % of the test rows where 80 are asked for"
    done_case
fi
if case_of 230; then
    begin=$(date +%s)
    limit=400 try "$DPSVM" train a.ini
    [ "$status" -eq 0 ] || fail "status $status"
    took=$(($(date +%s) - begin))
    [ $took -le 25 ] || fail "$took s where 25 are asked for"
    done_case
fi

# All others: their steps, as far as they are commands, end without a crash.
replayed=0 ran=0
for folder in "$DPSVM_CASES"/[01]*; do
    replayed=$((replayed + 1))
    number=$(basename "$folder")
    number=${number%%-*}
    case_of "$number" || continue
    sed -n '/^steps:/,/^[a-z-]*:/p' case.txt | grep -E '^ +\$(DPSVM|MPIRUN)' | grep -v optional | sed 's/ *#.*//' > steps
    while read -r line; do
        step="case $number: $line"
        timeout 120 sh -c "$line" > said 2>&1 < /dev/null
        status=$?
        case $status in 132 | 134 | 135 | 136 | 139) fail "crashed: status $status" ;; esac
        ! grep -Eq 'Segmentation fault|core dumped|runtime error|Sanitizer' said || fail 'crashed'
        ran=$((ran + 1))
    done < steps
    done_case
done
step=
[ "$replayed" -ge 73 ] && [ "$ran" -ge 54 ] || fail "only $replayed of 73 cases and $ran commands were replayed"
echo "$passed cases as expected, $failures failures"
cd "$top" || exit 1
finish
