"""Disturbed runs, and the comparison of their output with that of an undisturbed run."""

import json
import os
import pathlib
import signal
import subprocess
import time

import h5py
import numpy

TABLES = ("scalars.csv", "residuals.csv", "traces.csv", "snapshots.xdmf")
# Relative tolerances of solves are 1e-8 or smaller; there are some hundred solves, which damp earlier errors.
TOLERANCE = 1e-6


class Failure(Exception):
    pass


def words(program, arguments, ranks):
    return [str(program), *arguments, "--quiet", *(["--ranks", str(ranks)] if ranks > 1 else [])]


def run(program, arguments, ranks, folder, break_off=None, timeout=300):
    """Runs to its end; `break_off` is called with the process, the leader of a new group, before that is waited for."""
    process = subprocess.Popen(words(program, arguments, ranks), cwd=folder, start_new_session=True, text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if break_off:
        break_off(process)
    try:
        out, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        kill_all(process)
        process.communicate()
        raise Failure(f"hangs: {' '.join(words(program, arguments, ranks))}")
    return process.returncode, out


def members(leader):
    """All descendants of a process; mpirun puts them into separate groups."""
    children = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(stat[1]), []).append(int(entry.name))
    found, queue = [], [leader]
    while queue:
        one = queue.pop()
        found.append(one)
        queue += children.get(one, [])
    return found


def kill_all(process):
    for one in members(process.pid):
        try:
            os.kill(one, signal.SIGKILL)
        except ProcessLookupError:
            pass


def datasets(path):
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
    return found


def told(folder):
    """The contents of a summary that must be equal, without times."""
    summary = json.loads((folder / "summary.json").read_text())
    for solve in summary["solves"]:
        solve.pop("seconds")
    return {key: summary.get(key) for key in ("status", "steps", "time", "quantities", "conserved", "solves", "step_sizes",
                                              "error_control")}


def compare(found, wanted, same_ranks, is_explicit):
    """Raises Failure if one run's output differs from another's."""
    names = sorted(path.name for path in wanted.glob("snapshot_*"))
    if names != sorted(path.name for path in found.glob("snapshot_*")):
        raise Failure("other snapshots: " + ", ".join(sorted(path.name for path in found.glob("snapshot_*"))))
    for name in names:
        ours, theirs = datasets(found / name), datasets(wanted / name)
        for dataset, values in theirs.items():
            # Checksums of different bits differ.
            if dataset.startswith("checksums/") and not (same_ranks or is_explicit):
                continue
            same = numpy.array_equal(ours[dataset], values)
            if same_ranks or is_explicit:
                if not same:
                    raise Failure(f"{name}: {dataset} differs by {numpy.abs(ours[dataset] - values).max():g}")
            elif not same:
                difference = numpy.abs(ours[dataset] - values).max()
                if not difference <= TOLERANCE * numpy.abs(values).max():
                    raise Failure(f"{name}: {dataset} differs by {difference:g}, beyond what solves are held to")
    if not same_ranks:
        return
    for name in TABLES:
        ours, theirs = found / name, wanted / name
        if ours.exists() != theirs.exists() or (theirs.exists() and ours.read_bytes() != theirs.read_bytes()):
            raise Failure(f"{name} differs")
    ours, theirs = told(found), told(wanted)
    for key in theirs:
        if ours[key] != theirs[key]:
            raise Failure(f"summary.json: `{key}` differs: {str(ours[key])[:200]} is not {str(theirs[key])[:200]}")


class Undisturbed:
    """Folders of undisturbed runs and their durations, by deck and ranks: each run is made once."""

    def __init__(self, program, scratch):
        self.program, self.scratch = program, scratch
        self.made = {}

    def of(self, deck, ranks):
        key = deck.name, ranks
        if key not in self.made:
            folder = self.scratch / f"undisturbed-{len(self.made)}"
            folder.mkdir()
            (folder / "deck.yaml").write_text(deck.text)
            begun = time.monotonic()
            code, out = run(self.program, ["run", "deck.yaml"], ranks, folder)
            if code != 0:
                raise Failure(f"the undisturbed run of {deck.name} ended with {code}: {out}")
            self.made[key] = folder / "deck.out", time.monotonic() - begun
        return self.made[key]
