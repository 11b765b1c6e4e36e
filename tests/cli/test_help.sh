#!/bin/sh
# Help and version: complete, on standard output, from the tables.
. "$SOURCE/tests/cli/check.sh"

# quiet_result COMMAND...: status 0, a result, nothing on standard error.
quiet_result() {
    run 0 "$@"
    [ -s out ] || fail 'nothing on standard output'
    [ ! -s err ] || fail 'something on standard error'
}

run 2 "$DPSVM"
silent
says 'usage: dpsvm COMMAND'
says 'train = '

quiet_result "$DPSVM" help
commands=$(sed -n 's/^    \([a-z]*\)  .*/\1/p' out | grep -v dpsvm)
for command in train predict transform info check help version; do
    printf '%s\n' "$commands" | grep -qx $command || fail "help does not list $command"
done
for command in $commands; do
    # a command of the table that no script runs
    grep -Eq "\"\\\$DPSVM\" $command( |\$)" "$SOURCE"/tests/cli/test_*.sh || fail "no script of tests/cli runs dpsvm $command"
    quiet_result "$DPSVM" help "$command"
    cp out first
    grep -q "^usage: dpsvm $command" out || fail "no usage of $command"
    for flag in -h --help; do
        quiet_result "$DPSVM" "$command" $flag
        same first out
    done
done
quiet_result "$DPSVM" train --no-such-flag --help

for words in -h --help; do
    quiet_result "$DPSVM" $words
done

quiet_result "$DPSVM" version
cp out first
[ "$(grep -Ec '^dpsvm [0-9]+\.[0-9]+\.[0-9]+$' out)" -eq 1 ] || fail 'not one line with a version number'
for word in compiler target BLAS SIMD OpenMP MPI; do
    grep -q "$word" out || fail "version does not name $word"
done
quiet_result "$DPSVM" --version
same first out

# The pages in the tree are those of the program.
quiet_result "$DPSVM" help options
same out "$SOURCE/docs/options.md"
quiet_result "$DPSVM" help config
same out "$SOURCE/configs/default.ini"

# No line of a command's help is wider than a terminal of 80 columns.
for command in $commands; do
    quiet_result "$DPSVM" help "$command"
    [ "$(awk '{ if (length > n) n = length } END { print n }' out)" -le 100 ] || fail "help $command is wide"
    sed -n '/^flags:/,/^options:/p' out > flags
    [ "$(awk '{ if (length > n) n = length } END { print n }' flags)" -le 80 ] || fail "flags of $command are wider than 80 columns"
done

# Completion of bash: commands, flags and options of a command.
quiet_result "$DPSVM" help completion
if command -v bash > /dev/null; then
    cp out completion
    complete_to() {
        bash -c '. ./completion; compopt() { :; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _dpsvm; printf "%s\n" "${COMPREPLY[@]}"' - "$@"
    }
    complete_to dpsvm pre | grep -qx predict || fail 'predict is not completed'
    complete_to dpsvm train --solver.C | grep -qx -e '--solver\.C=' || fail 'no option is completed'
    complete_to dpsvm predict --thr | grep -qx -e '--threshold' || fail 'no flag is completed'
    [ -z "$(complete_to dpsvm predict --solver.C)" ] || fail 'predict takes no solver.C'
fi

quiet_result "$DPSVM" help config
# Every option is on both.
sed -n 's/^OPTION(\([a-z]*\), \([A-Za-z0-9_]*\),.*/\1 \2/p' "$SOURCE/src/config/options.def" > options
[ "$(wc -l < options)" -gt 30 ] || fail 'the option table was not read'
while read -r section key; do
    awk -v s="[$section]" -v k="$key" '$0 == s { inside = 1 } /^\[/ && $0 != s { inside = 0 }
        inside && $1 == k && $2 == "=" { found = 1 } END { exit !found }' out || fail "no $section.$key"
done < options

refused 2 'frobnicate' "$DPSVM" frobnicate
refused 2 'did you mean predict' "$DPSVM" predcit
refused 2 'frobnicate' "$DPSVM" help frobnicate
refused 2 'expected dpsvm predict MODEL' "$DPSVM" predict
refused 2 'expected dpsvm info MODEL' "$DPSVM" info
refused 2 'CONFIG' "$DPSVM" train

finish
