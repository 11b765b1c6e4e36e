#!/bin/sh
# Manual pages and completion, which the build makes from the tables: no reader of manual pages warns, every command,
# option and choice is there, and bash and zsh complete them.
. "$SOURCE/tests/cli/check.sh"
: "${BUILD:?set BUILD to the build folder}"
made=$BUILD/src/man
commands=$("$DPSVM" help | sed -n 's/^    \([a-z]*\)  .*/\1/p' | grep -v dpsvm)

# --- pages ----------------------------------------------------------------------------------------------------------

pages="dpsvm.1 dpsvm.ini.5 dpsvm-model.5"
for command in $commands; do
    pages="$pages dpsvm-$command.1"
done
for page in $pages; do
    [ -s "$made/$page" ] || fail "no $page"
done
[ "$(find "$made" -name '*.[15]' | wc -l)" -eq "$(echo $pages | wc -w)" ] || fail "other pages than $pages"

# quiet_pages WHAT READER...: the reader says nothing about any page; of a page with a mistake it does.
printf '.TH WRONG 1 2026-01-01\n.SH NAME\nwrong \\- page\n.NOSUCH\n\\(zz\n.nf\n' > wrong.1
quiet_pages() {
    what=$1
    shift
    "$@" wrong.1 > said 2>&1
    [ -s said ] || fail "$what says nothing of a wrong page"
    for page in $pages; do
        "$@" "$made/$page" > said 2>&1
        [ ! -s said ] || fail "$what on $page: $(head -n 1 said)"
    done
}
if command -v mandoc > /dev/null; then
    quiet_pages 'mandoc -Tlint' mandoc -Tlint
else
    untried 'mandoc -Tlint: no mandoc'
fi
if command -v man > /dev/null && command -v groff > /dev/null; then
    quiet_pages 'man --warnings' sh -c 'MANWIDTH=80 LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 -Z "$1" 2>&1 > /dev/null' -
else
    untried 'man --warnings: no man'
fi

# What roff has escaped is put back; the whole of the tables is in the pages.
plain() {
    sed 's/\\-/-/g; s/\\f[BIR]//g; s/\\(aq/'\''/g; s/\\e/\\/g' "$1"
}
for command in $commands; do
    plain "$made/dpsvm-$command.1" > page
    "$DPSVM" help "$command" | sed -n '/^flags:/,/^options:/s/^ *\(-[a-z], \)\{0,1\}\(--[a-z]*\).*/\2/p' > flags
    [ -s flags ] || fail "help $command has no flags"
    while read -r flag; do
        grep -q -e "$flag" page || fail "dpsvm-$command.1 lacks $flag"
    done < flags
done
plain "$made/dpsvm.ini.5" > page
sed -n 's/^OPTION(\([a-z]*\), \([A-Za-z0-9_]*\),.*/\1 \2/p' "$SOURCE/src/config/options.def" > options
[ "$(wc -l < options)" -gt 30 ] || fail 'the option table was not read'
while read -r section key; do
    awk -v s="\"[$section]\"" -v k="$key" '/^\.SH/ { inside = $2 == s } inside && $1 == k && $2 == "=" { found = 1 }
        END { exit !found }' page || fail "dpsvm.ini.5 lacks $section.$key"
done < options
sed -n 's/^| `\([a-z._]*\)` .*/\1/p' "$SOURCE/docs/model_format.md" > keys
[ "$(wc -l < keys)" -gt 30 ] || fail 'docs/model_format.md was not read'
plain "$made/dpsvm-model.5" > page
while read -r key; do
    grep -q "^$key" page || fail "dpsvm-model.5 lacks $key"
done < keys
grep -qF '](' page && fail "links are left in dpsvm-model.5: $(grep -F '](' page | head -n 1)"

run 0 "$DPSVM" help man
same out "$made/dpsvm.1"
refused 2 'no manual page of frobnicate; expected dpsvm, config or a command' "$DPSVM" help man frobnicate
refused 2 'help completion fish: expected bash or zsh' "$DPSVM" help completion fish
refused 2 'expected one word' "$DPSVM" help train predict

# --- completion -----------------------------------------------------------------------------------------------------

: > a.dpsvm
: > rows.svm
mkdir sub
cp "$made/completion.bash" "$made/completion.zsh" .
run 0 "$DPSVM" help completion
same out completion.bash
run 0 "$DPSVM" help completion bash
same out completion.bash
run 0 "$DPSVM" help completion zsh
same out completion.zsh
"$DPSVM" help completion > sub/c # completion itself completes files of this folder

# As bash calls it: words cut at =.
in_bash() {
    bash -c '. ./completion.bash; compopt() { :; }
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _dpsvm; printf "%s\n" "${COMPREPLY[@]}"' - "$@"
}
# As zsh calls it, with a completion system that prints what it is given and does not ask a terminal.
cat > asked.zsh <<'END'
compdef() { }
compset() { PREFIX=${PREFIX##${~2}} }
compadd() { local at=${@[(i)--]}; print -rl -- ${(M)@[at+1,-1]:#$PREFIX*} }
_describe() { local -a names=(${${(P)2}%%:*}); print -rl -- ${(M)names:#$PREFIX*} }
_files() { [[ $1 == -g ]] && print -rl -- $PREFIX${~2}(N) *(/N) || print -rl -- $PREFIX*(N) }
source ./completion.zsh
words=("$@") CURRENT=$# PREFIX=$@[-1]
_dpsvm
END
in_zsh() {
    zsh -f asked.zsh "$@"
}

# completes EXPECTED WORD...: the last word becomes EXPECTED, words with blanks between, or nothing.
completes() {
    expected=$1
    shift
    step="$shell: $*"
    if [ "$shell" = bash ]; then # --key=value is three words there
        for word in "$@"; do
            shift
            case $word in
            --*=*) set -- "$@" "${word%%=*}" = ${word#*=} ;;
            *) set -- "$@" "$word" ;;
            esac
        done
    fi
    found=$("in_$shell" "$@" 2> err | sort | tr '\n' ' ' | sed 's/^ *//; s/ *$//')
    [ ! -s err ] || fail "$(cat err)"
    [ "$found" = "$expected" ] || fail "completed to \"$found\", expected \"$expected\""
    step=''
}
# knows WORD WORDS...: among what the words are completed to.
knows() {
    wanted=$1
    shift
    step="$shell: $*"
    "in_$shell" "$@" 2> err | grep -qx -e "$wanted" || fail "$wanted is not offered"
    step=''
}

for shell in bash zsh; do
    if ! command -v $shell > /dev/null; then
        untried "completion in $shell: no $shell"
        continue
    fi
    $shell -n completion.$shell || fail "syntax of completion.$shell"
    completes "$(echo $commands | tr ' ' '\n' | sort | tr '\n' ' ' | sed 's/ $//')" dpsvm ''
    completes 'predict' dpsvm pre
    completes '--scores' dpsvm predict --sc
    completes '--solver.C=' dpsvm train --solver.C
    completes '' dpsvm predict --solver.C
    completes '' dpsvm info --data.format
    completes '--run.threads=' dpsvm info --run.th
    completes 'auto off on' dpsvm train --map.h01=
    completes 'rbf' dpsvm train --kernel.type=r
    completes 'off on' dpsvm train --data.zero_based=
    completes 'off' dpsvm train --data.zero_based of
    completes 'auto' dpsvm train --solver.C ''
    completes '' dpsvm train --kernel.degree ''
    completes '--tune.solver.loss=' dpsvm tune --tune.solver.lo
    completes '' dpsvm train --tune.solver.lo
    completes 'hinge' dpsvm tune --tune.solver.loss h
    completes "$([ $shell = zsh ] || echo hinge,)logistic" dpsvm tune --tune.solver.loss=hinge,l
    completes 'csv text' dpsvm predict a.dpsvm --format ''
    completes 'csv json table' dpsvm kernel --format ''
    completes 'accuracy balanced f1' dpsvm evaluate a.dpsvm --threshold ''
    completes '' dpsvm predict a.dpsvm --threshold ''
    completes 'a.dpsvm sub' dpsvm predict ''
    completes 'rows.svm' dpsvm predict a.dpsvm r
    completes 'rows.svm' dpsvm train -q r
    completes 'rows.svm' dpsvm train -o r
    completes 'rows.svm' dpsvm train --data.train=r
    completes 'rows.svm' dpsvm train --data.weights=r
    completes 'data features linalg scale solver' dpsvm bench ''
    completes '' dpsvm version ''
    completes 'train transform tune' dpsvm help man t
    completes 'bash zsh' dpsvm help completion ''
    completes '' dpsvm help solver.C solver
    for word in train config solver.C; do
        knows "$word" dpsvm help "$(echo "$word" | cut -c1)"
    done
done

# All values of all options, by both shells alike; those of --format are taken by the commands they are offered for.
sed 's/\(.*\) \(.*\)/--\1.\2/' options > dashed
values='while read -r key; do found=; _dpsvm_values train $key; echo "$key $found"; done < dashed'
command -v bash > /dev/null && bash -c ". ./completion.bash; $values" > values.bash
command -v zsh > /dev/null && zsh -f -c "compdef() { }; . ./completion.zsh; $values" > values.zsh
[ ! -s values.bash ] || [ ! -s values.zsh ] || same values.bash values.zsh
for list in values.*; do
    [ ! -s "$list" ] || [ "$(grep -c ' [a-z]' "$list")" -gt 25 ] || fail "$list: few options have values"
    [ "$(grep -c ' $' "$list")" -eq 0 ] || fail "no value is known of $(grep -m 1 ' $' "$list")"
done
for command in predict transform kernel; do
    files='a.dpsvm rows.svm'
    [ $command != kernel ] || files=rows.svm
    for value in $(sed -n "s/^ *'$command --format') found=\"\(.*\)\" ;;/\1/p" completion.bash) none; do
        "$DPSVM" $command $files --format "$value" 2>&1 | grep -q -e '--format.*expected' && echo "$value"
    done > refused_formats
    [ "$(cat refused_formats)" = none ] || fail "$command --format refuses $(tr '\n' ' ' < refused_formats)"
done

finish
