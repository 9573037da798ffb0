"""Runs of one deck with several values of its options, `halocline run --sweep`: `sweep_test.py PROGRAM PLUGIN`, where PLUGIN
is the physics of misbehaving.cpp."""

import csv
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

from program import PATIENCE, PROGRAM, Run, scratch

PLUGIN = pathlib.Path(sys.argv.pop(1)).resolve()
DECK = {"physics": "gray-scott", "mesh": {"cells": [16, 16], "periodic": [True, True]}, "time": {"step": 1, "steps": 4},
        "gray-scott": {"u": {"initial": "1 - 0.5*x"}, "v": {"initial": "0.25*y"}}}
# A finite value whose square is not finite.
HUGE = "1e200"


def with_deck(folder, **more):
    path = pathlib.Path(folder) / "run.yaml"
    path.write_text(json.dumps({**DECK, **more}))
    return path


def sweep_words(*sweeps):
    return [word for sweep in sweeps for word in ("--sweep", sweep)]


def table(folder, output="run.out"):
    with open(pathlib.Path(folder) / output / "sweep.csv", newline="") as file:
        return list(csv.DictReader(file))


def folders(folder, output="run.out"):
    return sorted(path.name for path in (pathlib.Path(folder) / output).iterdir() if path.is_dir())


class Sweep(unittest.TestCase):
    def sweep(self, folder, *words, code=0, **options):
        run = Run(["run", pathlib.Path(folder) / "run.yaml", *words], folder, **options)
        self.assertEqual(run.code, code, run.err)
        return run

    def test_each_is_a_run_of_its_own_by_set(self):
        with scratch() as folder:
            with_deck(folder)
            run = self.sweep(folder, *sweep_words("F=0.02,0.03", "k=0.05,0.06,0.07"))
            self.assertEqual(run.err, "")
            rows = table(folder)
            names = [f"F={F},k={k}" for F in ("0.02", "0.03") for k in ("0.05", "0.06", "0.07")]
            self.assertEqual([row["folder"] for row in rows], names)
            self.assertEqual(folders(folder), names)
            self.assertEqual(list(rows[0]), ["folder", "F", "k", "status", "exit_code", "mean(u)", "mean(v)", "minimum(u)",
                                             "maximum(v)"])
            alone = self.sweep(folder, "--set", "gray-scott.F=0.03", "--set", "gray-scott.k=0.05", "--output", "alone")
            for name in ("scalars.csv", "snapshot_000004.vti"):
                self.assertEqual((alone.folder / "alone" / name).stat().st_size,
                                 (alone.folder / "run.out/F=0.03,k=0.05" / name).stat().st_size)
            self.assertEqual((alone.folder / "alone/scalars.csv").read_text(),
                             (alone.folder / "run.out/F=0.03,k=0.05/scalars.csv").read_text())
            for row in rows:
                summary = run.summary(f"run.out/{row['folder']}")
                self.assertEqual((row["status"], row["exit_code"], summary["status"]), ("done", "0", "done"))
                self.assertEqual(row["folder"], f"F={row['F']},k={row['k']}")
                options = summary["provenance"]["deck"]["options"]["gray-scott"]
                self.assertEqual((options["F"], options["k"]), (float(row["F"]), float(row["k"])))
                self.assertEqual({name: float(row[name]) for name in summary["quantities"]}, summary["quantities"])
                self.assertIn(f"--set gray-scott.F={row['F']}", summary["provenance"]["command"])
            printed = run.out.splitlines()[-8:]
            self.assertEqual(printed[0].split()[:4], ["F", "k", "status", "mean(u)"])
            self.assertEqual([line.split()[:3] for line in printed[1:-1]], [[row["F"], row["k"], "done"] for row in rows])
            self.assertEqual(printed[-1].split(), ["sweep", "run.out/sweep.csv"])
            self.assertIn("run 4 of 6: run.out/F=0.03,k=0.05\n", run.out)

    def test_any_option_of_a_deck(self):
        with scratch() as folder:
            with_deck(folder, heat={"initial": "x"})
            self.sweep(folder, *sweep_words("mesh.cells=[8, 8],[16, 8]", "u.initial='1','x*y'"), "--quiet")
            # Commas within values are no more values of a line.
            verified = Run(["verify", "run.out"], folder)
            self.assertEqual(verified.code, 0, verified.err)
            # Damage of a run in the folder of the sweep.
            damaged = pathlib.Path(folder) / "run.out/mesh.cells=8_8,u.initial=1/snapshot_000004.vti"
            content = bytearray(damaged.read_bytes())
            content[len(content) // 2] ^= 1
            damaged.write_bytes(content)
            verified = Run(["verify", "run.out"], folder)
            self.assertEqual(verified.code, 4, verified.out)
            self.assertIn(str(damaged.relative_to(folder)), verified.out + verified.err)
            self.assertEqual(folders(folder), sorted(f"mesh.cells={cells},u.initial={initial}" for cells in ("8_8", "16_8")
                                                     for initial in ("1", "x_y")))
            self.assertEqual([row["mesh.cells"] for row in table(folder)], ["[8, 8]"] * 2 + ["[16, 8]"] * 2)
            # Quantities that only some runs have.
            self.sweep(folder, *sweep_words("physics=gray-scott,heat"), "--quiet", "--output", "physics")
            first, second = table(folder, "physics")
            self.assertNotEqual(first["mean(u)"], "")
            self.assertEqual((second["mean(u)"], second["status"]), ("", "done"))

    def test_options_of_the_command_line_are_those_of_each_run(self):
        with scratch() as folder:
            with_deck(folder)
            words = sweep_words("F=0.02,0.03") + ["--set", "time.steps=3", "--ranks", 2, "--output", "{{a}}/{deck}", "--quiet"]
            run = self.sweep(folder, *words)
            self.assertEqual((run.out, run.err), ("", ""))
            for name in ("F=0.02", "F=0.03"):
                summary = run.summary(f"{{a}}/run/{name}")
                self.assertEqual((summary["provenance"]["ranks"], summary["steps"], summary["status"]), (2, 3, "done"))
            before = table(folder, "{a}/run")
            again = self.sweep(folder, *words, code=2)
            self.assertEqual(again.err, "halocline: {a}/run/F=0.02 holds a run already; --overwrite replaces it, --output "
                             "chooses another folder\n")
            more = self.sweep(folder, "--sweep", "F=0.04", *words[4:], code=2)
            self.assertIn("{a}/run holds a run already", more.err)
            self.sweep(folder, *words, "--overwrite")
            self.assertEqual(table(folder, "{a}/run"), before)

    def test_a_run_that_fails_does_not_stop_the_others(self):
        with scratch() as folder:
            with_deck(folder, guard={"every": 1})
            run = self.sweep(folder, *sweep_words(f"v.initial=0.1,{HUGE},0.2"), "--set", "gray-scott.F=0.02", code=3)
            rows = table(folder)
            self.assertEqual([(row["status"], row["exit_code"]) for row in rows],
                             [("done", "0"), ("not a number", "3"), ("done", "0")])
            self.assertEqual(run.summary(f"run.out/v.initial={HUGE}")["exit_code"], 3)
            self.assertTrue(run.err.endswith(f"halocline: 1 of 3 runs did not reach its end: v.initial={HUGE} (not a number)\n"),
                            run.err)

    def test_a_run_that_does_not_begin(self):
        with scratch() as folder:
            with_deck(folder)
            self.sweep(folder, *sweep_words("time.step=1,2"), "--quiet")
            # The second step is now too long, which is detected when the physics is made. The record of an earlier run
            # must not be taken for that of this one.
            run = self.sweep(folder, *sweep_words("time.step=1,2"), "--set", "gray-scott.Du=6e-4", "--overwrite", code=2)
            self.assertIn("halocline: `time.step`: 2 is longer than the longest stable step, ", run.err)
            self.assertEqual(run.summary("run.out/time.step=2")["status"], "done")
            self.assertEqual([(row["status"], row["exit_code"], row["mean(u)"] == "") for row in table(folder)],
                             [("done", "0", False), ("wrong input", "2", True)])
            # The worst of several exit codes.
            self.sweep(folder, *sweep_words(f"v.initial={HUGE},0.1", "time.step=2,1"), "--set", "gray-scott.Du=6e-4",
                       "--output", "worst", code=3)
            self.assertEqual([row["exit_code"] for row in table(folder, "worst")], ["2", "3", "2", "0"])

    def test_a_crash_does_not_stop_the_others(self):
        deck = {"physics": "misbehaving", "time": {"step": 0.5, "steps": 4}}
        with scratch() as folder:
            with_deck(folder, **deck, misbehaving={"at": 3})
            run = self.sweep(folder, *sweep_words("how=segfault,throw,unstable"), "--plugin", PLUGIN, "--quiet", code=3)
            self.assertEqual([row["exit_code"] for row in table(folder)], ["3", "3", "3"])
            self.assertIn("crashed (segmentation fault)", run.err)
            self.assertIn("3 of 3 runs did not reach their end: how=segfault (unsolved), ", run.err)

    def test_mistakes_are_told_before_anything_is_written(self):
        many = ",".join(map(str, range(101)))
        known = "halocline: `--sweep f`: `f` is unknown in the deck and in gray-scott; did you mean `F`?\n"
        for words, said in (
                (sweep_words("f=1,2"), known),
                (sweep_words("gray-scott.f=1"), "halocline: `f`: unknown in gray-scott (--sweep gray-scott.f=1); did you mean `F`?\n"),
                (sweep_words("timme.step=1"), "halocline: `--sweep timme.step`: `timme` is unknown in the deck and in gray-scott; "
                 "did you mean `time`?\n"),
                (sweep_words("F="), "halocline: `--sweep F=`: no values; give them after the equals sign, separated by "
                                    "commas\n"),
                (sweep_words("F=1", "F=2"), "halocline: `--sweep F=2`: F is swept already\n"),
                (sweep_words("F=1,2") + ["--set", "gray-scott.F=3"],
                 "halocline: `--set gray-scott.F=3`, `--sweep F`: the same option\n"),
                (sweep_words("F=1", "gray-scott.F=2"), "halocline: `--sweep F`, `--sweep gray-scott.F`: the same option\n"),
                (sweep_words("F=" + many, "k=" + many), "halocline: --sweep: 101 x 101 runs; a sweep may have at most "
                                                        "10000\n"),
                (sweep_words("F=0.02,-1", "k=0.05,0.06"), "halocline: F=-1,k=0.05 and 1 more run: `gray-scott.F`: "
                 "-1 is out of range: must be at least 0 (--sweep F=-1)\n"),
                (sweep_words("F=0.02,x", "k=0.05") + ["--set", "mesh.sells=3"],
                 "halocline: `sells`: unknown in mesh (--set mesh.sells=3); did you mean `cells`?\n"
                 "F=x,k=0.05: `gray-scott.F`: expected a number, got 'x' (--sweep F=x)\n"),
                (sweep_words("F=1,2") + ["--set", "physics=grey-scott"], None)):
            with self.subTest(words=words), scratch() as folder:
                with_deck(folder)
                run = self.sweep(folder, *words, code=2)
                if said is None:
                    self.assertRegex(run.err, "^halocline: `physics`: [^\n]*did you mean `gray-scott`\\? [^\n]*\n$")
                else:
                    self.assertEqual(run.err, said)
                self.assertEqual((run.out, run.files()), ("", ["run.yaml"]))

    def test_a_launcher_has_no_part_in_it(self):
        with scratch() as folder:
            with_deck(folder)
            run = self.sweep(folder, *sweep_words("F=0.02,0.03"), code=2, launcher=["mpirun", "-n", "2"])
            self.assertEqual(run.err.count("halocline: --sweep starts its runs itself, but a launcher has"), 1, run.err)
            self.assertEqual(run.files(), ["run.yaml"])

    def begun(self, folder, *words, third=",{step: 1, steps: 3}", **settings):
        """A sweep of three runs; the second does not end by itself, and has taken a step."""
        with_deck(folder, time={"step": 1e-6, "steps": 100000000}, output={"snapshots": {"interval": 0}})
        process = subprocess.Popen(
            [PROGRAM, "run", "run.yaml", *sweep_words("time={step: 1, steps: 2},{step: 1e-6, steps: 100000000}"
                                                      + third), "--quiet", *words],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **settings)
        scalars = pathlib.Path(folder) / "run.out/time=step_1e-6_steps_100000000/scalars.csv"
        while not scalars.exists() or scalars.read_text().count("\n") < 3:
            self.assertIsNone(process.poll(), "it has ended")
            time.sleep(0.01)
        return process

    def run_of(self, process):
        """Process id of the current run."""
        return int(pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text())

    def test_a_signal_may_stop_the_last_run(self):
        with scratch() as folder:
            process = self.begun(folder, third="")
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, 5, err)
            self.assertRegex(err, "halocline: stopped by a signal; 1 of 2 runs did not reach its end: [^ ]* \\(stopped\\)\n$")

    def test_a_signal_stops_the_run_under_way_and_begins_no_other(self):
        for words in ([], ["--ranks", "2"]):
            with self.subTest(words=words), scratch() as folder:
                process = self.begun(folder, *words)
                # Finished runs are already on record, and the folder belongs to this sweep.
                self.assertEqual([row["status"] for row in table(folder)], ["done"])
                second = self.sweep(folder, *sweep_words("F=1"), "--overwrite", code=2)
                self.assertIn("run.out is in use by another run", second.err)
                process.send_signal(signal.SIGTERM)
                _, err = process.communicate(timeout=PATIENCE)
                self.assertEqual(process.returncode, 5, err)
                name = "time=step_1e-6_steps_100000000"
                self.assertRegex(err, "halocline: stopped by a signal; 1 of 3 runs was not begun; 1 of 3 runs did not reach its "
                                 f"end: {name} \\(stopped\\)\n$")
                self.assertEqual([(row["status"], row["exit_code"]) for row in table(folder)], [("done", "0"), ("stopped", "5")])
                self.assertEqual(folders(folder), ["time=step_1_steps_2", name])
                summary = json.loads((pathlib.Path(folder) / "run.out" / name / "summary.json").read_text())
                self.assertRegex(summary["message"], "^stopped by a signal after step \\d+ of 100000000; `halocline "
                                                     "restart run.out/[^`]*` continues it$")
                self.assertFalse((pathlib.Path(folder) / "run.out/halocline.lock").exists())

    def test_the_wall_limit_is_that_of_all_runs_together(self):
        with scratch() as folder:
            with_deck(folder, output={"snapshots": {"interval": 0}})
            times = "time={step: 1, steps: 2},{step: 1e-6, steps: 100000000},{step: 1, steps: 3},{step: 1, steps: 4}"
            run = self.sweep(folder, "--sweep", times, "--quiet", "--wall-limit", 12, code=5)
            name = "time=step_1e-6_steps_100000000"
            self.assertTrue(run.err.endswith("halocline: stopped at the wall limit of 12 s; 2 of 4 runs were not begun; 1 of 4 "
                                             f"runs did not reach its end: {name} (stopped)\n"), run.err)
            self.assertEqual([row["status"] for row in table(folder)], ["done", "stopped"])
            summary = run.summary(f"run.out/{name}")
            self.assertRegex(summary["message"], r"^stopped at the wall limit of [\d.]+ s after step \d+ of 100000000; ")
            # What the first run has taken is no more there for the second.
            limits = [float(re.search(r"--wall-limit ([\d.]+)", run.summary(f"run.out/{one}")["provenance"]["command"])[1])
                      for one in ("time=step_1_steps_2", name)]
            self.assertLess(limits[0], 12)
            self.assertLess(limits[1], limits[0])
            # Too short for any run.
            run = self.sweep(folder, "--sweep", "F=0.02,0.03", "--quiet", "--output", "none", "--wall-limit", 0.01, code=5)
            self.assertEqual(run.err, "halocline: stopped at the wall limit of 0.01 s; 2 of 2 runs were not begun\n")

    def test_a_signal_that_is_ignored(self):
        with scratch() as folder:
            process = self.begun(folder, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
            process.send_signal(signal.SIGHUP)
            time.sleep(1)
            self.assertIsNone(process.poll())
            # The current run would take for ever; the next one begins nevertheless.
            os.kill(self.run_of(process), signal.SIGKILL)
            process.communicate(timeout=PATIENCE)
            self.assertEqual([row["status"] for row in table(folder)], ["done", "stopped", "done"])

    def test_a_run_that_is_killed_does_not_stop_the_others(self):
        with scratch() as folder:
            process = self.begun(folder)
            os.kill(self.run_of(process), signal.SIGKILL)
            _, err = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, 5, err)
            self.assertEqual([row["status"] for row in table(folder)], ["done", "stopped", "done"])
            name = "run.out/time=step_1e-6_steps_100000000"
            self.assertIn(f"halocline: {name}: the run was lost: killed by signal 9 (Killed; by another process, or out "
                          "of memory); files on disk are intact\n", err)
            summary = json.loads((pathlib.Path(folder) / name / "summary.json").read_text())
            self.assertEqual((summary["status"], summary["exit_code"]), ("stopped", 5))


if __name__ == "__main__":
    unittest.main(verbosity=2)
