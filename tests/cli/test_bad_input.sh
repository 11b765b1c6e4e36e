#!/bin/sh
# Whatever is wrong with the input, the program says in one line what, where and what to change, ends with the exit
# code of that kind of fault (1 files and memory, 2 usage and configuration, 3 data, 4 numbers), and leaves the files
# that were there as they were.
. "$SOURCE/tests/cli/check.sh"

rows 7 60 3 > good.svm
cat > good.ini <<'END'
[data]
train = good.svm
[map]
features = 40
[output]
model = good.model
END
mkdir folder
run 0 "$DPSVM" train good.ini -q
cp good.model kept.model

files() {
    # shellcheck disable=SC2010  # names of ours
    ls -A . folder | grep -vx -e before -e after -e out -e err
}
: > bad.svm
: > bad.ini
: > bad.model
files > before

# The model is the old one, and no file has come or gone.
untouched() {
    same good.model kept.model
    files > after
    cmp -s before after || fail "files have come or gone: $(tr '\n' ' ' < after)"
}

# data PATTERN TEXT: training on a file with this text is refused as bad data; so is prediction, unless only
# training can know.
data() {
    printf "$2" > bad.svm
    refused 3 "$1" "$DPSVM" train good.ini --data.train=bad.svm -q
    untouched
}
row() {
    data "$@"
    refused 3 "$1" "$DPSVM" predict good.model bad.svm -o folder/labels -q
    untouched
}

# --- Data -----------------------------------------------------------------------------------------------------------
data 'bad\.svm.*empty' ''
data 'bad\.svm.*no rows' '\n\n# a comment\n'
data 'class|label' '1 1:1\n1 1:2\n+1 1:3\n1.0 2:1\n'
row 'bad\.svm:2:[0-9]+.*nan' '1 1:1\n-1 1:nan\n'
row 'bad\.svm:2:[0-9]+.*inf' '1 1:1\n-1 1:-inf\n'
row 'bad\.svm:2:[0-9]+.*1e999' '1 1:1\n-1 1:0.5 2:1e999\n'
row 'bad\.svm:3:[0-9]+.*nan' '1 1:1\n-1 1:2\nnan 1:1\n'
row 'bad\.svm:2:[0-9]+.*2147483648' '1 1:1\n-1 1:1 2147483648:1\n'
row 'bad\.svm:2:[0-9]+.*99999999999999999999' '1 1:1\n-1 1:1 99999999999999999999:1\n'
row 'bad\.svm:2:[0-9]+.*0' '1 1:1\n-1 0:1\n'
row 'bad\.svm:2:[0-9]+' '1 1:1\n-1 1:1 -3:1\n'
row 'bad\.svm:2:[0-9]+.*2' '1 1:1\n-1 2:1 2:3\n'
row 'bad\.svm:2:[0-9]+' '1 1:1\n-1 1:1 2:\n'
row 'bad\.svm:2:[0-9]+' '1 1:1\n-1 1:1 2'
row 'bad\.svm:2:[0-9]+' '1 1:1\n-1 1:1 2:'
row 'bad\.svm:2:[0-9]+.*x' '1 1:1\n-1 1:1 2:0.5x\n'
row 'bad\.svm:2:[0-9]+' '1 1:1\n-1,2 1:1\n'
data 'bad\.svm:2.*label' '1 1:1\n1:1 2:1\n'
row 'bad\.svm' '\037\213\010\000\000\000\000\000\001\002\003'

# A row that cannot be scaled or holds an unknown feature is named by its line, whatever lines come before.
{
    cat good.svm
    printf '\n# a comment\n+1 1:1\n\n-1 1:0.5 2:1e300\n'
} > bad.svm
refused 3 'bad\.svm:65: row 62: feature 2' "$DPSVM" predict good.model bad.svm -q
printf '+1 1:1\n\n+1 2:1\n# a comment\n+1 1:1 900:3\n' > bad.svm
refused 3 'bad\.svm:5: row 3: feature 900' "$DPSVM" predict good.model bad.svm --data.unknown=error -q
untouched

# A last line without its newline is whole if its numbers are.
printf '1 1:1\n-1 1:-1' > bad.svm
run 0 "$DPSVM" predict good.model bad.svm -q
lines 2 out

# --- Configuration --------------------------------------------------------------------------------------------------
# config PATTERN TEXT: the INI with this text is refused.
config() {
    printf "[data]\ntrain = good.svm\n[output]\nmodel = good.model\n$2" > bad.ini
    refused 2 "$1" "$DPSVM" train bad.ini -q
    untouched
}
config 'bad\.ini:6.*gama.*gamma' '[kernel]\ngama = 1\n'
config 'bad\.ini:5.*kernal.*kernel' '[kernal]\ngamma = 1\n'
config 'bad\.ini:6.*solver\.C.*10x' '[solver]\nC = 10x\n'
config 'bad\.ini:6.*solver\.C' '[solver]\nC = 0\n'
config 'bad\.ini:6.*solver\.C' '[solver]\nC = -1\n'
config 'bad\.ini:6.*solver\.C' '[solver]\nC = nan\n'
config 'bad\.ini:6.*solver\.C' '[solver]\nC =\n'
config 'bad\.ini:6.*solver\.tolerance' '[solver]\ntolerance = 0\n'
config 'bad\.ini:6.*solver\.max_iterations' '[solver]\nmax_iterations = 0\n'
config 'bad\.ini:6.*solver\.loss.*hing.*hinge' '[solver]\nloss = hing\n'
config 'bad\.ini:6.*map\.features' '[map]\nfeatures = -1\n'
config 'bad\.ini:6.*map\.features' '[map]\nfeatures = 1.5\n'
config 'bad\.ini:6.*map\.p' '[map]\np = 1\n'
config 'bad\.ini:6.*kernel\.degree' '[kernel]\ndegree = 0\n'
config 'bad\.ini:7.*coefficients' '[kernel]\ntype = maclaurin\ncoefficients = 1, -2\n'
config 'bad\.ini:6.*run\.threads' '[run]\nthreads = 0\n'
config 'bad\.ini:6.*run\.memory' '[run]\nmemory = lots\n'
config 'bad\.ini:7.*C.*6' '[solver]\nC = 1\nC = 2\n'
config 'bad\.ini:5' 'no equals sign\n'
config 'h01' '[kernel]\ntype = homogeneous\n[map]\nh01 = on\n'

refused 2 'gama.*gamma' "$DPSVM" train good.ini --kernel.gama=1 -q
refused 2 'solver\.C' "$DPSVM" train good.ini --solver.C=-1 -q
refused 2 'frobnicate' "$DPSVM" frobnicate
refused 2 '--frob' "$DPSVM" predict good.model good.svm --frob
refused 2 'data\.train' "$DPSVM" train -q
untouched

# --- Files ----------------------------------------------------------------------------------------------------------
refused 1 'absent\.svm' "$DPSVM" train good.ini --data.train=absent.svm -q
refused 1 'absent\.ini' "$DPSVM" train absent.ini -q
refused 1 'absent\.model' "$DPSVM" predict absent.model good.svm -q
refused 1 'absent\.svm' "$DPSVM" predict good.model absent.svm -q
refused 1 'folder' "$DPSVM" train good.ini --data.train=folder -q
untouched

# place PATTERN PATH: no output can be written there, and that is known before the rows are read.
place() {
    printf 'no row at all' > bad.svm
    refused 1 "$1" "$DPSVM" train good.ini --data.train=bad.svm --output.model="$2" -q
    refused 1 "$1" "$DPSVM" train good.ini --data.train=bad.svm --output.report="$2" -q
    refused 1 "$1" "$DPSVM" predict good.model good.svm -o "$2" -q
    untouched
}
place 'absent/model' absent/model
place 'folder' folder
place 'good\.svm/model' good.svm/model
place '/proc/model' /proc/model
# A folder that cannot be written. Root may write there, unless it gives up that right.
program=$DPSVM
chmod a-w folder
if [ "$(id -u)" -eq 0 ]; then
    cat > without_right << END
#!/bin/sh
exec setpriv --bounding-set=-dac_override,-dac_read_search "$program" "\$@"
END
    chmod +x without_right
    DPSVM=./without_right
    files > before
fi
if "$DPSVM" version > /dev/null 2>&1; then
    place 'folder/model.*permission' folder/model
fi
DPSVM=$program
chmod u+w folder

# A bad row at the start of a file that is measured after training is told before it; one that stands further on after it:
# the model is whole, and the error says where it is.
printf '+1 1:1\n-1 1:nan\n' > bad.svm
refused 3 'bad\.svm:2:4.*finite.*number$' "$DPSVM" train good.ini --data.test=bad.svm -o folder/whole -q
[ ! -e folder/whole ] || fail 'a model in spite of a bad test file'
awk 'BEGIN { for (i = 0; i < 60000; i++) print "+1 1:1"; print "-1 1:nan" }' > bad.svm
refused 3 'bad\.svm:60001:4.*finite.*model is in folder/whole' \
    "$DPSVM" train good.ini --data.test=bad.svm -o folder/whole --report=folder/report -q
same good.model folder/whole
rm folder/whole
untouched

# Outputs that would replace an input or each other, and a test file that is not there, are found before training.
refused 2 'output\.model.*output\.report.*both' "$DPSVM" train good.ini --report=./good.model -q
refused 2 'data\.train.*output\.model.*both' "$DPSVM" train good.ini -o good.svm -q
refused 2 'standard output' "$DPSVM" train good.ini -o - --report=- -q
refused 2 'input.*--output.*both' "$DPSVM" predict good.model good.svm -o folder/../good.svm -q
refused 2 'input.*--output.*both' "$DPSVM" predict good.model good.svm -o good.model -q
refused 2 'input.*--report.*both' "$DPSVM" predict good.model good.svm -o folder/labels --report good.model -q
refused 2 'standard output.*--report' "$DPSVM" predict good.model good.svm --report - -q
refused 1 'absent\.svm' "$DPSVM" train good.ini --data.test=absent.svm --solver.C=7 -q
refused 1 'output\.model is empty' "$DPSVM" train good.ini --output.model= -q
untouched

# A full disk: the device that is always full, and a limit on the size of files that stops a write in its middle.
if [ -c /dev/full ]; then
    refused 1 '/dev/full' "$DPSVM" train good.ini --output.model=/dev/full -q
    refused 1 '/dev/full' "$DPSVM" predict good.model good.svm -o /dev/full -q
    step='predict to a standard output that is full'
    "$DPSVM" predict good.model good.svm -q > /dev/full 2> err
    status=$?
    [ "$status" -eq 1 ] || fail "status $status, expected 1"
    says 'standard output'
    untouched
fi
limited() {
    (
        trap '' XFSZ
        ulimit -f 1
        exec "$@"
    )
}
refused 1 'good\.model' limited "$DPSVM" train good.ini --map.features=400 -q
untouched
awk '{ for (k = 0; k < 20; k++) print }' good.svm > many.svm
refused 1 'folder/labels' limited "$DPSVM" predict good.model many.svm -o folder/labels -q
rm -f many.svm
untouched

# --- Models ---------------------------------------------------------------------------------------------------------
# model PATTERN: prediction with bad.model is refused as bad data, and so is looking into it.
model() {
    refused 3 "bad\.model.*($1)" "$DPSVM" predict bad.model good.svm -o folder/labels -q
    refused 3 "bad\.model.*($1)" "$DPSVM" info bad.model -q
    untouched
}
# flip OFFSET: bad.model is good.model with one bit of that byte changed.
flip() {
    cp good.model bad.model
    byte=$(od -An -tu1 -j "$1" -N 1 good.model | tr -d ' ')
    printf "$(printf '\\%03o' $((byte ^ 1)))" | dd of=bad.model bs=1 seek="$1" conv=notrunc 2> /dev/null
    ! cmp -s good.model bad.model || fail "byte $1 was not changed"
}
size=$(wc -c < good.model)
for offset in 0 20 200 $((size / 2)) $((size - 9)) $((size - 1)); do
    flip "$offset"
    model '.'
done
for keep in 0 1 100 $((size / 2)) $((size - 1)); do
    head -c "$keep" good.model > bad.model
    model '.'
done
cp good.model bad.model
printf 'x' >> bad.model
model '.'
cp good.svm bad.model
model 'model'

finish
