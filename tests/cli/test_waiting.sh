#!/bin/sh
# Threads that wait sleep, unless the user says otherwise; as the OpenMP runtime itself tells what it goes by.
. "$SOURCE/tests/cli/check.sh"

unset OMP_WAIT_POLICY GOMP_SPINCOUNT KMP_BLOCKTIME OMP_NUM_THREADS
rows 71 900 6 > rows.svm

# told WORDS...: a short training on two threads, with these words of env; the runtime says what it goes by.
told() {
    run 0 env "$@" OMP_DISPLAY_ENV=verbose "$DPSVM" train rows.svm --run.threads=2 --map.features=20 -q
}

# starts COUNT: the runtime was started so many times.
starts() {
    [ "$(grep -c 'DISPLAY ENVIRONMENT BEGIN' err)" -eq "$1" ] || fail "not $1 start(s)"
}

told OMP_STACKSIZE=2M
if grep -q KMP_BLOCKTIME err; then # LLVM's and Intel's
    asleep="KMP_BLOCKTIME *= *'0'"
    own=KMP_BLOCKTIME=33
    obeyed="KMP_BLOCKTIME *= *'33'"
elif grep -q GOMP_SPINCOUNT err; then # GCC's
    asleep="GOMP_SPINCOUNT *= *'0'"
    own=GOMP_SPINCOUNT=77
    obeyed="GOMP_SPINCOUNT *= *'77'"
else
    echo "skipped: this OpenMP runtime does not tell how its threads wait" >&2
    exit 77
fi
says "$asleep"
starts 1

# The user's word is kept.
told "$own"
says "$obeyed"
told OMP_WAIT_POLICY=active
says "OMP_WAIT_POLICY *= *'ACTIVE'"
grep -Eq "$asleep" err && fail "OMP_WAIT_POLICY=active is not obeyed"

# Whatever the environment holds; with nothing in it that could lend its place, by a second start.
told -i PATH="$PATH"
says "$asleep"
starts 1
told -i OMP_NUM_THREADS=3
says "$asleep"
run 0 env -i OMP_DISPLAY_ENV=verbose "$DPSVM" train rows.svm --run.threads=1 --map.features=20 -q
starts 1 # one thread needs no second
run 0 env -i "$DPSVM" train rows.svm --run.threads=2 --map.features=20 --output.model='second start' -q
run 0 "$DPSVM" train rows.svm --run.threads=2 --map.features=20 --output.model=first -q
same first 'second start'
finish
