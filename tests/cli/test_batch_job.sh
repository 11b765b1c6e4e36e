#!/bin/sh
# What a batch job sees: a log that grows, records of iterations, warnings of threads and launchers that do not fit,
# and the scripts of configs/slurm.
. "$SOURCE/tests/cli/check.sh"

rows 91 900 5 > rows.svm

# A run that waits for its input says that it is alive, at least every 30 seconds; looked at in the end.
mkfifo pipe
"$DPSVM" train pipe --data.format=libsvm > waiting.log 2>&1 &
waiting=$!
sleep 60 > pipe &
holder=$!
began=$(date +%s)

# run.log: one JSON object an iteration, as many as the log says, appended to by the next run.
run 0 "$DPSVM" train rows.svm --solver.type=dcd --solver.tolerance=1e-5 --run.log=log.jsonl --output.report=report.json
passes=$(sed -n 's/^solver: dcd converged after \([0-9]*\) passes$/\1/p' err)
lines "${passes:-0}" log.jsonl
grep -Evq '^\{"stage":"dcd","iteration":[0-9]+,"seconds":[0-9.e-]+,"objective":[0-9.e+-]+,"gap":[0-9.e+-]+,"target":1e-05\}$' \
    log.jsonl && fail "a record that is no record: $(head -1 log.jsonl)"
run 0 "$DPSVM" train rows.svm --solver.type=dcd --solver.tolerance=1e-5 --run.log=log.jsonl -q
lines $((2 * ${passes:-0})) log.jsonl
refused 1 'no/log.*run.log' "$DPSVM" train rows.svm --run.log=no/log -q
refused 2 'data.train and run.log are both' "$DPSVM" train rows.svm --run.log=rows.svm -q

# More threads than processors: done as asked, with a warning; as many as there are: none.
if command -v taskset > no; then
    cpu=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
    run 0 taskset -c "$cpu" "$DPSVM" train rows.svm --run.threads=2
    says 'warning: 2 threads \(run.threads\) on 1 processor '
    run 0 taskset -c "$cpu" "$DPSVM" train rows.svm
    says ': 1 thread'
    grep -q warning err && fail "a warning without a reason"
fi

# A launcher that starts several programs; a batch job of several tasks.
for launcher in OMPI_COMM_WORLD PMI; do
    run 0 env ${launcher}_SIZE=4 ${launcher}_RANK=1 "$DPSVM" train rows.svm
    says "warning: ${launcher}_SIZE = 4: .* is 1 program"
    run 0 env ${launcher}_SIZE=1 ${launcher}_RANK=0 "$DPSVM" train rows.svm
    grep -q "$launcher" err && fail "a warning for one program"
done
run 0 env SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=1 "$DPSVM" train rows.svm
says "warning: SLURM_STEP_NUM_TASKS = 2: .* is 1 program"
run 0 env SLURM_NTASKS=4 "$DPSVM" train rows.svm
says '^note: SLURM_NTASKS = 4'

# Four writers of one model at once: one of them wins, whole.
pids=""
for rank in 0 1 2 3; do
    OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=$rank "$DPSVM" train rows.svm --output.model=shared.model -q &
    pids="$pids $!"
done
for process in $pids; do
    wait "$process" || fail "one of four failed"
done
run 0 "$DPSVM" train rows.svm --output.model=alone.model -q
same alone.model shared.model

# The scripts are sh, and name options that exist.
for script in "$SOURCE"/configs/slurm/*.sbatch; do
    run 0 sh -n "$script"
done

# The preemptible script without Slurm: requeued when stopped, with the same model in the end.
mkdir bin
printf '#!/bin/sh\necho "$@" >> requeued\n' > bin/scontrol
chmod +x bin/scontrol
rows 92 4000 8 | awk '{ $1 = NR % 7 == 0 ? -$1 : $1; print }' > job.svm
cat > job.ini <<'INI'
[data]
train = job.svm
[map]
features = 200
[solver]
type = dcd
C = 1000
tolerance = 1e-14
max_iterations = 1000
[output]
model = job.model
INI
start_job() {
    rm -f job.log
    PATH="$PWD/bin:$PATH" SLURM_JOB_ID=7 DPSVM="$DPSVM" CONFIG=job.ini MOST_STARTS=3 SLURM_RESTART_COUNT=$1 \
        sh "$SOURCE/configs/slurm/preemptible.sbatch" > job.log 2>&1 &
    job=$!
    tries=0
    while [ ! -s dpsvm-7.jsonl ] && [ $tries -lt 200 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
}
step="preemptible.sbatch"
start_job 0
kill -USR1 $job
wait $job
status=$?
touch requeued
[ $status -eq 0 ] || fail "status $status after USR1: $(cat job.log)"
lines 1 requeued
[ -e dpsvm-7.ckpt ] || fail "no checkpoint: $(cat job.log)"
rm dpsvm-7.jsonl
start_job 3
kill -TERM $job
wait $job
status=$?
[ $status -eq 75 ] || fail "status $status after the last start: $(cat job.log)"
lines 1 requeued
start_job 1
wait $job
status=$?
[ $status -eq 0 ] || fail "status $status in the end: $(cat job.log)"
grep -q '^resuming dcd after iteration' job.log || fail "not resumed: $(cat job.log)"
[ ! -e dpsvm-7.ckpt ] || fail "the checkpoint is still there"
run 0 "$DPSVM" train job.ini --output.model=whole.model
same whole.model dpsvm-7.dpsvm
# A model a job, also by the other scripts; MODEL names another place.
for id in 11 12; do
    run 0 env SLURM_JOB_ID=$id CONFIG=job.ini DPSVM="$DPSVM" SLURM_JOB_NAME= sh "$SOURCE/configs/slurm/single.sbatch"
    same whole.model dpsvm-$id.dpsvm
done
run 0 env SLURM_JOB_ID=13 CONFIG=job.ini DPSVM="$DPSVM" MODEL=mine.model sh "$SOURCE/configs/slurm/single.sbatch"
same whole.model mine.model
for script in single mpi preemptible tune_collect; do
    grep -q 'output\.model="${MODEL:-dpsvm-' "$SOURCE/configs/slurm/$script.sbatch" || fail "$script.sbatch writes one name for all jobs"
done
step=""

while [ $(($(date +%s) - began)) -lt 29 ]; do
    sleep 1
done
grep -q 'at work\|^read' waiting.log || fail "nothing was said while waiting: $(cat waiting.log)"
kill -TERM $waiting $holder
wait $waiting
[ $? -eq 143 ] || fail "the run that waits was not ended by the signal"

finish
