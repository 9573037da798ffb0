"""Checkpoints from the user's view: what is refused, what is skipped with a message, and what `verify` names. That continued
runs have the bits of uninterrupted ones is tested in tests/restart."""

import json
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import unittest

import numpy

from program import PATIENCE, PROGRAM, Run, scratch

FAULTY = pathlib.Path(sys.argv.pop(1)).resolve()

DECK = """
physics: heat
mesh: {cells: [40, 30]}
heat: {initial: 1 + x*y}
time: {step: 0.01, steps: 40}
output: {snapshots: {interval: 10}}
checkpoint: {every: {steps: 8}, keep: 3}
"""
STATIONARY = """
physics: laplace
mesh: {cells: [500, 500]}
laplace: {source: sin(3*x)*y}
solver: {method: jacobi, jacobi: {iterations: 1000000, relative_tolerance: 1e-9}}
"""


def run(folder, *words, deck=DECK, **more):
    (pathlib.Path(folder) / "run.yaml").write_text(deck)
    return Run([*words, "--quiet"] if words[0] in ("run", "restart") else words, folder, **more)


class Restart(unittest.TestCase):
    def assert_ends(self, finished, code, *texts):
        self.assertEqual(finished.code, code, finished.said)
        for text in texts:
            self.assertIn(text, finished.err)

    def names(self, folder):
        return sorted(path.name for path in (pathlib.Path(folder) / "run.out").glob("checkpoint_*"))

    def test_the_newest_few_are_kept_and_the_last_state_is_one(self):
        with scratch() as folder:
            self.assert_ends(run(folder, "run", "run.yaml"), 0)
            self.assertEqual(self.names(folder), ["checkpoint_000024", "checkpoint_000032", "checkpoint_000040"])

    def test_without_the_section_there_are_none(self):
        with scratch() as folder:
            self.assert_ends(run(folder, "run", "run.yaml", deck=DECK.replace("checkpoint:", "#")), 0)
            self.assertEqual(self.names(folder), [])
            self.assert_ends(run(folder, "restart", "run.out"), 2, "holds no checkpoint to continue from")

    def test_what_is_damaged_is_skipped_and_named(self):
        with scratch() as folder:
            self.assert_ends(run(folder, "run", "run.yaml"), 0)
            output = pathlib.Path(folder) / "run.out"
            wanted = (output / "scalars.csv").read_bytes()
            state = output / "checkpoint_000040/state_00000.h5"
            bits = bytearray(state.read_bytes())
            bits[len(bits) // 2] ^= 16
            state.write_bytes(bits)
            (output / "checkpoint_000032/manifest.json").unlink()
            finished = Run(["restart", "run.out"], folder)
            self.assert_ends(finished, 0, "checkpoint_000040: state_00000.h5 is not what was written",
                             "checkpoint_000032 has no manifest.json")
            self.assertIn("continues from run.out/checkpoint_000024, step 24", finished.err)
            self.assertEqual((output / "scalars.csv").read_bytes(), wanted)
            for checkpoint in output.glob("checkpoint_*"):
                (checkpoint / "manifest.json").write_text("{}")
            self.assert_ends(run(folder, "restart", "run.out"), 4, "holds no intact checkpoint to continue from",
                             "checkpoint_000040/manifest.json is damaged")
            self.assert_ends(run(folder, "run", "run.yaml", "--continue", "--set", "time.steps=50"), 4,
                             "`--overwrite` begins a new run")

    def test_another_format_is_refused_by_name(self):
        with scratch() as folder:
            self.assert_ends(run(folder, "run", "run.yaml"), 0)
            for manifest in (pathlib.Path(folder) / "run.out").glob("checkpoint_*/manifest.json"):
                manifest.write_text(manifest.read_text().replace('checkpoint format": 1', 'checkpoint format": 7'))
            self.assert_ends(run(folder, "restart", "run.out"), 4, "is of format 7, and this program")

    def test_a_table_that_was_changed_is_named(self):
        with scratch() as folder:
            self.assert_ends(run(folder, "run", "run.yaml"), 0)
            table = pathlib.Path(folder) / "run.out/scalars.csv"
            table.write_text(table.read_text().replace("0.01,", "0.02,", 1))
            self.assert_ends(run(folder, "restart", "run.out", "--set", "time.steps=50"), 4, "run.out/scalars.csv does not begin with the")

    def test_what_does_not_fit_is_refused(self):
        with scratch() as folder:
            self.assert_ends(run(folder, "run", "run.yaml"), 0)
            before = {path.name: path.read_bytes() for path in (pathlib.Path(folder) / "run.out").glob("*.*")}
            of_a_run = "is a checkpoint of a run with"
            for change, said in (("mesh.cells=[40, 31]", f"`mesh.cells`: run.out/checkpoint_000040 {of_a_run} [40,30], which "
                                                         "cannot continue with [40,31]"),
                                 ("mesh.lower=[-1, 0]", f"`mesh.lower`: run.out/checkpoint_000040 {of_a_run} [0.0,0.0], which"),
                                 ("mesh.upper=[1, 2]", f"`mesh.upper`: run.out/checkpoint_000040 {of_a_run} [1.0,1.0], which"),
                                 ("mesh.growth=[1, 1.1]", f"`mesh.growth`: run.out/checkpoint_000040 {of_a_run} [1.0,1.0], which"),
                                 ("mesh.periodic=[true, false]", f"`mesh.periodic`: run.out/checkpoint_000040 {of_a_run} "
                                                                 "[false,false], which"),
                                 ("precision=single", "`u` is of another precision"),
                                 ("time.start=1", "`time.start`: the run began at 0"),
                                 ("time.steps=39", "`time.steps`: the checkpoint is at step 40, after the end of the run, 39"),
                                 ("time={step: 0.01, end: 0.3}", "`time.end`: the checkpoint is at time 0.4, after the end of "
                                                                 "the run, 0.3"),
                                 ("time.stpes=50", "did you mean `steps`?")):
                with self.subTest(change):
                    self.assert_ends(run(folder, "restart", "run.out", "--set", change), 2, said)
            after = {path.name: path.read_bytes() for path in (pathlib.Path(folder) / "run.out").glob("*.*")}
            self.assertEqual(after, before)
            self.assert_ends(run(folder, "run", "run.yaml", "--continue", "--overwrite"), 2, "--overwrite")
            self.assert_ends(run(folder, "run", "run.yaml"), 2, "holds a run already")

    def test_continue_begins_goes_on_and_ends(self):
        with scratch() as folder:
            begun = run(folder, "run", "run.yaml", "--continue", "--set", "time.steps=20")
            self.assert_ends(begun, 0)
            done = Run(["run", "run.yaml", "--continue", "--set", "time.steps=20"], folder)
            self.assertEqual((done.code, done.out), (0, "run.out holds this run, already finished\n"))
            longer = Run(["run", "run.yaml", "--continue"], folder)
            self.assert_ends(longer, 0, "continues from run.out/checkpoint_000020")
            summary = longer.summary()
            self.assertEqual((summary["status"], summary["steps"]), ("done", 40))
            self.assertEqual(len(summary["provenance"]["earlier_parts"]), 1)
            self.assertEqual(summary["provenance"]["earlier_parts"][0]["to_step"], 20)

    def test_continue_replaces_no_run_that_is_done(self):
        with scratch() as folder:
            without = DECK.replace("checkpoint:", "#")
            self.assert_ends(run(folder, "run", "run.yaml", deck=without), 0)
            table = (pathlib.Path(folder) / "run.out/scalars.csv").read_bytes()
            other = run(folder, "run", "run.yaml", "--continue", "--set", "time.steps=50", deck=without)
            self.assert_ends(other, 2, "holds a finished run", "--overwrite replaces it")
            self.assertEqual((pathlib.Path(folder) / "run.out/scalars.csv").read_bytes(), table)

    def test_one_that_was_not_finished_is_none(self):
        with scratch() as folder:
            (pathlib.Path(folder) / "run.out/checkpoint_000008").mkdir(parents=True)
            self.assert_ends(run(folder, "run", "run.yaml", "--continue"), 0)

    def test_files_are_those_of_where_the_run_was_started(self):
        with scratch() as folder:
            inside = pathlib.Path(folder) / "inside"
            inside.mkdir()
            numpy.save(inside / "k.npy", numpy.full((30, 40), 2.0))
            numpy.save(pathlib.Path(folder) / "k.npy", numpy.full((30, 40), 9.0))
            deck = DECK.replace("1 + x*y", "1 + x*y, source: {file: k.npy}")
            self.assert_ends(run(inside, "run", "run.yaml", deck=deck), 0)
            shutil.copytree(inside / "run.out", inside / "there.out")
            self.assert_ends(Run(["restart", "run.out", "--quiet", "--set", "time.steps=60"], inside), 0)
            self.assert_ends(Run(["restart", "inside/there.out", "--quiet", "--set", "time.steps=60"], folder), 0)
            same = Run(["diff", "inside/run.out", "inside/there.out"], folder)
            self.assertEqual(same.code, 0, same.out)

    def test_a_field_file_that_has_changed_is_refused(self):
        with scratch() as folder:
            numpy.save(pathlib.Path(folder) / "k.npy", numpy.full((30, 40), 2.0))
            numpy.save(pathlib.Path(folder) / "other.npy", numpy.full((30, 40), 3.0))
            deck = DECK.replace("1 + x*y", "1 + x*y, source: {file: k.npy}")
            self.assert_ends(run(folder, "run", "run.yaml", deck=deck), 0)
            numpy.save(pathlib.Path(folder) / "k.npy", numpy.full((30, 40), 2.5))
            table = (pathlib.Path(folder) / "run.out/scalars.csv").read_bytes()
            self.assert_ends(Run(["restart", "run.out", "--quiet", "--set", "time.steps=60"], folder), 2,
                             "`heat.source`: k.npy has changed since the run began")
            self.assertEqual((pathlib.Path(folder) / "run.out/scalars.csv").read_bytes(), table)
            other = ["--set", "heat.source={file: other.npy}"]
            self.assert_ends(Run(["restart", "run.out", "--quiet", "--set", "time.steps=60", *other], folder), 0)

    def test_a_finished_run_of_other_files_is_not_this_run(self):
        """With the same deck, but another field, other bodies or another plugin, `--continue` refuses, with or without a
        checkpoint, and changes nothing."""
        bodies = "{initial: file, file: {path: b.csv}}"
        of_field = DECK.replace("1 + x*y", "1 + x*y, source: {file: k.npy}")
        for deck, name, option in (
                (of_field, "k.npy", "heat.source"),
                (of_field.replace("checkpoint:", "#"), "k.npy", "heat.source"),
                (f"physics: nbody\nnbody: {bodies}\ntime: {{step: 0.1, steps: 2}}\n", "b.csv", "nbody.file.path"),
                ("physics: faulty\nmesh: {cells: [8]}\ntime: {step: 0.1, steps: 3}\nfaulty: {where: u, value: nan, step: 9}\n",
                 "faulty.so", "--plugin")):
            with self.subTest(option=option), scratch() as folder:
                place = pathlib.Path(folder)
                numpy.save(place / "k.npy", numpy.full((30, 40), 2.0))
                (place / "b.csv").write_text("0,0,0,0,0,0,1\n1,0,0,0,0,0,1\n")
                shutil.copy(FAULTY, place / "faulty.so")
                words = ["run", "run.yaml", "--continue", *(["--plugin", "faulty.so"] if option == "--plugin" else [])]
                self.assert_ends(run(folder, *words, deck=deck), 0)
                before = {path: path.read_bytes() for path in (place / "run.out").rglob("*") if path.is_file()}
                self.assertIn("already finished", Run(words, folder).out)
                numpy.save(place / "k.npy", numpy.full((30, 40), 2.5))
                (place / "b.csv").write_text("0,0,0,0,0,0,1\n2,0,0,0,0,0,1\n")
                with (place / "faulty.so").open("ab") as plugin:
                    plugin.write(b"later")
                self.assert_ends(run(folder, *words, deck=deck), 2, f"`{option}`: ", f"{name} has changed since the run began",
                                 "; restore it, or begin a new run with --overwrite")
                after = {path: path.read_bytes() for path in (place / "run.out").rglob("*") if path.is_file()}
                self.assertEqual(after, before)

    def test_a_plugin_may_be_named_again(self):
        """The run's own plugin, under whatever name or names, is loaded once; a changed one is told of."""
        with scratch() as folder:
            plugin = pathlib.Path(folder) / "faulty.so"
            shutil.copy(FAULTY, plugin)
            (pathlib.Path(folder) / "linked.so").symlink_to("faulty.so")
            self.assert_ends(run(folder, "run", "run.yaml", "--plugin", "faulty.so"), 0)
            for steps, names in ((50, ["faulty.so"]), (60, ["./faulty.so", "linked.so", "faulty.so"]), (70, ["linked.so"])):
                words = [word for name in names for word in ("--plugin", name)]
                again = Run(["restart", "run.out", "--quiet", *words, "--set", f"time.steps={steps}"], folder)
                self.assert_ends(again, 0)
                self.assertEqual(again.summary()["steps"], steps)
                self.assertNotIn("has changed", again.err)
            plugin.write_bytes(plugin.read_bytes() + b"later")
            # The last command named it otherwise.
            same = ["run", "run.yaml", "--continue", "--plugin", "faulty.so", "--set", "time.steps=70"]
            self.assert_ends(Run(same, folder), 2, "`--plugin`: ", "faulty.so has changed since the run began")
            self.assert_ends(Run(["restart", "run.out", "--plugin", "faulty.so"], folder), 0,
                             "warning: `--plugin`: ", "faulty.so has changed since the run began")

    def test_what_is_missing_beside_checkpoints(self):
        with scratch() as folder:
            self.assert_ends(run(folder, "run", "run.yaml"), 0)
            output = pathlib.Path(folder) / "run.out"
            series = (output / "snapshots.xdmf").read_bytes()
            for name in ("snapshots.xdmf", "mesh.h5"):
                (output / name).unlink()
                self.assert_ends(Run(["restart", "run.out", "--quiet"], folder), 0)
                self.assertTrue((output / name).exists())
                self.assertEqual((output / "snapshots.xdmf").read_bytes(), series)
            (output / "snapshot_000010.vti").unlink()
            self.assert_ends(Run(["verify", "run.out"], folder), 4,
                             "run.out/snapshot_000010.vti: is missing, and snapshots.xdmf needs it")
            self.assert_ends(Run(["restart", "run.out"], folder), 0,
                             "warning: snapshot_000010.vti, which the run has written, is missing")

    def test_a_folder_that_takes_no_more_keeps_what_it_has(self):
        with scratch() as folder:
            self.assert_ends(run(folder, "run", "run.yaml"), 0)
            output = pathlib.Path(folder) / "run.out"
            before = {path: path.read_bytes() for path in output.rglob("*") if path.is_file() and path.name != "halocline.lock"}
            # The lock has some 100 bytes, a summary some thousands.
            limit = 1000
            self.assertGreater((output / "summary.json").stat().st_size, limit)
            failed = Run(["restart", "run.out", "--set", "time.steps=50"], folder,
                         prepare=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            self.assert_ends(failed, 4, "cannot write run.out/summary.json: File too large")
            after = {path: path.read_bytes() for path in output.rglob("*") if path.is_file() and path.name != "halocline.lock"}
            self.assertEqual(after, before)

    def test_a_checkpoint_that_could_not_be_written(self):
        with scratch() as folder:
            failed = run(folder, "run", "run.yaml", environment={"HALOCLINE_THROW_AT": "checkpoint:0:2"})
            self.assert_ends(failed, 4, "armed to fail at checkpoint")
            self.assertEqual(self.names(folder), ["checkpoint_000008"])
            (pathlib.Path(folder) / "run.out/checkpoint_000016").mkdir()
            noted = Run(["verify", "run.out"], folder)
            self.assertEqual(noted.code, 0, noted.said)
            self.assertIn("run.out/checkpoint_000016 was not finished: it has no manifest.json\n", noted.out)

    def test_names_of_any_bytes(self):
        with scratch() as folder:
            name = "caf\udce9.out"
            self.assert_ends(run(folder, "run", "run.yaml", "--output", name), 0)
            self.assert_ends(run(folder, "restart", name, "--set", "time.steps=45"), 0)

    def test_a_physics_that_does_not_implement_serialize(self):
        with scratch() as folder:
            deck = "physics: faulty\nmesh: {cells: [8]}\ntime: {step: 0.1, steps: 3}\nfaulty: {where: u, value: nan, step: 9}\ncheckpoint: {every: {steps: 1}}\n"
            finished = run(folder, "run", "run.yaml", "--plugin", FAULTY, deck=deck)
            self.assert_ends(finished, 2, "`checkpoint`: faulty, or its integrator, does not implement `serialize`")
            self.assertFalse((pathlib.Path(folder) / "run.out").exists())

    def test_cadences_that_are_none(self):
        with scratch() as folder:
            for deck, said in ((DECK.replace("steps: 8", "steps: 0"), "checkpoint.every.steps"),
                               (DECK.replace("keep: 3", "keep: 0"), "checkpoint.keep"),
                               (STATIONARY + "checkpoint: {every: {steps: 5}}\n", "does not apply to a stationary run")):
                self.assert_ends(run(folder, "run", "run.yaml", deck=deck), 2, said)
            for limit in ("soon", "0", "-5"):
                self.assert_ends(run(folder, "run", "run.yaml", f"--wall-limit={limit}"), 2, "is not a duration above 0")

    def test_a_run_that_stops_leaves_one_without_being_asked(self):
        with scratch() as folder:
            deck = DECK.replace("checkpoint:", "#").replace("steps: 40", "steps: 1000000")
            (pathlib.Path(folder) / "run.yaml").write_text(deck)
            process = subprocess.Popen([PROGRAM, "run", "run.yaml", "--quiet"], cwd=folder, stderr=subprocess.PIPE, text=True)
            while not (pathlib.Path(folder) / "run.out/scalars.csv").exists():
                self.assertIsNone(process.poll())
            process.send_signal(signal.SIGTERM)
            _, said = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, 5, said)
            self.assertIn("; `halocline restart run.out` continues it", said)
            step = int(re.search(r"after step (\d+)", said)[1])
            self.assertEqual(self.names(folder), [f"checkpoint_{step:06}"])
            self.assert_ends(run(folder, "restart", "run.out", "--set", f"time.steps={step + 7}"), 0)

    def test_a_solve_goes_on_from_its_iterate(self):
        with scratch() as folder:
            self.stopped_in_the_solve(folder, "run", "run.yaml", "--ranks", "2", "--overwrite")
            first = json.loads((pathlib.Path(folder) / "run.out/summary.json").read_text())
            self.assertEqual(first["status"], "stopped")
            state = max(pathlib.Path(folder).glob("run.out/checkpoint_*/manifest.json"))
            self.assertTrue(state.exists())
            last = float((pathlib.Path(folder) / "run.out/residuals.csv").read_text().splitlines()[-1].split(",")[-1])
            again = run(folder, "restart", "run.out", "--set", "solver.jacobi.iterations=1", "--ranks", "1")
            self.assert_ends(again, 3)
            report = json.loads((pathlib.Path(folder) / "run.out/summary.json").read_text())["solves"][0]
            rows = [line.split(",") for line in
                    (pathlib.Path(folder) / "run.out/residuals.csv").read_text().splitlines()[1:]]
            self.assertEqual(float(rows[0][-1]), report["initial_residual"])
            # The residual falls in every iteration: the checkpoint has the last iterate or the one before it.
            self.assertLess(report["initial_residual"], 1.01 * last)

    def stopped_in_the_solve(self, folder, *words):
        """Stopped by a wall limit. A start may take longer than a limit, above all on devices: then a longer one follows."""
        limit = 2
        while True:
            stopped = run(folder, *words, "--wall-limit", limit, deck=STATIONARY)
            if (place := re.search(r"in iteration (\d+)", stopped.err)) and int(place[1]) > 100:
                break
            self.assert_ends(stopped, 5, f"stopped at the wall limit of {limit} s ")
            limit *= 2
        self.assert_ends(stopped, 5, f"stopped at the wall limit of {limit} s in iteration", "continues it")

    def residuals(self, folder):
        """The first and the last one."""
        rows = (pathlib.Path(folder) / "run.out/residuals.csv").read_text().splitlines()[1:]
        return (float(row.split(",")[-1]) for row in (rows[0], rows[-1]))

    def test_a_tolerance_stays_relative_to_the_first_residual(self):
        with scratch() as folder:
            self.stopped_in_the_solve(folder, "run", "run.yaml", "--overwrite")
            first, last = self.residuals(folder)
            # Then reducing the last residual by the same factor again takes a hundred thousand iterations.
            while last > 0.9 * first:
                self.stopped_in_the_solve(folder, "restart", "run.out")
                _, last = self.residuals(folder)
            again = run(folder, "restart", "run.out", "--set", f"solver.jacobi.relative_tolerance={0.9999 * last / first:.17g}",
                        "--set", "solver.jacobi.iterations=20000")
            self.assert_ends(again, 0)
            report = json.loads((pathlib.Path(folder) / "run.out/summary.json").read_text())["solves"][0]
            self.assertLessEqual(report["final_residual"], 0.9999 * last)


class Verify(unittest.TestCase):
    def test_every_file_of_a_run(self):
        with scratch() as folder:
            self.assertEqual(run(folder, "run", "run.yaml").code, 0)
            output = pathlib.Path(folder) / "run.out"
            whole = Run(["verify", "run.out"], folder)
            self.assertEqual((whole.code, whole.err), (0, ""), whole.said)
            files = [path for path in output.rglob("*") if path.is_file() and path.name != "halocline.lock"]
            self.assertEqual(whole.out, f"run.out: {len(files)} files intact\n")
            for path in files:
                was = path.read_bytes()
                # Some bits of HDF5's metadata are unused: snapshot_damage_test checks each of them.
                for damage in ("cut",) if path.name == "mesh.h5" else ("flip", "cut"):
                    bits = bytearray(was)
                    bits[len(bits) * 2 // 3] ^= 4
                    path.write_bytes(bits if damage == "flip" else was[:len(was) * 2 // 3])
                    with self.subTest(file=path.name, damage=damage):
                        found = Run(["verify", "run.out"], folder)
                        self.assertEqual(found.code, 4, found.said)
                        self.assertIn(path.name, found.err)
                        alone = Run(["verify", path.relative_to(folder)], folder)
                        self.assertEqual(alone.code, 4, alone.said)
                path.write_bytes(was)
            self.assertEqual(Run(["verify", "run.out"], folder).code, 0)

    def test_what_is_nothing_of_a_run(self):
        with scratch() as folder:
            (pathlib.Path(folder) / "notes.txt").write_text("nothing\n")
            for path in ("notes.txt", ".", "elsewhere"):
                self.assertEqual(Run(["verify", path], folder).code, 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
