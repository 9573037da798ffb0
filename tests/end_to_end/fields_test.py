"""Random fields: the same bits on any number of ranks, and many steps of the 25-point sweep held to NumPy."""

import json
import pathlib
import unittest

import h5py
import numpy

from program import ROOT, Run, scratch, settings
from reference import random_cells, weighted_sum

WEIGHTS = [0.25, 0.0625, 0.03125, 0.015625, 0.015625]


class Fields(unittest.TestCase):
    def snapshots(self, deck, ranks=1, prepare=lambda folder: None):
        """Of u, by step, of a deck that runs without a word of trouble; indexed [z, y, x]."""
        with scratch() as name:
            folder = pathlib.Path(name)
            prepare(folder)
            (folder / "deck.yaml").write_text(json.dumps(deck))
            run = Run(["run", "deck.yaml", "--output", "run.out", "--ranks", ranks], folder)
            self.assertEqual((run.code, run.err), (0, ""), deck)
            found = {}
            for path in sorted((folder / "run.out").glob("snapshot_*.vtkhdf")):
                with h5py.File(path) as file:
                    values = file["VTKHDF/CellData/u"]
                    found[int(path.stem.split("_")[1])] = values[:].reshape(values.attrs["shape"])
            return found

    def sweeps(self, cells, steps, precision, initial):
        """A deck like decks/stencil-25.yaml."""
        return {"physics": "wave", "precision": precision, "mesh": {"cells": cells, "processes": [1, 1, 0]},
                "wave": {"method": "weighted_sum", "weights": WEIGHTS, "initial": initial},
                "time": {"step": 1, "steps": steps}, "output": {"snapshots": {"interval": max(steps, 1)}}}

    def test_random_fields_have_the_same_bits_on_any_ranks(self):
        expected = 2 * random_cells(7, [13, 11, 16]) - 1
        for precision, kind, ranks in (("double", "f8", 1), ("double", "f8", 2), ("double", "f8", 3),
                                       ("double", "f8", 4), ("single", "f4", 3)):
            with self.subTest(precision=precision, ranks=ranks):
                deck = self.sweeps([13, 11, 16], 0, precision, "2*random(7) - 1")
                del deck["mesh"]["processes"]
                numpy.testing.assert_array_equal(self.snapshots(deck, ranks)[0], expected.astype(kind))

    def test_sweeps_of_25_points_are_those_of_numpy(self):
        cells, steps = [21, 18, 24], 6
        magnitude = WEIGHTS[0] + 6 * sum(WEIGHTS[1:])  # of a sum, relative to that of its terms
        for precision, kind in (("double", "f8"), ("single", "f4")):
            initial = random_cells(2026, cells).astype(kind)
            expected = weighted_sum(initial.astype("f8"), WEIGHTS, steps)
            # Products and sums of a step err by at most 26 half units of rounding of the largest sum there can be, and
            # steps multiply that by no more than what they multiply the largest sum by. NumPy's own errors as well.
            unit = numpy.finfo(kind).eps / 2 + numpy.finfo("f8").eps / 2
            bound = steps * 26 * unit * magnitude**steps
            self.assertGreater(numpy.abs(expected).max(), 1e4 * bound)
            for ranks in (1, 2, 3):
                with self.subTest(precision=precision, ranks=ranks):
                    found = self.snapshots(self.sweeps(cells, steps, precision, "random(2026)"), ranks)
                    numpy.testing.assert_array_equal(found[0], initial)
                    self.assertEqual(found[steps].dtype, numpy.dtype(kind))
                    self.assertLessEqual(numpy.abs(found[steps] - expected).max(), bound)

    def test_the_deck_of_the_documentation(self):
        """decks/stencil-25.yaml itself takes random data."""
        with scratch() as folder:
            changes = {"wave.initial": "random(1)", "mesh.cells": "[16, 16, 24]", "time.steps": 3}
            run = Run(["run", ROOT / "decks/stencil-25.yaml", "--output", "run.out", *settings(changes)], folder)
            self.assertEqual((run.code, run.err), (0, ""))


if __name__ == "__main__":
    unittest.main()
