#!/bin/sh
# The command line and the INI as people use them.
. "$SOURCE/tests/cli/check.sh"

rows 51 40 3 > train.svm
rows 52 12 3 > test.svm
printf '[data]\ntrain = train.svm\n' > two_lines.ini

# Two lines are a complete configuration; so is the data file alone.
run 0 "$DPSVM" train two_lines.ini
silent
[ -s model.dpsvm ] || fail 'no model.dpsvm'
run 0 "$DPSVM" predict model.dpsvm test.svm
lines 12 out
agree 12 out test.svm
cp model.dpsvm first.dpsvm
rm model.dpsvm
run 0 "$DPSVM" train train.svm
same first.dpsvm model.dpsvm

# The command line wins over the file.
run 0 "$DPSVM" train two_lines.ini --kernel.type=linear --output.model=linear.dpsvm -q
run 0 "$DPSVM" info linear.dpsvm
grep -q linear out || fail 'the option of the command line was not taken'

# -q is silent, without an error.
run 0 "$DPSVM" train two_lines.ini -q
silent
[ ! -s err ] || fail '-q is not quiet'

# Comments begin after a blank; quotes protect; CRLF and a byte order mark are fine; blanks are part of a name.
mkdir 'été 1'
cp train.svm 'été 1/a b;c.svm'
printf '\357\273\277# remark\r\n[data]\r\ntrain = "été 1/a b;c.svm" ; remark\r\n[solver]\r\nC = 10 # remark\r\n[output]\r\nmodel = "été 1/m.dpsvm"\r\n' > odd.ini
run 0 "$DPSVM" train odd.ini
run 0 "$DPSVM" info 'été 1/m.dpsvm'
grep -Eq 'C.*10' out || fail 'C is not 10'

# A relative path in an INI is relative to the INI's folder; on the command line, to the current folder.
mkdir -p deep/er
cp two_lines.ini train.svm deep
cd deep/er || exit 1
"$DPSVM" train ../two_lines.ini --output.model=here.dpsvm -q > ../../out 2> ../../err || fail "status $?"
[ -s here.dpsvm ] || fail 'a path of the command line is not relative to the current folder'
cd ../..
printf '[data]\ntrain = missing/rows.svm\n' > deep/missing.ini
refused 1 'deep/missing/rows\.svm.*\(in /.*\)' "$DPSVM" train deep/missing.ini -q

# Help and version are results; a command line without a command is not.
for words in help --help -h version --version 'help train'; do
    run 0 "$DPSVM" $words
    [ -s out ] || fail 'nothing on standard output'
    [ ! -s err ] || fail 'something on standard error'
done
run 2 "$DPSVM"
silent
says 'train'

# check validates and writes nothing.
rm -f model.dpsvm
run 0 "$DPSVM" check two_lines.ini
[ ! -e model.dpsvm ] || fail 'check has written a model'
cat out err > both
grep -Eq '500' both || fail 'check does not say how many features'

# Reports are JSON.
run 0 "$DPSVM" train two_lines.ini --report train.json -q
run 0 "$DPSVM" predict model.dpsvm test.svm --report predict.json -q
for report in train.json predict.json; do
    if command -v python3 > /dev/null; then
        python3 -m json.tool $report > /dev/null || fail "$report is not JSON"
    else
        untried "whether $report is JSON: no python3"
    fi
    grep -q '"threads"' $report || fail "$report does not name the threads"
done

# What is to be searched is not trained, and train says so.
printf '[data]\ntrain = train.svm\n[tune]\nsolver.C = 1 10\n' > search.ini
run 0 "$DPSVM" train search.ini
says 'note: .*dpsvm tune'
run 0 "$DPSVM" train two_lines.ini
! grep -q 'dpsvm tune' err || fail 'speaks of tune although nothing is to be searched'

# The locale of the user changes nothing. A locale with decimal commas is made where none is installed.
run 0 "$DPSVM" train two_lines.ini -q
run 0 "$DPSVM" predict model.dpsvm test.svm --scores -q
cp out dots
comma=$(locale -a 2> /dev/null | grep -E '^(de|fr|it)_' | head -1)
if [ -z "$comma" ] && localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 > /dev/null 2>&1; then
    LOCPATH=$PWD
    export LOCPATH
    comma=de_DE.UTF-8
fi
if [ -n "$comma" ]; then
    [ "$(LC_ALL=$comma locale decimal_point)" = , ] || fail "$comma has no decimal comma"
    LC_ALL=$comma "$DPSVM" train two_lines.ini --solver.C=1.0 --output.model=locale.dpsvm -q > out 2> err || fail "status $?"
    same model.dpsvm locale.dpsvm
    LC_ALL=$comma "$DPSVM" predict model.dpsvm test.svm --scores -q > out 2> err || fail "status $?"
    same dots out
    LC_ALL=$comma "$DPSVM" train two_lines.ini > out 2> err || fail "status $?"
    ! grep -E '[0-9],[0-9]' err || fail 'a number with a comma'
    step='a comma in an option'
    status=0
    LC_ALL=$comma "$DPSVM" train two_lines.ini --solver.C=0,5 > out 2> err || status=$?
    [ $status -eq 2 ] || fail "status $status"
else
    untried 'a locale with decimal commas: none is installed or can be made (localedef)'
fi

finish
