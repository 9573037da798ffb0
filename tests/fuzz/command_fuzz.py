"""Runs the real program with unusual command lines: paths and values of `--set`, names, numbers of ranks, flags. Each command
line depends only on its number, so that runs can be divided and repeated.

    tests/fuzz/command_fuzz.py PROGRAM --seed 1 --count 1000 [--record FILE] [--limits]
"""

import argparse
import datetime
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXIT_CODES = {0, 2, 3, 4, 5}
SECONDS = 1.0
MEBIBYTES = 256

NUMBERS = ["0", "-1", "1", "8", "1e400", "nan", "inf", "-.inf", "1e-320", "9223372036854775807", "9223372036854775808",
           "1_000", "0x10", "", "~", "1e18", "2147483648", "1048576", "1.5", "+1", "007", "1000000"]
PIECES = ["[", "]", "{", "}", ":", ",", ".", "=", "'", '"', "&a", "*a", "<<", "!!str ", "- ", "? ", "|", "\t", "\n", "#",
          "é", "\udcff", "[0]", "[99999999999999999999]", "[-1]", "..", "%", "@", "`", "\\", "x>0?1:0", "sin(", "((", "--"]
FLAGS = ["--quiet", "--overwrite", "--ranks", "--set", "--plugin", "--output", "--plot", "--trace", "-v", "--help",
         "--schema", "--markdown", "--json", "--size", "-x", "--", "-", "--rank", "--set=", "--ranks=0"]


class CommandLines:
    def __init__(self, program):
        listed = subprocess.run([program, "list", "options"], capture_output=True, text=True, check=True).stdout
        self.paths = re.findall(r"(?m)^([\w.\[\]]+): ", listed)
        self.words = sorted({word for path in self.paths for word in re.split(r"[.\[\]]+", path) if word})
        self.decks = sorted(str(path) for path in (ROOT / "decks").rglob("*") if path.suffix in (".yaml", ".in"))
        self.random = random.Random()

    def make(self, seed):
        self.random.seed(seed)
        chance = self.random.random
        words = [self.random.choices(["check", "list", "run", self.word()], [90, 8, 1, 1])[0]]
        if words[0] == "list":
            words += [self.subject() for _ in range(self.random.randrange(3))]
        else:
            words.append(self.random.choice(self.decks) if chance() < 0.97 else self.word())
        if words[0] == "run":
            words += ["--set", "mesh.cells=0"]  # checked, not run
        for _ in range(self.random.randrange(5)):
            words += ["--set", self.setting()]
        if chance() < 0.15:
            words += ["--ranks", self.random.choice(NUMBERS)]
        if chance() < 0.15:
            words.insert(self.random.randrange(len(words) + 1), self.random.choice(FLAGS))
        return [word.replace("\0", "")[:30000] for word in words]  # Linux does not accept longer ones

    def setting(self):
        path = self.random.choice(self.paths).replace("[]", "[0]")
        if self.random.random() < 0.3:
            path = self.changed(path)
        if self.random.random() < 0.02:
            path += self.random.choice([".a", "[0]", ".", "["]) * self.random.randrange(20000)
        return path + ("=" if self.random.random() < 0.95 else "") + self.value()

    def value(self):
        kind = self.random.randrange(6)
        if kind == 0:
            return self.random.choice(NUMBERS)
        if kind == 1:
            return "[" + ", ".join(self.random.choice(NUMBERS) for _ in range(self.random.randrange(5))) + "]"
        if kind == 2:
            return "{" + self.word() + ": " + self.random.choice(NUMBERS) + "}"
        if kind == 3:
            return "".join(self.random.choice(PIECES + NUMBERS) for _ in range(self.random.randrange(6)))
        if kind == 4 and self.random.random() < 0.1:
            return self.random.choice(PIECES + ["1,", "a: "]) * self.random.randrange(20000)
        return self.word()

    def subject(self):
        return self.changed(self.random.choice(self.paths + ["physics", "solvers", "preconditioners", "options"]))

    def word(self):
        return self.changed(self.random.choice(self.words))

    def changed(self, word):
        if self.random.random() < 0.5:
            return word
        at = self.random.randrange(len(word) + 1)
        return word[:at] + self.random.choice(PIECES + NUMBERS) + word[at + self.random.randrange(3):]


def run(program, words, folder):
    """Exit code (negative: a signal), seconds of CPU, MiB, and the output."""
    said = pathlib.Path(folder, "said")
    with open(said, "wb") as out:
        process = subprocess.Popen([program, *(os.fsencode(word) for word in words)], cwd=folder,
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=out)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024, said.read_bytes()


def complaint(code, seconds, mebibytes, said, limits):
    if code not in EXIT_CODES:
        return f"exit code {code}: {said[-300:]!r}"
    if b"a defect of Halocline:" in said:
        return f"a defect: {said[-300:]!r}"
    if code != 0 and not said:
        return f"exit code {code} without a word"
    if said.count(b"\n") > 60 and code != 0:
        return f"{said.count(bytes([10]))} lines"
    if limits and (seconds > SECONDS or mebibytes > MEBIBYTES):
        return f"{seconds:.2f} s, {mebibytes} MiB"
    return None


def add_record(path, piece):
    pieces = json.loads(path.read_text())["pieces"] if path.exists() else []
    pieces.append(piece)
    path.write_text(json.dumps({"commands": sum(one["commands"] for one in pieces), "pieces": pieces}, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--limits", action="store_true", help="more than 1 s or 256 MiB is a failure, too")
    parser.add_argument("--record", type=pathlib.Path)
    arguments = parser.parse_args()

    lines = CommandLines(arguments.program)
    codes, failures, slowest, largest = {}, [], (0, 0), (0, 0)
    with tempfile.TemporaryDirectory(prefix="halocline-fuzz-") as folder:
        for seed in range(arguments.seed, arguments.seed + arguments.count):
            words = lines.make(seed)
            code, seconds, mebibytes, said = run(arguments.program, words, folder)
            codes[code] = codes.get(code, 0) + 1
            slowest, largest = max(slowest, (seconds, seed)), max(largest, (mebibytes, seed))
            if why := complaint(code, seconds, mebibytes, said, arguments.limits):
                failures.append(f"seed {seed}: {why}")
                print(failures[-1], [word[:200] for word in words], file=sys.stderr, flush=True)
    print(f"{arguments.count} command lines: exit codes {codes}, {len(failures)} failures, slowest {slowest[0]:.2f} s (seed "
          f"{slowest[1]}), largest {largest[0]} MiB (seed {largest[1]})")
    if arguments.record:
        hardware = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
        commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True)
        add_record(arguments.record, {
            "hardware": hardware.group(1) if hardware else "", "commit": commit.stdout.strip(),
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "command": f"tests/fuzz/command_fuzz.py halocline --seed {arguments.seed} --count {arguments.count}"
                       + (" --limits" if arguments.limits else ""),
            "first_seed": arguments.seed, "commands": arguments.count, "exit_codes": codes, "failures": failures,
            "slowest": {"seed": slowest[1], "cpu_seconds": round(slowest[0], 3)},
            "peak_memory": {"seed": largest[1], "MiB": largest[0]}})
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
