#!/bin/sh
# The scripts of configs/slurm on a real Slurm: a cluster of this one machine, on loopback, started and ended here.
# Skipped (77) where that cannot be: needs root and Debian's slurm-wlm and munge, which it installs when they are missing.
. "$SOURCE/tests/cli/check.sh"

skip() {
    echo "skipped: $*"
    exit 77
}
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
same whole.model job.model
grep -q '1 thread (SLURM_CPUS_PER_TASK)' "dpsvm-$job.log" || fail "threads: $(head -1 "dpsvm-$job.log")"
rm -f job.model

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
    [ -s job.model ]
}
wait_until 40 done_again || fail "the requeued job does not end: $(squeue) $(tail -3 "dpsvm-$job.log")"
grep -q '^resuming dcd after iteration' "dpsvm-$job.log" || fail "not resumed: $(tail -5 "dpsvm-$job.log")"
same whole.model job.model

finish
