"""Ends of a run without an exception: crashes of a plugin, repeated signals, steps that become too long; and what the record
says about them: `endings_test.py PROGRAM PLUGIN`, where PLUGIN is the physics of misbehaving.cpp."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

from program import PATIENCE, PROGRAM, Run, scratch, settings, without_shared

PLUGIN = pathlib.Path(sys.argv.pop(1)).resolve()
NAME = f"plugin `{PLUGIN}`, physics `misbehaving`"
DECK = {"physics": "misbehaving", "mesh": {"cells": [8, 8]}, "time": {"step": 0.5, "steps": 10}}
LONG = {**DECK, "time": {"step": 1e-6, "steps": 100000000}}
HYDRA = "HYDRA" in subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout
STEPS = "after step (\\d+) of 100000000"


def with_deck(folder, deck=None):
    path = pathlib.Path(folder) / "run.yaml"
    path.write_text(json.dumps(deck or DECK))
    return path


def words(folder, deck=None, **options):
    given = {f"misbehaving.{name}": value for name, value in options.items()}
    return ["run", with_deck(folder, deck), "--plugin", PLUGIN, "--quiet", *settings(given)]


def open_files(process):
    """Names of the files that a process has open."""
    names = []
    for link in pathlib.Path(f"/proc/{process.pid}/fd").glob("*"):
        try:
            names.append(pathlib.Path(os.readlink(link)).name)
        except FileNotFoundError:
            pass  # closed meanwhile
    return names


def starts(ranks):
    """How to start a run with this many ranks: words of a launcher in front, words behind."""
    return {"alone": ([], []), "--ranks": ([], ["--ranks", ranks]),
            "mpirun": (["mpirun", "-n", str(ranks)], [])}


class Endings(unittest.TestCase):
    def in_place(self, run):
        return [name for name in run.files() if ".partial" in name or ".reserved" in name]

    def test_a_crash_of_a_plugin_is_told_and_on_record(self):
        crashes = {"segfault": "segmentation fault", "stack": "segmentation fault", "trap": "illegal instruction",
                   "divide": "arithmetic exception", "abort": "abort"}
        for how, name in crashes.items():
            with self.subTest(how=how), scratch() as folder:
                run = Run(words(folder, how=how, at=3), folder, timeout=PATIENCE)
                message = f"crashed ({name}) in `advance` of step 3 (from t = 1) of {NAME}; files on disk are intact"
                told = run.err.replace(", such as a division of an integer by zero", "")
                self.assertEqual((run.code, told), (3, f"halocline: {message}\n"))
                summary = run.summary()
                self.assertEqual((summary["status"], summary["exit_code"], summary["steps"], summary["time"]),
                                 ("unsolved", 3, 2, 1.0))
                self.assertEqual(f"halocline: {summary['message']}\n", run.err)
                self.assertEqual(summary["provenance"]["ranks"], 1)
                self.assertEqual(self.in_place(run), [])

    def test_a_crash_of_one_rank_ends_all(self):
        for where, rank in (("--ranks", 0), ("--ranks", 1), ("--ranks", 2), ("--ranks", -1), ("mpirun", 0),
                            ("mpirun", 2), ("mpirun", -1)):
            launcher, behind = starts(3)[where]
            with self.subTest(where=where, rank=rank), scratch() as folder:
                run = Run(words(folder, how="segfault", at=3, rank=rank) + behind, folder, timeout=PATIENCE,
                          launcher=launcher)
                if where == "mpirun" and HYDRA:
                    self.assertNotEqual(run.code, 0)  # MPICH's launcher has its own exit code
                else:
                    self.assertEqual(run.code, 3)
                who = str(rank) if rank >= 0 else r"\d"
                self.assertRegex(run.err, f"halocline: rank {who}: crashed \\(segmentation fault\\) in `advance` of step 3")
                if where == "--ranks":
                    self.assertEqual(run.err.count("\n"), 1, run.err)
                summary = run.summary()
                if where == "mpirun" and HYDRA and rank < 0 and summary["status"] == "running":
                    continue  # it killed the others before any of them could write
                self.assertEqual((summary["status"], summary["exit_code"], summary["steps"]), ("unsolved", 3, 2))
                self.assertEqual(self.in_place(run), [])

    def test_a_crash_before_there_is_a_record(self):
        with scratch() as folder:
            run = Run(words(folder, how="segfault", where="set-up"), folder)
            self.assertEqual((run.code, run.err),
                             (2, f"halocline: crashed (segmentation fault) in `create` of {NAME}\n"))
            self.assertNotIn("run.out/summary.json", run.files())

    def test_a_crash_after_the_end(self):
        for how, said in (("segfault", "crashed (segmentation fault) in"), ("throw", "crashed (abort) in"),
                          ("exit", "a library or a plugin ended the program with exit() in")):
            with self.subTest(how=how), scratch() as folder:
                run = Run(words(folder, how=how, where="destructor"), folder)
                self.assertEqual(run.code, 3, run.err)
                self.assertIn(f"halocline: {said} the destructor of {NAME}", run.err)
                self.assertNotIn("defect of Halocline", run.err)
                self.assertEqual(run.summary()["status"], "done")

    def test_fields_that_a_plugin_must_not_have(self):
        for how, said in (("two fields of a name", "two fields are called `u`"),
                          ("another mesh", "field `coarse` lies on another mesh than the run"),
                          ("fields on faces", "field `flux` lies on faces, but snapshots hold fields on cells and nodes; leave it "
                                              "out of `fields`: `serialize` stores fields on faces in checkpoints")):
            for ranks in (1, 3):
                with self.subTest(how=how, ranks=ranks), scratch() as folder:
                    run = Run([*words(folder, how=how), "--ranks", ranks], folder)
                    self.assertEqual((run.code, run.err), (2, f"halocline: {NAME}, in `fields`: {said}; this is a defect of "
                                                           "the plugin: please report it to its author\n"))
                    self.assertEqual(run.files(), ["run.yaml"])

    def test_a_plugin_that_ends_the_program(self):
        for behind in ([], ["--ranks", 2]):
            with self.subTest(behind=behind), scratch() as folder:
                run = Run(words(folder, how="exit", where="quantities", at=2, rank=0) + behind, folder)
                self.assertEqual(run.code, 3)
                self.assertIn(f"a library or a plugin ended the program with exit() in `quantities` of {NAME}", run.err)
                self.assertEqual(run.summary()["status"], "unsolved")

    def test_a_step_that_becomes_too_long(self):
        with scratch() as folder:
            run = Run(words(folder, how="unstable", at=3) + ["--ranks", 2], folder)
            message = ("step 4, time 1.5: `time.step`: 0.5 is longer than the longest stable step, 0.25; shorten it, or "
                       "give `time.courant` instead")
            self.assertEqual((run.code, run.err), (3, f"halocline: {message}\n"))
            summary = run.summary()
            self.assertEqual((summary["status"], summary["message"], summary["steps"]), ("unsolved", message, 3))
            self.assertIn("run.out/snapshot_000003.vti", run.files())
        with scratch() as folder:
            run = Run(words(folder, how="unstable", at=0), folder)
            self.assertEqual((run.code, run.files()), (2, ["run.yaml"]))
            self.assertEqual(run.err, "halocline: `time.step`: 0.5 is longer than the longest stable step, 0.25; shorten "
                                      "it, or give `time.courant` instead\n")

    def begun(self, folder, where, deck=None, steps=0, **options):
        """A running run that has taken this many steps; returns it and the process ids of its ranks."""
        launcher, behind = starts(2)[where]
        deck = deck or LONG
        process = subprocess.Popen([*launcher, PROGRAM, *map(str, words(folder, deck, **options) + behind)], cwd=folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        table = pathlib.Path(folder) / "run.out/scalars.csv"
        while not table.exists() or table.read_text().count("\n") < 2 + steps:
            self.assertIsNone(process.poll(), "it has ended")
            time.sleep(0.01)
        return process, self.ranks_of(process, where)

    def ranks_of(self, process, where):
        if where == "alone":
            return [process.pid]
        parents, programs = {}, {}
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                parents[int(entry)] = int(pathlib.Path(f"/proc/{entry}/stat").read_text().rsplit(")", 1)[1].split()[1])
                programs[int(entry)] = os.readlink(f"/proc/{entry}/exe")
            except (OSError, IndexError):
                continue

        def descends(number):
            # There may be processes between launcher and rank: MPICH has one for each host.
            while number in parents:
                number = parents[number]
                if number == process.pid:
                    return True
            return False
        return [number for number, program in programs.items() if program == str(PROGRAM) and descends(number)]

    def assert_one_truth(self, folder, process, err):
        """Message, summary, table and last snapshot name the same step."""
        self.assertEqual(process.returncode, 5, err)
        self.assertRegex(err, STEPS)
        summary = json.loads((pathlib.Path(folder) / "run.out/summary.json").read_text())
        self.assertEqual((summary["status"], summary["exit_code"]), ("stopped", 5))
        step = summary["steps"]
        self.assertIn(f"after step {step} of", summary["message"])
        self.assertIn(f"after step {step} of", err)
        rows = (pathlib.Path(folder) / "run.out/scalars.csv").read_text().splitlines()
        self.assertEqual(rows[-1].split(",")[0], str(step))
        return step

    def test_a_stop_has_one_step_and_a_last_state(self):
        deck = {**LONG, "output": {"snapshots": {"interval": 100000000}, "scalars": {"interval": 100000000}}}
        for where in ("alone", "--ranks"):
            with self.subTest(where=where), scratch() as folder:
                process, _ = self.begun(folder, where, deck)
                process.terminate()
                _, err = process.communicate(timeout=PATIENCE)
                step = self.assert_one_truth(folder, process, err)
                self.assertTrue((pathlib.Path(folder) / f"run.out/snapshot_{step:06d}.vti").exists())
        with scratch() as folder:
            process, _ = self.begun(folder, "alone", {**LONG, "output": {"snapshots": {"interval": 0}}})
            process.terminate()
            _, err = process.communicate(timeout=PATIENCE)
            self.assert_one_truth(folder, process, err)
            self.assertEqual(list(pathlib.Path(folder).glob("run.out/snapshot_*")), [])

    def test_a_stationary_solve_that_is_stopped(self):
        solver = {"method": "jacobi", "jacobi": {"iterations": 100000000, "relative_tolerance": 1e-15}}
        deck = {"physics": "laplace", "mesh": {"cells": [400, 400]}, "laplace": {"source": "sin(9*x)"}, "solver": solver,
                "progress": {"iterations": 1}}
        for ranks in (1, 2):
            with self.subTest(ranks=ranks), scratch() as folder:
                process = subprocess.Popen([PROGRAM, "run", with_deck(folder, deck), "--ranks", str(ranks)], cwd=folder,
                                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                           text=True)
                while "Iteration = 3 " not in process.stdout.readline():
                    self.assertIsNone(process.poll(), "it has ended")
                process.terminate()
                _, err = process.communicate(timeout=PATIENCE)
                self.assertEqual(process.returncode, 5, err)
                self.assertRegex(err, "stopped by a signal in iteration \\d+; `halocline restart run.out` continues it\n")
                summary = json.loads((pathlib.Path(folder) / "run.out/summary.json").read_text())
                self.assertEqual((summary["status"], summary["steps"]), ("stopped", 0))
                stopped = int(re.search(r"in iteration (\d+)", summary["message"])[1])
                self.assertIn(f"in iteration {stopped};", err)
                rows = (pathlib.Path(folder) / "run.out/residuals.csv").read_text().splitlines()
                step, solve, method, last, residual = rows[-1].split(",")
                self.assertEqual((step, solve, method), ("1", "1", "jacobi"))
                self.assertGreater(float(residual), 0)
                if ranks == 1:
                    self.assertEqual(int(last), stopped)

    def test_the_same_signal_twice_is_one(self):
        # As a batch system does: the signal goes to every rank, and again some milliseconds later, within a step.
        for where in ("alone", "--ranks", "mpirun"):
            for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU):
                with self.subTest(where=where, signal=number), scratch() as folder:
                    process, ranks = self.begun(folder, where, how="pause")
                    self.assertEqual(len(ranks), 1 if where == "alone" else 2)
                    for _ in range(2):
                        # With --ranks, the user's process receives the signal.
                        for rank in [process.pid] if where == "--ranks" else ranks:
                            os.kill(rank, number)
                        time.sleep(0.005)
                    _, err = process.communicate(timeout=PATIENCE)
                    self.assert_one_truth(folder, process, err)

    def test_another_signal_ends_a_run_within_a_step(self):
        for where in ("alone", "--ranks"):
            with self.subTest(where=where), scratch() as folder:
                process, _ = self.begun(folder, where, steps=1, how="sleep", at=2)
                time.sleep(0.2)  # reach the step that does not end
                process.terminate()
                time.sleep(0.2)
                process.send_signal(signal.SIGINT)
                _, err = process.communicate(timeout=PATIENCE)
                message = "stopped by a second signal, before the end of a step; files on disk are intact"
                self.assertEqual(process.returncode, 5, err)
                self.assertIn(message, err)
                summary = json.loads((pathlib.Path(folder) / "run.out/summary.json").read_text())
                self.assertEqual((summary["status"], summary["exit_code"], summary["steps"]), ("stopped", 5, 1))

    def test_a_run_that_is_asked_to_stop_and_killed_within_a_step_is_on_record(self):
        for where in ("alone", "mpirun"):
            with self.subTest(where=where), scratch() as folder:
                process, ranks = self.begun(folder, where, steps=1, how="sleep", at=2)
                time.sleep(0.2)  # reach the step that does not end
                for number in (signal.SIGTERM, signal.SIGKILL):
                    for rank in ranks:
                        os.kill(rank, number)
                    time.sleep(0.5)
                process.communicate(timeout=PATIENCE)
                summary = json.loads((pathlib.Path(folder) / "run.out/summary.json").read_text())
                self.assertEqual((summary["status"], summary["steps"]), ("stopped", 1))
                self.assertIn(f"stopped by a signal in `advance` of step 2 (from t = 1e-06) of {NAME}", summary["message"])

    def test_signals_that_are_no_requests(self):
        for number in (signal.SIGQUIT, signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF, signal.SIGPWR):
            with self.subTest(signal=number), scratch() as folder:
                process, _ = self.begun(folder, "alone")
                process.send_signal(number)
                _, err = process.communicate(timeout=PATIENCE)
                self.assertEqual(process.returncode, 5, err)
                self.assertIn(f"killed by signal {number.value} (", err)
                summary = json.loads((pathlib.Path(folder) / "run.out/summary.json").read_text())
                self.assertEqual(summary["status"], "stopped")

    def test_a_deck_that_is_a_pipe_without_a_writer(self):
        for command in ("run", "check"):
            with self.subTest(command=command), scratch() as folder:
                os.mkfifo(pathlib.Path(folder) / "pipe.yaml")
                process = subprocess.Popen([PROGRAM, command, "pipe.yaml"], cwd=folder, text=True,
                                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                # Wait until signal handlers are installed, which is before the pipe is opened.
                while "pipe.yaml" not in open_files(process):
                    self.assertIsNone(process.poll())
                process.send_signal(signal.SIGTERM)
                _, err = process.communicate(timeout=PATIENCE)
                self.assertEqual(process.returncode, 5, err)
                self.assertEqual(sorted(os.listdir(folder)), ["pipe.yaml"])

    def test_a_deck_that_comes_by_a_pipe(self):
        with scratch() as folder:
            pipe = pathlib.Path(folder) / "pipe.yaml"
            os.mkfifo(pipe)
            heat = {"physics": "heat", "mesh": {"cells": [8]}, "heat": {"initial": "x"}, "time": {"step": 1e-3, "steps": 2}}
            process = subprocess.Popen([PROGRAM, "run", "pipe.yaml", "--quiet"], cwd=folder, text=True,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            text = json.dumps(heat)
            with open(pipe, "w", encoding="utf-8") as writer:
                writer.write(text[:20])
                writer.flush()
                time.sleep(0.2)
                writer.write(text[20:])
            _, err = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, err), (0, ""))

    def test_variables_that_choose_threads(self):
        refused = "expected a number of threads from 1 to 512"
        for name, value in (("OMP_NUM_THREADS", "600"), ("OMP_NUM_THREADS", "x"), ("KOKKOS_NUM_THREADS", "x"),
                            ("KOKKOS_NUM_THREADS", "0"), ("KOKKOS_NUM_THREADS", "99999999999")):
            with self.subTest(name=name, value=value), scratch() as folder:
                run = Run(words(folder), folder, {name: value})
                self.assertEqual(run.code, 2)
                # OpenMP also prints a warning.
                self.assertTrue(run.err.endswith(f"halocline: the environment's {name}={value}: {refused}\n"), run.err)
        with scratch() as folder:
            run = Run(words(folder), folder, {"KOKKOS_DISABLE_WARNINGS": "x"})
            self.assertEqual(run.code, 2)
            self.assertIn("halocline: crashed (abort) in the start of Kokkos, as variables of the environment", run.err)

    def test_standard_streams_that_are_closed(self):
        for closed in ([0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]):
            for ranks in (1, 2):
                with self.subTest(closed=closed, ranks=ranks), scratch() as folder:
                    command = " ".join([f'"{word}"' for word in map(str, [PROGRAM, *words(folder), "--ranks", ranks])])
                    command = command.replace('"--quiet"', "") + "".join(f" {number}>&-" for number in closed)
                    done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=PATIENCE,
                                          check=False)
                    # Lost results are an error, although the run completes.
                    self.assertEqual(done.returncode, 4 if 1 in closed else 0, done.stderr)
                    complaint = "halocline: cannot write to standard output: Bad file descriptor\n"
                    self.assertEqual(without_shared(done.stderr), complaint if 1 in closed and 2 not in closed else "")
                    self.assertIn("run.out", done.stdout + "run.out" * (1 in closed))
                    summary = json.loads((pathlib.Path(folder) / "run.out/summary.json").read_text())
                    self.assertEqual(summary["status"], "done")


if __name__ == "__main__":
    unittest.main(verbosity=2)
