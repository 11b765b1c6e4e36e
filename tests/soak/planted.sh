#!/bin/sh
# The program with a bug that soak.py must find: PLANTED says which, REAL is the program. (soak.py --planted)
command=$1
if [ "$command" = help ]; then
    exec "$REAL" "$@"
fi
case $PLANTED in
crash) ! grep -q '^features' config.ini 2>/dev/null || kill -SEGV $$ ;;
hang)
    trap '' TERM
    sleep 5
    ;;
sanitizer) echo 'x.c:1:1: runtime error: planted' >&2 ;;
esac
"$REAL" "$@" >planted.out 2>planted.err
status=$?
case $PLANTED-$command-$status in
message-*-[123]) sed -i 's/^dpsvm: \(.*: \)*.*/dpsvm: something went wrong, please try again/' planted.err ;;
exit-*-[123]) status=7 ;;
torn-train-[123]) : >model.dpsvm ;;
left-train-0) : >model.dpsvm.tmp ;;
nan-predict-0) sed -i '1s/^[^ ]*/nan/' planted.out ;;
json-info-0) sed -i 's/"format_version":/"planted": NaN, &/' planted.out ;;
bytes-train-0) case $* in *run.threads=*) echo >>model.dpsvm ;; esac ;;
answers-predict-0) case $* in *run.threads=*) echo >>planted.out ;; esac ;;
esac
cat planted.err >&2
cat planted.out
rm -f planted.err planted.out
exit $status
