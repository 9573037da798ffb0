"""Runs the real program for the tests of this folder: `test.py PROGRAM`, the driver in a build or install tree."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
# Seconds that no command of a test takes, even if other programs use all cores: what takes longer hangs.
PATIENCE = 600


# Whether the program computes on devices, according to its version.
HAS_DEVICES = bool(re.search(r"Cuda|HIP", subprocess.run([PROGRAM, "--version"], capture_output=True, text=True).stdout))
# For tests of the memory that `check` foretells.
where_check_foretells_memory = unittest.skipIf(HAS_DEVICES, "`check` looks at no device")

# The program warns of ranks that share cores or a device; most tests share them nevertheless.
SHARED = re.compile(r"^[^\n]*warning: (\d+ ranks with \d+ threads in total share \d+ core|ranks [\d, ]+ share device )[^\n]*\n",
                    re.MULTILINE)


def without_shared(text):
    return SHARED.sub("", text)


FIRST_SEEN = {}


def awake(process):
    """Whether a process, given by its number, blocks or catches SIGTERM: before, it cannot handle a signal. Where the kernel
    does not say (gVisor), whether it was first asked about two seconds ago."""
    try:
        status = pathlib.Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False
    held = [int(line.split()[1], 16) for line in status.splitlines() if line.startswith(("SigBlk", "SigCgt"))]
    if not held:
        return time.monotonic() > FIRST_SEEN.setdefault(process, time.monotonic()) + 2
    return any(mask >> signal.SIGTERM - 1 & 1 for mask in held)


class Run:
    """One finished command: `code`, `out`, `err` without warnings about shared hardware, `said` with them, and the output
    folder, if any. `launcher` are the words of a launcher in front of it, `prepare` is called in the new process; `program` is
    another program, or a copy of this one elsewhere."""

    def __init__(self, arguments, folder, environment=None, timeout=PATIENCE, launcher=(), prepare=None, program=PROGRAM):
        self.folder = pathlib.Path(folder)
        done = subprocess.run(
            [*launcher, program, *map(str, arguments)], cwd=folder, env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, preexec_fn=prepare)
        self.code, self.out, self.said = done.returncode, done.stdout, done.stderr
        self.err = without_shared(self.said)

    def summary(self, output="run.out"):
        return json.loads((self.folder / output / "summary.json").read_text())

    def files(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file())


def scratch():
    """A folder that is removed after the `with`."""
    return tempfile.TemporaryDirectory(prefix="halocline-test-")


def settings(options):
    """`--set` for each item of a dictionary."""
    return [word for path, value in options.items() for word in ("--set", f"{path}={value}")]
