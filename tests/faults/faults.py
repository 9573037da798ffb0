#!/usr/bin/env python3
"""Disturbs runs in many ways: faults.py PROGRAM FAILING_CALLS [--faults N] [--first K] [--seed S] [--jobs J] [--json FILE]

Each fault combines a random deck and number of ranks with one of these: a kill of a rank, of a launcher or of all; a signal
that requests an end; a process that is suspended for a while; a disk that is full or fails (by the library FAILING_CALLS),
in a run or in a continued one; flipped bits or missing bytes in a file of a finished run; an exception at a given site;
refused memory. After each fault:

- the run has ended within ten seconds, not counting the time of suspension, and no process of it is left;
- its exit code is valid, its summary says `done` if and only if the code is 0, and then its output equals that of an
  undisturbed run;
- the files on disk are intact according to `halocline verify`, or the damage is named if a file was damaged;
- a continued run ends like the undisturbed one, to the bit, or names what is damaged."""

import argparse
import concurrent.futures
import errno
import json
import os
import pathlib
import platform
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/restart"))
from decks import ADVECTION, CG, CHEBYSHEV, EULER, GMRES, GRAY_SCOTT, HEAT, NBODY, WAVE, Deck, steps  # noqa: E402
from runs import Failure, Undisturbed, compare, datasets  # noqa: E402

OUTPUT = "\noutput:\n  scalars: {interval: 2}\n  snapshots: {interval: %d}\n"
STATIONARY = """
physics: laplace
mesh: {cells: [60, 50]}
laplace: {source: sin(3*x)*y}
solver: {method: jacobi, jacobi: {iterations: 1000000, relative_tolerance: 1e-8}}
"""
IO_RANKS = "\nio: {ranks: 1}\n"

# Seconds within which a run that cannot continue must end.
TIMEOUT = 10
CODES = (0, 2, 3, 4, 5, 70)
ASKING = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP)
SITES = ("deck", "allocation", "pack", "wait", "reduction", "solve", "hdf5_write", "checkpoint")
WRITING = ("open", "write", "pwrite", "fsync", "ftruncate", "posix_fallocate", "close", "rename", "mkdir")
READING = ("open to read", "read", "pread")


def all_decks():
    """Quick decks, and the numbers of ranks for each."""
    some, more = (1, 2, 3), (2, 3)
    return [
        (Deck("heat, bdf2", HEAT % (40, 30, steps("bdf2", 0.002, 40), CG) + OUTPUT % 10, False), some),
        (Deck("heat, chebyshev", HEAT % (30, 36, steps("crank_nicolson", 0.002, 30), CHEBYSHEV) + OUTPUT % 7, False), some),
        (Deck("heat, I/O ranks", HEAT % (40, 30, steps("sdirk2", 0.002, 40), CG) + OUTPUT % 5 + IO_RANKS, False), more),
        (Deck("gray-scott, rk4", GRAY_SCOTT % (48, 40, steps("rk4", 1, 150)) + OUTPUT % 20, True), some),
        (Deck("gray-scott, dormand_prince", GRAY_SCOTT % (40, 48, "{method: dormand_prince, step: 0.2, end: 200}") + OUTPUT % 9, True),
         some),
        (Deck("wave", WAVE % ("single", 60) + OUTPUT % 20, True), some),
        (Deck("nbody", NBODY % ("double", 150, 100) + OUTPUT % 20, False), some),
        (Deck("euler", EULER % (48, 50, "limiter: mc", "{method: ssp_rk2, courant: 0.4, end: 0.2}") + OUTPUT % 15, True), some),
        (Deck("advection, sdirk2", ADVECTION % (40, steps("sdirk2", 0.01, 20), GMRES) + OUTPUT % 6, False), some),
        (Deck("stationary", STATIONARY, False), (1, 2)),
    ]


def at_work(folder):
    """Processes in a folder, by process id, and their programs."""
    found = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{entry}/cwd") == str(folder):
                found[int(entry)] = pathlib.Path(os.readlink(f"/proc/{entry}/exe")).name
        except OSError:
            pass
    return found


def send(number, what):
    try:
        os.kill(number, what)
    except ProcessLookupError:
        pass


class Started:
    """A command in a folder, all of whose processes have ended: `code`, what it `said` and, if the moment of the fault is
    known, the seconds `ended_after` it. Throws Failure if it takes too long. `usual` are the seconds without disturbance: a
    run that can continue may need as many, and more when others run at the same time."""

    def __init__(self, faults, arguments, ranks, folder, launcher="--ranks", environment=None, prepare=None, happens=None,
                 usual=0.0):
        own = [str(faults.program), *arguments, "--quiet"]
        words = own
        if ranks > 1 or arguments[0] == "restart":
            words = [*own, "--ranks", str(ranks)] if launcher == "--ranks" else ["mpirun", "-n", str(ranks), *own]
        self.fault_at, self.stood = None, 0.0
        self.folder, self.program = folder, faults.program.name
        begun = time.monotonic()
        with open(folder / "said", "wb") as said:
            variables = {**os.environ, "OMPI_MCA_rmaps_base_oversubscribe": "1", "HALOCLINE_START_SECONDS": "5",
                         **(environment or {})}
            self.process = subprocess.Popen(words, cwd=folder, env=variables, preexec_fn=prepare,
                                            stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT)
        if happens:
            happens(self)
        allowed = begun + 4 * usual + TIMEOUT + self.stood
        while self.process.poll() is None or at_work(folder):
            now = time.monotonic()
            if now > allowed or (self.fault_at and now > self.fault_at + usual + TIMEOUT + self.stood):
                left = at_work(folder)
                for number in left:
                    send(number, signal.SIGCONT)
                    send(number, signal.SIGKILL)
                self.process.wait()
                raise Failure(f"hangs: {' '.join(words)} left {sorted(left.values())}; said {self.read()}")
            time.sleep(0.005)
        # From the fault to the end of the last process.
        self.ended_after = time.monotonic() - self.fault_at if self.fault_at else None
        self.code, self.said = self.process.returncode, self.read()

    def read(self):
        return (self.folder / "said").read_text(errors="replace")

    def ranks(self):
        """Compute processes, and launchers."""
        found = at_work(self.folder)
        ranks = [one for one, name in found.items() if name == self.program and one != self.process.pid]
        return ranks or [self.process.pid], [one for one in found if one not in ranks]


class Faults:
    def __init__(self, program, failing_calls, seed, scratch):
        self.program, self.failing_calls, self.seed, self.scratch = program, failing_calls, seed, scratch
        self.decks = all_decks()
        self.undisturbed = Undisturbed(program, scratch)
        self.kinds = {"kill a rank": self.kill_rank, "kill a launcher": self.kill_launcher, "kill all": self.kill_all,
                      "signal": self.signal, "stand still": self.stand_still, "disk": self.disk,
                      "disk of a run that goes on": None, "damage": None, "throw": self.throw,
                      "memory refused": self.memory_refused, "memory refused later": self.memory_refused_later}

    def make_references(self):
        for deck, ranks in self.decks:
            for number in ranks:
                self.undisturbed.of(deck, number)

    # The disturbances of a run: each returns arguments for Started.

    def after_a_while(self, choose, seconds, act):
        wait = choose.uniform(0.02, 1.1) * seconds

        def happens(started):
            time.sleep(wait)
            if started.process.poll() is None:
                act(started)
                started.fault_at = time.monotonic()
        return {"happens": happens}

    def kill_rank(self, choose, seconds, told_of):
        return self.after_a_while(choose, seconds, lambda started: send(choose.choice(started.ranks()[0]), signal.SIGKILL))

    def kill_launcher(self, choose, seconds, told_of):
        def act(started):
            launchers = started.ranks()[1]
            send(choose.choice(launchers or [started.process.pid]), signal.SIGKILL)
        return self.after_a_while(choose, seconds, act)

    def kill_all(self, choose, seconds, told_of):
        def act(started):
            numbers = list(at_work(started.folder))
            choose.shuffle(numbers)
            for number in numbers:
                send(number, signal.SIGKILL)
        return self.after_a_while(choose, seconds, act)

    def signal(self, choose, seconds, told_of):
        what = choose.choice(ASKING)
        told_of["signal"] = what.name

        def act(started):
            ranks, launchers = started.ranks()
            send(choose.choice([started.process.pid, choose.choice(ranks), choose.choice(launchers or ranks)]), what)
        return self.after_a_while(choose, seconds, act)

    def stand_still(self, choose, seconds, told_of):
        for_so_long, asks = choose.uniform(0.1, 3), choose.random() < 0.3

        def act(started):
            number = choose.choice(list(at_work(started.folder)) or [started.process.pid])
            send(number, signal.SIGSTOP)
            if asks:
                told_of["signal"] = "SIGTERM"
                send(started.process.pid, signal.SIGTERM)
            time.sleep(for_so_long)
            send(number, signal.SIGCONT)
            started.stood = for_so_long
        return self.after_a_while(choose, seconds, act)

    def failing(self, choose, calls, told_of):
        call = choose.choice(calls)
        error = choose.choice((errno.ENOSPC, errno.EIO, errno.EDQUOT) if calls != READING else (errno.EIO, errno.ESTALE))
        count = choose.randint(0, choose.choice((20_000, 2_000_000))) if call == "space" else \
            choose.randint(1, choose.choice((3, 10, 60)))
        rank = choose.choice((-1, 0, choose.randrange(told_of["ranks"])))
        told_of.update(call=call, count=count, error=errno.errorcode[error])
        for_ever = choose.random() < 0.5
        plan = f"deck.out|{call}|{error}|{count}|{int(for_ever)}|{rank}|{{}}"
        return lambda log: {"LD_PRELOAD": str(self.failing_calls), "HALOCLINE_FAILING_CALLS": plan.format(log)}

    def disk(self, choose, seconds, told_of):
        return {"environment": self.failing(choose, choose.choice((WRITING, ("space",))), told_of)}

    def throw(self, choose, seconds, told_of):
        site = f"{choose.choice(SITES)}:{choose.randrange(told_of['ranks'])}:{choose.randint(1, choose.choice((1, 5, 40)))}"
        told_of["site"] = site
        return {"environment": lambda log: {"HALOCLINE_THROW_AT": site}}

    def memory_refused(self, choose, seconds, told_of):
        megabytes = choose.randint(*choose.choice(((60, 250), (250, 700))))
        told_of["megabytes"] = megabytes
        return {"prepare": lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))}

    def memory_refused_later(self, choose, seconds, told_of):
        more = choose.randint(0, 1 << choose.randint(12, 24))
        told_of["bytes_more"] = more

        def act(started):
            rank = choose.choice(started.ranks()[0])
            try:
                pages = int(pathlib.Path(f"/proc/{rank}/statm").read_text().split()[0])
                limit = pages * resource.getpagesize() + more
                resource.prlimit(rank, resource.RLIMIT_AS, (limit, limit))
            except (OSError, ValueError):
                pass  # the process has ended
        return self.after_a_while(choose, seconds, act)

    # The checks after it.

    def unfinished(self, folder):
        return {str(path) for path in folder.glob("deck.out/**/*") if path.name.endswith((".partial", ".reserved"))}

    def check_end(self, started, told_of, folder, wanted, deck, killed, before, launcher):
        """Checks whether the run may end like this; True if it is done."""
        told_of["codes"].append(started.code)
        allowed = CODES
        if killed:
            allowed = (*CODES, -signal.SIGKILL, 128 + signal.SIGKILL, 1)
        # Before signal handlers are installed, a signal ends the program at once.
        allowed = (*allowed, *(-one for one in ASKING), *(128 + one for one in ASKING))
        if "memory" in told_of["kind"]:
            # Of the loader if it cannot load the program, and of libraries that abort before it begins.
            allowed = (*allowed, 127, -signal.SIGABRT, 128 + signal.SIGABRT)
            # mpirun itself may fail for lack of memory.
            allowed = (*allowed, 1, -signal.SIGSEGV, -signal.SIGFPE) if launcher == "mpirun" else (*allowed, 1)
        if launcher == "mpirun" and ("signal" in told_of or told_of["kind"] == "stand still"):
            allowed = (*allowed, 1, -signal.SIGSEGV)  # mpirun's own
        if started.code not in allowed:
            raise Failure(f"ended with {started.code}: {started.said}")
        summary = folder / "deck.out/summary.json"
        status = json.loads(summary.read_text())["status"] if summary.exists() else None
        told_of["status"].append(status)
        others_code = killed or started.code == 1 or started.code < 0
        if (status == "done") != (started.code == 0) and not (others_code and status == "done"):
            raise Failure(f"the exit code is {started.code} and the summary says {status}: {started.said}")
        if status == "done":
            self.compare(folder, wanted, deck)
        if started.code > 1 and not killed and not started.said.strip():
            raise Failure(f"ended with {started.code} and said nothing")
        left = self.unfinished(folder) - before
        cut_short = any(text in started.said for text in ("crashed (", "was lost", "out of memory"))
        if left and not killed and not cut_short:
            raise Failure(f"ended with {started.code} and left {left}")
        return status == "done"

    def compare(self, folder, wanted, deck):
        compare(folder / "deck.out", wanted, deck.name != "stationary", deck.is_explicit)

    def verify(self, folder, with_notes=False):
        """Damage in the folder of a run; with notes, also unfinished checkpoints."""
        if not any((folder / "deck.out").glob("*")):
            return ""
        done = subprocess.run([self.program, "verify", "deck.out"], cwd=folder, capture_output=True, text=True, timeout=600)
        if done.returncode == 2 and "holds no files of a run" in done.stderr:
            return ""
        if done.returncode not in (0, 4) or (done.returncode == 4) != ("damaged:" in done.stderr):
            raise Failure(f"verify ended with {done.returncode}: {done.stderr}")
        return (done.stderr if done.returncode else "") + (done.stdout if with_notes else "")

    def damage(self, choose, folder, told_of):
        """Damages one file; returns its path, or None if there is none."""
        kinds = {}
        for path in sorted(folder.glob("deck.out/**/*")):
            if path.is_file() and path.stat().st_size > 0 and path.name != "halocline.lock":
                kinds.setdefault(path.suffix if path.suffix != ".json" else path.name, []).append(path)
        if not kinds:
            return None
        path = choose.choice(kinds[choose.choice(sorted(kinds))])
        old = path.read_bytes()
        how = choose.choice(("flip", "flip", "truncate", "zero", "add", "remove"))
        new = bytearray(old)
        if how == "flip":
            new[choose.randrange(len(new))] ^= 1 << choose.randrange(8)
        elif how == "truncate":
            del new[choose.randrange(len(new)):]
        elif how == "zero":
            at = choose.randrange(len(new))
            new[at:at + 512] = bytes(len(new[at:at + 512]))
        elif how == "add":
            new += bytes(choose.randrange(256) for _ in range(choose.randint(1, 600)))
        if how == "remove":
            path.unlink()
        elif bytes(new) == old:
            return None
        else:
            path.write_bytes(new)
        told_of.update(how=how, file=str(path.relative_to(folder / "deck.out")), harmless=self.is_harmless(path, old, folder))
        return path

    def is_harmless(self, path, old, folder):
        """Whether all that HDF5 reads from a file is unchanged: some bits of its metadata are unused."""
        if not path.exists() or path.suffix not in (".h5", ".vti", ".vtr"):
            return False
        (folder / "was.h5").write_bytes(old)
        try:
            now, then = datasets(path), datasets(folder / "was.h5")
            return now.keys() == then.keys() and all(numpy.array_equal(now[name], then[name]) for name in then)
        except (OSError, KeyError, RuntimeError):
            return False
        finally:
            (folder / "was.h5").unlink()

    def fault(self, number):
        choose = random.Random(f"{self.seed}/{number}")
        kind = choose.choice(sorted(self.kinds))
        deck, some_ranks = choose.choice(self.decks)
        ranks = choose.choice(some_ranks)
        launcher = choose.choice(("--ranks", "mpirun")) if ranks > 1 else "alone"
        told_of = {"fault": number, "kind": kind, "deck": deck.name, "ranks": ranks, "launcher": launcher, "codes": [],
                   "status": []}
        folder = (self.scratch / f"fault-{number}").resolve()
        folder.mkdir()
        (folder / "deck.yaml").write_text(deck.text)
        try:
            told_of["verdict"] = self.disturbed(choose, kind, deck, ranks, launcher, folder, told_of)
            shutil.rmtree(folder)
        except Failure as failure:
            told_of["verdict"] = "FAILED: " + str(failure)
        return told_of

    def disturbed(self, choose, kind, deck, ranks, launcher, folder, told_of):
        wanted, seconds = self.undisturbed.of(deck, ranks)
        every = "wall=0.03" if deck.name == "stationary" else f"steps={choose.choice((1, 2, 5, 10))}"
        command = ["run", "deck.yaml", "--set", f"checkpoint.every.{every}", "--set", f"checkpoint.keep={choose.choice((1, 2))}"]
        first = kind
        if kind in ("disk of a run that goes on", "damage"):
            first = choose.choice(("signal", "kill all", "signal", "none"))
        is_done = self.strike(choose, first, command, deck, ranks, launcher, folder, told_of)
        if kind == "damage":
            return self.after_damage(choose, command, deck, ranks, launcher, folder, told_of)
        if kind == "disk of a run that goes on":
            told_of["happened"] = False
            calls = choose.choice((READING, WRITING, ("space",)))
            given = {"environment": self.failing(choose, calls, told_of)}
            is_done = self.strike(choose, given, self.to_go_on(choose, command, folder), deck, ranks, launcher, folder, told_of)
        if damaged := self.verify(folder):
            raise Failure(f"after codes {told_of['codes']}: {damaged}")
        if is_done:
            return "done"
        finished = Started(self, self.to_go_on(choose, command, folder), ranks, folder, launcher, usual=seconds)
        if finished.code != 0:
            raise Failure(f"what goes on ended with {finished.code}: {finished.said}")
        self.compare(folder, wanted, deck)
        if damaged := self.verify(folder):
            raise Failure(f"what went on left {damaged}")
        return "within tolerance" if deck.name == "stationary" else "same bits"

    def strike(self, choose, what, command, deck, ranks, launcher, folder, told_of):
        """Starts a command with a disturbance, by name or as arguments of Started; returns whether it is done."""
        wanted, seconds = self.undisturbed.of(deck, ranks)
        given = {}
        if isinstance(what, dict):
            given = what
        elif what != "none":
            given = self.kinds[what](choose, seconds, told_of)
        log, before = folder / "happened", self.unfinished(folder)
        summary = folder / "deck.out/summary.json"
        said_before = summary.read_bytes() if summary.exists() else None
        if "environment" in given:
            given["environment"] = given["environment"](log)
        started = Started(self, command, ranks, folder, launcher, usual=seconds, **given)
        told_of["happened"] = started.fault_at is not None or log.exists() or "prepare" in given or "armed to" in started.said
        if log.exists():
            late = time.monotonic() - float(log.read_text().split()[0]) - 3 * seconds
            if late > TIMEOUT:
                raise Failure(f"ended {late:.1f} s too late after {log.read_text()}")
        if started.ended_after is not None and started.code != 0:
            told_of["ended_after"] = round(started.ended_after, 3)
        killed = isinstance(what, str) and what.startswith("kill")
        if said_before and summary.exists() and summary.read_bytes() == said_before and started.code != 0:
            # The run ended before it changed the files of an earlier one.
            told_of["codes"].append(started.code)
            told_of["status"].append("as before")
            return json.loads(said_before)["status"] == "done"
        return self.check_end(started, told_of, folder, wanted, deck, killed, before, launcher)

    def to_go_on(self, choose, command, folder):
        has_checkpoint = any(folder.glob("deck.out/checkpoint_*/manifest.json"))
        return ["restart", "deck.out"] if has_checkpoint and choose.random() < 0.5 else [*command, "--continue"]

    def after_damage(self, choose, command, deck, ranks, launcher, folder, told_of):
        wanted, seconds = self.undisturbed.of(deck, ranks)
        path = self.damage(choose, folder, told_of)
        told_of["happened"] = path is not None
        if path is None:
            return "nothing to damage"
        on_record = told_of["status"][-1] in ("done", "stopped")
        named = path.name in self.verify(folder, with_notes=True) if any(folder.glob("deck.out/**/*")) else False
        told_of["named"] = named
        if on_record and not named and not told_of["harmless"]:
            raise Failure(f"verify does not name {path.name}: {self.verify(folder)}")
        finished = Started(self, self.to_go_on(choose, command, folder), ranks, folder, launcher, usual=seconds)
        told_of["codes"].append(finished.code)
        if finished.code in (2, 4):
            if path.name not in finished.said:
                raise Failure(f"{path.name} is damaged, and what goes on says {finished.said}")
            return "damage is named"
        if finished.code != 0:
            raise Failure(f"what goes on ended with {finished.code}: {finished.said}")
        try:
            self.compare(folder, wanted, deck)
            return "within tolerance" if deck.name == "stationary" else "same bits"
        except (Failure, OSError, KeyError) as different:
            if path.name in self.verify(folder):
                return "damage is named"
            raise Failure(f"nobody names the damage to {path.name}: {different}") from different


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("failing_calls", type=pathlib.Path)
    parser.add_argument("--faults", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="number of the first: a series may be taken in parts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="how many at a time")
    parser.add_argument("--json", type=pathlib.Path, help="file for the outcomes; those of other faults in it are kept")
    parser.add_argument("--scratch", type=pathlib.Path, help="where runs are; those that failed are left there")
    return parser.parse_args()


def main():
    given = arguments()
    results = {}
    if given.json and given.json.exists():
        results = {one["fault"]: one for one in json.loads(given.json.read_text())["value"]["faults"]}
    if given.scratch:
        given.scratch.mkdir(exist_ok=True)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="halocline-faults-", dir=given.scratch))
    faults = Faults(given.program.resolve(), given.failing_calls.resolve(), given.seed, scratch.resolve())
    if given.faults > 50:
        faults.make_references()
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for told_of in pool.map(faults.fault, range(given.first, given.first + given.faults)):
            results[told_of["fault"]] = told_of
            print(json.dumps(told_of), flush=True)
            if given.json:
                store(given, results)
    failed = [one for one in results.values() if one["verdict"].startswith("FAILED")]
    if not failed:
        shutil.rmtree(scratch)
    print(f"{len(results) - len(failed)} of {len(results)} faults: nothing lost, no hang, no false `done`")
    return 1 if failed else 0


def store(given, results):
    in_order = [results[number] for number in sorted(results)]
    verdicts = {}
    for one in in_order:
        verdict = "failed" if one["verdict"].startswith("FAILED") else one["verdict"]
        verdicts[verdict] = verdicts.get(verdict, 0) + 1
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    record = {"machine": platform.processor() or platform.machine(), "date": time.strftime("%Y-%m-%d"), "commit": commit,
              "command": f"tests/faults/faults.py .halocline/build-release/bin/halocline failing_calls.so --seed {given.seed}",
              "value": {"verdicts": verdicts, "happened": sum(bool(one.get("happened")) for one in in_order), "faults": []}}
    text = json.dumps(record, indent=1)
    # One line for each.
    lines = ",\n".join("   " + json.dumps(one) for one in in_order)
    given.json.write_text(text.replace('"faults": []', '"faults": [\n' + lines + "\n  ]") + "\n")


if __name__ == "__main__":
    sys.exit(main())
