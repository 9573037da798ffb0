"""An output folder belongs to one run: a second run is refused, and one that has not begun leaves no files."""

import contextlib
import json
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import unittest

from program import PATIENCE, PROGRAM, Run, scratch, without_shared

HEAT = {"physics": "heat", "mesh": {"cells": [16, 16]}, "heat": {"initial": "x*y"}, "time": {"step": 1e-4, "steps": 20},
        "output": {"snapshots": {"interval": 5}}}
LONG = {**HEAT, "time": {"step": 1e-4, "steps": 1000000}, "output": {"snapshots": {"interval": 0}}}
# The first step is longer than the stable step, which is detected when the physics is made.
UNSTABLE = {"physics": "wave", "mesh": {"cells": [16, 16]}, "wave": {"initial": "x"}, "time": {"step": 10, "steps": 2}}
# By how the run is started: words of a launcher, words behind the command.
STARTS = {"alone": ([], []), "with ranks": ([], ["--ranks", "2"]), "under mpirun": (["mpirun", "-n", "2"], [])}


def with_deck(folder, deck, name="run.yaml"):
    path = pathlib.Path(folder) / name
    path.write_text(json.dumps(deck))
    return path


def start(folder, deck, launcher=(), words=()):
    return subprocess.Popen([*launcher, PROGRAM, "run", with_deck(folder, deck, "long.yaml"), "--output", "run.out", *words],
                            cwd=folder, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


class Folder(unittest.TestCase):
    def test_who_comes_second_is_refused(self):
        for how, (launcher, words) in STARTS.items():
            with self.subTest(first=how), scratch() as folder:
                first = start(folder, LONG, launcher, ["--overwrite", *words])
                while not (pathlib.Path(folder) / "run.out/summary.json").exists():
                    self.assertIsNone(first.poll())
                for launcher_now, words_now in STARTS.values():
                    run = Run(["run", with_deck(folder, HEAT), "--overwrite", *words_now], folder, launcher=launcher_now)
                    self.assertEqual(run.code, 2, run.err)
                    said = r"halocline: run.out is in use by another run, process \d+ of {}; --output chooses another folder\n"
                    self.assertRegex(run.err, "^" + said.format(re.escape(socket.gethostname())))
                    self.assertEqual(run.err.count("halocline: "), 1)
                first.send_signal(signal.SIGINT)
                first.communicate(timeout=PATIENCE)
                summary = json.loads((pathlib.Path(folder) / "run.out/summary.json").read_text())
                self.assertEqual(summary["provenance"]["deck"]["path"], str(pathlib.Path(folder) / "long.yaml"))
                # mpirun kills what does not end at once.
                if not launcher:
                    self.assertFalse((pathlib.Path(folder) / "run.out/halocline.lock").exists())

    def test_one_of_many_at_once_has_it(self):
        with scratch() as folder:
            runs = [start(folder, HEAT, words=["--quiet", *words]) for words in ([], ["--ranks", "2"], [], ["--overwrite"])]
            for run in runs:
                run.communicate(timeout=PATIENCE)
            codes = [run.returncode for run in runs]
            self.assertEqual(set(codes) - {2}, {0}, codes)
            together = Run(["--version"], folder).files()
        with scratch() as folder:
            start(folder, HEAT, words=["--quiet"]).communicate(timeout=PATIENCE)
            self.assertEqual(together, Run(["--version"], folder).files())

    def test_a_run_that_does_not_begin_leaves_nothing(self):
        for how, (launcher, words) in STARTS.items():
            for output in ("run.out", "a/b/c"):
                with self.subTest(how=how, output=output), scratch() as folder:
                    run = Run(["run", with_deck(folder, UNSTABLE), "--output", output, *words], folder, launcher=launcher)
                    self.assertEqual(run.code, 2, run.err)
                    self.assertIn("stable step", run.err)
                    self.assertEqual([path.name for path in pathlib.Path(folder).iterdir()], ["run.yaml"])

    def test_a_run_that_does_not_begin_replaces_nothing(self):
        with scratch() as folder:
            self.assertEqual(Run(["run", with_deck(folder, HEAT)], folder).code, 0)
            before = {name: (pathlib.Path(folder) / name).stat().st_mtime_ns for name in Run(["--version"], folder).files()}
            for launcher, words in STARTS.values():
                run = Run(["run", with_deck(folder, UNSTABLE, "next.yaml"), "--output", "run.out", "--overwrite", *words],
                          folder, launcher=launcher)
                self.assertEqual(run.code, 2, run.err)
                (pathlib.Path(folder) / "next.yaml").unlink()
                after = {name: (pathlib.Path(folder) / name).stat().st_mtime_ns for name in run.files()}
                self.assertEqual(before, after)

    def test_the_lock_of_a_killed_run_holds_nobody_up(self):
        for how in ("alone", "with ranks"):
            with self.subTest(how=how), scratch() as folder:
                process = start(folder, LONG, *STARTS[how])
                while not (pathlib.Path(folder) / "run.out/summary.json").exists():
                    self.assertIsNone(process.poll())
                process.kill()
                process.communicate(timeout=PATIENCE)
                self.assertTrue((pathlib.Path(folder) / "run.out/halocline.lock").exists())
                while True:
                    run = Run(["run", with_deck(folder, HEAT), "--overwrite", "--quiet"], folder)
                    # Its ranks may still be ending.
                    if how == "alone" or "in use" not in run.err:
                        break
                self.assertEqual((run.code, run.err), (0, ""))
                self.assertFalse((pathlib.Path(folder) / "run.out/halocline.lock").exists())

    def test_links_are_not_written_through(self):
        steps, interval = 1500, 150
        deck = {**HEAT, "time": {"step": 1e-5, "steps": steps}, "output": {"snapshots": {"interval": interval}}}
        later = [f"snapshot_{step:06}.vti" for step in range(interval, steps + 1, interval)][4:]
        for how in ("alone", "with ranks"):
            with self.subTest(how=how), scratch() as folder:
                output = pathlib.Path(folder) / "run.out"
                precious = pathlib.Path(folder) / "precious"
                precious.write_text("mine")
                process = start(folder, deck, STARTS[how][0], ["--trace", "--plot", *STARTS[how][1]])
                while not (output / "scalars.csv").exists():
                    self.assertIsNone(process.poll())
                planted = [*later, *(name + ".partial" for name in later), "trace.json.partial", "slice_u.png",
                           "residuals.png"]
                for name in planted:
                    (output / name).unlink(missing_ok=True)
                    (output / name).symlink_to(precious)
                # The run writes this one again and again, and must not be robbed of it.
                while True:
                    self.assertIsNone(process.poll())
                    with contextlib.suppress(FileExistsError):
                        (output / "snapshots.xdmf.partial").symlink_to(precious)
                        break
                _, err = process.communicate(timeout=PATIENCE)
                self.assertEqual((process.returncode, without_shared(err)), (0, ""))
                self.assertEqual(precious.read_text(), "mine")
                self.assertEqual([path.name for path in output.iterdir() if path.is_symlink()], [])
                self.assertTrue((output / later[-1]).read_bytes().startswith(b"<?xml"))


    def test_a_folder_that_is_a_link(self):
        for behind in ([], ["--overwrite"], ["--ranks", 2]):
            with self.subTest(behind=behind), scratch() as folder:
                disk = pathlib.Path(folder) / "large disk"
                disk.mkdir()
                (disk.parent / "run.out").symlink_to(disk)
                run = Run(["run", with_deck(folder, HEAT), "--quiet", "--output", "run.out", *behind], folder)
                self.assertEqual((run.code, run.err), (0, ""))
                self.assertEqual(json.loads((disk / "summary.json").read_text())["status"], "done")

    def test_a_folder_that_is_taken_away(self):
        """A run whose folder was taken over does not write into the other run's folder."""
        with scratch() as folder:
            output = pathlib.Path(folder) / "run.out"
            first = start(folder, LONG)
            while not (output / "scalars.csv").exists():
                self.assertIsNone(first.poll())
            first.send_signal(signal.SIGSTOP)
            shutil.rmtree(output)
            second = Run(["run", with_deck(folder, HEAT), "--quiet", "--output", "run.out"], folder)
            self.assertEqual((second.code, second.err), (0, ""))
            before = {path.name: path.read_bytes() for path in output.iterdir()}
            first.send_signal(signal.SIGTERM)
            first.send_signal(signal.SIGCONT)
            _, err = first.communicate(timeout=PATIENCE)
            self.assertIn("was removed or replaced during this run", err)
            self.assertIn(first.returncode, (4, 5))
            self.assertEqual({path.name: path.read_bytes() for path in output.iterdir()}, before)


if __name__ == "__main__":
    unittest.main(verbosity=2)
