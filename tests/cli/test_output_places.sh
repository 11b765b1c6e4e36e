#!/bin/sh
# Where output goes: descriptors and pipes are written as they are, files appear whole or not at all, and nothing that
# was read is written over.
. "$SOURCE/tests/cli/check.sh"

rows 3 60 4 > train.svm
run 0 "$DPSVM" train train.svm --kernel.type=linear -o model -q
run 0 "$DPSVM" predict model train.svm -q
cp out plain
lines 60 plain

# Standard output under all its names, into a pipe and into a file, appending too.
for name in - /dev/stdout /dev/fd/1 /proc/self/fd/1; do
    step="predict -o $name"
    "$DPSVM" predict model train.svm -o $name -q 2> err | cmp -s - plain || fail 'another text in a pipe'
    "$DPSVM" predict model train.svm -o $name -q > file 2> err || fail "status $?"
    same file plain
    echo first > file
    "$DPSVM" predict model train.svm -o $name -q >> file 2> err || fail "status $?"
    { echo first; cat plain; } | cmp -s - file || fail 'what stood in the file is lost'
    "$DPSVM" transform model train.svm -o $name -q --format csv 2> err | grep -q , || fail 'transform'
done
ln -s /dev/stdout link
for name in /dev/fd/3 /proc/self/fd/3; do
    step="predict -o $name"
    "$DPSVM" predict model train.svm -o $name -q 3>&1 > out 2> err | cmp -s - plain || fail 'another text'
    silent
    "$DPSVM" predict model train.svm -o $name -q 3> file > out 2> err || fail "status $?"
    same file plain
done
step='a link to /dev/stdout'
"$DPSVM" predict model train.svm -o link -q 2> err | cmp -s - plain || fail 'another text'
step='/dev/stderr'
"$DPSVM" predict model train.svm -o /dev/stderr -q 2> file || fail "status $?"
same file plain
refused 1 '/dev/fd/9.*[Bb]ad file descriptor.*--output' "$DPSVM" predict model train.svm -o /dev/fd/9 -q 9>&-
refused 2 'both /dev/stdout' "$DPSVM" predict model train.svm --report /dev/stdout -q

# A named pipe, for every output.
mkfifo pipe
for words in 'predict model train.svm -q -o pipe' 'transform model train.svm -q -o pipe' \
    'train train.svm --kernel.type=linear -q -o pipe' 'predict model train.svm -q --report pipe'; do
    step="$words"
    cat pipe > file &
    "$DPSVM" $words > out 2> err || fail "status $?"
    wait
    [ -s file ] || fail 'nothing came out of the pipe'
    [ -p pipe ] || fail 'the pipe was replaced'
done
step='a model through a pipe'
cat pipe > file &
"$DPSVM" train train.svm --kernel.type=linear -q -o pipe > out 2> err || fail "status $?"
wait
same file model

# A limit on the size of files is an error like a full disk.
i=0
while [ $i -lt 20 ]; do
    cat train.svm
    i=$((i + 1))
done > many.svm
mkdir out_folder
# limited STATUS PATTERN COMMAND...: with files of at most 1 KB; nothing stays in out_folder.
limited() {
    wanted=$1
    pattern=$2
    shift 2
    step="$*"
    { (ulimit -f 1; "$@"; echo $? >&3) 2>&1 > out | cat > err; } 3> status
    [ "$(cat status)" -eq "$wanted" ] || fail "status $(cat status), expected $wanted"
    says "$pattern"
    [ -z "$(ls -A out_folder)" ] || fail "left behind: $(ls -A out_folder)"
}
limited 1 'out_folder/m.*File too large.*ulimit -f' "$DPSVM" train train.svm --kernel.type=polynomial -q -o out_folder/m
limited 1 'out_folder/s.*File too large' "$DPSVM" predict model many.svm --scores -q -o out_folder/s
limited 1 'standard output.*File too large' "$DPSVM" predict model many.svm --scores -q
limited 1 'out_folder/t.*File too large' "$DPSVM" transform model many.svm -q -o out_folder/t
limited 1 'out_folder/r.*File too large' "$DPSVM" train train.svm -q -o /dev/null --report out_folder/r
limited 0 'checkpoint was not saved.*File too large' "$DPSVM" train many.svm --kernel.type=polynomial --map.features=50 \
    --solver.type=dcd --solver.tolerance=1e-9 -o /dev/null --run.checkpoint=out_folder/c --run.checkpoint_every=0

# An output is no input: the INI, rows (also by a pattern, a link, another spelling), weights, a model to go on from.
cat > a.ini <<'END_OF_INI'
[data]
train = part*.svm
[kernel]
type = linear
[output]
model = a.model
END_OF_INI
cp train.svm part1.svm
cp train.svm part2.svm
cp a.ini a.kept
awk '{ print 1 + NR % 2 }' train.svm > weights.txt
ln -s a.ini link.ini
# protected FILE OPTION COMMAND...
protected() {
    file=$1
    option=$2
    shift 2
    cp "$file" kept
    refused 2 "$option" "$@" -q
    same "$file" kept
}
for ini in a.ini ./a.ini link.ini "$PWD/a.ini"; do
    for option in output.model output.report run.checkpoint run.log data.cache output.curve output.plot; do
        protected a.ini "the INI file and $option are both.*$option" "$DPSVM" train a.ini "--$option=$ini"
    done
    for option in tune.table tune.ini tune.journal output.model output.report; do
        protected a.ini "the INI file and $option are both" "$DPSVM" tune a.ini --tune.solver.C=1,2 "--$option=$ini"
    done
    protected a.ini 'the INI file and output.report' "$DPSVM" kernel a.ini --kernel.type=polynomial --report "$ini"
    protected a.ini 'the INI file and --plot' "$DPSVM" kernel a.ini --kernel.type=polynomial --plot "$ini"
done
protected part2.svm 'data.train and output.model' "$DPSVM" train a.ini --output.model=part2.svm
protected part2.svm 'data.train and tune.table' "$DPSVM" tune a.ini --tune.solver.C=1,2 --tune.table=./part2.svm
protected train.svm 'data.test and output.curve' "$DPSVM" train a.ini --data.test=train.svm --output.curve=train.svm
protected train.svm 'data.validation and output.model' "$DPSVM" train a.ini --data.validation=train.svm -o train.svm
protected weights.txt 'data.weights and output.report' "$DPSVM" train train.svm --data.weights=weights.txt \
    --report weights.txt
protected model 'solver.warm_start and output.report' "$DPSVM" train train.svm --solver.warm_start=model -o n --report model
protected model 'the input and --output' "$DPSVM" predict model train.svm -o model
same a.ini a.kept

finish
