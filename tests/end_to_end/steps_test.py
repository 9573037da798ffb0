"""Step selection and the times at which steps must end: `steps_test.py PROGRAM PLUGIN`, where PLUGIN is choosing.cpp."""

import csv
import json
import math
import pathlib
import re
import sys
import unittest

from program import HAS_DEVICES, PATIENCE, Run, scratch

PLUGIN = pathlib.Path(sys.argv.pop(1)).resolve()


class Steps(unittest.TestCase):
    def run_deck(self, folder, time, what="stable", ranks=1, output=None, command="run", cells=(12, 6)):
        deck = {"physics": "choosing", "mesh": {"cells": cells}, "choosing": {"what": what}, "time": time,
                "output": output or {"snapshots": {"interval": 0}}}
        (pathlib.Path(folder) / "run.yaml").write_text(json.dumps(deck))
        return Run([command, "run.yaml", "--ranks", ranks, "--plugin", PLUGIN], folder, timeout=PATIENCE)

    def rows(self, run):
        return [{name: float(value) for name, value in row.items()}
                for row in csv.DictReader((run.folder / "run.out/scalars.csv").read_text().splitlines())]

    def steps(self, run):
        self.assertEqual((run.code, run.err), (0, ""))
        rows = self.rows(run)
        self.assertEqual({row["spread"] for row in rows}, {0.0})
        return rows

    def test_ranks_choose_the_same_steps_and_meet_the_end(self):
        for time, what in (({"courant": 0.8, "end": 3}, "stable"), ({"end": 3}, "suggested"),
                           ({"step": 0.01, "end": 3}, "suggested"), ({"courant": 1, "steps": 9}, "stable")):
            first = None
            for ranks in (1, 2, 3, 4):
                with self.subTest(time=time, what=what, ranks=ranks), scratch() as folder:
                    run = self.run_deck(folder, time, what, ranks)
                    rows = self.steps(run)
                    first = first or rows
                    self.assertEqual(rows, first)
                    summary = run.summary()
                    sizes = [row["size"] for row in rows[1:]]
                    self.assertEqual(summary["steps"], len(sizes))
                    self.assertEqual(summary["step_sizes"], {"least": min(sizes), "largest": max(sizes)})
                    if "end" in time:
                        self.assertEqual(rows[-1]["time"], 3)
                        self.assertLess(abs(sizes[-1] / sizes[-2] - 1), 0.5)
                    if "step" in time:
                        self.assertEqual(sizes[0], 0.01)
                    for before, size in list(zip(rows, sizes))[1:-2]:
                        longest = time.get("courant", 1) * 0.25 * (1 + 0.5 * math.sin(3 * before["time"]))
                        self.assertAlmostEqual(size, longest, delta=1e-12)

    def test_outputs_by_time_are_met(self):
        for time, what in (({"courant": 0.8, "end": 3}, "stable"), ({"step": 0.07, "end": 3}, "nothing")):
            with self.subTest(time=time), scratch() as folder:
                run = self.run_deck(folder, time, what, output={"snapshots": {"time_interval": 0.3},
                                                                "scalars": {"time_interval": 0.5}})
                self.assertEqual([row["time"] for row in self.steps(run)], [0, 0.5, 1, 1.5, 2, 2.5, 3])
                series = (run.folder / "run.out/snapshots.xdmf").read_text()
                self.assertEqual([float(value) for value in re.findall(r'<Time Value="([^"]*)"', series)],
                                 [n * 0.3 for n in range(1, 10)] + [3])

    def test_a_step_that_vanishes_ends_the_run(self):
        with scratch() as folder:
            run = self.run_deck(folder, {"end": 3}, "vanishing")
            self.assertEqual(run.code, 3)
            self.assertRegex(run.err, r"^halocline: step 5, time [\d.]+: a step of 1e-300 is too short to change the time\n$")
            self.assertEqual(run.summary()["steps"], 4)

    def test_what_is_wrong_is_told(self):
        for time, what, words in (
                ({"courant": 0.8, "end": 3}, "nothing",
                 "`time.courant`: choosing has no longest stable step with these options; give `time.step` instead"),
                ({"courant": 0.8, "step": 1, "end": 3}, "stable", "`time.courant`: given together with `step`"),
                ({"courant": 2, "end": 3}, "stable", "`time.courant`: 2 is out of range: must be above 0 and at most 1"),
                ({"end": 3}, "stable", "`time.step`: missing")):
            with self.subTest(time=time, what=what), scratch() as folder:
                run = self.run_deck(folder, time, what)
                self.assertEqual(run.code, 2)
                self.assertTrue(run.err.startswith("halocline: " + words), run.err)
                self.assertEqual(run.files(), ["run.yaml"])
        with scratch() as folder:
            run = self.run_deck(folder, {"courant": 1, "end": 1},
                                output={"scalars": {"time_interval": 1e-300}})
            self.assertEqual(run.code, 2)
            self.assertIn("`output.scalars.time_interval`: 1e-300 is too short", run.err)

    def test_check_tells_where_steps_lead(self):
        with scratch() as folder:
            run = self.run_deck(folder, {"courant": 0.8, "end": 3}, command="check")
            self.assertEqual((run.code, run.err), (0, ""))
            self.assertIn("time     steps to 3, sized by the stability limit\n", run.out)
            if not HAS_DEVICES:
                self.assertNotIn("limit ", run.out)

    @unittest.skipIf(HAS_DEVICES, "on devices no limit is checked")
    def test_check_tells_of_a_limit_that_it_has_not_checked(self):
        with scratch() as folder:
            run = self.run_deck(folder, {"step": 0.3, "end": 3}, command="check", cells=(2048, 1024))
            self.assertEqual((run.code, run.err), (0, ""))
            self.assertIn("limit    of the first step not checked, as the mesh has more than 1048576 cells; `run` checks it\n",
                          run.out)

    def test_a_step_that_is_too_long_is_told(self):
        for time, words in (({"step": 0.3, "end": 3}, "`time.step`: 0.3 is longer than the longest stable step, 0.25; "),
                            ({"courant": 0.8, "end": 3}, "`time.courant`: choosing has no longest stable step")):
            with self.subTest(time=time), scratch() as folder:
                what = "stable" if "step" in time else "nothing"
                ran = self.run_deck(folder, time, what)
                self.assertEqual(ran.code, 2)
                self.assertTrue(ran.err.startswith("halocline: " + words), ran.err)
                if not HAS_DEVICES:  # there `check` sets up nothing
                    checked = self.run_deck(folder, time, what, command="check")
                    self.assertEqual((checked.code, checked.err), (ran.code, ran.err))


if __name__ == "__main__":
    unittest.main()
