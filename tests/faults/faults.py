"""Injected faults: every command with the n-th call failing, against what docs/security.md promises.

    faults.py alloc [--most N] [--stride N]     the n-th allocation fails
    faults.py io [--most N] [--stride N]        the n-th read, write, close, ... fails (inject.c: kinds)
    faults.py kill [--times N]                  kill -9 at random moments, then the same command again
    faults.py ranks                             allocations and reads on one of two ranks
    faults.py full                              a file system that is full (needs root: a tmpfs of its own)
    faults.py valgrind                          no byte without a value is written
    faults.py planted                           a program with a bug of each kind: are they found?
    --only WORD   commands whose names hold it        --table FILE   what remained, as a table (Markdown)

From the environment: DPSVM, INJECT (the preloaded library), LIBRARY_USER (a program of libdpsvm), PLANTED
(planted.c), MPIEXEC.
Ends with 1 where a promise was broken, 77 where nothing could be tried.

What is held: the process ends by itself, within 20 seconds, by no signal; with status 0 and the very
bytes of a run without fault, or with status 1 and a line that names the trouble (2 or 3 where a file
changed under its reader and is now something else); what it was to write is as it was before or whole; no other file is left; no block of memory is lost."""

import argparse
import collections
import concurrent.futures
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import fault_commands

HARMLESS = ("read_short", "read_eintr", "write_short", "write_eintr")
CHANGES = ("shrink", "grow", "vanish")  # of a file while it is read
ERRORS = ("read_eio", "write_eio", "write_enospc", "write_edquot", "open_eio", "open_emfile", "close_eio", "fsync_eio",
          "rename_eio", "mmap_enomem", "truncate_eio", "fallocate_enospc", "stat_eio", "seek_eio")
OLD = b"the old one, which stays as it is\n"


class Place:
    """A folder of its own with all inputs, put right after every run."""

    def __init__(self, source):
        self.path = os.path.realpath(tempfile.mkdtemp(prefix="faults."))
        self.files = {}
        for name in os.listdir(source):
            shutil.copyfile(os.path.join(source, name), os.path.join(self.path, name))
            with open(os.path.join(source, name), "rb") as file:
                self.files[name] = file.read()

    def contents(self):
        found = {}
        for name in os.listdir(self.path):
            with open(os.path.join(self.path, name), "rb") as file:
                found[name] = file.read()
        return found

    def reset(self, found, old):
        wanted = dict(self.files)
        wanted.update({name: OLD for name in old})
        for name in found:
            if name not in wanted:
                os.unlink(os.path.join(self.path, name))
        for name, data in wanted.items():
            if found.get(name) != data:
                with open(os.path.join(self.path, name), "wb") as file:
                    file.write(data)


class Run:
    def __init__(self, status, out, err, found, calls, lost):
        self.status, self.out, self.err, self.found, self.calls, self.lost = status, out, err, found, calls, lost


def words_of(command):
    if command.program is not None:
        return [os.environ[command.program]]
    words = [os.environ["DPSVM"], *command.words]
    if command.ranks > 1:
        words = [os.environ["MPIEXEC"], "--oversubscribe", "-n", str(command.ranks), *words]
    return words


def run(command, place, fault=None, at=0, rank=None, kill_after=None):
    report = place.path + ".report"
    environment = dict(os.environ, OMP_NUM_THREADS="1", TMPDIR=place.path)
    if os.path.exists(report):
        os.unlink(report)
    if fault is not None:
        environment.update(FAULT=fault, FAULT_AT=str(at), FAULT_UNDER=place.path + "/", FAULT_REPORT=report,
                           LD_PRELOAD=os.environ["INJECT"])
    if rank is not None:
        environment["FAULT_RANK"] = str(rank)
    process = subprocess.Popen(words_of(command), cwd=place.path, env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        if kill_after is not None:
            time.sleep(kill_after)
            process.kill()
        out, err = process.communicate(timeout=60 if command.ranks > 1 else 20)
        status = process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        status = "hangs"
    calls = lost = None
    if os.path.exists(report):
        with open(report) as file:
            text = file.read()
        if "refused" in text:
            raise SystemExit(77)
        lines = text.split("\n")
        if lines[0]:
            calls, lost = map(int, lines[0].split())
    return Run(status, out, err.decode(errors="replace"), place.contents(), calls, lost)


def broken(command, fault, got, good):
    """The promise that `got` breaks, or None. good: the run without fault."""
    if got.status == "hangs" or got.status < 0:
        return f"ended by {got.status}"
    for name in command.writes:
        is_new = name in got.found and got.found[name] == good.found.get(name)
        if got.found.get(name) != OLD and not is_new and fault not in CHANGES:
            return f"{name} is neither old nor whole"
    known = set(good.found) | set(command.writes) | set(command.may)
    left = [name for name in got.found if name not in known]
    if left:
        return f"leaves {left[0]}"
    if got.lost:
        return f"{got.lost} blocks of memory lost"
    if got.status == 0:
        if fault not in CHANGES and ((got.out != good.out and command.steady) or
                                     any(got.found.get(name) != good.found.get(name) for name in command.writes)):
            return "status 0, and another result"
        return None
    if fault in HARMLESS:
        return f"status {got.status} where nothing was wrong: {got.err.strip()[-200:]}"
    if "dpsvm: " not in got.err:
        return f"status {got.status} without a message: {got.err.strip()[-200:]}"
    if got.status != 1 and not (got.status in (2, 3) and fault in CHANGES):
        return f"status {got.status}: {got.err.strip()[-200:]}"
    if fault == "alloc" and not re.search("memory", got.err):
        return f"no word of memory: {got.err.strip()[-200:]}"
    return None


def numbers(total, most, stride):
    """Every call up to `most`, then by a stride that gives as many again; with a stride, every so many."""
    near = range(1, min(total, most) + 1, stride)
    far = range(most + 1, total + 1, max(1, (total - most) // most)) if stride == 1 else ()
    return [*near, *far]


class Tally:
    def __init__(self):
        self.counts = collections.OrderedDict()  # (command, fault) -> Counter
        self.findings = []

    def add(self, command, fault, at, got, good):
        cell = self.counts.setdefault((command.name, fault), collections.Counter())
        trouble = broken(command, fault, got, good)
        if trouble is not None:
            cell["broken"] += 1
            self.findings.append(f"{command.name}: {fault} {at}: {trouble}")
            return
        old = all(got.found.get(name) == OLD for name in command.writes)
        cell["done" if got.status == 0 else "error, old" if old else "error, new"] += 1


def reference(command, place):
    for words in command.needs:
        made = subprocess.run([os.environ["DPSVM"], *words.split()], cwd=place.path, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE)
        if made.returncode not in (0, 75):  # 75: a checkpoint is there
            raise SystemExit(f"{command.name}: {words} fails: {made.stderr.decode()}")
        place.files = {name: data for name, data in place.contents().items() if name not in command.writes}
    place.reset(place.contents(), command.writes)
    good = run(command, place)
    place.reset(good.found, command.writes)
    if good.status != 0:
        raise SystemExit(f"{command.name} fails without a fault: {good.err}")
    return good


def one_command(command, source, faults, options, chosen):
    """[(fault, at, run)] of one command in a place of its own."""
    place = Place(source)
    results = []
    good = reference(command, place)
    again = run(command, place)
    place.reset(again.found, command.writes)
    stable = all(again.found.get(name) == good.found.get(name) for name in command.writes) and (again.out == good.out or not command.steady)
    if not stable:
        raise SystemExit(f"{command.name}: two runs without a fault differ")
    for fault in faults:
        total = run(command, place, fault, 10 ** 9)
        place.reset(total.found, command.writes)
        for at in chosen(total.calls or 0):
            got = run(command, place, fault, at)
            results.append((fault, at, got))
            place.reset(got.found, command.writes)
            got.found = {name: data for name, data in got.found.items()
                         if name in command.writes or name not in good.found}
    shutil.rmtree(place.path)
    return command, good, results


def try_calls(commands, source, faults, options, tally):
    def chosen(total):
        return numbers(total, options.most, options.stride)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for command, good, results in pool.map(lambda c: one_command(c, source, faults, options, chosen), commands):
            for fault, at, got in results:
                tally.add(command, fault, at, got, good)


def try_kills(commands, source, options, tally):
    """kill -9: what was to be written is old or whole, and the same command then gives what it should, leaving nothing."""
    moments = random.Random(1)
    for command in [c for c in commands if c.writes and c.program is None]:
        place = Place(source)
        good = reference(command, place)
        begun = time.monotonic()
        place.reset(run(command, place).found, command.writes)
        lasts = time.monotonic() - begun
        kills = [(None, moments.uniform(0, 1.1 * lasts)) for _ in range(options.times)]
        kills += [(kind, at) for kind in ("kill_write", "kill_rename") for at in range(1, 1 + options.times)]
        cell = tally.counts.setdefault((command.name, "kill -9"), collections.Counter())
        for kind, moment in kills:
            got = run(command, place, kill_after=moment) if kind is None else run(command, place, kind, moment)
            torn = [name for name in command.writes if got.found.get(name) not in (OLD, good.found.get(name))]
            after = run(command, place)
            known = set(good.found) | set(command.may)
            left = [name for name in after.found if name not in known]
            wrong = [name for name in command.writes if after.found.get(name) != good.found.get(name)]
            place.reset(after.found, command.writes)
            if torn or left or wrong or after.status != 0:
                cell["broken"] += 1
                tally.findings.append(f"{command.name}: {kind or 'kill'} {moment}: torn {torn}, left {left}, wrong {wrong}, "
                                      f"then status {after.status} {after.err.strip()[-200:]}")
            else:
                old = all(got.found.get(name) == OLD for name in command.writes)
                cell["killed, old" if old else "killed, new"] += 1
        shutil.rmtree(place.path)


def try_ranks(source, options, tally):
    for command in fault_commands.ranks():
        place = Place(source)
        good = reference(command, place)
        for rank in (0, 1):
            for fault in ("alloc", "read_eio"):
                total = run(command, place, fault, 10 ** 9, rank)
                place.reset(total.found, command.writes)
                count = total.calls or 0
                for at in sorted({1 + count * k // options.times for k in range(options.times) if count > 0}):
                    got = run(command, place, fault, at, rank)
                    place.reset(got.found, command.writes)
                    tally.add(command, f"{fault}, rank {rank}", at, got, good)
        shutil.rmtree(place.path)


def try_planted(source):
    """The bugs of planted.c, each of which must be found; what was not is the finding."""
    planted, place = fault_commands.Command("planted", "", fault_commands.MODEL, program="PLANTED"), Place(source)
    good = reference(planted, place)
    missed = []
    for fault, at, trouble in (("alloc", 1, "ended by -11"), ("alloc", 2, "memory lost"), ("write_short", 1, "neither old nor whole"),
                               ("write_eio", 1, "neither old nor whole"), ("kill_write", 1, "ended by -9")):
        got = run(planted, place, fault, at)
        place.reset(got.found, planted.writes)
        found = broken(planted, fault, got, good)
        if found is None or trouble not in found:
            missed.append(f"planted: {fault} {at}: expected {trouble}, found {found}")
    shutil.rmtree(place.path)
    return missed


def try_valgrind(commands, source, tally):
    """Bytes without a value that a command writes or decides by, a cache's or a checkpoint's padding among them."""
    if shutil.which("valgrind") is None:
        print("not tried: no valgrind")
        return
    watched = ["valgrind", "-q", "--error-exitcode=99", "--errors-for-leak-kinds=none"]
    seen = subprocess.run([*watched, os.environ["PLANTED"]], cwd=source, capture_output=True, timeout=60)
    os.unlink(os.path.join(source, "out.model"))
    if seen.returncode != 99:
        tally.findings.append("planted: valgrind: bytes without a value were written and not seen")
    for command in [c for c in commands if c.program is None]:
        place = Place(source)
        good = reference(command, place)
        environment = dict(os.environ, OMP_NUM_THREADS="1", TMPDIR=place.path)
        got = subprocess.run([*watched, *words_of(command)], cwd=place.path, env=environment, stdin=subprocess.DEVNULL,
                             capture_output=True, timeout=300)
        found = place.contents()
        cell = tally.counts.setdefault((command.name, "valgrind"), collections.Counter())
        wrong = [name for name in command.writes if found.get(name) != good.found.get(name)]
        if got.returncode != 0 or wrong:
            cell["broken"] += 1
            tally.findings.append(f"{command.name}: valgrind: status {got.returncode}, wrong {wrong}: {got.stderr.decode()[:600]}")
        else:
            cell["done"] += 1
        shutil.rmtree(place.path)


def try_full(commands, source, tally):
    """A tmpfs with room for the inputs and a little more, for every command that writes."""
    for command in [c for c in commands if c.writes and c.program is None]:
        for spare in (0, 4096, 16384, 65536):
            place = Place(source)
            good = reference(command, place)
            size = sum(4096 * (len(data) // 4096 + 2) for data in place.files.values()) + (1 << 19) + spare
            mounted = place.path + ".full"
            os.mkdir(mounted)
            if shutil.which("mount") is None or subprocess.run(
                    ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", mounted], stderr=subprocess.DEVNULL).returncode:
                os.rmdir(mounted)
                print("not tried: a file system that is full: no file system can be mounted here")
                return
            try:
                full = Place.__new__(Place)
                full.path, full.files = mounted, place.files
                full.reset({}, command.writes)
                with open(os.path.join(mounted, "filler"), "wb") as file:
                    room = os.statvfs(mounted)
                    os.posix_fallocate(file.fileno(), 0, max(4096, room.f_bavail * room.f_bsize - spare))
                got = run(command, full)
                got.found.pop("filler")
                tally.add(command, "full disk", spare, got, good)
            finally:
                subprocess.run(["umount", mounted], check=True)
                os.rmdir(mounted)
                shutil.rmtree(place.path)


GROUPS = (
    ("n-th allocation", ("alloc",)),
    ("short, EINTR", HARMLESS),
    ("reading: EIO", ("read_eio", "stat_eio", "seek_eio")),
    ("writing: EIO, ENOSPC, EDQUOT; close, fsync, rename", ("write_eio", "write_enospc", "write_edquot", "close_eio", "fsync_eio",
                                                           "rename_eio")),
    ("open, mmap, ftruncate, fallocate", ("open_eio", "open_emfile", "mmap_enomem", "truncate_eio", "fallocate_enospc")),
    ("file shrinks, grows, vanishes", CHANGES),
    ("full disk", ("full disk",)),
    ("kill -9", ("kill -9",)),
    ("one of two ranks", tuple(f"{fault}, rank {rank}" for fault in ("alloc", "read_eio") for rank in (0, 1))),
)


def cell_of(tally, name, faults):
    """tried: right bytes / clear error and the old file / clear error and the new one / broken promises."""
    total = collections.Counter()
    for fault in faults:
        total.update(tally.counts.get((name, fault), {}))
    if not total:
        return ""
    old = total["error, old"] + total["killed, old"]
    new = total["error, new"] + total["killed, new"]
    return f"{sum(total.values())}: {total['done']} / {old} / {new} / {total['broken']}"


def write_table(path, tally, seconds):
    """Commands down, kinds of faults across."""
    with open(path, "w") as file:
        print(f"""# Faults

What is left of every command when something fails beneath it. Made by `faults.py` (tests/faults) in {seconds / 60:.0f} minutes:

    DPSVM_FAULT_TABLE=docs/evidence/faults.md ./dev.sh test -R faults.everything

A cell: faults tried: done with the right bytes / ended with a clear error and the old file / the same and the new file, whole /
promises broken (docs/security.md, What is held). A command that writes no file of its own counts under the old file. Of one kind
the first 300 calls fail one after the other, each in a run of its own, then as many again by a stride. A killed process is followed by the same
command, which must then leave what it should and nothing else. `planted.c`, a program with a bug of each kind (memory not checked, memory lost,
a short write taken for a whole one, an error not seen, a file written in place), is caught at each.
""", file=file)
        print("| command | " + " | ".join(name for name, _ in GROUPS) + " |\n| --- |" + " ---: |" * len(GROUPS), file=file)
        for name in collections.OrderedDict.fromkeys(name for name, _ in tally.counts):
            print(f"| {name} | " + " | ".join(cell_of(tally, name, faults) for _, faults in GROUPS) + " |", file=file)
        tried = sum(sum(cell.values()) for cell in tally.counts.values())
        print(f"\n{tried} faults, {len(tally.findings)} promises broken.", file=file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", nargs="+", choices=("alloc", "io", "kill", "ranks", "full", "planted", "valgrind"))
    parser.add_argument("--most", type=int, default=300)
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--only", default="")
    parser.add_argument("--table")
    options = parser.parse_args()
    commands = [c for c in fault_commands.all_commands() if options.only in c.name]
    source = tempfile.mkdtemp(prefix="faults.source.")
    tally = Tally()
    begun = time.monotonic()
    try:
        fault_commands.write_files(source, os.environ["DPSVM"])
        for what in options.what:
            if what in ("alloc", "io"):
                faults = ("alloc",) if what == "alloc" else HARMLESS + CHANGES + ERRORS
                try_calls(commands, source, faults, options, tally)
            elif what == "kill":
                try_kills(commands, source, options, tally)
            elif what == "ranks" and os.environ.get("MPIEXEC"):
                try_ranks(source, options, tally)
            elif what == "planted":
                tally.findings += try_planted(source)
            elif what == "valgrind":
                try_valgrind(commands, source, tally)
            elif what == "full":
                try_full(commands, source, tally)
    finally:
        shutil.rmtree(source)
    for finding in tally.findings[:200]:
        print(finding)
    tried = sum(sum(cell.values()) for cell in tally.counts.values())
    print(f"{tried} faults in {len({name for name, _ in tally.counts})} commands, {len(tally.findings)} promises broken")
    if options.table:
        write_table(options.table, tally, time.monotonic() - begun)
    return 1 if tally.findings else 0


if __name__ == "__main__":
    sys.exit(main())
