"""Runs the real program for the tests of this folder: `test.py PROGRAM`, the driver of a build or install tree."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()


# Whether the program computes on devices, as its version says.
HAS_DEVICES = bool(re.search(r"Cuda|HIP", subprocess.run([PROGRAM, "--version"], capture_output=True, text=True).stdout))

# Ranks that share cores or a device are told so; tests of anything else share them all the same.
SHARED = re.compile(r"^[^\n]*warning: (\d+ ranks with \d+ threads share \d+ core|ranks [\d, ]+ share device )[^\n]*\n",
                    re.MULTILINE)


def without_shared(text):
    return SHARED.sub("", text)


class Run:
    """One finished command: `code`, `out`, `err` without warnings of shared hardware, `said` with them, `seconds`, and
    the folder it wrote, if it did. `launcher` are the words of a launcher in front of it, `prepare` is called in the new
    process; `program` is another one, or this one in another place."""

    def __init__(self, arguments, folder, environment=None, timeout=1000, launcher=(), prepare=None, program=PROGRAM):
        self.folder = pathlib.Path(folder)
        start = time.monotonic()
        done = subprocess.run(
            [*launcher, program, *map(str, arguments)], cwd=folder, env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, preexec_fn=prepare)
        self.seconds = time.monotonic() - start
        self.code, self.out, self.said = done.returncode, done.stdout, done.stderr
        self.err = without_shared(self.said)

    def summary(self, output="run.out"):
        return json.loads((self.folder / output / "summary.json").read_text())

    def files(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file())


def scratch():
    """A folder that is gone after the `with`."""
    return tempfile.TemporaryDirectory(prefix="halocline-test-")


def settings(options):
    """`--set` for each item of a dictionary."""
    return [word for path, value in options.items() for word in ("--set", f"{path}={value}")]
