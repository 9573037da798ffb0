"""Failing runs: one message, the right exit code, promptly, and no incomplete file that looks complete."""

import json
import os
import pathlib
import signal
import subprocess
import unittest

from program import PATIENCE, PROGRAM, Run, scratch, without_shared

SITES = {"deck": 2, "allocation": 70, "pack": 70, "wait": 70, "reduction": 70, "solve": 3, "hdf5_write": 4}
DECK = {"physics": "heat", "mesh": {"cells": [24, 18]}, "heat": {"initial": "exp(-x)"},
        "time": {"step": 0.001, "steps": 4}, "solver": {"cg": {"relative_tolerance": 1e-8}},
        "output": {"snapshots": {"interval": 2}}}


def with_deck(folder, **changes):
    """Writes the deck into `folder`, with changed sections."""
    path = pathlib.Path(folder) / "run.yaml"
    path.write_text(json.dumps({**DECK, **changes}))
    return path


class Failure(unittest.TestCase):
    def assert_one_message(self, err, start="halocline: "):
        err = without_shared(err)
        self.assertTrue(err.startswith(start), err)
        self.assertEqual(err.count("halocline:"), 1, err)
        for noise in ("mpirun", "MPI_ABORT", "PRTE", "----"):
            self.assertNotIn(noise, err)

    def assert_nothing_partial(self, run):
        self.assertEqual([name for name in run.files() if name.endswith(".partial")], [])

    def test_an_exception_at_any_site_on_any_rank(self):
        for site, code in SITES.items():
            for rank in range(3):
                with self.subTest(site=site, rank=rank), scratch() as folder:
                    run = Run(["run", with_deck(folder), "--ranks", 3], folder,
                              {"HALOCLINE_THROW_AT": f"{site}:{rank}"}, timeout=PATIENCE)
                    self.assertEqual(run.code, code, run.err)
                    who = f"rank {rank}: " if rank else ""
                    self.assert_one_message(run.err, f"halocline: {who}armed to fail at {site}")
                    self.assert_nothing_partial(run)
                    if (run.folder / "run.out").exists():
                        summary = run.summary()
                        self.assertEqual(summary["exit_code"], code)
                        self.assertIn(f"armed to fail at {site}", summary["message"])
                    if site in ("deck", "allocation"):
                        self.assertFalse((run.folder / "run.out").exists())

    def test_sites_deep_in_a_run(self):
        for setting, code in (("reduction:1:40", 70), ("wait:2:60", 70), ("hdf5_write:1:2", 4)):
            with self.subTest(setting=setting), scratch() as folder:
                # The transport must be given: the number of trial exchanges differs from run to run.
                run = Run(["run", with_deck(folder), "--ranks", 3, "--set", "halo.transport=mpi-host"], folder,
                          {"HALOCLINE_THROW_AT": setting}, timeout=PATIENCE)
                self.assertEqual(run.code, code, run.err)
                self.assert_one_message(run.err)
                self.assert_nothing_partial(run)
                self.assertEqual(run.summary()["exit_code"], code)

    def start(self, folder, ranks, **changes):
        """A long run; returns when it has begun to step."""
        changes = {"mesh": {"cells": [64, 64]}, "time": {"step": 1e-4, "steps": 1000000}, **changes}
        process = subprocess.Popen([PROGRAM, "run", with_deck(folder, **changes), "--ranks", str(ranks)], cwd=folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        first = process.stdout.readline()
        if "step 1 of" not in first:
            self.fail(f"no first step: {first}{process.communicate()[1]}")
        return process

    def children_of(self, process):
        """The child processes of `process`: their programs by process id."""
        found = {}
        for entry in sorted(os.listdir("/proc"), key=lambda name: int(name) if name.isdigit() else 0):
            try:
                fields = pathlib.Path(f"/proc/{entry}/stat").read_text().rsplit(")", 1)[1].split()
                program = os.readlink(f"/proc/{entry}/exe")
            except (OSError, IndexError):
                continue
            if int(fields[1]) in {process.pid, *found}:
                found[int(entry)] = program
        return found

    def ranks_of(self, process):
        return [number for number, program in self.children_of(process).items() if program == str(PROGRAM)]

    def summary_in(self, folder):
        return json.loads((pathlib.Path(folder) / "run.out/summary.json").read_text())

    def test_a_lost_rank(self):
        for victim in range(3):
            with self.subTest(victim=victim), scratch() as folder:
                process = self.start(folder, 3)
                ranks = self.ranks_of(process)
                self.assertEqual(len(ranks), 3)
                os.kill(ranks[victim], signal.SIGKILL)
                _, err = process.communicate(timeout=PATIENCE)
                self.assertEqual(process.returncode, 5, err)
                self.assert_one_message(err, "halocline: a rank was lost: killed by signal 9")
                for rank in ranks:
                    self.assertFalse(pathlib.Path(f"/proc/{rank}/exe").exists())
                summary = self.summary_in(folder)
                self.assertEqual((summary["status"], summary["exit_code"]), ("stopped", 5))
                self.assertIn("a rank was lost: killed by signal 9", summary["message"])

    def test_a_run_killed_whole_leaves_its_record(self):
        for ranks in (1, 2):
            with self.subTest(ranks=ranks), scratch() as folder:
                process = self.start(folder, ranks)
                victims = [process.pid, *self.children_of(process)]
                self.assertGreaterEqual(len(victims), (1, 4)[ranks - 1])
                for victim in victims:
                    os.kill(victim, signal.SIGKILL)
                process.communicate(timeout=PATIENCE)
                summary = self.summary_in(folder)
                self.assertEqual((summary["status"], summary["exit_code"]), ("running", None))
                self.assertEqual(summary["provenance"]["ranks"], ranks)
                self.assertIn("time", summary["provenance"]["deck"]["options"])

    def test_a_record_of_another_run_is_left_alone(self):
        with scratch() as folder:
            process = self.start(folder, 1)
            process.kill()
            process.communicate()
            before = self.summary_in(folder)
            run = Run(["run", with_deck(folder), "--ranks", 2, "--overwrite"], folder,
                      {"HALOCLINE_THROW_AT": "deck:1"})
            self.assertEqual(run.code, 2)
            self.assertEqual(run.summary(), before)

    def test_mpirun_that_is_not_there(self):
        with scratch() as folder:
            run = Run(["run", with_deck(folder), "--ranks", 2], folder, {"PATH": folder})
            self.assertEqual(run.code, 2)
            self.assertEqual(run.err, "halocline: --ranks: mpirun cannot be started: No such file or directory\n")
            self.assertEqual(run.files(), ["run.yaml"])

    def test_an_mpirun_that_starts_nothing(self):
        with scratch() as folder:
            mpirun = pathlib.Path(folder) / "bin/mpirun"
            mpirun.parent.mkdir()
            mpirun.write_text("#!/bin/sh\nexec sleep 1000\n")
            mpirun.chmod(0o755)
            run = Run(["run", with_deck(folder), "--ranks", 2], folder,
                      {"PATH": f"{mpirun.parent}:{os.environ['PATH']}", "HALOCLINE_START_SECONDS": "0.2"}, timeout=PATIENCE)
            self.assertEqual(run.code, 4)
            self.assertIn("halocline: mpirun has started no ranks within 2.2 s; `mpirun -n 2 true` shows whether", run.err)
            self.assertEqual(run.files(), ["bin/mpirun", "run.yaml"])
            malformed = Run(["run", with_deck(folder), "--ranks", 2], folder, {"HALOCLINE_START_SECONDS": "soon"})
            self.assertEqual(malformed.code, 2)
            self.assert_one_message(malformed.err, "halocline: the environment's HALOCLINE_START_SECONDS=soon: expected")

    def test_signals_stop_a_run_at_its_next_step(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            for ranks in (1, 2):
                with self.subTest(signal=number, ranks=ranks), scratch() as folder:
                    process = self.start(folder, ranks)
                    process.send_signal(number)
                    _, err = process.communicate(timeout=PATIENCE)
                    self.assertEqual(process.returncode, 5, err)
                    self.assert_one_message(err, "halocline: stopped by a signal after step ")
                    summary = self.summary_in(folder)
                    self.assertEqual(summary["status"], "stopped")
                    self.assertGreater(summary["steps"], 0)

    def test_a_solve_that_does_not_get_there(self):
        with scratch() as folder:
            deck = with_deck(folder, solver={"cg": {"iterations": 2}})
            run = Run(["run", deck, "--ranks", 2], folder)
            self.assertEqual(run.code, 3)
            self.assert_one_message(run.err, "halocline: step 1, time 0.001: cg ended with iteration limit after 2 iterations")
            summary = run.summary()
            self.assertEqual((summary["status"], summary["steps"]), ("unsolved", 1))
            self.assertIn("run.out/snapshot_000001.vti", run.files())
            run = Run(["run", deck, "--overwrite", "--set", "solver.cg.iterations=1"], folder)
            self.assertEqual(run.code, 3)
            self.assert_one_message(run.err, "halocline: step 1, time 0.001: cg ended with iteration limit after 1 iteration, ")

    def test_a_folder_that_holds_a_run(self):
        with scratch() as folder:
            deck = with_deck(folder)
            self.assertEqual(Run(["run", deck], folder).code, 0)
            (pathlib.Path(folder) / "run.out/notes.txt").write_text("mine")
            before = Run(["--help"], folder).files()
            again = Run(["run", deck], folder)
            self.assertEqual(again.code, 2)
            self.assert_one_message(again.err)
            self.assertIn("--overwrite", again.err)
            replaced = Run(["run", deck, "--overwrite", *("--set", "output.snapshots.interval=4")], folder)
            self.assertEqual(replaced.code, 0, replaced.err)
            self.assertEqual(set(before) - set(replaced.files()), {"run.out/snapshot_000002.vti"})
            self.assertIn("run.out/notes.txt", replaced.files())

    def test_ranks_that_the_launcher_did_not_start(self):
        with scratch() as folder:
            run = Run(["run", with_deck(folder), "--ranks", 3], folder, launcher=["mpirun", "-n", "2"])
            self.assertEqual(run.code, 2)
            self.assertTrue(run.err.startswith("halocline: --ranks 3, but the launcher has started 2; "), run.err)
            self.assertEqual(run.err.count("halocline: "), 1, run.err)
            self.assertEqual(run.files(), ["run.yaml"])

    def test_whoever_starts_it_may_ignore_the_ends_of_children(self):
        with scratch() as folder:
            run = Run(["run", with_deck(folder), "--ranks", 2], folder, timeout=PATIENCE,
                      prepare=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
            self.assertEqual((run.code, run.err), (0, ""))
            self.assertEqual(run.summary()["status"], "done")


if __name__ == "__main__":
    unittest.main(verbosity=2)
