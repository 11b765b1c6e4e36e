#!/bin/sh
# Which files the commands that use a model open, and that they run nothing: after the loader's work the kernel is asked
# for the named files, for /proc and /sys, and for nothing else; what is opened for writing is what was named, or its
# temporary name beside it. The model's texts read like paths and commands.
. "$SOURCE/tests/cli/check.sh"

# traced COMMAND...: its calls to ./seen (see inject.c)
traced() {
    rm -f seen
    step="$*"
    LD_PRELOAD=$INJECT FAULT=trace FAULT_AT=0 FAULT_REPORT=$PWD/seen "$@" > out 2> err
    status=$?
    if [ $status -eq 99 ]; then
        echo 'skipped: the kernel allows no seccomp filter here'
        exit 77
    fi
    [ $status -eq 0 ] || fail "status $status"
}

# The trace sees what it is to see: a file that is read, one that is written, a program.
: > victim
traced sh -c 'read x < /etc/passwd; echo > victim; /bin/true; exit 0'
for line in 'open /etc/passwd' 'create victim' 'exec /bin/true'; do
    grep -Fqx "$line" seen || fail "not traced: $line"
done

awk 'BEGIN { srand(3); print "$(touch ran),/etc/hostname,name,|id"; for (i = 0; i < 300; i++) { a = rand()
    printf "%.3f,%s,row%d,%s\n", a, (i % 3 ? "/etc/passwd" : "../other.csv"), i, (a > 0.5 ? "/etc/group" : "`touch ran`") } }' > t.csv
run 0 "$DPSVM" train t.csv '--data.label_column=|id' --data.id_column=name --kernel.type=rbf --map.features=50 --solver.probability=on \
    --output.self_test=on -o m.model -q
run 0 "$DPSVM" train t.csv '--data.label_column=|id' --data.id_column=name --kernel.type=linear -o plain.model -q

# only READ WRITTEN COMMAND...: files beside /proc and /sys that it may read, and write ("": none); more in several words
only() {
    read=$1
    written=$2
    shift 2
    traced "$@"
    { grep -Ev '^open /(proc|sys)/|^[0-9]+ [0-9]+$' seen || true; } | while read -r what path; do
        case $what in
        open) allowed=$read ;;
        create) allowed="$written $read" path=$(echo "$path" | sed -E 's#^(.*/)?\.([^/]*)\.tmp-[^/]*$#\2#') ;;
        *) allowed='' ;;
        esac
        path=${path#"$PWD"/}
        case " $allowed /dev/null " in
        *" $path "*) [ "$what" = open ] || case " $written /dev/null " in *" $path "*) ;; *) echo "$what $path" ;; esac ;;
        *) echo "$what $path" ;;
        esac
    done > others
    # a folder is opened to make a renamed file durable
    [ -n "$written" ] && sed -i -E '/^open (\.|'"$(echo "$PWD" | sed 's#[/.]#\\&#g')"')$/d' others
    [ ! -s others ] || fail "also: $(tr '\n' ';' < others)"
    for file in $read; do
        grep -Eq "^open (.*/)?$file\$" seen || fail "the trace has no $file"
    done
}
for model in m.model plain.model; do
    only "$model t.csv" '' "$DPSVM" predict $model t.csv
    only "$model t.csv" 'x.txt x.json' "$DPSVM" predict $model t.csv --format csv -o x.txt --report x.json
    only "$model t.csv" 'x.svg x.json' "$DPSVM" evaluate $model t.csv --plot x.svg --report x.json
    only "$model t.csv" 'z.npy' "$DPSVM" transform $model t.csv --format npy -o z.npy
    only "$model" '' "$DPSVM" info $model
    only "$model" '' "$DPSVM" info $model --json
    only "$model" '' "$DPSVM" info $model --verify
done
only 'm.model t.csv' '' "$DPSVM" predict m.model t.csv --proba
only 'm.model t.csv' '' "$DPSVM" evaluate m.model t.csv --importance
[ ! -e ran ] || fail 'a text of the model was run'
finish
