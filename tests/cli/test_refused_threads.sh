#!/bin/sh
# Threads that the system refuses mean fewer threads and one warning, and the same model.
. "$SOURCE/tests/cli/check.sh"

rows 7 3000 6 > train.svm
train='train train.svm --map.features=100 --kernel.type=polynomial'
run 0 "$DPSVM" $train --run.threads=1 -o one.model -q

# fewer COMMAND...: ends well, says so once, and gives one.model.
fewer() {
    run 0 "$@"
    [ "$(grep -c 'the system refuses more' err)" -eq 1 ] || fail 'not said once'
    says 'warning: [0-9]+ of [0-9]+ threads \(run.threads\): the system refuses more; ulimit -u'
    same one.model "$(ls few.model open_folder/few.model 2> /dev/null | tail -n 1)"
}

# Stacks of 100 MB in 2 GB of address space: about a dozen fit.
cat > stacks.sh <<'END_OF_SCRIPT'
ulimit -s 102400 && ulimit -v 2000000 && exec "$@"
END_OF_SCRIPT
case $("$DPSVM" version) in
*sanitize*) untried 'stacks that address space does not hold: a sanitizer needs address space of its own' ;;
*) fewer sh stacks.sh "$DPSVM" $train --run.threads=64 -o few.model ;;
esac
run 0 sh stacks.sh "$DPSVM" predict one.model train.svm --run.threads=64
says 'the system refuses more'
lines 3000 out

# A limit on processes binds everybody but root, who becomes somebody else here.
mkdir open_folder && chmod 777 open_folder
other='setpriv --reuid=64321 --regid=64321 --clear-groups'
if [ "$(id -u)" -eq 0 ] && command -v prlimit > /dev/null && $other test -r train.svm -a -x "$DPSVM" 2> /dev/null; then
    rm -f few.model
    fewer prlimit --nproc=6 $other "$DPSVM" $train --run.threads=64 -o open_folder/few.model
else
    untried 'a limit on processes: needs root, prlimit, setpriv and a folder that others may read'
fi

finish
