"""Runs disturbed from outside: signals at any moment, killed parents, full disks, readers that exit."""

import json
import os
import pathlib
import resource
import signal
import subprocess
import time
import unittest

from program import PATIENCE, PROGRAM, Run, awake, scratch, without_shared

LONG = {"physics": "heat", "mesh": {"cells": [64, 64]}, "heat": {"initial": "x*y"},
        "time": {"step": 1e-4, "steps": 1000000}, "output": {"snapshots": {"interval": 0}}}
SHORT = {**LONG, "mesh": {"cells": [8, 8]}, "time": {"step": 1e-4, "steps": 20}}


def with_deck(folder, deck):
    path = pathlib.Path(folder) / "run.yaml"
    path.write_text(json.dumps(deck))
    return path


def summary_in(folder):
    return json.loads((pathlib.Path(folder) / "run.out/summary.json").read_text())


def start(folder, deck, *arguments, **settings):
    return subprocess.Popen([PROGRAM, "run", with_deck(folder, deck), *arguments], cwd=folder, text=True,
                            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            **{"stdout": subprocess.PIPE, **settings})


def begun(process):
    """Returns once the run has begun to step."""
    line = process.stdout.readline()
    assert "step 1 of" in line, line + process.communicate()[1]


def arrived(folder):
    """Returns once a stand-in for mpirun has created its file in `folder`."""
    while not (pathlib.Path(folder) / "here").exists():
        time.sleep(0.01)


def at_work(folder):
    """Ids of the processes whose working directory is `folder`: the program, its mpirun and its ranks."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{entry}/cwd") == str(folder):
                found.append(int(entry))
        except OSError:
            pass
    return found


def mpirun_that(folder, script):
    """A PATH whose mpirun is this shell script; $MPIRUN is the real one."""
    real = subprocess.run(["sh", "-c", "command -v mpirun"], check=True, capture_output=True, text=True).stdout.strip()
    path = pathlib.Path(folder) / "bin"
    path.mkdir()
    (path / "mpirun").write_text(f"#!/bin/sh\n{script}\n")
    (path / "mpirun").chmod(0o755)
    return {**os.environ, "PATH": f"{path}:{os.environ['PATH']}", "MPIRUN": real}


class Outside(unittest.TestCase):
    def assert_nobody_left(self, folder):
        deadline = time.monotonic() + PATIENCE
        while at_work(folder) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(at_work(folder), [])

    def test_a_signal_is_never_lost(self):
        # From before the ranks start to after their first steps.
        for ranks in ("1", "2"):
            for delay in (0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.2):
                with self.subTest(ranks=ranks, delay=delay), scratch() as folder:
                    process = start(folder, LONG, "--ranks", ranks)
                    while not awake(process.pid):
                        self.assertIsNone(process.poll(), "it has ended")
                    time.sleep(delay)
                    process.terminate()
                    _, err = process.communicate(timeout=PATIENCE)
                    self.assertEqual(process.returncode, 5, err)
                    self.assertRegex(without_shared(err), r"^halocline: stopped by a signal[^\n]*\n$")
                    if (pathlib.Path(folder) / "run.out/summary.json").exists():
                        self.assertEqual(summary_in(folder)["status"], "stopped")
                    self.assert_nobody_left(folder)

    def test_no_driver_of_a_device_is_loaded_for_mpi(self):
        # hwloc's plugins would; such a driver may take signals that mpirun or a rank waits for.
        for ranks in ("1", "2"):
            with self.subTest(ranks=ranks), scratch() as folder:
                process = start(folder, LONG, "--ranks", ranks)
                begun(process)
                maps = {number: pathlib.Path(f"/proc/{number}/maps").read_text() for number in at_work(folder)}
                process.terminate()
                process.communicate(timeout=PATIENCE)
                self.assertEqual(len(maps), 1 if ranks == "1" else 4)
                for text in maps.values():
                    self.assertNotRegex(text, r"/hwloc_\w+\.so")

    def test_a_signal_before_there_are_ranks(self):
        with scratch() as folder:
            environment = mpirun_that(folder, 'touch here; sleep 2000; exec "$MPIRUN" "$@"')
            process = start(folder, LONG, "--ranks", "2", env=environment)
            arrived(folder)
            process.terminate()
            _, err = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, err), (5, "halocline: stopped by a signal before the run began\n"))
            self.assertFalse((pathlib.Path(folder) / "run.out").exists())

    def test_ranks_that_print_without_end(self):
        # Faster than this reader takes it.
        with scratch() as folder:
            process = start(folder, LONG, "--ranks", "2", env=mpirun_that(folder, "yes & yes & exec yes"))
            self.assertEqual(process.stdout.readline(), "y\n")
            process.terminate()
            deadline = time.monotonic() + PATIENCE
            while process.stdout.readline():
                self.assertLess(time.monotonic(), deadline)
            _, err = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, err), (5, "halocline: stopped by a signal before the run began\n"))

    def test_an_mpirun_that_does_not_end(self):
        with scratch() as folder:
            # It ignores the signal, and so does its child.
            environment = mpirun_that(folder, f"trap '' TERM; sh -c 'sleep 2000; true' {folder} & touch here; sleep 2000; wait")
            process = start(folder, LONG, "--ranks", "2", env=environment)
            arrived(folder)
            process.terminate()
            _, err = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, err), (5, "halocline: stopped by a signal before the run began\n"))
            self.assert_nobody_left(folder)

    def test_a_terminal_that_is_closed(self):
        for ranks in ("1", "2"):
            with self.subTest(ranks=ranks), scratch() as folder:
                process = start(folder, LONG, "--ranks", ranks)
                begun(process)
                process.send_signal(signal.SIGHUP)
                _, err = process.communicate(timeout=PATIENCE)
                self.assertEqual(process.returncode, 5, err)
                self.assertEqual(summary_in(folder)["status"], "stopped")

    def test_a_signal_that_is_ignored(self):
        with scratch() as folder:
            process = start(folder, {**SHORT, "time": {"step": 1e-4, "steps": 3000}},
                            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
            begun(process)
            process.send_signal(signal.SIGHUP)
            _, err = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, err), (0, ""))

    def test_a_killed_program_leaves_no_ranks(self):
        with scratch() as folder:
            # Without output: a broken pipe would end them, too.
            process = start(folder, LONG, "--ranks", "2", "--quiet")
            while not (pathlib.Path(folder) / "run.out/summary.json").exists():
                time.sleep(0.01)
            self.assertEqual(len(at_work(folder)), 4)
            process.kill()
            process.communicate(timeout=PATIENCE)
            self.assert_nobody_left(folder)

    def test_a_reader_who_goes(self):
        # The output is larger than a pipe's buffer.
        deck = {**SHORT, "time": {"step": 1e-4, "steps": 1000}, "progress": {"iterations": 1}}
        for ranks in ("1", "2"):
            with self.subTest(ranks=ranks), scratch() as folder:
                process = start(folder, deck, "--ranks", ranks)
                process.stdout.readline()
                process.stdout.close()
                with process.stderr:
                    err = process.stderr.read()
                self.assertEqual((process.wait(), without_shared(err)), (0, ""))
                self.assertEqual((summary_in(folder)["status"], summary_in(folder)["steps"]), ("done", 1000))

    def test_what_is_said_goes_to_a_full_disk(self):
        with scratch() as folder:
            deck = with_deck(folder, SHORT)
            for command in (["list"], ["list", "--schema"], ["check", deck], ["--help"], ["--version"], ["run", deck],
                            ["run", deck, "--overwrite", "--ranks", "2"]):
                with self.subTest(command=command), open("/dev/full", "w", encoding="utf-8") as full:
                    done = subprocess.run([PROGRAM, *command], cwd=folder, stdout=full, stderr=subprocess.PIPE,
                                          text=True, check=False)
                    self.assertEqual((done.returncode, without_shared(done.stderr)),
                                     (4, "halocline: cannot write to standard output: No space left on device\n"))

    def test_a_table_without_room(self):
        # The residuals of so many iterations exceed the limit; the summary does not.
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (60000, 60000))

        # With MPI options set, Open MPI would start a daemon, which has files of its own.
        alone = {name: value for name, value in os.environ.items() if not name.startswith("OMPI_MCA")}
        with scratch() as folder:
            many = {"time": {"step": 1, "steps": 1}, "solver": {"method": "jacobi"}}
            process = start(folder, {**LONG, **many}, "--quiet", preexec_fn=limit, env=alone)
            _, err = process.communicate(timeout=PATIENCE)
            output = pathlib.Path(folder) / "run.out"
            message = "cannot write run.out/residuals.csv: File too large"
            self.assertEqual((process.returncode, err), (4, f"halocline: {message}\n"))
            summary = summary_in(folder)
            self.assertEqual((summary["status"], summary["message"]), ("input/output failed", message))
            rows = (output / "residuals.csv").read_text()
            self.assertEqual(rows[-1], "\n")
            self.assertEqual({line.count(",") for line in rows.splitlines()}, {4})
            self.assertEqual([path.name for path in output.glob("*.partial")], [])

    def test_folders_for_temporary_files(self):
        missing = "TMPDIR is not a usable folder for temporary files: No such file or directory"
        small = "the folder for temporary files, /proc, has fewer than 16 MiB free; set TMPDIR to another one"
        for theirs, complaint in (("/nonexistent", missing), ("/proc", small)):
            with self.subTest(folder=theirs), scratch() as folder:
                run = Run(["run", with_deck(folder, SHORT), "--ranks", 2], folder, {"TMPDIR": theirs})
                self.assertEqual((run.code, run.err), (4, f"halocline: {complaint}\n"))
                self.assertEqual(run.files(), ["run.yaml"])
                # A single process has no such files.
                run = Run(["run", with_deck(folder, SHORT)], folder, {"TMPDIR": theirs})
                self.assertEqual((run.code, run.err), (0, ""))

    def test_too_few_open_files_for_mpi(self):
        for hard, code in ((30, 4), (1000, 0)):
            with self.subTest(hard=hard), scratch() as folder:
                run = Run(["run", with_deck(folder, SHORT)], folder, timeout=PATIENCE,
                          prepare=lambda limit=hard: resource.setrlimit(resource.RLIMIT_NOFILE, (30, limit)))
                words = "halocline: at most 30 files may be open at once (ulimit -n), but MPI needs 64\n"
                self.assertEqual((run.code, run.err), (code, words if code else ""))

    def test_ranks_whose_files_may_not_grow(self):
        # The limit affects MPI's files for shared memory: mpirun would hang.
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

        with scratch() as folder:
            run = Run(["run", with_deck(folder, SHORT), "--ranks", 2], folder, timeout=PATIENCE, prepare=limit)
            self.assertEqual((run.code, run.err), (4, "halocline: --ranks: files are limited to 1024 KiB (ulimit -f), "
                                                      "but ranks share memory through files of up to 8192 KiB\n"))
            self.assertEqual(run.files(), ["run.yaml"])

    def test_more_ranks_than_there_is_work(self):
        with scratch() as folder:
            environment = mpirun_that(folder, "touch here")
            run = Run(["run", with_deck(folder, SHORT), "--ranks", 200], folder, environment)
            self.assertEqual(run.code, 2)
            self.assertRegex(run.err, r"^halocline: `mesh.cells`: [^\n]*200[^\n]*\n$")
            self.assertNotIn("here", run.files())

    def test_output_folders_that_are_none(self):
        with scratch() as folder:
            deck = with_deck(folder, SHORT)
            run = Run(["run", deck, "--output", ""], folder)
            self.assertEqual((run.code, run.err),
                             (2, "halocline: halocline run: --output: must name a folder; see halocline run --help\n"))
            (pathlib.Path(folder) / "link").symlink_to("nowhere")
            run = Run(["run", deck, "--output", "link"], folder)
            self.assertEqual(run.code, 2)
            self.assertIn("link cannot be the output folder: ", run.err)
            self.assertEqual(run.files(), ["run.yaml"])

    def test_pictures_of_a_solve_with_nothing_to_do(self):
        with scratch() as folder:
            deck = {"physics": "laplace", "mesh": {"cells": [8, 8]}, "laplace": {"source": 0}}
            run = Run(["run", with_deck(folder, deck), "--plot"], folder)
            self.assertEqual((run.code, run.err), (0, ""))
            self.assertIn("u is 0 everywhere at step 1: not drawn\n", run.out)
            self.assertNotIn(".png", run.out)

    def test_how_pictures_are_drawn(self):
        deck = {**SHORT, "plot": {"scale": "log", "range": [0.1, 2], "fields": "u"}}
        with scratch() as name:
            folder = pathlib.Path(name)
            run = Run(["run", with_deck(folder, deck), "--plot"], folder)
            self.assertEqual((run.code, run.err), (0, ""))
            self.assertIn("run.out/slice_u.png\n", run.out)
            # The plot script gets the folder, whose record contains the deck's section.
            python = folder / "my python"
            python.write_text('#!/bin/sh\necho "drawn by mine: $2"\n')
            python.chmod(0o755)
            run = Run(["run", "run.yaml", "--plot", "--overwrite"], folder, environment={"HALOCLINE_PYTHON": str(python)})
            self.assertEqual((run.code, run.err), (0, ""))
            self.assertIn("drawn by mine: run.out\n", run.out)
            self.assertEqual(run.summary()["provenance"]["deck"]["options"]["plot"], deck["plot"])
            run = Run(["run", "run.yaml", "--plot", "--overwrite"], folder, environment={"HALOCLINE_PYTHON": "no-python"})
            self.assertEqual((run.code, run.err), (4, "halocline: --plot: no-python cannot be started: No such file or directory\n"))

    def test_pictures_that_cannot_be_drawn_are_refused_before(self):
        for plot, said in (({"fields": "u, w"}, "`plot.fields`: the run has no field `w`; "),
                           ({"range": [2, 1]}, "the second value must be larger"),
                           ({"range": [0, 1], "scale": "log"}, "a logarithmic scale needs positive values"),
                           ({"scale": "lines"}, "linear, log")):
            with self.subTest(plot=plot), scratch() as folder:
                run = Run(["run", with_deck(folder, {**SHORT, "plot": plot})], folder)
                self.assertEqual(run.code, 2)
                self.assertIn(said, run.err)
                self.assertEqual(run.files(), ["run.yaml"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
