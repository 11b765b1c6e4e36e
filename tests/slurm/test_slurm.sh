#!/bin/sh
# The scripts of configs/slurm on a real Slurm: a cluster of this one machine, on loopback, started and ended here.
# Skipped (77) where that cannot be: needs root and Debian's slurm-wlm and munge, which it installs when they are missing.
. "$SOURCE/tests/cli/check.sh"

skip() {
    echo "skipped: $*"
    exit 77
}
[ "${DPSVM_FRESH:-on}" != off ] || skip "not in a system made for a test (tests/fresh)"
[ "$(id -u)" -eq 0 ] || skip "needs root"
for program in slurmctld slurmd sbatch munged; do
    command -v $program > out || missing=yes
done
if [ -n "${missing:-}" ]; then
    timeout 60 apt-get install -y --no-install-recommends slurm-wlm munge > apt.log 2>&1 || skip "cannot install slurm-wlm"
fi

top=$PWD
host=$(hostname -s)
started=""
# Ends what was started here, and waits for it.
stop_all() {
    for name in slurmd slurmctld; do
        [ -s "$top/$name.pid" ] || continue
        daemon=$(cat "$top/$name.pid")
        kill "$daemon" 2> kill.err
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            [ -n "$(tr -d '\0' < "/proc/$daemon/cmdline" 2> kill.err)" ] && sleep 1
        done
    done
    [ -n "$started" ] && kill "$(cat /run/munge/munged.pid)" 2> kill.err
}
trap stop_all EXIT

if ! munge -n 2> munge.err | unmunge > out 2> munge.err; then
    mkdir -p /etc/munge /run/munge /var/log/munge /var/lib/munge
    [ -s /etc/munge/munge.key ] || dd if=/dev/urandom of=/etc/munge/munge.key bs=1024 count=1 2> munge.err
    chown -R munge: /etc/munge /run/munge /var/log/munge /var/lib/munge
    chmod 400 /etc/munge/munge.key
    chmod 755 /run/munge
    su -s /bin/sh munge -c '/usr/sbin/munged --force' > munge.err 2>&1 || skip "munged does not start"
    started=yes
fi
mkdir state spool
cat > slurm.conf <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
AuthType=auth/munge
SlurmUser=root
SlurmdUser=root
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=$top/state
SlurmdSpoolDir=$top/spool
SlurmctldPidFile=$top/slurmctld.pid
SlurmdPidFile=$top/slurmd.pid
SlurmctldLogFile=$top/slurmctld.log
SlurmdLogFile=$top/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
JobRequeue=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=1000
PartitionName=all Nodes=$host Default=YES State=UP
CONF
SLURM_CONF=$top/slurm.conf
export SLURM_CONF
slurmctld -f "$SLURM_CONF" > ctld.out 2>&1 || skip "slurmctld does not start: $(tail -2 ctld.out)"
slurmd -f "$SLURM_CONF" -N "$host" > slurmd.out 2>&1 || skip "slurmd does not start: $(tail -2 slurmd.out)"

# wait_until SECONDS COMMAND...
wait_until() {
    left=$(($1 * 5))
    shift
    until "$@" > wait.out 2>&1; do
        left=$((left - 1))
        [ $left -gt 0 ] || return 1
        sleep 0.2
    done
}
idle() {
    sinfo -h -o %T | grep -q idle
}
wait_until 20 idle || skip "the node does not become idle: $(tail -2 slurmctld.log)"

rows 93 6000 8 | awk '{ $1 = NR % 7 == 0 ? -$1 : $1; print }' > job.svm
cat > job.ini <<'INI'
[data]
train = job.svm
[map]
features = 200
[solver]
type = dcd
C = 1000
tolerance = 1e-14
max_iterations = 1500
[output]
model = job.model
INI
run 0 "$DPSVM" train job.ini --output.model=whole.model
export DPSVM
submit() {
    CONFIG=job.ini sbatch --parsable --cpus-per-task=1 --mem=0 --time=10 "$1"
}
ended() {
    squeue -h -j "$1" -o %T | grep -q . && return 1
    return 0
}

# One node: the exit code is dpsvm's, the threads are Slurm's.
job=$(submit "$SOURCE/configs/slurm/single.sbatch")
wait_until 40 ended "$job" || fail "the single job does not end: $(squeue)"
same whole.model "dpsvm-$job.dpsvm"
grep -q '1 thread (SLURM_CPUS_PER_TASK)' "dpsvm-$job.log" || fail "threads: $(head -1 "dpsvm-$job.log")"

# Stopped by Slurm in the middle, requeued by the script, gone on with: the same bytes.
job=$(submit "$SOURCE/configs/slurm/preemptible.sbatch")
wait_until 20 test -s "dpsvm-$job.jsonl" || fail "the job does not start: $(squeue)"
run 0 scancel --signal=USR1 --batch "$job"
wait_until 20 test -s "dpsvm-$job.ckpt" || fail "no checkpoint: $(tail -3 "dpsvm-$job.log")"
pending() {
    squeue -h -j "$job" -o %T | grep -q PENDING
}
wait_until 20 pending || fail "not requeued: $(squeue)"
# Slurm lets a requeued job wait for two minutes
scontrol update JobId="$job" StartTime=now
done_again() {
    [ -s "dpsvm-$job.dpsvm" ]
}
wait_until 40 done_again || fail "the requeued job does not end: $(squeue) $(tail -3 "dpsvm-$job.log")"
grep -q '^resuming dcd after iteration' "dpsvm-$job.log" || fail "not resumed: $(tail -5 "dpsvm-$job.log")"
same whole.model "dpsvm-$job.dpsvm"

# A search in the tasks of an array, and the job that puts it together: the table and the model of one process.
rows 94 1500 6 > search.svm
cat > search.ini <<'INI'
[data]
train = search.svm
[map]
features = 60
[tune]
solver.C = 0.1, 1
map.features = 40, 60
folds = 3
INI
mkdir alone
run 0 "$DPSVM" tune search.ini --tune.table=alone/tune.csv --tune.ini=alone/best.ini --tune.journal=alone/journal \
    --output.model=alone/model.dpsvm
job=$(CONFIG=search.ini sbatch --parsable --cpus-per-task=1 --mem=0 --time=10 --array=1-3 \
    "$SOURCE/configs/slurm/tune_array.sbatch")
after=$(CONFIG=search.ini sbatch --parsable --cpus-per-task=1 --mem=0 --time=10 --dependency="afterok:$job" \
    "$SOURCE/configs/slurm/tune_collect.sbatch")
wait_until 60 ended "$after" || fail "the collecting job does not end: $(squeue)"
same alone/tune.csv tune.csv
same alone/model.dpsvm "dpsvm-$after.dpsvm"
grep -q 'read from journals, 0 computed' "dpsvm-tune-$after.log" || fail "collected anew: $(cat "dpsvm-tune-$after.log")"

# Ranks: with MPI, and where srun knows PMIx.
if [ -z "${MPIEXEC:-}" ] || ! srun --mpi=list 2>&1 | grep -q pmix; then
    echo "without ranks: no MPI, or srun has no PMIx"
    finish
fi
run 0 "$DPSVM" predict whole.model job.svm --scores -o one.scores -q
run 0 srun --mpi=pmix -n 2 --overcommit "$DPSVM" predict whole.model job.svm --scores -o two.scores -v
same one.scores two.scores
says '^ranks? 0'
step="mpi.sbatch"
sed 's/^type = dcd/type = newton/; s/1e-14/1e-6/; s/^C = 1000/C = 1/' job.ini > ranks.ini
run 0 "$DPSVM" train ranks.ini --output.model=whole_ranks.model
job=$(CONFIG=ranks.ini sbatch --parsable --nodes=1 --ntasks-per-node=2 --cpus-per-task=1 --mem=0 --time=10 \
    "$SOURCE/configs/slurm/mpi.sbatch")
wait_until 60 ended "$job" || fail "the job of ranks does not end: $(squeue)"
same whole_ranks.model "dpsvm-$job.dpsvm"
grep -q '2 ranks' "dpsvm-$job.log" || fail "not two ranks: $(head -3 "dpsvm-$job.log")"
step=""

# One program in a job of several tasks, started without srun, is alone; two that srun does not connect say so.
cat > plain.sh <<'SH'
#!/bin/sh
exec "$DPSVM" train ranks.ini --output.model=plain.model
SH
job=$(sbatch --parsable --ntasks=2 --mem=0 --time=10 --output=plain.log plain.sh)
wait_until 40 ended "$job" || fail "the plain job does not end: $(squeue)"
same whole_ranks.model plain.model
grep -q '^note: SLURM_NTASKS = 2' plain.log || fail "no note: $(head -3 plain.log)"
run 0 srun --mpi=none -n 2 "$DPSVM" train ranks.ini --output.model=twice.model
says 'warning: SLURM_STEP_NUM_TASKS = 2: .* --mpi=pmix'

# A rank that fails, or is killed, ends the step; one message.
run 3 srun --mpi=pmix -n 2 --kill-on-bad-exit=1 "$DPSVM" train plain.sh --data.format=libsvm --kernel.type=polynomial
[ "$(grep -c '^dpsvm: plain.sh:2' err)" -eq 1 ] || fail "the error is not told once: $(cat err)"
mkfifo pipe
srun --mpi=pmix -n 2 --kill-on-bad-exit=1 "$DPSVM" predict whole.model "$PWD/pipe" > out 2> err &
step_process=$!
exec 9> pipe
their_ranks() {
    for process in $(pgrep -f "predict whole.model $PWD/pipe"); do
        [ "$(cat "/proc/$process/comm" 2> comm.err)" != dpsvm ] || echo "$process"
    done
}
two_run() {
    [ "$(their_ranks | wc -l)" -eq 2 ]
}
wait_until 20 two_run || fail "the ranks do not start"
kill -9 "$(their_ranks | tail -n 1)"
wait $step_process && fail "a step that lost a rank ends well"
exec 9>&-

finish
