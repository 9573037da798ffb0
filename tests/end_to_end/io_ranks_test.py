"""I/O ranks: their output equals that of a run without them, to the bit; slow ones are waited for; and ends of runs with I/O
ranks."""

import itertools
import json
import os
import pathlib
import resource
import signal
import subprocess
import time
import unittest

import h5py
import numpy

from program import PATIENCE, PROGRAM, Run, scratch, settings

STEPS = {"step": 1e-4, "steps": 6}
EACH = {"snapshots": {"interval": 2}}
HEAT = {"physics": "heat", "mesh": {"cells": [23, 17]}, "heat": {"initial": "exp(-x)"}, "time": STEPS, "output": EACH}
DECKS = {
    "heat in 1D, periodic": {**HEAT, "mesh": {"cells": 41, "periodic": True}, "heat": {"initial": "sin(2*pi*x)"}},
    "heat in 2D, uneven blocks": HEAT,
    "waves in 3D, single precision": {
        "physics": "wave", "precision": "single", "mesh": {"cells": [13, 9, 11], "periodic": [True, False, True]},
        "wave": {"initial": "exp(-9*(x-0.4)^2)"}, "time": {"step": 1e-3, "steps": 6}, "output": EACH},
    "files, of another resolution and of the mesh's": {
        "physics": "heat", "mesh": {"cells": [23, 17], "periodic": [False, True]},
        "heat": {"initial": {"file": "u.npy"}, "conductivity": {"file": "k.npy", "interpolate": True}},
        "time": STEPS, "output": EACH},
    "potential on nodes": {
        "physics": "laplace", "mesh": {"cells": [14, 11]}, "laplace": {"source": "sin(9*x)"},
        "output": {"snapshots": {"interval": 1}}},
    "bodies": {
        "physics": "nbody", "nbody": {"initial": "two_body", "two_body": {"masses": [0.5, 0.5], "axis": 1}},
        "time": {"step": 1e-3, "steps": 6}, "output": EACH},
}
LONG = {**HEAT, "mesh": {"cells": [64, 64]}, "time": {"step": 1e-4, "steps": 1000000}}


def datasets(path):
    """The contents of an HDF5 file: type, attributes and values by name."""
    found = {}

    def visit(name, item):
        attributes = {key: numpy.asarray(value).tolist() for key, value in item.attrs.items()}
        values = (item.dtype.str, item.shape, item[()].tobytes()) if isinstance(item, h5py.Dataset) else None
        found[name] = (attributes, values)

    with h5py.File(path) as file:
        file.visititems(visit)
        # Links to mesh.h5 are not visited.
        found["links"] = sorted(file.get("VTKHDF", file))
        found["attributes"] = {key: numpy.asarray(value).tolist() for key, value in file.attrs.items()}
    return found


def with_deck(folder, deck):
    path = pathlib.Path(folder) / "run.yaml"
    path.write_text(json.dumps(deck))
    return path


def rank_of(process):
    """By the environment that its mpirun has set."""
    for entry in pathlib.Path(f"/proc/{process}/environ").read_bytes().split(b"\0"):
        if entry.startswith((b"OMPI_COMM_WORLD_RANK=", b"PMI_RANK=")):
            return entry.split(b"=", 1)[1].decode()
    return None


class InputOutputRanks(unittest.TestCase):
    def run_in(self, folder, deck, ranks, io_ranks, **more):
        return Run(["run", with_deck(folder, deck), "--ranks", ranks,
                    *settings({"io.ranks": io_ranks} if io_ranks else {})], folder, **more)

    def test_files_are_those_of_a_run_without(self):
        numbers = numpy.random.default_rng(8)
        files = {"u.npy": numbers.random((17, 23)), "k.npy": 1 + numbers.random((5, 40))}
        for name, deck in DECKS.items():
            for computing, io_ranks in ((1, 1), (2, 1), (3, 1), (2, 2)) if name == "heat in 2D, uneven blocks" else ((2, 1),):
                with self.subTest(deck=name, computing=computing, io_ranks=io_ranks), scratch() as one, scratch() as other:
                    for folder, (file, values) in itertools.product((one, other), files.items()):
                        numpy.save(pathlib.Path(folder) / file, values)
                    without = self.run_in(one, deck, computing, 0)
                    served = self.run_in(other, deck, computing + io_ranks, io_ranks)
                    self.assertEqual((without.code, without.err, served.code, served.err), (0, "", 0, ""))
                    self.assertEqual(served.files(), without.files())
                    self.assertGreaterEqual(len([file for file in served.files() if "snapshot_" in file]), 2)
                    for file in served.files():
                        first, second = pathlib.Path(one) / file, pathlib.Path(other) / file
                        if first.suffix in (".vti", ".vtr", ".vtkhdf", ".h5"):
                            self.assertEqual(datasets(second), datasets(first), file)
                        elif first.name in ("snapshots.xdmf", "scalars.csv"):
                            self.assertEqual(second.read_text(), first.read_text(), file)
                    summary = served.summary()
                    self.assertEqual((summary["provenance"]["ranks"], summary["provenance"]["io_ranks"]),
                                     (computing + io_ranks, io_ranks))
                    self.assertGreater(summary["timings"]["writing_snapshots"], 0)
                    self.assertGreaterEqual(summary["timings"]["waiting_for_buffers"]["least"], 0)
                    self.assertNotIn("io_ranks", without.summary()["provenance"])

    def test_too_few_ranks(self):
        for ranks, io_ranks, run in ((1, 1, "the run has one rank"), (2, 2, "the run has 2 ranks"),
                                     (3, 2, "the run has 3 ranks"), (4, 9, "the run has 4 ranks")):
            with self.subTest(ranks=ranks, io_ranks=io_ranks), scratch() as folder:
                done = self.run_in(folder, HEAT, ranks, io_ranks)
                plural = "s" if io_ranks > 1 else ""
                self.assertEqual(done.code, 2)
                self.assertIn(f"`io.ranks`: {io_ranks} I/O rank{plural}, but {run}, and each I/O rank needs at least "
                              f"one compute rank (--set io.ranks={io_ranks}); start at least {2 * io_ranks} (--ranks)", done.err)
                self.assertEqual(done.err.count("\n"), 1, done.err)
                self.assertEqual(done.files(), ["run.yaml"])
        for wrong in ("-1", "many", "[1]"):
            with self.subTest(wrong=wrong), scratch() as folder:
                done = self.run_in(folder, HEAT, 2, wrong)
                self.assertEqual((done.code, done.files()), (2, ["run.yaml"]), done.err)
                self.assertIn("`io.ranks`", done.err)

    def start(self, folder, deck, launcher=()):
        """A run on two compute ranks and one I/O rank that has taken some steps; returns it and its ranks' processes."""
        ranks = [] if launcher else ["--ranks", "3"]
        process = subprocess.Popen([*launcher, PROGRAM, "run", with_deck(folder, deck), "--quiet", "--set", "io.ranks=1", *ranks],
                                   cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        self.addCleanup(process.kill)
        while self.rows(folder) < 3:
            self.assertIsNone(process.poll(), "it has ended")
            time.sleep(0.01)
        return process, self.ranks_of(folder)

    def ranks_of(self, folder):
        """The processes that run in a folder, by rank."""
        found = {}
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink(f"/proc/{entry}/exe") == str(PROGRAM) and os.readlink(f"/proc/{entry}/cwd") == folder:
                    found[rank_of(entry)] = int(entry)
            except OSError:
                continue
        return [found[str(rank)] for rank in range(3)]

    def rows(self, folder):
        table = pathlib.Path(folder) / "run.out/scalars.csv"
        return table.read_text().count("\n") if table.exists() else 0

    def snapshots(self, folder):
        return sorted(pathlib.Path(folder).glob("run.out/snapshot_*.vt[ir]"))

    def assert_ended(self, folder, process, code):
        """With a single message, which is also in the record, and no partial file."""
        _, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, code, err)
        self.assertEqual(err.count("halocline: "), 1, err)
        summary = json.loads((pathlib.Path(folder) / "run.out/summary.json").read_text())
        self.assertEqual(summary["exit_code"], code)
        for path in self.snapshots(folder):
            datasets(path)
        return err, summary

    def assert_last_state_is_there(self, folder, summary):
        self.assertEqual(list(pathlib.Path(folder).glob("run.out/*.partial")), [])
        steps = [int(path.stem.split("_")[1]) for path in self.snapshots(folder)]
        self.assertEqual(steps[-1], summary["steps"])
        return steps

    def test_a_slow_io_rank_is_waited_for(self):
        deck = {**HEAT, "time": {"step": 1e-4, "steps": 80}, "output": {"snapshots": {"interval": 1}}}
        with scratch() as folder, scratch() as other:
            process, ranks = self.start(folder, {**deck, "io": {"buffers": 3}})
            os.kill(ranks[2], signal.SIGSTOP)
            # Like a disk that does not respond: there are no more steps than buffers, plus the snapshot being written
            # and the one that waits for a buffer. The table's first row has the names of columns.
            before = -1
            while before != self.rows(folder):
                before = self.rows(folder)
                time.sleep(0.5)
            self.assertIsNone(process.poll())
            self.assertLess(before, 80)
            self.assertLessEqual(before - len(self.snapshots(folder)), 3 + 3)
            os.kill(ranks[2], signal.SIGCONT)
            _, err = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, 0, err)
            summary = json.loads((pathlib.Path(folder) / "run.out/summary.json").read_text())
            self.assertGreater(summary["timings"]["waiting_for_buffers"]["most"], 0.4)
            self.assertEqual(self.run_in(other, deck, 2, 0).code, 0)
            self.assertEqual(len(self.snapshots(folder)), 81)
            for path in self.snapshots(folder):
                self.assertEqual(datasets(path), datasets(pathlib.Path(other) / "run.out" / path.name), path.name)

    def test_a_lost_io_rank(self):
        for victim in (2, 0):
            with self.subTest(victim=victim), scratch() as folder:
                process, ranks = self.start(folder, LONG)
                os.kill(ranks[victim], signal.SIGKILL)
                err, summary = self.assert_ended(folder, process, 5)
                self.assertIn("a rank was lost: killed by signal 9", err)
                self.assertEqual(summary["status"], "stopped")

    def test_a_stop_leaves_all_that_was_handed_over(self):
        for launcher in ((), ("mpirun", "-n", "3")):
            with self.subTest(launcher=launcher), scratch() as folder:
                process, ranks = self.start(folder, LONG, launcher)
                # Under a user's launcher, only the I/O rank.
                os.kill(ranks[2] if launcher else process.pid, signal.SIGTERM)
                if launcher:
                    _, err = process.communicate(timeout=PATIENCE)
                    summary = json.loads((pathlib.Path(folder) / "run.out/summary.json").read_text())
                    self.assertEqual(summary["exit_code"], 5, err)
                else:
                    err, summary = self.assert_ended(folder, process, 5)
                self.assertIn("stopped by a signal after step ", err)
                steps = self.assert_last_state_is_there(folder, summary)
                self.assertEqual(steps[:-1], list(range(0, steps[-1], 2)))

    def test_a_stationary_solve_that_is_stopped(self):
        solver = {"method": "jacobi", "jacobi": {"iterations": 100000000, "relative_tolerance": 1e-15}}
        deck = {**DECKS["potential on nodes"], "mesh": {"cells": [400, 400]}, "solver": solver}
        with scratch() as folder:
            process = subprocess.Popen([PROGRAM, "run", with_deck(folder, {**deck, "progress": {"iterations": 1}}),
                                        "--ranks", "3", "--set", "io.ranks=1"], cwd=folder, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while "Iteration = 3 " not in process.stdout.readline():
                self.assertIsNone(process.poll(), "it has ended")
            process.terminate()
            err, _ = self.assert_ended(folder, process, 5)
            self.assertIn("stopped by a signal in iteration ", err)
            self.assertEqual([path.name for path in self.snapshots(folder)], ["snapshot_000000.vti"])

    def test_a_step_that_fails_leaves_its_state(self):
        with scratch() as folder:
            run = self.run_in(folder, {**HEAT, "solver": {"cg": {"iterations": 1}}}, 3, 1)
            self.assertEqual(run.code, 3, run.err)
            self.assertIn("step 1, time 0.0001: cg ended with iteration limit", run.err)
            self.assertEqual(self.assert_last_state_is_there(folder, run.summary()), [0, 1])

    def test_what_an_io_rank_cannot_write(self):
        limit = 9 << 20
        large = {**HEAT, "mesh": {"cells": [120, 120, 100]}, "time": {"step": 1e-6, "steps": 2}}

        def limit_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        for ranks, io_ranks, environment, prepare, said in (
                (3, 1, {"HALOCLINE_THROW_AT": "hdf5_write:2:2"}, None, "rank 2: armed to fail at hdf5_write"),
                (4, 2, {"HALOCLINE_THROW_AT": "hdf5_write:3:3"}, None, "rank 3: armed to fail at hdf5_write"),
                (3, 1, {}, limit_files, "rank 2: cannot write run.out/snapshot_000000.vti: File too large")):
            with self.subTest(said=said), scratch() as folder:
                run = self.run_in(folder, large if prepare else HEAT, ranks, io_ranks, environment=environment,
                                  prepare=prepare)
                self.assertEqual((run.code, run.err), (4, f"halocline: {said}\n"))
                summary = run.summary()
                self.assertEqual((summary["exit_code"], summary["status"]), (4, "input/output failed"))
                self.assertEqual(list(pathlib.Path(folder).glob("run.out/*.partial")), [])

    def test_a_compute_rank_that_fails(self):
        with scratch() as folder:
            run = self.run_in(folder, HEAT, 3, 1, environment={"HALOCLINE_THROW_AT": "solve:1:3"})
            self.assertEqual((run.code, run.err), (3, "halocline: rank 1: armed to fail at solve\n"))
            self.assertEqual(list(pathlib.Path(folder).glob("run.out/*.partial")), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
