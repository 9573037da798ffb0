"""`halocline diff`: comparison of two runs or two snapshots to the bit, and rejected input."""

import json
import pathlib
import shutil
import unittest

import h5py
import numpy

from program import Run, scratch

WAVE = {"physics": "gray-scott", "mesh": {"cells": [24, 18, 10], "upper": [0.24, 0.18, 0.1]},
        "gray-scott": {"u": {"initial": "1 - 0.5*exp(-900*((x-0.1)^2+(y-0.1)^2+(z-0.05)^2))"},
                       "v": {"initial": "0.3*exp(-900*((x-0.1)^2+(y-0.1)^2+(z-0.05)^2))"}},
        "time": {"step": 0.5, "steps": 12}, "output": {"snapshots": {"interval": 4}}}
BODIES = {"physics": "nbody", "nbody": {"initial": "plummer", "plummer": {"bodies": 60}},
          "time": {"step": 1e-3, "steps": 4}, "output": {"snapshots": {"interval": 4}}}


class Diff(unittest.TestCase):
    def run_deck(self, folder, deck, output, *more):
        (pathlib.Path(folder) / "deck.yaml").write_text(json.dumps(deck))
        run = Run(["run", "deck.yaml", "--output", output, *more], folder)
        self.assertEqual((run.code, run.err), (0, ""), deck)

    def diff(self, folder, code, *arguments):
        run = Run(["diff", *arguments], folder)
        self.assertEqual(run.code, code, (run.out, run.err))
        return run.out if code in (0, 3) else run.err

    def test_on_several_ranks(self):
        """The fields have the same bits; means are sums of 4320 numbers of one sign, rounded in another order."""
        with scratch() as folder:
            self.run_deck(folder, WAVE, "one")
            self.run_deck(folder, WAVE, "other", "--ranks", "2")
            said = self.diff(folder, 0, "one", "other", "--tolerance", repr(2 * 4320 * 2.0**-53))
            self.assertIn("snapshots: 4 of the same steps, same bits\n", said)

    def test_runs_of_the_same_bits(self):
        for deck in (WAVE, BODIES):
            with self.subTest(physics=deck["physics"]), scratch() as folder:
                self.run_deck(folder, deck, "one")
                self.run_deck(folder, deck, "other")
                said = self.diff(folder, 0, "one", "other")
                self.assertRegex(said, r"^scalars.csv: \d+ rows, same bits\nsnapshots: \d of the same steps, same bits\nsame bits\n$")
                name = next((pathlib.Path(folder) / "one").glob("snapshot_000004.*")).name
                self.assertEqual(self.diff(folder, 0, f"one/{name}", f"other/{name}"), "same bits\n")

    def test_equal_values_of_other_bits(self):
        with scratch() as folder:
            deck = {"physics": "heat", "mesh": {"cells": [4, 3]}, "heat": {"initial": 0.5},
                    "time": {"step": 1, "steps": 1}, "output": {"snapshots": {"interval": 1}}}
            self.run_deck(folder, deck, "one")
            self.run_deck(folder, deck, "other", "--set", "precision=single")
            said = self.diff(folder, 3, "one/snapshot_000000.vti", "other/snapshot_000000.vti")
            self.assertIn("in another precision", said)
            self.assertEqual(said.splitlines()[-1],
                             "they differ: the largest relative difference is 0, but not the precision, the time or all bits are the same")

    def test_where_two_runs_part(self):
        with scratch() as name:
            folder = pathlib.Path(name)
            self.run_deck(folder, WAVE, "one")
            shutil.copytree(folder / "one", folder / "other")
            for step, change in ((8, 0.25), (12, 0.5)):
                with h5py.File(folder / f"other/snapshot_{step:06}.vti", "r+") as file:
                    data = file["VTKHDF/CellData/v"]
                    before = data[()]
                    data[3, 5, 7] = data[3, 5, 7] + change
                    data[2, 1, 0] = data[2, 1, 0] - change / 2
                    change = float(data[3, 5, 7]) - float(before[3, 5, 7])
                    norm = float(numpy.sqrt(((data[()] - before) ** 2).sum()))
                    largest = max(float(abs(before).max()), float(abs(data[()]).max()))
            rows = (folder / "other/scalars.csv").read_text().splitlines()
            words = rows[6].split(",")
            words[2] = repr(float(words[2]) * (1 + 1e-3))
            rows[6] = ",".join(words)
            (folder / "other/scalars.csv").write_text("\n".join(rows) + "\n")
            said = self.diff(folder, 3, "one", "other")
            self.assertIn("scalars.csv: 13 rows, first difference in row 6 (step 5, time 2.5)\n", said)
            quantity = rows[0].split(",")[2]
            self.assertRegex(said, rf"\n    {quantity}\W.* 1 of 13 .* row 6: ".replace("(", r"\(").replace(")", r"\)")
                             if "(" in quantity else rf"\n    {quantity} .* 1 of 13 ")
            self.assertIn("snapshots: 4 of the same steps, 2 differ\nfirst at step 8, time 4\n", said)
            self.assertIn("\nlast at step 12, time 6\n", said)
            last = said[said.index("last at"):]
            self.assertRegex(last, r"\n    u +0 +same bits\n")
            row = next(line for line in last.splitlines() if line.startswith("    v "))
            self.assertEqual(row.split()[:4], ["v", "2", "of", str(24 * 18 * 10)])
            numbers = [float(word) for word in row.split()[4:7]]
            # Printed with three digits.
            numpy.testing.assert_allclose(numbers, [change, change / largest, norm], rtol=5e-3)
            self.assertTrue(row.endswith("cell (7, 5, 3) at (0.075, 0.055, 0.035)"), row)
            self.assertTrue(said.endswith(f"they differ: the largest relative difference is {numbers[1]:.3g}\n"), said)
            self.assertIn("within 1:", self.diff(folder, 0, "one", "other", "--tolerance", "1"))
            self.assertIn("they differ", self.diff(folder, 3, "one", "other", "--tolerance", repr(0.99 * change / largest)))
            self.assertIn("step 8, time 4", self.diff(folder, 3, "one/snapshot_000008.vti", "other/snapshot_000008.vti"))
            self.assertIn("step 0, time 0 and step 4, time 2",
                          self.diff(folder, 3, "one/snapshot_000000.vti", "one/snapshot_000004.vti"))

    def test_what_is_missing_and_what_is_no_number(self):
        with scratch() as name:
            folder = pathlib.Path(name)
            self.run_deck(folder, WAVE, "one")
            shutil.copytree(folder / "one", folder / "other")
            (folder / "other/snapshot_000004.vti").unlink()
            lines = (folder / "one/scalars.csv").read_text().splitlines(keepends=True)
            (folder / "other/scalars.csv").write_text("".join(lines[:-2]))
            said = self.diff(folder, 3, "one", "other", "--tolerance", "1e300")
            self.assertIn("scalars.csv: 13 and 11 rows, first difference in row 12 (step 11, time 5.5)\n", said)
            self.assertIn("  steps in one only: 4\n", said)
            self.assertEqual(said.splitlines()[-1], "they differ: one has rows and steps that the other lacks")
            shutil.copy(folder / "one/scalars.csv", folder / "other")
            shutil.copy(folder / "one/snapshot_000004.vti", folder / "other")
            self.assertEqual(self.diff(folder, 0, "one", "other").splitlines()[-1], "same bits")
            for value, tolerance, code in ((numpy.nan, "1e300", 3), (numpy.inf, "1e300", 3)):
                with h5py.File(folder / "other/snapshot_000004.vti", "r+") as file:
                    file["VTKHDF/CellData/u"][0, 0, 0] = value
                said = self.diff(folder, code, "one", "other", "--tolerance", tolerance)
                self.assertRegex(said, r"\n    u +1 of 4320 +inf +inf +inf  cell \(0, 0, 0\)")
            # Zeros of both signs are equal but have different bits.
            for output, zero in (("one", 0.0), ("other", -0.0)):
                with h5py.File(folder / output / "snapshot_000004.vti", "r+") as file:
                    file["VTKHDF/CellData/u"][0, 0, 0] = zero
            self.assertRegex(self.diff(folder, 3, "one", "other"), r"\n    u +1 of 4320 +0 +0 +0  cell")
            self.assertIn("within 1e-16", self.diff(folder, 0, "one", "other", "--tolerance", "1e-16"))

    def test_what_cannot_be_compared(self):
        with scratch() as name:
            folder = pathlib.Path(name)
            self.run_deck(folder, WAVE, "one")
            self.run_deck(folder, {**WAVE, "mesh": {"cells": [12, 18, 10], "upper": [0.24, 0.18, 0.1]}}, "coarse")
            said = self.diff(folder, 2, "one", "coarse")
            self.assertIn("`u` has 24 x 18 x 10 cells in one/snapshot_000000.vti and 12 x 18 x 10 cells in coarse/", said)
            self.assertIn("only fields of one size can be compared", said)
            self.assertIn("is a folder, and the other a file", self.diff(folder, 2, "one", "one/snapshot_000000.vti"))
            self.assertIn("cannot read none: there is no such file", self.diff(folder, 4, "one", "none"))
            (folder / "empty").mkdir()
            self.assertIn("neither has tables or snapshots", self.diff(folder, 2, "empty", "empty"))
            self.assertIn("it is not an HDF5 file", self.diff(folder, 4, "deck.yaml", "one/snapshot_000000.vti"))
            self.assertIn("it is not a snapshot", self.diff(folder, 4, "one/mesh.h5", "one/snapshot_000000.vti"))
            whole = (folder / "one/snapshot_000004.vti").read_bytes()
            (folder / "cut.vti").write_bytes(whole[:len(whole) // 2])
            self.assertIn("cannot read cut.vti: ", self.diff(folder, 4, "cut.vti", "one/snapshot_000004.vti"))
            for value in ("-1", "inf", "nan", "much", "1 2"):
                self.assertIn(f"--tolerance: '{value}' is not a finite number of at least 0; see halocline diff --help\n",
                              self.diff(folder, 2, "one", "one", "--tolerance", value))


if __name__ == "__main__":
    unittest.main(verbosity=2)
