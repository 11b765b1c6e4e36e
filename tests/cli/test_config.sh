#!/bin/sh
# INI files from outside: what is accepted, what is refused and where the message points.
. "$SOURCE/tests/cli/check.sh"

rows 61 30 3 > train.svm
cp train.svm 'a#1;b.svm'

# refuses LINE WORDS TEXT: an INI of these lines is refused at LINE with a message that matches WORDS.
refuses() {
    printf "$3" > bad.ini
    refused 2 "^dpsvm: bad\.ini:$1(:[0-9]+)?: .*$2" "$DPSVM" train bad.ini -o bad.dpsvm
    [ ! -e bad.dpsvm ] || fail "a model was written"
}
data='[data]\ntrain = train.svm\n'

# Names.
refuses 4 "'ofset'.*'offset'" "$data[kernel]\nofset = 1\n"
refuses 3 '\[kernal\].*\[kernel\]' "$data[kernal]\n"
refuses 3 '\[entirely_else\].*\[solver\]' "$data[entirely_else]\nC = 1\n"
refuses 4 "'degree'.*\[kernel\]" "$data[map]\ndegree = 3\n"
refuses 4 "'C:'" "$data[solver]\nC: = 1\n"
refuses 6 'lines 4 and 6' "$data[solver]\nC = 1\n[solver]\nC = 2\n"
refuses 1 '\[section\]' 'train = train.svm\n'
refuses 3 'key = value' "${data}just words\n"

# Values: number, range, whole text.
for pair in 'solver:C = -2' 'solver:C = 0' 'solver:C = many' 'solver:C = 1e999' 'solver:C = nan' 'solver:C = 3,5' \
    'solver:C = 7 apples' 'solver:tolerance = 0' 'solver:max_iterations = 0' 'solver:max_iterations = 2.5' \
    'map:seed = -1' 'map:features = 10000001' 'map:p = 1' 'run:threads = 0' 'run:threads = 99999' \
    'run:memory = lots' 'run:simd = mmx' 'kernel:type = wavelet' 'kernel:coefficients = 1, -1' 'data:zero_based = perhaps'; do
    section=${pair%%:*}
    key=$(printf '%s' "${pair#*:}" | sed 's/ =.*//')
    refuses 4 "$section\.$key = .*expected" "$data[$section]\n${pair#*:}\n"
done

# The same on the command line, and what only the command line can get wrong.
refused 2 '^dpsvm: --solver\.C=-2: expected' "$DPSVM" train train.svm --solver.C=-2
refused 2 "'tolerence'.*'tolerance'" "$DPSVM" train train.svm --solver.tolerence=1
refused 2 'map\.seed or --solver\.seed' "$DPSVM" train train.svm --seed=1
refused 2 'needs a value' "$DPSVM" train train.svm --solver.C
refused 2 'train \[CONFIG\]' "$DPSVM" train train.svm train.svm
refused 2 'part of the model' "$DPSVM" predict model train.svm --kernel.degree=2
refused 2 'does not take' "$DPSVM" predict model train.svm --strict
refused 1 'absent\.ini' "$DPSVM" train absent.ini

# One configuration, written in several ways, gives one model.
printf '[data]\ntrain = train.svm\n[kernel]\ndegree = 3\n[map]\nfeatures = 40\n' > plain.ini
run 0 "$DPSVM" train plain.ini -o plain.dpsvm
grep -q 'kernel.degree = 3' err || fail 'the log does not show the options that were set'
printf '\357\273\277; head\r\n[map] # random\r\n  features = 40 ; few\r\n\r\n[data]\r\ntrain = "a#1;b.svm"\t# quoted\r\n[kernel]\r\ndegree=3' > odd.ini
printf '[data]\ntrain = a#1;b.svm ; not cut\n[kernel]\n[map]\nfeatures = "40"\n[kernel]\n    degree = 3\n' > reopened.ini
head -10 train.svm > p1.svm
sed -n 11,20p train.svm > 'p 2.svm'
tail -10 train.svm > p3.svm
printf '[data]\ntrain = p1.svm,  # first\n   "p 2.svm"\n\n   p3.svm\n[kernel]\ndegree = 3\n[map]\nfeatures = 40\n' > list.ini
for ini in odd reopened list; do
    run 0 "$DPSVM" train $ini.ini -o $ini.dpsvm -q
    same plain.dpsvm $ini.dpsvm
done
run 0 "$DPSVM" train train.svm --kernel.degree 3 --map.features=7 --map.features=40 -o words.dpsvm -q
same plain.dpsvm words.dpsvm

# What check prints is a configuration that does the same.
for extra in '' '--map.type=fourier'; do
    run 0 "$DPSVM" train plain.ini $extra -o a.dpsvm -q
    run 0 "$DPSVM" check plain.ini $extra -q
    cp out effective.ini
    [ ! -s err ] || fail 'check -q says something'
    grep -q '# plain.ini:4' effective.ini || fail 'check does not show where an option comes from'
    run 0 "$DPSVM" train effective.ini -o b.dpsvm -q
    same a.dpsvm b.dpsvm
done

# So is the page of all defaults.
run 0 "$DPSVM" help config
cp out all.ini
run 0 "$DPSVM" train all.ini --data.train=train.svm -o c.dpsvm -q
run 0 "$DPSVM" train train.svm -o d.dpsvm -q
same c.dpsvm d.dpsvm

# Long values: a name of several hundred bytes.
long=$(awk 'BEGIN { for (i = 0; i < 240; i++) printf "n" }')
mkdir "$long"
cp train.svm "$long/$long"
printf '[data]\ntrain = %s/%s\n[output]\nmodel = %s/m\n' "$long" "$long" "$long" > long.ini
run 0 "$DPSVM" train long.ini -q
[ -s "$long/m" ] || fail 'the long name was cut'

finish
