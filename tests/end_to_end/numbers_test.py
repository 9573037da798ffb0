"""Non-finite numbers end a run, with a message and a record: `numbers_test.py PROGRAM PLUGIN`, where PLUGIN is the physics of
tests/faulty."""

import csv
import json
import math
import pathlib
import re
import sys
import unittest

import h5py

from program import PATIENCE, Run, scratch, where_check_foretells_memory

PLUGIN = pathlib.Path(sys.argv.pop(1)).resolve()

# Every step multiplies the inner values by 250: in single precision the largest overflows in step 17.
WAVE = {"physics": "wave", "precision": "single", "mesh": {"cells": [16, 16, 16]},
        "wave": {"method": "weighted_sum", "weights": [10, 10, 10, 10, 10], "initial": "1"},
        "time": {"step": 1, "steps": 60}}
SEEN = 17


def faulty(where, **options):
    return {"physics": "faulty", "mesh": {"cells": [12, 6]}, "time": {"step": 0.5, "steps": 10},
            "faulty": {"where": where, **options}}


class Numbers(unittest.TestCase):
    def run_deck(self, folder, deck, ranks=1, name="deck", **sections):
        path = pathlib.Path(folder) / f"{name}.yaml"
        path.write_text(json.dumps({**deck, **sections}))
        return Run(["run", path, "--ranks", ranks, "--plugin", PLUGIN], folder, timeout=PATIENCE)

    def assert_bad(self, run, beginning, **facts):
        """The run ended with code 3, one message and a summary with these facts."""
        self.assertEqual(run.code, 3, run.err)
        self.assertTrue(run.err.startswith("halocline: " + beginning), run.err)
        self.assertEqual(run.err.count("halocline: "), 1, run.err)
        summary = run.summary("deck.out")
        self.assertEqual((summary["status"], summary["exit_code"]), ("not a number", 3))
        self.assertEqual("halocline: " + summary["message"] + "\n", run.err)
        for name, value in facts.items():
            self.assertEqual(summary["not_finite"][name], value, name)
        self.assertEqual(summary["steps"], summary["not_finite"]["step"])
        self.assertEqual(summary["time"], summary["not_finite"]["time"])
        return summary

    def snapshots(self, run):
        found = [re.fullmatch(r"deck.out/snapshot_(\d+).vti", name) for name in run.files()]
        return [int(match[1]) for match in found if match]

    def series(self, run):
        text = (run.folder / "deck.out/snapshots.xdmf").read_text()
        return [int(number) for number in re.findall(r"snapshot_(\d+).vti:/VTKHDF/CellData/u<", text)]

    def rows(self, run):
        return list(csv.DictReader((run.folder / "deck.out/scalars.csv").read_text().splitlines()))

    def test_a_wave_that_grows_without_bound(self):
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks), scratch() as folder:
                run = self.run_deck(folder, WAVE, ranks, output={"snapshots": {"interval": 5}})
                summary = self.assert_bad(
                    run, f"step {SEEN}, time {SEEN}: `u` is inf at cell (", field="u", component=0, centring="cell",
                    value="inf", step=SEEN, time=SEEN, last_finite_step=15)
                place = summary["not_finite"]["index"]
                self.assertEqual(summary["not_finite"]["position"], [(n + 0.5) / 16 for n in place])
                self.assertEqual(place, sorted(place, reverse=True), "the first of those that are equal by symmetry")
                self.assertIn(f"cell ({', '.join(map(str, place))}), position (", run.err)
                self.assertIn(f"the first of {summary['not_finite']['count']} such values", run.err)
                self.assertEqual(summary["quantities"], {"maximum": "inf"})
                self.assertEqual(self.rows(run)[-1], {"step": str(SEEN), "time": str(SEEN), "maximum": "inf"})
                self.assertEqual(self.snapshots(run), [0, 5, 10, 15])
                self.assertEqual(self.series(run), [0, 5, 10, 15])
                if ranks == 1:
                    alone = summary["not_finite"]
                self.assertEqual(summary["not_finite"], alone)

    def test_states_are_looked_at_as_often_as_asked(self):
        # No quantity reveals it during the run: the first periodic check finds it.
        quiet = {"scalars": {"interval": 0}, "snapshots": {"interval": 0}}
        for every, seen, finite in ((0, 60, 0), (1, SEEN, SEEN - 1), (7, 21, 14), (100, 60, 0)):
            with self.subTest(every=every), scratch() as folder:
                run = self.run_deck(folder, WAVE, output=quiet, guard={"every": every})
                self.assert_bad(run, f"step {seen}, time {seen}: `u` is ", step=seen,
                                last_finite_step=finite)
                self.assertEqual([int(row["step"]) for row in self.rows(run)], [0, seen])
                self.assertEqual(self.snapshots(run), [])
                self.assertEqual("`guard.every: 1`" in run.err, every != 1, run.err)

    def test_the_last_finite_state_is_kept(self):
        for ranks, interval, steps in ((1, 0, [14]), (2, 4, [0, 4, 8, 12, 16]), (3, 7, [0, 7, 14])):
            with self.subTest(ranks=ranks, interval=interval), scratch() as folder:
                output = {"scalars": {"interval": 0}, "snapshots": {"interval": interval}}
                run = self.run_deck(folder, WAVE, ranks, output=output, guard={"every": 7, "keep": True})
                seen = 20 if interval == 4 else 21
                last = steps[-1]
                self.assert_bad(run, f"step {seen}, ", step=seen, last_finite_step=last)
                self.assertIn("that state is kept as a snapshot", run.err)
                self.assertEqual(self.snapshots(run), steps)
                self.assertEqual(self.series(run), steps)
                self.assertEqual([int(row["step"]) for row in self.rows(run)], [0, seen])
                whole = self.run_deck(folder, WAVE, 1, "whole", time={"step": 1, "steps": last})
                self.assertEqual(whole.code, 0, whole.err)
                name = f"snapshot_{last:06}.vti"
                with h5py.File(run.folder / "deck.out" / name) as kept, \
                        h5py.File(run.folder / "whole.out" / name) as expected:
                    self.assertEqual(kept.attrs["step"], last)
                    self.assertEqual(kept["VTKHDF/FieldData/TimeValue"][0], last)
                    self.assertTrue((kept["VTKHDF/CellData/u"][...] == expected["VTKHDF/CellData/u"][...]).all())

    def test_a_kept_state_between_snapshots(self):
        with scratch() as folder:
            run = self.run_deck(folder, faulty("component", step=7), 2, output={"snapshots": {"interval": 4}},
                                guard={"every": 3, "keep": True})
            self.assert_bad(run, "step 8, time 4: component 1 of `v` is nan at node (", last_finite_step=6)
            self.assertEqual(self.snapshots(run), [0, 4, 6])
            self.assertEqual(self.series(run), [0, 4, 6])
            with h5py.File(run.folder / "deck.out/snapshot_000006.vti") as kept:
                self.assertTrue((kept["VTKHDF/CellData/u"][...] == 6).all())
                self.assertEqual(kept["VTKHDF/PointData/v"].shape[-1], 2)
                self.assertEqual(kept["VTKHDF/FieldData/TimeValue"][0], 3)

    def test_one_number_of_any_field_of_any_rank(self):
        fields = (("u", "u", 0, "cell"), ("component", "v", 1, "node"))
        for ranks in (1, 2, 3, 4):
            for rank in range(ranks):
                where, name, component, centring = fields[(rank + ranks) % 2]
                value = ("nan", "inf", "-inf")[(rank + ranks) % 3]
                precision = ("double", "single")[rank % 2]
                with self.subTest(where=where, ranks=ranks, rank=rank), scratch() as folder:
                    run = self.run_deck(folder, faulty(where, rank=rank, value=value), ranks,
                                        guard={"every": 1}, precision=precision)
                    prefix = "component 1 of " if component else ""
                    self.assert_bad(run, f"step 3, time 1.5: {prefix}`{name}` is {value} at {centring} (", field=name,
                                    component=component, centring=centring, value=value, count=1, step=3, time=1.5,
                                    last_finite_step=2)

    def test_an_initial_state_is_looked_at(self):
        with scratch() as folder:
            run = self.run_deck(folder, faulty("u", step=0, value="-inf"), guard={"keep": True})
            self.assert_bad(run, "initial state: `u` is -inf at cell (11, 5), position (", last_finite_step=None)
            self.assertEqual(self.snapshots(run), [])

    def test_a_quantity_of_a_finite_state(self):
        for ranks, rank, interval in ((1, -1, 1), (2, -1, 5), (3, 2, 1), (3, 1, 5)):
            with self.subTest(ranks=ranks, rank=rank), scratch() as folder:
                run = self.run_deck(folder, faulty("quantity", rank=rank), ranks,
                                    output={"snapshots": {"interval": interval}})
                self.assert_bad(run, "step 3, time 1.5: the quantity `made` is nan, though all fields are finite",
                                number="the quantity `made`", value="nan", step=3,
                                last_finite_step=2 if interval == 1 else 0)
                self.assertEqual(self.snapshots(run), [0, 1, 2] if interval == 1 else [0])
                if rank < 0:
                    self.assertEqual(self.rows(run)[-1]["made"], "nan")
                    self.assertTrue(math.isnan(float(self.rows(run)[-1]["made"])))

    def test_a_stable_step_that_is_none(self):
        for where, value, text, ranks in (("stable_step", "nan", "nan", 1), ("stable_step", "-inf", "-inf", 2),
                                          ("no_stable_step", "nan", "0", 2)):
            with self.subTest(where=where, value=value), scratch() as folder:
                run = self.run_deck(folder, faulty(where, value=value), ranks)
                self.assert_bad(run, f"step 3, time 1.5: the longest stable step is {text}", step=3)
                before = self.run_deck(folder, faulty(where, value=value, step=0), ranks, "before")
                self.assertEqual(before.code, 2, before.err)
                self.assertIn(f"the longest stable step from the initial state is {text}", before.err)
                self.assertFalse((before.folder / "before.out").exists())

    def test_a_stable_step_that_lost_a_nan(self):
        for step in (1, 3):
            with self.subTest(step=step), scratch() as folder:
                run = self.run_deck(folder, faulty("lost_by_max", step=step), 2)
                self.assert_bad(run, f"step {step}, time {step / 2:g}: `u` is nan at cell (", field="u", step=step)

    def test_a_solve_that_failed_tells_more_than_the_state_that_it_left(self):
        with scratch() as folder:
            run = self.run_deck(folder, faulty("solve"), 2)
            self.assertEqual(run.code, 3, run.err)
            self.assertRegex(run.err, r"^halocline: [^\n]* ended with iteration limit [^\n]*; step 3, time 1\.5: `u` is nan at cell ")
            summary = run.summary("deck.out")
            self.assertEqual(("halocline: " + summary["message"] + "\n", summary["not_finite"]["field"]), (run.err, "u"))

    def test_numbers_that_single_precision_takes_as_zero_are_said(self):
        heat = {"physics": "heat", "precision": "single", "mesh": {"cells": [8]}, "time": {"step": 1e-3, "steps": 2}}
        wall = {"initial": 0, "boundary": {"west": {"kind": "dirichlet", "value": 1e-60}}}
        source = {"position": [0.5], "frequency": 4, "amplitude": 1e-60}
        wave = {"physics": "wave", "precision": "single", "mesh": {"cells": [64]}, "time": {"step": 1e-3, "steps": 2}}
        for deck, said in (({**heat, "heat": {"initial": "1e-60*x"}}, "`heat.initial`: no value of '1e-60*x' is above"),
                           ({**heat, "heat": wall}, "`heat.boundary.west.value`: 1e-60 is below the smallest number"),
                           ({**wave, "wave": {"sources": [source]}}, "`wave.sources[0].amplitude`: 1e-60 is below"),
                           ({**wave, "wave": {"initial": "1e-60"}}, "`wave.initial`: 1e-60 is below the smallest number")):
            with self.subTest(said=said), scratch() as folder:
                run = self.run_deck(folder, deck, 2)
                self.assertEqual(run.code, 0, run.err)
                self.assertIn(said, run.err)
                self.assertEqual(run.err.count("single precision"), 1, run.err)
                self.assertEqual(self.run_deck(folder, deck, 1, "double", precision="double").err, "")
        # Underflow far from the maximum is expected and causes no warning.
        with scratch() as folder:
            run = self.run_deck(folder, {**heat, "mesh": {"cells": [64]}, "heat": {"initial": "exp(-1e4*(x-0.5)^2)"}})
            self.assertEqual((run.code, run.err), (0, ""))

    def test_an_expression_that_loses_its_value_ends_the_run(self):
        for section in ({"initial": 0, "source": "t > 0.0025 ? 1/0 : 0"},
                        {"initial": 0, "boundary": {"west": {"kind": "dirichlet", "value": "t > 0.0025 ? 1/0 : 0"}}}):
            deck = {"physics": "heat", "mesh": {"cells": [8]}, "heat": section, "time": {"step": 1e-3, "steps": 9}}
            with self.subTest(section=section), scratch() as folder:
                run = self.run_deck(folder, deck, 2)
                self.assertEqual(run.code, 3, run.err)
                self.assertRegex(run.err, "halocline: step [34], from time 0.00[23]: (`heat.source`|boundary.west): ")
                self.assertEqual(run.summary("deck.out")["status"], "unsolved")

    def test_a_run_of_finite_numbers_is_done(self):
        for guard in ({}, {"every": 0}, {"every": 1, "keep": True}):
            with self.subTest(guard=guard), scratch() as folder:
                run = self.run_deck(folder, faulty("nowhere"), 2, guard=guard, output={"snapshots": {"interval": 5}})
                self.assertEqual((run.code, run.err), (0, ""))
                summary = run.summary("deck.out")
                self.assertEqual(summary["status"], "done")
                self.assertNotIn("not_finite", summary)
                self.assertEqual(self.snapshots(run), [0, 5, 10])

    @where_check_foretells_memory
    def test_the_memory_of_a_kept_state_is_foretold(self):
        def need(folder, **guard):
            path = pathlib.Path(folder) / "deck.yaml"
            path.write_text(json.dumps({**faulty("nowhere"), "mesh": {"cells": [1000, 1000]}, "guard": guard,
                                        "output": {"snapshots": {"interval": 0}}}))
            check = Run(["check", path, "--plugin", PLUGIN], folder)
            self.assertEqual((check.code, check.err), (0, ""))
            found = re.search(r"^memory +about ([\d.e+]+) MiB ", check.out, re.MULTILINE)
            return float(found[1])
        with scratch() as folder:
            self.assertAlmostEqual(need(folder, keep=True) / need(folder), 2, delta=0.1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
